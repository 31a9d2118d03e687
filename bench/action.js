import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { bareScript, coreBundle } from './baseline.js'
import { peerVariant } from './peer.js'
import { compared, cpu, interleave, median, memory } from './processes.js'
import { EVENT, layWorkspace, ON_SECTION } from './workspace.js'

/** @typedef {import('./processes.js').Variant} Variant */
/** @typedef {import('./report.js').Row} Row */

const built = (/** @type {string} */ file) =>
  fileURLToPath(new URL(`../dist/${file}`, import.meta.url))
const action = built('action/index.js')

/** All runs have the same id, for which its own items are always new. */
const WITH_CONFIG = `${ON_SECTION}  config:\n    shouldDeduplicate: true\n    limit: 10\n`

/** The shortest script, so that its cost is the start of the engine. */
const WITH_SCRIPT = `${ON_SECTION}  config:\n    filterScript: return true\n`

/** Milliseconds of CPU that a run with a script may take in addition to one without. */
const MOST_FOR_SCRIPT = 60

const TIMES = [
  {
    what: 'action, inline `on` : bundle that only uses @actions/core',
    of: 'inline',
    to: 'core',
    atMost: 0.78,
  },
  { what: 'action, workflow file : the same bundle', of: 'file', to: 'core', atMost: 0.92 },
  { what: 'action, inline `on` : bare node', of: 'inline', to: 'bare', atMost: 2.4 },
  { what: '`post` with nothing to do : bare node', of: 'post', to: 'bare', atMost: 1.1 },
  { what: '`reply`, plain text : bare node', of: 'plain', to: 'bare', atMost: 3.5 },
  { what: '`reply`, Markdown : plain text', of: 'markdown', to: 'plain', atMost: 1.5 },
  { what: '`hookline --version` : bare node', of: 'version', to: 'bare', atMost: 1.6 },
  { what: 'action, 1,000 workflow files : one', of: 'files', to: 'file', atMost: 1.1 },
  { what: 'action, `config` with a state file : without', of: 'config', to: 'inline' },
  {
    what: "action, log through Node's stream : to its descriptor",
    of: 'stream',
    to: 'descriptor',
    atLeast: 1.05,
  },
  { what: 'action, a batch of 256 events : one event', of: 'batch', to: 'inline', atMost: 2 },
  { what: 'Actionsflow, bundled : action', of: 'peer', to: 'file', atLeast: 4.5 },
]
const MEMORIES = [
  { what: 'memory of the action : bare node', of: 'file', to: 'bare', atMost: 1.75 },
  { what: 'memory of the bundle with @actions/core : bare node', of: 'core', to: 'bare' },
]

/**
 * Processor time and memory of the action, compared with other programs.
 *
 * @param {string} folder an empty folder
 * @param {number} rounds
 * @param {boolean} withPeer
 * @returns {Promise<Row[]>}
 */
export async function measureAction(folder, rounds, withPeer) {
  if (!existsSync(action)) throw new Error('dist/action is missing: run "npm run build"')
  const one = await layWorkspace(`${folder}/one`, 1)
  const variants = await makeVariants(folder, one)
  if (withPeer) variants.set('peer', await peerVariant(folder, one))
  const times = interleave(variants, rounds, cpu)
  const memories = interleave(variants, Math.ceil(rounds / 3), memory)
  return [...rows(TIMES, times, 'ms'), scriptRow(times), ...rows(MEMORIES, memories, 'MB')]
}

/**
 * @param {Map<string, number[]>} times
 * @returns {Row}
 */
function scriptRow(times) {
  const [script, without] = [median(times.get('script') ?? []), median(times.get('inline') ?? [])]
  return {
    what: 'action with a `filterScript` − without',
    measured: script - without,
    unit: 'ms',
    atMost: MOST_FOR_SCRIPT,
    detail: `${script.toFixed(1)} − ${without.toFixed(1)} ms`,
  }
}

/**
 * @param {string} folder
 * @param {import('./workspace.js').Workspace} one
 * @returns {Promise<Map<string, Variant>>}
 */
async function makeVariants(folder, one) {
  const many = await layWorkspace(`${folder}/many`, 1000)
  const { env, output } = one
  await writeFile(`${folder}/stream.cjs`, 'process.stdout')
  await writeFile(`${folder}/descriptor.cjs`, 'process.version')
  const withLog = (/** @type {string} */ name) =>
    actionIn(one, { INPUT_ON: ON_SECTION, NODE_OPTIONS: `--require ${folder}/${name}.cjs` })
  return new Map([
    ['bare', { script: await bareScript(folder) }],
    ['core', { script: await coreBundle(folder), env, output, expect: /fired/ }],
    ['inline', actionIn(one, { INPUT_ON: ON_SECTION })],
    ['stream', withLog('stream')],
    ['descriptor', withLog('descriptor')],
    ['batch', await batchIn(`${folder}/batch`)],
    ['config', actionIn(one, { INPUT_ON: WITH_CONFIG, INPUT_STATE: 'file:state.json' })],
    ['script', actionIn(one, { INPUT_ON: WITH_SCRIPT })],
    ['file', actionIn(one)],
    ['files', actionIn(many)],
    ['post', { script: built('action/post.js'), env, expect: /^$/ }],
    ['plain', replyIn(folder, 'plain')],
    ['markdown', replyIn(folder, 'markdown')],
    ['version', { script: built('cli/index.js'), args: ['--version'], expect: /^\d+\.\d+\.\d+$/m }],
  ])
}

/**
 * The same section with the largest possible batch of events.
 *
 * @param {string} folder
 * @returns {Promise<Variant>}
 */
async function batchIn(folder) {
  const workspace = await layWorkspace(folder, 1)
  const { client_payload } = EVENT
  const body = JSON.stringify({ title: 'Hello', list: [1, 2, 3], text: 'x'.repeat(600) })
  const events = Array.from({ length: 256 }, (_, at) => ({
    ...client_payload,
    path: `hook/webhook/user/${at}`,
    body,
  }))
  const packed = gzipSync(JSON.stringify(events)).toString('base64')
  const headers = { 'x-hookline-batch': '256', 'x-hookline-body-encoding': 'gzip' }
  const batch = { ...EVENT, client_payload: { ...client_payload, headers, body: packed } }
  await writeFile(`${folder}/event.json`, JSON.stringify(batch))
  return actionIn(workspace, { INPUT_ON: `${ON_SECTION}  config:\n    batch: true\n` })
}

/**
 * @param {import('./workspace.js').Workspace} workspace
 * @param {Record<string, string>} [inputs]
 * @returns {Variant}
 */
function actionIn({ folder, env, output }, inputs = {}) {
  const expect = /^triggered<<(\S+)\ntrue\n\1$/m
  return { script: action, cwd: folder, env: { ...env, ...inputs }, output, expect }
}

/**
 * A reply up to the call of the chat, which nothing receives.
 *
 * @param {string} folder
 * @param {string} format
 * @returns {Variant}
 */
function replyIn(folder, format) {
  const outputs = { message_id: 5, chat: { id: 1, type: 'private' } }
  const to = { messaging_bot: { outcome: 'success', outputs } }
  const env = {
    INPUT_TO: JSON.stringify(to),
    INPUT_TEXT: '**Done**, see `a.ts`:\n\n- one\n- [two](https://example.com)',
    INPUT_FORMAT: format,
    INPUT_TOKEN: `1:${'a'.repeat(35)}`,
    'INPUT_TELEGRAM-API-URL': 'http://127.0.0.1:9',
  }
  const script = built('reply/index.js')
  return { script, cwd: folder, env, expect: /the reply was not sent%0Athe bot API failed/ }
}

/**
 * @param {readonly { what: string, of: string, to: string, atMost?: number, atLeast?: number }[]} pairs
 * @param {Map<string, number[]>} figures
 * @param {string} unit
 * @returns {Row[]}
 */
function rows(pairs, figures, unit) {
  return pairs.flatMap(({ of, to, ...row }) => {
    const [measured, base] = [figures.get(of), figures.get(to)]
    if (!measured || !base) return []
    const detail = `${median(measured).toFixed(1)} : ${median(base).toFixed(1)} ${unit}`
    return [{ ...row, ...compared(measured, base), detail }]
  })
}
