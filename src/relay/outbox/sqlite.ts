import { closeSync, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { UsageError, UserError } from '../../wire/errors.ts'
import { type Outbox, StorageError, type StorageFault } from './outbox.ts'
import { MIGRATION, SCHEMA, SCHEMA_VERSION, sqlOutbox } from './sql.ts'
import {
  runThread,
  type ThreadFault,
  type ThreadResult,
  type ThreadSettings,
  type ThreadTask,
} from './sqlite-thread.ts'

export interface OutboxFile {
  readonly outbox: Outbox
  /** Why nothing can be kept at this moment: the file is gone, or the last write failed. */
  fault(): Promise<StorageError | undefined>
  /** Writes a copy of it all, as it stands at one moment, to a path where nothing is yet. */
  backup(path: string): Promise<void>
  /** Writes what is still to be written, and lets another process have the file. */
  close(): Promise<void>
}

/** `PRAGMA application_id`: says that a database is an outbox. The letters `hkob`. */
const APPLICATION_ID = 0x686b6f62

/** Bytes that stand beside the file until the disk is full: even to delete takes some. */
const RESERVE = 4 * 1024 * 1024

/**
 * Opens a file as an outbox for this process alone, or makes it.
 *
 * @throws UserError when it cannot be one: this Node has no SQLite, another process has the file, it
 *   cannot be written, it is something else, or it is damaged. A file that is there stays as it is.
 */
export async function openOutboxFile(file: string): Promise<OutboxFile> {
  await import('node:sqlite').catch((cause) => {
    throw new UsageError(
      {
        message: `an outbox needs Node 22.13 or newer, and this is ${process.version}`,
        hint: 'start the relay with a newer Node, or without --outbox',
      },
      { cause },
    )
  })
  touch(file)
  const thread = new SqliteThread({
    ...{ file, applicationId: APPLICATION_ID, version: SCHEMA_VERSION },
    ...{ schema: SCHEMA, migration: MIGRATION, reserve: RESERVE },
  })
  await thread.opened.catch((cause) => {
    throw refusal(file, cause)
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
  const outbox = sqlOutbox({
    read: (...statement) => ask({ read: statement }),
    write: async (statements) => {
      const adds = statements.some(([text]) => text.startsWith('INSERT INTO event'))
      await ask({ write: statements, adds })
    },
  })
  return {
    outbox,
    fault: async () => {
      const gone = await thread.ask({ look: true }).then(
        () => undefined,
        (cause: unknown) => storageError(cause),
      )
      return gone ?? failed
    },
    backup: async (path) => void (await ask({ backup: path })),
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

interface Asked {
  readonly task: ThreadTask
  resolve(rows: readonly Readonly<Record<string, unknown>>[]): void
  reject(error: unknown): void
}

/** The thread that has the file. What is asked while it is at work goes to it together. */
class SqliteThread {
  readonly #worker: Worker
  readonly opened: Promise<void>
  #waiting: Asked[] = []
  #asked: Asked[] = []
  #isBusy = true
  #ended = false
  readonly #exit: Promise<void>

  constructor(settings: ThreadSettings) {
    // From its text, since only that is where a bundle is.
    const source = `(${runThread})(require)`
    // Its warning that SQLite is experimental would be the relay's first line.
    const options = {
      eval: true,
      workerData: settings,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    }
    this.#worker = new Worker(source, options)
    this.opened = new Promise((resolve, reject) => {
      const opening: Asked = { task: { look: true }, resolve: () => resolve(), reject }
      this.#asked = [opening]
    })
    this.#worker.on('message', (results: readonly ThreadResult[]) => this.#answered(results))
    this.#worker.on('error', (error) => this.#end(error))
    this.#exit = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#end(new StorageError('disk fails'))
        resolve()
      })
    })
  }

  /** @throws ThreadError */
  ask(task: ThreadTask): Promise<readonly Readonly<Record<string, unknown>>[]> {
    if (this.#ended) return Promise.reject(new StorageError('disk fails'))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, resolve, reject })
      // What comes in one tick is one transaction: each one waits for the disk.
      if (!this.#isBusy) {
        this.#isBusy = true
        setImmediate(() => this.#post())
      }
    })
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
  if (cause instanceof ThreadError && cause.code === 'GONE') return new StorageError('file gone')
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

/** Returns the cause where it is a fault of ours. */
function refusal(file: string, cause: unknown): unknown {
  const { code } = { code: '', ...(cause instanceof Error ? cause : {}) }
  if (code === 'FOREIGN') {
    return problem(`${file} is a database, but not an outbox`, { hint: 'name another file' })
  }
  if (code === 'NEWER') {
    return problem(`${file} was written by a newer hookline`, {
      hint: 'use that version, or newer',
    })
  }
  if (code === 'DAMAGED') return damaged(file)
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
