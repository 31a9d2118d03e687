import { closeSync, existsSync, openSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { UsageError, UserError } from '../../wire/errors.ts'
import { type Database, type SqlRow, StorageError, type StorageFault } from '../store/database.ts'
import { SCHEMA, SCHEMA_VERSION } from '../store/schema.ts'
import {
  type BackupResult,
  runThread,
  type ThreadFault,
  type ThreadResult,
  type ThreadSettings,
  type ThreadTask,
} from './sqlite-thread.ts'

export interface DatabaseFile {
  readonly database: Database
  /** Why nothing can be stored now: the file is gone, or the last write failed. */
  fault(): Promise<StorageError | undefined>
  /** Writes a consistent copy to a path that has no file yet, while the file is in use. */
  backup(path: string): Promise<void>
  /** Finishes all writes, and releases the file for another process. */
  close(): Promise<void>
}

/** `PRAGMA application_id`: marks the database of a relay. The letters `hkrl`. */
const APPLICATION_ID = 0x686b726c

/** Statements that take space, which a full disk refuses so that events can still leave it. */
const ADDS = /^INSERT INTO (?:delivery|body|chunk|notification) /

/** Bytes of the reserve file, which goes when the disk is full: even a deletion needs space. */
const RESERVE = 4 * 1024 * 1024

/** Whether this Node has SQLite: 22.13 and newer. To import it would print a warning on Node 22. */
export function hasSqlite(): boolean {
  return isBuiltin('node:sqlite')
}

/** @throws UsageError for a Node without SQLite */
export function requireSqlite(): void {
  if (hasSqlite()) return
  throw new UsageError({
    message: `the database of a relay needs Node 22.13 or newer, and this is Node ${process.versions.node}`,
    hint: 'Use a newer Node, or run the relay without a database: hookline relay --stateless',
  })
}

/**
 * Opens or creates the database of a relay, for this process alone.
 *
 * @throws UserError if this Node has no SQLite, another process uses the file, or the file cannot be
 *   written, is something else, or is damaged. An existing file is then not changed.
 */
export async function openDatabaseFile(file: string): Promise<DatabaseFile> {
  requireSqlite()
  touch(file)
  const thread = new SqliteThread({
    file,
    applicationId: APPLICATION_ID,
    version: SCHEMA_VERSION,
    schema: SCHEMA,
    reserve: RESERVE,
  })
  await thread.opened.catch((cause) => {
    throw openFailure(file, cause)
  })
  let failed: StorageError | undefined
  const ask = async (task: ThreadTask) => {
    try {
      const rows = await thread.ask(task)
      if ('write' in task) failed = undefined
      return rows
    } catch (cause) {
      failed = storageError(cause)
      throw failed
    }
  }
  return {
    database: {
      read: (...statement) => ask({ read: statement }),
      write: (statements) => {
        const adds = statements.some(([text]) => ADDS.test(text))
        return ask({ write: statements, adds })
      },
    },
    fault: async () => {
      const gone = await thread.ask({ look: true }).then(
        () => undefined,
        (cause: unknown) => storageError(cause),
      )
      return gone ?? failed
    },
    backup: (path) => thread.backup(path),
    close: () => thread.close(),
  }
}

class ThreadError extends Error {
  override readonly name = 'ThreadError'
  readonly errcode: number
  readonly code: string

  constructor({ errcode, code, message }: ThreadFault) {
    super(message)
    this.errcode = errcode
    this.code = code
  }
}

interface Pending {
  readonly task: ThreadTask
  resolve(rows: readonly SqlRow[]): void
  reject(error: unknown): void
}

/** The thread with the file. Tasks that arrive while it works go to it in one message. */
class SqliteThread {
  readonly #worker: Worker
  readonly opened: Promise<readonly SqlRow[]>
  #waiting: Pending[] = []
  #asked: Pending[] = []
  #isBusy = true
  #ended = false
  readonly #exit: Promise<void>
  readonly #backups = new Map<string, (result: BackupResult) => void>()

  constructor(settings: ThreadSettings) {
    // A bundle has no second file, so the thread starts from the text of its function.
    const source = `(${runThread})(require)`
    // Node's warning that SQLite is experimental would be the first line of the relay.
    const options = {
      eval: true,
      workerData: settings,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    }
    this.#worker = new Worker(source, options)
    this.opened = new Promise((resolve, reject) => {
      const opening: Pending = { task: { look: true }, resolve, reject }
      this.#asked = [opening]
    })
    this.#worker.on('message', (results: readonly ThreadResult[] | BackupResult) => {
      if ('backup' in results) this.#backups.get(results.backup)?.(results)
      else this.#answered(results)
    })
    this.#worker.on('error', (error) => this.#end(error))
    this.#exit = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#end(new StorageError('disk fails'))
        resolve()
      })
    })
  }

  /** @throws ThreadError */
  ask(task: ThreadTask): Promise<readonly SqlRow[]> {
    if (this.#ended) return Promise.reject(new StorageError('disk fails'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject })
      // Tasks of one tick share a transaction, since each transaction waits for the disk.
      if (!this.#isBusy) {
        this.#isBusy = true
        setImmediate(() => this.#post())
      }
    })
  }

  async backup(path: string): Promise<void> {
    if (this.#ended) throw new StorageError('disk fails')
    const { fault } = await new Promise<BackupResult>((resolve) => {
      this.#backups.set(path, resolve)
      this.#worker.postMessage({ backup: path })
    })
    this.#backups.delete(path)
    if (fault) throw storageError(new ThreadError(fault))
  }

  async close(): Promise<void> {
    await this.ask({ close: true }).catch(() => {})
    await this.#exit
  }

  #post(): void {
    this.#isBusy = this.#waiting.length > 0
    if (!this.#isBusy) return
    this.#asked = this.#waiting
    this.#waiting = []
    // Bytes are cloned: to transfer a chunk of a body would save 0.4 ms of the 10 ms that its write takes.
    this.#worker.postMessage(this.#asked.map(({ task }) => task))
  }

  #answered(results: readonly ThreadResult[]): void {
    const asked = this.#asked
    this.#asked = []
    for (const [at, { resolve, reject }] of asked.entries()) {
      const result = results[at]
      if (!result || result.fault) {
        reject(result ? new ThreadError(result.fault) : new StorageError('disk fails'))
      } else resolve(result.rows)
    }
    this.#post()
  }

  #end(error: unknown): void {
    this.#ended = true
    for (const { reject } of [...this.#asked.splice(0), ...this.#waiting.splice(0)]) reject(error)
    const fault = { errcode: 0, code: 'CLOSED', message: 'the database is closed' }
    for (const [path, resolve] of this.#backups) resolve({ backup: path, fault })
  }
}

/** Creates the file so that only its owner can read it. */
function touch(file: string): void {
  if (!existsSync(dirname(file))) {
    throw problem(`the folder of the database is missing: ${dirname(file)}`, {
      hint: 'Create the folder, writable only for the relay.',
    })
  }
  try {
    closeSync(openSync(file, 'a', 0o600))
  } catch (cause) {
    throw openFailure(file, cause)
  }
}

/** https://sqlite.org/rescode.html; the low byte is the kind. */
const FAULTS: ReadonlyMap<number, StorageFault> = new Map([
  [8, 'not writable'],
  [10, 'disk fails'],
  [11, 'damaged'],
  [13, 'disk full'],
  [14, 'not writable'],
  [26, 'damaged'],
])

/** The codes of a file that another process uses. */
const IN_USE: readonly number[] = [5, 6]

function storageError(cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause
  if (cause instanceof ThreadError && cause.code === 'GONE') return new StorageError('file gone')
  return new StorageError(FAULTS.get(codeOf(cause)) ?? 'disk fails', { cause })
}

function codeOf(cause: unknown): number {
  const { errcode } = { errcode: 0, ...(cause instanceof Error ? cause : {}) }
  return errcode & 0xff
}

/**
 * The error for the admin when a database cannot be opened or read at the start.
 *
 * @returns the cause itself for a bug
 */
export function openFailure(file: string, error: unknown): unknown {
  const cause = error instanceof StorageError ? (error.cause ?? error) : error
  const { code } = { code: '', ...(cause instanceof Error ? cause : {}) }
  if (code === 'FOREIGN') {
    return problem(`${file} is not the database of a Hookline relay`, {
      hint: 'Move the file away, or choose another folder with --data.',
    })
  }
  if (code === 'NEWER') {
    return problem(`${file} was written by a newer version of Hookline`, {
      hint: 'Use that version, or a newer one.',
    })
  }
  if (code === 'DAMAGED') return damaged(file)
  if (/^(?:EACCES|EPERM|EROFS|EISDIR|ENOENT)$/.test(code)) return notWritable(file, cause)
  if (IN_USE.includes(codeOf(cause))) {
    return problem(`another process uses the database ${file}`, {
      hint: 'Stop the other relay, or choose another folder with --data.',
      cause,
    })
  }
  switch (FAULTS.get(codeOf(cause))) {
    case 'damaged':
      return damaged(file, cause)
    case 'disk full':
      return problem(`the disk of ${file} is full`, { hint: 'Free space.', cause })
    case undefined:
      break
    default:
      return notWritable(file, cause)
  }
  if (!(error instanceof StorageError)) return cause
  return problem(error.message, { hint: `Check ${file} and its disk, and start the relay.`, cause })
}

function notWritable(file: string, cause: unknown): UserError {
  return problem(`the database ${file} cannot be written`, {
    hint: 'Check the permissions of the file and its folder, and whether the disk is mounted read-only.',
    cause,
  })
}

function damaged(file: string, cause?: unknown): UserError {
  return problem(`the database ${file} is damaged`, {
    hint: `The file is not changed. Move it away, start and stop the relay, and copy the readable rows with: ${salvage(file)}`,
    cause,
  })
}

/** `.recover` would read more, but Debian's sqlite3 is built without it. */
function salvage(file: string): string {
  // The rows of these tables, with new numbers, and the count of the deliveries that were answered with 202.
  const deliveries =
    "-e 's/^INSERT INTO delivery VALUES([0-9]*,/INSERT INTO delivery VALUES(NULL,/p'"
  const endpoints = "-e '/^INSERT INTO endpoint /p'"
  const count =
    'UPDATE meta SET value = (SELECT count(*) FROM delivery WHERE queued) WHERE rowid = 2;'
  return `sqlite3 <moved file> .dump | sed -n ${deliveries} ${endpoints} -e '$a ${count}' | sqlite3 ${file}`
}

function problem(message: string, { hint, cause }: { hint: string; cause?: unknown }): UserError {
  return new UserError({ message, hint }, { cause })
}
