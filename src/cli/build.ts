import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Command, Option } from 'commander'
import { createTwoFilesPatch } from 'diff'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import type { ActionLock } from '../compiler/action-lock.ts'
import { LOCK_FILE } from '../compiler/action-lock.ts'
import type { CompileOptions } from '../compiler/compile.ts'
import { type Change, changesOf } from '../compiler/made-files.ts'
import { SETTINGS_FILE } from '../compiler/settings.ts'
import { readSourceFile } from '../compiler/source-file.ts'
import { versionsIn } from '../compiler/uses.ts'
import { findingJson } from '../lint/reports.ts'
import { type Finding, ofLevel, UserError } from '../wire/errors.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { asFindings, type Mistake, Refusal } from '../workflow/mistakes.ts'
import {
  buildWorkflows,
  calledBy,
  findingsOf,
  madeFiles,
  onceEach,
  tellFindings,
} from './build-workflows.ts'
import { CompiledFolder, handEdits } from './compiled-folder.ts'
import { findSourceFiles, readSource, watchGlobs, writeSource } from './files.ts'
import { mendedSource } from './mend.ts'
import {
  eventOption,
  platformOption,
  repositorySettings,
  runsOnOption,
  stateOption,
  usesOption,
} from './settings-file.ts'
import { print, reportError } from './terminal.ts'

interface BuildCommandOptions extends Omit<BuildOptions, 'root' | 'globs'> {
  readonly watch?: boolean
  readonly explain?: boolean
  readonly json?: boolean | undefined
}

export function buildCommand(): Command {
  return new Command('build')
    .description('compile workflows/*.yml into native workflows')
    .argument('[files...]', 'workflow files or globs', [DEFAULT_GLOB])
    .option('--out <folder>', 'where compiled files go', '.github/workflows')
    .addOption(usesOption())
    .addOption(stateOption())
    .addOption(eventOption())
    .addOption(runsOnOption())
    .addOption(platformOption())
    .option('--strict', 'untrusted text in a script is an error')
    .addOption(
      new Option('--check', 'write nothing; exit 1 and show what differs').conflicts('fix'),
    )
    .option('--fix', 'mend what has one answer, in the workflow files themselves')
    .option('--force', 'write over compiled files that were changed by hand, too')
    .addOption(new Option('--watch', 'compile again whenever a file changes').conflicts('check'))
    .addOption(
      new Option('--explain', 'write nothing; show which job runs for which event').conflicts([
        'check',
        'fix',
        'watch',
      ]),
    )
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  $ hookline build --state branch:hookline-state')
    .action(async (globs: string[], given: BuildCommandOptions) => {
      const { watch, json, explain, ...options } = given
      if (explain) {
        process.exitCode = await explainAll(globs, { ...options, json })
        return
      }
      const buildAll = async () => {
        const built = await build({ ...options, root: process.cwd(), globs })
        process.exitCode = printBuild(built, { json, check: options.check })
      }
      if (!watch) return buildAll()
      process.stderr.write('watching for changes, Ctrl-C ends\n')
      // A branch without these files, checked out for a moment, is not a reason to end.
      const buildOrReport = () =>
        buildAll().catch((error: unknown) => {
          if (!(error instanceof UserError)) throw error
          process.exitCode = reportError(error)
        })
      await watchFolders(process.cwd(), globs, buildOrReport)
    })
}

/** What the jobs of each source do with each of its events; mistakes are told as a build tells them. */
async function explainAll(globs: string[], options: BuildCommandOptions): Promise<number> {
  const { json, ...given } = options
  const root = process.cwd()
  const built = await build({ ...given, root, globs, check: true })
  // Nothing is made here that a build without a flag could undo.
  const errors = ofLevel(built.findings, 'error').filter(({ code }) => code !== 'unwritten-flag')
  if (errors.length > 0) return printBuild(built, { json, check: false })
  const { explainFile, formatExplained } = await import('./explain.ts')
  const files = findSourceFiles(root, globs).flatMap(({ name, file }) => {
    const source = readSourceFile(name, readSource(root, file))
    return source.triggers.length > 0 ? [explainFile(source)] : []
  })
  const text = json
    ? printableJson(JSON.stringify({ ok: true, files }))
    : printable(files.map(formatExplained).join('\n\n'))
  print(text)
  return 0
}

/** Tells a person, or a program, what a build came to. @returns the exit code */
function printBuild(
  build: Build,
  { json, check }: { readonly json: boolean | undefined; readonly check: boolean | undefined },
): number {
  const isStale = check === true && build.changes.some(({ status }) => status !== 'unchanged')
  const code = isStale || ofLevel(build.findings, 'error').length > 0 ? 1 : 0
  if (json) {
    const { changes, fixed, findings } = build
    const files = changes.map(({ path, source, status, byHand }) => {
      return { path, source, status, ...(byHand && { byHand }) }
    })
    const told = findings.map(findingJson)
    print(printableJson(JSON.stringify({ ok: code === 0, files, fixed, findings: told })))
    return code
  }
  tellFindings(build.findings)
  for (const { file, count } of build.fixed) print(printable(`fixed ${file}: ${count} mended`))
  for (const change of build.changes)
    print(
      printable(
        check
          ? difference(change)
          : `${VERBS[change.status]} ${change.path} (from ${change.source})`,
      ),
    )
  const edited = build.changes.filter(({ byHand }) => byHand)
  for (const change of check ? edited : []) {
    tell(`error: ${byHandMessage(change)}`)
  }
  if (isStale && build.changes.some(({ status, byHand }) => status !== 'unchanged' && !byHand)) {
    tell('error: compiled files are not up to date: run "hookline build" and commit them')
  }
  return code
}

const VERBS = { new: 'wrote', changed: 'wrote', unchanged: 'unchanged', stale: 'removed' } as const

function difference({ path, status, before, after }: ShownChange): string {
  if (status === 'unchanged') return `up to date ${path}`
  return createTwoFilesPatch(path, path, before, after, status, 'compiled now').trimEnd()
}

function tell(text: string): void {
  process.stderr.write(`${printable(text)}\n`)
}

export interface BuildOptions extends CompileOptions {
  readonly root: string
  readonly globs: readonly string[]
  readonly out: string
  readonly strict?: boolean
  readonly check?: boolean
  readonly fix?: boolean
  readonly force?: boolean
}

/** What a build came to. */
export interface Build {
  /** Errors first. */
  readonly findings: readonly Finding[]
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
      return { ...named, ...(options.fix ? mendedSource(source) : { source, count: 0 }) }
    })
    const folder = new CompiledFolder(options.root, options.out)
    const standing = folder.compiled()
    const written = repositorySettings(options.root)
    const built = await buildWorkflows(
      files,
      { ...written, ...options, standing },
      calledBy(options.root, true),
    )
    const findings = findingsOf(built, options.strict ?? false)
    if (ofLevel(findings, 'error').length > 0) return { ...nothing, findings }
    const made = madeFiles(built)
    const locks = lockNotices(
      written.lock,
      made.map(({ file }) => ({ path: folder.show(file.name), text: file.text })),
    )
    folder.refuseForeign(made.map(({ file }) => file.name))
    const idle = built.filter(({ compiled }) => !compiled).map(({ source }) => source.file)
    // A source that was deleted, or has lost its last trigger, leaves no workflow behind.
    const isGone = (source: string) =>
      idle.includes(source) || !existsSync(join(options.root, source))
    const isManual = handEdits(options.root, folder.show(''), {
      alsoCommitted: options.check ?? false,
    })
    const changes = changesOf(made, standing, isGone).map((change): ShownChange => {
      const path = folder.show(change.name)
      return { ...change, path, byHand: isManual(path, change) }
    })
    const fixed = files.filter(({ count }) => count > 0)
    // A build without these flags would undo what this one makes.
    const unwritten = onceEach(built.flatMap((one) => one.unwritten))
    if (!options.check) {
      if (!options.force) refuseEdited(changes)
      for (const { file, source } of fixed) writeSource(options.root, file, source.text)
      for (const { name, source, status, after } of changes) {
        if (status === 'stale') folder.remove(name)
        // As old as its source: so one that is newer was changed by somebody else.
        else if (status !== 'unchanged')
          folder.write(name, after, statSync(join(options.root, source)).mtime)
      }
    }
    return {
      changes,
      fixed: fixed.map(({ file, count }) => ({ file, count })),
      findings: [
        ...asFindings(unwritten, options.check ? 'error' : 'warning'),
        ...findings,
        ...asFindings(locks, 'warning'),
      ],
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { ...nothing, findings: asFindings(error.problems, 'error') }
  }
}

function byHandMessage({ path, source }: ShownChange): string {
  return `changed by hand: ${path}, put it into ${source}`
}

/** @throws UserError naming every file that holds what somebody wrote into it, and nowhere else */
function refuseEdited(changes: readonly ShownChange[]): void {
  const edited = changes.filter(({ byHand }) => byHand)
  if (edited.length === 0) return
  throw new Refusal(
    edited.map((change) => ({
      code: 'changed-by-hand',
      message: byHandMessage(change),
      notes: ['nothing is written; --force writes over it'],
    })),
  )
}

/** Of the workflows that are locked, GitHub runs what the lock file names, and nothing else. */
function lockNotices(
  lock: ActionLock | undefined,
  made: readonly { readonly path: string; readonly text: string }[],
): Mistake[] {
  return made.flatMap(({ path, text }) => {
    const missing = lock?.locks(path)
      ? versionsIn(text).find((one) => !lock.names(path, one))
      : undefined
    if (!missing) return []
    const message = `${path} runs ${missing.action}@${missing.ref}, which ${LOCK_FILE} does not name for it`
    return [{ code: 'not-locked', message, hint: 'run: gh actions-lock' }]
  })
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
  const watcher = await watchGlobs({ root, globs, more: [SETTINGS_FILE], persistent: true })
  await once(watcher, 'ready')
  for (;;) {
    const change = once(watcher, 'all')
    await changed()
    await change
    await pause(SETTLED)
  }
}
