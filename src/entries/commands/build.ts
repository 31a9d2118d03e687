import { Command, InvalidArgumentError, Option } from 'commander'
import { DEFAULT_GLOB } from '../../action/inputs.ts'
import { ACTION } from '../../compiler/action-reference.ts'
import type { BuildOptions } from '../cli/build.ts'
import { build } from '../cli/build.ts'
import { printBuild } from '../cli/print-build.ts'
import { watchFolders } from '../cli/watch-folders.ts'

interface BuildCommandOptions extends Omit<BuildOptions, 'root' | 'globs'> {
  readonly watch?: boolean
  readonly json?: boolean
}

export function buildCommand(): Command {
  return new Command('build')
    .description('compile workflows/*.yml into native workflows')
    .argument('[files...]', 'workflow files or globs', [DEFAULT_GLOB])
    .option('--out <folder>', 'where compiled files go', '.github/workflows')
    .option('--uses <action>', 'action that they run', parseUses, ACTION)
    .option('--state <store>', 'none, file:<path> or branch:<name>', parseState, 'none')
    .option('--strict', 'untrusted text in a script is an error')
    .addOption(
      new Option('--check', 'write nothing; exit 1 and show what differs').conflicts('fix'),
    )
    .option('--fix', 'move untrusted text from scripts into env, in the workflow files themselves')
    .addOption(new Option('--watch', 'compile again whenever a file changes').conflicts('check'))
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  $ hookline build --state branch:hookline-state')
    .action(run)
}

async function run(globs: string[], { watch, json, ...options }: BuildCommandOptions) {
  // Loaded only here, so that other commands start without parsers they have no use for.
  const once = async () => {
    const built = await build({ ...options, root: process.cwd(), globs })
    process.exitCode = printBuild(built, { json, check: options.check })
  }
  if (!watch) return once()
  process.stderr.write('watching for changes, Ctrl-C ends\n')
  await watchFolders(process.cwd(), globs, once)
}

function parseUses(text: string): string {
  if (/^[\w.-]+\/[\w./-]+@[\w./-]+$/.test(text) || /^\.{1,2}\/[\w./-]*$/.test(text)) return text
  throw new InvalidArgumentError('write owner/name@ref, with a tag or a full commit SHA.')
}

function parseState(text: string): string {
  if (/^(none|(file|branch):[\w./-]+)$/.test(text)) return text
  throw new InvalidArgumentError('write none, file:<path> or branch:<name>.')
}
