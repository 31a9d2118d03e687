import { Command, Option } from 'commander'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import { type NamedFile, originOf } from '../compiler/compiled-files.ts'
import { mayUseAction } from '../compiler/native.ts'
import { ACTION } from '../compiler/settings.ts'
import { findingJson, sarifLog } from '../lint/reports.ts'
import { type Finding, ofLevel, UserError } from '../wire/errors.ts'
import { counted, printable, printableJson } from '../wire/printable.ts'
import { asFindings } from '../workflow/mistakes.ts'
import { printFindings } from './build-workflows.ts'
import { type FindingOptions, findingsIn } from './file-findings.ts'
import {
  defaultSources,
  findSourceFiles,
  isNative,
  NATIVE_FOLDER,
  nativeFiles,
  readSource,
  writeSource,
} from './files.ts'
import { mendedNative, mendedSource } from './mend.ts'
import { settingOption } from './settings-file.ts'
import { print } from './terminal.ts'
import { ownVersion } from './version.ts'

interface CheckCommandOptions extends Omit<CheckOptions, 'root' | 'globs'> {
  readonly json?: boolean
  readonly sarif?: boolean
}

export function checkCommand(): Command {
  return new Command('check')
    .description(
      'show every problem of every workflow file, of ours and of those that use the action',
    )
    .argument(
      '[files...]',
      `workflow files or globs (default: ${DEFAULT_GLOB} and ${NATIVE_FOLDER})`,
    )
    .addOption(settingOption('state'))
    .addOption(settingOption('dispatch'))
    .addOption(settingOption('forge'))
    .option('--strict', 'report warnings of strict rules as errors')
    .option('--fix', 'mend what is safe for certain, in the files themselves')
    .option('--all', 'look at every workflow, also at those that do not use the action')
    .addOption(new Option('--json', 'print one JSON object').conflicts('sarif'))
    .option('--sarif', 'print SARIF 2.1.0, for code scanning')
    .addHelpText('after', '\nExamples:\n  $ hookline check\n  $ hookline check --strict')
    .action(run)
}

async function run(
  globs: string[],
  { json, sarif, ...options }: CheckCommandOptions,
): Promise<void> {
  const checked = await checkWorkflows({ ...options, root: process.cwd(), globs })
  const { count, findings, fixed } = checked
  const [errors, warnings] = [ofLevel(findings, 'error'), ofLevel(findings, 'warning')]
  process.exitCode = errors.length > 0 ? 1 : 0
  if (json) return print(printableJson(JSON.stringify({ findings: findings.map(findingJson) })))
  if (sarif) return print(printableJson(JSON.stringify(sarifLog(findings, ownVersion()))))
  printFindings(findings)
  for (const { file, count } of fixed) print(printable(`fixed ${file}: ${count} mended`))
  if (count + errors.length === 0) {
    print(globs.length > 0 ? NOT_NAMED : NOT_FOUND)
    return
  }
  const summary =
    findings.length === 0
      ? 'no problems'
      : `${counted(errors.length, 'error')}, ${counted(warnings.length, 'warning')}`
  print(`${counted(count, 'workflow file')}: ${summary}`)
}

const NO_USE = `uses the action (uses: ${ACTION})`
const NOT_FOUND = `nothing to check: no file matches ${DEFAULT_GLOB}, and none in ${NATIVE_FOLDER} ${NO_USE}`
const NOT_NAMED = `nothing to check: none of these files ${NO_USE}`

export interface CheckOptions extends FindingOptions {
  readonly globs: readonly string[]
  /** Mends what is safe for certain, in the files, and then looks at what is left. */
  readonly fix?: boolean
}

/** What is wrong, and how many files were looked at. */
export interface Checked {
  readonly count: number
  /** Errors first. */
  readonly findings: readonly Finding[]
  /** Findings that `--fix` took care of, by workflow file. */
  readonly fixed: readonly { readonly file: string; readonly count: number }[]
}

/**
 * Checks workflow files as a build would; nothing is written. Without globs, the files that are
 * compiled, and the native ones that use the action.
 */
export async function checkWorkflows(options: CheckOptions): Promise<Checked> {
  const { root, globs, all = false, fix = false } = options
  try {
    const named = globs.length > 0 ? findSourceFiles(root, globs) : defaultFiles(root)
    const unread: Finding[] = []
    const files = named.flatMap((file) => {
      const source = readOr(unread, () => readSource(root, file.file))
      if (!source) return []
      if (!fix) return [{ ...file, source, count: 0 }]
      if (!isNative(file)) return [{ ...file, ...mendedSource(source) }]
      // What was made of a source is mended there.
      const isLookedAt = (all || mayUseAction(source.text)) && !originOf(source.text)
      return [{ ...file, ...(isLookedAt ? mendedNative(source) : { source, count: 0 }) }]
    })
    const fixed = files.filter(({ count }) => count > 0)
    for (const { file, source } of fixed) writeSource(root, file, source.text)
    const { count, findings } = await findingsIn(files, options)
    return {
      count,
      findings: [...unread, ...findings],
      fixed: fixed.map(({ file, count }) => ({ file, count })),
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { count: 0, findings: asFindings(error.problems, 'error'), fixed: [] }
  }
}

/** One file that cannot be read hides nothing of the others. */
function readOr<Read>(unread: Finding[], read: () => Read): Read | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    unread.push(...asFindings(error.problems, 'error'))
    return undefined
  }
}

/** @throws UserError when there is neither a file to compile nor a native one */
function defaultFiles(root: string): NamedFile[] {
  const natives = nativeFiles(root)
  if (natives.length === 0) return findSourceFiles(root, [DEFAULT_GLOB])
  return [...defaultSources(root), ...natives]
}
