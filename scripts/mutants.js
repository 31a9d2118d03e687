// npm run test:mutants [-- --places 60] [--seed 7] [--since main] [--suites <regular expression>] [src/relay …]
//
// Alters random places of `src/`, one at a time, runs the suites that reach each place, and prints the
// alterations that no suite notices.
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, open, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import fc from 'fast-check'

/** @typedef {import('@stryker-mutator/api/core').Mutant} Mutant */
/** @typedef {import('@stryker-mutator/api/core').MutationRange} Range */
/** @typedef {{ key: string, seconds: number, reached: string[] }} Reach of a suite: the ids of the mutants that it reaches */
/** @typedef {'noticed' | 'hung' | 'SURVIVED'} Fate */
/** @typedef {{ fate: Fate, by: string }} Outcome of suites, with the first one that failed */
/** @typedef {Outcome & { mutant: Mutant, ran: number, suites: number }} Verdict */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = join(ROOT, '.cache/mutants')

/** The share of altered places that a suite must notice. */
const LEAST = 0.9

/** Seconds of suites for one place, the nearest ones first; some places are reached by most suites. */
const MOST_SECONDS = 240

/** Suites of one run of jest that finds what they reach. Each run's result is kept. */
const AT_ONCE = 12

/** A suite that takes longer hangs. */
const MOST_MINUTES = 10

/** Copies of the repository, in which suites run at the same time. */
const COPIES = ['1', '2'].map((name) => join(FOLDER, name))

/**
 * Code in a browser or in workerd cannot write that it was reached, nor can a thread that starts from the text of
 * its function, so their suites are found by what they import.
 */
const UNSEEN = [
  {
    folder: 'src/relay/node/sqlite-thread.ts',
    suites: /\b(database-relays|real-databases|node\/sqlite)\.ts'/,
  },
  { folder: 'src/inspector/page/', suites: /\bbrowser\.ts'/ },
  { folder: 'src/relay/workers/', suites: /\b(workerd|relays|database-relays)\.ts'/ },
]

/** Suites that end a process at each of its writes; a marked place writes, too. */
const ENDING_AT_WRITES = /\/messaging-bot\/kill-(process|with-store)\.test\.ts$/

/** Milliseconds of one test: with an alteration, many wait for what never comes. */
const TEST_TIME = 60_000

/** Writes the name of the present suite, and appends `<id of a mutant> <suite>` where code is reached. */
const SUITE_SETUP = `
import { writeFileSync } from 'node:fs'
writeFileSync(FILE, expect.getState().testPath)
`
const REACHED = `
function stryMutAct_9fa48() { return false }
var seen_9fa48, suite_9fa48
function stryCov_9fa48(...ids) {
  // Looking up a global takes long in the tests' contexts.
  seen_9fa48 ??= globalThis.reachedMutants ??= new Set()
  for (const id of ids) {
    if (seen_9fa48.has(id)) continue
    seen_9fa48.add(id)
    try {
      const fs = process.getBuiltinModule('node:fs')
      suite_9fa48 ??= fs.readFileSync(FILE, 'utf8')
      fs.appendFileSync(FILE + '.reached', id + ' ' + suite_9fa48 + '\\n')
    } catch {
      // A browser has no files, and those of workerd are others.
    }
  }
}
`

/** Runs suites in the given order, while jest begins with the slowest. */
const IN_ORDER = `
const Sequencer = require('@jest/test-sequencer').default
module.exports = class extends Sequencer {
  sort(tests) {
    const order = ORDER
    return [...tests].sort((a, b) => order.indexOf(a.path) - order.indexOf(b.path))
  }
}
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    places: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    since: { type: 'string' },
    suites: { type: 'string', default: '' },
  },
})

const { mutants, files } = await instrument()
const chosen = choose()
console.log(`${chosen.length} places of src/, --seed ${values.seed}`)
await Promise.all(COPIES.map(copyRepository))
const reach = await findReach()
/** @type {Verdict[]} */
const verdicts = []
const queue = [...chosen]
await Promise.all(
  COPIES.map(async (copy) => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const verdict = await tryOut(mutant, copy)
      verdicts.push(verdict)
      console.log(`${verdict.fate.padEnd(8)}  ${nameOf(mutant)}  ${verdict.by}`.trimEnd())
    }
  }),
)
report()
for (const copy of COPIES) await rm(copy, { recursive: true, force: true })

/** Every place that may be altered, of all lines or of those that differ from a branch, and the files with these places marked. */
async function instrument() {
  const names = git('ls-files', ...(positionals.length > 0 ? positionals : ['src']))
  const { since } = values
  const parts = names
    .filter((name) => /\.tsx?$/.test(name))
    .map(async (name) => {
      const content = await readFile(join(ROOT, name), 'utf8')
      return { name, content, mutate: since === undefined || changedLines(name, since) }
    })
  const logger = /** @type {any} */ (new Proxy({}, { get: () => () => false }))
  return new Instrumenter(logger).instrument(await Promise.all(parts), {
    plugins: null,
    ignorers: [],
    // The words of a message are read by people.
    excludedMutations: ['StringLiteral'],
    noHeader: true,
  })
}

/** A random choice of places. */
function choose() {
  // Excluded ones are in the list, too.
  const all = mutants.filter(({ status }) => status !== 'Ignored')
  const number = Math.min(Number(values.places), all.length)
  const choice = fc.shuffledSubarray(all, { minLength: number, maxLength: number })
  return fc.sample(choice, { seed: Number(values.seed), numRuns: 1 })[0] ?? []
}

/** @param {string} copy folder that becomes a copy of what git has, with the packages of this one */
async function copyRepository(copy) {
  await rm(copy, { recursive: true, force: true })
  for (const name of git('ls-files')) {
    await mkdir(dirname(join(copy, name)), { recursive: true })
    await cp(join(ROOT, name), join(copy, name), { verbatimSymlinks: true })
  }
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  await mkdir(join(copy, '.cache'))
}

/**
 * Runs each suite once with all places marked. The result is in a file, which later runs reuse for
 * each suite that has not changed, as long as the sources have not.
 *
 * @returns {Promise<Map<string, Reach>>} by the path of the suite
 */
async function findReach() {
  const cache = join(FOLDER, 'reach.json')
  const sources = files.map(({ content }) => content).join('')
  /** @type {Record<string, Reach>} */
  const known = JSON.parse(await readFile(cache, 'utf8').catch(() => '{}'))
  const keyOf = async (/** @type {string} */ suite) =>
    createHash('sha256')
      .update(sources + (await readFile(join(ROOT, suite), 'utf8')))
      .digest('hex')
  const suites = git('ls-files', '__tests__').filter(
    (name) =>
      /(?<!\.soak)\.test\.ts$/.test(name) &&
      !ENDING_AT_WRITES.test(name) &&
      new RegExp(values.suites).test(name),
  )
  const keys = new Map(
    await Promise.all(suites.map(async (name) => /** @type {const} */ ([name, await keyOf(name)]))),
  )
  const left = suites.filter((name) => known[name]?.key !== keys.get(name))
  if (left.length > 0) console.log(`${left.length} of ${suites.length} suites show what they reach`)
  await Promise.all(
    COPIES.map(async (copy) => {
      const file = join(copy, '.cache/suite')
      await writeFile(`${file}.js`, SUITE_SETUP.replace('FILE', JSON.stringify(file)))
      while (left.length > 0) {
        const paths = left.splice(0, AT_ONCE)
        await writeFile(`${file}.reached`, '')
        await rm(`${file}.json`, { force: true })
        for (const { name, content } of files) {
          if (unseen(name)) continue
          const marks = REACHED.replaceAll('FILE', JSON.stringify(file))
          await writeFile(join(copy, name), `${content}\n${marks}`)
        }
        const results = [
          '--json',
          '--outputFile',
          `${file}.json`,
          '--setupFilesAfterEnv',
          `${file}.js`,
        ]
        const { fate } = await jest(copy, paths, MOST_MINUTES * paths.length, results)
        if (fate === 'hung') throw new Error(`one of these suites hangs: ${paths.join(' ')}`)
        for (const { name } of files) await cp(join(ROOT, name), join(copy, name))
        const { testResults } = JSON.parse(await readFile(`${file}.json`, 'utf8'))
        // Each process of a suite writes the same lines again.
        const lines = [...new Set((await readFile(`${file}.reached`, 'utf8')).split('\n'))]
        for (const { name, status, startTime, endTime } of testResults) {
          const suite = relative(copy, name)
          const reached = lines.flatMap((line) => {
            const [id = '', by] = line.split(' ')
            return by === name ? [id] : []
          })
          const seconds = (endTime - startTime) / 1000
          // A suite that fails without an alteration tells nothing.
          if (status === 'failed' && !(await passes(copy, suite)))
            console.log(`left out, because it fails: ${suite}`)
          else known[suite] = { key: keys.get(suite) ?? '', seconds, reached }
        }
        await writeFile(cache, JSON.stringify(known))
      }
    }),
  )
  return new Map(suites.flatMap((name) => (known[name] ? [[name, known[name]]] : [])))
}

/** @param {string} name of a file */
function unseen(name) {
  return UNSEEN.find(({ folder }) => name.startsWith(folder))
}

/**
 * The suites that reach a place: first the one of the file, then those of its folder, and among
 * these first the suites that reach least else.
 *
 * @param {Mutant} mutant
 */
async function suitesOf({ id, fileName }) {
  const { suites: importing } = unseen(fileName) ?? {}
  const isConcerned = async (/** @type {string} */ suite) =>
    reach.get(suite)?.reached.includes(id) ||
    importing?.test(await readFile(join(ROOT, suite), 'utf8'))
  const own = fileName.replace(/^src/, '__tests__')
  const distance = (/** @type {string} */ suite) => {
    if (dirname(suite) !== dirname(own)) return 2
    return basename(suite, '.test.ts') === basename(own).replace(/\.tsx?$/, '') ? 0 : 1
  }
  const all = [...reach].map(([suite, { reached, seconds }]) => ({ suite, reached, seconds }))
  const concerned = await Promise.all(all.map(({ suite }) => isConcerned(suite)))
  return all
    .filter((_, index) => concerned[index])
    .sort((a, b) => distance(a.suite) - distance(b.suite) || a.reached.length - b.reached.length)
}

/**
 * Alters one place in a copy, and runs the suites that reach it until one fails.
 *
 * @param {Mutant} mutant
 * @param {string} copy
 * @returns {Promise<Verdict>}
 */
async function tryOut(mutant, copy) {
  const suites = await suitesOf(mutant)
  /** @type {string[]} */
  const paths = []
  let left = MOST_SECONDS
  for (const { suite, seconds } of suites) {
    if (seconds > left) continue
    left -= seconds
    paths.push(suite)
  }
  const { fileName, location, replacement } = mutant
  const text = await readFile(join(ROOT, fileName), 'utf8')
  const altered =
    text.slice(0, offsetOf(text, location.start)) +
    replacement +
    text.slice(offsetOf(text, location.end))
  await writeFile(join(copy, fileName), altered)
  // A loaded machine may need twice the time that the marked sources took.
  const minutes = 1 + (2 * (MOST_SECONDS - left)) / 60
  const order = JSON.stringify(paths.map((path) => join(copy, path)))
  await writeFile(join(copy, '.cache/in-order.cjs'), IN_ORDER.replace('ORDER', order))
  const first = [
    ...['--bail', '--testSequencer', '<rootDir>/.cache/in-order.cjs'],
    ...['--testTimeout', String(TEST_TIME)],
  ]
  /** @type {Outcome} */
  const none = { fate: 'SURVIVED', by: '' }
  const outcome = paths.length > 0 ? await jest(copy, paths, minutes, first) : none
  await writeFile(join(copy, fileName), text)
  // A suite that fails without the alteration, too, has not noticed it.
  const isUnsure = outcome.by !== '' && !(await passes(copy, outcome.by))
  return { mutant, ...(isUnsure ? none : outcome), ran: paths.length, suites: suites.length }
}

/** Prints what survived. A changed line that no suite reaches fails the run by itself. */
function report() {
  const noticed = verdicts.filter(({ fate }) => fate !== 'SURVIVED')
  const [commit = ''] = git('rev-parse', 'HEAD')
  for (const { mutant, fate, ran, suites } of verdicts) {
    if (fate !== 'SURVIVED') continue
    const { fileName, location, replacement } = mutant
    console.log(`\n${nameOf(mutant)}  ${mutant.mutatorName}`)
    console.log(`  becomes ${replacement.replace(/\s+/g, ' ').slice(0, 100)}`)
    console.log(
      suites === 0 ? '  no suite reaches it' : `  ${ran} of ${suites} suites that reach it ran`,
    )
    console.log(
      `  https://github.com/hookline/hookline/blob/${commit}/${fileName}#L${location.start.line + 1}`,
    )
  }
  console.log(`\nnoticed: ${noticed.length} of ${verdicts.length}, --seed ${values.seed}`)
  const isUnreached = values.since !== undefined && verdicts.some(({ suites }) => suites === 0)
  if (isUnreached || noticed.length < LEAST * verdicts.length) process.exitCode = 1
}

/**
 * Runs suites in one process.
 *
 * @param {string} copy
 * @param {readonly string[]} suites
 * @param {number} minutes after which the run hangs
 * @param {readonly string[]} [options]
 * @returns {Promise<Outcome>}
 */
async function jest(copy, suites, minutes, options = []) {
  const start = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--runInBand']
  const args = [...start, '--silent', ...options, '--runTestsByPath', ...suites]
  const output = join(copy, '.cache/output')
  const log = await open(output, 'w')
  const child = spawn(process.execPath, args, { cwd: copy, stdio: ['ignore', 'ignore', log.fd] })
  const timer = setTimeout(() => child.kill('SIGKILL'), minutes * 60_000)
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject).on('exit', resolve)
  })
  clearTimeout(timer)
  await log.close()
  const [, by = ''] = /^FAIL (\S+)/m.exec(await readFile(output, 'utf8')) ?? []
  if (code === null) return { fate: 'hung', by: '' }
  return { fate: code === 0 ? 'SURVIVED' : 'noticed', by }
}

/** @param {string} copy @param {string} suite */
async function passes(copy, suite) {
  return (await jest(copy, [suite], MOST_MINUTES)).fate === 'SURVIVED'
}

/** @param {Mutant} mutant */
function nameOf({ fileName, location: { start } }) {
  return `${fileName}:${start.line + 1}:${start.column + 1}`
}

/** @param {string} text @param {{ line: number, column: number }} position both from 0 */
function offsetOf(text, { line, column }) {
  const before = text.split('\n').slice(0, line)
  return before.reduce((sum, { length }) => sum + length + 1, column)
}

/** @param {string} name @param {string} branch @returns {Range[]} the lines that differ from the start of a branch */
function changedLines(name, branch) {
  const diff = git('diff', '--unified=0', `${branch}...HEAD`, '--', name).join('\n')
  return [...diff.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].map(([, first, length = '1']) => ({
    start: { line: Number(first) - 1, column: 0 },
    end: { line: Number(first) - 1 + Number(length), column: 0 },
  }))
}

/** @param {string[]} args @returns {string[]} lines */
function git(...args) {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean)
}
