/**
 * Keeps at most so many values, and at least the half of them that was asked for last. A full half
 * takes the place of the older one: to move each value that is asked for to the end of one map
 * would cost more than all else that the relay looks up for a request.
 */
export class BoundedCache<Key, Value> {
  readonly #half: number
  #recent = new Map<Key, Value>()
  #older = new Map<Key, Value>()

  constructor(most: number) {
    this.#half = Math.ceil(most / 2)
  }

  get(key: Key): Value | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const older = this.#older.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: Key, value: Value): void {
    this.#older.delete(key)
    if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
  }

  delete(key: Key): void {
    this.#recent.delete(key)
    this.#older.delete(key)
  }

  get size(): number {
    return this.#recent.size + this.#older.size
  }
}
