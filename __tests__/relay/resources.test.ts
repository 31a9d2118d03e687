import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { bundle } from '../support/build.ts'
import { startCommand } from '../support/command.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { keptConnection, open, parseAnswer, received } from '../support/raw-http.ts'
import { TOKEN, withToken } from '../support/scene.ts'
import { cpuMilliseconds, hasUsage, residentBytes } from '../support/usage.ts'
import { startWorkerd } from '../support/workerd.ts'

const HOOK = '/o/r/hook/webhook'
const CAP = 256 * 1024

/** A relay in its own process, because the test itself uses CPU and memory, too. */
interface Subject {
  readonly url: string
  readonly pid: number
  close(): Promise<unknown>
}

async function startProcess(env: Readonly<Record<string, string>>): Promise<Subject> {
  const child = startCommand('relay', { env: { ...env, PORT: '0' }, arguments: ['--stateless'] })
  if (!child.stdout) throw new Error('no output')
  const [line] = await once(createInterface(child.stdout), 'line')
  child.stdout.resume()
  const close = () => {
    child.kill()
    return once(child, 'exit')
  }
  return { url: String(line).split(' ').at(-1) ?? '', pid: child.pid ?? 0, close }
}

const PROCESSES = [
  ['Node', startProcess],
  ['workerd', (env: Record<string, string>) => startWorkerd(bundle('relay/worker.js'), env)],
] as const

const describeWithUsage = hasUsage ? describe : describe.skip

describeWithUsage.each(PROCESSES)('resources of a relay on %s', (name, start) => {
  let github: GitHub
  let relay: Subject
  beforeAll(async () => {
    github = await startGitHub()
    relay = await start({ HOOKLINE_API_URL: github.url })
  })
  afterAll(async () => {
    await relay.close()
    await github.close()
  })

  /** Sends the same request repeatedly, and returns the milliseconds of each. */
  async function repeat(times: number, request: Parameters<typeof withToken>[0]) {
    const kept = keptConnection(relay.url)
    const durations: number[] = []
    for (let n = 0; n < times; n++) {
      const before = performance.now()
      const { status } = await kept.send(request)
      durations.push(performance.now() - before)
      if (status !== 200 && status !== 204) throw new Error(`answered ${status}`)
      github.reset()
    }
    kept.close()
    return durations
  }

  const EVENT = { method: 'POST', target: HOOK, body: JSON.stringify({ text: 'x'.repeat(2000) }) }

  // Five times the target of 3 ms: detects large faults, even on a busy machine.
  test('less than 15 ms of CPU for each of 100 events', async () => {
    const request = async () => withToken(EVENT)
    const times = 100
    await repeat(50, await request())
    const before = cpuMilliseconds(relay.pid)
    await repeat(times, await request())
    expect((cpuMilliseconds(relay.pid) - before) / times).toBeLessThan(15)
  })

  test.each([
    ['one long name', 'x'.repeat(15_000)],
    ['many names', 'a,'.repeat(7500)],
    ['many spaces', `a${' '.repeat(15_000)}b`],
    ['spaces and commas', `a${' , '.repeat(5000)}`],
    ['tabs before every comma', `a${'\t,a'.repeat(5000)};`],
    ['the longest that is looked at, and wrong at its end', `${'a \t ,'.repeat(200)}a b`],
  ])(
    '30 preflights with 15 KB of Access-Control-Request-Headers, %s: less than 100 ms',
    async (_, list) => {
      const headers = [
        ['Origin', 'https://page.test'],
        ['Access-Control-Request-Method', 'POST'],
        ['Access-Control-Request-Headers', list],
      ] as const
      const durations = await repeat(30, { method: 'OPTIONS', target: HOOK, headers })
      // Twenty times the target of 5 ms, because the machine may be busy.
      const sorted = durations.sort((a, b) => a - b)
      expect(sorted[sorted.length / 2]).toBeLessThan(100)
    },
  )

  test('200 incomplete bodies take about the limit each, and refused ones are discarded', async () => {
    const head = `POST ${HOOK} HTTP/1.1\r\nHost: h\r\nX-Platform-Authorization: ${TOKEN}\r\n`
    const piece = `4000\r\n${'x'.repeat(0x4000)}\r\n`
    const sockets: Socket[] = []
    /** Opens connections with bodies of nearly the limit, and returns the memory with them. */
    const memoryWith = async (count: number) => {
      for (let n = 0; n < count; n++) {
        const socket = open(relay.url)
        socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${piece.repeat(15)}`)
        sockets.push(socket)
      }
      // Until the relay has read what was sent.
      await sleep(1000)
      return residentBytes(relay.pid)
    }
    // The first ones grow the heap to its size under any load.
    const before = await memoryWith(100)
    const COUNT = 200
    const arriving = (await memoryWith(COUNT)) - before
    const answers = sockets.map((socket) => received(socket))
    let most = arriving
    for (let n = 0; n < 10; n++) {
      for (const socket of sockets) if (!socket.writableNeedDrain) socket.write(piece.repeat(8))
      await sleep(20)
      most = Math.max(most, residentBytes(relay.pid) - before)
    }
    for (const socket of sockets) socket.end('0\r\n\r\n')
    // workerd closes a connection that sends too much, and the response may be lost.
    const heard = (await Promise.all(answers)).filter(({ length }) => name === 'Node' || length > 0)
    expect(heard.map((bytes) => parseAnswer(bytes).status)).toEqual(Array(heard.length).fill(413))
    // The limit itself on Node, and 1.3 to 2 times it on workerd, whose garbage is collected later.
    expect(arriving / COUNT).toBeLessThan(3 * CAP)
    // Each connection has sent six times the limit by now; rejected bytes may not be collected yet.
    expect(most / COUNT).toBeLessThan(5 * CAP)
    expect(github.calls).toHaveLength(0)
  })
})
