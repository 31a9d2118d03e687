import { errorCode, type Problem } from './errors.ts'

/** The errno of a file operation in words, with the cure. */
const CAUSES: ReadonlyMap<string, readonly [words: string, cure: string]> = new Map([
  ['ENOENT', ['no such file or directory', 'Check the path.']],
  ['ENOTDIR', ['a part of the path is not a directory', 'Check the path.']],
  ['EISDIR', ['the path is a directory', 'Name a file.']],
  ['EEXIST', ['the file exists already', 'Remove the file, or choose another path.']],
  ['ENOTEMPTY', ['the directory is not empty', 'Empty the directory, or choose another path.']],
  ['EACCES', ['permission denied', 'Change the permissions, or choose another path.']],
  [
    'EPERM',
    ['operation not permitted', 'Change the owner or the permissions, or choose another path.'],
  ],
  ['EROFS', ['the file system is read-only', 'Choose a path on a writable file system.']],
  ['ENOSPC', ['no space left on the device', 'Free disk space, and run the command again.']],
  ['EDQUOT', ['the disk quota is exceeded', 'Free disk space, and run the command again.']],
  ['EFBIG', ['the file is too large', 'Raise the limit (ulimit -f), or choose another path.']],
  ['EMFILE', ['too many open files', 'Raise the limit of open files: ulimit -n 4096']],
  [
    'ENFILE',
    ['too many open files in the system', 'Close other programs, and run the command again.'],
  ],
  ['ENOMEM', ['not enough memory', 'Close other programs, and run the command again.']],
  ['EIO', ['input/output error', 'Check the disk, and run the command again.']],
  ['EBUSY', ['the file is in use', 'Close the program that uses it, and run the command again.']],
  ['ETXTBSY', ['the file is in use', 'Close the program that uses it, and run the command again.']],
  ['ELOOP', ['too many symbolic links', 'Check the links in the path.']],
  ['ENAMETOOLONG', ['the path is too long', 'Choose a shorter path.']],
  ['EXDEV', ['the paths are on different file systems', 'Choose a path on the same file system.']],
  ['EINVAL', ['invalid argument', 'Check the path.']],
])

/**
 * The problem of a failed file operation: path, errno in words, and the cure.
 *
 * @param path in place of the path in the error
 * @returns `undefined` for an error that is not a known error of the operating system
 */
export function systemProblem(error: unknown, path = failedPath(error)): Problem | undefined {
  const code = errorCode(error) ?? ''
  const [words, cure] = CAUSES.get(code) ?? []
  if (words === undefined || cure === undefined || path === undefined) return undefined
  return { message: `${path}: ${words} (${code})`, hint: cure }
}

function failedPath(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { path, dest, syscall } = error as { path?: string; dest?: string; syscall?: string }
  // A write to an open file has no path; its system call is all that Node reports.
  return dest ?? path ?? syscall
}
