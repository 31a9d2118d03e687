import { mkdir, writeFile } from 'node:fs/promises'

/**
 * A folder in which the action runs as on a runner.
 *
 * @typedef {object} Workspace
 * @property {string} folder
 * @property {Record<string, string>} env
 * @property {string} output file of the step's outputs
 */

/** The `on:` section that all variants evaluate. */
export const ON_SECTION = 'webhook:\n  method: post\n  path: /user/:id\n'

export const EVENT = {
  action: 'webhook',
  client_payload: {
    path: 'hook/webhook/user/7?x=1',
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'bench' },
    body: JSON.stringify({ title: 'Hello', list: [1, 2, 3], text: 'x'.repeat(1000) }),
  },
}

/**
 * @param {string} folder
 * @param {number} count of workflow files; the event names the first
 * @returns {Promise<Workspace>}
 */
export async function layWorkspace(folder, count) {
  await mkdir(`${folder}/workflows`, { recursive: true })
  const names = Array.from({ length: count }, (_, at) => (at === 0 ? 'hook' : `hook-${at}`))
  for (const name of names) await writeFile(`${folder}/workflows/${name}.yml`, workflow(name))
  await writeFile(`${folder}/event.json`, JSON.stringify(EVENT))
  await writeFile(`${folder}/summary.md`, '')
  const output = `${folder}/output`
  return { folder, env: environment(folder, output), output }
}

/** @param {string} name */
function workflow(name) {
  const on = ON_SECTION.replace(/^/gm, '  ').trimEnd()
  return `name: ${name}
on:
${on}
jobs:
  show:
    runs-on: ubuntu-latest
    steps:
      - name: Show the body
        env:
          BODY: \${{ on.webhook.outputs.body }}
        run: echo "$BODY"
`
}

/**
 * @param {string} folder
 * @param {string} output
 */
function environment(folder, output) {
  return {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_EVENT_NAME: 'repository_dispatch',
    GITHUB_EVENT_PATH: `${folder}/event.json`,
    GITHUB_OUTPUT: output,
    GITHUB_REPOSITORY: 'octo/repo',
    GITHUB_STEP_SUMMARY: `${folder}/summary.md`,
    GITHUB_WORKFLOW_REF: 'octo/repo/.github/workflows/hook.yml@refs/heads/main',
    GITHUB_WORKSPACE: folder,
    INPUT_ON: '',
    INPUT_SECRETS: '{}',
    INPUT_VARS: '{}',
    INPUT_WORKFLOW: 'workflows/**/*.{yml,yaml}',
  }
}
