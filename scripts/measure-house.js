// npm run measure:house [-- --once --names --files --functions --flow=<name>]
// Prints sizes, imports, duplicate names, and how many files one request, run or build passes; no test
// asserts these figures. The exports of the files of senders are a module contract and no duplicates.
// --once lists private functions with one caller, --names duplicate names,
// --files and --functions what a flow calls. Exported names that occur twice end with exit code 1.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compile } from './build/compile.js'
import { duplicateFiles, duplicateNames, readSources } from './house/duplicates.js'
import { figures } from './house/figures.js'
import { built, FLOWS } from './house/flows.js'
import { switches } from './house/switches.js'
import { findNode24 } from './node24.js'

/** The aim for the number of files that a flow passes. */
const MOST_FILES = new Map([
  ['relay', 20],
  ['action', 24],
  ['poll', 26],
  ['build', 60],
])

/** The aim for how often a reader of a flow goes from one file to another. */
const MOST_SWITCHES = new Map([
  ['relay', 60],
  ['action', 120],
  ['poll', 125],
  ['build', 360],
])

const root = new URL('..', import.meta.url)
process.chdir(fileURLToPath(root))
printFigures()
printDuplicates()
await printFlows()

function printFigures() {
  const found = figures('src')
  print('files', found.files)
  print('lines', found.lines)
  print('lines of a file: median / 90 %', `${found.median} / ${found.ninetieth}`)
  print(
    'relative imports per 1,000 lines of code',
    found.importsPerThousand.toFixed(0),
    'at most 45',
  )
  const share = `${(found.usedOnce * 100).toFixed(0)} %`
  print('functions: private ones used exactly once', share, 'at most 35 %')
  print('files that exactly one file imports', found.importedByOne)
  if (!asked('--once')) return
  for (const { folder, functions, usedOnce } of found.folders) {
    const names = usedOnce.map(({ path, name }) => `${path}: ${name}`)
    const part = `${names.length} of ${functions}, ${((names.length / functions) * 100).toFixed(0)} %`
    console.log([`\n${folder}: ${part}`, ...names].join('\n  '))
  }
}

async function printFlows() {
  const node = findNode24()
  if (!node) return print('what a flow calls', 'skipped', 'needs Node 24')
  await compile()
  for (const flow of Object.keys(FLOWS)) {
    const files = trace(node, flow)
    const called = Object.entries(files).map(([file, functions]) => {
      const names = functions.filter(({ isCalled }) => isCalled).map(({ name }) => name)
      return /** @type {const} */ ([file, names])
    })
    const calls = called.flatMap(([, names]) => names).length
    print(`${flow}: functions`, calls)
    print(`${flow}: files`, called.length, aim(MOST_FILES.get(flow)))
    print(`${flow}: hops from file to file`, switches(built, files), aim(MOST_SWITCHES.get(flow)))
    for (const [file, names] of called.toSorted()) {
      if (asked('--functions')) console.log(`  ${file}: ${names.join(' ')}`)
      else if (asked('--files')) console.log(`  ${file}: ${names.length}`)
    }
  }
}

/** @param {string} option */
function asked(option) {
  return process.argv.includes(option)
}

function printDuplicates() {
  const files = readSources('src')
  const { types, functions, exported } = duplicateNames(files)
  const names = duplicateFiles(files)
  print('type names declared in two files or more', types.length)
  print('function names declared in two files or more', functions.length)
  print('exported names declared in two files or more', exported.length, 'at most 0')
  print('file names in two folders or more', names.length)
  if (exported.length > 0) process.exitCode = 1
  if (!asked('--names')) return
  for (const [title, list] of /** @type {const} */ ([
    ['exported', exported],
    ['types', types],
    ['functions', functions],
    ['files', names],
  ]))
    console.log(
      [`\n${title}:`, ...list.map(({ name, paths }) => `${name}: ${paths.join(' ')}`)].join('\n  '),
    )
}

/** @param {number | undefined} most */
function aim(most) {
  return most === undefined ? '' : `at most ${most}`
}

/**
 * @param {string} node
 * @param {string} flow
 * @returns {Parameters<typeof switches>[1]}
 */
function trace(node, flow) {
  const script = fileURLToPath(new URL('house/flows.js', import.meta.url))
  const { status, stderr, output } = spawnSync(node, [script, flow], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  if (status !== 0) throw new Error(`${flow}: ${stderr}`)
  return JSON.parse(output[3]?.toString() ?? '{}')
}

/**
 * @param {string} name
 * @param {string | number} figure
 * @param {string} [aim]
 */
function print(name, figure, aim = '') {
  console.log([name.padEnd(44), String(figure).padStart(14), aim].join('  ').trimEnd())
}
