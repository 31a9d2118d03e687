import {
  type ChildProcess,
  type ChildProcessByStdio,
  execFile,
  spawn,
  spawnSync,
} from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  chmod,
  copyFile,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { shrink } from '../../../scripts/build/shrink.js'
import { readOutboxSettings } from '../../../src/relay/outbox/settings.ts'
import { builtModules } from '../../support/build.ts'
import { CLI_BUNDLE, runShared } from '../../support/cli.ts'
import { startGitHub } from '../../support/github.ts'
import { NODE24, testOnNode24 } from '../../support/node24.ts'
import { OPERATOR_KEY, sealKeys } from '../../support/outbox-relays.ts'

const run = promisify(execFile)
let modules: string
/** Does, in a process of its own for all tests, what one asks of a file. */
let worker: ChildProcess
beforeAll(async () => {
  modules = await builtModules()
  const args = [QUIET, '--input-type=module', '-e', WORK(modules)]
  if (NODE24) worker = spawn(NODE24, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
})
afterAll(() => void worker?.kill())

const WORK = (folder: string) => `
  import { DatabaseSync } from 'node:sqlite'
  import { inspect } from 'node:util'
  import { openOutboxFile } from ${JSON.stringify(join(folder, 'relay/outbox/sqlite.js'))}
  const runs = (file, statements) => {
    const database = new DatabaseSync(file)
    database.exec(statements)
    database.close()
  }
  const lists = (file, query) => {
    const database = new DatabaseSync(file)
    const rows = database.prepare(query).all()
    database.close()
    return rows
  }
  process.on('message', async ({ file, statements, query }) => {
    try {
      if (query) return process.send({ said: '', rows: lists(file, query) })
      if (statements) runs(file, statements)
      else await (await openOutboxFile(file)).close()
      process.send({ said: '', rows: [] })
    } catch (error) {
      process.send({ said: inspect(error), rows: [] })
    }
  })`
const QUIET = '--disable-warning=ExperimentalWarning'

let folder: string
let file: string
let keys: string
/** What the process that was started last has written. */
let log: string
const running: ChildProcess[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outbox-file-'))
  file = join(folder, 'outbox.db')
  keys = await sealKeys()
})
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  await rm(folder, { recursive: true })
})

interface Started {
  readonly said: string
  readonly code?: number | null
}

/** Starts `hookline relay`; `code` is there when it ended instead of listening. */
async function start(
  settings: Record<string, string> = {},
  outbox = file,
  program = NODE24 ?? '',
  command = [QUIET, CLI_BUNDLE],
): Promise<Started> {
  const child = spawn(program, [...command, 'relay', '--port', '0', '--outbox', outbox], {
    env: { PATH: process.env.PATH, HOOKLINE_SEAL_KEYS: keys, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return begun(child)
}

/** Opens the outbox as the relay does, in a process that does nothing else. */
async function open(outbox = file, env: Record<string, string> = {}): Promise<Started> {
  const script = `
    import { openOutboxFile } from ${JSON.stringify(join(modules, 'relay/outbox/sqlite.js'))}
    const { close } = await openOutboxFile(process.argv[1])
    process.on('SIGTERM', () => close().then(() => process.exit()))
    setInterval(() => {}, 60_000)
    console.log('open')`
  const args = [QUIET, '--input-type=module', '-e', script, outbox]
  return begun(spawn(NODE24 ?? '', args, { env, stdio: ['ignore', 'pipe', 'pipe'] }))
}

function begun(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Started> {
  running.push(child)
  let said = ''
  log = ''
  child.stdout.on('data', (chunk) => {
    log += chunk
  })
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const listens = once(child.stdout, 'data').then(([line]) => ({ said: String(line) }))
  const ends = once(child, 'close').then(([code]) => ({ said, code }))
  return Promise.race([listens.catch(() => ends), ends])
}

/** Ends the process that was started first. */
async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const [child] = running
  child?.kill(signal)
  if (child?.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

interface Worked {
  /** The error that it came to; empty where there was none. */
  readonly said: string
  readonly rows: readonly unknown[]
}

async function ask(task: { file: string; statements?: string; query?: string }): Promise<Worked> {
  const answered = once(worker, 'message')
  worker.send(task)
  const [answer] = await answered
  return answer
}

/** Opens the outbox in a process that does so for all tests, and closes it. @returns what it said to that */
async function opened(outbox = file): Promise<string> {
  return (await ask({ file: outbox })).said
}

/** Runs statements on the file by SQLite itself. */
async function sqlite(statements: string): Promise<void> {
  expect((await ask({ file, statements })).said).toBe('')
}

const FIXTURES = join(import.meta.dirname, '../../fixtures/outbox')

describe('a file of the version before', () => {
  testOnNode24('is taken over: what waits is handed over, what died is still there', async () => {
    const github = await startGitHub()
    await copyFile(join(FIXTURES, 'version-1.db'), file)
    // A dead letter stays for thirty days: this one died a moment ago.
    await sqlite(`UPDATE event SET died = ${Date.now()} WHERE died IS NOT NULL`)
    const settings = {
      HOOKLINE_API_URL: github.url,
      HOOKLINE_OUTBOX_PACE_MS: '0',
      HOOKLINE_OPERATOR_KEY: OPERATOR_KEY,
      HOOKLINE_SEAL_KEYS: await readFile(join(FIXTURES, 'version-1.keys.json'), 'utf8'),
      HOOKLINE_TOKEN: 'ghp_of-the-relay-of-this-test',
      HOOKLINE_KEYS: 'a-key-that-nobody-brings-here',
    }
    const { said } = await start(settings)
    const [url] = said.slice(said.indexOf('http')).split('\n')
    for (let n = 0; n < 500 && github.calls.length < 3; n++) await pause(20)
    const bodies = github.calls.map(({ body }) => JSON.parse(body).client_payload.body)
    expect(bodies.sort()).toEqual(['event 1', 'event 2', 'event 3'])
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` }
    const listed = await (await fetch(`${url}/outbox`, { headers })).json()
    expect(listed).toMatchObject({
      waiting: [],
      dead: [{ lane: 'o/beta#own', reason: 'rejected' }],
    })
    expect(existsSync(`${file}.before`)).toBe(false)
    const backup = await fetch(`${url}/outbox/backup`, { headers })
    const bytes = Buffer.from(await backup.arrayBuffer())
    expect(bytes.subarray(0, 15).toString()).toBe('SQLite format 3')
    await github.close()
  })
})

describe('a file of the version before, whose relay is killed while it is taken over', () => {
  const script = join(import.meta.dirname, '../../support/kill-at-statement.cjs')
  const NODE_OPTIONS = `--require=${script}`

  testOnNode24('loses nothing, and leaves no copy, wherever that is', async () => {
    const taken = async () => {
      await copyFile(join(FIXTURES, 'version-1.db'), file)
      await rm(`${file}.before`, { force: true })
    }
    const query = 'SELECT delivery, state, sealed FROM event ORDER BY seq'
    const events = async () => (await ask({ file, query })).rows
    const moments = join(folder, 'moments')
    await taken()
    expect((await open(file, { NODE_OPTIONS, MOMENTS: moments })).said).toBe('open\n')
    await end('SIGTERM')
    const whole = await events()
    expect(whole).toHaveLength(4)
    const most = (await readFile(moments, 'utf8')).length
    expect(most).toBeGreaterThan(30)
    for (let at = 1; at <= most; at += 23) {
      await taken()
      const killed = await open(file, { NODE_OPTIONS, KILL_AT: String(at) })
      expect([at, killed.code]).toEqual([at, null])
      running.splice(0)
      expect(await opened()).toBe('')
      expect([at, await events()]).toEqual([at, whole])
      expect(existsSync(`${file}.before`)).toBe(false)
    }
  })
})

describe('the thread, which is started from its text', () => {
  test.each([
    ['as the command line is built', {}],
    ['as small as it can be made', { smallest: true }],
  ])('keeps events when it is minified, %s', async (_, how) => {
    if (!NODE24) return
    const built = await build({
      entryPoints: [join(import.meta.dirname, '../../../src/relay/outbox/sqlite.ts')],
      ...{ bundle: true, write: false, format: 'cjs', platform: 'node', target: 'es2022' },
    })
    const code = built.outputFiles[0]?.text ?? ''
    const script = join(folder, 'minified.cjs')
    const minified = await shrink(code, { module: false, ...how })
    expect(minified.length).toBeLessThan(code.length)
    await writeFile(script, minified)
    const opening = `
      const { openOutboxFile } = require(process.argv[1])
      openOutboxFile(process.argv[2]).then(async ({ outbox, backup, close }) => {
        await outbox.apply([{ accepted: 'o/r#own', at: 1 }])
        console.log(await outbox.accepted('o/r#own'))
        await backup(process.argv[2] + '.copy')
        await close()
      })`
    const { stdout } = await run(NODE24, [QUIET, '-e', opening, script, file])
    expect(stdout).toBe('1\n')
    expect(existsSync(`${file}.copy`)).toBe(true)
  })
})

describe('the file of an outbox', () => {
  /** A relay before a GitHub that is down. */
  const settingsFor = (url: string) => ({
    HOOKLINE_API_URL: url,
    HOOKLINE_ACCEPT_MS: '100',
    HOOKLINE_OUTBOX_PACE_MS: '0',
    HOOKLINE_OPERATOR_KEY: OPERATOR_KEY,
  })
  const addressOf = ({ said }: Started) => said.slice(said.indexOf('http')).trim()
  const send = (url: string, body: string) =>
    fetch(`${url}/o/r/hook/webhook`, {
      method: 'POST',
      headers: { 'x-platform-authorization': 'ghp_of-somebody-who-is-not-known' },
      body,
    })
  const diskLines = () =>
    log
      .split('\n')
      .filter((line) => line.includes('"outbox":"disk"'))
      .map((line) => JSON.parse(line))

  testOnNode24('is made, readable for its owner alone, and for one process alone', async () => {
    const first = await start()
    expect(first.said).toMatch(/^hookline relay listening on http/)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const second = await start()
    expect(second).toMatchObject({ code: 1 })
    expect(second.said).toContain(`another process uses the outbox ${file}`)
    const url = first.said.slice(first.said.indexOf('http')).trim()
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })

  testOnNode24('that was killed is free for the next process', async () => {
    expect((await open()).said).toBe('open\n')
    expect(await opened()).toContain('another process uses the outbox')
    await end('SIGKILL')
    expect(await opened()).toBe('')
  })

  testOnNode24.each([
    ['text', 'this is a diary, not a database, and it is quite long\n'.repeat(200)],
    ['cut-off', undefined],
  ])('that is damaged (%s) stays as it is, and the start says what to do', async (_name, text) => {
    if (text === undefined) {
      expect(await opened()).toBe('')
      const whole = await readFile(file)
      await writeFile(file, whole.fill(0x41, 4096, whole.length - 100))
    } else await writeFile(file, text)
    const before = await readFile(file)
    const said = await opened()
    expect(said).toContain(`the outbox ${file} is damaged`)
    expect(said).toContain('move it away')
    expect(await readFile(file)).toEqual(before)
  })

  const testWithSqlite = hasSqlite() ? testOnNode24 : test.skip
  testWithSqlite('that is damaged: what can be read of it is saved as the start says', async () => {
    const github = await startGitHub()
    const down = () => github.always({ status: 503 })
    const url = addressOf(await start(settingsFor(github.url)))
    expect((await send(url, 'accepted')).status).toBe(200)
    down()
    for (let n = 0; n < 4; n++) expect((await send(url, 'x'.repeat(5000 + n))).status).toBe(202)
    await end('SIGTERM')
    const whole = await readFile(file)
    await writeFile(file, whole.subarray(0, whole.length - 4096))
    const said = await opened()
    const [, command = ''] = / save what can be read with: (.+[.]db)/.exec(said) ?? []
    await rename(file, `${file}.moved`)
    expect(await opened()).toBe('')
    await run('bash', ['-c', command.replace('<moved file>', `${file}.moved`)])
    running.splice(0)
    github.reset()
    await start(settingsFor(github.url))
    for (let n = 0; n < 500 && github.calls.length < 3; n++) await pause(20)
    expect(github.calls.length).toBeGreaterThanOrEqual(3)
    await github.close()
  })

  testOnNode24('that is another database stays as it is', async () => {
    await sqlite('CREATE TABLE customers (name TEXT)')
    const before = await readFile(file)
    expect(await opened()).toContain('not an outbox')
    expect(await readFile(file)).toEqual(before)
  })

  testOnNode24('of a newer version is refused', async () => {
    expect(await opened()).toBe('')
    await sqlite('PRAGMA user_version = 99')
    expect(await opened()).toContain('newer hookline')
  })

  testOnNode24('needs its folder', async () => {
    const said = await opened(join(folder, 'missing', 'outbox.db'))
    expect(said).toContain(`there is no folder for the outbox: ${join(folder, 'missing')}`)
  })

  testOnNode24('must be writable', async () => {
    // Root may write everywhere but to a folder.
    expect(await opened(folder)).toContain('cannot be written')
    if (process.getuid?.() === 0) return
    await writeFile(file, '')
    await chmod(file, 0o400)
    expect(await opened()).toContain('cannot be written')
  })

  testOnNode24('is not made with a wrong setting', async () => {
    const { exitCode, stderr } = await runShared(['relay', '--port', '0', '--outbox', file], {
      env: { HOOKLINE_SEAL_KEYS: keys, HOOKLINE_OUTBOX_HOURS: '-1' },
    })
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('_OUTBOX_HOURS')])
    await expect(stat(file)).rejects.toThrow('ENOENT')
  })

  const GONE: readonly [string, () => Promise<void>][] = [
    ['removed', () => rm(file)],
    ['cut', () => truncate(file, 0)],
    // Seen as the first two are: as another file, and as one that is missing.
    ['replaced', () => copyFile(file, `${file}.2`).then(() => rename(`${file}.2`, file))],
    ['without the file beside it', () => rm(`${file}-wal`)],
  ]
  testOnNode24.each<[string, () => Promise<void>]>(GONE.slice(0, 2))(
    'that is %s while the relay runs: 503, told once, and nothing more is kept',
    async (_name, harm) => {
      const github = await startGitHub()
      const down = () => github.always({ status: 503 })
      const url = addressOf(await start(settingsFor(github.url)))
      expect((await send(url, 'accepted')).status).toBe(200)
      down()
      const first = await send(url, '1')
      expect(first.status).toBe(202)
      await harm()
      for (const body of ['2', '3']) {
        const answer = await send(url, body)
        expect(answer.status).toBe(503)
        expect(await answer.json()).toMatchObject({ error: { code: 'outbox_full' } })
      }
      for (let n = 0; n < 500 && diskLines().length === 0; n++) await pause(20)
      expect(diskLines()).toMatchObject([{ outbox: 'disk', reason: 'file gone', events: 1 }])
      await end('SIGTERM')
      await github.close()
    },
  )

  testOnNode24('on a full disk: 503 outbox_full, nothing stored, nothing lost', async () => {
    const github = await startGitHub()
    const down = () => github.always({ status: 503 })
    const settings = settingsFor(github.url)
    // No file of the process may grow beyond this; the disk could be no fuller.
    const limited = 'ulimit -f 5000; exec "$@"'
    const ignored = ['--import', 'data:text/javascript,process.on("SIGXFSZ", () => {})']
    const bash = ['-c', limited, 'bash', NODE24 ?? '', ...ignored, QUIET, CLI_BUNDLE]
    const url = addressOf(await start(settings, file, 'bash', bash))
    const accepted: string[] = []
    let refused: Response | undefined
    expect((await send(url, 'accepted')).status).toBe(200)
    down()
    for (let n = 0; n < 400 && !refused; n++) {
      const answer = await send(url, `${n} ${'x'.repeat(30_000)}`)
      if (answer.status === 202) accepted.push(answer.headers.get('x-hookline-delivery') ?? '')
      else refused = answer
    }
    expect(refused?.status).toBe(503)
    expect(refused?.headers.get('retry-after')).toBe('60')
    expect(await refused?.json()).toMatchObject({ error: { code: 'outbox_full' } })
    expect(accepted.length).toBeGreaterThan(3)
    // Each of them fails alike, and so does what an operator would do first.
    for (let n = 0; n < 3; n++) {
      expect((await send(url, 'x'.repeat(60_000))).status).toBe(503)
    }
    const forgotten = await fetch(`${url}/outbox/${accepted.at(-1)}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${OPERATOR_KEY}` },
    })
    // What gives room back has some that was set aside.
    expect(forgotten.status).toBe(200)
    accepted.pop()
    for (let n = 0; n < 500 && diskLines().length === 0; n++) await pause(20)
    expect(diskLines()).toHaveLength(1)
    expect(diskLines()[0].reason).toMatch(/^disk (?:full|fails)$/)
    expect(log).not.toContain('StorageError')
    await end('SIGTERM')
    github.reset()
    await start(settings)
    const delivered = () => github.calls.map(({ body }) => DELIVERY.exec(body)?.[1])
    for (let n = 0; n < 1500 && delivered().length < accepted.length; n++) await pause(20)
    // Where calls overlap, their order is that of their ends.
    expect([...new Set(delivered())].sort()).toEqual(accepted.sort())
    await github.close()
  })
})

function hasSqlite(): boolean {
  return spawnSync('sqlite3', ['--version']).status === 0
}

const DELIVERY = /"x-hookline-delivery":"([^"]+)"/

function pause(milliseconds: number) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

test.each([
  [{ HOOKLINE_SEAL_KEYS: '' }, 'HOOKLINE_SEAL_KEYS is missing'],
  [{ HOOKLINE_ACCEPT_MS: '0' }, 'HOOKLINE_ACCEPT_MS is not a whole number from 1 to 60000: "0"'],
  [{ HOOKLINE_OUTBOX_HOURS: '0' }, 'HOOKLINE_OUTBOX_HOURS is not a number above 0 to 8760: "0"'],
  [{ HOOKLINE_OUTBOX_EVENTS: '1.5' }, 'HOOKLINE_OUTBOX_EVENTS is not a whole number'],
  [{ HOOKLINE_OUTBOX_MB: 'much' }, 'HOOKLINE_OUTBOX_MB is not a number above 0'],
])('a wrong setting is named: %j', (settings, message) => {
  expect(() => readOutboxSettings({ HOOKLINE_SEAL_KEYS: 'keys', ...settings })).toThrow(message)
})

test('settings have their defaults, and HOURS and MB may be fractions', () => {
  const keys = { HOOKLINE_SEAL_KEYS: 'keys' }
  const [hour, mb] = [3_600_000, 1024 * 1024]
  expect(readOutboxSettings(keys)).toEqual({
    acceptTime: 2500,
    limits: { age: 72 * hour, events: 100_000, bytes: 256 * mb },
  })
  const other = { HOOKLINE_OUTBOX_HOURS: '0.001', HOOKLINE_OUTBOX_MB: '0.5' }
  expect(readOutboxSettings({ ...keys, ...other }).limits).toMatchObject({
    age: 3600,
    bytes: mb / 2,
  })
})

const isOld = Number(process.versions.node.split('.')[0]) < 22
const testOnOldNode = isOld ? test : test.skip

testOnOldNode('a Node without SQLite is refused with exit 2 and the reason', async () => {
  const { exitCode, stderr } = await runShared(['relay', '--port', '0', '--outbox', file], {
    env: { HOOKLINE_SEAL_KEYS: keys },
  })
  expect(exitCode).toBe(2)
  expect(stderr).toContain(`an outbox needs Node 22.13 or newer, and this is ${process.version}`)
})
