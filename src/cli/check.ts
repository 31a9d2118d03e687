import { existsSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { Command } from 'commander'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import { ACTION, type CompileOptions, githubMessages, newProblems } from '../compiler/compile.ts'
import { withKeyHints } from '../compiler/key-hints.ts'
import { type NamedFile, originOf } from '../compiler/made-files.ts'
import {
  mayUseAction,
  type NativeWorkflow,
  nativeTriggers,
  readNativeWorkflow,
} from '../compiler/native.ts'
import {
  actionProblems,
  misplacedTriggers,
  missedWebhooks,
  PLACEHOLDER_COMMIT,
  placeholderProblems,
} from '../compiler/native-problems.ts'
import {
  type UntrustedCall,
  untrustedCalls,
  untrustedProblems,
} from '../compiler/untrusted/findings.ts'
import type { LintedFile } from '../compiler/untrusted/flow.ts'
import { TRIGGERS } from '../triggers/index.ts'
import { type Problem, type Source, UserError } from '../wire/errors.ts'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { LIMITS } from '../wire/limits.ts'
import { counted, printableJson } from '../wire/printable.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import { parseYaml, positionAt } from '../workflow/yaml.ts'
import {
  buildWorkflows,
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
    .addHelpText('after', '\nExamples:\n  $ npx hookline check\n  $ hookline check --strict')
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
    const built = await buildWorkflows(sources, {
      uses: ACTION,
      state: 'none',
      ...options,
      standing,
    })
    const hasSources = sources.length > 0 || defaultSources(root).length > 0
    const checked = await Promise.all(
      files.filter(isNative).map((file) => checkNative(file, hasSources)),
    )
    const natives = checked.flatMap((native) => native ?? [])
    const { errors, warnings } = findingsOf(built, strict)
    const untrusted = newOf([...natives.flatMap((one) => one.untrusted), ...inCalled(root, files)])
    return {
      count: sources.length + natives.length,
      errors: [
        ...errors,
        ...natives.flatMap(({ problems }) => problems),
        ...(strict ? untrusted : []),
      ],
      warnings: [
        ...warnings,
        ...natives.flatMap((one) => one.warnings),
        ...(strict ? [] : untrusted),
      ],
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { count: 0, errors: error.problems, warnings: [] }
  }
}

const CALLS_ITS_OWN = /uses['"]?\s*:\s*['"]?\.\/./

/**
 * Untrusted text in workflows and actions of the same repository that are called with it: what an input holds
 * shows only at the caller.
 */
function inCalled(root: string, files: readonly { readonly source: Source }[]): Problem[] {
  const known = new Map<string, { readonly file: LintedFile; readonly inputs: Set<string> }>()
  const follow = (calls: readonly UntrustedCall[]) => {
    for (const { file, inputs } of calls) {
      const called = known.get(file) ?? { file: readCalled(root, file), inputs: new Set<string>() }
      const before = called.inputs.size
      for (const input of inputs) called.inputs.add(input)
      if (!called.file || called.inputs.size === before) continue
      known.set(file, { file: called.file, inputs: called.inputs })
      follow(untrustedCalls(called.file, called.inputs))
    }
  }
  for (const { source } of files) {
    const file = CALLS_ITS_OWN.test(source.text) ? parsed(source) : undefined
    if (file) follow(untrustedCalls(file))
  }
  return [...known.values()].flatMap(({ file, inputs }) => untrustedProblems(file, inputs))
}

function readCalled(root: string, called: string): LintedFile | undefined {
  const path = posix.normalize(called).replace(/\/$/, '')
  const files = /\.ya?ml$/.test(path) ? [path] : [`${path}/action.yml`, `${path}/action.yaml`]
  const file = files.find((one) => !one.startsWith('..') && existsSync(join(root, one)))
  return file === undefined ? undefined : parsed(readSource(root, file))
}

/** `undefined` for a file with mistakes, of which others tell. */
function parsed(source: Source): LintedFile | undefined {
  try {
    return { source, document: parseYaml(source) }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return undefined
  }
}

function newOf(problems: readonly Problem[]): Problem[] {
  const places = problems.map((problem) => {
    const { source, line, column } = problem.position ?? {}
    return [`${source?.file}:${line}:${column}`, problem] as const
  })
  return [...new Map(places).values()]
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

/** What is wrong with a workflow of GitHub's own that uses the action. */
interface CheckedNative {
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  readonly untrusted: readonly Problem[]
}

/** A word of the triggers of Hookline, which may stand among the events of GitHub. */
const MAY_DECLARE = new RegExp(`\\b(?:${[...TRIGGERS.keys()].join('|')})\\b`)

/**
 * `undefined` for one that has nothing to do with Hookline, or was compiled: then its source is
 * checked, and only the commit of the action here.
 */
async function checkNative(
  { name, source }: NamedFile & { readonly source: Source },
  hasSources: boolean,
): Promise<CheckedNative | undefined> {
  const mayUse = mayUseAction(source.text)
  if (originOf(source.text)) return checkCompiled(source)
  if (!mayUse && !MAY_DECLARE.test(source.text)) return undefined
  try {
    const native = readNativeWorkflow(name, source)
    if (!native) return checkMisplaced(source)
    const own = [
      ...misplacedTriggers(native, true),
      ...placeholderProblems(native),
      ...actionProblems(native, hasSources),
      ...inlineProblems(native),
    ]
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
    return {
      problems: [...own, ...withKeyHints(native.document, newProblems(fromGitHub, own))],
      warnings: missedWebhooks(native),
      untrusted: untrustedProblems(native),
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return mayUse ? { problems: error.problems, warnings: [], untrusted: [] } : undefined
  }
}

/** What no source says: the action that a build was told to use. */
function checkCompiled(source: Source): CheckedNative | undefined {
  const file = source.text.includes(PLACEHOLDER_COMMIT) ? parsed(source) : undefined
  if (!file) return undefined
  const hint = 'build with --uses hookline/hookline@<commit>'
  const problems = placeholderProblems(file).map((problem) => ({ ...problem, hint }))
  return { problems, warnings: [], untrusted: [] }
}

/** A source of ours in the folder of GitHub. @throws UserError with the syntax errors of the file */
function checkMisplaced(source: Source): CheckedNative | undefined {
  const problems = misplacedTriggers({ source, document: parseYaml(source) }, false)
  return problems.length > 0 ? { problems, warnings: [], untrusted: [] } : undefined
}

function inlineProblems(native: NativeWorkflow): readonly Problem[] {
  try {
    return scriptProblems(nativeTriggers(native))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.problems
  }
}
