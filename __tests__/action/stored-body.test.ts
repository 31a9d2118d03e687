import { createHash, createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { runAction } from '../support/action.ts'

const ID = randomBytes(32).toString('base64url')
const SECRET = 'the-secret-of-the-sender'
const ON = `webhook:\n  verify: { scheme: github, secret: ${SECRET} }\n`

let relay: string
/** Paths that were requested. */
let requests: string[]
let respond: (request: IncomingMessage, response: ServerResponse) => void

const server = createServer((request, response) => {
  requests.push(`${request.method} ${request.url}`)
  respond(request, response)
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  relay = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => {
  requests = []
})
afterAll(() => void server.close())

interface Setting {
  readonly body?: Buffer
  /** Inputs in place of the right ones. */
  readonly inputs?: Readonly<Record<string, string>>
  /** Headers in place of the right ones. */
  readonly headers?: Readonly<Record<string, string>>
  readonly on?: string
  readonly workspace?: string
}

/** Runs the action for an event whose body the relay stores. */
async function run(setting: Setting = {}) {
  const { body = Buffer.from('{"n":1}') } = setting
  respond = (_, response) => response.end(body)
  return runWith(setting)
}

async function runWith(setting: Setting) {
  const { body = Buffer.from('{"n":1}'), inputs = {}, headers = {}, on = ON, workspace } = setting
  const signature = createHmac('sha256', SECRET).update(body).digest('hex')
  const payload = {
    action: 'webhook',
    client_payload: {
      path: 'hook/webhook',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-hub-signature-256': `sha256=${signature}`,
        'x-hookline-delivery': '0b6c5a3e-7d1f-4c58-9a55-2f6f0e9a1c11',
        'x-hookline-body-encoding': 'url',
        'x-hookline-body-url': `${relay}/-/octo/bodies/${ID}`,
        'x-hookline-body-sha256': createHash('sha256').update(body).digest('hex'),
        'x-hookline-body-length': String(body.length),
        ...headers,
      },
      body: null,
    },
  }
  const all = { on, 'relay-url': relay, ...inputs }
  return runAction({
    event: 'repository_dispatch',
    payload,
    inputs: all,
    ...(workspace !== undefined && { workspace }),
  })
}

describe('an event whose body the relay stores', () => {
  test('is evaluated as if it contained the body, and its signature is verified', async () => {
    const { exitCode, outputs, stdout, summary } = await run({ body: Buffer.from('{"n": 1}') })
    expect({ exitCode, body: outputs.body, triggered: outputs.triggered }).toEqual({
      exitCode: 0,
      body: '{"n":1}',
      triggered: 'true',
    })
    expect(requests).toEqual([`GET /-/octo/bodies/${ID}`])
    const shown = stdout.replace(/^::add-mask::.*\n/gm, '')
    expect([shown, summary, JSON.stringify(outputs)].join('\n')).not.toContain(ID)
    expect(outputs.headers).not.toContain('x-hookline-body')
    expect(stdout).toContain(`::add-mask::${ID}`)
  })

  test('with a body that is not text has it as base64', async () => {
    const body = Buffer.from([0, 255, 254, 1])
    const { outputs } = await run({ body })
    expect(outputs.body).toBe(body.toString('base64'))
    expect(JSON.parse(outputs.headers ?? '')['x-hookline-body-encoding']).toBe('base64')
  })

  test('with 300 KB has all of it in the output', async () => {
    const body = Buffer.from(JSON.stringify({ text: randomBytes(150_000).toString('hex') }))
    const { outputs } = await run({ body })
    expect(outputs.body).toBe(body.toString())
  })

  test('with a file of 18 MB in a form is written to the file that exportOutputs names', async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'hookline-stored-body-'))
    const file = randomBytes(18_000_000)
    const form = new FormData()
    form.append('name', 'a scan')
    form.append('scan', new Blob([file]), 'scan.bin')
    const request = new Request('http://127.0.0.1/', { method: 'POST', body: form })
    const body = Buffer.from(await request.arrayBuffer())
    respond = (_, response) => response.end(body)
    const { exitCode, outputs } = await runWith({
      body,
      workspace,
      headers: { 'content-type': request.headers.get('content-type') ?? '' },
      on: 'webhook:\n  config: { exportOutputs: true }\n',
    })
    expect([exitCode, outputs.triggered]).toEqual([0, 'true'])
    const { path } = JSON.parse(outputs.on ?? '').webhook.outputs
    const exported = JSON.parse(await readFile(resolve(workspace, path), 'utf8'))
    expect(exported.body.name).toBe('a scan')
    expect(Buffer.from(exported.body.scan.content, 'base64').equals(file)).toBe(true)
    await rm(workspace, { recursive: true })
  })

  test('with a wrong signature fires nothing', async () => {
    const { outputs } = await run({
      headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    })
    expect(outputs.triggered).toBe('false')
  })

  test('of another workflow is not fetched', async () => {
    respond = (_, response) => response.end('{"n":1}')
    const { outputs } = await runWith({ on: 'other: { uses: webhook }\n' })
    expect([outputs.triggered, requests]).toEqual(['false', []])
  })

  test('is fetched again after a fault of the relay', async () => {
    let calls = 0
    respond = (_, response) => {
      if (++calls === 1) response.writeHead(503).end()
      else response.end('{"n":1}')
    }
    const { outputs } = await runWith({})
    expect([outputs.triggered, calls]).toEqual(['true', 2])
  })
})

describe('the step fails', () => {
  const failure = async (setting: Setting) => {
    const { exitCode, stdout, outputs } = await run(setting)
    expect([exitCode, outputs.triggered === 'true']).toEqual([1, false])
    expect(stdout.replace(/^::add-mask::.*\n/gm, '')).not.toContain(ID)
    return stdout
  }

  test('without "relay-url", and names the line to add', async () => {
    const stdout = await failure({ inputs: { 'relay-url': '' } })
    expect(stdout).toContain(`relay-url: ${relay}`)
    expect(requests).toEqual([])
  })

  test('for an address at another origin than "relay-url", which is not asked', async () => {
    const stdout = await failure({ inputs: { 'relay-url': 'https://relay.example.com' } })
    expect(stdout).toContain(`is at ${relay}, but "relay-url" is https://relay.example.com`)
    expect(requests).toEqual([])
  })

  test.each([
    '/latest/meta-data',
    `/-/bodies/${ID}`,
    '/-/octo/bodies/short',
    '/-/octo/bodies/../x',
    '/-/octo/bodies/x?y',
  ])('for the address %s, which is not asked', async (path) => {
    await failure({ headers: { 'x-hookline-body-url': relay + path } })
    expect(requests).toEqual([])
  })

  test.each([
    `https://[/-/octo/bodies/${ID}`,
    `file:///x#http://relay.example.com/-/octo/bodies/${ID}`,
  ])('for an address that is none: %s', async (address) => {
    const stdout = await failure({ headers: { 'x-hookline-body-url': address } })
    expect(stdout).toContain('no valid address')
  })

  test('for an address without TLS that is not on this machine', async () => {
    const stdout = await failure({
      headers: { 'x-hookline-body-url': `http://relay.example.com/-/octo/bodies/${ID}` },
      inputs: { 'relay-url': 'http://relay.example.com' },
    })
    expect(stdout).toContain('not an https address')
  })

  test('for a body with another hash, and for one with another length', async () => {
    const headers = { 'x-hookline-body-sha256': '0'.repeat(64) }
    expect(await failure({ headers })).toContain('SHA-256')
    expect(await failure({ headers: { 'x-hookline-body-length': '8' } })).toContain('length')
    for (const length of ['-1', '0', '', 'x']) {
      const stdout = await failure({ headers: { 'x-hookline-body-length': length } })
      expect(stdout).toContain('no valid length')
    }
  })

  test('for an encoding that this version does not know', async () => {
    const stdout = await failure({ headers: { 'x-hookline-body-encoding': 'zstd' } })
    expect(stdout).toContain('"zstd", which this version does not know')
  })

  test.each([
    [404, 'does not have the body of this event any more', 1],
    [302, 'status 302', 1],
  ])('if the relay responds with %i', async (status, message, calls) => {
    respond = (_, response) => response.writeHead(status, { location: `${relay}/other` }).end()
    const { exitCode, stdout } = await runWith({})
    expect([exitCode, requests.length]).toEqual([1, calls])
    expect(stdout).toContain(message)
  })

  test('if the relay sends more than it should', async () => {
    respond = (_, response) => response.end('{"n":1}'.padEnd(100_000))
    const { exitCode, stdout } = await runWith({})
    expect([exitCode, requests.length]).toEqual([1, 1])
    expect(stdout).toContain('another body than the event names (length)')
  })
})
