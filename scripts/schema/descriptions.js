/**
 * The suggestions of editors for `runs-on`. Source:
 * https://docs.github.com/actions/reference/runners/github-hosted-runners
 */
export const RUNNER_LABELS = [
  'ubuntu-latest',
  'ubuntu-26.04',
  'ubuntu-24.04',
  'ubuntu-26.04-arm',
  'ubuntu-24.04-arm',
  'ubuntu-slim',
  'windows-latest',
  'windows-2025',
  'windows-2022',
  'windows-11-arm',
  'macos-latest',
  'macos-15',
  'macos-15-intel',
  'self-hosted',
]

/**
 * Titles of mappings in editors, if the name in GitHub's schema says too little.
 *
 * @type {ReadonlyMap<string, string>}
 */
export const TITLES = new Map([
  ['job-factory', 'job'],
  ['workflow-job', 'job that calls a workflow'],
  ['run-step', 'step that runs a script'],
  ['regular-step', 'step that uses an action'],
  ['wait-step', 'step that waits for others'],
  ['wait-all-step', 'step that waits for all others'],
  ['cancel-step', 'step that cancels another'],
  ['parallel-step', 'steps side by side'],
  ['permissions-mapping', 'permissions by scope'],
  ['runs-on-mapping', 'group of runners'],
])

/**
 * Descriptions of definitions that GitHub's schema does not describe.
 *
 * @type {ReadonlyMap<string, string>}
 */
export const DESCRIPTIONS = new Map([
  ['job', 'A job: steps on a runner, or a call of another workflow. Its key is its id.'],
  ['job-defaults-run', 'Defaults for the scripts of the job: `shell`, `working-directory`.'],
  ['workflow-defaults-run', 'Defaults for all scripts: `shell`, `working-directory`.'],
  [
    'pull-request-review-comment',
    'Runs when a comment on the diff of a pull request is written, edited or deleted.',
  ],
])

/**
 * Descriptions of keys, if that of their definition is too general.
 *
 * @type {ReadonlyMap<string, string>}
 */
export const KEYS = new Map([
  ['username', 'Name of the user at the registry.'],
  ['password', 'The password or token for the registry, from a secret.'],
  ['cancel-timeout-minutes', 'Minutes that a job which is cancelled has to end. Default: 5.'],
  ['types', 'The types that start it: the `event_type` of the dispatch.'],
  ['working-directory', 'The folder, from the root of the workspace, in which the script runs.'],
])
