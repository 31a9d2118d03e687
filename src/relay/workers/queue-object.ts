import { listDeliveries } from '../delivery/delivery-list.ts'
import type { NewEvent, OutboxLimits } from '../delivery/event.ts'
import { ENCRYPTED_EVENTS, reencryptEvents } from '../delivery/event-record.ts'
import { Ledger } from '../delivery/ledger.ts'
import { Outbox, type OutboxPorts } from '../delivery/outbox.ts'
import { holderOf, ownerOf, type QueueName } from '../delivery/queue-name.ts'
import { type Attempts, isAmbiguous, RelayError } from '../errors.ts'
import type { Turn } from '../github/credential-turns.ts'
import type { RateLimiters } from '../github/rate-limiter.ts'
import type { Dispatch } from '../github/send.ts'
import { AcceptedCredentials } from '../store/accepted-credentials.ts'
import { deliveriesIn } from '../store/body-table.ts'
import { rowsByKey } from '../store/encryption.ts'
import { answerObjectCall, type ObjectNamespace, readObjectCall } from './object-call.ts'
import { INDEX_PATH, type IndexCalls, indexIn, type QueueCalls, queueIn } from './object-calls.ts'
import { type ObjectState, type ObjectStorage, OutboxTables } from './object-database.ts'
import { ObjectIndex, type Reservation } from './object-index.ts'
import { SharedLock } from './shared-lock.ts'

export interface ObjectPorts
  extends Omit<OutboxPorts, 'ledger' | 'accepted' | 'isInDoubt' | 'wake' | 'turn'> {
  readonly namespace: ObjectNamespace
  readonly rateLimiters: RateLimiters
  readonly limits: OutboxLimits
  /** Milliseconds between calls of one credential. */
  readonly minInterval: number
  sleep(milliseconds: number): Promise<void>
}

/** Milliseconds after which a queue with only dead letters and delivered copies looks at their age. */
const DAY = 24 * 3_600_000

/** The longest wait, in milliseconds, during which an alarm sleeps; otherwise it sets another alarm. */
const SHORT_WAIT = 1000

/** Milliseconds after which an alarm checks ages and reports its usage, also while events wait. */
const LONGEST_ALARM = 60_000

/**
 * A Durable Object of the outbox: the ledger of one queue, whose alarm delivers its events, or the
 * index. Only the relay calls it: an object has no address of its own.
 */
export class QueueObject {
  readonly #storage: ObjectStorage
  readonly #tables: OutboxTables
  readonly #ports: ObjectPorts
  readonly #ledger: Ledger
  readonly #outbox: Outbox
  readonly #index: IndexCalls
  readonly #calls: QueueCalls
  /** Present in the index. */
  #ownIndex: ObjectIndex | undefined
  /** Keeps a report apart from reservations, because the index replaces its counts by the report. */
  readonly #lock = new SharedLock()
  /** A report that has not begun: it will cover all changes until then. */
  #nextReport: Promise<void> | undefined
  /** The queue, once an event told its name. */
  #name: QueueName | undefined
  /** The earliest time that was asked for while an alarm runs. */
  #next: number | undefined
  #isAwake = false
  /** True if a clear response must be reported to the index, because the last one was ambiguous. */
  #isInDoubt = false

  /** @param ports of the same settings as the relay's own */
  static async open({ storage }: ObjectState, ports: ObjectPorts): Promise<QueueObject> {
    const object = new QueueObject(storage, ports)
    await object.#start()
    return object
  }

  private constructor(storage: ObjectStorage, ports: ObjectPorts) {
    const { limits, encryption, now } = ports
    const unlimited = Number.MAX_SAFE_INTEGER
    this.#storage = storage
    this.#tables = new OutboxTables(storage)
    this.#ports = ports
    this.#index = indexIn(ports.namespace)
    this.#ledger = new Ledger({
      database: this.#tables,
      // The index has the quota.
      limits: { ...limits, events: unlimited, bytes: unlimited },
      keyIds: encryption.keyIds,
      now,
    })
    const outbox = new Outbox({
      ...ports,
      ledger: this.#ledger,
      accepted: new AcceptedCredentials(this.#tables, ports),
      // The index knows it.
      isInDoubt: () => false,
      wake: (_queue, delay) => void this.#wakeAt(now() + delay),
      turn: (queue) => this.#turn(queue),
      send: (dispatch) => this.#send(dispatch),
    })
    this.#outbox = outbox
    const reported = <Result>(change: Promise<Result>) => change.finally(() => this.#report())
    this.#calls = {
      put: async (event) => {
        const isInDoubt = event.state === 'uncertain' && event.attempts > 0
        const state = { waits: true, isInDoubt }
        return (await this.#withRoom(event, state, () => outbox.put(event))) ?? false
      },
      collect: (event) => {
        const state = { waits: false, isInDoubt: false }
        return this.#withRoom(event.event, state, () => outbox.collect(event))
      },
      settle: async (event, outcome) => {
        await outbox.settle(event, outcome)
        await this.#noteOutcome(outcome.kind === 'doubt')
        await this.#report()
      },
      list: (query) => listDeliveries(this.#tables, query),
      find: (id) => outbox.find(id),
      replay: (id, filter) => outbox.replay(id, filter),
      replayAll: (filter) => outbox.replayAll(filter),
      delete: (id, filter) => reported(outbox.delete(id, filter)),
      deleteAll: (filter) => reported(outbox.deleteAll(filter)),
      endDeleted: (credential) => reported(outbox.endDeleted(credential)),
      figures: () => outbox.figures(),
      rowsByKey: () => rowsByKey(this.#tables, ENCRYPTED_EVENTS),
      deleteCopies: (bytes) => reported(this.#ledger.deleteCopies(bytes)),
      reportUsage: (name) => {
        // An object without events does not know its name.
        this.#name = name
        return this.#report()
      },
      among: (deliveries) => deliveriesIn(this.#tables, deliveries),
    }
  }

  async #start(): Promise<void> {
    if (!this.#tables.exist) return
    await reencryptEvents(this.#tables, this.#ports.encryption).catch(this.#ports.report)
    // Its alarm may deliver the last event before a request tells the name again.
    this.#name = await this.#ledger.queueName()
    await this.#outbox.start()
  }

  async fetch(request: Request): Promise<Response> {
    const call = readObjectCall(await request.json())
    if (new URL(request.url).pathname !== INDEX_PATH) return answerObjectCall(this.#calls, call)
    const { namespace, report } = this.#ports
    this.#ownIndex ??= new ObjectIndex(this.#storage, {
      ...this.#ports,
      deleteCopies: (queue, bytes) =>
        void queueIn(namespace, queue).deleteCopies(bytes).catch(report),
      askUsage: (name) => void queueIn(namespace, name.queue).reportUsage(name).catch(report),
    })
    return answerObjectCall<IndexCalls>(this.#ownIndex, call)
  }

  async alarm(): Promise<void> {
    const { now, sleep } = this.#ports
    const { loop } = this.#outbox
    if (!this.#tables.exist) return loop.forget()
    this.#isAwake = true
    try {
      let next: number | undefined = now()
      const end = next + LONGEST_ALARM
      while (next !== undefined && next - now() <= SHORT_WAIT && now() < end) {
        if (next > now()) await sleep(next - now())
        this.#next = undefined
        await Promise.all(loop.names().map((queue) => loop.step(queue)))
        await loop.idle()
        next = this.#next
      }
      await this.#outbox.check()
      await this.#report().catch((error: unknown) => {
        this.#ports.report(error)
        return this.#wakeAt(now() + LONGEST_ALARM)
      })
    } finally {
      this.#isAwake = false
    }
    // An event that arrived during the last steps asked for an earlier time.
    if (this.#tables.exist) await this.#wakeAt(this.#next ?? now() + DAY)
  }

  async #turn(queue: string): Promise<Turn> {
    const { rateLimiters } = this.#ports
    const [holder, owner] = [holderOf(queue), ownerOf(queue)]
    const credential = rateLimiters.nameOf(holder, owner)
    const turn = await this.#index.turn(credential, rateLimiters.of(holder, owner).heldFor)
    if (turn.isProbe) this.#isInDoubt = true
    return turn
  }

  async #send(dispatch: Dispatch): Promise<Attempts> {
    try {
      const attempts = await this.#ports.send(dispatch)
      await this.#noteOutcome(false)
      return attempts
    } catch (error) {
      await this.#noteOutcome(error instanceof RelayError && isAmbiguous(error))
      throw error
    }
  }

  /** Stores an event in the room that the index reserves. @returns `undefined` if there is no room */
  async #withRoom<Result>(
    { queue, holder, content }: Pick<NewEvent, 'queue' | 'holder' | 'content'>,
    state: Pick<Reservation, 'waits' | 'isInDoubt'>,
    store: () => Promise<Result>,
  ): Promise<Result | undefined> {
    let isReserved = false
    const result = await this.#lock.shared(async () => {
      isReserved = await this.#index.reserve({ queue, holder, bytes: content.length, ...state })
      if (!isReserved) return undefined
      this.#name = { queue, holder }
      return store()
    })
    if (isReserved && !result) await this.#report()
    return result
  }

  /** Tells the index of each ambiguous response, and of the clear one that follows. */
  async #noteOutcome(isAmbiguous: boolean): Promise<void> {
    if (!isAmbiguous && !this.#isInDoubt) return
    this.#isInDoubt = isAmbiguous
    if (!this.#name) return
    await this.#index.noteOutcome(this.#name.holder, isAmbiguous).catch(this.#ports.report)
  }

  /** Tells the index what the queue uses. A queue that is empty gives up its storage. */
  #report(): Promise<void> {
    this.#nextReport ??= this.#lock.alone(() => {
      this.#nextReport = undefined
      return this.#tellUsage()
    })
    return this.#nextReport
  }

  async #tellUsage(): Promise<void> {
    const name = this.#name
    if (!name) return
    const usage = await this.#ledger.usage()
    await this.#index.report({ ...name, ...usage, waits: await this.#outbox.waits(name) })
    // An imbalance stays visible.
    if ((await this.#outbox.figures()).imbalance === 0) await this.#tables.deleteIfEmpty()
    // The alarm went with the storage.
    if (!this.#tables.exist) this.#outbox.loop.forget()
  }

  async #wakeAt(time: number): Promise<void> {
    // Should the work of an alarm be cut off, another alarm goes on with it.
    if (this.#isAwake) this.#next = Math.min(time, this.#next ?? time)
    await this.#storage.setAlarm(time).catch(this.#ports.report)
  }
}
