import type { Problem } from '../wire/errors.ts'
import type { Shell } from '../wire/shell.ts'
import { git } from './git.ts'
import { shellHere } from './terminal.ts'

/** How the branch of this folder gets to the default branch, whose workflows GitHub runs. */
export interface PushFacts {
  /** Name of the default branch, if another branch or a single commit is checked out. */
  readonly defaultBranch?: string | undefined
  /** What `git push` gets: `HEAD`, or `HEAD:<default branch>`. */
  readonly refspec: string
  /** True for a branch without an upstream, which then gets one. */
  readonly isFirst?: boolean
  /** Files whose changes the next commit would contain, too. */
  readonly staged?: readonly string[]
  /** The default branch, if it has commits that this folder lacks, so that a push would be rejected. */
  readonly behind?: string | undefined
}

/**
 * How to push from this folder.
 *
 * @param named the default branch, as GitHub names it; otherwise the clone may know it
 */
export function pushFacts(named?: string): PushFacts {
  const current = git('.', 'symbolic-ref', '--quiet', '--short', 'HEAD')
  const known = named ?? clonedDefault()
  const staged = stagedFiles()
  const behind = isBehind(known) ? known : undefined
  const isDetached =
    current === undefined && git('.', 'rev-parse', '--verify', 'HEAD') !== undefined
  if (!isDetached && (known === undefined || known === current)) {
    const upstream = git('.', 'rev-parse', '--abbrev-ref', '@{upstream}')
    return { refspec: 'HEAD', isFirst: upstream === undefined, staged, behind }
  }
  const branch = known ?? '<default branch>'
  return { defaultBranch: branch, refspec: `HEAD:${branch}`, staged, behind }
}

/** The default branch when this folder was cloned; `undefined` after `git init`. */
function clonedDefault(): string | undefined {
  const name = git('.', 'symbolic-ref', '--quiet', '--short', 'refs/remotes/origin/HEAD')
  return name?.replace(/^origin\//, '')
}

function stagedFiles(): string[] {
  const plain = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all']
  const names = git('.', 'diff', '--cached', '--name-only', '-z', ...plain)
  return names?.split('\0').filter((name) => name !== '') ?? []
}

interface PublishOptions {
  readonly files: readonly string[]
  /** Name of the workflow, for the message of the commit. */
  readonly workflow: string
  readonly isCommitted: boolean
  readonly push: PushFacts
  readonly shell: Shell
}

/** The lines for a shell that commit files, unless they are committed, and push them. */
export function publishLines(options: PublishOptions): string[] {
  const { files, workflow, isCommitted, push, shell } = options
  const { defaultBranch, refspec, isFirst = false, staged = [], behind } = push
  const names = files.join(' ')
  // Other staged changes are not part of the commit.
  const only = staged.some((name) => !files.includes(name)) ? ` -- ${names}` : ''
  const commit = isCommitted
    ? []
    : [`git add ${names}`, `git commit -m 'Add the workflow ${workflow}'${only}`]
  const pushing = [
    ...(behind === undefined ? [] : [pullLine(shell, behind, true)]),
    `git push ${isFirst ? '-u ' : ''}origin ${quotedRef(refspec, shell)}`,
  ]
  if (defaultBranch === undefined) return [shell.chained([...commit, ...pushing])]
  return [
    ...(commit.length > 0 ? [shell.chained(commit)] : []),
    `# GitHub runs the workflow of the branch ${defaultBranch}. Merge your branch into it, or push to it:`,
    shell.chained(pushing),
  ]
}

/** Names of branches may contain characters that a shell would execute. */
function quotedRef(name: string, shell: Shell): string {
  return /^[\w./:-]+$/.test(name) ? name : shell.quoted(name)
}

/** True if the last commit contains the files as they are here. */
function areCommitted(files: readonly string[]): boolean {
  const changes = git('.', 'status', '--porcelain', '--ignore-submodules=all', '--', ...files)
  return changes === '' && files.every((file) => blobOf('HEAD', file) !== undefined)
}

/**
 * Compares the files with the default branch, as this clone knows the branch since its last fetch or push.
 *
 * @param named the default branch, as GitHub names it
 */
export function arePublished(files: readonly string[], named?: string): boolean {
  const current = git('.', 'symbolic-ref', '--quiet', '--short', 'HEAD')
  const branch = named ?? clonedDefault() ?? current
  const remote = `refs/remotes/origin/${branch}`
  return areCommitted(files) && files.every((file) => blobOf('HEAD', file) === blobOf(remote, file))
}

/** True if the default branch has every commit of this folder, so that there is nothing to push. */
function isContained(branch = clonedDefault()): boolean {
  const remote = `refs/remotes/origin/${branch}`
  return git('.', 'merge-base', '--is-ancestor', 'HEAD', remote) !== undefined
}

/** True if the default branch, as this clone knows it, has commits that this folder lacks. */
function isBehind(branch: string | undefined): boolean {
  const remote = `refs/remotes/origin/${branch}`
  return (
    git('.', 'rev-parse', '--quiet', '--verify', remote) !== undefined &&
    git('.', 'merge-base', '--is-ancestor', remote, 'HEAD') === undefined
  )
}

/** True if no commit of this folder changed the files since it left the default branch. */
function areUnchanged(files: readonly string[], branch: string): boolean {
  const base = git('.', 'merge-base', 'HEAD', `refs/remotes/origin/${branch}`)
  return (
    base !== undefined &&
    areCommitted(files) &&
    files.every((file) => blobOf('HEAD', file) === blobOf(base, file))
  )
}

/**
 * The command that gets the commits of the default branch.
 *
 * @param isMerge true if this folder has commits of its own; git then wants to know how to join them
 */
function pullLine(shell: Shell, branch = clonedDefault(), isMerge = !isContained(branch)): string {
  return `git pull ${isMerge ? '--no-rebase ' : ''}origin ${quotedRef(branch ?? 'HEAD', shell)}`
}

function blobOf(revision: string, file: string): string | undefined {
  return git('.', 'rev-parse', '--quiet', '--verify', `${revision}:${file}`)
}

/** GitHub reads no workflow in a folder below the root of its repository. */
export function subfolderProblem(): Problem | undefined {
  const up = git('.', 'rev-parse', '--show-cdup')?.replace(/\/$/, '') ?? ''
  if (up === '') return undefined
  return {
    message: 'this is a subfolder of a repository, and GitHub reads workflows only at the root',
    hint: `Run: cd ${up}; or make this folder a repository: git init`,
  }
}

/**
 * Commits the files, unless they are committed, and pushes them to the default branch. A folder that has
 * nothing to push is behind.
 *
 * @param branch the default branch, as GitHub names it
 */
export function pushCommand(target: PushedTarget, branch?: string): string {
  const isCommitted = areCommitted(target.files)
  if (isCommitted && isContained(branch)) return pullLine(shellHere(), branch)
  return commitAndPush(target, branch, isCommitted)
}

/** The commands that make a file the same as on the default branch, which has another one. */
export function equalizeCommand(target: PushedTarget, branch: string): string {
  return areUnchanged(target.files, branch)
    ? pullLine(shellHere(), branch)
    : pushCommand(target, branch)
}

interface PushedTarget {
  readonly files: readonly string[]
  readonly workflow: string
}

/** The commands that push files which are changed first, or are committed already. */
export function commitAndPush(
  { files, workflow }: PushedTarget,
  branch?: string,
  isCommitted = false,
): string {
  const options = { files, workflow, isCommitted, push: pushFacts(branch), shell: shellHere() }
  return publishLines(options).join('\n')
}
