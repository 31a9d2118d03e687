import { basename } from 'node:path'
import { Command } from 'commander'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import { ACTION, type CompileOptions, githubMessages } from '../compiler/compile.ts'
import { type NamedFile, originOf } from '../compiler/made-files.ts'
import { mayUseAction, nativeTriggers, readNativeWorkflow } from '../compiler/native.ts'
import { untrustedProblems } from '../compiler/untrusted/findings.ts'
import { type Callees, flowOf, type LintedFile } from '../compiler/untrusted/flow.ts'
import { type Problem, type Source, UserError } from '../wire/errors.ts'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { LIMITS } from '../wire/limits.ts'
import { counted, printableJson } from '../wire/printable.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import { parseYaml, positionAt } from '../workflow/yaml.ts'
import {
  buildWorkflows,
  calleesIn,
  eventOption,
  type Findings,
  findingsOf,
  scriptProblems,
  stateOption,
} from './build-workflows.ts'
import { findSourceFiles, NATIVE_FOLDER, nativeFiles, readSource } from './files.ts'
import { problemJson } from './terminal.ts'

interface CheckCommandOptions extends Omit<CheckOptions, 'root' | 'globs'> {
  readonly json?: boolean
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
    .addOption(stateOption())
    .addOption(eventOption())
    .option('--strict', 'untrusted text in a script is an error')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExamples:\n  $ npx hookline check\n  $ npx hookline check --strict')
    .action(run)
}

async function run(globs: string[], { json, ...options }: CheckCommandOptions): Promise<void> {
  const checked = await checkWorkflows({ ...options, root: process.cwd(), globs })
  const { count, errors, warnings } = checked
  process.exitCode = errors.length > 0 ? 1 : 0
  if (json) {
    const problems = [
      ...errors.map((problem) => problemJson(problem, 'error')),
      ...warnings.map((problem) => problemJson(problem, 'warning')),
    ]
    const text = JSON.stringify({ ok: errors.length === 0, problems })
    process.stdout.write(`${printableJson(text)}\n`)
    return
  }
  for (const problem of warnings) process.stderr.write(`${renderProblem(problem, 'warning')}\n`)
  for (const problem of errors) process.stderr.write(`${renderProblem(problem)}\n`)
  const summary =
    errors.length + warnings.length === 0
      ? 'no problems'
      : `${counted(errors.length, 'error')}, ${counted(warnings.length, 'warning')}`
  process.stdout.write(`${counted(count, 'workflow file')}: ${summary}\n`)
}

export interface CheckOptions extends Partial<CompileOptions> {
  readonly root: string
  readonly globs: readonly string[]
  readonly strict?: boolean
}

/** What is wrong, and how many files were looked at. */
export interface Checked extends Findings {
  readonly count: number
}

/**
 * Checks workflow files as a build would; nothing is written. Without globs, the files that are
 * compiled, and the native ones that use the action.
 */
export async function checkWorkflows(options: CheckOptions): Promise<Checked> {
  const { root, globs, strict = false } = options
  try {
    const named = globs.length > 0 ? findSourceFiles(root, globs) : defaultFiles(root)
    const files = named.map((file) => ({ ...file, source: readSource(root, file.file) }))
    const isNative = ({ file }: NamedFile) => file.startsWith(`${NATIVE_FOLDER}/`)
    const sources = files.filter((file) => !isNative(file))
    const standing = new Map(
      files.filter(isNative).map(({ file, source }) => [basename(file), source.text]),
    )
    const callees = calleesIn(root)
    const compiling = { uses: ACTION, state: 'none', ...options, standing }
    const built = await buildWorkflows(sources, compiling, callees)
    const checked = await Promise.all(
      files.filter(isNative).map((file) => checkNative(file, callees)),
    )
    const natives = checked.flatMap((native) => native ?? [])
    return { count: sources.length + natives.length, ...findingsOf(built, strict, natives) }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { count: 0, errors: error.problems, warnings: [] }
  }
}

/** @throws UserError when there is neither a file to compile nor a native one */
function defaultFiles(root: string): NamedFile[] {
  const natives = nativeFiles(root)
  try {
    return [...findSourceFiles(root, [DEFAULT_GLOB]), ...natives]
  } catch (error) {
    if (!(error instanceof UserError) || natives.length === 0) throw error
    return natives
  }
}

/** What is wrong with a workflow of GitHub's own that uses the action. */
interface CheckedNative {
  readonly problems: readonly Problem[]
  readonly untrusted: readonly Problem[]
}

/** A step or a job that may run what stands in the same repository. */
const CALLS_ITS_OWN = /[\s'"[{,:][.$]\/\S/

/** `undefined` for one that does not use the action, or was compiled: then its source is checked. */
async function checkNative(
  { name, source }: NamedFile & { readonly source: Source },
  callees: Callees,
): Promise<CheckedNative | undefined> {
  const mayUse = mayUseAction(source.text)
  const isOther = !mayUse && !CALLS_ITS_OWN.test(source.text)
  if (isOther || originOf(source.text)) return undefined
  try {
    const file = readNativeWorkflow(name, source) ?? { source, document: parseYaml(source) }
    if (!('uses' in file) && !flowOf(file, callees).usesAction) return undefined
    const untrusted = untrustedProblems(file, callees)
    const messages = await githubMessages({ name: source.file, text: source.text })
    // The parser knows some events as keys only, not as `on: repository_dispatch`.
    const told = messages.filter(({ message }) => {
      const [, value = ''] = /^Unexpected value '(\w+)'$/.exec(message) ?? []
      return !NATIVE_EVENTS.has(value)
    })
    const fromGitHub = told.slice(0, LIMITS.problems).map(({ message, start, end }) => ({
      message,
      position: positionAt(source, start, end),
    }))
    return { problems: [...inlineProblems(file), ...fromGitHub], untrusted }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return mayUse ? { problems: error.problems, untrusted: [] } : undefined
  }
}

function inlineProblems(native: LintedFile): readonly Problem[] {
  try {
    return scriptProblems(nativeTriggers(native))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.problems
  }
}
