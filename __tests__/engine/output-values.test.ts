import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { writtenOutputs } from '../../src/action/outputs.ts'
import type { WorkflowSource } from '../../src/engine/engine-ports.ts'
import { evaluate } from '../../src/engine/evaluate-event.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'
import { testPorts } from '../support/ports.ts'

function source(on: string): WorkflowSource {
  const text = { name: 'hook.yml', file: 'hook.yml', text: on }
  const find = (name: string) =>
    name === 'hook' ? readOnSection(name, text, { contexts: {}, triggers: TRIGGERS }) : undefined
  return { calling: 'hook', names: () => ['hook'], find }
}

interface Sent {
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

async function evaluated(
  on: string,
  body: string,
  { type = 'application/json', headers = {} }: Sent = {},
) {
  const sent = { 'content-type': type, ...headers }
  const client_payload = { path: 'hook/webhook', method: 'POST', headers: sent, body }
  const event = { name: 'repository_dispatch', payload: { action: 'webhook', client_payload } }
  return evaluate(event, source(on), testPorts({}))
}

/** The body in each output that contains it. */
async function bodies(on: string, body: string): Promise<unknown[]> {
  const outputs = writtenOutputs(await evaluated(on, body))
  const read = (name: string) => JSON.parse(outputs.get(name) ?? '')
  return [read('body'), read('on').webhook.outputs.body, read('items')[0].webhook.outputs.body]
}

describe('numbers in the outputs', () => {
  test.each<[string, unknown]>([
    ['0.00001', '0.00001'],
    ['0.0000001', '0.0000001'],
    ['1e-7', '1e-7'],
    ['1234567890123.4567', '1234567890123.4567'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['1e21', '1e21'],
    ['25.0', 25],
    ['1.50', 1.5],
    ['-0.0001', -0.0001],
    ['999999999999999', 999999999999999],
    ['1234567890123456', '1234567890123456'],
    ['"0.00001"', '0.00001'],
  ])('%s is %j', async (sent, expected) => {
    const body = `{"a":[{"n":${sent}}],"b":1.5}`
    const wanted = { a: [{ n: expected }], b: 1.5 }
    expect(await bodies('webhook:', body)).toEqual([wanted, wanted, wanted])
  })

  test('stay numbers for filter, sort and scripts', async () => {
    const on = `webhook:
  config:
    filter: {body.n: {$lt: 0.0001}}
    filterScript: 'return typeof item.body.n === "number"'
    format: 'return { half: item.body.n / 2, n: item.body.n }'
`
    const { items } = await evaluated(on, '{"n":0.00001}')
    expect(items.map((item) => ({ ...item }))).toEqual([{ half: '0.000005', n: '0.00001' }])
  })
})

describe('deep JSON in the outputs', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

  test.each<[string, number, boolean]>([
    ['webhook:', 60, false],
    ['webhook:', 61, true],
    ['webhook: {config: {outputsMode: combine}}', 59, false],
    ['webhook: {config: {outputsMode: combine}}', 60, true],
  ])('%s: %d levels', async (on, levels, isText) => {
    const { contexts, messages } = await evaluated(on, nested(levels))
    const [item] = [contexts[0]?.webhook?.outputs ?? []].flat()
    const expected = isText ? nested(levels) : JSON.parse(nested(levels))
    expect(item?.body).toEqual(expected)
    expect(messages.map(({ code }) => code)).toEqual(isText ? ['deep-output'] : [])
  })

  test('a hostile body with a small number at its end takes little time', async () => {
    const started = process.cpuUsage()
    await evaluated('webhook:', `${'['.repeat(60)}0.00001${']'.repeat(60)}`)
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(5_000)
  })
})

describe('a signature', () => {
  const text = '{"type":"message.new"}'
  const sign = (bytes: string | Buffer) => createHmac('sha256', 'k3y').update(bytes).digest('hex')
  const on = 'webhook: {verify: {scheme: hmac, header: x-signature, secret: k3y}}'
  const packed = gzipSync(text)

  test.each<[string, string, boolean]>([
    ['over the received bytes', sign(packed), true],
    ['over the decoded bytes', sign(text), true],
    ['over other bytes', sign('{}'), false],
  ])('%s: %s', async (_, signature, fires) => {
    const headers = {
      'content-encoding': 'gzip',
      'x-hookline-body-encoding': 'base64',
      'x-signature': signature,
    }
    const { items } = await evaluated(on, packed.toString('base64'), { headers })
    expect(items.map(({ body }) => body)).toEqual(fires ? [{ type: 'message.new' }] : [])
  })
})

describe('the reason of a filter', () => {
  const form = { type: 'application/x-www-form-urlencoded' }
  const on = 'webhook: {config: {filter: {body.action: opened}}}'
  test.each<[string, Sent, RegExp]>([
    ['{"action":"closed"}', form, /filter dropped 1; .*the body is JSON sent as a form/],
    ['{"action":"opened"', {}, /filter dropped 1; .*the body is not JSON/],
    ['payload={"action":"opened"}', form, /the body is a form whose field `payload` contains JSON/],
    ['action=closed', form, /^filter dropped 1; method: any method; path: any path$/],
    [
      'payload=closed',
      form,
      /^filter dropped 1; filter: body.action is missing, wanted "opened"; method: any method; path: any path$/,
    ],
  ])('%s', async (body, sent, reason) => {
    expect((await evaluated(on, body, sent)).reason?.replace(/^webhook: /, '')).toMatch(reason)
  })

  test.each([`body['action']`, 'body.payload.action', 'body.payloads'])(
    'names the field `payload` if the filter reads %s',
    async (path) => {
      const own = `webhook: {config: {filter: {"${path}": opened}}}`
      const { reason } = await evaluated(own, 'payload={"action":"opened"}', form)
      expect(reason).toContain('field `payload` contains JSON')
    },
  )

  test('does not name the field `payload` if the filter reads it', async () => {
    const own = 'webhook: {config: {filter: {body.payload: x}}}'
    const { reason } = await evaluated(own, 'payload={"action":"opened"}', form)
    expect(reason).not.toContain('field `payload`')
  })
})
