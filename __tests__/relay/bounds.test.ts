import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Figures } from '../../src/relay/figures.ts'
import { startRelay } from '../../src/relay/node/start.ts'
import { BodyMemory } from '../../src/relay/webhook/body.ts'
import { Secret } from '../../src/wire/secret.ts'
import { randomOf } from '../support/fake-time.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { keptConnection, open, requestBytes, send } from '../support/raw-http.ts'
import { TOKEN, withToken } from '../support/scene.ts'
import { until } from '../support/until.ts'
import { cpuMilliseconds } from '../support/usage.ts'

const HOOK = '/o/r/hook/webhook'
const KB = 1024
let github: GitHub
beforeAll(async () => {
  github = await startGitHub()
})
afterEach(() => github.reset())
afterAll(() => github.close())

function begin(figures: Partial<Figures>, maxConnections = 5000) {
  const env = { HOOKLINE_API_URL: github.url }
  const limits = { maxConnections }
  return startRelay({ host: '127.0.0.1', port: 0, env, figures, limits, write: () => {} })
}

/** Sends the beginning of a body of 250 KB, and then nothing more. */
function stuck(url: string, bytes: number): Socket {
  const socket = open(url)
  socket.on('error', () => {})
  socket.write(
    `POST ${HOOK} HTTP/1.1\r\nHost: x\r\nX-Platform-Authorization: ${TOKEN}\r\nContent-Length: 250000\r\n\r\n${'x'.repeat(bytes)}`,
  )
  return socket
}

/**
 * Resolves when the relay, which is in this process, has read everything that was written to these.
 */
async function arrived(sockets: readonly Socket[]): Promise<void> {
  await until(async () => sockets.every((one) => !one.connecting && one.writableLength === 0))
  // Each turn reads 64 KB of a connection.
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('the bodies of all requests together', () => {
  const SMALL = withToken({ method: 'POST', target: HOOK, body: 'x'.repeat(100) })

  test('are bounded: 503 beyond, and as before when they are gone', async () => {
    const relay = await begin({ MAX_BODY_MEMORY_MB: 1 })
    const sockets = Array.from({ length: 5 }, () => stuck(relay.url, 209_700))
    await arrived(sockets)
    const answer = await send(relay.url, SMALL)
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1'])
    expect(JSON.parse(answer.body).error.code).toBe('overloaded')
    expect(github.calls).toEqual([])
    for (const socket of sockets) socket.destroy()
    await until(async () => (await send(relay.url, SMALL)).status === 200)
    await relay.close()
  })

  test('a slow body counts by its received bytes, so a few do not exclude others', async () => {
    const relay = await begin({ MAX_BODY_MEMORY_MB: 1 })
    const sockets = Array.from({ length: 50 }, () => stuck(relay.url, 1 * KB))
    await arrived(sockets)
    expect((await send(relay.url, SMALL)).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await relay.close()
  })

  test('released memory is free again, also if released twice', () => {
    const memory = new BodyMemory(100)
    for (let round = 0; round < 1000; round++) {
      const held = memory.hold()
      held.add(60)
      expect(() => held.add(60)).toThrow('too many bodies')
      held.release()
      held.release()
    }
    expect(() => memory.hold().add(100)).not.toThrow()
  })
})

test('closes a connection beyond the most if all others are in use', async () => {
  const relay = await begin({}, 3)
  const sockets = Array.from({ length: 3 }, () => stuck(relay.url, 1 * KB))
  await arrived(sockets)
  const request = withToken({ method: 'POST', target: HOOK })
  await expect(keptConnection(relay.url).send(request)).rejects.toThrow('closed after 0 bytes')
  sockets[0]?.destroy()
  // The relay notices the closed connection a moment later.
  await until(async () => {
    const answer = await keptConnection(relay.url)
      .send(request)
      .catch(() => undefined)
    return answer?.status === 200
  })
  for (const socket of sockets) socket.destroy()
  await relay.close()
})

test('closes the oldest idle connection for the last one that fits', async () => {
  const relay = await begin({}, 3)
  const bytes = requestBytes(withToken({ method: 'POST', target: HOOK }), 'keep-alive')
  const ask = async (socket: Socket) => {
    socket.write(bytes)
    await once(socket, 'data')
    return socket
  }
  const [first, second] = [await ask(open(relay.url)), await ask(open(relay.url))]
  await ask(first)
  const third = await ask(open(relay.url))
  await until(async () => second.destroyed)
  expect([first.destroyed, third.destroyed]).toEqual([false, false])
  await ask(first)
  for (const socket of [first, third]) socket.destroy()
  await relay.close()
})

test('closes a connection that becomes idle after the last one that fits', async () => {
  const relay = await begin({}, 3)
  const sockets = Array.from({ length: 2 }, () => stuck(relay.url, 1 * KB))
  const last = open(relay.url)
  const request = withToken({ method: 'POST', target: HOOK, body: 'x' })
  const bytes = requestBytes(request, 'keep-alive')
  last.write(bytes.subarray(0, -1))
  await arrived([...sockets, last])
  // The relay looks at its connections for the first time while all are in use.
  await sleep(500)
  last.write(bytes.subarray(-1))
  await once(last, 'data')
  await until(async () => last.destroyed)
  for (const socket of sockets) socket.destroy()
  await relay.close()
})

test('200 silent connections refuse none of 15 requests, and make room before an idle one', async () => {
  const relay = await begin({}, 50)
  const request = withToken({ method: 'POST', target: HOOK })
  const kept = keptConnection(relay.url)
  expect((await kept.send(request)).status).toBe(200)
  const silent = Array.from({ length: 200 }, () => open(relay.url))
  // 49 of them fit; after a moment one of these makes room.
  await until(async () => silent.filter(({ destroyed }) => destroyed).length > 151)
  for (let count = 0; count < 15; count++) {
    expect((await keptConnection(relay.url).send(request)).status).toBe(200)
  }
  expect((await kept.send(request)).status).toBe(200)
  for (const socket of silent) socket.destroy()
  await relay.close()
})

test('a stop resets no client that keeps its connection', async () => {
  const relay = await begin({})
  const kept = Array.from({ length: 20 }, () => keptConnection(relay.url))
  const request = withToken({ method: 'POST', target: HOOK })
  await Promise.all(kept.map((connection) => connection.send(request)))
  const random = randomOf(20)
  const untilTold = async (connection: (typeof kept)[number]) => {
    for (;;) {
      const { status, headers } = await connection.send(request)
      expect(status).toBe(200)
      if (headers.connection === 'close') return 'told'
      await sleep(random() * 20)
    }
  }
  const ends = kept.map(untilTold)
  await sleep(100)
  const closed = relay.close()
  expect(await Promise.all(ends)).toEqual(kept.map(() => 'told'))
  await closed
})

test('escapes in a body are searched in one pass: 255 KB of them cost a few milliseconds', () => {
  const secret = new Secret(TOKEN)
  const hostile = [
    '%41'.repeat(85_000),
    '%'.repeat(255_000),
    '%4'.repeat(127_000),
    'a%'.repeat(127_000),
  ]
  for (const text of hostile) {
    expect(secret.isIn(text)).toBe(false)
    const before = cpuMilliseconds(process.pid)
    for (let round = 0; round < 10; round++) secret.isIn(text)
    // Normal are 5 ms a round. Only a time that grows with the square of the length exceeds the limit.
    expect(cpuMilliseconds(process.pid) - before).toBeLessThan(2_000)
  }
  const escaped = [...TOKEN].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('')
  expect(secret.isIn(`a%zz%${escaped}%`)).toBe(true)
})
