import { describe, expect, test } from '@jest/globals'
import * as v from 'valibot'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { defineTrigger, type Trigger } from '../../src/triggers/trigger.ts'
import { valueAtPath } from '../../src/wire/data-path.ts'
import { NATIVE_EVENTS } from '../../src/wire/events.ts'
import { isObject } from '../../src/wire/json.ts'
import { RESERVED_OUTPUTS } from '../../src/wire/output-names.ts'
import { readWebhookRequest } from '../../src/wire/webhook-request.ts'
import { fc } from '../support/properties.ts'
import { bound, payloadOf, QUIET_WORLD, receive } from '../support/receive.ts'
import { anyRequest, NO_TEXT, variations } from './requests.ts'

/** Outputs of the step that no field may use: see action.yml. */
const RESERVED: readonly string[] = RESERVED_OUTPUTS

const triggers = [...new Set(TRIGGERS.values())]

test('each name means one trigger, and none of the events of GitHub', () => {
  const names = triggers.flatMap(({ name, aliases }) => [name, ...aliases])
  expect(new Set(names).size).toBe(names.length)
  expect([...TRIGGERS.keys()].sort()).toEqual(names.sort())
  expect(names.filter((name) => NATIVE_EVENTS.has(name))).toEqual([])
  expect(names.filter((name) => !/^[a-z][a-z0-9_-]*$/.test(name))).toEqual([])
})

describe.each(triggers)('$name', (trigger) => {
  const { name, minimalOptions } = trigger

  test('says what it is, what its options are and what it gives, in a sentence each', () => {
    const { config: _, ...own } = trigger.schema.entries // its options are described one by one
    const options = Object.values(own).map(descriptionOf)
    for (const text of [trigger.description, ...options, ...Object.values(trigger.outputs)]) {
      expect(text).toMatch(/^\S.*[.…]$/s)
    }
    expect(trigger.optionNames).toContain('config')
  })

  test('gives fields that can be outputs of a step', () => {
    const fields = Object.keys(trigger.outputs)
    expect(fields.filter((field) => RESERVED.includes(field))).toEqual([])
    expect(fields.filter((field) => !/^[A-Za-z_][\w-]*$/.test(field))).toEqual([])
    expect(fields).not.toEqual([])
  })

  test('names fields of its own as the columns of a table, and none with a credential', () => {
    const fields = trigger.columns.map((path) => path.split('.', 1)[0] ?? '')
    expect(fields).not.toEqual([])
    expect(fields.filter((field) => !(field in trigger.outputs))).toEqual([])
    const told = ['headers', 'query', 'querystring', 'search', 'trigger_id']
    expect(fields.filter((field) => told.includes(field))).toEqual([])
  })

  test('refuses an option that it does not have', () => {
    const result = trigger.bind({ ...minimalOptions, no_such_option: 1 })
    expect('issues' in result && result.issues[0]?.path?.[0]?.key).toBe('no_such_option')
  })

  test('takes its own minimal options, and then receives or polls', () => {
    const ready = trigger.bind(minimalOptions)
    const issues = 'issues' in ready ? ready.issues.map(({ message }) => message) : []
    const place = `minimalOptions of the trigger "${name}"`
    expect({ place, issues }).toEqual({ place, issues: [] })
    expect('issues' in ready ? undefined : (ready.receive ?? ready.poll)).toBeDefined()
  })
})

describe.each(triggers.filter(receives))('$name, receiving', (trigger) => {
  const { name, minimalOptions } = trigger

  test('fires for its own example, once, with the key that tells its items apart', async () => {
    const { example, keys } = bound(name, minimalOptions)
    const { method = '', path = '', contentType = '', body = '' } = example ?? {}
    const headers = contentType ? { 'Content-Type': contentType } : {}
    const { items, checks } = await receive(bound(name, minimalOptions), {
      method,
      path,
      headers,
      body,
    })
    expect(items).toHaveLength(1)
    expect(checks.filter(({ held }) => !held)).toEqual([])
    if (keys.own) expect(valueAtPath(items[0], keys.own)).toBeDefined()
    const declared = Object.keys(trigger.outputs)
    expect(Object.keys(items[0] ?? {}).some((field) => declared.includes(field))).toBe(true)
  })

  test('says of every request whether each of its conditions held, and never fails', async () => {
    const ready = bound(name, minimalOptions)
    await fc.assert(
      fc.asyncProperty(anyRequest, async (sent) => {
        const { items, checks } = await receive(ready, sent, QUIET_WORLD)
        expect(items.length > 0).toBe(checks.every(({ held }) => held))
        for (const { option, found } of checks) expect(option && found).not.toBe('')
        for (const item of items) expect(JSON.parse(JSON.stringify(item))).toEqual(plain(item))
      }),
      { numRuns: 300 },
    )
    expect(Object.prototype).not.toHaveProperty('polluted')
  })

  test('takes its example with any part of it made something else', async () => {
    const ready = bound(name, minimalOptions)
    const { method = '', path = '', body = 'null' } = ready.example ?? {}
    for (const other of [null, true, 0, 'x', [], [null], {}, NO_TEXT]) {
      for (const changed of variations(JSON.parse(body), other)) {
        const headers = { 'Content-Type': 'application/json' }
        const sent = { method, path, headers, body: JSON.stringify(changed) }
        await expect(receive(ready, sent, QUIET_WORLD)).resolves.toBeDefined()
      }
    }
  })

  test('makes the same of a request again, and leaves the request as it was', async () => {
    const ready = bound(name, minimalOptions)
    await fc.assert(
      fc.asyncProperty(anyRequest, async (sent) => {
        const request = await readWebhookRequest(payloadOf(name, sent))
        const before = structuredClone(plain(request))
        const first = await ready.receive?.(request, QUIET_WORLD)
        const second = await ready.receive?.(request, QUIET_WORLD)
        expect(second).toEqual(first)
        expect(plain(request)).toEqual(before)
      }),
      { numRuns: 100 },
    )
  })

  test('shows no credential of a header', async () => {
    const headers = Object.fromEntries(CREDENTIAL_HEADERS.map((header) => [header, CANARY]))
    const { example } = bound(name, minimalOptions)
    const { method = '', path = '', contentType = '', body = '' } = example ?? {}
    const sent = { method, path, headers: { ...headers, 'Content-Type': contentType }, body }
    const reception = await receive(bound(name, minimalOptions), sent, QUIET_WORLD)
    expect(JSON.stringify(reception)).not.toContain(CANARY)
  })
})

describe.each(triggers.filter(({ optionNames }) => optionNames.includes('verify')))(
  '$name, verifying',
  ({ name }) => {
    const verify = { scheme: 'gitlab', secret: 'the secret of this test' }

    test('does not fire without a valid signature, and warns', async () => {
      const ready = bound(name, { verify })
      await fc.assert(
        fc.asyncProperty(anyRequest, async (sent) => {
          const { items, messages = [], checks } = await receive(ready, sent, QUIET_WORLD)
          expect(items).toEqual([])
          const isLookedAt = checks.some(({ option }) => option === 'verify')
          expect(messages.length).toBe(isLookedAt ? 1 : 0)
        }),
        { numRuns: 100 },
      )
    })

    test('fires for its example with the secret, and shows it nowhere', async () => {
      const { example } = bound(name, {})
      const { method = '', path = '', contentType = '', body = '' } = example ?? {}
      const headers = { 'Content-Type': contentType, 'X-Gitlab-Token': verify.secret }
      const reception = await receive(bound(name, { verify }), { method, path, headers, body })
      expect(reception.items).toHaveLength(1)
      expect(JSON.stringify(reception)).not.toContain(verify.secret)
    })

    test('has no example, because only the sender can create one', () => {
      expect(bound(name, { verify }).example).toBeUndefined()
    })
  },
)

describe('a definition', () => {
  const options = v.strictObject({ url: v.pipe(v.string(), v.description('Where.')) })
  const feed = { name: 'feed', description: 'Polls.', options, outputs: { title: 'Its title.' } }
  const poll = async () => ({ checks: [], items: [], cursorBefore: () => undefined })

  test('that polls does not compile without how it acknowledges', () => {
    // @ts-expect-error: `acknowledge` is missing
    const forgetful = () => defineTrigger({ ...feed, poll })
    expect(forgetful).not.toThrow()
  })

  test('with an option that is needed, and that it does not give, stops no other one', () => {
    const trigger = defineTrigger({ ...feed, receive: () => ({ checks: [], items: [] }) })
    expect(receives(trigger)).toBe(false)
  })
})

const CANARY = 'canary-5f1b77aa'
const CREDENTIAL_HEADERS = ['authorization', 'x-gitlab-token', 'x-telegram-bot-api-secret-token']

function receives(trigger: Trigger): boolean {
  const ready = trigger.bind(trigger.minimalOptions)
  return 'receive' in ready && ready.receive !== undefined
}

function descriptionOf(option: v.GenericSchema): string {
  return v.getDescription(option) ?? ''
}

/** Without the prototypes that JSON lacks. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value) || value instanceof Uint8Array) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]))
}
