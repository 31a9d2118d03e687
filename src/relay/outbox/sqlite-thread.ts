import type { SqlStatement } from './sql.ts'

/** What the thread is started with. */
export interface ThreadSettings {
  readonly file: string
  /** `PRAGMA application_id`, which says that a database is an outbox. */
  readonly applicationId: number
  readonly version: number
  readonly schema: readonly string[]
  readonly migration: readonly string[]
  /** Bytes that are set aside, so that a full disk can be cleared. */
  readonly reserve: number
}

/** What the thread is asked, together at once. */
export type ThreadTask =
  | { readonly read: SqlStatement }
  /** `adds`: it takes room, and is refused where the last of it is left to what gives some back. */
  | { readonly write: readonly SqlStatement[]; readonly adds: boolean }
  | { readonly backup: string }
  /** Nothing but whether the file is still there. */
  | { readonly look: true }
  | { readonly close: true }

/** Of an error what can be sent. */
export interface ThreadFault {
  /** SQLite's result code, or 0: https://sqlite.org/rescode.html */
  readonly errcode: number
  /** Of the system, or one of ours: `GONE`, `FOREIGN`, `NEWER`, `DAMAGED`. */
  readonly code: string
  readonly message: string
}

export type ThreadResult =
  | { readonly rows: readonly Readonly<Record<string, unknown>>[]; readonly fault?: undefined }
  | { readonly fault: ThreadFault }

/**
 * Works in a thread of its own on one file, so that a slow disk delays nobody but who waits for it.
 * It is started from its text, wherever it was bundled to: so it uses nothing from around it. The
 * first message says whether the file could be opened; then one list of results answers each list of
 * tasks.
 *
 * @param load `require`
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its text is all that the thread has
export function runThread(load: (name: string) => unknown): void {
  const sqlite = load('node:sqlite') as typeof import('node:sqlite')
  const threads = load('node:worker_threads') as typeof import('node:worker_threads')
  const fs = load('node:fs') as typeof import('node:fs')
  const settings = threads.workerData as ThreadSettings // what it is started with
  const { file, applicationId, version, schema, migration } = settings
  const reserve = `${file}.reserve`
  const statements = new Map<string, import('node:sqlite').StatementSync>()
  let isReserved = false
  let triedAt = Number.NEGATIVE_INFINITY
  let database: import('node:sqlite').DatabaseSync | undefined

  const faultOf = (error: unknown): ThreadFault => {
    const { errcode, code } = { errcode: 0, code: '', ...(error as object) }
    return { errcode, code, message: String(error) }
  }
  const fail = (code: string, errcode = 0) => Object.assign(new Error(code), { code, errcode })
  const run = ([text, ...values]: SqlStatement) => {
    if (!database) throw fail('CLOSED')
    const statement = statements.get(text) ?? database.prepare(text)
    statements.set(text, statement)
    return statement.all(...values) as Record<string, unknown>[]
  }
  const number = (pragma: string) => Number(Object.values(run([pragma])[0] ?? {})[0])

  /** Whether what lies at a path is still what lay there first, and has not been cut. */
  const watched = (path: string) => {
    const look = () => fs.statSync(path, { throwIfNoEntry: false })
    let known = look()
    return () => {
      const found = look()
      const isSame = found?.ino === known?.ino && found?.dev === known?.dev
      // The second file comes with the first write.
      if (known && !(found && isSame && found.size >= known.size)) return false
      known = found
      return true
    }
  }
  let isWhole: (() => boolean)[] = []

  /** Sets space aside, where there is some again. */
  const setAside = () => {
    const now = performance.now()
    if (isReserved || now - triedAt < 1000) return
    triedAt = now
    try {
      const size = fs.statSync(reserve, { throwIfNoEntry: false })?.size ?? 0
      if (size < settings.reserve) {
        fs.writeFileSync(reserve, Buffer.alloc(settings.reserve), { mode: 0o600, flush: true })
      }
      isReserved = true
    } catch {
      fs.rmSync(reserve, { force: true })
    }
  }

  const transaction = (tasks: readonly (readonly SqlStatement[])[]) => {
    if (!database) throw fail('CLOSED')
    try {
      database.exec('BEGIN IMMEDIATE')
      for (const task of tasks) for (const statement of task) run(statement)
      database.exec('COMMIT')
    } catch (error) {
      try {
        database.exec('ROLLBACK')
      } catch {
        // SQLite has done it itself, as it does when the disk is full.
      }
      throw error
    }
  }

  /** What is asked at once is one transaction: each waits for the disk. */
  const commit = (tasks: readonly Extract<ThreadTask, { adds: boolean }>[]): ThreadResult[] => {
    if (tasks.length === 0) return []
    const done: ThreadResult = { rows: [] }
    const attempt = (some: typeof tasks): ThreadResult => {
      try {
        transaction(some.map(({ write }) => write))
        return done
      } catch (error) {
        return { fault: faultOf(error) }
      }
    }
    const isAdding = tasks.some(({ adds }) => adds)
    if (isAdding) setAside()
    // SQLITE_FULL: the last of the room is for what gives some back.
    const lacking = isAdding && !isReserved ? { fault: faultOf(fail('ENOSPC', 13)) } : undefined
    const gone = isWhole.every((isSo) => isSo()) ? undefined : { fault: faultOf(fail('GONE')) }
    const refused = gone ?? lacking
    if (!refused) {
      const result = attempt(tasks)
      if (!result.fault) return tasks.map(() => result)
      if (!tasks.some(({ adds }) => !adds) && !isReserved) return tasks.map(() => result)
      if ((result.fault.errcode & 0xff) === 13 || result.fault.code === 'ENOSPC') {
        fs.rmSync(reserve, { force: true })
        isReserved = false
      }
      const rest = tasks.filter(({ adds }) => !adds)
      const other = rest.length > 0 ? attempt(rest) : done
      return tasks.map(({ adds }) => (adds ? result : other))
    }
    const rest = tasks.filter(({ adds }) => !adds)
    const other = rest.length > 0 ? attempt(rest) : done
    return tasks.map(({ adds }) => (adds ? refused : other))
  }

  const answer = (tasks: readonly ThreadTask[]): ThreadResult[] => {
    const writes = tasks.filter((task) => 'write' in task)
    const written = commit(writes)
    return tasks.map((task): ThreadResult => {
      if ('write' in task) return written[writes.indexOf(task)] ?? { rows: [] }
      try {
        if ('read' in task) return { rows: run(task.read) }
        if ('backup' in task) return { rows: run(['VACUUM INTO ?', task.backup]) }
        if ('look' in task && !isWhole.every((isSo) => isSo())) throw fail('GONE')
        if ('close' in task) database?.close()
        return { rows: [] }
      } catch (error) {
        return { fault: faultOf(error) }
      }
    })
  }

  const before = `${file}.before`

  /** Brings a file of the version before up to this one; the old one stands beside it meanwhile. */
  const migrate = (opened: import('node:sqlite').DatabaseSync) => {
    // An empty file is taken as it is, so nobody else can read what is copied.
    fs.rmSync(before, { force: true })
    fs.writeFileSync(before, '', { mode: 0o600 })
    try {
      opened.prepare('VACUUM INTO ?').all(before)
    } catch (error) {
      // On a full disk a part of it would only take room.
      fs.rmSync(before, { force: true })
      throw error
    }
    transaction([[...migration, `PRAGMA user_version = ${version}`].map((text) => [text] as const)])
  }

  const open = () => {
    const opened = new sqlite.DatabaseSync(file, { timeout: 0 })
    database = opened
    // Nobody else gets in until the file is closed, or the process is gone, however it went.
    opened.exec('PRAGMA locking_mode = EXCLUSIVE')
    opened.exec('BEGIN EXCLUSIVE')
    const isEmpty = number('SELECT count(*) FROM sqlite_schema') === 0
    const found = number('PRAGMA user_version')
    if (!isEmpty && number('PRAGMA application_id') !== applicationId) throw fail('FOREIGN')
    if (found > version) throw fail('NEWER')
    const [check] = run(['PRAGMA quick_check(1)'])
    if (Object.values(check ?? {})[0] !== 'ok') throw fail('DAMAGED')
    if (isEmpty || found === 0) {
      for (const statement of schema) opened.exec(statement)
      opened.exec(`PRAGMA application_id = ${applicationId}`)
      opened.exec(`PRAGMA user_version = ${version}`)
    }
    opened.exec('COMMIT')
    statements.clear()
    if (!isEmpty && found > 0 && found < version) migrate(opened)
    // Of a process that was killed behind its last step, too.
    fs.rmSync(before, { force: true })
    statements.clear()
    opened.exec('PRAGMA journal_mode = WAL')
    opened.exec('PRAGMA synchronous = FULL')
    isWhole = [file, `${file}-wal`].map(watched)
    setAside()
  }

  const port = threads.parentPort
  try {
    open()
    port?.postMessage([{ rows: [] }])
  } catch (error) {
    database?.close()
    port?.postMessage([{ fault: faultOf(error) }])
    port?.close()
    return
  }
  port?.on('message', (tasks: readonly ThreadTask[]) => {
    port.postMessage(answer(tasks))
    if (tasks.some((task) => 'close' in task)) port.close()
  })
}
