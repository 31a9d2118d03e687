import { batch, computed, effect, signal } from '@preact/signals'
import { counted } from '../../wire/printable.ts'
import type {
  Detail,
  ListChange,
  Order,
  SentResponse,
  ShownRequest,
  Summary,
  Welcome,
} from '../api.ts'
import { filterMatcher, isExcluding } from '../filter.ts'
import {
  failureMessage,
  fetchDetail,
  fetchWelcome,
  follow,
  search,
  sendOrder,
} from './connection.ts'

export function isToday(date: Date): boolean {
  return date.toDateString() === new Date().toDateString()
}

/** Whether events come. */
export const connection = signal<'connecting' | 'live' | 'lost' | 'closed'>('connecting')
/** The stored requests by id, in the order of their arrival here. */
export const summaries = signal<ReadonlyMap<string, Summary>>(new Map())
export const welcome = signal<Welcome | undefined>(undefined)
export const filter = signal('')
/** The values by which a relay's deliveries are filtered; empty for all. */
export const choices = {
  endpoint: signal(''),
  outcome: signal(''),
  run: signal(''),
} as const
/** Ids of the deliveries that are marked for a replay. */
export const marked = signal<ReadonlySet<string>>(new Set())
/** The id of the selected request in the address; empty while the newest is followed. */
export const chosen = signal(location.hash.slice(1))
/** The shown request, or the reason that there is none. */
export const shown = signal<Detail | 'gone' | 'unreachable' | undefined>(undefined)
/** Why the shown request is unreachable. */
export const fault = signal('')
/** A value of the outputs, for which expressions are offered. */
export const picked = signal<{ trigger: string; path: readonly (string | number)[] } | undefined>(
  undefined,
)
/** The item that is shown, of several; counts from 0. */
export const item = signal(0)
export const toast = signal<{ text: string; code?: string } | undefined>(undefined)

/** The matches of a filter that only the server can find, because it has headers and bodies. */
const found = signal<ReadonlySet<string>>(new Set())
let run = ''
/** Delivery that is to be shown as soon as it comes. */
let awaited = ''

const newestFirst = computed(() =>
  [...summaries.value.values()].sort((one, other) => other.number - one.number),
)

export const isFiltered = computed(
  () => filter.value.trim() !== '' || Object.values(choices).some((choice) => choice.value !== ''),
)

/** The requests that match the filter, newest first. */
export const visibleRequests = computed(() => {
  if (!isFiltered.value) return newestFirst.value
  const isMatch = filterMatcher(filter.value)
  const isSure = welcome.value?.relay != null || !isExcluding(filter.value)
  return newestFirst.value.filter(
    (summary) =>
      isChosen(summary) &&
      (found.value.has(summary.id) || (isSure && isMatch(searchedText(summary)))),
  )
})

function isChosen({ outcome, relay }: Summary): boolean {
  const { endpoint, outcome: state, run } = choices
  const equals = (choice: string, value: string | undefined) => choice === '' || choice === value
  return (
    equals(endpoint.value, relay?.endpoint) &&
    equals(state.value, outcome) &&
    equals(run.value, relay?.outcome)
  )
}

export function valuesInList(read: (summary: Summary) => string | undefined): string[] {
  return [...new Set(newestFirst.value.flatMap((one) => read(one) || []))].sort()
}

export function clearFilter(): void {
  batch(() => {
    filter.value = ''
    for (const choice of Object.values(choices)) choice.value = ''
  })
}

function searchedText(summary: Summary) {
  const { method, path, workflow, trigger, event, outcome, origin, reason } = summary
  const { relay, jobsResult, delivery } = summary
  const more = [delivery, relay?.endpoint, relay?.repository, jobsResult?.text].join(' ')
  const line = [method, path, workflow, trigger, event, outcome, origin, reason].join(' ')
  return `${line} ${more}`
}

/** The id of the request to show: the newest unless one is selected; empty for none. */
export const current = computed(() => chosen.value || visibleRequests.value[0]?.id || '')

/** The shown request; the previous one remains while the next one is fetched. */
export const detail = computed(() => (typeof shown.value === 'object' ? shown.value : undefined))

export const tally = computed(() => {
  const kept = summaries.value.size
  const relay = welcome.value?.relay
  if (kept === 0) return relay ? 'New deliveries appear here.' : 'New requests appear here.'
  const all = relay ? deliveryCount(kept) : counted(kept, 'request')
  if (isFiltered.value) return `${visibleRequests.value.length} of ${all}`
  const listed = relay?.isFull ? `The newest ${all}` : relay ? all : lastOf(kept, all)
  return chosen.value ? listed : `${listed}, following the newest`
})

export function deliveryCount(count: number): string {
  return count === 1 ? '1 delivery' : `${count.toLocaleString('en')} deliveries`
}

/** `dev` numbers its requests from 1. */
function lastOf(kept: number, all: string): string {
  const total = newestFirst.value[0]?.number ?? 0
  return kept < total ? `The last ${kept} of ${total} requests` : all
}

/** Follows the events, and brings what is shown in line with what is chosen. */
export function start(): void {
  addEventListener('hashchange', () => {
    chosen.value = location.hash.slice(1)
  })
  effect(() => {
    loading = show(current.value)
  })
  effect(() => searchSoon(filter.value))
  follow({
    connection(state) {
      connection.value = state
      if (state !== 'live') return
      if (shown.value === 'unreachable') loading = show(current.value)
      void loadWelcome()
    },
    hello(newRun) {
      if (run !== '' && run !== newRun) startAgain()
      run = newRun
      // The list on the page stays until the whole new list has come.
      isReplacing = true
    },
    requests: arrived,
    changed: () => void loadWelcome(),
  })
}

/** Another run of the command: nothing of what was shown is there any more. */
function startAgain(): void {
  batch(() => {
    summaries.value = new Map()
    found.value = new Set()
    shown.value = undefined
    picked.value = undefined
    marked.value = new Set()
    clearFilter()
    choose('')
  })
  announce('The command was started anew')
}

async function loadWelcome(): Promise<void> {
  try {
    welcome.value = await fetchWelcome()
  } catch {
    // The connection says that it is lost, and this is done again when it is back.
  }
}

let arriving: ListChange[] = []
/** True if the next arrival replaces the list. */
let isReplacing = false

/** Once for all that comes in a burst, as after a reconnect. */
function arrived(change: ListChange): void {
  arriving.push(change)
  if (arriving.length > 1) return
  setTimeout(() => {
    const news = arriving
    arriving = []
    batch(() => {
      const all = new Map(isReplacing ? [] : summaries.value)
      isReplacing = false
      for (const { summaries: changed, gone } of news) {
        for (const one of changed) all.set(one.id, one)
        for (const id of gone) all.delete(id)
      }
      summaries.value = all
      unmarkMissing()
      const wanted = news
        .flatMap(({ summaries: changed }) => changed)
        .find(({ delivery }) => delivery !== '' && delivery === awaited)
      if (wanted) choose(wanted.id)
    })
    searchSoon(filter.value)
    void showChanged(news)
  }, 16)
}

/** A delivery changes while it is shown: its event is accepted, its run ends. */
async function showChanged(news: readonly ListChange[]): Promise<void> {
  const before = detail.peek()
  if (!before) return
  const changed = news.flatMap(({ summaries: some }) => some).find(({ id }) => id === before.id)
  if (!changed || isSameLine(changed, before)) return
  const loaded = await fetchDetail(before.id).catch(() => undefined)
  if (loaded && detail.peek()?.id === before.id) shown.value = loaded
}

function isSameLine(one: Summary, other: Summary): boolean {
  const { outcome, reason, jobsResult } = one
  return (
    JSON.stringify([outcome, reason, jobsResult]) ===
    JSON.stringify([other.outcome, other.reason, other.jobsResult])
  )
}

function unmarkMissing(): void {
  const kept = [...marked.value].filter((id) => summaries.value.has(id))
  if (kept.length < marked.value.size) marked.value = new Set(kept)
}

/** Marks deliveries for a replay, or takes the mark away. A refused request cannot be replayed. */
export function mark(ids: readonly string[], isMarked: boolean): void {
  const next = new Set(marked.value)
  for (const id of ids) {
    if (!isMarked) next.delete(id)
    else if (summaries.value.get(id)?.relay?.canReplay) next.add(id)
  }
  marked.value = next
}

async function show(id: string): Promise<void> {
  if (id === '') {
    shown.value = undefined
    return
  }
  if (detail.peek()?.id === id) return
  const loaded = await fetchDetail(id).catch((error: unknown) => {
    fault.value = failureMessage(error)
    return 'unreachable' as const
  })
  if (current.peek() !== id) return
  batch(() => {
    shown.value = loaded ?? 'gone'
    item.value = 0
  })
}

let loading = Promise.resolve()

/** The event that is chosen, once it is here; `undefined` where it cannot be had. */
export async function loaded(): Promise<Detail | undefined> {
  await loading
  return detail.value?.id === current.value ? detail.value : undefined
}

let searching: ReturnType<typeof setTimeout> | undefined

function searchSoon(text: string): void {
  clearTimeout(searching)
  if (text.trim() === '' || welcome.peek()?.relay) return
  searching = setTimeout(async () => {
    const ids = await search(text).catch(() => [])
    if (filter.peek() === text) found.value = new Set(ids)
  }, 150)
}

/** @param id empty to follow the newest */
export function choose(id: string): void {
  awaited = ''
  if (location.hash.slice(1) !== id) location.hash = id
  chosen.value = id
}

/** @param by 1 for an earlier request, -1 for a later one */
export function step(by: 1 | -1): void {
  const lines = visibleRequests.value
  const next = lines[lines.findIndex(({ id }) => id === current.value) + by]
  if (next) choose(next.id)
}

/**
 * Has a request sent, and shows what becomes of it.
 *
 * @param of event whose hidden headers are put in again
 * @param sign anew, as the sender would
 */
export async function send(
  request: ShownRequest,
  of: string | null,
  sign = false,
): Promise<SentResponse> {
  const order: Order = { of, sign, ...request }
  const sent = await sendOrder(order)
  showWhenListed(sent.delivery)
  return sent
}

/** The address of the `hookline dev` to which a request can be sent. */
export function localBase(): string {
  return welcome.value?.relay?.dev ?? location.origin
}

/** Shows a delivery as soon as it is in the list. */
export function showWhenListed(delivery: string): void {
  const already = [...summaries.value.values()].find((one) => one.delivery === delivery)
  if (already) choose(already.id)
  else awaited = delivery
}

let hiding: ReturnType<typeof setTimeout> | undefined

/** Says something for a few seconds, to eyes and to screen readers. */
export function announce(text: string, code?: string): void {
  toast.value = code === undefined ? { text } : { text, code }
  clearTimeout(hiding)
  hiding = setTimeout(() => {
    toast.value = undefined
  }, 3500)
}

export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    announce(`Copied ${what}`, text.length > 200 ? `${text.slice(0, 200)}…` : text)
  } catch {
    announce('The browser refused to copy:', text)
  }
}

/** The user's settings, stored by the browser if it allows that. */
export function setting(name: string): string | null {
  try {
    return localStorage.getItem(`hookline-${name}`)
  } catch {
    return null
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`hookline-${name}`, value)
  } catch {
    // The browser stores nothing, so the choice lasts for this visit.
  }
}
