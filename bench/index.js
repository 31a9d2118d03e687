import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findNode24 } from '../scripts/node24.js'
import { measureAction } from './action.js'
import { measureBatches } from './batches.js'
import { measureBodies } from './bodies.js'
import { measureCompiler } from './compiler.js'
import { measureConfig } from './config.js'
import { measureHistory } from './history.js'
import { compile } from './relay/subjects.js'
import { LEGEND, report } from './report.js'
import { measureDownload } from './size.js'

const USAGE = `npm run bench -- [--rounds N] [--with-peers] [action] [batches] [bodies] [compiler] [config] [history] [size] [relay]

Measures side by side, in one run, and prints ratios: absolute times say little about another machine.
Runs on the Node that GitHub runs actions on where HOOKLINE_NODE24 or .ci/run brought one.
  --rounds N     how often each variant is measured (default 31)
  --with-peers   compares with Actionsflow too, which is installed for it`

/** The relay's benchmark is a separate program; its processes print their own tables. */
const relay = fileURLToPath(new URL('relay.js', import.meta.url))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '31' },
    'with-peers': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const node24 = findNode24() ?? process.execPath
if (values.help) console.log(USAGE)
else if (node24 !== process.execPath) runOn(node24)
else await run()

/** @param {string} node the Node program to measure with */
function runOn(node) {
  const { status } = spawnSync(node, process.argv.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, HOOKLINE_NODE24: node },
  })
  process.exitCode = status ?? 1
}

async function run() {
  console.log(`Node ${process.versions.node}\n${LEGEND}\n`)
  const folder = await mkdtemp(join(tmpdir(), 'hookline-bench-'))
  try {
    if (wants('action'))
      report(await measureAction(folder, Number(values.rounds), values['with-peers']))
    if (wants('batches')) {
      compile()
      report(await measureBatches())
    }
    if (wants('bodies')) report(await measureBodies(folder))
    if (wants('compiler')) {
      compile()
      report(await measureCompiler(folder, Math.ceil(Number(values.rounds) / 6)))
    }
    if (wants('config')) {
      compile()
      report(await measureConfig(Number(values.rounds)))
    }
    if (wants('history')) {
      compile()
      report(await measureHistory(1_000))
    }
    if (wants('size')) report([measureDownload()])
  } finally {
    await rm(folder, { recursive: true })
  }
  if (wants('relay') && existsSync(relay)) {
    spawnSync(process.execPath, [relay], { stdio: 'inherit' })
  }
}

/** @param {string} part */
function wants(part) {
  return positionals.length === 0 || positionals.includes(part)
}
