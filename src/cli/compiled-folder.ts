import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import {
  type CompiledChange,
  hasConflict,
  hasNewerActions,
  originOf,
} from '../compiler/compiled-files.ts'
import { FatalMistake, type Mistake } from '../workflow/mistakes.ts'
import { inFormOf, NATIVE_FOLDER, writeText } from './files.ts'
import { git } from './git.ts'

/** The folder of the compiled files. It writes only into the folder, and only over compiled files. */
export class CompiledFolder {
  readonly #root: string
  readonly #folder: string

  constructor(root: string) {
    this.#root = root
    this.#folder = join(root, NATIVE_FOLDER)
  }

  /** Reads the compiled files, by name. @throws UserError if a symbolic link leads out of the folder */
  compiled(): Map<string, string> {
    this.#checkLinks()
    const names = this.#names().filter((name) => /\.ya?ml$/.test(name))
    const files = names.flatMap((name) => {
      const text = this.#textOf(name)
      return text !== undefined && originOf(text) ? [[name, text] as const] : []
    })
    return new Map(files)
  }

  /**
   * Writes a file atomically; a link of that name is replaced, not followed. An existing file keeps
   * its line breaks.
   */
  write(name: string, text: string, modified: Date): void {
    this.#refuseForeign(name)
    mkdirSync(this.#folder, { recursive: true })
    this.#checkLinks()
    const path = join(this.#folder, name)
    const existing = existsSync(path) ? this.#textOf(name) : undefined
    writeText(path, inFormOf(existing ?? '', text), { modified })
  }

  /** Removes a compiled file. */
  remove(name: string): void {
    this.#refuseForeign(name)
    rmSync(join(this.#folder, name))
  }

  /** Another process may have put a file here after the check of `build`. */
  #refuseForeign(name: string): void {
    if (this.isForeign(name)) throw new FatalMistake(foreignMistake(name))
  }

  /** Whether the name belongs to a file that no build wrote. */
  isForeign(name: string): boolean {
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

  /** A symbolic link in the path of the folder could lead out of the repository. */
  #checkLinks(): void {
    const there = nearestExisting(this.#folder)
    const expected = resolve(realpathSync(this.#root), relative(this.#root, there))
    if (realpathSync(there) === expected) return
    throw new FatalMistake({
      code: 'no-file',
      message: `${NATIVE_FOLDER} is reached by a symbolic link`,
      notes: ['replace the link by a folder'],
    })
  }
}

export function foreignMistake(name: string): Mistake {
  return {
    code: 'not-compiled',
    message: `${NATIVE_FOLDER}/${name} was not written by hookline build, so it is not overwritten`,
    notes: ['move or delete the file, or rename the workflow'],
  }
}

function nearestExisting(path: string): string {
  const exists = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  return exists || dirname(path) === path ? path : nearestExisting(dirname(path))
}

/** Some file systems round the time of a file by so many milliseconds. */
const ROUNDED = 10

/**
 * Returns a test for compiled files that were edited and whose sources were not. For files without a
 * commit, the modification times decide.
 *
 * @param alsoCommitted whether a committed edit counts, too; without it, a committed edit counts only if
 *   it raises versions of actions, as bots do
 */
export function handEdits(
  root: string,
  { alsoCommitted }: { readonly alsoCommitted: boolean },
): (path: string, change: CompiledChange) => boolean {
  let uncommitted: readonly string[] | 'no repository' | undefined
  const isCommitted = (path: string) => {
    uncommitted ??=
      git(root, 'ls-files', '-z', '--modified', '--others', '--', NATIVE_FOLDER)?.split('\0') ??
      'no repository'
    return uncommitted !== 'no repository' && !uncommitted.includes(path)
  }
  return (path, { source, status, before, after }) => {
    const isThere = existsSync(join(root, source))
    if (status === 'new' || status === 'unchanged' || !isThere || hasConflict(before)) return false
    if (!isCommitted(path)) return modified(root, path) > modified(root, source) + ROUNDED
    const isBot = hasNewerActions(before, after)
    if (!isBot && !alsoCommitted) return false
    if (git(root, 'status', '--porcelain', '--ignore-submodules=all', '--', source) !== '')
      return false
    const lastCommit = (...files: string[]) => git(root, 'log', '-1', '--format=%H', '--', ...files)
    const [ofMade, ofSource] = [lastCommit(path), lastCommit(source)]
    return ofMade === ofSource ? isBot : ofMade === lastCommit(path, source)
  }
}

function modified(root: string, file: string): number {
  return statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
}
