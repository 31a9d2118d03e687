import { describe, expect, test } from '@jest/globals'
import { evaluate } from '../../src/engine/evaluate-event.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { UserError } from '../../src/wire/errors.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'
import { dispatchEvent, runInShared } from '../support/action.ts'
import { testPorts } from '../support/ports.ts'
import { fc } from '../support/properties.ts'
import { fire, itemOf, multipart, type Sent } from './step.ts'

const KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']

/** Entries as JSON, because an object literal cannot have `__proto__` as a key. */
const asJson = (value: string) => `{${KEYS.map((key) => `"${key}":${value}`).join(',')}}`
const asQuery = KEYS.map((key) => `${key}=v`).join('&')
const entries = (value: unknown) => KEYS.map((key) => [key, value])

describe('keys of Object.prototype are keys like any other', () => {
  test.each<[string, Sent, string, unknown]>([
    ['of the query', { path: `hook/webhook?${asQuery}` }, 'query', 'v'],
    ['repeated in the query', { path: `hook/webhook?${asQuery}&${asQuery}` }, 'query', ['v', 'v']],
    ['of headers', { headers: JSON.parse(asJson('"v"')) }, 'headers', 'v'],
    ['of a JSON body', { body: asJson('{"x":1}') }, 'body', { x: 1 }],
    [
      'of a JSON body with big integers',
      { body: asJson('12345678901234567890') },
      'body',
      '12345678901234567890',
    ],
    [
      'of a form',
      { body: asQuery, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      'body',
      'v',
    ],
    [
      'of a multipart form',
      multipart(KEYS.map((key) => `Content-Disposition: form-data; name="${key}"\r\n\r\nv`)),
      'body',
      'v',
    ],
  ])('%s', async (_, sent, field, value) => {
    const run = await fire('webhook', sent)
    const names = field === 'headers' ? KEYS.map((key) => key.toLowerCase()) : KEYS
    const shown = Object.entries(itemOf(run)[field]).filter(([key]) => names.includes(key))
    expect(shown).toEqual(names.map((key) => [key, value]))
    expect(Object.entries(JSON.parse(run.outputs[field] ?? ''))).toEqual(
      expect.arrayContaining(names.map((key) => [key, value])),
    )
  })

  test('of params', async () => {
    const pattern = KEYS.map((key) => `/:${key}`).join('')
    const run = await fire(`webhook: {path: "${pattern}"}`, { path: 'hook/webhook/v/v/v/v/v' })
    expect(Object.entries(itemOf(run).params)).toEqual(entries('v'))
  })

  test('of headers as JSON text, and of an object body', async () => {
    const clientPayload = {
      path: 'hook/webhook',
      headers: asJson('"v"'),
      body: JSON.parse(asJson('1')),
    }
    const run = await runInShared({ ...dispatchEvent(clientPayload), inputs: { on: 'webhook' } })
    expect(Object.entries(itemOf(run).body)).toEqual(entries(1))
    expect(Object.keys(itemOf(run).headers)).toEqual(KEYS.map((key) => key.toLowerCase()))
  })

  test.each(KEYS)('%s is no trigger, no option and no workflow', async (key) => {
    const trigger = await fire(`${key}:`)
    expect(trigger.stdout).toContain(`error: unknown trigger "${key}"\n`)
    const option = await fire(`webhook: {${key}: {x: 1}}`)
    expect(option.stdout).toContain(`error: unknown option "${key}"\n`)
    const { outputs, exitCode } = await fire('webhook', { path: `${key}/${key}` })
    expect({ exitCode, triggered: outputs.triggered }).toEqual({ exitCode: 0, triggered: 'false' })
  })

  test('Object.prototype is unchanged by options that name its keys', async () => {
    const before = Object.getOwnPropertyNames(Object.prototype)
    const name = fc.constantFrom(...KEYS, 'body', 'a')
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('.'))
    const value = fc.constantFrom('polluted', 1, true, { polluted: 1 })
    const fields = fc.dictionary(path, value, { minKeys: 1, maxKeys: 3, noNullPrototype: true })
    const options = fc.record(
      {
        deduplicationKey: path,
        config: fc.record(
          { filter: fields, sort: fields, filterOutputs: fields, [KEYS[0] ?? '']: value },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    )
    const property = fc.asyncProperty(options, fields, async (chosen, body) => {
      const text = JSON.stringify({ webhook: chosen })
      const find = () =>
        readOnSection('hook', { name: 'on', file: '', text }, { contexts: {}, triggers: TRIGGERS })
      const client_payload = { path: 'hook/webhook', headers: {}, body: JSON.stringify(body) }
      const event = { name: 'repository_dispatch', payload: { action: 'webhook', client_payload } }
      const workflows = { calling: 'hook', names: () => ['hook'], find }
      await evaluate(event, workflows, testPorts()).catch((error: unknown) => {
        if (!(error instanceof UserError)) throw error
      })
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
      expect(({} as Record<string, unknown>).polluted).toBeUndefined() // any key
    })
    await fc.assert(property, { numRuns: 1000 })
  })

  test('Object.prototype is unchanged, whatever keys come nested anywhere', async () => {
    const before = Object.getOwnPropertyNames(Object.prototype)
    const key = fc.constantFrom(...KEYS, 'a')
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, fc.constant('polluted'), fc.dictionary(key, tie('tree'))),
    }))
    const source = { name: 'on', file: '', text: 'webhook: {path: "/*constructor"}' }
    const contexts = { secrets: {}, vars: {}, github: {}, env: {} }
    const workflow = readOnSection('hook', source, { contexts, triggers: TRIGGERS })
    const find = () => workflow
    const property = fc.asyncProperty(tree, fc.string({ unit: key }), async (value, path) => {
      const body = JSON.stringify(value)
      const clientPayload = { path: `hook/webhook/${path}?${path}=1`, headers: body, body: value }
      for (const client_payload of [clientPayload, { ...clientPayload, headers: {}, body }]) {
        const payload = JSON.parse(JSON.stringify({ action: 'webhook', client_payload }))
        const workflows = { calling: 'hook', names: () => ['hook'], find }
        await evaluate({ name: 'repository_dispatch', payload }, workflows, testPorts())
      }
      expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
      expect(({} as Record<string, unknown>).polluted).toBeUndefined() // any key
    })
    await fc.assert(property, { numRuns: 1000 })
  })
})
