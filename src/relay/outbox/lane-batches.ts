import type { Dispatch } from '../github/dispatch.ts'
import type { Packer } from '../request/client-payload.ts'
import type { Outcome } from './attempt.ts'
import type { Batches, BatchPorts } from './batches.ts'
import type { CollectedEvent } from './collect.ts'
import type { OutboxEvent } from './outbox.ts'

/** What batches need of a runtime. */
export interface BatchSetup {
  /** The module that collects them, which is loaded at the first of them. */
  loadBatches(): Promise<typeof import('./batches.ts')>
  /** Packs one to be handed over. */
  readonly pack: Packer
  newId(): string
}

/** The batches of all lanes, once there is one. */
export class LaneBatches {
  readonly #ports: BatchPorts & Pick<BatchSetup, 'loadBatches'>
  #loading: Promise<Batches> | undefined
  #batches: Batches | undefined

  constructor(ports: BatchPorts & Pick<BatchSetup, 'loadBatches'>) {
    this.#ports = ports
  }

  /** Takes up what was being collected. */
  async start(): Promise<void> {
    const found = await this.#ports.outbox.list({ states: ['collecting'], limit: 1 })
    if (found.length > 0) await (await this.#load()).start()
  }

  /** As `Batches.collect`. */
  async collect(event: CollectedEvent): Promise<string> {
    return (this.#batches ?? (await this.#load())).collect(event)
  }

  /** As `BatchDispatches.dispatchOf`. */
  async dispatchOf(batch: OutboxEvent): Promise<Dispatch | Outcome> {
    return (await this.#load()).dispatches.dispatchOf(batch)
  }

  /** @returns what is left of a batch that is refused; nothing where it is to stay whole */
  async halve(refused: OutboxEvent): Promise<readonly OutboxEvent[] | undefined> {
    const { dispatches } = await this.#load()
    if (!dispatches.isDivisible(refused.reason)) return undefined
    try {
      return await dispatches.halve(refused)
    } catch (error) {
      this.#ports.report(error)
      return undefined
    }
  }

  /** Keeps a batch that GitHub has, so that it can be sent again. */
  async sent(batch: OutboxEvent): Promise<void> {
    const { delivery, lane, count } = batch
    const at = this.#ports.now()
    // Its bytes stay as long as it does.
    this.#ports.room.give(lane, count, 0)
    await this.#ports.write(delivery, [
      { set: { ...batch, state: 'sent', since: at } },
      { members: delivery, state: 'sent', at },
    ])
  }

  /** How many events are being collected. */
  get events(): number {
    return this.#batches?.events ?? 0
  }

  holds(lane: string): boolean {
    return this.#batches?.holds(lane) ?? false
  }

  dueAt(lane: string): number {
    return this.#batches?.dueAt(lane) ?? Number.POSITIVE_INFINITY
  }

  async endDue(lane: string): Promise<void> {
    await this.#batches?.endDue(lane)
  }

  drop(batch: OutboxEvent): void {
    this.#batches?.drop(batch)
  }

  #load(): Promise<Batches> {
    this.#loading ??= this.#ports.loadBatches().then(({ Batches }) => {
      this.#batches = new Batches(this.#ports)
      return this.#batches
    })
    return this.#loading
  }
}
