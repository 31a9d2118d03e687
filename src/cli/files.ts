import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join, parse, relative, resolve, sep } from 'node:path'
import type { FSWatcher } from 'chokidar'
import { diffArrays } from 'diff'
import { Minimatch } from 'minimatch'
import { DEFAULT_GLOB } from '../action/inputs.ts'
import { globFolder, workflowFileFinder } from '../action/workflow-files.ts'
import type { NamedFile } from '../compiler/compiled-files.ts'
import { readOrUndefined, type Source, UserError } from '../wire/errors.ts'
import { systemProblem } from '../wire/system-error.ts'
import { FatalMistake } from '../workflow/mistakes.ts'
import { topOf } from '../workflow/nodes.ts'
import { sourceOf, withUnixLines } from '../workflow/source-text.ts'
import { isOwnAction } from '../workflow/steps.ts'
import { parseYaml } from '../workflow/yaml.ts'
import { originHere } from './origin.ts'

/** The workflow files that globs name; a folder is all of its files. @throws UserError when there are none */
export function findSourceFiles(root: string, globs: readonly string[]): NamedFile[] {
  const advice = ['Hookline reads workflow files in workflows/']
  const isFolder = (glob: string) =>
    statSync(resolve(root, glob), { throwIfNoEntry: false })?.isDirectory()
  const files = globs.map((glob) =>
    isFolder(glob) ? `${glob.replace(/\/+$/, '')}/**/*.{yml,yaml}` : glob,
  )
  const matcher = (glob: string) => new Minimatch(glob)
  return workflowFileFinder({ root, globs: files, matcher, advice })()
}

/** The default workflow files; none if there are none. */
export function defaultSources(root: string): NamedFile[] {
  return readOrUndefined(() => findSourceFiles(root, [DEFAULT_GLOB])) ?? []
}

export const NATIVE_FOLDER = '.github/workflows'

/** Whether GitHub reads the file as a workflow. */
export function isNative({ file }: NamedFile): boolean {
  return file.startsWith(`${NATIVE_FOLDER}/`)
}

/** The workflow files that GitHub reads, in alphabetical order. */
export function nativeFiles(root: string): NamedFile[] {
  const folder = join(root, NATIVE_FOLDER)
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => ({ name: parse(name).name, file: `${NATIVE_FOLDER}/${name}` }))
}

/** The path of a workflow that GitHub reads; `undefined` if there is none of this name. */
export function nativeFile(root: string, workflow: string): string | undefined {
  const paths = ['yml', 'yaml'].map((end) => `${NATIVE_FOLDER}/${workflow}.${end}`)
  return paths.find((path) => existsSync(join(root, path)))
}

/**
 * Reads a workflow file with Unix line breaks, so that every machine compiles it to the same text.
 *
 * @throws UserError if the file cannot be read, or a link leads out of the repository
 */
export function readSource(root: string, file: string): Source {
  const path = join(root, file)
  try {
    const inside = relative(realpathSync.native(root), realpathSync.native(path))
    if (inside.startsWith('..')) throw outside(root, path, file)
    const source = decodedSource(file, path)
    const text = withUnixLines(source.text)
    return { ...source, text, ...(USES_ROOT.test(text) && rootAction(root)) }
  } catch (cause) {
    if (cause instanceof UserError) throw cause
    const { message = `${file} cannot be read`, hint } = systemProblem(cause, file) ?? {}
    throw new FatalMistake({ code: 'no-file', message, ...(hint && { hint }) }, { cause })
  }
}

function outside(root: string, path: string, file: string): FatalMistake {
  if (!relative(root, path).startsWith('..')) {
    const message = `${file} is a link that leads out of the repository`
    return new FatalMistake({ code: 'no-file', message })
  }
  return new FatalMistake({
    code: 'no-file',
    message: `${file} is outside of this folder`,
    hint: 'Run the command at the root of the repository that has the file.',
  })
}

/** Decodes the bytes again only if the text contains invalid UTF-8, because that is slow. */
function decodedSource(file: string, path: string): Source {
  const text = readFileSync(path, 'utf8')
  return /[\0\uFFFD]/.test(text) ? sourceOf(file, readFileSync(path)) : { name: file, file, text }
}

/** A step that uses an action of the repository: `uses: ./` or `uses: ./reply`. */
const USES_ROOT = /uses['"]?\s*:\s*['"]?[.$]\/(?:reply\/*)?['"]?\s*(?:[#,}\]]|$)/im

/** Whether `uses: ./` refers to another action than Hookline. */
function rootAction(root: string): Pick<Source, 'hasOtherAction'> {
  const file = ['action.yml', 'action.yaml'].find((name) => existsSync(join(root, name)))
  if (file === undefined) return { hasOtherAction: true }
  const text = withUnixLines(readFileSync(join(root, file), 'utf8'))
  // GitHub cannot read a file with mistakes either.
  const action = readOrUndefined(() => parseYaml({ name: file, file, text }))
  return { hasOtherAction: !action || !isOwnAction(topOf(action)) }
}

/**
 * Replaces a workflow file, and keeps its line breaks and its byte order mark. A symbolic link at
 * the temporary name is not followed.
 *
 * @param text with Unix line breaks
 */
export function writeSource(root: string, file: string, text: string): void {
  const path = realpathSync(join(root, file))
  writeText(path, inFormOf(readFileSync(path, 'utf8'), text))
}

/** @throws UserError that names the option, the path and the errno in words */
export function readFile(file: string, option: string): Uint8Array {
  try {
    return new Uint8Array(readFileSync(file))
  } catch (error) {
    throw fileError(error, `${option} ${file}`)
  }
}

interface WriteOptions {
  /** The flag that named the file. */
  readonly option?: string
  /** Permissions of a new file. */
  readonly mode?: number
  /** Time of the last change. Default: now. */
  readonly modified?: Date
}

/**
 * Writes a file under a temporary name in the same directory and renames it, so that a full disk never
 * leaves half a file.
 *
 * @throws UserError that names the path and the errno in words
 */
export function writeText(
  file: string,
  text: string,
  { option, mode, modified }: WriteOptions = {},
): void {
  const temporary = `${file}.part`
  try {
    rmSync(temporary, { force: true })
    writeFileSync(temporary, text, { flag: 'wx', ...(mode !== undefined && { mode }) })
    if (modified) utimesSync(temporary, modified, modified)
    renameSync(temporary, file)
  } catch (error) {
    removeQuietly(temporary)
    throw fileError(error, option === undefined ? file : `${option} ${file}`)
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file)
  } catch {
    // The first error says why the directory cannot be changed.
  }
}

/** A failed file operation as a user error; any other error is returned unchanged. */
export function fileError(error: unknown, path: string): unknown {
  const problem = systemProblem(error, path)
  return problem ? new UserError(problem, { cause: error }) : error
}

/** `owner/name` of the git remote `origin`; empty without a remote or without git. */
export function originRepository(): string {
  return originHere()?.repository ?? ''
}

/** Folders without workflow files. */
const NOT_SOURCES = /[\\/](?:\.git|node_modules)(?:[\\/]|$)/

interface Watched {
  readonly root: string
  readonly globs: readonly string[]
  /** Further files and folders, absolute or from the root. */
  readonly more?: readonly string[]
}

/**
 * Watches the folders of the globs from the root of the repository, because a folder may not exist yet or
 * may disappear for a moment, for example during `git checkout`.
 */
export async function watchGlobs({ root, globs, more = [] }: Watched): Promise<FSWatcher> {
  const { watch } = await import('chokidar')
  // A glob with "!" excludes files that another glob finds.
  const bases = globs.filter((glob) => !glob.startsWith('!')).map((glob) => globFolder(root, glob))
  const paths = [...bases, ...more].map((path) => slashed(relative(root, resolve(root, path))))
  const isRelevant = (path: string) =>
    paths.some((each) => each === '' || isInFolder(path, each) || isInFolder(each, path))
  return watch(root, {
    ignoreInitial: true,
    persistent: false,
    ignored(path) {
      const below = slashed(relative(root, path))
      return below !== '' && (NOT_SOURCES.test(`/${below}`) || !isRelevant(below))
    },
  })
}

function slashed(path: string): string {
  return path.split(sep).join('/')
}

function isInFolder(path: string, folder: string): boolean {
  return `${path}/`.startsWith(`${folder}/`)
}

/**
 * A changed text in the form of the file that it replaces: with its byte order mark, with the line
 * break of each line that is still there, and with or without a line break at its end. A new line
 * gets the line break of the line before it.
 *
 * @param text with Unix line breaks
 */
export function inFormOf(original: string, text: string): string {
  if (original === '') return text
  const mark = original.startsWith('\uFEFF') ? '\uFEFF' : ''
  const breaks = original.match(/\r\n?|\n/g) ?? []
  const kinds = new Set(breaks)
  const isEnded = /[\r\n]$/.test(original)
  const whole = text.replace(/\n$/, '') + (isEnded ? '\n' : '')
  const [first = '\n', ...others] = kinds
  const broken =
    others.length === 0 ? whole.replaceAll('\n', first) : mixed(original, breaks, whole)
  return mark + broken
}

function mixed(original: string, breaks: readonly string[], text: string): string {
  const lines = text.split('\n')
  const parts: string[] = []
  let [before, after] = [0, 0]
  let current = breaks[0] ?? '\n'
  for (const { added, removed, count } of diffArrays(withUnixLines(original).split('\n'), lines)) {
    if (removed) {
      before += count
      continue
    }
    for (let at = 0; at < count; at++) {
      if (!added) current = breaks[before++] ?? current
      const isLast = after === lines.length - 1
      parts.push(lines[after++] ?? '', isLast ? '' : current)
    }
  }
  return parts.join('')
}
