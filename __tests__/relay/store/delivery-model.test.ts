import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type DeliveryLimits, DeliveryTable } from '../../../src/relay/store/deliveries.ts'
import type { DeliveryState, NewDelivery } from '../../../src/relay/store/delivery-rows.ts'
import { DELETED } from '../../../src/relay/store/delivery-sql.ts'
import { ROW_BYTES, YIELDING } from '../../../src/relay/store/room.ts'
import { fc } from '../../support/properties.ts'
import { type DatabaseServer, SERVERS } from '../../support/real-databases.ts'

const SECOND = 1000
const DAY = 86_400 * SECOND
const START = Date.parse('2026-03-01T12:00:00Z')
const QUEUE = 'octo/shop#own'
const PERIOD = 30 * SECOND

let count = 0

function rowOf(changes: Partial<NewDelivery>): NewDelivery {
  const id = `id-${++count}`
  return {
    ...{ id, request: id, replayOf: null, queue: QUEUE, endpoint: 'a', path: 'hook/webhook' },
    ...{ method: 'POST', received: START, size: 1, state: 'waiting', reason: 'queued' },
    ...{ attempts: 0, doubts: 0, wait: 0, accepted: null, githubMs: null, run: null },
    ...{ explanation: null, key: 'k', content: 'c', follows: false, collection: null },
    ...changes,
  }
}

interface ModelRow {
  readonly id: string
  endpoint: string | null
  state: DeliveryState
  batch: string | null
  grouping: string | null
  next: number | null
  at: number
  since: number
}

const isOpen = ({ state }: ModelRow) => state === 'waiting' || state === 'uncertain'

/** The table as a list, in order of arrival. */
class Model {
  rows: ModelRow[] = []
  now = START

  due(): ModelRow | undefined {
    const isDue = (row: ModelRow) => isOpen(row) && row.next !== null && row.next <= this.now
    return this.rows.find((row) => isDue(row) && !this.isCollected(row))
  }

  isCollected({ batch, grouping }: ModelRow): boolean {
    return batch === null && grouping !== null
  }

  membersOf(first: ModelRow): ModelRow[] {
    if (first.batch === null) return [first]
    return this.rows.filter(({ batch, state }) => batch === first.batch && state === first.state)
  }

  /** The time of a first member that leaves its batch. */
  inherit(row: ModelRow, leaving: readonly ModelRow[] = [row]): void {
    if (row.batch === null || row.next === null) return
    const heir = this.membersOf(row).find((other) => !leaving.includes(other))
    if (heir) heir.next = row.next
  }

  remove(leaving: readonly ModelRow[]): void {
    for (const row of leaving) this.inherit(row, leaving)
    this.rows = this.rows.filter((row) => !leaving.includes(row))
  }
}

interface Scene {
  readonly model: Model
  readonly table: DeliveryTable
}

type Step = (scene: Scene) => Promise<void>

const pick = (at: number, rows: readonly ModelRow[]) => rows[at % Math.max(1, rows.length)]

const puts = fc
  .record({
    endpoint: fc.constantFrom('a', 'a', 'a', 'b', null),
    isCollected: fc.constantFrom(true, true, false),
    wait: fc.constantFrom(0, 0, 5 * SECOND),
  })
  .map(({ endpoint, isCollected, wait }): Step => {
    const isInBatch = isCollected && endpoint !== null
    const collection = isInBatch ? { grouping: 'g', period: PERIOD, quiet: null, length: 10 } : null
    return async ({ model, table }) => {
      const row = rowOf({ endpoint, wait, collection })
      expect(await table.put([row])).toBe(true)
      const next = model.now + (isInBatch ? PERIOD : wait)
      const grouping = isInBatch ? 'g' : null
      const times = { at: model.now, since: model.now, next }
      model.rows.push({ id: row.id, endpoint, state: 'waiting', batch: null, grouping, ...times })
    }
  })

const records = fc
  .record({
    endpoint: fc.constantFrom('a', 'b'),
    state: fc.constantFrom('delivered' as const, 'filtered' as const, 'dead' as const),
    follows: fc.boolean(),
  })
  .map(
    ({ endpoint, state, follows }): Step =>
      async ({ model, table }) => {
        const row = rowOf({ endpoint, state, follows })
        await table.record([row])
        const next = state === 'delivered' && follows ? model.now + 10 * SECOND : null
        const times = { at: model.now, since: model.now, next }
        model.rows.push({ id: row.id, endpoint, state, batch: null, grouping: null, ...times })
      },
  )

const group: Step = async ({ model, table }) => {
  const collected = model.rows.filter((row) => row.state === 'waiting' && model.isCollected(row))
  const chosen = collected.filter(({ endpoint }) => endpoint === collected[0]?.endpoint)
  expect(await table.group(QUEUE, 'g')).toBe(chosen[0]?.id)
  for (const [at, row] of chosen.entries()) {
    row.batch = chosen[0]?.id ?? null
    row.next = at === 0 ? model.now : null
  }
}

const attempts = fc
  .record({
    outcome: fc.constantFrom('accepted', 'waiting', 'uncertain', 'dead', 'divide', 'takeOut'),
    wait: fc.constantFrom(0, SECOND),
    at: fc.nat(5),
    follows: fc.boolean(),
  })
  .map(
    ({ outcome, wait, at, follows }): Step =>
      async ({ model, table }) => {
        const first = model.due()
        const due = await table.nextDue(QUEUE, model.now, [])
        expect(due?.id).toBe(first?.id)
        if (!due || !first) return
        const members = model.membersOf(first)
        const ids = members.map(({ id }) => id)
        const read = await table.members(due.id)
        expect(read.map(({ id }) => id)).toEqual(ids)
        const { now } = model
        if (outcome === 'accepted') {
          const facts = { accepted: now, githubMs: 1, run: null, follows }
          await table.write(table.delivered(QUEUE, ids, facts))
          model.remove(members.filter(({ endpoint }) => endpoint === null))
          for (const row of members) {
            row.state = 'delivered'
            row.since = now
            row.next = row.next !== null && follows ? now + 10 * SECOND : null
          }
        } else if (outcome === 'divide') {
          if (first.batch === null) return
          await table.write(table.divide(read, 2))
          const half = Math.ceil(members.length / 2)
          for (const [index, row] of members.entries()) {
            row.batch = ids[index < half ? 0 : half] ?? null
            row.next = index === 0 || index === half ? now : null
          }
        } else if (outcome === 'takeOut') {
          const row = pick(at, members)
          if (!row) return
          await table.takeOut(row.id, 'unreadable')
          model.inherit(row)
          Object.assign(row, { state: 'dead', since: now, batch: null, grouping: null, next: null })
        } else if (outcome === 'dead') {
          await table.write(table.failed(ids, { state: 'dead', reason: 'x', doubts: 0 }, ''))
          for (const row of members) Object.assign(row, { state: 'dead', since: now, next: null })
        } else {
          const state = outcome === 'uncertain' ? 'uncertain' : 'waiting'
          await table.write(table.failed(ids, { state, wait, doubts: 0 }, 'x'))
          for (const row of members) {
            Object.assign(row, { state, since: now, next: row.next === null ? null : now + wait })
          }
        }
      },
  )

const passes = fc.constantFrom(SECOND, 40 * SECOND, 4 * DAY, 12 * DAY).map(
  (time): Step =>
    async ({ model }) => {
      model.now += time
    },
)

const deletions = fc
  .record({
    at: fc.nat(20),
    of: fc.constantFrom('first members', 'all', 'many'),
    state: fc.constantFrom('dead' as const, 'delivered' as const),
  })
  .map(
    ({ at, of, state }): Step =>
      async ({ model, table }) => {
        const isMany = of === 'many'
        const firsts = model.rows.filter(({ batch, next }) => batch !== null && next !== null)
        const one = pick(at, of === 'all' ? model.rows : firsts)
        const chosen = isMany
          ? model.rows.filter((row) => row.state === state).slice(0, 3)
          : [one].filter((row) => row !== undefined)
        const deleted = isMany
          ? await table.delete({ owner: 'octo', state }, 3)
          : await table.delete({ id: one?.id ?? '' }, 3)
        expect(deleted).toBe(chosen.length)
        model.remove(chosen)
      },
  )

/** First what waits, so that nothing is replayed twice. */
const REPLAYED_STATES = ['waiting', 'uncertain', 'dead', 'filtered'] as const

const replays = fc.record({ from: fc.nat(20), most: fc.integer({ min: 1, max: 5 }) }).map(
  ({ from, most }): Step =>
    async ({ model, table }) => {
      const chosen = model.rows.slice(from % Math.max(1, model.rows.length)).slice(0, most)
      const ids = chosen.map(({ id }) => id)
      for (const state of REPLAYED_STATES) await table.replayed(ids, state)
      const open = model.rows.filter(isOpen)
      const isTaken = ({ id, batch }: ModelRow) =>
        batch === null && open.some((o) => o.batch === id)
      const again = chosen.filter(
        (row) => ['dead', 'filtered'].includes(row.state) && !isTaken(row),
      )
      for (const row of chosen) {
        if (isOpen(row) && row.next !== null && !isTaken(row))
          row.next = Math.min(row.next, model.now)
      }
      const { now } = model
      for (const row of again) {
        Object.assign(row, { state: 'waiting', batch: null, at: now, since: now, next: now })
      }
    },
)

const ends = fc.constantFrom<Step>(
  async ({ model, table }) => {
    const { now } = model
    const isOld = (row: ModelRow) => isOpen(row) && row.next !== null && row.at < now - DAY
    const old = model.rows.filter(isOld).flatMap((row) => model.membersOf(row))
    const ended = await table.endOld(DAY, [QUEUE], [])
    expect(ended.map(({ id }) => id).sort()).toEqual(old.map(({ id }) => id).sort())
    for (const row of old) Object.assign(row, { state: 'dead', since: now, next: null })
  },
  async ({ model, table }) => {
    const of = model.rows.filter(({ endpoint }) => endpoint === 'b')
    const open = of.filter(isOpen)
    const ended = await table.endDeleted('octo', 'b')
    expect(ended.map(({ id }) => id).sort()).toEqual(open.map(({ id }) => id).sort())
    for (const row of open) {
      Object.assign(row, { state: 'dead', since: model.now, batch: null, next: null })
    }
    for (const row of of) row.endpoint = `b${DELETED}`
  },
  async ({ model, table }) => {
    await table.deleteExpired()
    const { now } = model
    const isExpired = ({ state, since }: ModelRow) =>
      (state === 'dead' && since < now - 30 * DAY) ||
      (YIELDING.includes(state) && since < now - 7 * DAY)
    model.remove(model.rows.filter(isExpired))
  },
)

const steps = fc.oneof(
  { arbitrary: puts, weight: 6 },
  { arbitrary: attempts, weight: 6 },
  { arbitrary: fc.constant(group), weight: 3 },
  { arbitrary: replays, weight: 2 },
  { arbitrary: records, weight: 1 },
  { arbitrary: passes, weight: 2 },
  { arbitrary: deletions, weight: 2 },
  { arbitrary: ends, weight: 1 },
)

const LIMITS: DeliveryLimits = { events: 1e6, bytes: 1e9, ownerShare: 1, retention: 7 * DAY }

describe.each(SERVERS)('the deliveries on %s', (_, startServer) => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  test('behave as a list does, and the account is even after each of up to 40 changes', async () => {
    const property = fc.asyncProperty(
      fc.array(puts, { minLength: 3, maxLength: 8 }),
      fc.array(steps, { minLength: 10, maxLength: 30 }),
      async (first, others) => {
        const model = new Model()
        const database = server.open(`database-${++count}`)
        const parts = { database, limits: LIMITS, keyIds: ['k'], now: () => model.now }
        const table = new DeliveryTable(parts)
        for (const step of [...first, group, ...others]) {
          await step({ model, table })
          const rows = await table.list({ limit: 1000 })
          const found = rows.map(({ id, state, batch, next, endpoint }) => {
            return { id, state, batch, next, endpoint }
          })
          const expected = model.rows.map(({ id, state, batch, next, endpoint }) => {
            return { id, state, batch, next, endpoint }
          })
          expect(found.reverse()).toEqual(expected)
          const { imbalance, states } = await table.figures()
          expect(imbalance).toBe(0)
          const sum = Object.values(states).reduce((total, value) => total + value, 0)
          expect(sum).toBe(model.rows.length)
          // Each event that waits is due at some time, or has a first member that is.
          for (const row of model.rows.filter(isOpen)) {
            const times = model.membersOf(row).filter(({ next }) => next !== null)
            expect([row.id, times.length]).toEqual([row.id, 1])
          }
        }
      },
    )
    await fc.assert(property, { numRuns: 12 })
  })

  test('never take more than the room, and are refused only without room', async () => {
    const [most, limit] = [20, 60_000]
    const change = fc.record({
      endpoint: fc.constantFrom('a', 'b', 'c'),
      kind: fc.constantFrom('put', 'put', 'record', 'record', 'deliver'),
      holder: fc.constantFrom('own', 'token'),
      size: fc.integer({ min: 0, max: 9000 }),
    })
    const property = fc.asyncProperty(
      fc.array(change, { minLength: 30, maxLength: 60 }),
      async (changes) => {
        let now = START
        const database = server.open(`database-${++count}`)
        const limits = { events: most, bytes: limit, ownerShare: 1 / 4, retention: DAY }
        const table = new DeliveryTable({ database, limits, keyIds: ['k'], now: () => now })
        const stored: { id: string; endpoint: string; bytes: number }[] = []
        const sum = (rows: readonly { bytes: number }[]) =>
          rows.reduce((all, { bytes }) => all + bytes, 0)
        for (const { endpoint, kind, holder, size } of changes) {
          now += SECOND
          const bytes = size + ROW_BYTES
          const of = { endpoint, queue: `octo/shop#${holder}`, content: 'c'.repeat(size) }
          const row = rowOf(of)
          if (kind === 'record') await table.record([{ ...row, state: 'delivered' }])
          else if (kind === 'deliver') {
            const [first] = stored.splice(0, 1)
            const facts = { accepted: null, githubMs: null, run: null, follows: false }
            if (first) await table.write(table.delivered(QUEUE, [first.id], facts))
            await table.room.count()
          } else {
            const own = stored.filter((one) => one.endpoint === endpoint)
            const fits =
              own.length + 1 <= most - stored.length &&
              sum(own) + bytes <= limit - sum(stored) &&
              (holder === 'own' ||
                (stored.length + 1 <= most / 4 && sum(stored) + bytes <= limit / 4))
            expect(await table.put([row])).toBe(fits)
            if (fits) stored.push({ id: row.id, endpoint, bytes })
          }
          const figures = await table.figures()
          const rows = Object.values(figures.states).reduce((total, value) => total + value, 0)
          expect(figures.bytes + rows * ROW_BYTES).toBeLessThanOrEqual(limit)
          expect(figures.states.waiting).toBe(stored.length)
          expect(figures.imbalance).toBe(0)
        }
      },
    )
    await fc.assert(property, { numRuns: 12 })
  })
})
