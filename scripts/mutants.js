// npm run test:mutants [-- --places 60] [--seed 7] [--since main] [src/relay …]
//
// Alters random places of `src/`, one at a time, runs the suites that reach each place, and prints the
// alterations that no suite notices.
import { execFileSync, spawn } from 'node:child_process'
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Instrumenter } from '@stryker-mutator/instrumenter'
import fc from 'fast-check'

/** @typedef {import('@stryker-mutator/api/core').Mutant} Mutant */
/** @typedef {import('@stryker-mutator/api/core').MutationRange} Range */
/** @typedef {{ file: string, seconds: number }} Suite */
/** @typedef {{ mutant: Mutant, isNoticed: boolean, ran: number, suites: number }} Verdict */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = join(ROOT, '.cache/mutants')

/** The share of altered places that a suite must notice. */
const LEAST = 0.9

/** Seconds of suites for one place, the quickest ones first; some places are reached by most suites. */
const MOST_SECONDS = 240

/** A run that takes longer hangs. */
const MOST_MINUTES = 45

/** Copies of the repository, in which suites run at the same time. */
const COPIES = ['1', '2'].map((name) => join(FOLDER, name))

/** Code in a browser or in workerd cannot write that it was reached, so its suites are found by what they import. */
const UNSEEN = [
  { folder: 'src/inspector/page/', suites: /\bbrowser\.ts'/ },
  { folder: 'src/relay/workers/', suites: /\b(workerd|relays|database-relays)\.ts'/ },
]

/** Writes the name of the present suite, and appends `<id of a mutant> <suite>` where code is reached. */
const SUITE_SETUP = `
import { writeFileSync } from 'node:fs'
writeFileSync(FILE, expect.getState().testPath)
`
const REACHED = `
function stryMutAct_9fa48() { return false }
function stryCov_9fa48(...ids) {
  const fs = globalThis.process?.getBuiltinModule?.('node:fs')
  if (!fs) return
  const suite = fs.readFileSync(FILE, 'utf8')
  const seen = (globalThis.reachedMutants ??= new Set())
  for (const id of ids) {
    const line = id + ' ' + suite + '\\n'
    if (!seen.has(line)) fs.appendFileSync(FILE + '.reached', line)
    seen.add(line)
  }
}
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    places: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    since: { type: 'string' },
  },
})

const chosen = await choose()
console.log(`${chosen.length} places of src/, --seed ${values.seed}`)
await Promise.all(COPIES.map(copyRepository))
const suitesOf = await findReach(chosen)
/** @type {Verdict[]} */
const verdicts = []
const queue = [...chosen]
await Promise.all(
  COPIES.map(async (copy) => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const verdict = await tryOut(mutant, copy)
      verdicts.push(verdict)
      console.log(`${verdict.isNoticed ? 'noticed ' : 'SURVIVED'}  ${nameOf(mutant)}`)
    }
  }),
)
report()
await rm(FOLDER, { recursive: true, force: true })

/** The places to alter: a random choice, of all lines or of those that differ from a branch. */
async function choose() {
  const names = git('ls-files', ...(positionals.length > 0 ? positionals : ['src']))
  const { since } = values
  const { mutants } = await instrument(
    names
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => ({ name, mutate: since === undefined || changedLines(name, since) })),
  )
  // Excluded ones are in the list, too.
  const all = mutants.filter(({ status }) => status !== 'Ignored')
  const number = Math.min(Number(values.places), all.length)
  const choice = fc.shuffledSubarray(all, { minLength: number, maxLength: number })
  return fc.sample(choice, { seed: Number(values.seed), numRuns: 1 })[0] ?? []
}

/** @param {readonly { name: string, mutate: boolean | Range[] }[]} parts files, and what of each is altered */
async function instrument(parts) {
  const files = await Promise.all(
    parts.map(async ({ name, mutate }) => {
      const content = await readFile(join(ROOT, name), 'utf8')
      return { name, content, mutate }
    }),
  )
  const logger = /** @type {any} */ (new Proxy({}, { get: () => () => false }))
  return new Instrumenter(logger).instrument(files, {
    plugins: null,
    ignorers: [],
    // The words of a message are read by people.
    excludedMutations: ['StringLiteral'],
    noHeader: true,
  })
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
 * Runs all suites once with the places marked, a part of them in each copy.
 *
 * @param {readonly Mutant[]} mutants
 * @returns {Promise<(mutant: Mutant) => Promise<Suite[]>>} the suites that reach a place, the quickest first
 */
async function findReach(mutants) {
  const names = [...new Set(mutants.map(({ fileName }) => fileName))]
  const marked = await instrument(
    names.map((name) => ({
      name,
      mutate: mutants.flatMap(({ fileName, location }) => (fileName === name ? [location] : [])),
    })),
  )
  const places = new Map(marked.mutants.map((mutant) => [mutant.id, placeOf(mutant)]))
  /** @type {Suite[]} */
  const suites = []
  /** @type {Map<string, Set<string>>} */
  const reached = new Map()
  await Promise.all(
    COPIES.map(async (copy, index) => {
      const file = join(copy, '.cache/suite')
      await writeFile(`${file}.js`, SUITE_SETUP.replace('FILE', JSON.stringify(file)))
      await writeFile(`${file}.reached`, '')
      for (const { name, content } of marked.files) {
        const marks = REACHED.replaceAll('FILE', JSON.stringify(file))
        await writeFile(join(copy, name), `${content}\n${marks}`)
      }
      const shard = `--shard=${index + 1}/${COPIES.length}`
      const results = ['--json', '--outputFile', `${file}.json`]
      await jest(copy, [shard, '--setupFilesAfterEnv', `${file}.js`, ...results])
      for (const { name } of marked.files) await cp(join(ROOT, name), join(copy, name))
      const { testResults } = JSON.parse(await readFile(`${file}.json`, 'utf8'))
      for (const { name, status, startTime, endTime } of testResults) {
        // A suite that fails without an alteration tells nothing.
        if (status === 'failed' && (await jest(copy, ['--runTestsByPath', name])) !== 0)
          console.log(`left out, because it fails: ${relative(copy, name)}`)
        else suites.push({ file: relative(copy, name), seconds: (endTime - startTime) / 1000 })
      }
      for (const line of (await readFile(`${file}.reached`, 'utf8')).split('\n')) {
        const [id = '', suite = ''] = line.split(' ')
        const place = places.get(id) ?? ''
        reached.set(place, (reached.get(place) ?? new Set()).add(relative(copy, suite)))
      }
    }),
  )
  suites.sort((a, b) => a.seconds - b.seconds)
  return async (mutant) => {
    const unseen = UNSEEN.find(({ folder }) => mutant.fileName.startsWith(folder))
    const isConcerned = await Promise.all(
      suites.map(
        async ({ file }) =>
          reached.get(placeOf(mutant))?.has(file) ||
          unseen?.suites.test(await readFile(join(ROOT, file), 'utf8')),
      ),
    )
    return suites.filter((_, index) => isConcerned[index])
  }
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
  for (const { file, seconds } of suites) {
    left -= seconds
    if (left >= 0) paths.push(file)
  }
  const { fileName, location, replacement } = mutant
  const text = await readFile(join(ROOT, fileName), 'utf8')
  const altered =
    text.slice(0, offsetOf(text, location.start)) +
    replacement +
    text.slice(offsetOf(text, location.end))
  await writeFile(join(copy, fileName), altered)
  const code = paths.length > 0 ? await jest(copy, ['--bail', '--runTestsByPath', ...paths]) : 0
  await writeFile(join(copy, fileName), text)
  return { mutant, isNoticed: code !== 0, ran: paths.length, suites: suites.length }
}

/** Prints what survived. A changed line that no suite reaches fails the run by itself. */
function report() {
  const noticed = verdicts.filter(({ isNoticed }) => isNoticed)
  const [commit = ''] = git('rev-parse', 'HEAD')
  for (const { mutant, isNoticed, ran, suites } of verdicts) {
    if (isNoticed) continue
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

/** Runs jest in one process. @param {string} copy @param {readonly string[]} args @returns {Promise<number>} its exit code */
function jest(copy, args) {
  const start = [
    '--experimental-vm-modules',
    'node_modules/jest/bin/jest.js',
    '--runInBand',
    '--silent',
  ]
  const child = spawn(process.execPath, [...start, ...args], { cwd: copy, stdio: 'ignore' })
  const timer = setTimeout(() => child.kill('SIGKILL'), MOST_MINUTES * 60_000)
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => {
      clearTimeout(timer)
      resolve(code ?? 1)
    })
  })
}

/** @param {Mutant} mutant */
function nameOf({ fileName, location: { start } }) {
  return `${fileName}:${start.line + 1}:${start.column + 1}`
}

/** @param {Mutant} mutant */
function placeOf({ fileName, location: { start, end } }) {
  return [fileName, start.line, start.column, end.line, end.column].join(':')
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
