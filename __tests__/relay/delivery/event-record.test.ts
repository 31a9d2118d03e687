import { expect, test } from '@jest/globals'
import {
  bodyOf,
  decryptContent,
  encryptEvent,
  type RecordedRequest,
  requestColumns,
  requestRow,
  storedBody,
} from '../../../src/relay/delivery/event-record.ts'
import type { Endpoint } from '../../../src/relay/store/endpoint-settings.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { eventOf, id } from '../../support/delivery-scene.ts'
import { START } from '../../support/fake-time.ts'
import { encryptionOf, relayKeys } from '../../support/relay-keys.ts'

const encryption = await encryptionOf()

test.each(['token', 'endpoint'] as const)(
  'the event of a URL of kind %s is decrypted with what restores its credential',
  async (kind) => {
    const dispatch = eventOf(id(1), { kind })
    const { credential, ...event } = dispatch
    const record = await encryptEvent(dispatch, encryption)
    expect(await decryptContent(record, encryption)).toEqual({
      event,
      credential:
        kind === 'token'
          ? { kind, token: credential.githubToken?.reveal() }
          : { kind, endpoint: { owner: 'o', name: 'e1', created: 0 } },
    })
  },
)

test('content that is missing, of another key, damaged, or no content of a delivery is none', async () => {
  const record = await encryptEvent(eventOf(id(1)), encryption)
  const { key, content } = record
  const other = await encryptionOf(relayKeys())
  const list = await encryption.encrypt('hookline-event', [])
  const empty = await encryption.encrypt('hookline-event', { event: null, received: 'x' })
  const endpoint = await encryption.encrypt('hookline-endpoint', { event: {} })
  for (const [row, by] of [
    [{ key: null, content }, encryption],
    [{ key, content: null }, encryption],
    [{ key, content: `${content}x` }, encryption],
    [record, other],
    [list, encryption],
    [empty, encryption],
    [endpoint, encryption],
  ] as const) {
    expect(await decryptContent(row, by)).toBeUndefined()
  }
})

test.each([
  [Buffer.from('{"a":"ä"}'), { text: '{"a":"ä"}' }],
  [Buffer.from(''), { text: '' }],
  [Buffer.from('\uFEFFa'), { text: '\uFEFFa' }],
  [Buffer.from([0xc3, 0x28]), { base64: 'wyg=' }],
])('the body %j is stored as %j, and read as it was', (bytes, stored) => {
  expect(storedBody(bytes)).toEqual(stored)
  expect(Buffer.from(bodyOf(storedBody(bytes)))).toEqual(bytes)
})

test('the columns of a request omit the query; without a request they are empty', () => {
  const request = { id: id(1), path: 'hook/webhook?x=1?', method: 'PUT', size: 7 }
  const receivedAt = new Date(START).toISOString()
  expect(requestColumns({ ...request, receivedAt }, 5)).toEqual({
    ...{ path: 'hook/webhook', method: 'PUT', received: START, size: 7 },
  })
  expect(requestColumns(undefined, 5)).toEqual({ path: '', method: '', received: 5, size: 0 })
})

const ENDPOINT: Endpoint = {
  ...{ owner: 'octo', name: 'orders', created: 3, repository: 'Octo/shop' },
  ...{ workflow: 'orders', trigger: 'webhook', dispatch: 'repository', respond: 'github' },
  id: new Secret('the-id-of-the-endpoint'),
}

const REQUEST: RecordedRequest = {
  ...{ state: 'filtered', delivery: id(1), endpoint: ENDPOINT, method: 'POST', reason: 'if' },
  ...{ target: '/-/octo/x?a=1', path: 'orders/webhook?a=1', receivedAt: '2026-01-02T00:00:00Z' },
  headers: new Map([
    ['x-a', '1'],
    ['x-b', '2'],
  ]),
  ...{ body: Buffer.from('{}'), size: 2, explanation: undefined },
}

/** The row of a request, with its content, and the credential by which its queue was named. */
async function rowOf(changes: Partial<RecordedRequest>) {
  const named: unknown[] = []
  const nameQueue = async (event: object) => {
    named.push(event)
    return 'octo/shop#own'
  }
  const row = await requestRow({ ...REQUEST, ...changes }, { nameQueue, encryption })
  const { key = null, content = null, ...columns } = row
  return { columns, content: await decryptContent({ key, content }, encryption), named }
}

test('a filtered request is recorded as it was received', async () => {
  const { columns, content, named } = await rowOf({})
  expect(columns).toEqual({
    ...{ id: id(1), request: id(1), queue: 'octo/shop#own', endpoint: 'orders' },
    ...{ endpointCreated: 3, path: 'orders/webhook', method: 'POST', received: START, size: 2 },
    ...{ state: 'filtered', reason: 'if', explanation: null },
  })
  const received = {
    ...{ target: '/-/octo/x?a=1', method: 'POST', receivedAt: '2026-01-02T00:00:00Z' },
    headers: [
      ['x-a', '1'],
      ['x-b', '2'],
    ],
    body: { text: '{}' },
  }
  expect(content).toStrictEqual({ received })
  expect(named).toEqual([
    {
      repository: { owner: 'Octo', name: 'shop' },
      credential: {
        ...{ kind: 'endpoint', isOwn: true, secrets: [], token: expect.any(Function) },
        endpoint: { owner: 'octo', name: 'orders', created: 3 },
      },
    },
  ])
})

test('the queue of an endpoint with a token is that of the token', async () => {
  const token = new Secret('ghp_x')
  const { named } = await rowOf({ endpoint: { ...ENDPOINT, token } })
  const [{ credential }] = named as [{ credential: { token(): Promise<unknown> } }]
  expect(credential).toMatchObject({ isOwn: false, githubToken: token })
  expect(await credential.token()).toBe(token)
})

test.each([
  ['a body of 2,048 bytes', 'x'.repeat(2048), 2048, { text: 'x'.repeat(2048) }, undefined],
  ['a body of 2,049 bytes', 'x'.repeat(2049), 2049, { text: 'x'.repeat(2048) }, true],
  ['no body', '', 0, { text: '' }, undefined],
  ['a body that was not read', '', 9, null, true],
])(
  'of a refused request with %s, what explains the refusal is recorded',
  async (_, body, size, stored, isCut) => {
    const refused = { state: 'refused', reason: 'invalid_signature', explanation: 'why' } as const
    const { columns, content } = await rowOf({ ...refused, body: Buffer.from(body), size })
    expect(columns).toMatchObject({ ...refused, size })
    expect(content?.received).toStrictEqual({
      ...{ target: '/-/octo/x?a=1', method: 'POST', receivedAt: '2026-01-02T00:00:00Z' },
      headers: [['x-a'], ['x-b']],
      body: stored,
      ...(isCut && { isCut }),
    })
  },
)

test('the body of a filtered request is not cut', async () => {
  const body = Buffer.from('x'.repeat(2049))
  const { content } = await rowOf({ body, size: 2049 })
  expect(content?.received?.body).toEqual({ text: 'x'.repeat(2049) })
  expect(content?.received).not.toHaveProperty('isCut')
})
