import type { SqlStatement } from '../store/database.ts'

export interface ThreadSettings {
  readonly file: string
  /** `PRAGMA application_id`, which marks a database of a relay. */
  readonly applicationId: number
  readonly version: number
  readonly schema: readonly string[]
  /** Bytes of the reserve file, so that a full disk can be cleared. */
  readonly reserve: number
}

/** A task; the main thread posts a list of them. */
export type ThreadTask =
  | { readonly read: SqlStatement }
  /** `adds`: it takes space, and is refused if only the reserve is left. */
  | { readonly write: readonly SqlStatement[]; readonly adds: boolean }
  /** Checks whether the file is still there. */
  | { readonly look: true }
  | { readonly close: true }

/** The parts of an error that can be posted. */
export interface ThreadFault {
  /** SQLite's result code, or 0: https://sqlite.org/rescode.html */
  readonly errcode: number
  /** A code of the system, or `GONE`, `FOREIGN`, `NEWER`, `DAMAGED`. */
  readonly code: string
  readonly message: string
}

export type ThreadResult =
  | { readonly rows: readonly Readonly<Record<string, unknown>>[]; readonly fault?: undefined }
  | { readonly fault: ThreadFault }

export interface BackupResult {
  readonly backup: string
  readonly fault?: ThreadFault
}

/**
 * Runs SQLite on one file in its own thread, so that a slow disk delays only those who wait for it. The
 * thread starts from the text of this function, which therefore uses nothing from around it. The first
 * message says whether the file could be opened; then one list of results answers each list of tasks.
 *
 * @param load `require`
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the thread has nothing but this text
export function runThread(load: (name: string) => unknown): void {
  // Node 22 warns that SQLite is experimental, which an admin can do nothing about.
  const { emitWarning } = process
  process.emitWarning = () => {}
  const sqlite = load('node:sqlite') as typeof import('node:sqlite')
  process.emitWarning = emitWarning
  const threads = load('node:worker_threads') as typeof import('node:worker_threads')
  const fs = load('node:fs') as typeof import('node:fs')
  // The main thread starts this one with these settings.
  const settings = threads.workerData as ThreadSettings
  const { file, applicationId, version, schema } = settings
  const reserve = `${file}.reserve`
  /** Milliseconds from a write to the next shrinking of the file, and pages that it gives back. */
  const shrinkDelay = 2000
  const shrinkPages = 2000
  const statements = new Map<string, import('node:sqlite').StatementSync>()
  let isReserved = false
  let triedAt = Number.NEGATIVE_INFINITY
  let database: import('node:sqlite').DatabaseSync | undefined
  let shrinking: NodeJS.Timeout | undefined

  const faultOf = (error: unknown): ThreadFault => {
    // SQLite and the file system throw nothing but errors.
    const { errcode, code } = { errcode: 0, code: '', ...(error as Error) }
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

  /** Whether a path still has the file that it had first, and nobody has cut it. */
  const watched = (path: string) => {
    const look = () => fs.statSync(path, { throwIfNoEntry: false })
    let known = look()
    return () => {
      const found = look()
      const isSame = found?.ino === known?.ino && found?.dev === known?.dev
      // The WAL file appears with the first write.
      if (known && !(found && isSame && found.size >= known.size)) return false
      known = found
      return true
    }
  }
  let isWhole: (() => boolean)[] = []

  /** Creates the reserve file if there is space. */
  const createReserve = () => {
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

  /** @returns the rows of each task */
  const transaction = (tasks: readonly (readonly SqlStatement[])[]) => {
    if (!database) throw fail('CLOSED')
    try {
      database.exec('BEGIN IMMEDIATE')
      const rows = tasks.map((task) => task.flatMap(run))
      database.exec('COMMIT')
      return rows
    } catch (error) {
      try {
        database.exec('ROLLBACK')
      } catch {
        // SQLite has rolled back by itself, as it does when the disk is full.
      }
      throw error
    }
  }

  type Write = Extract<ThreadTask, { adds: boolean }>

  const attempt = (tasks: readonly Write[]): ThreadResult[] => {
    if (tasks.length === 0) return []
    try {
      return transaction(tasks.map(({ write }) => write)).map((rows) => ({ rows }))
    } catch (error) {
      const fault = faultOf(error)
      return tasks.map(() => ({ fault }))
    }
  }

  /** Writes the tasks of one message in one transaction, since each transaction waits for the disk. */
  const commit = (tasks: readonly Write[]): ThreadResult[] => {
    const isAdding = tasks.some(({ adds }) => adds)
    if (isAdding) createReserve()
    let refused: ThreadFault | undefined
    if (!isWhole.every((isSo) => isSo())) refused = faultOf(fail('GONE'))
    // SQLITE_FULL: the last space is for deletions.
    else if (isAdding && !isReserved) refused = faultOf(fail('ENOSPC', 13))
    if (!refused) {
      const results = attempt(tasks)
      const fault = results[0]?.fault
      if (!fault) return results
      if ((fault.errcode & 0xff) === 13) {
        fs.rmSync(reserve, { force: true })
        isReserved = false
      }
      refused = fault
    }
    const fault = refused
    const rest = tasks.filter(({ adds }) => !adds)
    const others = attempt(rest)
    return tasks.map((task) => (task.adds ? { fault } : (others[rest.indexOf(task)] ?? { fault })))
  }

  /** Gives space back to the disk, so that file, quota and disk agree. */
  const shrink = () => {
    shrinking = undefined
    if (!database || !isWhole.every((isSo) => isSo())) return
    try {
      const free = number('PRAGMA freelist_count')
      if (free > 0) database.exec(`PRAGMA incremental_vacuum(${shrinkPages})`)
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      if (free > shrinkPages) shrinkLater()
    } catch {
      // The next write tries again.
    }
    isWhole = [file, `${file}-wal`].map(watched)
  }

  const shrinkLater = () => {
    if (shrinking) return
    shrinking = setTimeout(shrink, shrinkDelay)
    shrinking.unref()
  }

  const answer = (tasks: readonly ThreadTask[]): ThreadResult[] => {
    const writes = tasks.filter((task) => 'write' in task)
    const written = writes.length > 0 ? commit(writes) : []
    if (writes.length > 0) shrinkLater()
    return tasks.map((task): ThreadResult => {
      if ('write' in task) return written[writes.indexOf(task)] ?? { rows: [] }
      try {
        if ('read' in task) return { rows: run(task.read) }
        if ('look' in task && !isWhole.every((isSo) => isSo())) throw fail('GONE')
        if ('close' in task) database?.close()
        return { rows: [] }
      } catch (error) {
        // A file that was cut reads as a damaged one.
        const isGone = !isWhole.every((isSo) => isSo())
        return { fault: faultOf(isGone ? fail('GONE') : error) }
      }
    })
  }

  const backup = async (path: string): Promise<BackupResult> => {
    try {
      // Node before 22.16 has no backup that lets other tasks go on.
      if (database && sqlite.backup) await sqlite.backup(database, path, { rate: 64 })
      else run(['VACUUM INTO ?', path])
      return { backup: path }
    } catch (error) {
      return { backup: path, fault: faultOf(error) }
    }
  }

  const open = () => {
    const opened = new sqlite.DatabaseSync(file, { timeout: 0 })
    database = opened
    // No other process opens the file until this one closes it or ends.
    opened.exec('PRAGMA locking_mode = EXCLUSIVE')
    // Before the first table; an existing file must not change before it is checked.
    if (fs.statSync(file).size === 0) opened.exec('PRAGMA auto_vacuum = INCREMENTAL')
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
    if (number('PRAGMA auto_vacuum') !== 2) {
      opened.exec('PRAGMA auto_vacuum = INCREMENTAL')
      opened.exec('VACUUM')
    }
    opened.exec('PRAGMA journal_mode = WAL')
    opened.exec('PRAGMA synchronous = FULL')
    isWhole = [file, `${file}-wal`].map(watched)
    createReserve()
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
  port?.on('message', (tasks: readonly ThreadTask[] | { readonly backup: string }) => {
    if ('backup' in tasks) {
      void backup(tasks.backup).then((result) => port.postMessage(result))
      return
    }
    port.postMessage(answer(tasks))
    if (tasks.some((task) => 'close' in task)) port.close()
  })
}
