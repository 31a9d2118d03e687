import { describe, expect, test } from '@jest/globals'
import {
  Acceptance,
  AcceptanceMemory,
  type AcceptPorts,
  retryTimeOf,
} from '../../../src/relay/delivery/accept.ts'
import { decryptContent, type RecordedRequest } from '../../../src/relay/delivery/event-record.ts'
import type { ChangeLine } from '../../../src/relay/delivery/log-lines.ts'
import { type Attempts, RelayError } from '../../../src/relay/errors.ts'
import type { Dispatch } from '../../../src/relay/github/send.ts'
import type { NewDelivery } from '../../../src/relay/store/delivery-rows.ts'
import type { Endpoint } from '../../../src/relay/store/endpoint-settings.ts'
import { LIMITS } from '../../../src/wire/limits.ts'
import { ENDPOINT, type EventOptions, eventOf, id } from '../../support/delivery-scene.ts'
import { HOUR, SECOND, START } from '../../support/fake-time.ts'
import { encryptionOf } from '../../support/relay-keys.ts'

const encryption = await encryptionOf()

interface Given {
  /** The calls of GitHub, one after the other; the last one stays. */
  readonly replies?: readonly (Attempts | Error | Promise<Attempts>)[]
  readonly endpoint?: Partial<Endpoint>
  readonly waits?: boolean
  readonly wasAccepted?: boolean | Error
  readonly hadEvent?: boolean | Error
  readonly hasRoom?: boolean
  readonly ports?: Partial<AcceptPorts>
}

function begin({
  replies = [{ tries: 1 }],
  endpoint = {},
  waits = false,
  wasAccepted = true,
  hadEvent = true,
  hasRoom = true,
  ports = {},
}: Given = {}) {
  const time = { now: START }
  const [puts, settled, notes, recorded, log, reported, accepted]: [
    NewDelivery[][],
    unknown[],
    string[],
    { bytes: number; row(): Promise<NewDelivery> }[],
    ChangeLine[],
    unknown[],
    string[],
  ] = [[], [], [], [], [], [], []]
  const timers: { milliseconds: number; back: () => void; isCancelled: boolean }[] = []
  const work: Promise<void>[] = []
  const answer = <Value>(value: Value | Error) => {
    if (value instanceof Error) throw value
    return value
  }
  const faults: { noteAccepted?: Error; accepted?: Error } = {}
  let sent = 0
  const acceptance = new Acceptance({
    send: async () => answer(await (replies[Math.min(sent++, replies.length - 1)] ?? { tries: 1 })),
    store: {
      waits: async () => waits,
      put: async (rows) => {
        puts.push([...rows])
        return hasRoom
      },
      settle: async (event, outcome) => void settled.push([event, outcome]),
      noteAccepted: async (queue) => {
        notes.push(queue)
        if (faults.noteAccepted) throw faults.noteAccepted
      },
      wasAccepted: async () => answer(wasAccepted),
      record: async () => {},
    },
    recorder: { add: (record) => recorded.push(record) },
    encryption,
    nameQueue: async ({ repository: { owner, name }, credential: { isOwn } }) =>
      `${owner}/${name}#${isOwn ? 'own' : 'token'}`,
    endpoints: {
      hadEvent: async () => answer(hadEvent),
      accepted: async ({ name }) => {
        accepted.push(name)
        if (faults.accepted) throw faults.accepted
      },
    },
    follows: () => true,
    retains: true,
    memory: new AcceptanceMemory(),
    ...{ responseTime: 2500, callTime: 8000, now: () => time.now, random: () => 0.5 },
    after: (milliseconds, back) => {
      const timer = { milliseconds, back, isCancelled: false }
      timers.push(timer)
      return () => {
        timer.isCancelled = true
      }
    },
    background: (one) => work.push(one),
    log: (line) => log.push(line),
    report: (error) => reported.push(error),
    ...ports,
  })
  const deliver = async (events: readonly [Dispatch, ...Dispatch[]], isOfEndpoint = true) => {
    const result = await acceptance
      .deliver(events, isOfEndpoint ? { ...ENDPOINT, ...endpoint } : undefined)
      .catch((error: unknown) => error)
    return result
  }
  return {
    acceptance,
    deliver,
    time,
    puts,
    settled,
    notes,
    recorded,
    log,
    reported,
    accepted,
    timers,
    work,
    faults,
    sent: () => sent,
  }
}

const event = (n = 1, options: EventOptions = {}) => eventOf(id(n), options)
const token = (n = 1) => event(n, { kind: 'token' })

/** A row of the event without its content. */
const rowOf = (n: number, changes: Partial<NewDelivery>) => ({
  ...{ id: id(n), request: id(n), queue: 'o/r#own', endpoint: 'e1', endpointCreated: 0 },
  ...{ path: 'hook/webhook', method: 'POST', received: START, size: id(n).length },
  ...{ key: encryption.key, content: expect.any(String) },
  ...changes,
})

const failed = (
  code: ConstructorParameters<typeof RelayError>[0],
  attempts?: Attempts,
  more = {},
) => {
  const error = new RelayError(code, more)
  return attempts ? error.after(attempts) : error
}
const DOWN = failed('github_unavailable', { tries: 3, githubStatus: 503 })
const DOUBT = failed('github_unavailable', { tries: 2, githubStatus: 502 })
const REFUSED = failed('event_rejected', { tries: 1, githubStatus: 422 })
const UNAUTHORIZED = failed('invalid_token', { tries: 1, githubStatus: 401 })

test('a request asks GitHub again for four fifths of the time that a sender waits', () => {
  expect(retryTimeOf(2500)).toBe(2000)
})

describe('an accepted event', () => {
  test('is recorded after the response with its facts, and its credential is noted once a day', async () => {
    const attempts = { tries: 2, acceptedAt: START + 7, githubMs: 120, run: 'https://run' }
    const { deliver, recorded, notes, accepted, time, puts, settled, timers, reported } = begin({
      replies: [attempts],
    })
    expect(await deliver([event()])).toBe(attempts)
    expect(timers).toMatchObject([{ milliseconds: 2500, isCancelled: true }])
    expect(recorded).toEqual([{ bytes: event().clientPayload.length, row: expect.any(Function) }])
    expect(await recorded[0]?.row()).toStrictEqual(
      rowOf(1, {
        ...{ state: 'delivered', attempts: 1, reason: '', accepted: START + 7, githubMs: 120 },
        ...{ run: 'https://run', follows: true },
      }),
    )
    time.now += 24 * HOUR - 1
    await deliver([event(2)])
    expect([notes, accepted]).toEqual([['o/r#own'], ['e1', 'e1']])
    time.now += 1
    await deliver([event(3)])
    expect([notes, puts, settled, reported]).toEqual([['o/r#own', 'o/r#own'], [], [], []])
  })

  test('of which GitHub tells nothing was accepted when its call began', async () => {
    const { deliver, recorded } = begin({ ports: { retains: false } })
    expect(await deliver([event()])).toEqual({ tries: 1 })
    expect(await recorded[0]?.row()).toMatchObject({
      ...{ accepted: START, githubMs: null, run: null, key: null, content: null },
    })
  })

  test('of a token URL is not recorded, and its token is noted', async () => {
    const { deliver, recorded, notes, accepted } = begin()
    expect(await deliver([token()], false)).toEqual({ tries: 1 })
    expect([recorded, notes, accepted]).toEqual([[], ['o/r#token'], []])
  })

  test('whose credential cannot be noted is noted with the next one', async () => {
    const { deliver, notes, faults, reported, work } = begin()
    faults.noteAccepted = new Error('disk fails')
    faults.accepted = new Error('no object')
    await deliver([event()])
    await Promise.all(work)
    expect(reported).toEqual([faults.noteAccepted, faults.accepted])
    await deliver([event(2)])
    expect(notes).toHaveLength(2)
  })
})

describe('an event that GitHub does not accept', () => {
  test.each<
    [name: string, given: Given, event: Dispatch, row: Partial<NewDelivery>, result: Attempts]
  >([
    [
      'may be accepted later',
      { replies: [DOWN] },
      event(),
      { state: 'waiting', wait: 500, doubts: 0, attempts: 1, reason: 'github_unavailable' },
      { tries: 3, githubStatus: 503, queued: 'github_unavailable' },
    ],
    [
      'may have been accepted',
      { replies: [DOUBT] },
      event(),
      { state: 'uncertain', wait: 10_000, doubts: 1, attempts: 1, reason: 'github_unavailable' },
      { tries: 2, githubStatus: 502, queued: 'github_unavailable' },
    ],
    [
      'is limited',
      { replies: [failed('rate_limited', undefined, { retryAfter: 90 })] },
      event(),
      { state: 'waiting', wait: 90_000, doubts: 0, attempts: 1, reason: 'rate_limited' },
      { tries: 0, queued: 'rate_limited' },
    ],
    [
      'waits behind others',
      { waits: true },
      event(),
      { state: 'waiting', reason: 'queued' },
      { tries: 0, queued: 'queued' },
    ],
    [
      'has a refused credential that GitHub accepted before',
      { replies: [UNAUTHORIZED] },
      event(),
      { state: 'waiting', wait: 0, doubts: 0, attempts: 1, reason: 'invalid_token' },
      { tries: 1, githubStatus: 401, queued: 'invalid_token' },
    ],
    [
      'has a refused credential, while the database does not respond',
      { replies: [UNAUTHORIZED], wasAccepted: new Error('disk fails') },
      event(),
      { state: 'waiting', wait: 0, doubts: 0, attempts: 1, reason: 'invalid_token' },
      { tries: 1, githubStatus: 401, queued: 'invalid_token' },
    ],
    [
      'has a refused token of an endpoint that had an event',
      { replies: [UNAUTHORIZED], wasAccepted: false },
      { ...event(), credential: { ...event().credential, isOwn: false } },
      {
        queue: 'o/r#token',
        state: 'waiting',
        wait: 0,
        doubts: 0,
        attempts: 1,
        reason: 'invalid_token',
      },
      { tries: 1, githubStatus: 401, queued: 'invalid_token' },
    ],
  ])('and that %s is stored', async (_, given, dispatch, row, result) => {
    const { deliver, puts, log, accepted, recorded, reported } = begin(given)
    expect(await deliver([dispatch])).toEqual(result)
    expect(puts).toStrictEqual([[rowOf(1, row)]])
    const line = { level: 'error', change: 'stored', delivery: id(1), repository: 'o/r' }
    const told =
      result.queued === 'invalid_token'
        ? [{ ...line, endpoint: 'e1', reason: 'invalid_token' }]
        : []
    const faults = given.wasAccepted instanceof Error ? [given.wasAccepted] : []
    expect([log, accepted, recorded, reported]).toStrictEqual([told, ['e1'], [], faults])
    const { content } = puts[0]?.[0] ?? {}
    const opened = await decryptContent(
      { key: encryption.key, content: content ?? null },
      encryption,
    )
    expect(opened?.event?.delivery).toBe(id(1))
  })

  const BUG = new Error('a bug')
  test.each<[name: string, given: Given, dispatch: Dispatch, isOfEndpoint: boolean, error: Error]>([
    ['is refused', { replies: [REFUSED] }, event(), true, REFUSED],
    [
      'is refused at the first test',
      { replies: [UNAUTHORIZED], wasAccepted: false },
      event(),
      true,
      UNAUTHORIZED,
    ],
    [
      'has the refused token of a new endpoint',
      { replies: [UNAUTHORIZED], wasAccepted: false, hadEvent: false },
      { ...event(), credential: { ...event().credential, isOwn: false } },
      true,
      UNAUTHORIZED,
    ],
    ['has a refused token', { replies: [UNAUTHORIZED] }, token(), false, UNAUTHORIZED],
    [
      'has a token that GitHub never accepted',
      { replies: [DOWN], wasAccepted: false },
      token(),
      false,
      DOWN,
    ],
    [
      'waits behind others with such a token',
      { replies: [DOWN], waits: true, wasAccepted: false },
      token(),
      false,
      DOWN,
    ],
    ['meets a bug', { replies: [BUG] }, event(), true, BUG],
  ])('and that %s is refused', async (_, given, dispatch, isOfEndpoint, error) => {
    const { deliver, puts, log, accepted } = begin(given)
    expect(await deliver([dispatch], isOfEndpoint)).toBe(error)
    expect([puts, log, accepted]).toEqual([[], [], []])
  })

  test('of a token that this process saw accepted is stored without a question', async () => {
    const { deliver, puts } = begin({ replies: [{ tries: 1 }, DOWN], wasAccepted: false })
    await deliver([token()], false)
    expect(await deliver([token(2)], false)).toMatchObject({ queued: 'github_unavailable' })
    expect(puts).toHaveLength(1)
  })

  test('with a refused token is stored if the database does not tell whether the endpoint had an event', async () => {
    const dispatch = { ...event(), credential: { ...event().credential, isOwn: false } }
    const fault = new Error('disk fails')
    const { deliver, reported } = begin({
      ...{ replies: [UNAUTHORIZED], wasAccepted: fault, hadEvent: fault },
    })
    expect(await deliver([dispatch])).toMatchObject({ queued: 'invalid_token' })
    expect(reported).toEqual([fault, fault])
    const other = begin({ replies: [UNAUTHORIZED], wasAccepted: fault, hadEvent: false })
    expect(await other.deliver([dispatch])).toBe(UNAUTHORIZED)
  })

  test('is stored with its payload, whatever is retained, and names its request', async () => {
    const { deliver, puts } = begin({ replies: [DOWN], ports: { retains: false } })
    const { request, ...without } = event()
    await deliver([{ ...without, ...(request && { request: { ...request, id: id(9) } }) }])
    await deliver([without])
    expect(puts.flat()).toMatchObject([
      { request: id(9), key: encryption.key },
      { request: id(1), key: encryption.key, path: '', method: '', size: 0 },
    ])
  })

  test('of a token that GitHub accepted is stored without an endpoint', async () => {
    const { deliver, puts } = begin({ replies: [DOWN] })
    expect(await deliver([token()], false)).toMatchObject({ queued: 'github_unavailable' })
    const [[row = undefined] = []] = puts
    expect(row).toMatchObject({ queue: 'o/r#token', endpoint: null })
    expect(row).not.toHaveProperty('endpointCreated')
  })
})

describe('several events', () => {
  test('hold up none of the others: what is refused is a dead letter', async () => {
    const bug = new Error('a bug')
    const { deliver, puts, reported, recorded } = begin({
      replies: [{ tries: 1 }, REFUSED, bug, DOWN],
    })
    expect(await deliver([event(1), event(2), event(3), event(4)])).toEqual({
      ...{ tries: 6, queued: 'event_rejected' },
    })
    expect(puts).toStrictEqual([
      [
        rowOf(2, {
          state: 'dead',
          attempts: 1,
          reason: 'event_rejected',
          explanation: REFUSED.message,
        }),
        rowOf(3, { state: 'dead', attempts: 1, reason: 'internal_error', explanation: null }),
        rowOf(4, {
          state: 'waiting',
          wait: 500,
          doubts: 0,
          attempts: 1,
          reason: 'github_unavailable',
        }),
      ],
    ])
    expect([reported, recorded.length]).toEqual([[bug], 1])
  })

  test('that GitHub accepted count their calls', async () => {
    const { deliver, puts } = begin({ replies: [{ tries: 1 }, { tries: 2 }] })
    expect(await deliver([event(1), event(2)])).toStrictEqual({ tries: 3 })
    expect(puts).toEqual([])
  })
})

describe('a call that GitHub answers later', () => {
  const later = () => {
    let end: (end: Attempts | Error) => void = () => {}
    const call = new Promise<Attempts>((resolve, reject) => {
      end = (value) => (value instanceof Error ? reject(value) : resolve(value))
    })
    call.catch(() => {})
    return { call, end }
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  test.each([
    [
      { tries: 1 },
      { kind: 'accepted', accepted: START, githubMs: null, run: null, follows: true },
      ['o/r#own'],
    ],
    [DOWN, { kind: 'failed', reason: 'github_unavailable' }, []],
  ])('is settled: %#', async (result, outcome, noted) => {
    const { call, end } = later()
    const { deliver, timers, puts, settled, notes, time, work } = begin({ replies: [call] })
    const response = deliver([event()])
    await turn()
    time.now += 2500
    timers[0]?.back()
    expect(await response).toEqual({ tries: 1, queued: 'github_timeout' })
    expect(puts).toStrictEqual([
      [rowOf(1, { state: 'uncertain', wait: 5500, reason: 'github_timeout' })],
    ])
    end(result)
    await Promise.all(work)
    expect([settled, notes]).toEqual([[[{ queue: 'o/r#own', id: id(1) }, outcome]], noted])
  })

  test.each([
    [{ tries: 1 }, { tries: 1 }],
    [DOWN, { code: 'storage_full', cause: DOWN, attempts: { tries: 3, mayBeAccepted: false } }],
    [REFUSED, REFUSED],
  ])('is waited for if there is no room: %#', async (end, result) => {
    const { call, end: ends } = later()
    const { deliver, timers, settled, sent } = begin({ replies: [call], hasRoom: false })
    const response = deliver([event()])
    await turn()
    timers[0]?.back()
    await turn()
    ends(end)
    if (result instanceof RelayError) expect(await response).toBe(result)
    else expect(await response).toMatchObject(result)
    expect(sent()).toBe(1)
    // The database may have the event all the same.
    const accepted = [
      { queue: 'o/r#own', id: id(1) },
      expect.objectContaining({ kind: 'accepted' }),
    ]
    expect(settled).toEqual('tries' in end ? [accepted] : [])
  })

  test('is waited for if the token is not known', async () => {
    const { call, end } = later()
    const { deliver, timers, puts } = begin({ replies: [call], wasAccepted: false })
    const response = deliver([token()], false)
    await turn()
    timers[0]?.back()
    await turn()
    end({ tries: 1 })
    expect([await response, puts]).toEqual([{ tries: 1 }, []])
  })
})

describe('without room', () => {
  test.each<[name: string, given: Given, result: object, calls: number]>([
    ['what waits asks GitHub', { waits: true }, { tries: 1 }, 1],
    [
      'what GitHub cannot take now is 503',
      { replies: [DOWN] },
      {
        status: 503,
        code: 'storage_full',
        cause: DOWN,
        attempts: { tries: 3, mayBeAccepted: false },
      },
      1,
    ],
    [
      'what GitHub may have is 503, with a word about duplicates',
      { replies: [DOUBT] },
      { code: 'storage_full', cause: DOUBT, attempts: { tries: 2, mayBeAccepted: true } },
      1,
    ],
    [
      'a refused credential is 503',
      { replies: [UNAUTHORIZED] },
      { code: 'storage_full', attempts: { tries: 1, mayBeAccepted: false } },
      1,
    ],
    [
      'what waits, and is refused then, is refused',
      { waits: true, replies: [REFUSED] },
      { code: 'event_rejected' },
      1,
    ],
    [
      'what was not sent is 503',
      { replies: [failed('rate_limited')] },
      { code: 'storage_full', attempts: { tries: 0, mayBeAccepted: false } },
      1,
    ],
    [
      'what waits, and fails then, is 503',
      { waits: true, replies: [DOWN] },
      { code: 'storage_full' },
      1,
    ],
  ])('%s', async (_, given, result, calls) => {
    const { deliver, sent } = begin({ ...given, hasRoom: false })
    expect(await deliver([event()])).toMatchObject(result)
    expect(sent()).toBe(calls)
  })

  test('several events are asked for, and those that GitHub has are accepted', async () => {
    const first = begin({ replies: [{ tries: 1 }, REFUSED], hasRoom: false })
    expect(await first.deliver([event(1), event(2)])).toBe(REFUSED)
    const credential = { replies: [UNAUTHORIZED], wasAccepted: false, hasRoom: false }
    expect(await begin(credential).deliver([event(1), event(2)])).toBe(UNAUTHORIZED)
    const accepted = begin({ replies: [{ tries: 1 }, { tries: 2 }, DOWN], hasRoom: false })
    expect(await accepted.deliver([event(1), event(2), event(3)])).toMatchObject({
      code: 'storage_full',
    })
  })
})

describe('an endpoint that stores first', () => {
  const batched = { batch: 60, debounce: 10 }
  const collection = (changes: object = {}) => ({
    grouping: '["repository_dispatch",null,"hook","webhook"]',
    ...{ period: 60_000, quiet: 10_000, length: event().clientPayload.length + 500 },
    ...changes,
  })

  test.each<[name: string, endpoint: Partial<Endpoint>, event: Dispatch, row: object]>([
    [
      'collects a batch',
      batched,
      event(),
      { reason: 'batch', explanation: null, collection: collection() },
    ],
    [
      'collects a batch without a debounce time',
      { batch: 5 },
      event(),
      { reason: 'batch', explanation: null, collection: collection({ period: 5000, quiet: null }) },
    ],
    [
      'collects a batch for each ref',
      batched,
      event(1, { mode: 'workflow' }),
      {
        ...{ reason: 'batch', explanation: null },
        collection: collection({ grouping: '["workflow_dispatch","main","hook","webhook"]' }),
      },
    ],
    [
      'stores',
      { respond: 'stored' },
      event(),
      { reason: 'stored', explanation: null, collection: null },
    ],
    [
      'stores an event with a stored body by itself',
      { ...batched, respond: 'stored' },
      { ...event(), hasStoredBody: true },
      { reason: 'stored', explanation: null, collection: null },
    ],
  ])('%s', async (_, endpoint, dispatch, row) => {
    const { deliver, puts, sent, accepted } = begin({ endpoint })
    expect(await deliver([dispatch])).toEqual({ tries: 0, queued: (row as NewDelivery).reason })
    expect(puts).toStrictEqual([[rowOf(1, { state: 'waiting', ...row })]])
    expect([sent(), accepted]).toEqual([0, ['e1']])
  })

  test('does so for an hour after its sender hung up', async () => {
    const { acceptance, deliver, puts, time, sent } = begin()
    acceptance.clientGone({ ...ENDPOINT, name: 'other' })
    expect(await deliver([event()])).toEqual({ tries: 1 })
    acceptance.clientGone(ENDPOINT)
    time.now += HOUR - 1
    expect(await deliver([event(2)])).toEqual({ tries: 0, queued: 'stored' })
    const explanation = 'the sender hung up before the response'
    expect(puts).toMatchObject([[{ state: 'waiting', reason: 'stored', explanation }]])
    time.now += 1
    expect(await deliver([event(3)])).toEqual({ tries: 1 })
    expect(sent()).toBe(2)
  })

  test('collects also while its sender hangs up', async () => {
    const { acceptance, deliver, puts } = begin({ endpoint: batched })
    acceptance.clientGone(ENDPOINT)
    await deliver([event()])
    expect(puts).toMatchObject([[{ reason: 'batch', explanation: null }]])
  })

  test('stores all events of a request, or asks GitHub for all', async () => {
    const { deliver, puts, sent } = begin({ endpoint: { ...batched, respond: 'stored' } })
    const second = { ...event(2), hasStoredBody: true }
    expect(await deliver([event(1), second])).toEqual({ tries: 0, queued: 'stored' })
    expect(puts[0]).toMatchObject([{ collection: null }, { collection: null }])
    const full = begin({ endpoint: batched, hasRoom: false })
    expect(await full.deliver([event(1), event(2)])).toEqual({ tries: 2 })
    await Promise.all(full.work)
    expect(full.settled).toHaveLength(2)
    expect([sent(), full.sent()]).toEqual([0, 2])
  })

  test('stores its events if nobody knows whether it was deleted', async () => {
    const fault = new Error('no object')
    const isCurrent = () => Promise.reject(fault)
    const { deliver, reported } = begin({ endpoint: { respond: 'stored' }, ports: { isCurrent } })
    expect(await deliver([event()])).toEqual({ tries: 0, queued: 'stored' })
    expect(reported).toEqual([fault])
  })

  test('knows its events no more after it was deleted', async () => {
    for (const replies of [[DOWN], [{ tries: 1 }]]) {
      const { deliver, puts } = begin({
        ...{ replies, endpoint: { respond: 'stored' } },
        ports: { isCurrent: async () => false },
      })
      expect(await deliver([event()])).toMatchObject({ status: 401, code: 'invalid_token' })
      expect(puts).toEqual([])
    }
  })
})

test('a request that started nothing is recorded by its size, up to the largest body', async () => {
  const request: RecordedRequest = {
    ...{ state: 'filtered', delivery: id(1), endpoint: ENDPOINT, method: 'POST', reason: 'if' },
    ...{ target: '/-/o/x', path: 'hook/webhook', receivedAt: new Date(START).toISOString() },
    ...{ headers: new Map(), body: Buffer.from('{}'), size: 2, explanation: undefined },
  }
  const { acceptance, recorded } = begin()
  acceptance.record(request)
  acceptance.record({ ...request, size: 1e12 })
  expect(recorded.map(({ bytes }) => bytes)).toEqual([2, LIMITS.requestBodyBytes])
  expect(await recorded[0]?.row()).toMatchObject({ id: id(1), queue: 'o/r#own', state: 'filtered' })
})

test('an open call that has to end before the response leaves no wait', async () => {
  const { deliver, puts, timers } = begin({
    ...{ replies: [new Promise<Attempts>(() => {})] },
    ports: { responseTime: 9 * SECOND },
  })
  const response = deliver([event()])
  await new Promise((resolve) => setImmediate(resolve))
  timers[0]?.back()
  await response
  expect(puts).toMatchObject([[{ state: 'uncertain', wait: 0 }]])
})
