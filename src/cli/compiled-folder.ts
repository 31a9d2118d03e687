import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { type Change, hasConflict, hasNewerActions, originOf } from '../compiler/made-files.ts'
import { Refusal } from '../workflow/mistakes.ts'
import { environmentFor, GIT_VARIABLES } from './programs.ts'

/** The folder that compiled files are written into: never beyond it, never over a person's file. */
export class CompiledFolder {
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
    throw new Refusal(
      foreign.map((file) => ({
        code: 'not-compiled',
        message: `${file} was not written by hookline build, so it is left as it is`,
        notes: ['move or delete it, or rename the workflow that would be compiled there'],
      })),
    )
  }

  /** Replaces or makes a file in one step; a link of that name is replaced, not followed. */
  write(name: string, text: string, modified: Date): void {
    this.refuseForeign([name])
    mkdirSync(this.#folder, { recursive: true })
    this.#checkLinks()
    const part = join(this.#folder, `.${name}.part`)
    rmSync(part, { force: true })
    writeFileSync(part, text, { flag: 'wx' })
    utimesSync(part, modified, modified)
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
    throw new Refusal({
      code: 'no-file',
      message: `${this.show('')} leads elsewhere by a symbolic link`,
      notes: ['compiled files are written only into the folder itself'],
    })
  }
}

function nearestExisting(path: string): string {
  const exists = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  return exists || dirname(path) === path ? path : nearestExisting(dirname(path))
}

/** Milliseconds by which some file systems round the time of a file. */
const ROUNDED = 10

/**
 * Tells the compiled files that somebody has changed, and not their sources. What Git holds no commit
 * of is judged by the time of the files.
 *
 * @param folder of the compiled files, from the root
 * @param alsoCommitted also those of which a commit keeps what was changed; without it, of these only
 *   the ones in which later versions of actions are all that differs, as bots make them
 */
export function handEdits(
  root: string,
  folder: string,
  { alsoCommitted }: { readonly alsoCommitted: boolean },
): (path: string, change: Change) => boolean {
  let uncommitted: readonly string[] | 'no repository' | undefined
  const isCommitted = (path: string) => {
    uncommitted ??=
      git(root, 'ls-files', '-z', '--modified', '--others', '--', folder || '.')?.split('\0') ??
      'no repository'
    return uncommitted !== 'no repository' && !uncommitted.includes(path)
  }
  return (path, { source, status, before, after }) => {
    const isThere = existsSync(join(root, source))
    if (status === 'new' || status === 'unchanged' || !isThere || hasConflict(before)) return false
    if (!isCommitted(path)) return modified(root, path) > modified(root, source) + ROUNDED
    const isBot = hasNewerActions(before, after)
    if (!isBot && !alsoCommitted) return false
    if (git(root, 'status', '--porcelain', '--', source) !== '') return false
    const lastCommit = (...files: string[]) => git(root, 'log', '-1', '--format=%H', '--', ...files)
    const [ofMade, ofSource] = [lastCommit(path), lastCommit(source)]
    return ofMade === ofSource ? isBot : ofMade === lastCommit(path, source)
  }
}

/** `undefined` where there is no Git, or no repository. */
function git(root: string, ...args: string[]): string | undefined {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore']
    const env = environmentFor(...GIT_VARIABLES)
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio, env }).trim()
  } catch {
    return undefined
  }
}

function modified(root: string, file: string): number {
  return statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
}
