import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findNode24 } from '../node24.js'
import { CLI } from './cli.js'
import { Program, words } from './program.js'

/** The recorded outputs, by the example. */
export const OUTPUTS_FILE = 'scripts/docs/outputs.json'

/** @typedef {Record<string, string>} Texts */

const DELIVERY = '72d3162e-cc78-11e3-81ab-4c9367dc0958'
const RELAY = 'https://relay.example.com'

const WORKFLOW = `name: hook
run-name: hook \${{ github.event.client_payload.headers['x-hookline-delivery'] }}
on:
  repository_dispatch:
    types: [webhook]
permissions:
  contents: read
jobs:
  hook:
    if: startsWith(github.event.client_payload.path, 'hook/webhook')
    runs-on: ubuntu-latest
    steps:
      - uses: hookline/hookline@v1
        id: hookline
        with:
          on: webhook
      - if: steps.hookline.outputs.triggered == 'true'
        env:
          BODY: \${{ steps.hookline.outputs.body }}
        run: echo "$BODY"
`

/** A source of the compiler with a misspelled key. */
const SOURCE = `on:
  webhook:
    method: psot
jobs:
  hook:
    runs-on: ubuntu-latest
    steps:
      - run: echo hello
`

/** Lines of an output that a reader needs; the rest is left out. */
const MOST_LINES = 30

/**
 * Runs the example of each command in a temporary folder, against a stand-in for GitHub and a relay of its
 * own, and returns what it prints. Parts that differ between two runs are `…`.
 *
 * @returns {Promise<Texts | undefined>} `undefined` without a Node that has SQLite
 */
export async function recordOutputs() {
  const node = findNode24()
  if (!node) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'hookline-outputs-'))
  const github = await startGitHub()
  const recorder = new Recorder(node, folder, github.url)
  try {
    await recordFiles(recorder)
    await recordDev(recorder)
    await recordRelay(recorder, github)
    await recordGitHub(recorder)
    return recorder.outputs
  } finally {
    await recorder.stop()
    github.server.closeAllConnections()
    github.server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs examples in a clone of octo/shop. */
class Recorder {
  /** @type {Texts} */
  outputs = {}
  /** Addresses of this machine, and what the examples have in their place. @type {[string, string][]} */
  addresses
  #node
  #env
  /** @type {Program[]} */
  #programs = []

  /** @param {string} node @param {string} folder @param {string} apiUrl */
  constructor(node, folder, apiUrl) {
    this.#node = node
    this.folder = folder
    this.clone = join(folder, 'shop')
    this.addresses = [[folder, '/home/ada']]
    const HOME = join(folder, 'home')
    this.#env = { PATH: process.env.PATH ?? '', HOME, NO_COLOR: '1', HOOKLINE_API_URL: apiUrl }
  }

  /** @param {string} example @param {Texts} [env] */
  start(example, env) {
    const all = words(real(example, this.addresses))
    const args = [CLI, ...all.slice(all.indexOf('hookline') + 1)]
    const options = { cwd: this.clone, env: { ...this.#env, ...env } }
    const program = new Program(this.#node, args, options)
    this.#programs.push(program)
    return program
  }

  /** Runs an example to its end. @param {string} example @param {Texts} [env] */
  async run(example, env) {
    const program = this.start(example, env)
    await program.end()
    return this.note(example, program)
  }

  /** @param {string} example @param {Program} program */
  note(example, { printed }) {
    this.outputs[example] = normalized(printed, this.addresses)
    return printed.trim()
  }

  /** Runs git in the clone. @param {string[]} args */
  git(...args) {
    const env = { ...this.#env, GIT_CONFIG_NOSYSTEM: '1' }
    execFileSync('git', args, { cwd: this.clone, env, stdio: ['ignore', 'ignore', 'pipe'] })
  }

  async stop() {
    await Promise.all(this.#programs.map((program) => program.stop()))
  }
}

/** A clone of octo/shop whose pushes go to a repository of this machine. @param {Recorder} recorder */
async function makeClone(recorder) {
  const published = join(recorder.folder, 'published.git')
  await mkdir(recorder.clone)
  recorder.git('init', '--quiet', '--initial-branch=main')
  recorder.git('init', '--quiet', '--bare', '--initial-branch=main', published)
  recorder.git('remote', 'add', 'origin', 'https://github.com/octo/shop.git')
  recorder.git(
    'config',
    `url.file://${published}.pushInsteadOf`,
    'https://github.com/octo/shop.git',
  )
  recorder.git('config', 'user.name', 'Ada')
  recorder.git('config', 'user.email', 'ada@example.com')
}

const TOKEN = 'github_pat_'.padEnd(51, 'a')

/** The commands that read and write files. @param {Recorder} recorder */
async function recordFiles(recorder) {
  const { clone } = recorder
  await makeClone(recorder)
  await recorder.run('hookline init --sender stripe')
  await rm(join(clone, '.github'), { recursive: true })
  await write(clone, '.github/workflows/hook.yml', WORKFLOW)
  await recorder.run('hookline check')
  await write(clone, 'workflows/order.yml', SOURCE)
  await recorder.run('hookline check workflows/order.yml')
  await write(clone, 'workflows/order.yml', SOURCE.replace('psot', 'post'))
  await recorder.run('hookline build')
  await rm(join(clone, 'workflows'), { recursive: true })
  await rm(join(clone, '.github/workflows/order.yml'))
  await recorder.run('hookline send --list')
}

/** @param {Recorder} recorder */
async function recordDev(recorder) {
  const example = 'hookline dev --port 4000'
  const dev = recorder.start(example)
  const [, address = ''] = await dev.saw(/http:\/\/(localhost:\d+)\/webhook[\s\S]*Inspector/)
  recorder.addresses.push([address, 'localhost:3000'])
  await recorder.run(`hookline send localhost:3000/webhook/hook/webhook --data '{"hello":"world"}'`)
  await dev.stop()
  recorder.note(example, dev)
  recorder.outputs[example] = recorder.outputs[example]?.replaceAll(':3000', ':4000') ?? ''
}

/** The commands for a relay. @param {Recorder} recorder @param {GitHub} github */
async function recordRelay(recorder, github) {
  const data = join(recorder.folder, 'data')
  recorder.addresses.push([data, '/var/lib/hookline'])
  const own = { HOOKLINE_DATA: data, HOOKLINE_GITHUB_TOKEN: TOKEN }
  const example = 'hookline relay'
  const env = { ...own, HOOKLINE_PUBLIC_URL: RELAY, HOST: '127.0.0.1', PORT: '0' }
  const relay = recorder.start(example, env)
  const [, address = ''] = await relay.saw(/listening on (http:\S+)[\s\S]*next:/)
  recorder.note(example, relay)
  const url = await recorder.run(
    'hookline endpoint create orders --repository octo/shop --workflow hook',
    own,
  )
  await recorder.run('hookline endpoint list', own)
  await recorder.run('hookline endpoint show orders', own)
  await recorder.run('hookline endpoint update orders --if "body.livemode"', own)
  // Only this machine has the address of the example.
  const lines = url.split('\n')
  const here = (lines.find((line) => line.startsWith(RELAY)) ?? '').replace(RELAY, address)
  await recordDeliveries(recorder, github, { url: here, own })
  await recorder.run('hookline relay key --read', own)
  await recorder.run('hookline relay backup copy.db', own)
  await recorder.run('hookline relay rotate-key', own)
  await recorder.run('hookline endpoint rotate orders', own)
  await recorder.run('hookline endpoint delete orders', own)
}

/**
 * An event waits because of a rate limit, and becomes a dead letter because GitHub refuses it.
 *
 * @param {Recorder} recorder
 * @param {GitHub} github
 * @param {{ url: string, own: Texts }} endpoint
 */
async function recordDeliveries(recorder, github, { url, own }) {
  github.mode = 'limited'
  const sent = recorder.start(`hookline send ${url} --data '{"livemode":true}'`)
  const [, delivery = ''] = await sent.saw(/delivery (\S+)/)
  recorder.addresses.push([delivery, DELIVERY])
  await recorder.run('hookline deliveries list', own)
  await recorder.run(`hookline deliveries show ${DELIVERY}`, own)
  github.mode = 'refusing'
  const watching = recorder.start('hookline deliveries list --watch', own)
  await watching.saw(/ dead/)
  await watching.stop()
  github.mode = 'working'
  await recorder.run(`hookline deliveries replay ${DELIVERY}`, own)
  await recorder.run('hookline deliveries delete --reason too_old --yes', own)
}

/** The commands that ask GitHub. @param {Recorder} recorder */
async function recordGitHub(recorder) {
  await recorder.run('hookline doctor --workflow hook', { HOOKLINE_GITHUB_TOKEN: TOKEN })
  recorder.git('add', '.github')
  recorder.git('commit', '--quiet', '--message', 'Start hook by webhooks')
  recorder.git('push', '--quiet', '--set-upstream', 'origin', 'HEAD')
  const connect = 'hookline connect --public-url https://hooks.example.com --port 8080'
  const connecting = recorder.start(connect, { HOOKLINE_GITHUB_TOKEN: TOKEN })
  await connecting.saw(/Waiting for requests\..*\n/)
  recorder.note(connect, connecting)
  const create = `hookline app create --relay ${RELAY} --out relay.env`
  const creating = recorder.start(create)
  await creating.saw(/http:\/\/127\.0\.0\.1:\d+\/\n/)
  recorder.note(create, creating)
}

/** The example with the addresses of this machine. @param {string} example @param {readonly [string, string][]} addresses */
function real(example, addresses) {
  return addresses
    .reduce((text, [here, there]) => (here ? text.replaceAll(there, here) : text), example)
    .replace(/--port \d+/, '--port 0')
}

/**
 * The output as on a reader's machine, with `…` for everything that differs between two runs.
 *
 * @param {string} text
 * @param {readonly [string, string][]} [addresses]
 */
export function normalized(text, addresses = []) {
  const there = addresses.reduce(
    (rest, [here, example]) => (here ? rest.replaceAll(here, example) : rest),
    text,
  )
  const plain = there
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, DELIVERY)
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-20T10:00:00.000Z')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:3000')
    .replaceAll(/"(x|y|d|k|kid)":"[\w-]+"/g, '"$1":"…"')
    .replaceAll(/\beyJ[\w-]+(?:\.[\w-]*)+/g, 'eyJ…')
    .replaceAll(/\b(hookline_(?:admin|read)_)[\w-]+/g, '$1…')
    .replaceAll(/(?<=\/-\/[\w-]+\/|key=)[\w-]{20,}/g, '…')
    // A machine of tests may be a container.
    .replaceAll(/^warning: .* is not on a mounted volume.*\n {2}= .*\n?/gm, '')
    .replaceAll(/\b\d+ (ms|bytes)\b/g, '… $1')
    .replaceAll(/^(bytes +)\d+/gm, '$1…')
    .replaceAll(/\bin \d+ s\b/g, 'in 10 s')
    .replaceAll(/(?<=^| )\d+ s(?= ago)/gm, '0 s')
    .replaceAll(/(?<= )\d+ s +(?= )/g, (age) => '0 s'.padEnd(age.length))
    // The width of a column depends on the digits of a time.
    .replace(/^RECEIVED[\s\S]*/m, (table) => table.replaceAll(/ {2,}/g, '  '))
    .trimEnd()
  const lines = plain.split('\n')
  return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), '…'].join('\n') : plain
}

/** @param {string} folder @param {string} file @param {string} text */
async function write(folder, file, text) {
  await mkdir(dirname(join(folder, file)), { recursive: true })
  await writeFile(join(folder, file), text)
}

/** @typedef {{ server: import('node:http').Server, url: string, mode: 'working' | 'limited' | 'refusing' }} GitHub */

/** GitHub's API, as far as the examples call it. @returns {Promise<GitHub>} */
async function startGitHub() {
  const server = createServer(async (request, response) => {
    request.resume()
    await once(request, 'end')
    const { method, url = '' } = request
    const [path = ''] = url.split('?')
    const found = Object.entries(ANSWERS).find(([route]) => `${method} ${path}`.endsWith(route))
    const { status, headers, body } =
      MODES[github.mode] ?? answer(found?.[1], request.headers.accept)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })
  /** @type {GitHub} */
  const github = { server, url: '', mode: 'working' }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  github.url = `http://127.0.0.1:${port}`
  return github
}

/** Answers to every request. @type {Partial<Record<GitHub['mode'], Answer>>} */
const MODES = {
  limited: { status: 429, headers: { 'retry-after': '10' }, body: '{"message":"rate limit"}' },
  refusing: { status: 422, headers: {}, body: '{"message":"client_payload is too large."}' },
}

/** @typedef {{ status: number, headers: Texts, body: string }} Answer */

/** @param {unknown} found @param {string} [accept] @returns {Answer} */
function answer(found, accept = '') {
  if (found === undefined) return { status: 404, headers: {}, body: '{"message":"Not Found"}' }
  if (found === NO_BODY) return { status: 204, headers: {}, body: '' }
  const isFile = accept.includes('raw') && found === FILE
  return { status: 200, headers: {}, body: isFile ? WORKFLOW : JSON.stringify(found) }
}

const NO_BODY = Symbol('no body')

const RUN = {
  id: 1,
  name: `hook ${DELIVERY}`,
  display_title: `hook ${DELIVERY}`,
  path: '.github/workflows/hook.yml',
  event: 'repository_dispatch',
  status: 'completed',
  conclusion: 'success',
  html_url: 'https://github.com/octo/shop/actions/runs/1',
  created_at: '2026-11-20T10:00:00Z',
  run_started_at: '2026-11-20T10:00:01Z',
  updated_at: '2026-11-20T10:00:31Z',
}

const OF_FILE = { name: 'hook.yml', path: '.github/workflows/hook.yml', type: 'file' }
const FILE = { ...OF_FILE, encoding: 'base64', content: Buffer.from(WORKFLOW).toString('base64') }

/** The answers by the end of the request line. @type {Record<string, unknown>} */
const ANSWERS = {
  'POST /repos/octo/shop/dispatches': NO_BODY,
  'GET /repos/octo/shop': {
    full_name: 'octo/shop',
    default_branch: 'main',
    permissions: { push: true },
  },
  'GET /repos/octo/shop/actions/runs': { total_count: 1, workflow_runs: [RUN] },
  'GET /repos/octo/shop/hooks': [{ id: 7 }],
  'GET /repos/octo/shop/hooks/7/deliveries': [
    {
      id: 12345,
      guid: DELIVERY,
      event: 'push',
      get delivered_at() {
        return new Date(Date.now() - 3_600_000).toISOString()
      },
      status_code: 502,
    },
  ],
  'GET /repos/octo/shop/contents/.github/workflows': [OF_FILE],
  'GET /repos/octo/shop/contents/.github/workflows/hook.yml': FILE,
  'GET /repos/octo/shop/actions/workflows/hook.yml': { id: 1, state: 'active', ...OF_FILE },
}

/** The recorded outputs. @returns {Promise<Texts>} */
export async function recordedOutputs() {
  return JSON.parse(await readFile(new URL('outputs.json', import.meta.url), 'utf8'))
}
