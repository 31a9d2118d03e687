/** Upper bounds in seconds of the buckets for GitHub's response times. */
const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

export type GitHubCallOutcome = 'accepted' | 'limited' | 'refused' | 'failed' | 'unanswered'

/** The most credentials and repositories that are stored as failing. */
const MOST_FAILING = 1000

/** The counters since the start of a process or an isolate. */
export class RelayMetrics {
  /** By the name of the counter, and by its labels. */
  readonly #counters = new Map<string, Map<string, number>>()
  /** Calls within each bound, and beyond the one before it. */
  readonly #buckets = BUCKETS.map(() => 0)
  #seconds = 0
  #calls = 0
  /** The latest `x-ratelimit-remaining` of each credential. */
  readonly #remaining = new Map<object, number>()
  readonly #failing = new Map<string, string>()

  /** @param endpoint that was called */
  answered(
    status: number,
    endpoint?: { readonly owner: string; readonly name: string } | undefined,
  ): void {
    this.#count('hookline_responses_total', `{status="${status}"}`)
    if (endpoint === undefined) return
    // Neither name contains a quotation mark.
    const labels = `{owner="${endpoint.owner}",endpoint="${endpoint.name}",status="${status}"}`
    this.#count('hookline_endpoint_responses_total', labels)
  }

  /** @param outcome of the run of an event */
  ran(outcome: string): void {
    this.#count('hookline_runs_total', `{outcome="${outcome}"}`)
  }

  /** There was no room for a large body. */
  bodyRefused(): void {
    this.#count('hookline_bodies_refused_total', '')
  }

  called(outcome: GitHubCallOutcome, milliseconds: number): void {
    this.#count('hookline_github_calls_total', `{outcome="${outcome}"}`)
    const seconds = milliseconds / 1000
    this.#calls++
    this.#seconds += seconds
    const at = BUCKETS.findIndex((bound) => seconds <= bound)
    if (at >= 0) this.#buckets[at] = (this.#buckets[at] ?? 0) + 1
  }

  /** @param credential that made the calls */
  left(credential: object, remaining: number): void {
    if (!this.#remaining.has(credential) && this.#remaining.size >= MOST_FAILING) {
      this.#remaining.clear()
    }
    this.#remaining.set(credential, remaining)
  }

  /**
   * Records whether GitHub accepted the relay's own credential.
   *
   * @param place the repository it was used for
   * @param reason code of the refusal; `undefined` once it is accepted
   */
  credential(place: string, reason: string | undefined): void {
    if (reason === undefined) this.#failing.delete(place)
    else if (this.#failing.has(place) || this.#failing.size < MOST_FAILING) {
      this.#failing.set(place, reason)
    }
  }

  /** Why GitHub refuses the relay's own credential. */
  failingReasons(): readonly string[] {
    return [...new Set(this.#failing.values())]
  }

  /** https://prometheus.io/docs/instrumenting/exposition_formats/ */
  lines(): string[] {
    const remaining = [...this.#remaining.values()]
    return [
      ...this.#counterLines('hookline_responses_total'),
      ...this.#counterLines('hookline_endpoint_responses_total'),
      ...this.#histogram('hookline_github_seconds'),
      ...this.#counterLines('hookline_github_calls_total'),
      ...(remaining.length > 0 ? gauge('hookline_github_remaining', Math.min(...remaining)) : []),
      ...this.#failingLines(),
      ...this.#counterLines('hookline_runs_total'),
      ...this.#counterLines('hookline_bodies_refused_total'),
    ]
  }

  #histogram(name: string): string[] {
    let within = 0
    const lines = BUCKETS.map((bound, at) => {
      within += this.#buckets[at] ?? 0
      return `${name}_bucket{le="${bound}"} ${within}`
    })
    return [
      `# TYPE ${name} histogram`,
      ...lines,
      `${name}_bucket{le="+Inf"} ${this.#calls}`,
      `${name}_sum ${this.#seconds.toFixed(3)}`,
      `${name}_count ${this.#calls}`,
    ]
  }

  #count(name: string, labels: string): void {
    const known = this.#counters.get(name) ?? new Map<string, number>()
    this.#counters.set(name, known.set(labels, (known.get(labels) ?? 0) + 1))
  }

  #counterLines(name: string): string[] {
    const values = [...(this.#counters.get(name) ?? [])].toSorted()
    return [
      `# TYPE ${name} counter`,
      ...values.map(([labels, count]) => `${name}${labels} ${count}`),
    ]
  }

  #failingLines(): string[] {
    const counts = new Map<string, number>()
    for (const reason of this.#failing.values()) counts.set(reason, (counts.get(reason) ?? 0) + 1)
    const name = 'hookline_credential_failing'
    const values = [...counts]
      .toSorted()
      .map(([reason, count]) => `${name}{reason="${reason}"} ${count}`)
    return [`# TYPE ${name} gauge`, ...values]
  }
}

export function gauge(name: string, value: number): string[] {
  return [`# TYPE ${name} gauge`, `${name} ${value}`]
}
