import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import { type Fixed, fixSource } from '../check/fix.ts'
import { findingJson, sarifLog } from '../check/reports.ts'
import { type RepositoryFiles, RuleFile } from '../check/rule.ts'
import { type NamedFile, originOf } from '../compiler/compiled-files.ts'
import { ACTION } from '../compiler/compiler-settings.ts'
import { mayUseAction, readNativeWorkflow } from '../compiler/native.ts'
import { spelled } from '../compiler/rewrite.ts'
import { readSourceFile } from '../compiler/source-file.ts'
import { type Finding, ofLevel, type Source, UserError } from '../wire/errors.ts'
import { counted, printable } from '../wire/printable.ts'
import { VERSION } from '../wire/version.ts'
import { asFindings } from '../workflow/mistakes.ts'
import { parseYaml } from '../workflow/yaml.ts'
import {
  type FindingOptions,
  findingsIn,
  hasSources,
  type NotChecked,
  printFindings,
  repositoryFiles,
  type WorkflowText,
} from './build-workflows.ts'
import {
  defaultSources,
  findSourceFiles,
  isNative,
  NATIVE_FOLDER,
  nativeFiles,
  readSource,
  writeSource,
} from './files.ts'
import { print, printJson } from './terminal.ts'

interface CheckCommandOptions extends Omit<CheckOptions, 'root' | 'globs'> {
  readonly json?: boolean
  readonly sarif?: boolean
}

export function checkCommand(): Command {
  return new Command('check')
    .description('show the problems of workflow files: sources, and workflows that use the action')
    .argument(
      '[files...]',
      `workflow files or globs (default: ${DEFAULT_GLOB} and ${NATIVE_FOLDER})`,
    )
    .option('--strict', 'report warnings that are marked so in the rules as errors')
    .option('--fix', 'apply every fix that is certain to the files')
    .addOption(new Option('--json', 'print JSON').conflicts('sarif'))
    .option('--sarif', 'print SARIF 2.1.0 for code scanning')
    .addHelpText('after', '\nExamples:\n  $ hookline check\n  $ hookline check --strict')
    .action(runCheck)
}

async function runCheck(
  globs: string[],
  { json, sarif, ...options }: CheckCommandOptions,
): Promise<void> {
  const checked = await checkWorkflows({ ...options, root: process.cwd(), globs })
  const { count, findings, fixed, notChecked } = checked
  const [errors, warnings] = [ofLevel(findings, 'error'), ofLevel(findings, 'warning')]
  process.exitCode = errors.length > 0 ? 1 : 0
  if (json) return printJson({ findings: findings.map(findingJson), notChecked })
  if (sarif) return printJson(sarifLog(findings, VERSION))
  printFindings(findings)
  for (const { file, count } of fixed)
    print(printable(`fixed ${counted(count, 'finding')} in ${file}`))
  const isNamed = globs.length > 0
  // A folder contains compiled files and files of others; only a file that was named gets a line.
  const left = notChecked.filter(({ source }) => isNamed || source === undefined)
  const others = left.length > 0 ? `${counted(left.length, 'file')} not checked` : ''
  if (isNamed) for (const { file, reason } of notChecked) print(printable(`${file} ${reason}`))
  if (count + errors.length === 0) {
    print(isNamed && others !== '' ? others : [NO_FILE, others].filter(Boolean).join('; '))
    return
  }
  const summary =
    findings.length === 0
      ? 'no problems'
      : `${counted(errors.length, 'error')}, ${counted(warnings.length, 'warning')}`
  const text = `${counted(count, 'workflow file')}: ${summary}`
  print([text, others].filter(Boolean).join('; '))
}

const NO_USE = `uses the action (uses: ${ACTION})`
const NO_FILE = `nothing to check: no file matches ${DEFAULT_GLOB}, and no file of ${NATIVE_FOLDER} ${NO_USE}`

export interface CheckOptions extends FindingOptions {
  readonly globs: readonly string[]
  /** Applies the certain fixes to the files, and checks the result. */
  readonly fix?: boolean
}

export interface Checked {
  /** The number of files that were checked. */
  readonly count: number
  /** Errors first. */
  readonly findings: readonly Finding[]
  /** The files that do not use Hookline, and those that Hookline wrote. */
  readonly notChecked: readonly NotChecked[]
  /** The files that `--fix` changed, each with the number of findings that are gone. */
  readonly fixed: readonly { readonly file: string; readonly count: number }[]
}

/**
 * Checks workflow files as a build would, and writes no compiled file. Without globs, it checks the
 * sources and the workflows of GitHub that use the action.
 */
export async function checkWorkflows(options: CheckOptions): Promise<Checked> {
  const { root, globs, fix = false } = options
  try {
    const named = globs.length > 0 ? namedFiles(root, globs) : defaultFiles(root)
    const unreadable: Finding[] = []
    const files = named.flatMap((file) => {
      const source = readOr(unreadable, () => readSource(root, file.file))
      return source ? [{ ...file, source }] : []
    })
    const repository = repositoryFiles(
      root,
      hasSources(
        root,
        files.filter((file) => !isNative(file)),
      ),
    )
    const fixes = files.map((file) => ({
      ...file,
      ...(fix ? fixWorkflow(file, repository) : { count: 0 }),
    }))
    const fixed = fixes.filter(({ count }) => count > 0)
    for (const { file, source } of fixed) writeSource(root, file, source.text)
    const { count, findings, notChecked } = await findingsIn(fixes, options)
    return {
      count,
      findings: [...unreadable, ...findings],
      notChecked,
      fixed: fixed.map(({ file, count }) => ({ file, count })),
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { count: 0, findings: asFindings(error.problems, 'error'), notChecked: [], fixed: [] }
  }
}

/** Collects the problems of a file that cannot be read, so that the others are checked. */
function readOr<Read>(unreadable: Finding[], read: () => Read): Read | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    unreadable.push(...asFindings(error.problems, 'error'))
    return undefined
  }
}

/**
 * The files that globs name. The root and `.github` contain YAML files of other tools, so these folders
 * mean their workflow files.
 */
function namedFiles(root: string, globs: readonly string[]): NamedFile[] {
  const natives = `${NATIVE_FOLDER}/*.{yml,yaml}`
  const folders = new Map([
    [resolve(root), [DEFAULT_GLOB, natives]],
    [resolve(root, '.github'), [natives]],
  ])
  return findSourceFiles(
    root,
    globs.flatMap((glob) => folders.get(resolve(root, glob)) ?? [glob]),
  )
}

/** @throws UserError if there are neither sources nor workflows of GitHub */
function defaultFiles(root: string): NamedFile[] {
  const natives = nativeFiles(root)
  if (natives.length === 0) return findSourceFiles(root, [DEFAULT_GLOB])
  return [...defaultSources(root), ...natives]
}

/**
 * A workflow file after every fix that is certain: of its rules, and in a source also operators of other
 * languages. A file with mistakes that no rule can read past stays as it is.
 */
function fixWorkflow(file: WorkflowText, repository: RepositoryFiles): Fixed {
  const { name, source } = file
  if (!isNative(file)) {
    const spelling = spelled(source)
    const fixed = withFixes(spelling.source, (text) => {
      const parsed = readSourceFile(name, text)
      return new RuleFile(parsed, repository, { source: parsed })
    })
    return { ...fixed, count: fixed.count + spelling.count }
  }
  // A compiled file is fixed in its source.
  if (!mayUseAction(source.text) || originOf(source.text)) return { source, count: 0 }
  return withFixes(source, (text) => {
    const native = readNativeWorkflow(name, text)
    const parsed = native ?? { source: text, document: parseYaml(text) }
    return new RuleFile(parsed, repository, { native })
  })
}

function withFixes(source: Source, read: (source: Source) => RuleFile): Fixed {
  try {
    return fixSource(source, read)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { source, count: 0 } // `check` reports the mistakes of the file
  }
}
