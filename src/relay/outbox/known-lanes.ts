import { BoundedCache } from '../bounded-cache.ts'
import type { Outbox } from './outbox.ts'

const HOUR = 3_600_000
const ACCEPTED_AGE = 30 * 24 * HOUR
const KNOWN_CREDENTIALS = 10_000

interface KnownPorts {
  readonly outbox: Pick<Outbox, 'apply' | 'accepted'>
  now(): number
  report(error: unknown): void
}

/** When GitHub accepted something of a lane's credential: remembered on disk, at most hourly. */
export class KnownLanes {
  readonly #ports: KnownPorts
  /** As far as it was asked for. */
  readonly #accepted = new BoundedCache<string, number>(KNOWN_CREDENTIALS)

  constructor(ports: KnownPorts) {
    this.#ports = ports
  }

  note(lane: string): void {
    const { outbox, report } = this.#ports
    const now = this.#ports.now()
    if (now - (this.#accepted.get(lane) ?? 0) < HOUR) return
    this.#accepted.set(lane, now)
    outbox.apply([{ accepted: lane, at: now }]).catch(report)
  }

  /** Whether it was within thirty days. */
  async has(lane: string): Promise<boolean> {
    const at = this.#accepted.get(lane) ?? (await this.#ports.outbox.accepted(lane))
    return at !== undefined && this.#ports.now() - at <= ACCEPTED_AGE
  }
}
