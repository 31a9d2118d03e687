/**
 * The program that the runner starts after the job has succeeded. It loads the action only if
 * `main` saved effects, because loading the bundle costs more than the start of Node.
 */
if (process.env.STATE_effects) import('./index.ts')
