import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ShownRequest } from '../../../src/inspector/api.ts'
import { fixtureText } from '../../../src/inspector/page/request-text.ts'
import { bodyBytes } from '../../../src/wire/bytes.ts'
import { dispatchEvent, runInShared } from '../../support/action.ts'
import { runShared } from '../../support/cli.ts'
import { type Dev, startDev } from '../../support/dev.ts'
import { IS_FULL } from '../../support/effort.ts'
import { detail, EventReader } from '../../support/inspector.ts'
import { type RawRequest, send as sendRaw } from '../../support/raw-http.ts'
import { startOnNode } from '../../support/relays.ts'
import { scene, TOKEN } from '../../support/scene.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-round-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs `hookline send` to its end. */
async function send(args: readonly string[], env: Record<string, string> = {}): Promise<void> {
  const { exitCode, stderr } = await runShared(['send', ...args], { cwd: folder, env })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
}

/** Headers that belong to the connection a request came on, or that a client adds to it. */
const OF_THE_CONNECTION = ['host', 'content-length', 'user-agent', 'accept', 'connection']

function ownHeaders({ headers }: Pick<ShownRequest, 'headers'>) {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.includes(name)),
  )
}

describe('a fixture that the inspector saves', () => {
  const here = scene(startOnNode)
  let dev: Dev
  let reader: EventReader

  beforeAll(async () => {
    dev = await startDev({ files: { 'workflows/hook.yml': 'on: webhook' } })
    reader = new EventReader(dev.url)
  })
  afterAll(async () => {
    await reader.close()
    await dev.stop()
  })

  async function newest(count: number): Promise<ShownRequest> {
    const { number = 0 } = (await reader.summaries(count)).at(-1) ?? {}
    const { request } = await detail(dev.url, number)
    if (!request) throw new Error('no request was kept')
    return request
  }

  const every = Uint8Array.from({ length: 256 }, (_, at) => at)
  const long = JSON.stringify({ filler: 'long "quoted" \\ text é '.repeat(4000) })
  const JSON_TYPE = ['Content-Type', 'application/json'] as const
  const rows: readonly [string, Omit<RawRequest, 'target'>, string][] = [
    ['JSON', { body: '{"text": "a\\n\\u0000b",  "big": 12345678901234567890}\r\n' }, ''],
    ['text with a byte order mark', { body: Buffer.from('\uFEFFé\u2028<b>') }, ''],
    ['bytes that are no text', { body: every }, '/bytes'],
    ['bytes that only seem to be base64', { body: 'AAEC' }, ''],
    ['what travels packed', { body: long, headers: [JSON_TYPE] }, ''],
    ['a form', { body: 'a=1&a=2&b=x+y%20z' }, '/form'],
    ['nothing', { method: 'GET' }, '?a=%41&a=b+c&%C3%A9=%2F&empty='],
    ['nothing, by DELETE', { method: 'DELETE' }, '/users/%2e%2e%2Fx//y'],
    ['another method', { method: 'PATCH', body: '{}' }, ''],
    [
      'a header of UTF-8',
      { body: '{}', headers: [['X-Name', Buffer.from('Ünï ☃').toString('latin1')]] },
      '',
    ],
    [
      'headers without a value and repeated',
      {
        body: '{}',
        headers: [
          ['X-A', ''],
          ['X-B', '1'],
          ['X-B', '2'],
        ],
      },
      '',
    ],
  ]
  let came = 0

  test.each(rows)('of %s arrives as the request came, byte for byte', async (name, raw, rest) => {
    const request = { method: 'POST', ...raw, target: `/webhook/hook/webhook${rest}` }
    expect((await sendRaw(dev.url, request)).status).toBe(200)
    const original = await newest(++came)
    const file = `${name}.json`
    await writeFile(join(folder, file), fixtureText(original))

    await send([`${dev.url}/webhook`, '--file', file])
    const again = await newest(++came)
    expect({ ...again, headers: ownHeaders(again) }).toEqual({
      ...original,
      headers: ownHeaders(original),
    })

    await send([`${here.relay.url}/octo/repo`, '--file', file], { HOOKLINE_TOKEN: TOKEN })
    const [payload] = here.payloads()
    expect(payload).toMatchObject({ method: original.method, path: original.path })
    const { headers = {}, body } = payload ?? {}
    const bytes = await bodyBytes(String(body ?? ''), headers['x-hookline-body-encoding'])
    const sent = typeof raw.body === 'string' ? Buffer.from(raw.body) : (raw.body ?? [])
    expect(Buffer.from(bytes).equals(Buffer.from(sent))).toBe(true)
  })
})

describe('what hookline send signs', () => {
  const here = scene(startOnNode)
  const target = () => `${here.relay.url}/octo/repo/hook/webhook`
  const text = { secret: 'a secret, of text: 5f1b', other: 'another, of text: 77aa' }
  const key = {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    other: 'whsec_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  }

  interface Row {
    readonly secret: string
    readonly other: string
    /** What `verify` takes besides the scheme and the secret. */
    readonly verify?: () => Readonly<Record<string, string>>
  }

  /** One of each way of signing; every scheme is signed and verified in signatures.test.ts. */
  const ROWS: Readonly<Record<string, Row>> = {
    github: text,
    stripe: text,
    twilio: { ...text, verify: () => ({ url: target() }) },
    telegram: { secret: 'a-secret_5f1b', other: 'another_77aa' },
    'standard-webhooks': key,
  }

  /** Of these the header, or the order of what is signed, is another. */
  const ALIKE: Readonly<Record<string, Row>> = {
    shopify: text,
    slack: text,
    paddle: text,
    linear: text,
    trello: { ...text, verify: () => ({ url: target() }) },
    bearer: text,
  }

  /** Sends with one secret, and runs the action on what GitHub got with another one. */
  async function fired(scheme: string, signing: string, verifying: string, more = {}) {
    const body = '{"id": "évt_1",  "text": "a\\u0000b"}\r\n'
    const options = ['--sign', scheme, '--data', body]
    await send([target(), ...options], { HOOKLINE_TOKEN: TOKEN, HOOKLINE_SECRET: signing })
    const [payload] = here.payloads()
    const on = JSON.stringify({ webhook: { verify: { scheme, secret: verifying, ...more } } })
    const run = await runInShared({ ...dispatchEvent(payload), inputs: { on } })
    expect(run).toMatchObject({ exitCode: 0, stderr: '' })
    expect(JSON.stringify([run.outputs, run.summary])).not.toContain(signing)
    return run.outputs.triggered
  }

  describe.each(Object.entries({ ...ROWS, ...(IS_FULL && ALIKE) }))(
    'as %s',
    (scheme, { secret, other, verify }) => {
      test('is verified by the action', async () => {
        expect(await fired(scheme, secret, secret, verify?.())).toBe('true')
      })

      test('is not, with another secret', async () => {
        expect(await fired(scheme, other, secret, verify?.())).toBe('false')
      })
    },
  )
})
