import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { runAction } from '../support/action.ts'
import { type BuiltRelay, startBuiltRelay } from '../support/built-relay.ts'
import { freePort } from '../support/free-port.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import {
  createEndpoint,
  eventHeaders,
  firstEvent,
  large,
  postBody,
  readBody,
  sha256,
  signed,
  storedHash,
  VERIFIED,
  VERIFYING_TRIGGER,
} from '../support/large-bodies.ts'
import { NODE24 } from '../support/node24.ts'
import { RELAY_KEY } from '../support/relay-keys.ts'
import { bodyRows } from '../support/stored-bodies.ts'
import { until } from '../support/until.ts'

const TOKEN = `ghp_${'T'.repeat(36)}`
const OWN = `ghp_${'R'.repeat(36)}`
const run = NODE24 === null ? test.skip : test

describe('a body that does not fit into an event', () => {
  let github: GitHub
  let folder: string
  let relay: BuiltRelay
  let start: (settings?: Readonly<Record<string, string>>) => Promise<void>

  beforeAll(async () => {
    github = await startGitHub()
  })
  beforeEach(async () => {
    github.reset()
    folder = await mkdtemp(join(tmpdir(), 'hookline-bodies-'))
    const port = await freePort()
    const keys = RELAY_KEY
    start = async (settings = {}) => {
      relay = await startBuiltRelay({
        folder,
        port,
        settings: {
          HOOKLINE_API_URL: github.url,
          HOOKLINE_GITHUB_TOKEN: OWN,
          HOOKLINE_RELAY_KEY: keys,
          HOOKLINE_PUBLIC_URL: `http://127.0.0.1:${port}`,
          HOOKLINE_TEST_MIN_INTERVAL_MS: '10',
          ...settings,
        },
      })
    }
  })
  afterEach(async () => {
    await relay?.kill().catch(() => {})
    await rm(folder, { recursive: true })
  })
  afterAll(() => github.close())

  const endpoint = (settings?: object) => createEndpoint(relay, settings)
  const post = (target: string, body: Buffer, headers?: Record<string, string>) =>
    postBody(relay, target, body, headers)
  const payloads = () => github.calls.map(({ body }) => JSON.parse(body).client_payload)
  const stored = () => bodyRows(relay)

  run.each([100_000, 300_000, 5_000_000])(
    'of %i bytes is stored, and the event contains its address, hash and length',
    async (bytes) => {
      await start()
      const body = large(bytes)
      expect((await post(await endpoint(), body)).status).toBe(200)
      const [{ headers, body: inEvent, ...rest }] = payloads()
      expect({ inEvent, keys: Object.keys(rest) }).toEqual({
        inEvent: null,
        keys: ['path', 'method'],
      })
      expect(headers).toMatchObject({
        'x-hookline-body-encoding': 'url',
        'x-hookline-body-url': expect.stringMatching(/^http:.*\/-\/octo\/bodies\/[\w-]{43}$/),
        'x-hookline-body-sha256': sha256(body),
        'x-hookline-body-length': String(body.length),
      })
      const answer = await readBody(relay, headers)
      expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(sha256(body))
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('access-control-allow-origin')).toBe(null)
    },
  )

  run(
    'and the action evaluates it, although it never saw the whole of it in the event',
    async () => {
      await start()
      const body = large(150_000)
      await post(await endpoint(VERIFIED), body, signed(body))
      const [payload] = payloads()
      const { exitCode, outputs } = await runAction({
        event: 'repository_dispatch',
        payload: { action: 'webhook', client_payload: payload },
        inputs: {
          on: VERIFYING_TRIGGER,
          'relay-url': relay.url,
        },
      })
      expect([exitCode, outputs.body === body.toString()]).toEqual([0, true])
    },
  )

  run('that fits is not stored', async () => {
    await start()
    await post(await endpoint(), Buffer.from('{"a":1}'))
    expect(payloads()).toMatchObject([{ body: '{"a":1}' }])
    expect(await stored()).toEqual([])
  })

  run('is encrypted on the disk, and its address is not there', async () => {
    await start()
    const body = Buffer.concat([Buffer.from('the-mark-of-the-body'), large(300_000)])
    await post(await endpoint(), body)
    const [{ headers }] = payloads()
    const [, id = ''] = /bodies\/(.*)$/.exec(headers['x-hookline-body-url']) ?? []
    for (const name of await readdir(folder, { recursive: true })) {
      const content = await readFile(join(folder, name)).catch(() => Buffer.alloc(0))
      expect([name, content.includes('the-mark-of-the-body'), content.includes(id)]).toEqual([
        name,
        false,
        false,
      ])
    }
  })

  run.each([100_000, 1_000_000])(
    'of %i bytes with a wrong signature is 401, and deleted',
    async (bytes) => {
      await start()
      const target = await endpoint(VERIFIED)
      const body = large(bytes)
      expect((await post(target, body, signed(Buffer.from('other')))).status).toBe(401)
      expect([github.calls, await stored()]).toEqual([[], []])
      expect((await post(target, body, signed(body))).status).toBe(200)
      expect(await stored()).toHaveLength(1)
    },
  )

  run('of a token URL is stored only once GitHub has accepted the token', async () => {
    await start({ HOOKLINE_ALLOW_TOKENS: 'true' })
    const target = `/octo/shop/hook/webhook?__token=${TOKEN}`
    const body = large(300_000)
    const first = await post(target, body)
    expect([first.status, JSON.parse(first.body).error.code]).toEqual([413, 'payload_too_large'])
    expect(await stored()).toEqual([])
    expect((await post(target, Buffer.from('{"a":1}'))).status).toBe(200)
    expect((await post(target, body)).status).toBe(200)
    expect(await storedHash(relay, eventHeaders(github).at(-1))).toBe(sha256(body))
    const elsewhere = `/octo/other/hook/webhook?__token=${TOKEN}`
    expect((await post(elsewhere, body)).status).toBe(413)
    expect(await stored()).toHaveLength(1)
  })

  // The second one lies across the end of the first part that is searched.
  run.each([300_000, 1024 * 1024 - 20])(
    'that contains the GitHub token, after %i bytes, is refused',
    async (bytes) => {
      await start()
      const target = await endpoint()
      const body = Buffer.concat([large(bytes), Buffer.from(OWN)])
      expect((await post(target, body)).status).toBe(400)
      expect(await stored()).toEqual([])
    },
  )

  run('is deleted if GitHub refuses the event', async () => {
    await start()
    const target = await endpoint()
    github.always({ status: 422, body: '{"message":"no"}' })
    expect((await post(target, large(300_000))).status).toBe(422)
    expect(await stored()).toEqual([])
  })

  run('waits with its event while GitHub is down, also over a kill', async () => {
    await start()
    const target = await endpoint()
    await post(target, Buffer.from('{"first":1}'))
    github.always({ status: 503 })
    const body = large(300_000)
    expect((await post(target, body)).status).toBe(202)
    await relay.kill()
    github.reset()
    await start()
    expect(await storedHash(relay, await firstEvent(github))).toBe(sha256(body))
  })

  run('leaves nothing if its client ends, or the relay is killed, in the middle', async () => {
    await start()
    const target = await endpoint()
    const { hostname, port } = new URL(relay.url)
    const begin = async () => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      socket.write(`POST ${target} HTTP/1.1\r\nhost: x\r\ncontent-length: 3000000\r\n\r\n`)
      socket.write(randomBytes(1_500_000))
      await until(async () => (await stored()).length === 1)
      return socket
    }
    const first = await begin()
    first.destroy()
    await until(async () => (await stored()).length === 0)
    await begin()
    await relay.kill()
    await start()
    expect([github.calls, await stored()]).toEqual([[], []])
  })

  run('over HOOKLINE_MAX_BODY_MB is 413', async () => {
    await start({ HOOKLINE_MAX_BODY_MB: '1' })
    const answer = await post(await endpoint(), large(1_100_000))
    expect([answer.status, JSON.parse(answer.body).error.hint]).toEqual([
      413,
      'Send at most 1048576 bytes.',
    ])
    expect(await stored()).toEqual([])
  })

  run(
    'of an endpoint that uses half of the free storage is 503; others still get some',
    async () => {
      await start({ HOOKLINE_MAX_STORAGE_MB: '2' })
      const target = await endpoint()
      expect((await post(target, large(900_000))).status).toBe(200)
      const answer = await post(target, large(900_000))
      expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([503, 'bodies_full'])
      expect((await post(await endpoint(), large(400_000))).status).toBe(200)
      const other = await endpoint()
      github.always({ status: 503 })
      expect((await post(other, Buffer.from('{"a":1}'))).status).toBe(202)
      expect(await stored()).toHaveLength(2)
    },
  )

  run(
    'of 60 refused, cut and oversized uploads leave the whole quota to the next ones',
    async () => {
      await start({ HOOKLINE_MAX_STORAGE_MB: '6', HOOKLINE_MAX_BODY_MB: '1' })
      const target = await endpoint(VERIFIED)
      const { hostname, port } = new URL(relay.url)
      const cut = async () => {
        const socket = connect(Number(port), hostname)
        socket.on('error', () => {})
        socket.write(`POST ${target} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`)
        socket.write(`80000\r\n${'x'.repeat(0x60000)}`)
        await pause(30)
        socket.destroy()
      }
      const forged = async () => {
        const body = large(400_000)
        expect((await post(target, body, signed(Buffer.from('x')))).status).toBe(401)
      }
      const oversized = async () => {
        const body = large(1_100_000)
        expect((await post(target, body, signed(body))).status).toBe(413)
      }
      for (let n = 0; n < 20; n++) await Promise.all([cut(), forged(), oversized()])
      await until(async () => (await stored()).length === 0)
      expect([github.calls, await stored()]).toEqual([[], []])
      for (let n = 0; n < 3; n++) {
        const body = large(900_000)
        expect((await post(target, body, signed(body))).status).toBe(200)
      }
    },
  )

  run(
    'is dropped by a condition that reads a body over 256 KB, and passes any other one',
    async () => {
      await start()
      const body = large(300_000)
      const reading = await post(await endpoint({ if: "body.text != ''" }), body)
      expect(reading.headers.get('x-hookline-filtered')).toBe('error')
      expect(await stored()).toEqual([])
      const other = await post(await endpoint({ if: "headers['x-kind'] == 'a'" }), body, {
        'x-kind': 'a',
      })
      expect([other.status, other.headers.get('x-hookline-filtered')]).toEqual([200, null])
    },
  )

  run('joins no batch', async () => {
    await start()
    const answer = await post(await endpoint({ batch: 60 }), large(300_000))
    expect([answer.status, payloads().length]).toEqual([200, 1])
  })

  run(
    'is found only under its address, by GET; every other request gets the same 404',
    async () => {
      await start()
      await post(await endpoint(), large(300_000))
      const [{ headers }] = payloads()
      const address = headers['x-hookline-body-url']
      const ask = async (method: string, url: string) => {
        const {
          status,
          headers: given,
          ...rest
        } = await fetch(url, { method }).then(async (answer) => ({
          status: answer.status,
          headers: answer.headers,
          body: await answer.text(),
        }))
        return [status, method === 'HEAD' ? 'not found\n' : rest.body, given.get('cache-control')]
      }
      const asked = await Promise.all([
        ask('GET', address.replace(/.{43}$/, randomBytes(32).toString('base64url'))),
        ask('GET', address.replace('/octo/', '/another/')),
        ask('GET', `${relay.url}/-/octo/bodies/`),
        ask('GET', `${relay.url}/-/octo/bodies/x/y`),
        ask('HEAD', address),
        ask('POST', address),
        ask('DELETE', address),
      ])
      expect(asked).toEqual(asked.map(() => [404, 'not found\n', 'no-store']))
    },
  )
})

function pause(milliseconds: number) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
