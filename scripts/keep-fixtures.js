// Writes the files that this version leaves on a user's disk to __tests__/fixtures/versions/<version>/, so
// that a test holds that later versions read them: the database of a relay, a state file, and a
// compiled workflow. Run it once for each release, with dist/ of the release:
//     npm run fixtures
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { findNode24 } from './node24.js'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const CLI = join(process.env.HOOKLINE_TEST_BUNDLES ?? ROOT, 'dist/cli/index.js')
const TOKEN = 'ghp_of-the-relay-of-the-fixture'
const SOURCE = `hookline:
  state: branch:hookline-state
on:
  webhook:
    config: { shouldDeduplicate: true }
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo hello
`

const node24 = findNode24()
if (node24 === null) throw new Error('no Node 22.13 or newer: set HOOKLINE_NODE24')
const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
const folder = join(ROOT, '__tests__/fixtures/versions', version)
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
const work = await mkdtemp(join(tmpdir(), 'hookline-fixtures-'))
await keepDatabase(node24, join(work, 'data'))
await keepState(join(work, 'state'))
await keepCompiled(join(work, 'compiled'))
await rm(work, { recursive: true })
console.log(`wrote __tests__/fixtures/versions/${version}`)

/**
 * A database with two waiting events, a dead letter, an open batch with two events, and endpoints.
 *
 * @param {string} node
 * @param {string} data
 */
async function keepDatabase(node, data) {
  let status = 204
  const github = createServer((request, response) => {
    request.resume()
    // A GET asks for the access of an endpoint's credential.
    request.on('end', () => response.writeHead(request.method === 'GET' ? 200 : status).end('{}'))
  })
  github.listen(0, '127.0.0.1')
  await once(github, 'listening')
  const address = github.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const relay = spawn(node, [CLI, 'relay', '--port', '0', '--data', data], {
    env: {
      PATH: process.env.PATH,
      HOOKLINE_API_URL: `http://127.0.0.1:${port}`,
      HOOKLINE_GITHUB_TOKEN: TOKEN,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  /** @type {string} */
  const url = await new Promise((resolve) => {
    createInterface(relay.stdout).on('line', (line) => {
      const [found] = /http:\/\/\S+:\d+/.exec(line) ?? []
      if (found) resolve(found)
    })
  })
  const printed = spawnSync(node, [CLI, 'relay', 'key', '--data', data], { encoding: 'utf8' })
  const headers = { authorization: `Bearer ${printed.stdout.trim()}` }
  /**
   * @param {string} path
   * @param {string} body
   */
  const post = async (path, body) =>
    (await fetch(url + path, { method: 'POST', headers, body })).text()
  /**
   * @param {string} name
   * @param {object} [more]
   * @returns {Promise<string>} its path
   */
  const create = async (name, more) => {
    const settings = {
      name,
      repository: 'octo/shop',
      workflow: 'hook',
      trigger: 'webhook',
      ...more,
    }
    return JSON.parse(await post('/-admin/endpoints', JSON.stringify(settings))).url
  }
  const endpoint = await create('kept')
  const batching = await create('batching', { batch: 5 })
  const dropped = await create('dropped')
  await post(endpoint, '"first"')
  for (const n of [1, 2]) await post(batching, `"batched ${n}"`)
  status = 503
  await post(dropped, '"dead"')
  for (const n of [1, 2]) await post(endpoint, `"waiting ${n}"`)
  await fetch(`${url}/-admin/endpoints/octo/dropped`, { method: 'DELETE', headers })
  relay.kill('SIGTERM')
  await once(relay, 'exit')
  github.close()
  await cp(join(data, 'relay.db'), join(folder, 'relay.db'))
  const key = (await readFile(join(data, 'relay.key'), 'utf8')).trim()
  const settings = { HOOKLINE_RELAY_KEY: key, endpoint }
  await writeFile(join(folder, 'relay.json'), `${JSON.stringify(settings, null, 2)}\n`)
}

/**
 * A state file in which the event with the body "kept" is done.
 *
 * @param {string} workspace
 */
async function keepState(workspace) {
  await mkdir(workspace, { recursive: true })
  const event = join(workspace, 'event.json')
  const client_payload = { path: 'hook/webhook', method: 'POST', headers: {}, body: '"kept"' }
  await writeFile(event, JSON.stringify({ action: 'webhook', client_payload }))
  for (const file of ['output', 'state', 'summary']) await writeFile(join(workspace, file), '')
  const env = {
    PATH: process.env.PATH,
    GITHUB_EVENT_NAME: 'repository_dispatch',
    GITHUB_EVENT_PATH: event,
    GITHUB_WORKSPACE: workspace,
    GITHUB_REPOSITORY: 'octo/repo',
    GITHUB_WORKFLOW: 'hook',
    GITHUB_WORKFLOW_REF: 'octo/shop/.github/workflows/hook.yml@refs/heads/main',
    GITHUB_RUN_ID: '77',
    GITHUB_OUTPUT: join(workspace, 'output'),
    GITHUB_STATE: join(workspace, 'state'),
    GITHUB_STEP_SUMMARY: join(workspace, 'summary'),
    INPUT_ON: 'webhook: { config: { shouldDeduplicate: true } }',
    INPUT_STATE: 'file:state.json',
  }
  run('dist/action/index.js', env)
  const saved = await readFile(join(workspace, 'state'), 'utf8')
  const [, effects = ''] = /^effects<<\S+\n([\s\S]*?)\n\S+$/m.exec(saved) ?? []
  run('dist/action/post.js', { ...env, STATE_effects: effects })
  await cp(join(workspace, 'state.json'), join(folder, 'state.json'), { recursive: true })
}

/**
 * @param {string} file
 * @param {NodeJS.ProcessEnv} env
 */
function run(file, env) {
  const { status, stdout } = spawnSync(process.execPath, [join(ROOT, file)], {
    env,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stdout)
}

/**
 * A source and its compiled file.
 *
 * @param {string} repository
 */
async function keepCompiled(repository) {
  await mkdir(join(repository, 'workflows'), { recursive: true })
  await writeFile(join(repository, 'workflows/hook.yml'), SOURCE)
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'build'], {
    cwd: repository,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  await cp(repository, join(folder, 'compiled'), { recursive: true })
}
