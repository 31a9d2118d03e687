import { basename } from 'node:path'
import { Command } from 'commander'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import { ACTION, type CompileOptions, githubMessages, newProblems } from '../compiler/compile.ts'
import { withKeyHints } from '../compiler/key-hints.ts'
import { type NamedFile, originOf } from '../compiler/made-files.ts'
import { mayUseAction, nativeTriggers, readNativeWorkflow } from '../compiler/native.ts'
import { type Callees, flowOf } from '../lint/flow/flow.ts'
import {
  actionProblems,
  misplacedTriggers,
  missedWebhooks,
  PLACEHOLDER_COMMIT,
  placeholderProblems,
} from '../lint/native-problems.ts'
import { untrustedProblems } from '../lint/untrusted.ts'
import { TRIGGERS } from '../triggers/index.ts'
import { type Problem, type Source, UserError } from '../wire/errors.ts'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { LIMITS } from '../wire/limits.ts'
import { counted, printableJson } from '../wire/printable.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import type { ParsedFile } from '../workflow/nodes.ts'
import { parseYaml, positionAt } from '../workflow/yaml.ts'
import {
  buildWorkflows,
  type CheckedNative,
  calleesIn,
  eventOption,
  type Findings,
  findingsOf,
  scriptProblems,
  stateOption,
} from './build-workflows.ts'
import { findSourceFiles, NATIVE_FOLDER, nativeFiles, readSource } from './files.ts'
import { print, problemJson } from './terminal.ts'

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
    print(printableJson(text))
    return
  }
  for (const problem of warnings) process.stderr.write(`${renderProblem(problem, 'warning')}\n`)
  for (const problem of errors) process.stderr.write(`${renderProblem(problem)}\n`)
  if (count + errors.length === 0) {
    print(globs.length > 0 ? NOT_NAMED : NOT_FOUND)
    return
  }
  const summary =
    errors.length + warnings.length === 0
      ? 'no problems'
      : `${counted(errors.length, 'error')}, ${counted(warnings.length, 'warning')}`
  print(`${counted(count, 'workflow file')}: ${summary}`)
}

const NO_USE = `uses the action (uses: ${ACTION})`
const NOT_FOUND = `nothing to check: no file matches ${DEFAULT_GLOB}, and none in ${NATIVE_FOLDER} ${NO_USE}`
const NOT_NAMED = `nothing to check: none of these files ${NO_USE}`

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
    const hasSources = sources.length > 0 || defaultSources(root).length > 0
    const checked = await Promise.all(
      files.filter(isNative).map((file) => checkNative(file, hasSources, callees)),
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
  if (natives.length === 0) return findSourceFiles(root, [DEFAULT_GLOB])
  return [...defaultSources(root), ...natives]
}

/** The files to compile where nothing else is said; none if there are none. */
function defaultSources(root: string): NamedFile[] {
  try {
    return findSourceFiles(root, [DEFAULT_GLOB])
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return []
  }
}

/** A step or a job that may run what stands in the same repository. */
const CALLS_ITS_OWN = /[\s'"[{,:][.$]\/\S/

/** A word of the triggers of Hookline, which may stand among the events of GitHub. */
const MAY_DECLARE = new RegExp(`\\b(?:${[...TRIGGERS.keys()].join('|')})\\b`)

/**
 * `undefined` for one that has nothing to do with Hookline, or was compiled: then its source is
 * checked, and only the commit of the action here.
 */
async function checkNative(
  { name, source }: NamedFile & { readonly source: Source },
  hasSources: boolean,
  callees: Callees,
): Promise<CheckedNative | undefined> {
  const { text } = source
  const mayUse = mayUseAction(text)
  if (!mayUse && !MAY_DECLARE.test(text) && !CALLS_ITS_OWN.test(text)) return undefined
  try {
    if (originOf(text)) return checkCompiled(source)
    const native = readNativeWorkflow(name, source)
    const file = native ?? { source, document: parseYaml(source) }
    if (!native && !flowOf(file, callees).usesAction) return checkMisplaced(file)
    const own = [
      ...misplacedTriggers(file, true),
      ...placeholderProblems(file),
      ...actionProblems(file, hasSources),
      ...inlineProblems(file),
    ]
    const messages = await githubMessages({ name: source.file, text: source.text })
    // The parser knows some events as keys only, not as `on: repository_dispatch`.
    const told = messages.filter(
      ({ code, subject = '' }) => code !== 'unexpected-value' || !NATIVE_EVENTS.has(subject),
    )
    const fromGitHub = told.slice(0, LIMITS.problems).map(({ start, end, ...problem }) => ({
      ...problem,
      position: positionAt(source, start, end),
    }))
    return {
      problems: [...own, ...withKeyHints(file.document, newProblems(fromGitHub, own))],
      warnings: native ? missedWebhooks(native) : [],
      untrusted: untrustedProblems(file, callees),
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return mayUse ? { problems: error.problems, warnings: [], untrusted: [] } : undefined
  }
}

/** What no source says: the action that a build was told to use. */
function checkCompiled(source: Source): CheckedNative | undefined {
  if (!source.text.includes(PLACEHOLDER_COMMIT)) return undefined
  const hint = 'build with --uses hookline/hookline@<commit>'
  const file = { source, document: parseYaml(source) }
  const problems = placeholderProblems(file).map((problem) => ({ ...problem, hint }))
  return { problems, warnings: [], untrusted: [] }
}

/** A source of ours in the folder of GitHub. */
function checkMisplaced(file: ParsedFile): CheckedNative | undefined {
  const problems = misplacedTriggers(file, false)
  return problems.length > 0 ? { problems, warnings: [], untrusted: [] } : undefined
}

function inlineProblems(native: ParsedFile): readonly Problem[] {
  try {
    return scriptProblems(nativeTriggers(native))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.problems
  }
}
