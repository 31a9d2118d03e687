import { describe, expect, test } from '@jest/globals'
import { RelayError } from '../../../src/relay/errors.ts'
import { dispatchOf, fakeOutbox, storedEvents } from '../../support/fake-outbox.ts'
import { HOUR, MINUTE, SECOND } from '../../support/fake-time.ts'
import { unavailable } from '../../support/relay-errors.ts'
import { encryptionOf, relayKeys } from '../../support/relay-keys.ts'

function refusal(
  status: number,
  code: string,
  options: { githubStatus?: number; retryAfter?: number; mayBeAccepted?: boolean } = {},
) {
  const { githubStatus = status, retryAfter, mayBeAccepted = false } = options
  return new RelayError(status, code, 'refused', {
    hint: '',
    attempts: { tries: 1, githubStatus, mayBeAccepted },
    ...(retryAfter !== undefined && { retryAfter }),
  })
}

const badGateway = () => refusal(502, 'github_unavailable')
const unauthorized = () => refusal(401, 'invalid_token')
const noAnswer = () => new RelayError(504, 'github_timeout', 'no answer', { hint: '' })

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

describe('an outbox before GitHub', () => {
  test('delivers waiting events in the order of arrival, 350 ms apart, and then has none', async () => {
    const times: number[] = []
    const fake = await fakeOutbox(async () => {
      times.push(fake.time.now)
    })
    for (const n of [1, 2, 3]) expect(await fake.put(id(n))).toBe(true)
    await fake.time.pass(5 * SECOND)
    expect(fake.calls).toEqual([1, 2, 3].map(id))
    expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 350, 700])
    const { events, imbalance } = await fake.outbox.figures()
    expect([events, imbalance]).toEqual([{ waiting: 0, uncertain: 0, delivered: 0, dead: 0 }, 0])
    expect(fake.outbox.loop.names()).toEqual([])
  })

  test('an event that fails by itself does not hold the others', async () => {
    const fake = await fakeOutbox(async ({ delivery }) => {
      if (delivery === id(1)) throw unavailable()
    })
    for (let n = 1; n <= 20; n++) await fake.put(id(n))
    await fake.time.pass(10 * MINUTE)
    const { events } = await fake.outbox.figures()
    expect(events.waiting).toBe(1)
    expect(new Set(fake.calls).size).toBe(20)
    // 1, 2, 4, … 256 s: not more than 5 minutes apart.
    expect(fake.calls.filter((call) => call === id(1)).length).toBeGreaterThanOrEqual(9)
  })

  test('after three failures a queue is tried with one event at a time, up to a minute apart', async () => {
    let isDown = true
    const fake = await fakeOutbox(async () => {
      if (isDown) throw unavailable()
    })
    for (let n = 1; n <= 200; n++) await fake.put(id(n))
    await fake.time.pass(HOUR)
    // 3 immediately, then 1, 2, 4, … 60 s apart.
    expect(fake.calls.length).toBeLessThan(80)
    isDown = false
    await fake.time.pass(6 * MINUTE)
    expect((await fake.outbox.figures()).events.waiting).toBe(0)
  })

  test('GitHub is not called before Retry-After, then for each event once', async () => {
    let calls = 0
    const fake = await fakeOutbox(async () => {
      if (calls++ === 0) throw refusal(429, 'rate_limited', { retryAfter: 90 })
    })
    await fake.put(id(1))
    await fake.put(id(2))
    await fake.time.pass(89 * SECOND)
    // The rate limiter of the real GitHub call is not part of this test, so the second event goes.
    expect(fake.calls.filter((call) => call === id(1))).toHaveLength(1)
    await fake.time.pass(2 * MINUTE)
    expect((await fake.outbox.figures()).events.waiting).toBe(0)
  })

  test('the whole queue waits for Retry-After also after a 429 that followed a 502', async () => {
    let calls = 0
    const fake = await fakeOutbox(async () => {
      if (calls++ === 0) throw refusal(429, 'rate_limited', { retryAfter: 90, mayBeAccepted: true })
    })
    await fake.put(id(1))
    await fake.time.pass(SECOND)
    await fake.put(id(2))
    await fake.time.pass(88 * SECOND)
    expect(fake.calls).toEqual([id(1)])
    await fake.time.pass(2 * MINUTE)
    expect((await fake.outbox.figures()).events.waiting).toBe(0)
    expect([...fake.calls].sort()).toEqual([id(1), id(1), id(2)])
  })

  test('a refused event is dead with its reason; an admin can queue it again', async () => {
    let isRefused = true
    const fake = await fakeOutbox(async () => {
      if (isRefused) throw refusal(422, 'event_rejected')
    })
    await fake.put(id(1))
    await fake.time.pass(SECOND)
    expect(await storedEvents(fake)).toMatchObject([
      { delivery: id(1), state: 'dead', reason: 'event_rejected', attempts: 1 },
    ])
    expect(fake.log).toContainEqual(expect.objectContaining({ outbox: 'dead', delivery: id(1) }))
    isRefused = false
    expect(await fake.outbox.replay(id(1))).toBe(1)
    await fake.time.pass(SECOND)
    expect(fake.calls).toHaveLength(2)
    const { events, imbalance } = await fake.outbox.figures()
    expect([events.dead, events.waiting, imbalance]).toEqual([0, 0, 0])
  })

  test('a refused credential is tried after 1, 5, 15 and every 60 minutes, with the oldest event', async () => {
    const times: number[] = []
    const fake = await fakeOutbox(
      async () => {
        times.push(fake.time.now)
        throw unauthorized()
      },
      { limits: { age: 1000 * HOUR } },
    )
    for (let n = 1; n <= 5; n++) await fake.put(id(n), { kind: 'endpoint' })
    await fake.time.pass(4 * HOUR)
    const gaps = times.map((time, at) => Math.round((time - (times[at - 1] ?? time)) / MINUTE))
    // Up to four calls are open when the first refusal arrives.
    const pauses = gaps.filter((gap) => gap > 0)
    expect(pauses.at(-1)).toBe(60)
    expect(times.length).toBeLessThanOrEqual(12)
    expect(fake.log.some(({ level }) => level === 'error')).toBe(true)
  })
})

describe('an event that GitHub may have accepted', () => {
  test.each([
    ['502', badGateway],
    ['silence', noAnswer],
  ])(
    'five minutes of %s, 20 repositories with one event each: all arrive, none is dead',
    async (_, fault) => {
      let isDown = true
      const fake = await fakeOutbox(async () => {
        if (isDown) throw fault()
      })
      for (let n = 1; n <= 20; n++) await fake.put(id(n), { repository: `r${n}` })
      await fake.time.pass(5 * MINUTE)
      const during = await fake.outbox.figures()
      expect(during.events.dead).toBe(0)
      // One event probes; the others wait without a call.
      expect(during.events.uncertain).toBeLessThanOrEqual(10)
      expect(during.events.waiting).toBeGreaterThanOrEqual(10)
      isDown = false
      await fake.time.pass(40 * MINUTE)
      const { events, imbalance } = await fake.outbox.figures()
      expect([events, imbalance]).toEqual([{ waiting: 0, uncertain: 0, delivered: 0, dead: 0 }, 0])
    },
  )

  test('is tried ten times, spread over the maximum age, and then dead as maybe_accepted', async () => {
    const times: number[] = []
    const fake = await fakeOutbox(
      async () => {
        times.push(fake.time.now)
        throw noAnswer()
      },
      { limits: { age: 72 * HOUR } },
    )
    fake.runs = undefined
    await fake.put(id(1))
    await fake.time.pass(72 * HOUR + MINUTE)
    const minutes = times.map((time) => Math.round((time - (times[0] ?? 0)) / MINUTE))
    expect(times).toHaveLength(10)
    expect(minutes.slice(0, 6)).toEqual([0, 0, 1, 6, 36, 156])
    expect(minutes.at(-1)).toBeGreaterThan(50 * 60)
    await fake.outbox.check()
    expect(await storedEvents(fake)).toMatchObject([{ state: 'dead', reason: 'maybe_accepted' }])
  })

  test('is delivered without another call if a run has its delivery id', async () => {
    const fake = await fakeOutbox(async () => {
      throw badGateway()
    })
    await fake.put(id(1))
    await fake.time.pass(SECOND)
    expect((await fake.outbox.figures()).events.uncertain).toBe(1)
    fake.runs = new Set([id(1)])
    await fake.time.pass(MINUTE)
    expect(fake.lookups).toEqual([[id(1)]])
    expect(fake.found).toEqual([id(1)])
    expect(fake.calls).toEqual([id(1)])
    const { events, imbalance } = await fake.outbox.figures()
    expect([events.uncertain, imbalance]).toEqual([0, 0])
    expect(fake.log).toContainEqual(expect.objectContaining({ outbox: 'found', delivery: id(1) }))
  })

  test('runs are looked up at most once a minute, for all uncertain events of a repository', async () => {
    let isDown = true
    const fake = await fakeOutbox(async () => {
      if (isDown) throw badGateway()
    })
    for (let n = 1; n <= 10; n++) await fake.put(id(n))
    await fake.time.pass(10 * MINUTE)
    expect(fake.lookups.length).toBeLessThanOrEqual(11)
    isDown = false
  })
})

describe('age', () => {
  test('no event dies in an outage that is shorter than the maximum age, also untried ones', async () => {
    let isDown = true
    const fake = await fakeOutbox(
      async () => {
        if (isDown) throw unavailable()
      },
      { limits: { age: 12 * HOUR } },
    )
    for (let n = 1; n <= 20; n++) await fake.put(id(n))
    for (let hour = 0; hour < 11; hour++) {
      await fake.time.pass(HOUR)
      await fake.outbox.check()
    }
    expect((await fake.outbox.figures()).events).toMatchObject({ waiting: 20, dead: 0 })
    isDown = false
    await fake.time.pass(10 * MINUTE)
    expect((await fake.outbox.figures()).events).toMatchObject({ waiting: 0, dead: 0 })
  })

  test('an event that fails until its maximum age is dead as too_old; so are those behind it', async () => {
    const fake = await fakeOutbox(
      async () => {
        throw unavailable()
      },
      { limits: { age: HOUR } },
    )
    for (let n = 1; n <= 50; n++) await fake.put(id(n))
    await fake.time.pass(HOUR + 2 * MINUTE)
    await fake.outbox.check()
    expect((await fake.outbox.figures()).events).toMatchObject({ waiting: 0, dead: 50 })
    const [first] = await storedEvents(fake)
    expect(first).toMatchObject({ reason: 'too_old' })
  })

  test('an event that waited while the relay was off is tried, however old it is', async () => {
    const down = await fakeOutbox(
      async () => {
        throw unavailable()
      },
      { limits: { age: HOUR } },
    )
    await down.put(id(1), { wait: 10 * HOUR })
    await down.stop()
    down.time.now += 5 * HOUR
    const { time, database } = down
    const fake = await fakeOutbox(async () => {}, {
      time,
      database,
      limits: { age: HOUR },
    })
    await fake.time.pass(10 * HOUR)
    expect(fake.calls).toEqual([id(1)])
  })
})

test('a backlog that is too old, because the relay was off, survives a minute without network', async () => {
  const off = await fakeOutbox(
    async () => {
      throw unavailable()
    },
    { limits: { age: 72 * HOUR } },
  )
  for (let n = 1; n <= 100; n++) await off.put(id(n), { wait: 73 * HOUR })
  await off.stop()
  off.time.now += 73 * HOUR
  const { time, database } = off
  let isDown = true
  const fake = await fakeOutbox(
    async () => {
      if (isDown) throw unavailable()
    },
    { time, database, limits: { age: 72 * HOUR } },
  )
  for (let second = 0; second < 6; second++) {
    await time.pass(10 * SECOND)
    await fake.outbox.check()
  }
  isDown = false
  await time.pass(10 * MINUTE)
  await fake.outbox.check()
  expect((await fake.outbox.figures()).events).toMatchObject({ waiting: 0, dead: 0 })
})

test('an event whose call is open does not become too old', async () => {
  let respond = () => {}
  const fake = await fakeOutbox(
    async ({ delivery }) => {
      if (delivery === id(1)) throw unavailable()
      await new Promise<void>((resolve) => {
        respond = resolve
      })
    },
    { limits: { age: HOUR } },
  )
  await fake.put(id(1))
  await fake.time.pass(59 * MINUTE)
  await fake.put(id(2))
  await fake.time.pass(HOUR + 5 * MINUTE)
  await fake.outbox.check()
  respond()
  await fake.time.pass(SECOND)
  expect((await fake.outbox.figures()).events).toMatchObject({ waiting: 0, dead: 1 })
  expect(await storedEvents(fake)).toMatchObject([{ delivery: id(1), reason: 'too_old' }])
})

test('a first refusal during a rest pauses for a minute, not for an hour', async () => {
  const open: ((error: RelayError) => void)[] = []
  const fake = await fakeOutbox(async () => {
    if (open.length < 4) await new Promise((_, reject) => open.push(reject))
  })
  for (let n = 1; n <= 4; n++) await fake.put(id(n))
  await fake.time.pass(2 * SECOND)
  expect(open).toHaveLength(4)
  for (const [at, reject] of open.entries()) reject(at < 3 ? unavailable() : unauthorized())
  await fake.time.pass(10 * MINUTE)
  expect((await fake.outbox.figures()).events).toMatchObject({ waiting: 0, dead: 0 })
})

describe('a restart', () => {
  test('continues with all events, and does not trust a clock that was ahead', async () => {
    const before = await fakeOutbox(async () => {
      throw unavailable()
    })
    before.time.now += 1000 * HOUR
    for (let n = 1; n <= 3; n++) await before.put(id(n), { wait: MINUTE, attempts: 1 })
    await before.stop()
    const { time, database } = before
    time.now -= 1000 * HOUR
    const fake = await fakeOutbox(async () => {}, { time, database })
    await fake.time.pass(2 * MINUTE)
    expect(fake.calls.sort()).toEqual([1, 2, 3].map(id))
  })

  test('keeps events whose relay key is missing, counts them, and delivers them once it is back', async () => {
    const before = await fakeOutbox(async () => {
      throw unavailable()
    })
    await before.put(id(1), { wait: MINUTE })
    await before.stop()
    const { time, database } = before
    const other = await fakeOutbox(async () => {}, {
      time,
      database,
      encryption: await encryptionOf(relayKeys()),
      limits: { age: HOUR },
    })
    await other.time.pass(5 * HOUR)
    await other.outbox.check()
    expect(await other.outbox.figures()).toMatchObject({ unreadable: 1, events: { waiting: 1 } })
    expect(other.log).toContainEqual(expect.objectContaining({ outbox: 'unreadable', events: 1 }))
    await other.stop()
    const again = await fakeOutbox(async () => {}, { time, database })
    await again.time.pass(MINUTE)
    expect(again.calls).toEqual([id(1)])
  })
})

describe('a failing disk', () => {
  test('an event that GitHub has is not sent again while the disk fails, and leaves it afterwards', async () => {
    const fake = await fakeOutbox(async () => {})
    await fake.put(id(1))
    fake.database.isFailing = true
    await fake.time.pass(MINUTE)
    expect(fake.calls).toEqual([id(1)])
    expect(fake.log).toContainEqual(expect.objectContaining({ outbox: 'disk', delivery: id(1) }))
    fake.database.isFailing = false
    await fake.time.pass(MINUTE)
    expect(await fake.outbox.figures()).toMatchObject({ events: { waiting: 0 }, imbalance: 0 })
    expect(fake.calls).toEqual([id(1)])
  })
})

describe('a request', () => {
  test('an event is stored if GitHub fails, and the next ones wait behind it without a call', async () => {
    let isDown = true
    const fake = await fakeOutbox(
      async () => {
        if (isDown) throw unavailable()
      },
      { isKnown: true },
    )
    expect(await fake.dispatch(dispatchOf(id(1)))).toMatchObject({ queued: 'github_unavailable' })
    expect(await fake.dispatch(dispatchOf(id(2)))).toMatchObject({ queued: 'queued' })
    expect(fake.calls).toEqual([id(1)])
    isDown = false
    await fake.time.pass(MINUTE)
    expect((await fake.outbox.figures()).events.waiting).toBe(0)
    expect(await fake.dispatch(dispatchOf(id(3)))).toEqual({ tries: 1 })
  })

  test('events of a made-up token are never stored', async () => {
    const fake = await fakeOutbox(async () => {
      throw unavailable()
    })
    await expect(fake.dispatch(dispatchOf(id(1)))).rejects.toMatchObject({
      code: 'github_unavailable',
    })
    expect((await fake.ledger.usage()).events).toBe(0)
    expect(await fake.database.read('SELECT * FROM accepted')).toEqual([])
  })

  test('with a failing disk GitHub is called, also behind waiting events; 503 only if GitHub fails', async () => {
    let isDown = true
    const fake = await fakeOutbox(
      async () => {
        if (isDown) throw unavailable()
      },
      { isKnown: true },
    )
    await fake.dispatch(dispatchOf(id(1)))
    fake.database.isFailing = true
    await expect(fake.dispatch(dispatchOf(id(2)))).rejects.toMatchObject({ code: 'storage_full' })
    isDown = false
    expect(await fake.dispatch(dispatchOf(id(3)))).toEqual({ tries: 1 })
  })

  test('a slow GitHub: 202 after 2.5 s, one call, and the event leaves when it is accepted', async () => {
    const fake = await fakeOutbox(() => fake.time.sleep(5 * SECOND), { isKnown: true })
    const sent = fake.dispatch(dispatchOf(id(1)))
    await fake.time.pass(3 * SECOND)
    expect(await sent).toMatchObject({ queued: 'github_timeout' })
    expect((await fake.outbox.figures()).events.uncertain).toBe(1)
    await fake.time.pass(3 * SECOND)
    expect(await fake.outbox.figures()).toMatchObject({ events: { uncertain: 0 }, imbalance: 0 })
    await fake.time.pass(MINUTE)
    expect(fake.calls).toEqual([id(1)])
  })
})
