import { describe, expect, test } from '@jest/globals'
import { queueNames } from '../../../src/relay/delivery/queue-name.ts'
import { type Attempts, RelayError } from '../../../src/relay/errors.ts'
import type { Dispatch } from '../../../src/relay/github/send.ts'
import { sha256 } from '../../../src/relay/github/rate-limiter.ts'
import {
  dispatchOf,
  type FakeGitHub,
  fakeOutbox,
  type OutboxSetup,
  storedEvents,
} from '../../support/fake-outbox.ts'
import { FakeTime, HOUR, MINUTE, SECOND, START } from '../../support/fake-time.ts'
import { unavailable as down } from '../../support/relay-errors.ts'

const DONE: Attempts = { tries: 1 }

const accepts: FakeGitHub = async () => {}

/** A relay with an outbox; `live` is GitHub for requests, `later` GitHub for the queue. */
async function accepting(live: FakeGitHub, later = live, setup: OutboxSetup = {}) {
  const time = setup.time ?? new FakeTime()
  const relay = await fakeOutbox(later, { isKnown: true, ...setup, time, live })
  /** The response to an event; empty until there is one. */
  const accept = (event: Dispatch) => {
    const response: { attempts?: Attempts; error?: unknown; at?: number } = {}
    const work = relay
      .dispatch(event)
      .then((attempts) => Object.assign(response, { attempts }))
      .catch((error) => Object.assign(response, { error }))
      .then(() => Object.assign(response, { at: time.now - START }))
    return { response, work }
  }
  return { ...relay, accept }
}

const refusing =
  (error: unknown): FakeGitHub =>
  async () => {
    throw error
  }

test('a fault of the relay is an error for the sender, and the event is not queued', async () => {
  const fault = new TypeError('a fault of the relay')
  const { dispatch, database } = await accepting(refusing(fault))
  await expect(dispatch(dispatchOf('a'))).rejects.toBe(fault)
  expect(await storedEvents({ database })).toEqual([])
})

test('an event is queued where the relay has no free call to ask for a token of the App', async () => {
  const { dispatch, database } = await accepting(
    refusing(new RelayError(503, 'overloaded', 'no', { hint: '' })),
  )
  await expect(dispatch(dispatchOf('a'))).resolves.toMatchObject({ queued: 'overloaded' })
  expect(await storedEvents({ database })).toMatchObject([{ delivery: 'a', reason: 'overloaded' }])
})

describe('the time that a sender waits', () => {
  test('a response of GitHub within 2.5 s is the response; nothing is queued', async () => {
    const time = new FakeTime()
    const late = async () => {
      await time.sleep(2400)
    }
    const { accept, database } = await accepting(late, undefined, { time })
    const { response, work } = accept(dispatchOf('a'))
    await time.pass(2400)
    await work
    expect(response).toEqual({ attempts: DONE, at: 2400 })
    expect(await storedEvents({ database })).toEqual([])
  })

  test.each([
    ['accepted at last: one call, and nothing is queued', undefined, 1],
    ['failed at last: called again after it', down(), 2],
    [
      'refused at last: a dead letter',
      new RelayError(422, 'event_rejected', 'no', { hint: '' }),
      1,
    ],
  ])(
    'no response in 2.5 s: the event is queued, and the call is not ended; %s',
    async (_name, error, count) => {
      const calls: number[] = []
      const time = new FakeTime()
      const ask = async () => {
        calls.push(time.now - START)
        await time.sleep(6 * SECOND)
        if (error) throw error
      }
      const send = async () => {
        calls.push(time.now - START)
      }
      const { accept, database } = await accepting(ask, send, { time })
      const { response, work } = accept(dispatchOf('a'))
      await time.pass(2500)
      await work
      expect(response).toEqual({ attempts: { tries: 1, queued: 'github_timeout' }, at: 2500 })
      const behind = accept(dispatchOf('b'))
      await behind.work
      expect(behind.response.attempts).toEqual({ tries: 0, queued: 'queued' })
      await time.pass(3400)
      expect(calls).toEqual([0])
      await time.pass(MINUTE)
      const left = await storedEvents({ database })
      expect(left.map(({ delivery, reason }) => [delivery, reason])).toEqual(
        error?.code === 'event_rejected' ? [['a', 'event_rejected']] : [],
      )
      expect(calls).toHaveLength(count + 1)
      expect(calls[1]).toBeGreaterThanOrEqual(6000)
    },
  )

  test('a call that was open when the relay was killed is made again once it must have ended', async () => {
    const time = new FakeTime()
    const never = new Promise<never>(() => {})
    const first = await accepting(() => time.rest(never), undefined, { time })
    const { work } = first.accept(dispatchOf('a'))
    await time.pass(2500)
    await work
    const calls: number[] = []
    const after = new FakeTime()
    after.now = time.now
    const send = async () => {
      calls.push(after.now - START)
    }
    await fakeOutbox(send, { time: after, database: first.database })
    await after.pass(MINUTE)
    expect(calls).toEqual([8000])
  })
})

describe('a credential', () => {
  const GONE = new RelayError(401, 'invalid_token', 'no', {
    hint: '',
    attempts: { tries: 1, githubStatus: 401 },
  })

  test.each([
    'invalid_token',
    'repository_not_accessible',
    'app_not_installed',
    'app_key_rejected',
    'app_permission_missing',
  ])(
    'of the relay, accepted before and now %s: events are queued, and the log has an error',
    async (code) => {
      const { dispatch, log, database } = await accepting(
        refusing(new RelayError(403, code, 'no', { hint: '' })),
      )
      expect(await dispatch(dispatchOf('a', { kind: 'endpoint' }))).toMatchObject({ queued: code })
      expect(await dispatch(dispatchOf('b', { kind: 'endpoint' }))).toMatchObject({
        queued: 'queued',
      })
      expect(await storedEvents({ database })).toHaveLength(2)
      expect(log).toContainEqual(
        expect.objectContaining({ level: 'error', outbox: 'stored', reason: code }),
      )
    },
  )

  test.each([
    ['of the relay, in its first test', 'endpoint' as const, GONE],
    ['of a sender, never accepted, while GitHub is down', 'token' as const, down()],
  ] as const)('%s: the sender gets an error, and nothing is stored', async (_name, kind, error) => {
    const { dispatch, database } = await accepting(refusing(error), undefined, { isKnown: false })
    for (const id of ['a', 'b', 'c']) {
      await expect(dispatch(dispatchOf(id, { kind }))).rejects.toMatchObject({ code: error.code })
    }
    expect(await storedEvents({ database })).toEqual([])
  })

  test('that GitHub accepted once may queue events later, after a restart too', async () => {
    const responses: (RelayError | undefined)[] = [undefined, down()]
    const ask = async () => {
      const error = responses.shift()
      if (error) throw error
    }
    const first = await accepting(ask, refusing(down()), { isKnown: false })
    await first.dispatch(dispatchOf('a'))
    const { database, time } = first
    const again = await accepting(refusing(down()), undefined, {
      database,
      time,
      isKnown: false,
    })
    expect(await again.dispatch(dispatchOf('b'))).toMatchObject({ queued: 'github_unavailable' })
    expect(await first.dispatch(dispatchOf('c'))).toMatchObject({ queued: 'github_unavailable' })
  })

  test('is unknown again 30 days after GitHub accepted it last', async () => {
    const time = new FakeTime()
    const { dispatch } = await accepting(refusing(down()), undefined, { time })
    await time.pass(31 * 24 * HOUR)
    await expect(dispatch(dispatchOf('a'))).rejects.toMatchObject({ code: 'github_unavailable' })
  })
})

describe('an outbox of 100 events', () => {
  /** Stores events with a credential until they are refused. @returns how many were stored */
  async function fill(
    relay: Awaited<ReturnType<typeof fakeOutbox>>,
    queue: string,
    holder: string,
  ) {
    let count = 0
    while (await relay.put(`${queue} ${count}`, { queue, holder, wait: HOUR })) count++
    return count
  }
  const outbox = () => fakeOutbox(refusing(down()), { limits: { events: 100 } })

  test('has room for 25 events of another owner after seven tokens of one owner', async () => {
    const relay = await outbox()
    const counts: number[] = []
    for (const token of ['1', '2', '3', '4', '5', '6', '7']) {
      counts.push(await fill(relay, `stranger/r${token}#${token}`, token))
    }
    expect(counts).toEqual([50, 0, 0, 0, 0, 0, 0])
    expect(await fill(relay, 'stranger-2/r#8', '8')).toBe(25)
    expect(await fill(relay, 'other/r#own', 'own')).toBe(13)
  })

  test('limits a token over all owners, and each queue of the own credential by itself', async () => {
    const relay = await outbox()
    expect(await fill(relay, 'a/r#own', 'own')).toBe(50)
    expect(await fill(relay, 'a/r2#own', 'own')).toBe(25)
    expect(await fill(relay, 'b/r#1', '1')).toBe(13)
    expect(await fill(relay, 'c/r#1', '1')).toBe(0)
  })
})

test('a full outbox: an event that GitHub cannot take is 503, and one that it takes passes', async () => {
  const responses = [down(), down(), undefined]
  const live = async () => {
    const error = responses.shift()
    if (error) throw error
  }
  const { dispatch, accepted } = await accepting(live, refusing(down()), {
    limits: { events: 2 },
  })
  await accepted.note(`o/elsewhere#${await sha256('ghp_a-token-of-somebody')}`)
  const other = dispatchOf('b', { name: 'elsewhere' })
  await expect(dispatch(dispatchOf('a'))).resolves.toMatchObject({ queued: expect.any(String) })
  await expect(dispatch(other)).rejects.toMatchObject({ status: 503, code: 'storage_full' })
  await expect(dispatch({ ...other, delivery: 'c' })).resolves.toEqual(DONE)
})

describe('a 502 whose retry settles nothing', () => {
  const inDoubt = (status: number, code: string, retryAfter?: number) =>
    new RelayError(status, code, 'no', {
      hint: '',
      attempts: { tries: 2, githubStatus: status, mayBeAccepted: true },
      ...(retryAfter !== undefined && { retryAfter }),
    })

  test.each([
    ['503', inDoubt(503, 'github_unavailable'), 10 * SECOND, 1],
    ['429', inDoubt(429, 'rate_limited', 60), MINUTE, 1],
    ['403 for the credential of the relay', inDoubt(403, 'repository_not_accessible'), 0, 0],
  ])('%s: the event is stored as uncertain', async (_name, error, wait, doubts) => {
    const { dispatch, database } = await accepting(refusing(error), accepts)
    await dispatch(dispatchOf('a', { kind: 'endpoint' }))
    expect(await storedEvents({ database })).toMatchObject([
      { delivery: 'a', state: 'uncertain', wait, doubts },
    ])
  })

  test('after the response to the sender: the event stays uncertain, and its run is looked up', async () => {
    const time = new FakeTime()
    const late = async () => {
      await time.sleep(6 * SECOND)
      throw inDoubt(503, 'github_unavailable')
    }
    const relay = await accepting(late, accepts, { time })
    const { work } = relay.accept(dispatchOf('a'))
    await time.pass(2500)
    await work
    await time.pass(3600)
    expect(await storedEvents(relay)).toMatchObject([
      { delivery: 'a', state: 'uncertain', doubts: 1 },
    ])
    await time.pass(MINUTE)
    expect(relay.lookups).toEqual([['a']])
  })

  test('without room in the outbox: the response says that GitHub may have accepted the event', async () => {
    const { dispatch } = await accepting(refusing(inDoubt(503, 'github_unavailable')), undefined, {
      limits: { events: 0 },
    })
    await expect(dispatch(dispatchOf('a'))).rejects.toMatchObject({
      code: 'storage_full',
      hint: expect.stringMatching(/may have accepted the event/),
      attempts: { mayBeAccepted: true },
    })
  })
})

test('a repository and credential have one queue, in whatever case; endpoints share it', async () => {
  const { rateLimiters } = await accepting(accepts)
  const nameQueue = queueNames(rateLimiters)
  const queueOf = async (owner: string, name: string, kind?: 'endpoint') =>
    (await nameQueue(dispatchOf('a', { owner, name, ...(kind && { kind }) }))).queue
  const queue = await queueOf('O', 'R')
  expect(queue).toMatch(/^o\/r#[0-9a-f]{64}$/)
  expect(await queueOf('o', 'r')).toBe(queue)
  expect(await queueOf('o', 'r2')).not.toBe(queue)
  expect(await queueOf('o', 'r', 'endpoint')).toBe('o/r#own')
})
