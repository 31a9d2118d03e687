import { RelayError } from './errors.ts'
import type { Credential } from './github/credential.ts'
import { refusesCredential } from './github/send.ts'

interface ReadinessPorts {
  /** Milliseconds since any moment. */
  now(): number
  /** True where the relay serves one repository: what is refused for it is refused for all. */
  readonly servesOne: boolean
  /** The reason why no event can be stored now; if that is unknown, the error of the last event. */
  readonly shortage?: () => Promise<'disk' | 'storage_full' | undefined>
  /** Why the disk fails, although the relay can still forward events. */
  readonly fault?: () => Promise<string | undefined>
}

/** Refusals that no repository makes: GitHub does not know the token, or the App. */
const EVERYWHERE: ReadonlySet<string> = new Set([
  'invalid_token',
  'app_key_rejected',
  'app_clock_skew',
])

/** Milliseconds until the relay reports ready again: a load balancer may send no event before, so no event could show it. */
const HOLDS = 60_000

/** Whether the relay can forward or store new events, by the outcome of the latest one. */
export class Readiness {
  readonly #ports: ReadinessPorts
  /** True after an event that was neither accepted nor stored. */
  isLost = false
  #lost: { readonly why: 'storage_full' | 'credential'; readonly at: number } | undefined
  /** When a large body was refused for lack of room. */
  #bodiesFullAt = Number.NEGATIVE_INFINITY
  #isStopping = false

  constructor(ports: ReadinessPorts) {
    this.#ports = ports
  }

  /** Call it when the relay begins to stop. */
  stop(): void {
    this.#isStopping = true
  }

  /** Call it for an event that GitHub accepted, or the database stored. */
  accepted(): void {
    this.isLost = false
    this.#lost = undefined
  }

  /** Call it for an event that was neither accepted nor stored. */
  refused(error: unknown, credential: Credential): void {
    const why = this.#lostBy(error, credential)
    if (!why) return
    this.isLost = true
    this.#lost = { why, at: this.#ports.now() }
  }

  /** Call it for a large body for which there is no room. */
  bodiesFull(): void {
    this.#bodiesFullAt = this.#ports.now()
  }

  /** Why the relay can neither forward nor store new events. */
  async why(): Promise<'disk' | 'storage_full' | 'credential' | 'stopping' | undefined> {
    if (this.#isStopping) return 'stopping'
    const { now, shortage } = this.#ports
    if (!this.#lost || now() - this.#lost.at > HOLDS) return undefined
    if (this.#lost.why === 'credential' || !shortage) return this.#lost.why
    return shortage()
  }

  /** What a relay that is ready cannot store. */
  async degraded(): Promise<string | undefined> {
    const { now, fault } = this.#ports
    const areBodiesFull = now() - this.#bodiesFullAt <= HOLDS
    return (await fault?.()) ?? (areBodiesFull ? 'bodies_full' : undefined)
  }

  #lostBy(error: unknown, credential: Credential) {
    if (!(error instanceof RelayError)) return undefined
    if (error.code === 'storage_full') return 'storage_full'
    if (!credential.isOwn || !refusesCredential(error)) return undefined
    return this.#ports.servesOne || EVERYWHERE.has(error.code) ? 'credential' : undefined
  }
}
