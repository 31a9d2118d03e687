import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compiled } from './relay/compiled.js'

/** @typedef {import('./report.js').Row} Row */
/** @typedef {Map<string, string>} Files */

const ID = { workflow: 'hook', trigger: 'webhook' }

/** The number of keys of a trigger after a long time. */
const FULL = 5_000

/** The committer of commits by a workflow's own token; GitHub's signature is left out. */
const COMMITTER = 'github-actions[bot] <41898282+github-actions[bot]@users.noreply.github.com>'

/**
 * The bytes that an event adds to the history of a repository with a store on a branch: in git,
 * after `git gc`, on a branch that is full already. An event is one claim and one commit.
 *
 * @param {number} events
 * @returns {Promise<Row[]>}
 */
export async function measureHistory(events) {
  const { start, commits } = await writeEvents(events)
  const [before, after] = [await packed([start]), await packed([start, ...commits])]
  const bytes = Math.round((after - before) / events)
  return [
    {
      what: 'history of a branch store with 5,000 keys, an event',
      measured: bytes / 1024,
      unit: 'KB',
      atMost: 1,
      detail: `${events} events, ${commits.length} commits: pack and index after git gc`,
    },
  ]
}

/** @param {number} events */
async function writeEvents(events) {
  /** @type {import('../src/state/branch.ts')} */
  const { openBranch } = await compiled('state/branch.js')
  /** @type {import('../src/state/store.ts')} */
  const { createStore } = await compiled('state/store.js')
  /** @type {Files} */
  let files = new Map()
  /** @type {Files[]} */
  const commits = []
  let now = Date.UTC(2026, 0, 1)
  const head = () => (commits.length === 0 ? undefined : String(commits.length))
  const keep = (/** @type {readonly (readonly [string, string])[]} */ added) => {
    files = new Map([...files, ...added])
    commits.push(files)
  }
  /** A stand-in for the GitHub API. @type {import('../src/wire/github-api.ts').GitHubCall} */
  const call = async ({ path, body = '{}' }) => {
    /** @type {any} */
    const { tree, query = '', variables } = JSON.parse(body)
    const answer = (/** @type {unknown} */ data, status = 200) => {
      return { status, header: () => undefined, text: JSON.stringify(data) }
    }
    if (path.endsWith('/git/trees')) {
      keep(tree.map((/** @type {any} */ { path, content }) => [path, content]))
    }
    if (path.includes('/git/')) return answer({ sha: head() }, 201)
    if (query.startsWith('mutation')) {
      const { additions } = variables.input.fileChanges
      keep(additions.map((/** @type {any} */ one) => [one.path, atob(one.contents)]))
      return answer({ data: { createCommitOnBranch: { commit: { oid: head() } } } })
    }
    const entries = [...files].map(([path, text]) => {
      return { name: path.split('/')[1], object: { text } }
    })
    const names = [...files.keys()].map((path) => ({ name: path.split('/')[0] }))
    const file = { object: { entries } }
    const target = { oid: head(), tree: { entries: names }, f0: file }
    return answer({ data: { repository: { ref: head() === undefined ? null : { target } } } })
  }
  const github = { apiUrl: new URL('https://api.github.com'), call }
  const known = { read: async () => undefined, write: async () => {} }
  /** @type {any} */
  const place = { github, known, now: () => now, random: Math.random, sleep: async () => {} }
  const store = createStore(openBranch('state', { ...place, repository: 'octo/repo' }))
  const key = () => ({
    key: randomBytes(32).toString('base64').replace('=', ''),
    delivery: randomBytes(16).toString('base64').slice(0, 22),
  })
  const lease = 3_600_000
  const old = Array.from({ length: FULL }, key)
  for (let at = 0; at < FULL; at += 500) {
    now += 60_000
    const run = { id: String(20_000_000_000 + at * 97), at: now }
    await store.claim([{ ...ID, keys: old.slice(at, at + 500), lease }], run)
    await store.commit([ID], run.id)
  }
  const start = files
  commits.length = 1
  for (let event = 0; event < events; event++) {
    now += 61_337
    const run = { id: String(21_000_000_000 + event * 1_013), at: now }
    await store.claim([{ ...ID, keys: [key()], lease }], run)
    await store.commit([ID], run.id)
  }
  return { start, commits: commits.slice(1) }
}

/**
 * The bytes of git's pack of these commits, and of its index.
 *
 * @param {readonly Files[]} commits
 */
async function packed(commits) {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-history-'))
  const git = (/** @type {string[]} */ args, input = '') =>
    execFileSync('git', args, {
      cwd: folder,
      input,
      maxBuffer: 1e9,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
  try {
    git(['init', '-q', '--bare'])
    // Imports loose objects, because `gc` compresses only those again.
    const single = ['-c', 'fastimport.unpackLimit=1000000']
    git([...single, 'fast-import', '--quiet', '--force'], fastImport(commits))
    git(['gc', '-q', '--prune=now'])
    const packs = join(folder, 'objects/pack')
    const names = (await readdir(packs)).filter((name) => /\.(pack|idx)$/.test(name))
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(packs, name))).size))
    return sizes.reduce((sum, size) => sum + size, 0)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** @param {readonly Files[]} commits */
function fastImport(commits) {
  const data = (/** @type {string} */ text) => `data ${Buffer.byteLength(text)}\n${text}\n`
  /** @type {Files} */
  let last = new Map()
  let stream = ''
  for (const [at, files] of commits.entries()) {
    const when = `${COMMITTER} ${1_767_225_600 + at * 30} +0000`
    stream += `commit refs/heads/state\nauthor ${when}\ncommitter ${when}\n${data('state')}`
    for (const [path, text] of files) {
      if (last.get(path) !== text) stream += `M 100644 inline ${path}\n${data(text)}`
    }
    last = files
  }
  return `${stream}done\n`
}
