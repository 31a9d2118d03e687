import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'

/**
 * The modules that are mutated, and the suites that must fail for each mutation. These modules
 * contain rules in which a mistake accepts or loses an event, and suites test them within this
 * process. Other modules are tested through the built programs, where each mutation would take
 * minutes.
 *
 * @type {ReadonlyMap<string, readonly string[]>}
 */
const MODULES = new Map([
  ['src/wire/github-api.ts', ['wire/github', 'wire/github-questions']],
  ['src/wire/graphql.ts', ['wire/graphql']],
  ['src/relay/delivery/retry-policy.ts', ['relay/delivery/retry-policy']],
  ['src/state/branch.ts', ['state/branch-rules']],
  ['src/state/branch-api.ts', ['state/branch-rules']],
  ['src/state/branch-files.ts', ['state/rules']],
  ['src/state/store.ts', ['state/rules']],
  ['src/engine/deduplication-keys.ts', ['engine/key', 'engine/deduplicate']],
  ['src/triggers/verify/hmac.ts', ['triggers/verify/schemes', 'triggers/verify/encodings']],
])

/** The share of mutated lines that must make a suite fail. */
const LEAST = 0.95

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { since: { type: 'string' } },
})

/** @type {string[]} */
const survivors = []
let [noticed, count] = [0, 0]
for (const [module, suites] of MODULES) {
  if (positionals.length > 0 && !positionals.some((path) => module.startsWith(path))) continue
  const mutate = values.since === undefined ? [module] : changedLines(module, values.since)
  if (mutate.length === 0) continue
  const results = await new Stryker(optionsOf(mutate, suites)).runMutationTest()
  const tried = results.filter(({ status }) =>
    /^(Killed|Timeout|Survived|NoCoverage)$/.test(status),
  )
  const left = tried.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
  noticed += tried.length - left.length
  count += tried.length
  console.log(`${module}  ${tried.length - left.length} of ${tried.length}`)
  for (const { location, replacement, status, mutatorName } of left) {
    const { line, column } = location.start
    const what = (replacement ?? mutatorName).replace(/\s+/g, ' ').slice(0, 100)
    survivors.push(`${module}:${line}:${column}  ${status}  ${what}`)
  }
}
console.log(survivors.join('\n'))
console.log(
  `noticed: ${noticed} of ${count} (${((100 * noticed) / Math.max(1, count)).toFixed(1)} %)`,
)
if (noticed < LEAST * count) process.exitCode = 1

/**
 * @param {readonly string[]} mutate
 * @param {readonly string[]} suites parts of their paths
 * @returns {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
function optionsOf(mutate, suites) {
  const testMatch = suites.map((suite) => `<rootDir>/__tests__/${suite}.test.ts`)
  return {
    mutate: [...mutate],
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner'],
    testRunnerNodeArgs: ['--experimental-vm-modules'],
    coverageAnalysis: 'perTest',
    // Messages have tests of their own, and so do patterns.
    mutator: { excludedMutations: ['StringLiteral'] },
    jest: {
      configFile: 'jest.config.js',
      enableFindRelatedTests: false,
      // None of these suites starts a program, so nothing is bundled.
      config: { testMatch, globalSetup: null, reporters: [] },
    },
    concurrency: 2,
    timeoutMS: 20_000,
    reporters: [],
    fileLogLevel: /** @type {any} */ ('off'),
    logLevel: /** @type {any} */ ('error'),
    tempDirName: '.cache/mutants',
    ignorePatterns: ['/dist', '/.cache'],
  }
}

/**
 * The lines of a file that differ from the start of a branch, in Stryker's format.
 *
 * @param {string} file
 * @param {string} branch
 */
function changedLines(file, branch) {
  const args = ['diff', '--unified=0', `${branch}...HEAD`, '--', file]
  const diff = execFileSync('git', args, { encoding: 'utf8' })
  return [...diff.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].flatMap(
    ([, first = '', length = '1']) => {
      const last = Number(first) + Number(length) - 1
      return length === '0' ? [] : [`${file}:${first}-${last}`]
    },
  )
}
