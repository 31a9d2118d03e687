import { expect, test } from '@jest/globals'
import { openFailure } from '../../../src/relay/node/sqlite.ts'
import { StorageError } from '../../../src/relay/store/database.ts'
import { UserError } from '../../../src/wire/errors.ts'

const FILE = '/data/relay.db'

const withCode = (code: string) => Object.assign(new Error('x'), { code })
/** An error of SQLite; its extended result codes have the code in the last byte. */
const sqlite = (errcode: number) => Object.assign(new Error('x'), { errcode, code: 'ERR_SQLITE' })

const FOREIGN = [
  `${FILE} is not the database of a Hookline relay`,
  'Move the file away, or choose another folder with --data.',
]
const NEWER = [
  `${FILE} was written by a newer version of Hookline`,
  'Use that version, or a newer one.',
]
const NOT_WRITABLE = [
  `the database ${FILE} cannot be written`,
  'Check the permissions of the file and its folder, and whether the disk is mounted read-only.',
]
const IN_USE = [
  `another process uses the database ${FILE}`,
  'Stop the other relay, or choose another folder with --data.',
]
const FULL = [`the disk of ${FILE} is full`, 'Free space.']
const DAMAGED = [
  `the database ${FILE} is damaged`,
  `The file is not changed. Move it away, start and stop the relay, and copy the readable rows with: sqlite3 <moved file> .dump | sed -n -e 's/^INSERT INTO delivery VALUES([0-9]*,/INSERT INTO delivery VALUES(NULL,/p' -e '/^INSERT INTO endpoint /p' -e '$a UPDATE meta SET value = (SELECT count(*) FROM delivery WHERE queued) WHERE rowid = 2;' | sqlite3 ${FILE}`,
]

test.each<[name: string, error: Error, told: readonly string[]]>([
  ['FOREIGN', withCode('FOREIGN'), FOREIGN],
  ['NEWER', withCode('NEWER'), NEWER],
  ['DAMAGED', withCode('DAMAGED'), DAMAGED],
  ...['EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ENOENT'].map(
    (code) => [code, withCode(code), NOT_WRITABLE] as [string, Error, readonly string[]],
  ),
  ['SQLITE_BUSY', sqlite(5), IN_USE],
  ['SQLITE_LOCKED', sqlite(6), IN_USE],
  ['SQLITE_READONLY', sqlite(8), NOT_WRITABLE],
  ['SQLITE_IOERR', sqlite(10), NOT_WRITABLE],
  ['SQLITE_CANTOPEN', sqlite(14), NOT_WRITABLE],
  ['SQLITE_CORRUPT', sqlite(11), DAMAGED],
  ['SQLITE_CORRUPT_INDEX', sqlite(779), DAMAGED],
  ['SQLITE_NOTADB', sqlite(26), DAMAGED],
  ['SQLITE_FULL', sqlite(13), FULL],
  ['SQLITE_FULL, while it runs', new StorageError('disk full', { cause: sqlite(13) }), FULL],
])('a database that fails to open with %s is a problem with its cure', (_, error, told) => {
  const failure = openFailure(FILE, error)
  expect(failure).toBeInstanceOf(UserError)
  const { problems } = failure as UserError
  expect(problems).toEqual([{ message: told[0], hint: told[1] }])
})

test('a fault of the disk without a known reason names the file', () => {
  for (const error of [
    new StorageError('disk fails'),
    new StorageError('disk fails', { cause: sqlite(1) }),
  ]) {
    expect(openFailure(FILE, error)).toMatchObject({
      problems: [
        {
          message: 'the database of the relay cannot be read or written: disk fails',
          hint: `Check ${FILE} and its disk, and start the relay.`,
        },
      ],
    })
  }
})

test('a bug stays a bug', () => {
  for (const error of [new TypeError('x'), withCode('EACCESS'), withCode('XENOENT'), sqlite(1)]) {
    expect(openFailure(FILE, error)).toBe(error)
  }
  expect(openFailure(FILE, 'text')).toBe('text')
})
