import { describe, expect, test } from '@jest/globals'
import { systemProblem } from '../../src/wire/system-error.ts'

const failed = (code: string, more: object = { path: '/a' }) =>
  Object.assign(new Error('failed'), { code, ...more })

describe('a failed file operation is told with its cure:', () => {
  test.each([
    ['ENOENT', 'no such file or directory', 'Check the path.'],
    ['ENOTDIR', 'a part of the path is not a directory', 'Check the path.'],
    ['EISDIR', 'the path is a directory', 'Name a file.'],
    ['EACCES', 'permission denied', 'Change the permissions, or choose another path.'],
    ['EROFS', 'the file system is read-only', 'Choose a path on a writable file system.'],
    ['ENOSPC', 'no space left on the device', 'Free disk space, and run the command again.'],
  ])('%s', (code, words, hint) => {
    expect(systemProblem(failed(code))).toEqual({ message: `/a: ${words} (${code})`, hint })
  })

  test.each([
    ...['EEXIST', 'ENOTEMPTY', 'EPERM', 'EDQUOT', 'EFBIG', 'EMFILE', 'ENFILE', 'ENOMEM'],
    ...['EIO', 'EBUSY', 'ETXTBSY', 'ELOOP', 'ENAMETOOLONG', 'EXDEV', 'EINVAL'],
  ])('%s', (code) => {
    const { message, hint } = systemProblem(failed(code)) ?? {}
    expect(message).toMatch(new RegExp(`^/a: [a-z/ ]{8,} \\(${code}\\)$`))
    expect(hint).toMatch(/^[A-Z].{8,}/)
  })
})

describe('the path of a failed file operation', () => {
  test.each<[object, string]>([
    [{ path: '/a', syscall: 'open' }, '/a'],
    [{ path: '/a', dest: '/b', syscall: 'rename' }, '/b'],
    [{ syscall: 'write' }, 'write'],
  ])('of %j is %s', (more, path) => {
    const message = `${path}: no space left on the device (ENOSPC)`
    expect(systemProblem(failed('ENOSPC', more))?.message).toBe(message)
  })

  test('is the one that the caller names', () => {
    const message = 'relay.db: permission denied (EACCES)'
    expect(systemProblem(failed('EACCES'), 'relay.db')?.message).toBe(message)
    expect(systemProblem({ code: 'EACCES' }, 'relay.db')?.message).toBe(message)
  })

  test.each<[string, unknown]>([
    ['another code', failed('ECONNRESET')],
    ['no code', new Error('failed')],
    ['a code that is no string', Object.assign(new Error('failed'), { code: 5, path: '/a' })],
    ['no path', failed('EACCES', {})],
    ['no error', { code: 'EACCES', path: '/a' }],
    ['a string', 'EACCES'],
    ['null', null],
  ])('is unknown for %s', (_, error) => {
    expect(systemProblem(error)).toBeUndefined()
  })
})
