import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { INSTALL_CLOUDFLARED, openTunnel, type TunnelChange } from '../../src/cli/tunnel.ts'
import { UserError } from '../../src/wire/errors.ts'
import { until } from '../support/until.ts'

const PUBLIC = 'https://quiet-river-2-example.trycloudflare.com'
const OTHER = 'https://loud-river-example.trycloudflare.com'
const LOCAL = 'http://127.0.0.1:3000'

const NO_NETWORK =
  'Check that this machine reaches the internet, and run the command again; or use --public-url.'

let folder: string
let stopping: AbortController
const { env } = process
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-tunnel-'))
  stopping = new AbortController()
  process.env = { ...env, PATH: `${folder}:${env.PATH}` }
})
afterEach(async () => {
  stopping.abort()
  process.env = env
  await rm(folder, { recursive: true })
})

const told = (address: string) => `echo "INF |  ${address}  |" >&2`

/** A `cloudflared` that writes down its process id, and does what the line of its start says. */
async function cloudflared(...starts: readonly string[]): Promise<void> {
  const cases = starts.map((start, at) => `${at + 1}) ${start};;`).join('\n')
  const script = `#!/bin/sh
echo $$ >> '${folder}/pids'
case $(grep -c . '${folder}/pids') in
${cases}
esac
`
  await writeFile(join(folder, 'cloudflared'), script, { mode: 0o755 })
}

const pids = () => readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number)

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const noneIsLeft = () => until(() => !pids().some(isAlive))

/** Time in which each pause is over immediately, and the address is awaited until the test says so. */
function hurried() {
  const pauses: number[] = []
  const waits: (() => void)[] = []
  const changes: TunnelChange[] = []
  let isPause = false
  const after = (milliseconds: number, back: () => void) => {
    // A pause may be as long as the wait for an address.
    if (milliseconds !== 30_000 || isPause) {
      isPause = false
      pauses.push(milliseconds)
      setImmediate(back)
      return () => {}
    }
    waits.push(back)
    return () => void waits.splice(waits.indexOf(back), 1)
  }
  const onChange = (change: TunnelChange) => {
    isPause = change.kind === 'ended'
    changes.push(change)
  }
  const open = () => openTunnel({ local: LOCAL, onChange, signal: stopping.signal, after })
  return { open, pauses, waits, changes, after }
}

const problemOf = async (work: Promise<unknown>) => {
  const error = await work.catch((caught) => caught)
  if (!(error instanceof UserError)) throw error
  return error.problems
}

test('cloudflared gets the address, and sees no token and no key', async () => {
  Object.assign(process.env, { HOOKLINE_GITHUB_TOKEN: 'ghp_secret', https_proxy: 'p' })
  await cloudflared(
    `echo "$@" > '${folder}/args'; env > '${folder}/env'; echo INF; ${told(PUBLIC)}; exec sleep 60`,
  )
  const { open, waits, pauses, changes } = hurried()
  const { url, close } = await open()
  expect({ url, waits, pauses, changes }).toEqual({
    ...{ url: PUBLIC, waits: [], pauses: [], changes: [] },
  })
  expect(readFileSync(join(folder, 'args'), 'utf8')).toBe(`tunnel --no-autoupdate --url ${LOCAL}\n`)
  const seen = readFileSync(join(folder, 'env'), 'utf8')
  expect(seen).toMatch(/^PATH=/m)
  expect(seen).toMatch(/^https_proxy=p$/m)
  expect(seen).not.toContain('ghp_secret')
  close()
  await noneIsLeft()
  await until(() => pauses.length === 2)
  expect({ pauses, changes }).toEqual({ pauses: [500, 500], changes: [] })
})

describe('there is no tunnel if cloudflared', () => {
  test('is not installed', async () => {
    process.env.PATH = folder
    expect(await problemOf(hurried().open())).toEqual([
      { message: 'cloudflared is not installed', hint: INSTALL_CLOUDFLARED },
    ])
  })

  test.each([
    ['ends without an address', 'exit 3'],
    [
      'has no network',
      'echo \'Post "https://api.trycloudflare.com/tunnel": dial tcp: no such host\' >&2; exit 1',
    ],
  ])('%s', async (_, start) => {
    await cloudflared(start)
    const { open, pauses, waits } = hurried()
    expect(await problemOf(open())).toEqual([
      { message: 'cloudflared ended without an address', hint: NO_NETWORK },
    ])
    expect({ pauses, waits }).toEqual({ pauses: [500], waits: [] })
  })

  test('prints no address for 30 seconds', async () => {
    await cloudflared('exec sleep 60')
    const { open, waits } = hurried()
    const opened = problemOf(open())
    await until(() => existsSync(join(folder, 'pids')))
    waits[0]?.()
    expect(await opened).toEqual([
      { message: 'cloudflared printed no address within 30 s', hint: NO_NETWORK },
    ])
    await noneIsLeft()
  })

  test('is aborted before it has an address', async () => {
    await cloudflared('exec sleep 60')
    const { open } = hurried()
    const opened = open().catch((error: unknown) => error)
    await until(() => existsSync(join(folder, 'pids')))
    const reason = new Error('stopped')
    stopping.abort(reason)
    expect(await opened).toBe(reason)
    await noneIsLeft()
  })

  test('is aborted before its start', async () => {
    await cloudflared('exec sleep 60')
    const reason = new Error('stopped')
    stopping.abort(reason)
    expect(
      await hurried()
        .open()
        .catch((error: unknown) => error),
    ).toBe(reason)
    expect(existsSync(join(folder, 'pids'))).toBe(false)
  })
})

test('a tunnel that ends is opened again, after longer pauses while that fails', async () => {
  const failing = Array(7).fill('exit 1')
  const start = (address: string) => told(address)
  await cloudflared(
    ...[start(PUBLIC), start(PUBLIC), ...failing, start(OTHER), start(PUBLIC)],
    `${told(PUBLIC)}; exec sleep 60`,
  )
  const { open, changes, pauses } = hurried()
  const { close } = await open()
  const end = (retryIn: number) => ({ kind: 'ended', retryIn })
  const opened = (url: string, isSame: boolean) => ({ kind: 'open', url, isSame })
  const all = [
    ...[end(1000), opened(PUBLIC, true)],
    ...[1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000].map(end),
    ...[opened(OTHER, false), end(1000), opened(PUBLIC, false)],
    ...[end(1000), opened(PUBLIC, true)],
  ]
  await until(() => changes.length === all.length)
  expect(changes).toEqual(all)
  close()
  await noneIsLeft()
  expect(pids()).toHaveLength(12)
  expect(pauses.filter((pause) => pause !== 500)).toEqual(
    changes.flatMap((change) => (change.kind === 'ended' ? [change.retryIn] : [])),
  )
})

test('a tunnel that is closed in a pause stays closed', async () => {
  await cloudflared(told(PUBLIC), told(OTHER))
  const { changes, after } = hurried()
  const tunnel = await openTunnel({
    ...{ local: LOCAL, signal: stopping.signal, after },
    onChange(change) {
      changes.push(change)
      tunnel.close()
    },
  })
  await until(() => changes.length > 0)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect({ changes, starts: pids().length }).toEqual({
    changes: [{ kind: 'ended', retryIn: 1000 }],
    starts: 1,
  })
})

test('the end of this process closes the tunnel', async () => {
  await cloudflared(`${told(PUBLIC)}; exec sleep 60`)
  const before = process.listeners('exit')
  await hurried().open()
  const [added] = process.listeners('exit').filter((listener) => !before.includes(listener))
  added?.(0)
  await noneIsLeft()
})
