import { computed, type Signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { Outcome, Summary } from '../api.ts'
import { askReplay, Marks } from './replay.tsx'
import {
  choices,
  chosen,
  clearFilter,
  current,
  filter,
  isToday,
  mark,
  marked,
  summaries,
  tally,
  valuesInList,
  visibleRequests,
  welcome,
} from './state.ts'
import { ListWindow } from './window.ts'

const lines = new ListWindow(computed(() => visibleRequests.value.map(({ id }) => id)))

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
            isRelay ? 'Filter: path, id, reason' : 'Filter: event, fired, a word of the body'
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
      {isRelay && <Choices />}
      <p id="tally" class="tally" role="status">
        {tally}
      </p>
      {isRelay && <Marks />}
      {visibleRequests.value.length === 0 && summaries.value.size > 0 && (
        <p class="unmatched">
          {isRelay ? 'No delivery matches the filter.' : 'No request matches it.'}{' '}
          <button type="button" class="small" onClick={clearFilter}>
            Clear the filter
          </button>
        </p>
      )}
      <Rows />
    </nav>
  )
}

/** The filters by endpoint, state and outcome of the run. */
function Choices() {
  return (
    <div class="choices">
      <Choice
        label="Endpoint"
        all="All endpoints"
        choice={choices.endpoint}
        values={valuesInList(({ relay }) => relay?.endpoint)}
      />
      <Choice
        label="State"
        all="All states"
        choice={choices.outcome}
        values={valuesInList(({ outcome }) => outcome)}
      />
      <Choice
        label="Outcome of the run"
        all="All outcomes"
        choice={choices.run}
        values={valuesInList(({ relay }) => relay?.outcome)}
      />
    </div>
  )
}

interface ChoiceProps {
  label: string
  all: string
  choice: Signal<string>
  values: readonly string[]
}

function Choice({ label, all, choice, values }: ChoiceProps) {
  // A value that is chosen stays, even if the list has it no longer.
  const offered = [...new Set([...values, choice.value])].filter((value) => value !== '')
  return (
    <select
      aria-label={label}
      value={choice}
      onChange={({ currentTarget }) => {
        choice.value = currentTarget.value
      }}
    >
      <option value="">{all}</option>
      {offered.map((value) => (
        <option key={value} value={value}>
          {value.replaceAll('_', ' ')}
        </option>
      ))}
    </select>
  )
}

function Rows() {
  const list = useRef<HTMLOListElement>(null)
  const [from, to] = lines.range.value
  const [above, below] = lines.space.value
  const all = visibleRequests.value
  useEffect(() => (list.current ? lines.attach(list.current) : undefined), [])
  useLayoutEffect(() => lines.settle())
  return (
    <ol
      id="rows"
      class="rows"
      ref={list}
      style={{ '--above': `${above}px`, '--below': `${below}px` }}
    >
      {all.slice(from, to).map((summary, at) => (
        <Row key={summary.id} summary={summary} position={from + at + 1} size={all.length} />
      ))}
    </ol>
  )
}

function Row({ summary, position, size }: { summary: Summary; position: number; size: number }) {
  const { id, path, event, trigger, reason, milliseconds, time, origin, relay } = summary
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
  const currentLine = () => document.querySelector<HTMLElement>('#rows [aria-current]')
  queueMicrotask(() => {
    lines.reveal(current.value)
    if (!isFocused) return
    const line = currentLine()
    if (line) return line.focus({ preventScroll: true })
    // A line that was out of sight is rendered first; whoever types by then keeps the focus.
    const before = document.activeElement
    queueMicrotask(() => {
      lines.reveal(current.value)
      if (document.activeElement === before) currentLine()?.focus({ preventScroll: true })
    })
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
