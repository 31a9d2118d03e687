import { createHmac } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { EnginePorts } from '../../src/engine/engine-ports.ts'
import { evaluate } from '../../src/engine/evaluate-event.ts'
import { runEffects } from '../../src/engine/evaluation.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { gzip, toBase64 } from '../../src/wire/bytes.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'
import { batchDispatch as batch, json, RECEIVED, type Sent, uuid } from '../support/batches.ts'
import { testPorts } from '../support/ports.ts'
import { problemsOf } from '../support/problems.ts'
import { memoryStore } from '../support/queue-trigger.ts'
import { single } from '../support/stores.ts'

const SECRET = 'it is a secret'
async function fire(
  on: string,
  event: Awaited<ReturnType<typeof batch>>,
  ports: Partial<EnginePorts> = {},
) {
  const source = { name: 'on', text: on, file: 'hook.yml' }
  const workflow = readOnSection('hook', source, {
    contexts: { secrets: { S: SECRET } },
    triggers: TRIGGERS,
  })
  const workflows = { calling: 'hook', names: () => ['hook'], find: () => workflow }
  const engine = testPorts(ports)
  const evaluation = await evaluate(event, workflows, engine)
  const succeed = () => runEffects(evaluation.effects, () => workflow, engine)
  return Object.assign(evaluation, { succeed })
}

const numbers = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => json({ n: from + n }))

const TAKES = 'webhook:\n  config:\n    batch: true\n'

test('every event is received for itself, in order, with its own path and headers', async () => {
  const on = 'webhook:\n  path: /user/:id\n  method: post\n  config: { batch: true }\n'
  const run = await fire(
    on,
    await batch([
      json({ n: 1 }, { path: 'hook/webhook/user/ada?x=1' }),
      json({ n: 2 }, { path: 'hook/webhook/team/7' }),
      json({ n: 3 }, { path: 'hook/webhook/user/bob', method: 'PUT' }),
      json({ n: 4 }, { path: 'hook/webhook/user/eve' }),
    ]),
  )
  const seen = run.items.map(({ params, query, body }) => [params, query, body])
  expect(JSON.parse(JSON.stringify(seen))).toEqual([
    [{ id: 'ada' }, { x: '1' }, { n: 1 }],
    [{ id: 'eve' }, {}, { n: 4 }],
  ])
  expect(run.deliveries).toEqual([uuid(1), uuid(4)])
  expect([run.delivery, run.receivedAt]).toEqual([uuid(999), RECEIVED])
  const [decision] = run.decisions
  expect(decision?.checks.map(({ option, found }) => `${option}: ${found}`)).toEqual([
    'path: does not match /user/:id (1 of 4 events)',
    'method: put is not among post (1 of 4 events)',
  ])
  expect(decision?.tally).toMatchObject({ events: { came: 4, held: 2 }, found: 2, passedOn: 2 })
})

test('an event without a valid signature is dropped, and the others fire', async () => {
  const signed = (n: number, secret = SECRET): Sent => {
    const body = JSON.stringify({ n })
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    return json({ n }, { headers: { 'x-hub-signature-256': `sha256=${signature}` } })
  }
  const on = `${TAKES}  verify: { scheme: github, secret: "\${{ secrets.S }}" }\n`
  const run = await fire(
    on,
    await batch([signed(1), signed(2, 'other'), json({ n: 3 }), signed(4)]),
  )
  expect(run.items.map(({ body }) => body)).toEqual([{ n: 1 }, { n: 4 }])
  expect(run.decisions[0]?.checks).toHaveLength(2)
  expect(run.messages).toHaveLength(2)
  expect(run.messages.map(({ text }) => text).join()).toContain('(1 of 4 events)')
})

test('the pipeline is over all of them', async () => {
  const on = `${TAKES}    filter: { body.n: { $gte: 2 } }\n    sort: { body.n: -1 }\n    skip: 1\n`
  const run = await fire(on, await batch(numbers(5)))
  expect(run.items.map(({ body }) => body)).toEqual([{ n: 3 }, { n: 2 }])
  expect(run.decisions[0]?.reason).toBe('filter dropped 2; skip dropped 1')
})

test('with outputsMode: combine one context has all', async () => {
  const run = await fire(`${TAKES}    outputsMode: combine\n`, await batch(numbers(3)))
  expect(run.contexts).toHaveLength(1)
  expect(run.contexts[0]?.webhook?.outputs).toHaveLength(3)
  expect(run.items).toHaveLength(3)
})

test('an event that cannot be read does not affect the others', async () => {
  const broken = { headers: { 'x-hookline-body-encoding': 'gzip' }, body: 'no base64!' }
  const elsewhere = json({ n: 2 }, { path: 'hook/other' })
  const run = await fire(TAKES, await batch([broken, json({ n: 1 }), elsewhere]))
  expect(run.items.map(({ body }) => body)).toEqual([{ n: 1 }])
  expect(run.decisions[0]?.checks.map(({ found }) => found)).toEqual([
    expect.stringMatching(/^client_payload.body is not gzip.* \(1 of 3 events\)$/),
    'addresses another workflow or trigger than its batch (1 of 3 events)',
  ])
})

test('a batch of which nothing fires says why', async () => {
  const run = await fire(`${TAKES}  method: put\n`, await batch(numbers(3)))
  expect([run.items, run.deliveries, run.miss]).toEqual([[], [], 'condition'])
  expect(run.reason).toBe('method post is not among put (3 of 3 events)')
})

describe('fails before anything fires:', () => {
  test('a batch for a trigger that takes one event', async () => {
    const [problem] = await problemsOf(fire('webhook:\n  method: post\n', await batch(numbers(2))))
    expect(problem?.message).toBe(
      '"webhook" takes one event per run, and the relay sent a batch of 2 events',
    )
    expect(problem?.notes?.[0]).toContain('"batch: true"')
    expect(problem?.position?.line).toBe(2)
  })

  test('a batch that does not fit the outputs, which claims nothing', async () => {
    const store = memoryStore()
    const large = Array.from({ length: 10 }, (_, n) => json({ id: n, text: 'x'.repeat(50_000) }))
    const on = `${TAKES}    shouldDeduplicate: true\n    failOnItemError: true\n`
    const [problem] = await problemsOf(fire(on, await batch(large), { store }))
    expect(problem?.message).toMatch(/^the output "items" would have 50\d{4} characters/)
    expect(problem?.notes?.[0]).toContain('filterOutputs')
    expect(
      (await single(store).read({ workflow: 'hook', trigger: 'webhook' })).state.claims,
    ).toEqual([])
  })

  test('limit together with batch', async () => {
    const [problem] = await problemsOf(fire(`${TAKES}    limit: 5\n`, await batch(numbers(1))))
    expect(problem?.message).toContain('"config.limit" cannot be combined with "batch"')
    expect(problem?.position?.line).toBe(4)
  })
})

test('an event by itself is taken too, and names its delivery', async () => {
  const event = await batch(numbers(1))
  const payload = event.payload.client_payload
  const { 'x-hookline-batch': _, 'x-hookline-body-encoding': __, ...headers } = payload.headers
  const client_payload = { ...payload, headers, body: '{"n":1}' }
  const run = await fire(TAKES, { ...event, payload: { action: 'webhook', client_payload } })
  expect([run.items.length, run.deliveries]).toEqual([1, [uuid(999)]])
})

test('a gzip bomb fires nothing, and says so', async () => {
  const event = await batch(numbers(1))
  const bomb = toBase64(await gzip(new Uint8Array(5_000_000)))
  const client_payload = { ...event.payload.client_payload, body: bomb }
  const run = await fire(TAKES, { ...event, payload: { action: 'webhook', client_payload } })
  expect([run.items, run.miss]).toEqual([[], 'payload'])
  expect(run.reason).toBe('the body of the batch unpacks to more than 4 MB')
})

describe('with a store', () => {
  const on = `${TAKES}    shouldDeduplicate: true\n`

  function counting() {
    const store = memoryStore()
    const calls: string[] = []
    const counted: typeof store = {
      ...store,
      read(ids) {
        calls.push('read')
        return store.read(ids)
      },
      claim(...all) {
        calls.push('claim')
        return store.claim(...all)
      },
      commit(...all) {
        calls.push('commit')
        return store.commit(...all)
      },
    }
    return { store: counted, calls }
  }

  test('a batch costs one read and one write, and one write at the end', async () => {
    const { store, calls } = counting()
    const run = await fire(on, await batch(numbers(256)), { store })
    expect(run.items).toHaveLength(256)
    await run.succeed()
    expect(calls).toEqual(['read', 'claim', 'commit'])
  })

  test('duplicates are dropped: by key, within the batch, and by delivery', async () => {
    const store = memoryStore()
    const first = [json({ id: 1, a: 0 }), json({ id: 2, a: 0 })]
    await (await fire(on, await batch(first), { store, run: { id: '1', at: 0 } })).succeed()
    const second = [json({ id: 2, a: 1 }), json({ id: 3 }), json({ id: 3, b: 2 }), json({ id: 4 })]
    const run = { id: '2', at: 0 }
    const again = await fire(on, await batch(second, 5), { store, run })
    expect(again.items.map(({ body }) => body)).toEqual([{ id: 3 }, { id: 4 }])
    expect(again.deliveries).toEqual([uuid(6), uuid(8)])
    // Other keys with the same deliveries are the relay's own retries.
    const other = [json({ id: 'x' }), json({ id: 'y' }), json({ id: 'z' })]
    const repeat = await fire(on, await batch(other, 1), { store, run: { id: '3', at: 0 } })
    expect(repeat.items.map(({ body }) => body)).toEqual([{ id: 'z' }])
  })

  test('a re-run of the batch gets its items again', async () => {
    const store = memoryStore()
    const event = await batch(numbers(3))
    for (const id of ['1', '1']) {
      expect((await fire(on, event, { store, run: { id, at: 0 } })).items).toHaveLength(3)
    }
    expect((await fire(on, event, { store, run: { id: '2', at: 0 } })).items).toEqual([])
  })
})
