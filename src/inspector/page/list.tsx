import { signal } from '@preact/signals'
import type { Outcome, Summary } from '../api.ts'
import { askReplay, Marks } from './replay.tsx'
import {
  chosen,
  current,
  filter,
  isFiltered,
  isToday,
  mark,
  marked,
  summaries,
  tally,
  visibleRequests,
  welcome,
} from './state.ts'

/** Lines that are shown first, and how many more a click shows. */
const PAGE = 200
const count = signal(PAGE)

/** The requests, newest first, and the filter over them. */
export function List() {
  const isRelay = welcome.value?.relay != null
  return (
    <nav class="list" aria-label={isRelay ? 'Deliveries' : 'Requests'}>
      <div class="filter">
        <label class="unseen" for="filter">
          Filter {isRelay ? 'deliveries' : 'requests'}
        </label>
        <input
          id="filter"
          type="search"
          placeholder={
            isRelay
              ? 'Filter: endpoint, dead, failure, a path or id'
              : 'Filter: event, fired, a word of the body'
          }
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
      {isRelay && <Marks />}
      {isFiltered.value && visibleRequests.value.length === 0 && summaries.value.size > 0 && (
        <p class="unmatched">
          {isRelay ? 'No delivery matches the filter.' : 'No request matches it.'}{' '}
          <button
            type="button"
            class="small"
            onClick={() => {
              filter.value = ''
            }}
          >
            Clear the filter
          </button>
        </p>
      )}
      <Rows />
    </nav>
  )
}

function Rows() {
  const all = visibleRequests.value
  // The line that is shown stays in the list, and the next one is there before a key selects it.
  const shown = Math.max(count.value, all.findIndex(({ id }) => id === current.value) + 2)
  const left = all.length - shown
  return (
    <>
      <ol id="rows" class="rows">
        {all.slice(0, shown).map((summary, at) => (
          <Row key={summary.id} summary={summary} position={at + 1} size={all.length} />
        ))}
      </ol>
      {left > 0 && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            count.value = shown + PAGE
          }}
        >
          {left.toLocaleString('en')} more
        </button>
      )}
    </>
  )
}

function Row({ summary, position, size }: { summary: Summary; position: number; size: number }) {
  const { id, path, event, trigger, reason, milliseconds, time, origin, preview, relay } = summary
  return (
    <li data-id={id} aria-posinset={position} aria-setsize={size}>
      {relay && (
        <input
          type="checkbox"
          class="mark"
          aria-label={`Select ${shownPath(summary)}, ${clockTime(time)}`}
          disabled={!relay.canReplay}
          checked={marked.value.has(id)}
          onChange={({ currentTarget }) => mark([id], currentTarget.checked)}
        />
      )}
      <a href={`#${id}`} aria-current={current.value === id ? 'true' : undefined}>
        <span class="line">
          <Method summary={summary} />
          <span class="path" title={path}>
            {shownPath(summary)}
          </span>
          <time dateTime={time}>{relay ? dayAndTime(time) : clockTime(time)}</time>
        </span>
        <span class="line second">
          <OutcomeLabel summary={summary} />
          <JobsLabel summary={summary} />
          {event !== null && <span class="event">{event}</span>}
          {relay && relay.endpoint !== '' && <span class="event">{relay.endpoint}</span>}
          {!relay && reason === null && event === null && <span class="trigger">{trigger}</span>}
          {WAYS[origin] !== '' && <span class="origin">{WAYS[origin]}</span>}
          {milliseconds !== null && <span class="duration">{shownMilliseconds(milliseconds)}</span>}
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
    const line = document.querySelector<HTMLElement>(`#rows [data-id="${current.value}"] a`)
    line?.scrollIntoView({ block: 'nearest' })
    if (isFocused) line?.focus({ preventScroll: true })
  })
}

/** Marks the delivery that is shown for a replay, or takes the mark away. */
export function toggleMark(): void {
  const id = current.value
  mark([id], !marked.value.has(id))
}

/** Marks every delivery that the filter shows; if all are marked, none. */
export function toggleAllMarks(): void {
  const ids = visibleRequests.value.flatMap(({ id, relay }) => (relay?.canReplay ? [id] : []))
  mark(ids, !ids.every((id) => marked.value.has(id)))
}

/** Asks whether the marked deliveries, or else the shown one, are to be replayed. */
export function replayMarked(): void {
  askReplay(marked.value.size > 0 ? [...marked.value] : [current.value])
}

/** How an event came, where that is worth a word. */
export const WAYS = { request: '', replay: 'replay', composed: 'sent from here', poll: '' } as const

export function Method({ summary: { origin, method } }: { summary: Summary }) {
  return <span class="method">{origin === 'poll' ? 'POLL' : method}</span>
}

const WORDS: Readonly<Record<Outcome, string>> = {
  fired: 'Fired',
  skipped: 'Skipped',
  unverified: 'Not verified',
  mistaken: 'Mistake',
  refused: 'Refused',
  delivered: 'Delivered',
  waiting: 'Waiting',
  uncertain: 'Uncertain',
  dead: 'Dead',
  filtered: 'Filtered',
}

export function OutcomeLabel({ summary: { outcome, count } }: { summary: Summary }) {
  const items = outcome === 'fired' && count !== 1 ? ` ${count} items` : ''
  return (
    <span class={`outcome ${outcome}`}>
      {WORDS[outcome]}
      {items}
    </span>
  )
}

/** The result of the jobs, beside the outcome. */
export function JobsLabel({ summary: { jobsResult } }: { summary: Summary }) {
  if (!jobsResult) return null
  return <span class={`jobs-result ${jobsResult.kind}`}>{jobsResult.text}</span>
}

export function shownPath({ path, workflow, trigger }: Summary): string {
  return path || [workflow, trigger].filter(Boolean).join('/') || 'unknown address'
}

// A formatter is made once, because each takes as long as a line.
const CLOCK = new Intl.DateTimeFormat([], { timeStyle: 'medium', hour12: false })
const DAY = new Intl.DateTimeFormat([], { month: 'short', day: 'numeric' })

/** The text of an invalid time is shown as it is. */
function clockTime(time: string): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? time : CLOCK.format(date)
}

/** The time of today, and the date of any other day. */
export function dayAndTime(time: string): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return time
  return isToday(date) ? clockTime(time) : `${DAY.format(date)}, ${clockTime(time)}`
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
