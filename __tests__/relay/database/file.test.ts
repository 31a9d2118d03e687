import { execFile, spawnSync } from 'node:child_process'
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
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { shrink } from '../../../scripts/build/shrink.js'
import { readStorageSettings } from '../../../src/relay/config.ts'
import { FIGURES } from '../../../src/relay/figures.ts'
import { CLI_BUNDLE, RunningCommand, runShared } from '../../support/cli.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { NODE24, testOnNode24 } from '../../support/node24.ts'
import { ADMIN_BEARER, RELAY_KEY } from '../../support/relay-keys.ts'
import { opened, sqlite } from '../../support/sqlite.ts'
import { until } from '../../support/until.ts'

const run = promisify(execFile)
const QUIET = '--disable-warning=ExperimentalWarning'

let folder: string
let file: string
let github: GitHub
const relays: RunningCommand[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'database-file-'))
  file = join(folder, 'relay.db')
  github = await startGitHub()
})
afterEach(async () => {
  for (const relay of relays.splice(0)) await kill(relay)
  await github.close()
  await rm(folder, { recursive: true })
})

async function kill(relay: RunningCommand): Promise<void> {
  relay.process.kill('SIGKILL')
  await relay.ended()
}

/** Starts `hookline relay` on the file, before the stand-in for GitHub. */
function start(settings: Record<string, string> = {}, program = [NODE24 ?? '', QUIET, CLI_BUNDLE]) {
  const relay = new RunningCommand(['relay', '--port', '0', '--data', folder], {
    env: {
      HOOKLINE_API_URL: github.url,
      HOOKLINE_RELAY_KEY: RELAY_KEY,
      HOOKLINE_TEST_MIN_INTERVAL_MS: '0',
      ...settings,
    },
    as: (args) => [...program, ...args],
  })
  relays.push(relay)
  return relay
}

async function urlOf(relay: RunningCommand): Promise<string> {
  return (await relay.printed(/http:\/\/\S+/))[0]
}

const authorization = `Bearer ${ADMIN_BEARER}`

describe('the thread of SQLite, which is started from its source text', () => {
  testOnNode24.each([
    ['as the command line is built', {}],
    ['as small as it can be made', { smallest: true }],
  ])('works when it is minified, %s', async (_, how) => {
    const built = await build({
      entryPoints: [join(import.meta.dirname, '../../../src/relay/node/sqlite.ts')],
      ...{ bundle: true, write: false, format: 'cjs', platform: 'node', target: 'es2022' },
    })
    const code = built.outputFiles[0]?.text ?? ''
    const script = join(folder, 'minified.cjs')
    const minified = await shrink(code, { module: false, ...how })
    expect(minified.length).toBeLessThan(code.length)
    await writeFile(script, minified)
    const opening = `
      const { openDatabaseFile } = require(process.argv[1])
      openDatabaseFile(process.argv[2]).then(async ({ database, backup, close }) => {
        await database.write([['INSERT INTO accepted VALUES (?, ?)', 'o/r#own', 1]])
        console.log((await database.read('SELECT at FROM accepted'))[0].at)
        await backup(process.argv[2] + '.copy')
        await close()
      })`
    const { stdout } = await run(NODE24 ?? '', [QUIET, '-e', opening, script, file])
    expect(stdout).toBe('1\n')
    expect(existsSync(`${file}.copy`)).toBe(true)
  })
})

async function send(url: string, body: string) {
  const answer = await fetch(`${url}/o/r/hook/webhook`, {
    method: 'POST',
    headers: { 'x-platform-authorization': 'ghp_a-token-of-a-sender' },
    body,
  })
  const { error } = JSON.parse(await answer.text())
  return { answer, status: answer.status, code: error?.code }
}

/** A relay whose GitHub accepted the token of the sender, and is down now. */
async function startBeforeOutage(program?: string[]) {
  const relay = start({}, program)
  const url = await urlOf(relay)
  expect((await send(url, 'accepted')).status).toBe(200)
  github.reset()
  github.always({ status: 503 })
  return { relay, url }
}

function diskLines({ stdout }: RunningCommand) {
  const lines = stdout.split('\n').filter((line) => line.includes('"change":"disk"'))
  return lines.map((line) => JSON.parse(line))
}

/** A program for `start` whose files cannot grow beyond so many KB. */
function withFilesOf(kilobytes: number): string[] {
  const limited = `ulimit -f ${kilobytes}; exec "$@"`
  const ignored = ['--import', 'data:text/javascript,process.on("SIGXFSZ", () => {})']
  return ['bash', '-c', limited, 'bash', NODE24 ?? '', ...ignored, QUIET, CLI_BUNDLE]
}

/** Settings of a relay whose disk is full while the file FULL_DISK is there. */
async function fullDisk() {
  const mark = join(folder, 'the-disk-is-full')
  await writeFile(mark, '')
  const module = join(import.meta.dirname, '../../support/full-disk.cjs')
  return { FULL_DISK: mark, NODE_OPTIONS: `--require=${module}` }
}

describe('the database of a relay', () => {
  const delivered = () => github.calls.map(({ body }) => DELIVERY.exec(body)?.[1])

  testOnNode24(
    'is readable for its owner alone, and used by one process, until that is killed',
    async () => {
      const relay = start()
      const url = await urlOf(relay)
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      const second = start()
      expect(await second.ended()).toBe(1)
      expect(second.stderr).toContain(`another process uses the database ${file}`)
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
      await kill(relay)
      expect(await opened(file)).toBe('')
    },
  )

  /** Overwrites a part of the file that `opened` created. */
  const overwrite = async (from: number, to: number) => {
    const whole = await readFile(file)
    await writeFile(file, whole.fill(0x41, from, to < 0 ? whole.length + to : to))
  }

  testOnNode24.each([
    [
      'text',
      () => writeFile(file, 'this is a diary, not a database, and it is long\n'.repeat(200)),
    ],
    ['overwritten', () => overwrite(4096, -100)],
    [
      'in a table that nobody reads at the start',
      async () => {
        const [table] = await sqlite(
          file,
          "SELECT rootpage FROM sqlite_schema WHERE name = 'chunk'",
        )
        const { rootpage: page } = table as { rootpage: number }
        await overwrite((page - 1) * 4096, page * 4096)
      },
    ],
  ])('that is damaged (%s) is refused, and not changed', async (_name, damage) => {
    expect(await opened(file)).toBe('')
    await damage()
    const before = await readFile(file)
    const error = await opened(file)
    expect(error).toContain(`${file} is damaged`)
    expect(error).toContain('Move it away')
    expect(await readFile(file)).toEqual(before)
  })

  const hasSqlite = spawnSync('sqlite3', ['--version']).status === 0
  const testWithSqlite = hasSqlite ? testOnNode24 : test.skip
  testWithSqlite('that is damaged can be saved by the command that the error names', async () => {
    const { relay, url } = await startBeforeOutage()
    for (let n = 0; n < 4; n++) expect((await send(url, 'x'.repeat(5000 + n))).status).toBe(202)
    await relay.stop()
    const whole = await readFile(file)
    await writeFile(file, whole.subarray(0, whole.length - 4096))
    const [command = ''] = /sqlite3 .+[.]db/.exec(await opened(file)) ?? []
    await rename(file, `${file}.moved`)
    expect(await opened(file)).toBe('')
    await run('bash', ['-c', command.replace('<moved file>', `${file}.moved`)])
    github.reset()
    const again = await urlOf(start())
    await until(() => github.calls.length >= 3)
    expect(github.calls.length).toBeGreaterThanOrEqual(3)
    // The table counts the events that were copied.
    const listed = await fetch(`${again}/-admin/status`, { headers: { authorization } })
    expect(await listed.json()).toMatchObject({ imbalance: 0 })
  })

  testOnNode24('that is another database is refused, and not changed', async () => {
    await sqlite(file, 'CREATE TABLE customers (name TEXT)')
    const before = await readFile(file)
    expect(await opened(file)).toContain('not the database of a Hookline relay')
    expect(await readFile(file)).toEqual(before)
  })

  testOnNode24('of a newer version is refused', async () => {
    expect(await opened(file)).toBe('')
    await sqlite(file, 'PRAGMA user_version = 99')
    expect(await opened(file)).toContain('newer version of Hookline')
  })

  testOnNode24('needs a folder, and permission to write', async () => {
    const missing = join(folder, 'missing')
    expect(await opened(join(missing, 'relay.db'))).toContain(
      `the folder of the database is missing: ${missing}`,
    )
    // Root can write to each file, but not to a folder.
    expect(await opened(folder)).toContain('cannot be written')
    if (process.getuid?.() === 0) return
    await writeFile(file, '')
    await chmod(file, 0o400)
    expect(await opened(file)).toContain('cannot be written')
  })

  testOnNode24('is not made with an invalid setting', async () => {
    const relay = start({ HOOKLINE_MAX_AGE_HOURS: '-1' })
    expect([await relay.ended(), relay.stderr]).toEqual([
      1,
      expect.stringContaining('_MAX_AGE_HOURS'),
    ])
    expect(existsSync(file)).toBe(false)
  })

  testOnNode24.each<[string, () => Promise<void>]>([
    ['removed', () => rm(file)],
    ['truncated', () => truncate(file, 0)],
    ['replaced', () => copyFile(file, `${file}.2`).then(() => rename(`${file}.2`, file))],
    ['without its WAL file', () => rm(`${file}-wal`)],
  ])('that is %s while the relay runs: 503 storage_full, logged once', async (_name, harm) => {
    const { relay, url } = await startBeforeOutage()
    expect((await send(url, '1')).status).toBe(202)
    await harm()
    for (const body of ['2', '3']) {
      expect(await send(url, body)).toMatchObject({ status: 503, code: 'storage_full' })
    }
    await until(() => diskLines(relay).length > 0)
    expect(diskLines(relay)).toMatchObject([{ change: 'disk', reason: 'file gone' }])
  })

  testOnNode24('on a full disk: 503 storage_full, nothing stored, nothing lost', async () => {
    // No file may grow. The reserve cannot help here; built.test.ts empties a disk that is really full.
    const { relay, url } = await startBeforeOutage(withFilesOf(5000))
    const accepted: string[] = []
    let refused: Awaited<ReturnType<typeof send>> | undefined
    for (let n = 0; n < 400 && !refused; n++) {
      const sent = await send(url, `${n} ${'x'.repeat(30_000)}`)
      if (sent.status === 202) accepted.push(sent.answer.headers.get('x-hookline-delivery') ?? '')
      else refused = sent
    }
    expect(refused).toMatchObject({ status: 503, code: 'storage_full' })
    expect(refused?.answer.headers.get('retry-after')).toBe('60')
    expect(accepted.length).toBeGreaterThan(3)
    for (let n = 0; n < 3; n++) expect((await send(url, 'x'.repeat(60_000))).status).toBe(503)
    await until(() => diskLines(relay).length > 0)
    expect(diskLines(relay)).toHaveLength(1)
    expect(diskLines(relay)[0].reason).toMatch(/^disk (?:full|fails)$/)
    expect(relay.stdout).not.toContain('StorageError')
    await relay.stop()
    github.reset()
    await urlOf(start())
    await until(() => new Set(delivered()).size >= accepted.length)
    // Calls overlap, so only the set of them is known.
    expect([...new Set(delivered())].sort()).toEqual(accepted.sort())
  })
})

describe('a start', () => {
  const bodies = () => github.calls.map(({ body }) => JSON.parse(body).client_payload.body)

  testOnNode24(
    'on a full disk: a new database is an error with exit 1, and works when there is room',
    async () => {
      const full = await fullDisk()
      const relay = start(full)
      expect(await relay.ended()).toBe(1)
      expect(relay.stderr).toContain(`the disk of ${file} is full`)
      expect(relay.stdout).toBe('')
      await rm(full.FULL_DISK)
      const again = await urlOf(start(full))
      expect(await (await fetch(`${again}/readyz`)).text()).toBe('ready')
    },
  )

  testOnNode24(
    'on a full disk: a database with events delivers them, and stores others when there is room',
    async () => {
      const { relay, url } = await startBeforeOutage()
      expect((await send(url, 'before')).status).toBe(202)
      await relay.stop()
      await rm(`${file}.reserve`)
      const full = await fullDisk()
      const again = start(full)
      const address = await urlOf(again)
      expect(await send(address, 'full')).toMatchObject({ status: 503, code: 'storage_full' })
      await until(() => diskLines(again).length > 0)
      expect(diskLines(again)).toMatchObject([{ change: 'disk', reason: 'disk full' }])
      await rm(full.FULL_DISK)
      // The relay looks for room once a second.
      let status = 503
      await until(async () => {
        status = (await send(address, 'room')).status
        return status !== 503
      })
      expect(status).toBe(202)
      github.reset()
      await until(() => bodies().includes('before') && bodies().includes('room'))
      expect(new Set(bodies())).toEqual(new Set(['before', 'room']))
    },
  )

  testOnNode24('that fails after the relay listens names the file, and exits with 1', async () => {
    const { relay, url } = await startBeforeOutage()
    expect((await send(url, 'before')).status).toBe(202)
    await relay.stop()
    // The start corrects a time that lies too far ahead. No file may grow, so that fails.
    await sqlite(file, 'UPDATE delivery SET next = 9e15')
    const failing = start({ HOOKLINE_PUBLIC_URL: 'https://relay.test' }, withFilesOf(0))
    expect(await failing.ended()).toBe(1)
    expect(failing.stderr).toContain(`the database ${file} cannot be written`)
    expect(failing.stdout).not.toContain('listening')
  })
})

const DELIVERY = /"x-hookline-delivery":"([^"]+)"/

test('settings have their defaults; on Workers there is less room', () => {
  const [hour, mb] = [3_600_000, 1024 * 1024]
  const limits = { events: 100_000, bytes: 1024 * mb, ownerShare: 1 / 8, retention: 7 * 24 * hour }
  const times = { age: 72 * hour, responseTime: 2500 }
  expect(readStorageSettings({}, FIGURES)).toMatchObject({ limits, ...times })
  expect(readStorageSettings({}, FIGURES, true).limits).toMatchObject({
    bytes: 256 * mb,
    ownerShare: 1,
  })
  const other = { HOOKLINE_MAX_STORAGE_MB: '2', HOOKLINE_RETENTION_DAYS: '0' }
  expect(readStorageSettings(other, FIGURES, true).limits).toMatchObject({
    bytes: 2 * mb,
    retention: 0,
  })
})

const isOld = Number(process.versions.node.split('.')[0]) < 22
// A test that is skipped counts as missing on a newer Node.
if (isOld) {
  test('a Node without SQLite is refused with exit 2 and the reason', async () => {
    const { exitCode, stderr } = await runShared(['relay', '--port', '0', '--data', folder], {
      env: { HOOKLINE_RELAY_KEY: RELAY_KEY },
    })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('22.13')])
    expect(stderr).toContain(`this is Node ${process.versions.node}`)
    expect(stderr).toContain('--stateless')
  })
}
