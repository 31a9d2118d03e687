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
import { DEFAULT_GLOB } from '../action/inputs.ts'
import { baseOf, workflowFileFinder } from '../action/workflow-files.ts'
import type { NamedFile } from '../compiler/made-files.ts'
import { type Source, UserError } from '../wire/errors.ts'
import { Refusal } from '../workflow/mistakes.ts'
import { topOf } from '../workflow/nodes.ts'
import { sourceOf } from '../workflow/source-text.ts'
import { isOwnAction } from '../workflow/steps.ts'
import { parseYaml } from '../workflow/yaml.ts'
import { environmentFor, GIT_VARIABLES } from './programs.ts'

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

/** The files to compile where nothing else is said; none if there are none. */
export function defaultSources(root: string): NamedFile[] {
  try {
    return findSourceFiles(root, [DEFAULT_GLOB])
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return []
  }
}

export const NATIVE_FOLDER = '.github/workflows'

/** Whether GitHub itself reads a file. */
export function isNative({ file }: NamedFile): boolean {
  return file.startsWith(`${NATIVE_FOLDER}/`)
}

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
    if (inside.startsWith('..'))
      throw new Refusal({ code: 'no-file', message: `${file} leads out by a link` })
    const source = readText(file, path)
    const text = source.text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
    return { ...source, text, ...(USES_ROOT.test(text) && judgedRoot(root)) }
  } catch (cause) {
    if (cause instanceof UserError) throw cause
    throw new Refusal({ code: 'no-file', message: `${file} cannot be read` }, { cause })
  }
}

/** Its bytes are looked at only where the text shows that they are not plain UTF-8: that is slow. */
function readText(file: string, path: string): Source {
  const text = readFileSync(path, 'utf8')
  return /[\0\uFFFD]/.test(text) ? sourceOf(file, readFileSync(path)) : { name: file, file, text }
}

/** An action of the repository itself: `uses: ./`, or the one beside it. */
const USES_ROOT = /uses['"]?\s*:\s*['"]?[.$]\/(?:reply\/*)?['"]?\s*(?:[#,}\]]|$)/im

/** Whether `uses: ./` in a repository is another action than ours. */
function judgedRoot(root: string): Pick<Source, 'hasOtherAction'> {
  const file = ['action.yml', 'action.yaml'].find((name) => existsSync(join(root, name)))
  if (file === undefined) return { hasOtherAction: true }
  try {
    const action = parseYaml({ name: file, file, text: readFileSync(join(root, file), 'utf8') })
    return { hasOtherAction: !isOwnAction(topOf(action)) }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { hasOtherAction: true } // GitHub cannot read it either
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
      env: environmentFor(...GIT_VARIABLES),
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

interface Watched {
  readonly root: string
  readonly globs: readonly string[]
  /** Further files and folders, absolute or from the root. */
  readonly more?: readonly string[]
  /** Whether it keeps the process alive. */
  readonly persistent: boolean
}

/**
 * Watches the folders of a repository in which globs find files, from its root: they may not be there
 * yet, and may be gone for a while, as with `git checkout`.
 */
export async function watchGlobs({
  root,
  globs,
  more = [],
  persistent,
}: Watched): Promise<FSWatcher> {
  const { watch } = await import('chokidar')
  // What a glob with "!" takes out, another one finds.
  const bases = globs.filter((glob) => !glob.startsWith('!')).map((glob) => baseOf(root, glob))
  const places = [...bases, ...more].map((place) => slashed(relative(root, resolve(root, place))))
  const isOnTheWay = (path: string) =>
    places.some((place) => place === '' || isWithin(path, place) || isWithin(place, path))
  return watch(root, {
    ignoreInitial: true,
    persistent,
    ignored(path) {
      const below = slashed(relative(root, path))
      return below !== '' && (NOT_SOURCES.test(`/${below}`) || !isOnTheWay(below))
    },
  })
}

function slashed(path: string): string {
  return path.split(sep).join('/')
}

function isWithin(path: string, folder: string): boolean {
  return `${path}/`.startsWith(`${folder}/`)
}
