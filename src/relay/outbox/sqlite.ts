import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { UsageError, UserError } from '../../wire/errors.ts'
import { type Outbox, StorageError, type StorageFault } from './outbox.ts'
import { createSchema, SCHEMA_VERSION, type SqlRow, type SqlValue, sqlOutbox } from './sql.ts'

interface OutboxFile {
  readonly outbox: Outbox
  /** Why nothing can be kept at this moment: the file is gone, or the last write failed. */
  fault(): StorageError | undefined
  /** Writes what is still to be written, and lets another process have the file. */
  close(): void
}

/** `PRAGMA application_id`: says that a database is an outbox. The letters `hkob`. */
const APPLICATION_ID = 0x686b6f62

/**
 * Opens a file as an outbox for this process alone, or makes it.
 *
 * @throws UserError when it cannot be one: this Node has no SQLite, another process has the file, it
 *   cannot be written, it is something else, or it is damaged. A file that is there stays as it is.
 */
export async function openOutboxFile(file: string): Promise<OutboxFile> {
  const { DatabaseSync } = await import('node:sqlite').catch((cause) => {
    throw new UsageError(
      {
        message: `an outbox needs Node 22.13 or newer, and this is ${process.version}`,
        hint: 'start the relay with a newer Node, or without --outbox',
      },
      { cause },
    )
  })
  touch(file)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: 0 })
    prepareDatabase(database, file)
    return connect(database, file)
  } catch (cause) {
    database?.close()
    throw cause instanceof UserError ? cause : refusal(file, cause)
  }
}

/** Makes the file where there is none, so that nobody else can read it. */
function touch(file: string): void {
  if (!existsSync(dirname(file))) {
    throw problem(`there is no folder for the outbox: ${dirname(file)}`, {
      hint: 'make the folder, writable for the relay alone',
    })
  }
  try {
    closeSync(openSync(file, 'a', 0o600))
  } catch (cause) {
    throw refusal(file, cause)
  }
}

function prepareDatabase(database: DatabaseSync, file: string): void {
  const number = (pragma: string) => Number(Object.values(database.prepare(pragma).get() ?? {})[0])
  // Nobody else gets in until the file is closed, or the process is gone, however it went.
  database.exec('PRAGMA locking_mode = EXCLUSIVE')
  database.exec('BEGIN EXCLUSIVE')
  const isEmpty = number('SELECT count(*) FROM sqlite_schema') === 0
  const version = number('PRAGMA user_version')
  if (!isEmpty && number('PRAGMA application_id') !== APPLICATION_ID) {
    throw problem(`${file} is a database, but not an outbox`, { hint: 'name another file' })
  }
  if (version > SCHEMA_VERSION) {
    throw problem(`${file} was written by a newer hookline`, { hint: 'use that version, or newer' })
  }
  const check = database.prepare('PRAGMA quick_check(1)').get()
  if (Object.values(check ?? {})[0] !== 'ok') throw damaged(file)
  if (version < SCHEMA_VERSION) {
    createSchema({ run: (statement) => database.prepare(statement).all() as SqlRow[] })
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`)
    database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
  }
  database.exec('COMMIT')
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
}

/** What is to be written in one tick is one transaction: each one waits for the disk. */
function connect(database: DatabaseSync, file: string): OutboxFile {
  const isWhole = [file, `${file}-wal`].map(watched)
  const statements = new Map<string, StatementSync>()
  const run = (text: string, ...values: readonly SqlValue[]) => {
    const statement = statements.get(text) ?? database.prepare(text)
    statements.set(text, statement)
    // SQLite gives objects of columns.
    return statement.all(...values) as SqlRow[]
  }
  let changes: Change[] = []
  let failed: StorageError | undefined
  const flush = () => {
    const all = changes
    changes = []
    if (all.length > 0) failed = commit(database, all)
  }
  const fault = () => (isWhole.every((isSo) => isSo()) ? failed : new StorageError('file gone'))
  const write = <Result>(change: () => Result) =>
    new Promise<Result>((resolve, reject) => {
      const settled = (result: unknown) => resolve(result as Result) // what `change` returned
      if (changes.push({ change, resolve: settled, reject }) === 1) setImmediate(flush)
    })
  const read: typeof run = (text, ...values) => {
    try {
      return run(text, ...values)
    } catch (cause) {
      failed = storageError(cause)
      throw failed
    }
  }
  const close = () => {
    flush()
    database.close()
  }
  const outbox = sqlOutbox({ run: read, write })
  // SQLite goes on writing to a file that has no name any more, and so does not outlive the process.
  const put: Outbox['put'] = async (event) => {
    const gone = fault()
    if (gone?.reason === 'file gone') throw gone
    await outbox.put(event)
  }
  return { outbox: { ...outbox, put }, fault, close }
}

/** Tells whether what lies at a path is still what lay there first, and has not been cut. */
function watched(path: string): () => boolean {
  const look = () => statSync(path, { throwIfNoEntry: false })
  let known = look()
  return () => {
    const found = look()
    // The second file comes with the first write.
    const isSame = found?.ino === known?.ino && found?.dev === known?.dev
    if (known && !(found && isSame && found.size >= known.size)) return false
    known = found
    return true
  }
}

interface Change {
  change(): unknown
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** @returns why nothing of it was written */
function commit(database: DatabaseSync, changes: readonly Change[]): StorageError | undefined {
  try {
    database.exec('BEGIN IMMEDIATE')
    const results = changes.map(({ change }) => change())
    database.exec('COMMIT')
    for (const [at, { resolve }] of changes.entries()) resolve(results[at])
    return undefined
  } catch (cause) {
    rollBack(database)
    const error = storageError(cause)
    for (const { reject } of changes) reject(error)
    return error
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // SQLite has done it itself, as it does when the disk is full.
  }
}

/** https://sqlite.org/rescode.html; the low byte is the kind. */
const FAULTS: ReadonlyMap<number, StorageFault> = new Map([
  [8, 'not writable'],
  [11, 'damaged'],
  [13, 'disk full'],
  [14, 'not writable'],
  [26, 'damaged'],
])

function storageError(cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause
  return new StorageError(FAULTS.get(codeOf(cause)) ?? 'disk fails', { cause })
}

function codeOf(cause: unknown): number {
  const { errcode } = { errcode: 0, ...(cause instanceof Error ? cause : {}) }
  return errcode & 0xff
}

const REFUSALS: ReadonlyMap<number, (file: string, cause: unknown) => UserError> = new Map([
  [5, inUse],
  [6, inUse],
  [8, notWritable],
  [10, notWritable],
  [11, damaged],
  [13, (file, cause) => problem(`the disk of ${file} is full`, { hint: 'make room', cause })],
  [14, notWritable],
  [26, damaged],
])

/** @throws the cause where it is a fault of ours */
function refusal(file: string, cause: unknown): unknown {
  const { code } = { code: '', ...(cause instanceof Error ? cause : {}) }
  if (/^(?:EACCES|EPERM|EROFS|EISDIR|ENOENT)$/.test(code)) return notWritable(file, cause)
  return REFUSALS.get(codeOf(cause))?.(file, cause) ?? cause
}

function inUse(file: string, cause: unknown): UserError {
  return problem(`another process uses the outbox ${file}`, {
    hint: 'a file is for one relay: stop the other one, or give this one a file of its own',
    cause,
  })
}

function notWritable(file: string, cause: unknown): UserError {
  return problem(`the outbox ${file} cannot be written`, {
    hint: 'look at the rights of the file and its folder, and whether the disk is mounted read-only',
    cause,
  })
}

function damaged(file: string, cause?: unknown): UserError {
  return problem(`the outbox ${file} is damaged`, {
    hint: `it is left as it is: move it away, start the relay and stop it, and save what can be read with: ${salvage(file)}`,
    cause,
  })
}

/** `.recover` would read more, but Debian's sqlite3 is built without it. */
function salvage(file: string): string {
  const copied = "sed -n 's/^INSERT INTO event VALUES([0-9]*,/INSERT INTO event VALUES(NULL,/p'"
  return `sqlite3 <moved file> .dump | ${copied} | sqlite3 ${file}`
}

function problem(message: string, { hint, cause }: { hint: string; cause?: unknown }): UserError {
  return new UserError({ message, hint }, { cause })
}
