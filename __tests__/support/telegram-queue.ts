import { setTimeout as sleep } from 'node:timers/promises'

export interface StandInUpdate {
  readonly update_id: number
  readonly [kind: string]: unknown
}

const DAY = 86_400_000
const NOT_BY_DEFAULT = ['chat_member', 'message_reaction', 'message_reaction_count']

/** The updates of one bot that the server stores, for 24 hours. */
export class TelegramQueue {
  /** The server's time, in milliseconds since 1970. */
  now = () => Date.now()
  /** Kinds that are queued; empty for the server's default. */
  allowed: readonly string[] = []
  #kept: { readonly update: StandInUpdate; readonly at: number }[] = []
  #nextId: number
  #arrived = new AbortController()

  constructor(firstId: number) {
    this.#nextId = firstId
  }

  get updates(): readonly StandInUpdate[] {
    return this.#kept.map(({ update }) => update)
  }

  isAllowed(kind: string): boolean {
    return this.allowed.length > 0 ? this.allowed.includes(kind) : !NOT_BY_DEFAULT.includes(kind)
  }

  add(kind: string, content: unknown): number {
    const update = { update_id: this.#nextId++, [kind]: content }
    this.#kept.push({ update, at: this.now() })
    this.wake()
    return update.update_id
  }

  /** After a week without updates, the next id is random. */
  continueAt(id: number): void {
    this.#nextId = id
  }

  /** A negative offset keeps only the last updates. An offset beyond every id forgets nothing. */
  forgetBefore(offset: number): void {
    this.#kept = this.#kept.filter(({ at }) => this.now() - at < DAY)
    if (offset < 0) this.#kept = this.#kept.slice(offset)
    else if (offset <= this.#nextId) {
      this.#kept = this.#kept.filter(({ update }) => update.update_id >= offset)
    }
  }

  forgetFirst(): void {
    this.#kept.shift()
  }

  /** Resolves after an update or `wake`, at the latest after so many milliseconds. */
  async wait(ms: number): Promise<void> {
    this.#arrived = new AbortController()
    await sleep(ms, undefined, { signal: this.#arrived.signal }).catch(() => {})
  }

  wake(): void {
    this.#arrived.abort()
  }
}
