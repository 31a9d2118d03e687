import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { createTwoFilesPatch } from 'diff'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import { findingJson } from '../check/reports.ts'
import { type ActionLock, LOCK_FILE } from '../compiler/action-lock.ts'
import type { CompileOptions } from '../compiler/compile.ts'
import { type CompiledChange, changesOf } from '../compiler/compiled-files.ts'
import { SETTINGS_FILE } from '../compiler/compiler-settings.ts'
import { readSourceFile } from '../compiler/source-file.ts'
import { versionsIn } from '../compiler/uses.ts'
import { type Finding, ofLevel, UserError } from '../wire/errors.ts'
import { printable } from '../wire/printable.ts'
import { asFindings, type Mistake } from '../workflow/mistakes.ts'
import {
  buildWorkflows,
  filesWithSources,
  findingsOf,
  printFindings,
  repositoryFiles,
} from './build-workflows.ts'
import { CompiledFolder, foreignMistake, handEdits } from './compiled-folder.ts'
import { findSourceFiles, NATIVE_FOLDER, readSource } from './files.ts'
import { repositorySettings } from './settings-file.ts'
import { print, printJson } from './terminal.ts'

interface BuildCommandOptions extends Omit<BuildOptions, 'root' | 'globs'> {
  readonly explain?: boolean
  readonly json?: boolean | undefined
}

export function buildCommand(): Command {
  return new Command('build')
    .description('compile workflows/*.yml into native workflows')
    .argument('[files...]', 'workflow files or globs', [DEFAULT_GLOB])
    .option('--check', 'write nothing; show differences and exit 1')
    .option('--force', 'overwrite compiled files with manual changes')
    .addOption(
      new Option('--explain', 'write nothing; show which job runs for which event').conflicts(
        'check',
      ),
    )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Settings come from "hookline:" in the workflow file, then from
${SETTINGS_FILE}.

Examples:
  $ hookline build
  $ hookline build --check`,
    )
    .action(async (globs: string[], { json, explain, ...options }: BuildCommandOptions) => {
      if (explain) {
        process.exitCode = await explainAll(globs, { ...options, json })
        return
      }
      const built = await build({ ...options, root: process.cwd(), globs })
      process.exitCode = printBuild(built, { json, ...options })
    })
}

/** Prints which jobs of each source run for which event. @returns the exit code */
async function explainAll(globs: string[], options: BuildCommandOptions): Promise<number> {
  const { json, ...given } = options
  const root = process.cwd()
  const built = await build({ ...given, root, globs, check: true })
  if (ofLevel(built.findings, 'error').length > 0)
    return printBuild({ ...built, changes: [] }, { json })
  const { explainFile, formatExplained } = await import('./explain-jobs.ts')
  const files = findSourceFiles(root, globs).flatMap(({ name, file }) => {
    const source = readSourceFile(name, readSource(root, file))
    return source.triggers.length > 0 ? [explainFile(source)] : []
  })
  if (json) printJson({ ok: true, files })
  else print(printable(files.map(formatExplained).join('\n\n')))
  return 0
}

/** Prints the result of a build for a person or a program. @returns the exit code */
function printBuild(
  { changes, findings }: Build,
  { json, check = false }: { readonly json?: boolean | undefined; readonly check?: boolean },
): number {
  const isStale = check && changes.some(({ status }) => status !== 'unchanged')
  const code = isStale || ofLevel(findings, 'error').length > 0 ? 1 : 0
  if (json) {
    const files = changes.map(({ path, source, status, isEdited }) => {
      return { path, source, status, ...(isEdited && { isEdited }) }
    })
    printJson({ ok: code === 0, files, findings: findings.map(findingJson) })
    return code
  }
  printFindings(findings)
  for (const change of changes) {
    const { status, path, source } = change
    print(printable(check ? difference(change) : `${VERBS[status]} ${path} (from ${source})`))
  }
  if (!check) return code
  const edited = changes.filter(({ isEdited }) => isEdited)
  for (const change of edited) printError(editedMessage(change))
  if (changes.some(({ status, isEdited }) => status !== 'unchanged' && !isEdited)) {
    printError('compiled files are not up to date: run "hookline build" and commit them')
  }
  return code
}

const VERBS = { new: 'wrote', changed: 'wrote', unchanged: 'unchanged', stale: 'removed' } as const

function difference({ path, status, before, after }: FileChange): string {
  if (status === 'unchanged') return `up to date ${path}`
  return createTwoFilesPatch(path, path, before, after, status, 'compiled now').trimEnd()
}

function printError(text: string): void {
  process.stderr.write(`error: ${printable(text)}\n`)
}

export interface BuildOptions extends CompileOptions {
  readonly root: string
  readonly globs: readonly string[]
  readonly check?: boolean
  readonly force?: boolean
}

export interface Build {
  /** Errors first. */
  readonly findings: readonly Finding[]
  /** The changes of sources without an error. */
  readonly changes: readonly FileChange[]
}

interface FileChange extends CompiledChange {
  /** From the root of the repository. */
  readonly path: string
  /** Whether the compiled file was edited and its source was not. */
  readonly isEdited: boolean
}

/**
 * Compiles sources, and writes the compiled files unless `check` is set. The result is atomic per
 * source: if a source has an error, none of its files are written or removed. The other sources are written.
 */
export async function build(options: BuildOptions): Promise<Build> {
  try {
    const { root, check = false, force = false } = options
    // 1. Read.
    const called = repositoryFiles(root, true)
    const files = findSourceFiles(root, options.globs).map((named) => {
      return { ...named, source: readSource(root, named.file) }
    })
    const folder = new CompiledFolder(root)
    const existing = folder.compiled()
    const written = repositorySettings(root)
    // 2. Compile in memory.
    const built = await buildWorkflows(files, { ...written, ...options, existing }, called)
    const compiled = filesWithSources(built)
    // 3. Compare with the folder.
    const idle = built.filter((one) => one.files.length === 0 && !one.hasErrors)
    const isGone = (source: string) =>
      idle.some((one) => one.source.file === source) || !existsSync(join(root, source))
    const isEdited = handEdits(root, { alsoCommitted: check })
    const foreign = compiled.map(({ file }) => file.name).filter((name) => folder.isForeign(name))
    const changes = changesOf(compiled, existing, isGone).map((change): FileChange => {
      const path = `${NATIVE_FOLDER}/${change.name}`
      return { ...change, path, isEdited: isEdited(path, change) }
    })
    // 4. Leave out the sources whose files may not be written.
    const edited = check || force ? [] : changes.filter((change) => change.isEdited)
    const refused = new Set([
      ...built.filter((one) => one.hasErrors).map((one) => one.source.file),
      ...changes.filter(({ name }) => foreign.includes(name)).map(({ source }) => source),
      ...edited.map(({ source }) => source),
    ])
    const writable = changes.filter(({ source }) => !refused.has(source))
    // 5. Write.
    if (!check) {
      for (const { name, source, status, after } of writable) {
        if (status === 'stale') folder.remove(name)
        // Copy the source's mtime; a newer mtime then means a manual edit.
        else if (status !== 'unchanged')
          folder.write(name, after, statSync(join(root, source)).mtime)
      }
    }
    const errors = [
      ...foreign.map(foreignMistake),
      ...edited.map((change) => ({
        code: 'changed-by-hand',
        message: editedMessage(change),
        notes: ['the file is not written; to overwrite it, run: hookline build --force'],
      })),
    ]
    const findings = [
      ...asFindings(errors, 'error'),
      ...findingsOf(built, false, called.findings),
      ...asFindings(lockNotices(written.lock, writable), 'warning'),
    ]
    return {
      changes: writable,
      findings: [...ofLevel(findings, 'error'), ...ofLevel(findings, 'warning')],
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { changes: [], findings: asFindings(error.problems, 'error') }
  }
}

function editedMessage({ path, source }: FileChange): string {
  return `${path} was edited manually: move the change to ${source}`
}

/** GitHub runs only the versions in its lock file, for the workflows that the lock file names. */
function lockNotices(lock: ActionLock | undefined, changes: readonly FileChange[]): Mistake[] {
  return changes.flatMap(({ path, after }) => {
    const missing = lock?.locks(path)
      ? versionsIn(after).find((one) => !lock.names(path, one))
      : undefined
    if (!missing) return []
    const message = `${path} runs ${missing.action}@${missing.ref}, which is not in ${LOCK_FILE}`
    return [{ code: 'not-locked', message, hint: 'run: gh actions-lock' }]
  })
}
