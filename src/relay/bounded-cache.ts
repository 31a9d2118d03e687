/** Keeps so many values, and forgets the one that was not asked for the longest. */
export class BoundedCache<Key, Value> {
  readonly #values = new Map<Key, Value>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get(key: Key): Value | undefined {
    const value = this.#values.get(key)
    if (value === undefined) return undefined
    // A map keeps the order in which its keys were set, so the first one is the oldest.
    this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    if (this.#values.size <= this.#most) return
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest)
      return
    }
  }

  delete(key: Key): void {
    this.#values.delete(key)
  }

  get size(): number {
    return this.#values.size
  }
}
