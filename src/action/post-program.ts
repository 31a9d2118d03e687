/**
 * What the runner starts when the job has succeeded. Mostly `main` left nothing to be done, and then
 * nothing else is loaded: the bundle beside this one costs more than the start of Node.
 */
if (process.env.STATE_effects) import('./index.ts')
