import { afterEach, expect, test } from '@jest/globals'
import {
  collectionOf,
  type DeliveryScene,
  type DeliverySetup,
  type GitHubRule,
  id,
  membersOf,
  type Reply,
  startScene,
} from '../../support/delivery-scene.ts'
import { SECOND, START } from '../../support/fake-time.ts'

const scenes: DeliveryScene[] = []
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.close()
})

/** `1` for the id of the first event. */
const short = (delivery: string) => delivery.replace(/^00000000-0000-4000-8000-0*/, '')

const seconds = (time: number) => (time - START) / SECOND

/** A scene with what GitHub and an admin see of it as lines, which tests compare as a whole. Times are seconds. */
async function begin(rule: GitHubRule, setup: DeliverySetup = {}) {
  const scene = await startScene(rule, setup)
  scenes.push(scene)
  const { calls, log, table, deliveries } = scene
  return {
    ...scene,
    calls: () =>
      calls.map(({ method, delivery, body, at }) => {
        const members = body.includes('client_payload') ? membersOf(body) : [delivery]
        return [seconds(at), method, members.map(short).join('+')].join(' ').trim()
      }),
    log: () =>
      log.map(({ change, delivery, repository: _, ...facts }) => {
        const given = Object.entries(facts).map(([name, value]) => `${name}=${value}`)
        return [change, short(delivery ?? ''), ...given].join(' ')
      }),
    rows: async () =>
      (await table.list({ limit: 100 }))
        .toReversed()
        .map((row) =>
          [
            ...[short(row.id), row.batch === null ? 'alone' : `of ${short(row.batch)}`, row.state],
            ...[row.reason || row.outcome, `attempts=${row.attempts} doubts=${row.doubts}`],
            ...[`next=${row.next && seconds(row.next)} wait=${row.wait / SECOND}`],
          ].join(' '),
        ),
    rest: async () => {
      const { 'o/r#own': rest } = await deliveries.rests(['o/r#own', 'o/other#own'])
      return rest && `${rest.reason} until ${seconds(rest.until)}`
    },
  }
}

const NO_RUNS: Reply = { status: 200, body: '{"total_count":0,"workflow_runs":[]}' }

/** Answers the calls for events one after the other; the last reply stays. */
function inOrder(...replies: readonly Reply[]): GitHubRule {
  let count = 0
  return ({ method }) =>
    method === 'POST' ? (replies[Math.min(count++, replies.length - 1)] ?? 'reset') : NO_RUNS
}

const ACCEPTED = { status: 204 }
const DOWN = { status: 503 }
const LIMIT = { status: 429, headers: { 'retry-after': '90' } }
const REFUSAL = { status: 422, body: '{"message":"no"}' }

test('a queue that fails sends one event at a time after longer and longer rests, and then goes on', async () => {
  const { put, time, calls, log, rows, rest } = await begin(
    inOrder(DOWN, DOWN, DOWN, DOWN, LIMIT, DOWN, ACCEPTED),
  )
  for (let n = 1; n <= 3; n++) await put(id(n))
  await time.pass(20 * SECOND)
  await put(id(4))
  expect(await rows()).toEqual([
    '1 alone waiting github_unavailable attempts=2 doubts=0 next=5.148 wait=1.998',
    '2 alone waiting rate_limited attempts=2 doubts=0 next=95.148 wait=90',
    '3 alone waiting github_unavailable attempts=1 doubts=0 next=2.749 wait=0.999',
    '4 alone waiting queued attempts=0 doubts=0 next=20 wait=0',
  ])
  expect(await rest()).toBe('rate_limited until 95.148')
  await time.pass(83 * SECOND)
  expect(calls()).toEqual([
    '0 POST 1',
    '0.35 POST 2',
    '1.75 POST 3',
    '3.15 POST 1',
    '5.148 POST 2',
    '95.148 POST 1',
    '99.144 POST 2',
    '99.894 POST 1',
    '100.644 POST 3',
    '101.394 POST 4',
  ])
  expect(log()).toEqual([
    'deferred 1 endpoint=e1 attempts=1 reason=github_unavailable seconds=1',
    'deferred 2 endpoint=e1 attempts=1 reason=github_unavailable seconds=1',
    'deferred 3 endpoint=e1 attempts=1 reason=github_unavailable seconds=1',
    'deferred 1 endpoint=e1 attempts=2 reason=github_unavailable seconds=2',
    'deferred 2 endpoint=e1 attempts=2 reason=rate_limited seconds=90',
    'deferred 1 endpoint=e1 attempts=3 reason=github_unavailable seconds=4',
    'delivered 2 endpoint=e1 attempts=3 seconds=99',
    'delivered 1 endpoint=e1 attempts=4 seconds=100',
    'delivered 3 endpoint=e1 attempts=2 seconds=101',
    'delivered 4 endpoint=e1 attempts=1 seconds=81',
  ])
  expect(await rows()).toEqual([
    '1 alone delivered pending attempts=4 doubts=0 next=109.894 wait=10',
    '2 alone delivered pending attempts=3 doubts=0 next=109.144 wait=10',
    '3 alone delivered pending attempts=2 doubts=0 next=110.644 wait=10',
    '4 alone delivered pending attempts=1 doubts=0 next=111.394 wait=10',
  ])
  expect(await rest()).toBeUndefined()
})

test('an event in doubt is looked for before it is sent again, and holds up no other event for long', async () => {
  const { put, time, calls, log, rows, rest } = await begin(
    inOrder({ status: 500 }, { status: 504 }, 'silent', 'reset', ACCEPTED),
  )
  for (let n = 1; n <= 3; n++) await put(id(n))
  await time.pass(12 * SECOND)
  expect(await rows()).toEqual([
    '1 alone uncertain github_unavailable attempts=1 doubts=1 next=10 wait=10',
    '2 alone uncertain github_unavailable attempts=1 doubts=1 next=10.999 wait=10',
    '3 alone uncertain github_timeout attempts=1 doubts=1 next=20.997 wait=10',
  ])
  expect(await rest()).toBe('github_timeout until 14.993')
  await time.pass(64 * SECOND)
  expect(calls()).toEqual([
    '0 POST 1',
    '0.999 POST 2',
    '2.997 POST 3',
    '10.997 GET',
    '14.993 POST 1',
    '22.985 POST 2',
    '23.335 POST 3',
    '32.985 GET',
    '74.993 GET',
    '74.993 POST 1',
  ])
  expect(log()).toEqual([
    'deferred 1 endpoint=e1 attempts=1 reason=github_unavailable seconds=10',
    'deferred 2 endpoint=e1 attempts=1 reason=github_unavailable seconds=10',
    'deferred 3 endpoint=e1 attempts=1 reason=github_timeout seconds=10',
    'deferred 1 endpoint=e1 attempts=2 reason=github_timeout seconds=60',
    'delivered 2 endpoint=e1 attempts=2 seconds=23',
    'delivered 3 endpoint=e1 attempts=2 seconds=23',
    'delivered 1 endpoint=e1 attempts=3 seconds=75',
  ])
  expect(await rows()).toEqual([
    '1 alone delivered pending attempts=3 doubts=2 next=84.993 wait=10',
    '2 alone delivered pending attempts=2 doubts=1 next=92.985 wait=60',
    '3 alone delivered pending attempts=2 doubts=1 next=33.335 wait=10',
  ])
  expect(await rest()).toBeUndefined()
})

test('a refused credential of the relay pauses its queue for a minute, and the log calls it an error', async () => {
  const { put, time, calls, log, rows, rest } = await begin(
    inOrder({ status: 401 }, { status: 403 }, REFUSAL, ACCEPTED),
  )
  for (let n = 1; n <= 3; n++) await put(id(n))
  await time.pass(2 * SECOND)
  expect(await rows()).toEqual([
    '1 alone waiting repository_not_accessible attempts=1 doubts=0 next=0 wait=0',
    '2 alone waiting queued attempts=0 doubts=0 next=0 wait=0',
    '3 alone waiting queued attempts=0 doubts=0 next=0 wait=0',
  ])
  expect(await rest()).toBe('repository_not_accessible until 60')
  await time.pass(60 * SECOND)
  expect(calls()).toEqual(['0 POST 1', '0 POST 1', '60 POST 1', '60.35 POST 2', '60.7 POST 3'])
  expect(log()).toEqual([
    'deferred 1 level=error endpoint=e1 attempts=1 reason=repository_not_accessible seconds=60',
    'dead 1 endpoint=e1 attempts=2 reason=event_rejected',
    'delivered 2 endpoint=e1 attempts=1 seconds=60',
    'delivered 3 endpoint=e1 attempts=1 seconds=61',
  ])
  expect(await rows()).toEqual([
    '1 alone dead event_rejected attempts=2 doubts=0 next=null wait=0',
    '2 alone delivered pending attempts=1 doubts=0 next=70.35 wait=10',
    '3 alone delivered pending attempts=1 doubts=0 next=70.7 wait=10',
  ])
  expect(await rest()).toBeUndefined()
})

test('an event whose workflow is missing waits alone, for a minute', async () => {
  const { put, time, calls, log, rows, rest } = await begin(
    inOrder({ status: 404 }, { status: 404 }, ACCEPTED),
  )
  await put(id(1), { event: { mode: 'workflow' } })
  await put(id(2))
  await time.pass(2 * SECOND)
  expect(await rows()).toEqual([
    '1 alone waiting workflow_not_accessible attempts=1 doubts=0 next=60 wait=60',
    '2 alone delivered pending attempts=1 doubts=0 next=10.35 wait=10',
  ])
  expect(await rest()).toBeUndefined()
  await time.pass(60 * SECOND)
  expect(calls()).toEqual(['0 POST 1', '0 POST 1', '0.35 POST 2', '10.35 GET', '60 POST 1'])
  expect(log()).toEqual([
    'deferred 1 endpoint=e1 attempts=1 reason=workflow_not_accessible seconds=60',
    'delivered 2 endpoint=e1 attempts=1 seconds=0',
    'delivered 1 endpoint=e1 attempts=2 seconds=60',
  ])
  expect(await rows()).toEqual([
    '1 alone delivered pending attempts=2 doubts=0 next=70 wait=10',
    '2 alone delivered pending attempts=1 doubts=0 next=70.35 wait=60',
  ])
  expect(await rest()).toBeUndefined()
})

test('a batch is divided, and is sent without a member that no key decrypts', async () => {
  const { put, time, calls, log, rows, rest } = await begin(
    inOrder(REFUSAL, { status: 413 }, { status: 500 }, ACCEPTED),
  )
  const long = { collection: collectionOf(60, { grouping: 'h' }) }
  for (let n = 1; n <= 3; n++) await put(id(n), { collection: collectionOf(2) })
  await put(id(4), { collection: collectionOf(3) })
  await put(id(5), { collection: collectionOf(1), key: 'gone' })
  await put(id(6), { ...long, content: 'damaged' })
  await put(id(7), long)
  await time.pass(4 * SECOND)
  expect(await rows()).toEqual([
    '1 of 1 uncertain github_unavailable attempts=1 doubts=1 next=12.7 wait=10',
    '2 of 2 delivered pending attempts=1 doubts=0 next=13.699 wait=10',
    '3 of 3 waiting queued attempts=0 doubts=0 next=2 wait=0',
    '4 of 3 waiting queued attempts=0 doubts=0 next=null wait=0',
    '5 alone waiting queued attempts=0 doubts=0 next=1 wait=1',
    '6 alone waiting queued attempts=0 doubts=0 next=60 wait=60',
    '7 alone waiting queued attempts=0 doubts=0 next=60 wait=60',
  ])
  expect(await rest()).toBeUndefined()
  await time.pass(59 * SECOND)
  expect(calls()).toEqual([
    '2 POST 1+2+3+4',
    '2.35 POST 1+2',
    '2.7 POST 1',
    '3.699 POST 2',
    '4.049 POST 3+4',
    '12.7 GET',
    '12.7 POST 1',
    '13.699 GET',
    '60.35 POST 7',
  ])
  expect(log()).toEqual([
    'divided 1 endpoint=e1 reason=event_rejected events=4',
    'divided 1 endpoint=e1 reason=event_rejected events=2',
    'deferred 1 endpoint=e1 attempts=1 reason=github_unavailable seconds=10',
    'delivered 2 endpoint=e1 attempts=1 seconds=4',
    'delivered 3 endpoint=e1 attempts=1 seconds=4',
    'delivered 1 endpoint=e1 attempts=2 seconds=13',
    'dead 6 endpoint=e1 attempts=0 reason=unreadable',
    'delivered 7 endpoint=e1 attempts=1 seconds=60',
  ])
  expect(await rows()).toEqual([
    '1 of 1 delivered pending attempts=2 doubts=1 next=22.7 wait=10',
    '2 of 2 delivered pending attempts=1 doubts=0 next=73.699 wait=60',
    '3 of 3 delivered pending attempts=1 doubts=0 next=14.049 wait=10',
    '4 of 3 delivered pending attempts=1 doubts=0 next=null wait=10',
    '5 alone waiting queued attempts=0 doubts=0 next=1 wait=1',
    '6 alone dead unreadable attempts=0 doubts=0 next=null wait=0',
    '7 of 6 delivered pending attempts=1 doubts=0 next=70.35 wait=10',
  ])
  expect(await rest()).toBeUndefined()
})

test('while the disk fails nothing is sent again, and afterwards each outcome is written and the queue goes on', async () => {
  const { put, time, calls, log, rows, rest, database, reported } = await begin(
    inOrder(DOWN, ACCEPTED, REFUSAL, ACCEPTED),
  )
  for (let n = 1; n <= 3; n++) await put(id(n))
  database.isFailing = true
  await time.pass(4 * SECOND)
  expect(await rows()).toEqual([
    '1 alone waiting queued attempts=0 doubts=0 next=0 wait=0',
    '2 alone waiting queued attempts=0 doubts=0 next=0 wait=0',
    '3 alone waiting queued attempts=0 doubts=0 next=0 wait=0',
  ])
  expect(await rest()).toBeUndefined()
  database.isFailing = false
  await time.pass(2 * SECOND)
  expect(calls()).toEqual(['0 POST 1', '0.35 POST 2', '0.7 POST 3', '4.7 POST 1'])
  expect(log()).toEqual([
    'deferred 1 endpoint=e1 attempts=1 reason=github_unavailable seconds=1',
    'delivered 2 endpoint=e1 attempts=1 seconds=0',
    'disk 2',
    'dead 3 endpoint=e1 attempts=1 reason=event_rejected',
    'delivered 1 endpoint=e1 attempts=2 seconds=5',
  ])
  expect(await rows()).toEqual([
    '1 alone delivered pending attempts=2 doubts=0 next=14.7 wait=10',
    '2 alone delivered pending attempts=1 doubts=0 next=10.35 wait=10',
    '3 alone dead event_rejected attempts=1 doubts=0 next=null wait=0',
  ])
  expect(await rest()).toBeUndefined()
  // One fault for each outcome, and one each second until all are written.
  const fault = 'StorageError: the database of the relay cannot be read or written: disk full'
  expect(reported.map(String)).toEqual(Array(6).fill(fault))
})

test('a new event waits behind one that is due, and while its queue fails or rests', async () => {
  const { put, time, deliveries, rest } = await begin(
    inOrder(DOWN, ACCEPTED, LIMIT, ACCEPTED, { status: 401 }, { status: 401 }, ACCEPTED),
  )
  const waits = () => deliveries.waits('o/r#own')
  expect(await waits()).toBe(false)
  // Its time is later.
  await put(id(1), { wait: 3600 * SECOND })
  await time.pass(0)
  expect([await waits(), await deliveries.waits('o/other#own')]).toEqual([false, false])
  await put(id(2))
  expect(await waits()).toBe(true)
  await time.pass(100)
  expect([await waits(), await rest()]).toEqual([true, undefined])
  await time.pass(2 * SECOND)
  expect([await waits(), await rest()]).toEqual([false, undefined])
  await put(id(3))
  await time.pass(SECOND)
  expect([await waits(), await rest()]).toEqual([true, 'rate_limited until 92.1'])
  await time.pass(90 * SECOND)
  expect([await waits(), await rest()]).toEqual([false, undefined])
  await put(id(4))
  await time.pass(SECOND)
  expect([await waits(), await rest()]).toEqual([true, 'invalid_token until 153.1'])
  await time.pass(60 * SECOND)
  expect([await waits(), await rest()]).toEqual([false, undefined])
})

test.each<
  [
    name: string,
    changes: Parameters<DeliveryScene['put']>[1],
    waits: boolean,
    rest: string | undefined,
  ]
>([
  ['that is due', {}, true, undefined],
  ['whose time is later', { wait: 3600 * SECOND }, false, undefined],
  [
    'that fails for itself',
    { state: 'dead', attempts: 1, reason: 'event_rejected' },
    false,
    undefined,
  ],
  ['that failed once', { attempts: 1, wait: 500, reason: 'github_unavailable' }, true, undefined],
  [
    'that GitHub may have',
    { state: 'uncertain', attempts: 1, doubts: 1, wait: 10 * SECOND, reason: 'github_timeout' },
    true,
    undefined,
  ],
  [
    'whose call is still open',
    { state: 'uncertain', wait: 5500, reason: 'github_timeout' },
    true,
    'github_timeout until 5.5',
  ],
  [
    'that GitHub limits',
    { attempts: 1, wait: 90 * SECOND, reason: 'rate_limited' },
    true,
    'rate_limited until 90',
  ],
])('behind a stored event %s a new one waits: %#', async (_, changes, waits, rest) => {
  const scene = await begin(inOrder(ACCEPTED))
  await scene.put(id(1), changes)
  expect([await scene.deliveries.waits('o/r#own'), await scene.rest()]).toEqual([waits, rest])
  expect(await scene.deliveries.waits('o/other#own')).toBe(false)
})
