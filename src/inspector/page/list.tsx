import type { Summary } from '../api.ts'
import { chosen, current, filter, summaries, tally, visibleRequests } from './state.ts'

/** The requests, newest first, and the filter over them. */
export function List() {
  return (
    <nav class="list" aria-label="Requests">
      <div class="filter">
        <label class="unseen" for="filter">
          Filter requests
        </label>
        <input
          id="filter"
          type="search"
          placeholder="Filter: event, fired, a word of the body"
          autocomplete="off"
          spellcheck={false}
          value={filter}
          onInput={({ currentTarget }) => {
            filter.value = currentTarget.value
          }}
          onKeyDown={({ key, currentTarget }) => {
            if (key === 'Escape' || key === 'Enter') currentTarget.blur()
          }}
        />
        <kbd>/</kbd>
      </div>
      <p id="tally" class="tally" role="status">
        {tally}
      </p>
      <ol id="rows" class="rows">
        {visibleRequests.value.map((summary) => (
          <Row key={summary.id} summary={summary} />
        ))}
      </ol>
    </nav>
  )
}

function Row({ summary }: { summary: Summary }) {
  const { id, path, event, trigger, reason, milliseconds, time, origin, preview } = summary
  return (
    <li>
      <a href={`#${id}`} aria-current={current.value === id ? 'true' : undefined}>
        <span class="line">
          <Method summary={summary} />
          <span class="path" title={path}>
            {shownPath(summary)}
          </span>
          <time dateTime={time}>{clockTime(time)}</time>
        </span>
        <span class="line second">
          <OutcomeLabel summary={summary} />
          {event !== null && <span class="event">{event}</span>}
          {reason === null && event === null && <span class="trigger">{trigger}</span>}
          {WAYS[origin] !== '' && <span class="origin">{WAYS[origin]}</span>}
          <span class="duration">{shownMilliseconds(milliseconds)}</span>
        </span>
        {reason !== null && <span class="why">{reason}</span>}
        {preview !== null && <span class="event-preview">{preview}</span>}
      </a>
    </li>
  )
}

/**
 * Brings the line that is shown into view, and gives it the focus where that is asked for. Preact
 * renders in a microtask, so this comes behind it and before the next key: any later, the line would
 * take the focus from whoever types by then, and what is typed would be taken for shortcuts.
 */
export function showCurrentLine(isFocused: boolean): void {
  queueMicrotask(() => {
    const line = document.querySelector<HTMLElement>('#rows [aria-current]')
    line?.scrollIntoView({ block: 'nearest' })
    if (isFocused) line?.focus()
  })
}

/** How an event came, where that is worth a word. */
export const WAYS = { request: '', replay: 'replay', composed: 'sent from here', poll: '' } as const

export function Method({ summary: { origin, method } }: { summary: Summary }) {
  return <span class="method">{origin === 'poll' ? 'POLL' : method}</span>
}

const WORDS = { fired: 'Fired', skipped: 'Skipped', mistaken: 'Mistake', refused: 'Refused' }

export function OutcomeLabel({ summary: { outcome, count } }: { summary: Summary }) {
  const items = outcome === 'fired' && count !== 1 ? ` ${count} items` : ''
  return (
    <span class={`outcome ${outcome}`}>
      {WORDS[outcome]}
      {items}
    </span>
  )
}

export function shownPath({ path, workflow, trigger }: Summary): string {
  return path || [workflow, trigger].filter(Boolean).join('/') || 'unknown address'
}

export function clockTime(time: string): string {
  return new Date(time).toLocaleTimeString([], { hour12: false })
}

export function shownMilliseconds(milliseconds: number): string {
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : milliseconds.toFixed(0)} ms`
}

/** The number of events after the selected one: the view does not follow new events while one is selected. */
export function newerCount(): number {
  const pinned = summaries.value.get(chosen.value)
  if (!pinned) return 0
  return visibleRequests.value.filter(({ number }) => number > pinned.number).length
}
