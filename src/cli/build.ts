import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { createTwoFilesPatch } from 'diff'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import { ACTION, type CompileOptions } from '../compiler/compile.ts'
import { type Change, changesOf, hasNewerActions } from '../compiler/made-files.ts'
import { readSourceFile } from '../compiler/source-file.ts'
import { spelled } from '../compiler/spelling.ts'
import { fixUntrusted } from '../compiler/untrusted/fix.ts'
import { type Problem, type Source, UserError } from '../wire/errors.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import { eventOption, runsOnOption, stateOption } from './build-options.ts'
import {
  type BuiltWorkflow,
  buildWorkflows,
  type Findings,
  findingsOf,
  madeFiles,
} from './build-workflows.ts'
import { CompiledFolder } from './compiled-folder.ts'
import { baseOf, findSourceFiles, readSource, watchBelow, writeSource } from './files.ts'
import { print, problemJson, reportError } from './terminal.ts'

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
    .addOption(stateOption())
    .addOption(eventOption())
    .addOption(runsOnOption())
    .option('--strict', 'untrusted text in a script is an error')
    .addOption(
      new Option('--check', 'write nothing; exit 1 and show what differs').conflicts('fix'),
    )
    .option('--fix', 'mend what has one answer, in the workflow files themselves')
    .addOption(new Option('--watch', 'compile again whenever a file changes').conflicts('check'))
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  $ hookline build --state branch:hookline-state')
    .action(run)
}

async function run(globs: string[], { watch, json, ...options }: BuildCommandOptions) {
  const once = async () => {
    const built = await build({ ...options, root: process.cwd(), globs })
    process.exitCode = printBuild(built, { json, check: options.check })
  }
  if (!watch) return once()
  process.stderr.write('watching for changes, Ctrl-C ends\n')
  // A branch without these files, checked out for a moment, is no reason to end.
  const onceOrTold = () =>
    once().catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error
      process.exitCode = reportError(error)
    })
  await watchFolders(process.cwd(), globs, onceOrTold)
}

function parseUses(text: string): string {
  if (/^[\w.-]+\/[\w./-]+@[\w./-]+$/.test(text) || /^\.{1,2}\/[\w./-]*$/.test(text)) return text
  throw new InvalidArgumentError('write owner/name@ref, with a tag or a full commit SHA.')
}

/** Tells a person, or a program, what a build came to. @returns the exit code */
function printBuild(
  build: Build,
  { json, check }: { readonly json: boolean | undefined; readonly check: boolean | undefined },
): number {
  const isStale = check === true && build.changes.some(({ status }) => status !== 'unchanged')
  const code = build.errors.length > 0 || isStale ? 1 : 0
  if (json) {
    process.stdout.write(`${JSON.stringify(buildJson(build, code))}\n`)
    return code
  }
  for (const problem of build.warnings) tell(renderProblem(problem, 'warning'))
  for (const problem of build.errors) tell(renderProblem(problem))
  for (const { file, count } of build.fixed) print(`fixed ${file}: ${count} mended`)
  for (const change of build.changes) print(check ? difference(change) : done(change))
  const edited = build.changes.filter(({ byHand }) => byHand)
  for (const { path, source } of check ? edited : []) {
    tell(`error: changed by hand: ${path}, put it into ${source}`)
  }
  if (isStale && build.changes.some(({ status, byHand }) => status !== 'unchanged' && !byHand)) {
    tell('error: compiled files are not up to date: run "hookline build" and commit them')
  }
  return code
}

function buildJson({ changes, errors, warnings, fixed }: Build, code: number) {
  return {
    ok: code === 0,
    files: changes.map(({ path, source, status, byHand }) => ({
      path,
      source,
      status,
      ...(byHand && { byHand }),
    })),
    fixed,
    problems: [
      ...errors.map((problem) => problemJson(problem, 'error')),
      ...warnings.map((problem) => problemJson(problem, 'warning')),
    ],
  }
}

const VERBS = { new: 'wrote', changed: 'wrote', unchanged: 'unchanged', stale: 'removed' } as const

function done({ path, source, status }: ShownChange): string {
  return `${VERBS[status]} ${path} (from ${source})`
}

function difference({ path, status, before, after }: ShownChange): string {
  if (status === 'unchanged') return `up to date ${path}`
  return createTwoFilesPatch(path, path, before, after, status, 'compiled now').trimEnd()
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`)
}

export interface BuildOptions extends CompileOptions {
  readonly root: string
  readonly globs: readonly string[]
  readonly out: string
  readonly strict?: boolean
  readonly check?: boolean
  readonly fix?: boolean
}

/** What a build came to. */
export interface Build extends Findings {
  readonly changes: readonly ShownChange[]
  /** Findings that `--fix` took care of, by workflow file. */
  readonly fixed: readonly { readonly file: string; readonly count: number }[]
}

/** A change with the path of its file from the root. */
interface ShownChange extends Change {
  readonly path: string
  /** Whether a person, or a bot, has changed the made file and not its source. */
  readonly byHand: boolean
}

/**
 * Compiles, and writes unless it only checks. When anything is wrong anywhere nothing is written at
 * all, the sources that `--fix` would mend included.
 */
export async function build(options: BuildOptions): Promise<Build> {
  const nothing = { changes: [], fixed: [] }
  try {
    const files = findSourceFiles(options.root, options.globs).map((named) => {
      const source = readSource(options.root, named.file)
      return { ...named, ...(options.fix ? mended(source) : { source, count: 0 }) }
    })
    const built = await buildWorkflows(files, options)
    const { errors, warnings } = findingsOf(built, options.strict ?? false)
    const told = [...warnings, ...lockNotice(options.root)]
    if (errors.length > 0) return { ...nothing, errors, warnings: told }
    const folder = new CompiledFolder(options.root, options.out)
    const made = madeFiles(built)
    folder.refuseForeign(made.map(({ file }) => file.name))
    const changes = changesOf(made, folder.compiled(), isGone(options.root, built))
    const fixed = files.filter(({ count }) => count > 0)
    if (!options.check) {
      for (const { file, source } of fixed) writeSource(options.root, file, source.text)
      for (const change of changes) apply(folder, change)
    }
    return {
      changes: changes.map((change) => shown(options, folder, change)),
      fixed: fixed.map(({ file, count }) => ({ file, count })),
      errors,
      warnings: told,
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { ...nothing, errors: error.problems, warnings: [] }
  }
}

/** What has one answer only is written so: words of other languages, and untrusted text in scripts. */
function mended(named: Source): { readonly source: Source; readonly count: number } {
  const { source, count } = spelled(named)
  try {
    const fixed = fixUntrusted(readSourceFile('', source))
    return { source: { ...source, text: fixed.text }, count: count + fixed.count }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { source, count } // the build tells what is wrong with it
  }
}

/** A source that was deleted, or has lost its last trigger, leaves no workflow behind. */
function isGone(root: string, built: readonly BuiltWorkflow[]): (source: string) => boolean {
  const idle = built.filter(({ compiled }) => !compiled).map(({ source }) => source.file)
  return (source) => idle.includes(source) || !existsSync(join(root, source))
}

function apply(folder: CompiledFolder, { name, status, after }: Change): void {
  if (status === 'stale') folder.remove(name)
  else if (status !== 'unchanged') folder.write(name, after)
}

function shown({ root, check }: BuildOptions, folder: CompiledFolder, change: Change): ShownChange {
  const path = folder.show(change.name)
  const byHand = check === true && change.status === 'changed' && isByHand(root, path, change)
  return { ...change, path, byHand }
}

/**
 * Which of the two was changed last tells: Git where it knows, else the versions of the actions
 * (Dependabot raises them), and without Git the time of the files.
 */
function isByHand(root: string, path: string, { source, before, after }: Change): boolean {
  const isChanged = (file: string) => git(root, 'status', '--porcelain', '--', file)
  const lastCommit = (...files: string[]) => git(root, 'log', '-1', '--format=%H', '--', ...files)
  const changes = [isChanged(path), isChanged(source)]
  if (changes[0] === undefined) {
    return hasNewerActions(before, after) || modified(root, path) > modified(root, source)
  }
  if (changes[0] !== '' && changes[1] === '') return true
  if (changes[0] === '' && changes[1] !== '') return false
  const commits = [lastCommit(path), lastCommit(source), lastCommit(path, source)]
  const areApart = changes[0] === '' && commits[0] !== commits[1]
  if (areApart) return commits[0] === commits[2]
  const isUnknown = changes[0] !== ''
  return (
    hasNewerActions(before, after) || (isUnknown && modified(root, path) > modified(root, source))
  )
}

/** `undefined` where there is no Git, or no repository. */
function git(root: string, ...args: string[]): string | undefined {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore']
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio }).trim()
  } catch {
    return undefined
  }
}

function modified(root: string, file: string): number {
  return statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

const LOCK_FILES = [
  '.github/actions.lock',
  '.github/actions.lock.json',
  '.github/workflows/actions.lock',
]

function lockNotice(root: string): Problem[] {
  return LOCK_FILES.filter((file) => existsSync(join(root, file))).map((file) => ({
    message: `${file} locks the actions of this repository`,
    notes: ['the compiled files run one more: update the lock file after this build'],
  }))
}

/** Milliseconds: editors write a file in several steps. */
const SETTLED = 100

/**
 * Calls `changed` at once, and again after every change in the folders that globs begin with, until
 * the process ends. It watches before the first call, so no change after that one goes unseen; a
 * change during a call leads to one more when it is done.
 */
async function watchFolders(
  root: string,
  globs: readonly string[],
  changed: () => Promise<void>,
): Promise<void> {
  const watcher = await watchBelow(root, globs.map(baseOf), { persistent: true })
  await once(watcher, 'ready')
  for (;;) {
    const change = once(watcher, 'all')
    await changed()
    await change
    await pause(SETTLED)
  }
}
