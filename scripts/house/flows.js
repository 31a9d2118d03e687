// node scripts/house/flows.js <flow>   runs one of FLOWS, and prints the functions that it called as JSON
import { once } from 'node:events'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Session } from 'node:inspector/promises'
import nodeModule from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const built = new URL('../../build/', import.meta.url)

/**
 * A compiled module; its address is computed, so that the type check does not follow it into build/.
 *
 * @param {string} name
 * @returns {Promise<any>}
 */
const load = (name) => import(new URL(name, built).href)

const WORKFLOW = `name: hook
on:
  webhook:
    method: post
    path: /user/:id
jobs:
  show:
    runs-on: ubuntu-latest
    steps:
      - env:
          BODY: \${{ on.webhook.outputs.body }}
        run: echo "$BODY"
`

const DISPATCHED = {
  action: 'webhook',
  client_payload: {
    path: 'hook/webhook/user/7?x=1',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"title":"Hello"}',
  },
}

const UPDATE = {
  update_id: 7,
  message: { message_id: 1, date: 1, chat: { id: 1, type: 'private' }, text: 'Hello' },
}

/**
 * The flows that a reader may follow through the code. Each loads everything, and then returns the one call that is
 * traced.
 *
 * @type {Record<string, (folder: string) => Promise<() => Promise<unknown>>>}
 */
export const FLOWS = {
  async relay() {
    const { startRelay } = await load('relay/node/start.js')
    const env = { HOOKLINE_API_URL: await serve(204, '') }
    const relay = await startRelay({ host: '127.0.0.1', port: 0, env, write: () => {} })
    const url = `${relay.url}/octo/repo/hook/webhook/user/7?x=1&__token=${'t'.repeat(40)}`
    const headers = { 'content-type': 'application/json' }
    return () => fetch(url, { method: 'POST', headers, body: '{"title":"Hello"}' })
  },

  async action(folder) {
    const env = { INPUT_ON: 'webhook: {method: post, path: "/user/:id"}' }
    return action(folder, 'repository_dispatch', DISPATCHED, env)
  },

  async poll(folder) {
    const updates = { ok: true, result: [UPDATE] }
    const env = {
      INPUT_ON: 'messaging_bot: {token: "1:a"}',
      'INPUT_TELEGRAM-API-URL': await serve(200, JSON.stringify(updates)),
    }
    return action(folder, 'schedule', { schedule: '* * * * *' }, env)
  },

  async build(folder) {
    mkdirSync(join(folder, 'workflows'))
    writeFileSync(join(folder, 'workflows/hook.yml'), WORKFLOW)
    const { buildCommand } = await load('cli/build.js')
    process.chdir(folder)
    return () => buildCommand().parseAsync([], { from: 'user' })
  },
}

/**
 * The action with the environment and files of a runner.
 *
 * @param {string} folder
 * @param {string} event
 * @param {unknown} payload
 * @param {Record<string, string>} env
 */
async function action(folder, event, payload, env) {
  const files = ['GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY', 'GITHUB_EVENT_PATH']
  for (const name of files) {
    process.env[name] = join(folder, name)
    appendFileSync(join(folder, name), name === 'GITHUB_EVENT_PATH' ? JSON.stringify(payload) : '')
  }
  Object.assign(process.env, env, {
    GITHUB_EVENT_NAME: event,
    GITHUB_REPOSITORY: 'octo/repo',
    GITHUB_RUN_ID: '1',
    GITHUB_WORKSPACE: folder,
    GITHUB_WORKFLOW_REF: 'octo/repo/.github/workflows/hook.yml@refs/heads/main',
  })
  const { main } = await load('action/main.js')
  return main
}

/**
 * @param {number} status
 * @param {string} body
 */
async function serve(status, body) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end(body))
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

/**
 * The functions in each of our files that a flow calls, by file, with those that it does not call.
 *
 * @param {() => Promise<unknown>} run
 * @returns {Promise<Record<string, { name: string, start: number, end: number, isCalled: boolean }[]>>}
 */
async function called(run) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage') // calls before this line do not count
  await run()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ours = result.filter(
    ({ url }) => url.startsWith(built.href) && !url.includes('/node_modules/'),
  )
  const files = ours.map(({ url, functions }) => {
    const all = functions.flatMap(({ functionName: name, ranges: [range] }) =>
      range
        ? [{ name, start: range.startOffset, end: range.endOffset, isCalled: range.count > 0 }]
        : [],
    )
    return /** @type {const} */ ([url.slice(built.href.length), all])
  })
  return Object.fromEntries(files.filter(([, all]) => all.some(({ isCalled }) => isCalled)))
}

/**
 * @typedef {(url: string, context: object) => unknown} Load
 * @typedef {{ registerHooks?: (hooks: { load(url: string, context: object, next: Load): unknown }) => void }} Hooks
 */

/** Adds the import attribute that Node requires for JSON, because some packages rely on a bundler. */
function allowJson() {
  const { registerHooks } = /** @type {Hooks} */ (nodeModule) // newer than the types of Node here
  registerHooks?.({
    load: (url, context, next) =>
      next(
        url,
        url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context,
      ),
  })
}

async function main() {
  const flow = FLOWS[process.argv[2] ?? '']
  if (!flow) throw new Error(`name one of: ${Object.keys(FLOWS).join(', ')}`)
  allowJson()
  const folder = mkdtempSync(join(tmpdir(), 'hookline-flow-'))
  try {
    const functions = await called(await flow(folder))
    writeFileSync(3, JSON.stringify(functions))
  } finally {
    rmSync(folder, { recursive: true })
  }
  process.exit()
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
