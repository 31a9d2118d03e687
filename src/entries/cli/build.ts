import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Change, changesOf } from '../../compiler/changes.ts'
import type { CompileOptions } from '../../compiler/compile.ts'
import { readSourceFile } from '../../compiler/source-file.ts'
import { fixUntrusted } from '../../compiler/untrusted/fix.ts'
import { type Problem, UserError } from '../../wire/errors.ts'
import { type BuiltWorkflow, buildWorkflows } from './build-workflows.ts'
import { CompiledFolder } from './compiled-folder.ts'
import { findSourceFiles, readSource, writeSource } from './source-files.ts'

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
export interface ShownChange extends Change {
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
