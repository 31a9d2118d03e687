import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'

type Files = ReadonlyMap<string, string>

/** GitHub's data of a repository: commits by id, and branches that point to them. */
export interface Repository {
  head(branch: string): string | undefined
  /** Moves a branch to a commit; without one, deletes it. */
  set(branch: string, commit: string | undefined): void
  /** Content by path. */
  files(commit: string): Files
  parents(commit: string): readonly string[]
  /** @returns its id */
  tree(files: Files): string
  /** @returns its id */
  commit(tree: string, parents: readonly string[]): string
}

export function memoryRepository(): Repository {
  const trees = new Map<string, Files>()
  const commits = new Map<string, { readonly tree: string; readonly parents: readonly string[] }>()
  const branches = new Map<string, string>()
  return {
    head: (branch) => branches.get(branch),
    set(branch, commit) {
      if (commit === undefined) branches.delete(branch)
      else branches.set(branch, commit)
    },
    files: (commit) => trees.get(commits.get(commit)?.tree ?? '') ?? new Map(),
    parents: (commit) => commits.get(commit)?.parents ?? [],
    tree(files) {
      const id = hash('tree', JSON.stringify([...files]))
      trees.set(id, files)
      return id
    },
    commit(tree, parents) {
      const id = hash('commit', String(commits.size))
      commits.set(id, { tree, parents })
      return id
    },
  }
}

function hash(...parts: string[]): string {
  return createHash('sha1').update(parts.join('')).digest('hex')
}

const WHO = { NAME: 'octo', EMAIL: 'octo@example.com' }

const IDENTITY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) =>
    Object.entries(WHO).map(([key, value]) => [`GIT_${role}_${key}`, value]),
  ),
)

/** A bare git repository, created in this folder. */
export function gitRepository(folder: string): Repository {
  const env = { PATH: process.env.PATH, GIT_DIR: folder, ...IDENTITY }
  const git = (args: readonly string[], input = '', more = {}) =>
    execFileSync('git', args, { env: { ...env, ...more }, input, stdio: ['pipe', 'pipe', 'pipe'] })
      .toString()
      .replace(/\n$/, '')
  execFileSync('git', ['init', '-q', '--bare', folder])
  return {
    head(branch) {
      const told = git(['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`])
      return told === '' ? undefined : told
    },
    set(branch, commit) {
      git([
        'update-ref',
        ...(commit ? [] : ['-d']),
        `refs/heads/${branch}`,
        ...(commit ? [commit] : []),
      ])
    },
    files(commit) {
      const paths = git(['ls-tree', '-r', '-z', '--name-only', commit]).split('\0')
      const named = paths.filter((path) => path !== '')
      return new Map(named.map((path) => [path, `${git(['show', `${commit}:${path}`])}\n`]))
    },
    parents: (commit) => git(['rev-list', '--parents', '-n', '1', commit]).split(' ').slice(1),
    tree(files) {
      const index = { GIT_INDEX_FILE: join(folder, randomUUID()) }
      const lines = [...files].map(([path, text]) => {
        return `100644 ${git(['hash-object', '-w', '--stdin'], text)}\t${path}\n`
      })
      git(['update-index', '--index-info'], lines.join(''), index)
      const id = git(['write-tree'], '', index)
      rmSync(index.GIT_INDEX_FILE)
      return id
    },
    commit(tree, parents) {
      const on = parents.flatMap((parent) => ['-p', parent])
      return git(['commit-tree', tree, ...on, '-m', 'state'])
    },
  }
}
