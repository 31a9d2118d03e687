import { computed, signal } from '@preact/signals'

/** Pixels of a line that was not shown yet. */
const ESTIMATE = 64
/** Pixels that are rendered before and behind what is visible. */
const AHEAD = 400

/**
 * A list of which only the visible lines are in the document, so that 10,000 lines cost as little as 20.
 * Lines differ in height: each is measured when it is shown, and estimated before.
 */
export class ListWindow {
  readonly #ids: { readonly value: readonly string[] }
  readonly #heights = new Map<string, number>()
  /** Counts the measurements, so that a measured line moves the others. */
  readonly #measured = signal(0)
  readonly #view = signal({ top: 0, height: 800 })
  #element: HTMLElement | undefined
  /** The first visible line, and how far it is scrolled out; none at the top, where new lines are shown. */
  #anchor: { readonly id: string; readonly hidden: number } | undefined
  #lastRange: readonly [number, number] = [0, 0]

  /** @param ids of all lines in their order */
  constructor(ids: { readonly value: readonly string[] }) {
    this.#ids = ids
  }

  /** The top of each line, and at last the bottom of all. */
  readonly #tops = computed(() => {
    this.#measured.value
    const ids = this.#ids.value
    const tops = new Float64Array(ids.length + 1)
    for (const [at, id] of ids.entries()) {
      tops[at + 1] = (tops[at] ?? 0) + (this.#heights.get(id) ?? ESTIMATE)
    }
    return tops
  })

  readonly #indexes = computed(() => new Map(this.#ids.value.map((id, at) => [id, at])))

  /** The first line in the document, and the one after the last. */
  readonly range = computed(() => {
    const { top, height } = this.#view.value
    const from = this.#lineAt(Math.max(0, top - AHEAD))
    const to = Math.min(this.#ids.value.length, this.#lineAt(top + height + AHEAD) + 1)
    // The same pair, so that scrolling by a few pixels renders nothing.
    const [lastFrom, lastTo] = this.#lastRange
    if (lastFrom !== from || lastTo !== to) this.#lastRange = [from, to]
    return this.#lastRange
  })

  /** Pixels above the first and below the last line of the range. */
  readonly space = computed<readonly [above: number, below: number]>(() => {
    const [from, to] = this.range.value
    const tops = this.#tops.value
    return [tops[from] ?? 0, (tops.at(-1) ?? 0) - (tops[to] ?? 0)]
  })

  /** Takes the element that scrolls. @returns a function that lets go of it */
  attach(element: HTMLElement): () => void {
    this.#element = element
    let width = element.clientWidth
    const see = () => this.#see()
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== width) {
        width = element.clientWidth
        this.#heights.clear()
        this.#measured.value++
      }
      see()
    })
    observer.observe(element)
    element.addEventListener('scroll', see, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', see)
      this.#element = undefined
    }
  }

  /** Measures the lines of the range, and holds what is read in its place. Called after each rendering. */
  settle(): void {
    const element = this.#element
    if (!element) return
    let isChanged = false
    for (const line of element.children) {
      if (!(line instanceof HTMLElement) || line.dataset.id === undefined) continue
      const { height } = line.getBoundingClientRect()
      if (height === 0 || this.#heights.get(line.dataset.id) === height) continue
      this.#heights.set(line.dataset.id, height)
      isChanged = true
    }
    if (isChanged) this.#measured.value++
    const at = this.#anchor && this.#indexes.value.get(this.#anchor.id)
    if (!this.#anchor || at === undefined) return
    const top = (this.#tops.value[at] ?? 0) + this.#anchor.hidden
    if (Math.abs(element.scrollTop - top) >= 1) this.#scrollTo(top)
  }

  /** Scrolls by as little as brings a line into view. */
  reveal(id: string): void {
    const at = this.#indexes.value.get(id)
    if (!this.#element || at === undefined) return
    const [top = 0, bottom = 0] = [this.#tops.value[at], this.#tops.value[at + 1]]
    const { scrollTop, clientHeight } = this.#element
    if (top < scrollTop) this.#scrollTo(top)
    else if (bottom > scrollTop + clientHeight) this.#scrollTo(bottom - clientHeight)
  }

  #scrollTo(top: number): void {
    if (!this.#element) return
    this.#element.scrollTop = top
    this.#see()
  }

  #see(): void {
    if (!this.#element) return
    const { scrollTop: top, clientHeight: height } = this.#element
    const before = this.#view.peek()
    if (before.top !== top || before.height !== height) this.#view.value = { top, height }
    const at = this.#lineAt(top)
    const id = this.#ids.value[at]
    const hidden = top - (this.#tops.value[at] ?? 0)
    this.#anchor = top > 0 && id !== undefined ? { id, hidden } : undefined
  }

  #lineAt(y: number): number {
    const tops = this.#tops.value
    let [low, high] = [0, Math.max(0, tops.length - 2)]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((tops[middle] ?? 0) <= y) low = middle
      else high = middle - 1
    }
    return low
  }
}
