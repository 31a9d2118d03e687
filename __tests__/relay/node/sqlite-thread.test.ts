import * as fs from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import {
  type BackupResult,
  runThread,
  type ThreadResult,
  type ThreadSettings,
  type ThreadTask,
} from '../../../src/relay/node/sqlite-thread.ts'

// Node 20 has no SQLite.
const sqlite = isBuiltin('node:sqlite') ? await import('node:sqlite') : undefined
const run = sqlite ? test : test.skip

const APPLICATION = 7
const { setTimeout: realTimeout } = globalThis
const { emitWarning } = process

let folder: string
let file: string
let clock: number
let timers: { readonly back: () => void; readonly milliseconds: number }[]
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'thread-'))
  file = join(folder, 'relay.db')
  fs.writeFileSync(file, '')
  clock = 0
  timers = []
  Object.assign(globalThis, {
    setTimeout: (back: () => void, milliseconds: number) => {
      // Others may set timers, too.
      if (milliseconds !== 2000) return realTimeout(back, milliseconds)
      timers.push({ back, milliseconds })
      return { unref: () => {} }
    },
  })
  Object.defineProperty(performance, 'now', { value: () => clock, configurable: true })
})
afterEach(() => {
  Object.assign(globalThis, { setTimeout: realTimeout })
  // The method of the prototype is there again.
  Reflect.deleteProperty(performance, 'now')
  fs.rmSync(folder, { recursive: true })
})

/** Runs the function of the thread in this one, with some functions of `node:fs` and settings replaced. */
function begin(
  changed: Partial<typeof fs> = {},
  settings: Partial<ThreadSettings> = {},
  hasBackup = true,
) {
  const posted: unknown[] = []
  let receive: (message: unknown) => void = () => {}
  let isClosed = false
  const parentPort = {
    postMessage: (message: unknown) => posted.push(message),
    on: (_: string, back: typeof receive) => {
      receive = back
    },
    close: () => {
      isClosed = true
    },
  }
  const workerData: ThreadSettings = {
    ...{ file, applicationId: APPLICATION, version: 3, reserve: 5000 },
    schema: ['CREATE TABLE item (name TEXT UNIQUE, content BLOB)'],
    ...settings,
  }
  const modules: Record<string, unknown> = {
    'node:sqlite': { ...sqlite, ...(!hasBackup && { backup: undefined }) },
    'node:worker_threads': { workerData, parentPort },
    'node:fs': { ...fs, ...changed },
  }
  runThread((name) => modules[name])
  const ask = (...tasks: ThreadTask[]) => {
    receive(tasks)
    // The thread posts one result for each task.
    return posted.at(-1) as ThreadResult[]
  }
  const read = (text: string) => {
    const [result] = ask({ read: [text] })
    return result && 'rows' in result ? result.rows : undefined
  }
  return {
    posted,
    ask,
    read,
    isClosed: () => isClosed,
    receive: (message: unknown) => receive(message),
  }
}

const insert = (name: string, adds = true, content = 'x'): ThreadTask => ({
  ...{ write: [['INSERT INTO item VALUES (?, ?)', name, content]], adds },
})
const remove = (name: string): ThreadTask => ({
  write: [['DELETE FROM item WHERE name = ? RETURNING name', name]],
  adds: false,
})
const OK = [{ rows: [] }]
const fault = (code: string, errcode = 0) => ({
  fault: { errcode, code, message: `Error: ${code}` },
})
const UNIQUE = {
  fault: {
    ...{ errcode: 2067, code: 'ERR_SQLITE_ERROR' },
    message: 'Error: UNIQUE constraint failed: item.name',
  },
}
const mode = (path: string) => (fs.statSync(path).mode & 0o777).toString(8)

run('a new file gets its tables, its marks and a reserve', () => {
  const { posted, read } = begin()
  expect(posted).toEqual([OK])
  expect(process.emitWarning).toBe(emitWarning)
  for (const [pragma, value] of [
    ['application_id', APPLICATION],
    ['user_version', 3],
    ['auto_vacuum', 2],
    ['journal_mode', 'wal'],
    ['synchronous', 2],
    ['locking_mode', 'exclusive'],
  ]) {
    expect(read(`PRAGMA ${pragma}`)).toEqual([{ [String(pragma)]: value }])
  }
  expect(read('SELECT * FROM item')).toEqual([])
  expect([fs.statSync(`${file}.reserve`).size, mode(`${file}.reserve`)]).toEqual([5000, '600'])
  // Nothing was written after the start.
  expect(timers).toEqual([])
})

run('a known file keeps its rows, and a reserve that is large enough', () => {
  const first = begin()
  first.ask(insert('a'))
  first.ask({ close: true })
  fs.writeFileSync(`${file}.reserve`, 'x'.repeat(6000))
  const { posted, read } = begin()
  expect(posted).toEqual([OK])
  expect(read('SELECT name FROM item')).toEqual([{ name: 'a' }])
  expect(fs.statSync(`${file}.reserve`).size).toBe(6000)
})

run('a file that gave no space back to the disk does so from now on', () => {
  const first = begin()
  first.ask({ close: true })
  const database = new (sqlite as NonNullable<typeof sqlite>).DatabaseSync(file)
  database.exec('PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM')
  database.close()
  const { read } = begin()
  expect(read('PRAGMA auto_vacuum')).toEqual([{ auto_vacuum: 2 }])
})

describe('a file', () => {
  const made = (statements: string) => {
    const database = new (sqlite as NonNullable<typeof sqlite>).DatabaseSync(file)
    database.exec(statements)
    database.close()
  }
  run.each([
    ['of another program', () => made('CREATE TABLE a (b)'), fault('FOREIGN')],
    [
      'of another program with a version',
      () => made('CREATE TABLE a (b); PRAGMA user_version = 99; PRAGMA application_id = 8'),
      fault('FOREIGN'),
    ],
    [
      'of a newer version',
      () => made('CREATE TABLE a (b); PRAGMA user_version = 4; PRAGMA application_id = 7'),
      fault('NEWER'),
    ],
    [
      'that is no database',
      () => fs.writeFileSync(file, 'a diary '.repeat(1000)),
      {
        fault: { errcode: 26, code: 'ERR_SQLITE_ERROR', message: 'Error: file is not a database' },
      },
    ],
    [
      'with a damaged page',
      () => {
        const rows = `('${Array(50).fill('x'.repeat(1000)).join("'), ('")}')`
        made(`CREATE TABLE a (b); PRAGMA user_version = 3; PRAGMA application_id = 7;
          INSERT INTO a VALUES ${rows}`)
        fs.writeFileSync(file, fs.readFileSync(file).fill(0x41, 4 * 4096, 5 * 4096))
      },
      fault('DAMAGED'),
    ],
  ])('%s is refused, and not changed', (_, make, result) => {
    make()
    const before = fs.readFileSync(file)
    const { posted, isClosed } = begin()
    expect([posted, isClosed()]).toEqual([[[result]], true])
    expect(fs.readFileSync(file).equals(before)).toBe(true)
    expect(fs.existsSync(`${file}.reserve`)).toBe(false)
  })

  run('that another process uses is refused', () => {
    begin()
    const { posted } = begin()
    expect(posted).toMatchObject([[{ fault: { errcode: 5, code: 'ERR_SQLITE_ERROR' } }]])
  })

  run('of the same version is opened', () => {
    made('CREATE TABLE a (b); PRAGMA user_version = 3; PRAGMA application_id = 7')
    expect(begin().posted).toEqual([OK])
  })
})

describe('tasks of one message', () => {
  run('are answered in their order, and the writes come first', () => {
    const { ask, posted } = begin()
    expect(
      ask(
        { read: ['SELECT count(*) AS count FROM item'] },
        insert('a'),
        { look: true },
        insert('b'),
        remove('a'),
      ),
    ).toEqual([
      { rows: [{ count: 1 }] },
      { rows: [] },
      { rows: [] },
      { rows: [] },
      { rows: [{ name: 'a' }] },
    ])
    expect(posted).toHaveLength(2)
    expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([2000])
  })

  run('without a write are no transaction', () => {
    const { ask } = begin()
    expect(ask({ read: ['SELECT 1 AS one'] }, { read: ['SELECT ? AS two', 2] })).toEqual([
      { rows: [{ one: 1 }] },
      { rows: [{ two: 2 }] },
    ])
    expect(ask({ read: ['SELECT none'] })).toEqual([
      { fault: { errcode: 1, code: 'ERR_SQLITE_ERROR', message: 'Error: no such column: none' } },
    ])
    expect(timers).toEqual([])
  })

  run('fail together, but what takes no space is written by itself', () => {
    const { ask, read } = begin()
    expect(ask(insert('a'), insert('a'), insert('b'))).toEqual([UNIQUE, UNIQUE, UNIQUE])
    expect(ask(insert('c', false), insert('a'), insert('a'))).toEqual([
      { rows: [] },
      UNIQUE,
      UNIQUE,
    ])
    expect(read('SELECT name FROM item')).toEqual([{ name: 'c' }])
    expect(ask(insert('c', false), remove('c'), insert('d'))).toEqual([UNIQUE, UNIQUE, UNIQUE])
    // The reserve stays.
    expect(fs.existsSync(`${file}.reserve`)).toBe(true)
  })
})

describe('on a full disk', () => {
  const FULL = fault('ENOSPC', 13)

  run(
    'without a reserve, only what takes no space is written; the reserve is tried again after a second',
    () => {
      let writes = 0
      let isFull = true
      const removed: unknown[] = []
      const { ask, read, posted } = begin({
        writeFileSync: (...given) => {
          writes++
          if (isFull) throw new Error('ENOSPC')
          fs.writeFileSync(...given)
        },
        rmSync: (path) => void removed.push(path),
      })
      expect(posted).toEqual([OK])
      clock = 999
      expect(ask(insert('a'), insert('b', false))).toEqual([FULL, { rows: [] }])
      expect([writes, removed]).toEqual([1, [`${file}.reserve`]])
      clock = 1000
      expect(ask(insert('a'))).toEqual([FULL])
      expect(writes).toBe(2)
      isFull = false
      clock = 1999
      expect(ask(remove('b'))).toEqual([{ rows: [{ name: 'b' }] }])
      expect(ask(insert('a'))).toEqual([FULL])
      clock = 2000
      expect(ask(insert('a'))).toEqual([{ rows: [] }])
      clock = 9000
      expect(ask(insert('c'))).toEqual([{ rows: [] }])
      expect([writes, read('SELECT name FROM item')]).toEqual([3, [{ name: 'a' }, { name: 'c' }]])
    },
  )

  run('the reserve goes, so that events can leave', () => {
    const { ask, read } = begin()
    ask(insert('a'))
    // SQLite's own limit is the disk.
    const [pages] = read('PRAGMA page_count') ?? []
    read(`PRAGMA max_page_count = ${pages?.page_count}`)
    const large = insert('b', true, 'x'.repeat(100_000))
    const full = {
      fault: { errcode: 13, code: 'ERR_SQLITE_ERROR', message: 'Error: database or disk is full' },
    }
    expect(ask(large, remove('a'))).toEqual([full, { rows: [{ name: 'a' }] }])
    expect(fs.existsSync(`${file}.reserve`)).toBe(false)
    expect(ask(large)).toEqual([FULL])
    clock = 1000
    expect(ask(large)).toEqual([full])
    expect(fs.existsSync(`${file}.reserve`)).toBe(false)
  })
})

describe('a file that changes under the relay', () => {
  run.each<[name: string, harm: () => void]>([
    ['removed', () => fs.rmSync(file)],
    ['cut', () => fs.truncateSync(file, 0)],
    [
      'replaced',
      () => {
        fs.copyFileSync(file, `${file}.2`)
        fs.renameSync(`${file}.2`, file)
      },
    ],
    ['without its WAL file', () => fs.rmSync(`${file}-wal`)],
  ])('is gone: %s', (_, harm) => {
    const { ask } = begin()
    expect(ask(insert('a'), { look: true })).toEqual([{ rows: [] }, { rows: [] }])
    harm()
    expect(ask({ look: true })).toEqual([fault('GONE')])
    expect(ask(insert('b'), remove('a'))[0]).toEqual(fault('GONE'))
    expect(ask({ read: ['SELECT none'] })).toEqual([fault('GONE')])
    for (const { back } of timers) back()
  })
})

describe('two seconds after a write', () => {
  const large = (n: number) => insert(`large ${n}`, true, 'x'.repeat(4000))

  run('the file gives its free pages back, 2,000 at a time', () => {
    const { ask, read } = begin()
    ask(...Array.from({ length: 2500 }, (_, n) => large(n)))
    ask({ write: [['DELETE FROM item']], adds: false })
    expect(timers).toHaveLength(1)
    const free = () => Number(read('PRAGMA freelist_count')?.[0]?.freelist_count)
    const before = free()
    expect(before).toBeGreaterThan(2000)
    timers[0]?.back()
    expect(free()).toBe(before - 2000)
    expect(fs.statSync(`${file}-wal`).size).toBe(0)
    // The file is shorter, and the same.
    expect(ask({ look: true })).toEqual(OK)
    expect(timers).toHaveLength(2)
    timers[1]?.back()
    expect(free()).toBe(0)
    expect(timers).toHaveLength(2)
    ask(insert('a'))
    expect(timers).toHaveLength(3)
  })

  run('nothing happens to a file that is closed or gone', () => {
    const { ask } = begin()
    ask(insert('a'))
    ask({ close: true })
    timers[0]?.back()
    expect(timers).toHaveLength(1)
  })
})

run('a file that is closed is free for another process', () => {
  const { ask, isClosed } = begin()
  ask(insert('a'))
  expect([ask({ close: true }), isClosed()]).toEqual([OK, true])
  expect(begin().read('SELECT name FROM item')).toEqual([{ name: 'a' }])
})

run.each([true, false])(
  'a backup has all rows, while tasks go on (by the backup of Node: %p)',
  async (hasBackup) => {
    Object.assign(globalThis, { setTimeout: realTimeout })
    const { ask, receive, posted } = begin({}, {}, hasBackup)
    ask(insert('a'))
    const backup = async (path: string) => {
      const before = posted.length
      receive({ backup: path })
      while (posted.length === before) await new Promise((resolve) => setImmediate(resolve))
      return posted.at(-1) as BackupResult
    }
    const copy = join(folder, 'copy.db')
    expect(await backup(copy)).toEqual({ backup: copy })
    const database = new (sqlite as NonNullable<typeof sqlite>).DatabaseSync(copy)
    expect(database.prepare('SELECT name FROM item').all()).toEqual([{ name: 'a' }])
    database.close()
    const missing = join(folder, 'missing', 'copy.db')
    expect(await backup(missing)).toEqual({
      backup: missing,
      fault: {
        errcode: 14,
        code: 'ERR_SQLITE_ERROR',
        message: expect.stringContaining('unable to open'),
      },
    })
  },
)
