import { execFileSync } from 'node:child_process'
import {
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, parse, relative, resolve, sep } from 'node:path'
import type { FSWatcher } from 'chokidar'
import { workflowFileFinder } from '../action/workflow-files.ts'
import type { NamedFile } from '../compiler/made-files.ts'
import { type Source, UserError } from '../wire/errors.ts'

/** The workflow files that globs name; a folder is all of its files. @throws UserError when there are none */
export function findSourceFiles(root: string, globs: readonly string[]): NamedFile[] {
  const advice = ['workflows with triggers of Hookline stand in workflows/']
  const isFolder = (glob: string) =>
    statSync(resolve(root, glob), { throwIfNoEntry: false })?.isDirectory()
  const files = globs.map((glob) =>
    isFolder(glob) ? `${glob.replace(/\/+$/, '')}/**/*.{yml,yaml}` : glob,
  )
  return workflowFileFinder({ root, globs: files, advice })()
}

export const NATIVE_FOLDER = '.github/workflows'

/** The workflow files that GitHub itself reads, in alphabetical order. */
export function nativeFiles(root: string): NamedFile[] {
  const folder = join(root, NATIVE_FOLDER)
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()
    .map((name) => ({ name: parse(name).name, file: `${NATIVE_FOLDER}/${name}` }))
}

/**
 * Reads a workflow file, with the line breaks of Unix: so it is compiled alike on every machine.
 *
 * @throws UserError when it cannot be read, or a link leads out of the repository
 */
export function readSource(root: string, file: string): Source {
  const path = join(root, file)
  try {
    const inside = relative(realpathSync(root), realpathSync(path))
    if (inside.startsWith('..')) throw new UserError({ message: `${file} leads out by a link` })
    const text = readFileSync(path, 'utf8')
      .replace(/^\uFEFF/, '')
      .replaceAll('\r\n', '\n')
    return { name: file, file, text }
  } catch (cause) {
    if (cause instanceof UserError) throw cause
    throw new UserError({ message: `${file} cannot be read` }, { cause })
  }
}

/** Replaces a workflow file in one step; a link where the new text is written first is not followed. */
export function writeSource(root: string, file: string, text: string): void {
  const path = realpathSync(join(root, file))
  rmSync(`${path}.part`, { force: true })
  writeFileSync(`${path}.part`, text, { flag: 'wx' })
  renameSync(`${path}.part`, path)
}

/** `owner/name` of the git remote `origin`; empty where there is none, or no git. */
export function originRepository(): string {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const
    const url = execFileSync('git', ['remote', 'get-url', 'origin'], {
      encoding: 'utf8',
      stdio: [...stdio],
    })
    // The last two parts of an address: `https://host/owner/name.git` as well as `git@host:owner/name`.
    const [, owner, name] = /[/:]([\w-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url.trim()) ?? []
    return owner && name ? `${owner}/${name}` : ''
  } catch {
    return ''
  }
}

/** Folders in which nobody writes a workflow file. */
const NOT_SOURCES = /[\\/](?:\.git|node_modules)(?:[\\/]|$)/

/** The part of a glob before its first wildcard: `workflows` of `workflows/**`. */
export function baseOf(glob: string): string {
  const segments = glob.split('/')
  const wild = segments.findIndex((segment) => /[*?[\]{}()!+@]/.test(segment))
  return segments.slice(0, wild < 0 ? -1 : wild).join('/') || '.'
}

/**
 * Watches some folders of a repository, from its root: they may not be there yet, and may be gone for
 * a while, as with `git checkout`.
 */
export async function watchBelow(
  root: string,
  folders: readonly string[],
  { persistent }: { readonly persistent: boolean },
): Promise<FSWatcher> {
  const { watch } = await import('chokidar')
  const isOnTheWay = (path: string) =>
    folders.some((folder) => folder === '.' || isWithin(path, folder) || isWithin(folder, path))
  return watch(root, {
    ignoreInitial: true,
    persistent,
    ignored(path) {
      const below = relative(root, path).split(sep).join('/')
      return below !== '' && (NOT_SOURCES.test(`/${below}`) || !isOnTheWay(below))
    },
  })
}

function isWithin(path: string, folder: string): boolean {
  return `${path}/`.startsWith(`${folder}/`)
}
