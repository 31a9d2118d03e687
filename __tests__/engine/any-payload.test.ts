import { expect, test } from '@jest/globals'
import { writtenOutputs } from '../../src/action/outputs.ts'
import { evaluate } from '../../src/engine/evaluate-event.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import type { Json } from '../../src/wire/json.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'
import { testPorts } from '../support/ports.ts'
import { fc } from '../support/properties.ts'
import { anyCharacter, anyPath } from '../support/text.ts'

const CONTEXTS = { secrets: {}, vars: {}, github: {}, env: {} }
const RUNS = { numRuns: 1000 }

function workflows(on: string) {
  const workflow = readOnSection(
    'hook',
    { name: 'on', file: '', text: on },
    { contexts: CONTEXTS, triggers: TRIGGERS },
  )
  return {
    calling: 'hook',
    names: () => ['hook'],
    find: (name: string) => (name === 'hook' ? workflow : undefined),
  }
}

const source = workflows('webhook: {path: "{/:a}{/*rest}"}')

/** Evaluates the payload, and writes the outputs; neither may throw. */
async function evaluated(name: string, payload: Json) {
  const evaluation = await evaluate({ name, payload }, source, testPorts())
  const outputs = writtenOutputs(evaluation)
  for (const output of ['on', 'items']) JSON.parse(outputs.get(output) ?? '')
  expect(outputs.get('triggered')).toBe(String(evaluation.items.length > 0))
  expect(evaluation.items.length > 0).toBe(evaluation.reason === undefined)
  return evaluation
}

// the library types the value as unknown
const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>

test('any JSON as the payload of any event', async () => {
  const name = fc.oneof(fc.constantFrom('repository_dispatch', 'push'), fc.string())
  await fc.assert(
    fc.asyncProperty(name, json, async (event, payload) => {
      expect((await evaluated(event, payload)).items).toEqual([])
    }),
    RUNS,
  )
})

test('any JSON as the parts of a client_payload', async () => {
  const path = fc.oneof(json, anyPath, fc.constantFrom('hook/webhook', '/hook/webhook/a?b'))
  const headers = fc.oneof(
    json,
    json.map((value) => JSON.stringify(value)),
  )
  const parts = { path, method: json, headers, body: json }
  const payload = fc.record(parts, { requiredKeys: [] }) as fc.Arbitrary<Json>
  await fc.assert(
    fc.asyncProperty(payload, async (client_payload) => {
      await evaluated('repository_dispatch', { action: 'webhook', client_payload })
    }),
    RUNS,
  )
})

const TYPES = [
  'application/json',
  'application/x+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
  'multipart/form-data; boundary=""',
  'text/plain; charset=utf-16le',
  'text/plain; charset=;;',
  ';',
  '',
]

test('any text as a body of any content type and encoding', async () => {
  const type = fc.oneof(fc.constantFrom(...TYPES), fc.string())
  const encoding = fc.constantFrom('', 'base64', 'gzip')
  const body = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.json(),
    fc.base64String(),
    fc.string().map((text) => `--b\r\nContent-Disposition: form-data; name="${text}"\r\n\r\n`),
  )
  await fc.assert(
    fc.asyncProperty(
      type,
      encoding,
      body,
      fc.boolean(),
      async (contentType, encoded, text, sns) => {
        const headers = {
          'content-type': contentType,
          ...(encoded && { 'x-hookline-body-encoding': encoded }),
          ...(sns && { 'x-amz-sns-message-type': 'Notification' }),
        }
        const client_payload = { path: 'hook/webhook', method: 'POST', headers, body: text }
        const { items, messages } = await evaluated('repository_dispatch', {
          action: 'webhook',
          client_payload,
        })
        // A body that does not match its content type is passed on as a string, with a message.
        expect(items.length + messages.length).toBeGreaterThan(0)
      },
    ),
    RUNS,
  )
})

test('any path and query', async () => {
  const unit = fc.oneof(fc.constantFrom(...'/?&=%+.#:;\\\0'), fc.string({ maxLength: 2 }))
  await fc.assert(
    fc.asyncProperty(fc.string({ unit }), async (suffix) => {
      const client_payload = { path: `hook/webhook/${suffix}` }
      const { items } = await evaluated('repository_dispatch', {
        action: 'webhook',
        client_payload,
      })
      const [, querystring = ''] = /\?(.*)$/s.exec(suffix) ?? []
      expect(items[0]?.querystring).toBe(querystring)
    }),
    RUNS,
  )
})
