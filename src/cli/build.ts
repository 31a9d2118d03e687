import { once } from 'node:events'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { createTwoFilesPatch } from 'diff'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import { ACTION } from '../compiler/action-reference.ts'
import { type Change, changesOf } from '../compiler/changes.ts'
import type { CompileOptions } from '../compiler/compile.ts'
import { originOf } from '../compiler/generated.ts'
import { readSourceFile } from '../compiler/source-file.ts'
import { fixUntrusted } from '../compiler/untrusted/fix.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import { type BuiltWorkflow, buildWorkflows } from './build-workflows.ts'
import { findSourceFiles, readSource, writeSource } from './files.ts'
import { problemJson } from './terminal.ts'

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
  for (const { file, count } of build.fixed) print(`fixed ${file}: ${count} moved into env`)
  for (const change of build.changes) print(check ? difference(change) : done(change))
  if (isStale)
    tell('error: compiled files are not up to date: run "hookline build" and commit them')
  return code
}

function buildJson({ changes, errors, warnings, fixed }: Build, code: number) {
  return {
    ok: code === 0,
    files: changes.map(({ path, source, status }) => ({ path, source, status })),
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

function print(text: string): void {
  process.stdout.write(`${text}\n`)
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
export interface Build {
  readonly changes: readonly ShownChange[]
  readonly errors: readonly Problem[]
  readonly warnings: readonly Problem[]
  /** Findings that `--fix` took care of, by workflow file. */
  readonly fixed: readonly { readonly file: string; readonly count: number }[]
}

/** A change with the path of its file from the root. */
interface ShownChange extends Change {
  readonly path: string
}

/** Compiles, and writes unless it only checks or something is wrong: then nothing is written at all. */
export async function build(options: BuildOptions): Promise<Build> {
  try {
    const sources = findSourceFiles(options.root, options.globs)
    const fixed = options.fix ? sources.flatMap(({ file }) => fixFile(options.root, file)) : []
    const built = await buildWorkflows(options.root, sources, options)
    return { ...writeBuilt(options, built), fixed }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { changes: [], errors: error.problems, warnings: [], fixed: [] }
  }
}

function writeBuilt(options: BuildOptions, built: readonly BuiltWorkflow[]): Omit<Build, 'fixed'> {
  const untrusted = built.flatMap((one) => one.untrusted)
  const errors = [
    ...built.flatMap(({ problems }) => problems),
    ...(options.strict ? untrusted : []),
  ]
  const notices = [...built.flatMap((one) => one.notices), ...lockNotice(options.root)]
  const warnings = [...(options.strict ? [] : untrusted), ...notices]
  if (errors.length > 0) return { changes: [], errors, warnings }
  const folder = new CompiledFolder(options.root, options.out)
  const compiled = built.flatMap((one) => one.compiled?.files ?? [])
  folder.refuseForeign(compiled.map(({ name }) => name))
  const changes = changesOf(compiled, folder.compiled(), isGone(options.root, built))
  if (!options.check) for (const change of changes) apply(folder, change)
  const shown = changes.map((change) => ({ ...change, path: folder.show(change.name) }))
  return { changes: shown, errors, warnings }
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

function fixFile(root: string, file: string): { file: string; count: number }[] {
  const source = readSource(root, file)
  const { text, count } = fixUntrusted(readSourceFile('', source))
  if (count === 0) return []
  writeSource(root, file, text)
  return [{ file, count }]
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

const NOT_SOURCES = /[\\/](?:\.git|node_modules)(?:[\\/]|$)/

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
  const { watch } = await import('chokidar')
  const folders = new Set(globs.map((glob) => join(root, baseOf(glob))))
  const watcher = watch([...folders], {
    ignoreInitial: true,
    ignored: (path) => NOT_SOURCES.test(path.slice(root.length)),
  })
  await once(watcher, 'ready')
  for (;;) {
    const change = once(watcher, 'all')
    await changed()
    await change
    await pause(SETTLED)
  }
}

/** The part of a glob before its first wildcard: `workflows` of `workflows/**`. */
function baseOf(glob: string): string {
  const segments = glob.split('/')
  const wild = segments.findIndex((segment) => /[*?[\]{}()!+@]/.test(segment))
  return segments.slice(0, wild < 0 ? -1 : wild).join('/') || '.'
}

/** The folder that compiled files are written into: never beyond it, never over a person's file. */
class CompiledFolder {
  readonly #root: string
  readonly #folder: string

  /** @param out the folder, from `root` */
  constructor(root: string, out: string) {
    this.#root = root
    this.#folder = resolve(root, out)
  }

  /** How a file of the folder is shown: its path from the root, with forward slashes. */
  show(name: string): string {
    return relative(this.#root, join(this.#folder, name)).split(sep).join('/')
  }

  /** The compiled files that are there, by name. @throws UserError where links lead elsewhere */
  compiled(): Map<string, string> {
    this.#checkLinks()
    const names = this.#names().filter((name) => /\.ya?ml$/.test(name))
    const files = names.flatMap((name) => {
      const text = this.#textOf(name)
      return text !== undefined && originOf(text) ? [[name, text] as const] : []
    })
    return new Map(files)
  }

  /** @throws UserError naming every file that is not a compiled one, though one would go there */
  refuseForeign(names: readonly string[]): void {
    const foreign = names.filter((name) => this.#isForeign(name)).map((name) => this.show(name))
    if (foreign.length === 0) return
    throw new UserError(
      foreign.map((file) => ({
        message: `${file} was not written by hookline build, so it is left as it is`,
        notes: ['move or delete it, or rename the workflow that would be compiled there'],
      })),
    )
  }

  /** Replaces or makes a file in one step; a link of that name is replaced, not followed. */
  write(name: string, text: string): void {
    this.refuseForeign([name])
    mkdirSync(this.#folder, { recursive: true })
    this.#checkLinks()
    const part = join(this.#folder, `.${name}.part`)
    rmSync(part, { force: true })
    writeFileSync(part, text, { flag: 'wx' })
    renameSync(part, join(this.#folder, name))
  }

  /** Removes a compiled file. */
  remove(name: string): void {
    this.refuseForeign([name])
    rmSync(join(this.#folder, name))
  }

  #isForeign(name: string): boolean {
    const stat = lstatSync(join(this.#folder, name), { throwIfNoEntry: false })
    if (!stat) return false
    return !stat.isFile() || !originOf(readFileSync(join(this.#folder, name), 'utf8'))
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder).sort()
    } catch {
      return []
    }
  }

  #textOf(name: string): string | undefined {
    const path = join(this.#folder, name)
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : undefined
  }

  /** The folder must lie where its path says: a link on the way could lead out of the repository. */
  #checkLinks(): void {
    const there = nearestExisting(this.#folder)
    const expected = resolve(realpathSync(this.#root), relative(this.#root, there))
    if (realpathSync(there) === expected) return
    throw new UserError({
      message: `${this.show('')} leads elsewhere by a symbolic link`,
      notes: ['compiled files are written only into the folder itself'],
    })
  }
}

function nearestExisting(path: string): string {
  const exists = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  return exists || dirname(path) === path ? path : nearestExisting(dirname(path))
}
