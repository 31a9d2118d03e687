import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { measureAction } from './action.js'
import { measureConfig } from './config.js'
import { report } from './report.js'
import { measureDownload } from './size.js'

const USAGE = `npm run bench -- [--rounds N] [--with-peers] [action] [config] [size] [relay]

Measures side by side, in one run, and prints ratios: absolute times say little about another machine.
  --rounds N     how often each variant is measured (default 31)
  --with-peers   compares with Actionsflow too, which is installed for it`

/** The relay's benchmark is a program of its own, with the same right to print a table. */
const relay = fileURLToPath(new URL('relay.js', import.meta.url))

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '31' },
    'with-peers': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(USAGE)
else await run()

async function run() {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-bench-'))
  try {
    if (wants('action'))
      report(await measureAction(folder, Number(values.rounds), values['with-peers']))
    if (wants('config')) report(await measureConfig(Number(values.rounds)))
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
