// Writes the files that this version leaves on a user's disk to __tests__/fixtures/versions/<version>/, so
// that a test holds that later versions read them: the database of an outbox, a state file, and a
// compiled workflow. Run it once for each release, with dist/ of the release:
//     npm run fixtures
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { findNode24 } from './node24.js'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const CLI = join(ROOT, 'dist/cli/index.js')
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
await keepOutbox(node24, join(work, 'outbox.db'))
await keepState(join(work, 'state'))
await keepCompiled(join(work, 'compiled'))
await rm(work, { recursive: true })
console.log(`wrote __tests__/fixtures/versions/${version}`)

/**
 * An outbox with two waiting events, a dead letter, an open batch with two events, and an endpoint.
 *
 * @param {string} node
 * @param {string} file
 */
async function keepOutbox(node, file) {
  let status = 204
  const github = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(status).end('{}'))
  })
  github.listen(0, '127.0.0.1')
  await once(github, 'listening')
  const address = github.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const keys = randomBytes(32).toString('base64')
  const admin = randomBytes(32).toString('base64url')
  const relay = spawn(node, [CLI, 'relay', '--port', '0', '--outbox', file], {
    env: {
      PATH: process.env.PATH,
      HOOKLINE_API_URL: `http://127.0.0.1:${port}`,
      HOOKLINE_GITHUB_TOKEN: TOKEN,
      HOOKLINE_ADMIN_KEY: admin,
      HOOKLINE_SEALING_KEYS: keys,
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
  /**
   * @param {string} path
   * @param {string} body
   */
  const post = async (path, body) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${admin}` }
    const answer = await fetch(url + path, { method: 'POST', headers, body })
    return answer.text()
  }
  const hook = { repository: 'octo/shop', path: 'hook/webhook' }
  /** @param {object} settings */
  const endpointWith = async (settings) =>
    JSON.parse(await post('/-/endpoints', JSON.stringify({ ...hook, ...settings }))).address
  const path = await endpointWith({ name: 'kept' })
  await post(path, '"first"')
  const batching = await endpointWith({ name: 'batching', batch: 5 })
  await post(batching, '"batched 1"')
  await post(batching, '"batched 2"')
  status = 503
  await post(await endpointWith({ name: 'dropped' }), '"dead"')
  await post(path, '"waiting 1"')
  await post(path, '"waiting 2"')
  await fetch(`${url}/-/endpoints/dropped?drop-events=true`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${admin}` },
  })
  relay.kill('SIGTERM')
  await once(relay, 'exit')
  github.close()
  await cp(file, join(folder, 'outbox.db'))
  const settings = { HOOKLINE_SEALING_KEYS: keys, HOOKLINE_ADMIN_KEY: admin, endpoint: path }
  await writeFile(join(folder, 'outbox.json'), `${JSON.stringify(settings, null, 2)}\n`)
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
