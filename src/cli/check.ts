import { existsSync } from 'node:fs'
import { basename, join, posix } from 'node:path'
import { Command } from 'commander'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import { ACTION, type CompileOptions, githubMessages } from '../compiler/compile.ts'
import { type NamedFile, originOf } from '../compiler/made-files.ts'
import {
  mayUseAction,
  type NativeWorkflow,
  nativeTriggers,
  readNativeWorkflow,
} from '../compiler/native.ts'
import {
  type UntrustedCall,
  untrustedCalls,
  untrustedProblems,
} from '../compiler/untrusted/findings.ts'
import type { LintedFile } from '../compiler/untrusted/flow.ts'
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
    const built = await buildWorkflows(sources, {
      uses: ACTION,
      state: 'none',
      ...options,
      standing,
    })
    const checked = await Promise.all(files.filter(isNative).map((file) => checkNative(file)))
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
      warnings: [...warnings, ...(strict ? [] : untrusted)],
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

/** `undefined` for one that does not use the action, or was compiled: then its source is checked. */
async function checkNative({
  name,
  source,
}: NamedFile & { readonly source: Source }): Promise<CheckedNative | undefined> {
  if (originOf(source.text) || !mayUseAction(source.text)) return undefined
  try {
    const native = readNativeWorkflow(name, source)
    if (!native) return undefined
    const untrusted = untrustedProblems(native)
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
    return { problems: [...inlineProblems(native), ...fromGitHub], untrusted }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { problems: error.problems, untrusted: [] }
  }
}

function inlineProblems(native: NativeWorkflow): readonly Problem[] {
  try {
    return scriptProblems(nativeTriggers(native))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.problems
  }
}
