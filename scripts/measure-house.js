// npm run measure:house [-- --once --files --functions]   figures of how the code is cut; no test
// asserts them. --once names the private functions used once, --files and --functions what a flow calls.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compile } from './build/compile.js'
import { figures } from './house/figures.js'
import { FLOWS } from './house/flows.js'
import { findNode24 } from './node24.js'

/** The most files that someone who follows a flow should have to open. */
const MOST_FILES = new Map([
  ['relay', 10],
  ['action', 20],
  ['poll', 22],
  ['build', 16],
])

const root = new URL('..', import.meta.url)
process.chdir(fileURLToPath(root))
printFigures()
await printFlows()

function printFigures() {
  const found = figures('src')
  print('files', found.files, '120 to 160')
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
    const functions = trace(node, flow)
    const files = Object.keys(functions)
    const calls = Object.values(functions).flat().length
    print(`${flow}: functions / files`, `${calls} / ${files.length}`, aim(flow))
    for (const [file, names] of Object.entries(functions).sort()) {
      if (asked('--functions')) console.log(`  ${file}: ${names.join(' ')}`)
      else if (asked('--files')) console.log(`  ${file}: ${names.length}`)
    }
  }
}

/** @param {string} option */
function asked(option) {
  return process.argv.includes(option)
}

/** @param {string} flow */
function aim(flow) {
  const most = MOST_FILES.get(flow)
  return most === undefined ? '' : `at most ${most} files`
}

/**
 * @param {string} node
 * @param {string} flow
 * @returns {Record<string, string[]>}
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
 * @param {string} what
 * @param {string | number} figure
 * @param {string} [aim]
 */
function print(what, figure, aim = '') {
  console.log([what.padEnd(44), String(figure).padStart(14), aim].join('  ').trimEnd())
}
