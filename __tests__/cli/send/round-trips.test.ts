import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ShownRequest } from '../../../src/inspector/api.ts'
import { fixtureText } from '../../../src/inspector/page/request-text.ts'
import { bodyBytes } from '../../../src/wire/bytes.ts'
import { runShared } from '../../support/cli.ts'
import { type Dev, startDev } from '../../support/dev.ts'
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
  // A call of more than a second prints a line.
  const errors = stderr.replace(/^waiting for .* …\n/, '')
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' })
}

/** Headers of the connection, or that a client adds. */
const OF_THE_CONNECTION = ['host', 'content-length', 'user-agent', 'accept', 'connection']

function ownHeaders({ headers }: Pick<ShownRequest, 'headers'>) {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.includes(name)),
  )
}

describe('a request that the inspector saves', () => {
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

  test.each(rows)('with %s is sent again byte for byte', async (name, raw, rest) => {
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

    await send(['octo/repo', '--relay', here.relay.url, '--file', file], {
      HOOKLINE_GITHUB_TOKEN: TOKEN,
    })
    const [payload] = here.payloads()
    expect(payload).toMatchObject({ method: original.method, path: original.path })
    const { headers = {}, body } = payload ?? {}
    const bytes = await bodyBytes(String(body ?? ''), headers['x-hookline-body-encoding'])
    const sent = typeof raw.body === 'string' ? Buffer.from(raw.body) : (raw.body ?? [])
    expect(Buffer.from(bytes).equals(Buffer.from(sent))).toBe(true)
  })
})
