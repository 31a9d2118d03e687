import { Command } from 'commander'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import { ACTION } from '../compiler/action-reference.ts'
import { originOf } from '../compiler/generated.ts'
import type { NamedFile } from '../compiler/names.ts'
import {
  mayUseAction,
  type NativeWorkflow,
  nativeTriggers,
  readNativeWorkflow,
} from '../compiler/native.ts'
import { ON_IN_JOBS } from '../compiler/rewrite.ts'
import { untrustedProblems } from '../compiler/untrusted/findings.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import {
  type BuiltWorkflow,
  buildWorkflows,
  githubMessages,
  scriptProblems,
} from './build-workflows.ts'
import { findSourceFiles, NATIVE_FOLDER, nativeFiles, readSource } from './files.ts'
import { problemJson } from './terminal.ts'

interface CheckOptions {
  readonly strict?: boolean
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
    .option('--strict', 'untrusted text in a script is an error')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExamples:\n  $ hookline check\n  $ hookline check --strict')
    .action(run)
}

async function run(globs: string[], { strict, json }: CheckOptions): Promise<void> {
  const { count, errors, warnings } = await checkWorkflows(process.cwd(), globs, strict ?? false)
  process.exitCode = errors.length > 0 ? 1 : 0
  if (json) {
    const problems = [
      ...errors.map((problem) => problemJson(problem, 'error')),
      ...warnings.map((problem) => problemJson(problem, 'warning')),
    ]
    process.stdout.write(`${JSON.stringify({ ok: errors.length === 0, problems })}\n`)
    return
  }
  for (const problem of warnings) process.stderr.write(`${renderProblem(problem, 'warning')}\n`)
  for (const problem of errors) process.stderr.write(`${renderProblem(problem)}\n`)
  process.stdout.write(
    `${counted(count, 'workflow file')}: ${summary(errors.length, warnings.length)}\n`,
  )
}

function summary(errors: number, warnings: number): string {
  if (errors + warnings === 0) return 'no problems'
  return `${counted(errors, 'error')}, ${counted(warnings, 'warning')}`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** What is wrong with workflow files, ours and GitHub's rules together. */
interface Checked {
  readonly count: number
  readonly errors: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/**
 * Checks workflow files; nothing is written.
 *
 * @param globs without any, the files that are compiled, and the native ones that use the action
 */
export async function checkWorkflows(
  root: string,
  globs: readonly string[],
  strict: boolean,
): Promise<Checked> {
  try {
    const found = globs.length > 0 ? findSourceFiles(root, globs) : defaultFiles(root)
    const isNative = ({ file }: NamedFile) => file.startsWith(`${NATIVE_FOLDER}/`)
    const sources = found.filter((file) => !isNative(file))
    const built = await buildWorkflows(root, sources, {
      uses: ACTION,
      state: 'none',
    })
    const natives = await Promise.all(found.filter(isNative).map((file) => checkNative(root, file)))
    const checked = natives.flatMap((native) => native ?? [])
    const inCompiled = (await Promise.all(built.map(nativeProblems))).flat()
    const untrusted = [...built, ...checked].flatMap((one) => one.untrusted)
    const notices = built.flatMap((one) => one.notices)
    return {
      count: sources.length + checked.length,
      errors: [
        ...[...built, ...checked].flatMap(({ problems }) => problems),
        ...inCompiled,
        ...(strict ? untrusted : []),
      ],
      warnings: [...(strict ? [] : untrusted), ...notices],
    }
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

/** `undefined` for one that does not use the action, or was compiled: then its source is checked. */
async function checkNative(
  root: string,
  { name, file }: NamedFile,
): Promise<CheckedNative | undefined> {
  const source = readSource(root, file)
  if (originOf(source.text) || !mayUseAction(source.text)) return undefined
  try {
    const native = readNativeWorkflow(name, source)
    if (!native) return undefined
    const untrusted = untrustedProblems(native)
    const inGithub = (await githubMessages({ name: file, text: source.text })).map(
      ({ message, start, end }) => ({ message, position: positionAt(source, start, end) }),
    )
    return { problems: [...inlineProblems(native), ...inGithub], untrusted }
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

/** What GitHub's parser says of the compiled files, at the places of the source. */
async function nativeProblems({ file, compiled }: BuiltWorkflow): Promise<Problem[]> {
  const [listening, jobs] = compiled?.files ?? []
  if (!file || !compiled || !listening || !jobs) return []
  const { source, on } = file
  const inJobs = (await githubMessages(jobs)).map(({ message, start, end }) => ({
    message: message.replaceAll(ON_IN_JOBS, 'on'),
    position: positionAt(source, compiled.sourcePlace(start), compiled.sourcePlace(end)),
  }))
  const inEvents = (await githubMessages(listening)).map(({ message }) => ({
    message,
    position: positionAt(source, ...rangeOf(on.key)),
  }))
  return [...inJobs, ...inEvents]
}
