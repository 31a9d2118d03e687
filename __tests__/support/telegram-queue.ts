import { setTimeout as sleep } from 'node:timers/promises'

export interface StandInUpdate {
  readonly update_id: number
  readonly [kind: string]: unknown
}

const DAY = 86_400_000
const NOT_BY_DEFAULT = ['chat_member', 'message_reaction', 'message_reaction_count']

/** The updates that the server keeps for one bot, for 24 hours. */
export class TelegramQueue {
  /** Milliseconds since 1970, as the server sees it. */
  now = () => Date.now()
  /** Kinds that get into the queue; empty for the server's own choice. */
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

  /** After a week without updates the next id is a random one. */
  continueAt(id: number): void {
    this.#nextId = id
  }

  /** Negative: all but the last ones are forgotten. A number beyond every id forgets nothing. */
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

  /** Ends when something was added or `wake` was called, at the latest after so many milliseconds. */
  async wait(ms: number): Promise<void> {
    this.#arrived = new AbortController()
    await sleep(ms, undefined, { signal: this.#arrived.signal }).catch(() => {})
  }

  wake(): void {
    this.#arrived.abort()
  }
}
