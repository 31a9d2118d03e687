import { batch, computed, effect, signal } from '@preact/signals'
import { counted } from '../../wire/printable.ts'
import type { Detail, Order, SentResponse, ShownRequest, Summary, Welcome } from '../api.ts'
import { filterMatcher, isExcluding } from '../filter.ts'
import { fetchDetail, fetchText, fetchWelcome, follow, search, sendOrder } from './connection.ts'

/** Whether events come. */
export const connection = signal<'connecting' | 'live' | 'lost' | 'closed'>('connecting')
/** The stored requests, oldest first. */
export const summaries = signal<ReadonlyMap<string, Summary>>(new Map())
export const welcome = signal<Welcome | undefined>(undefined)
export const filter = signal('')
/** The id of the selected request in the address; empty while the newest is followed. */
export const chosen = signal(location.hash.slice(1))
/** The shown request, or the reason that there is none. */
export const shown = signal<Detail | 'gone' | 'unreachable' | undefined>(undefined)
/** A value of the outputs, for which expressions are offered. */
export const picked = signal<{ trigger: string; path: readonly (string | number)[] } | undefined>(
  undefined,
)
/** The item that is shown, of several; counts from 0. */
export const item = signal(0)
export const toast = signal<{ text: string; code?: string } | undefined>(undefined)

/** The output of the real jobs of the shown event. */
export const log = signal('')

/** The matches of a filter that only the server can find, because it has headers and bodies. */
const found = signal<ReadonlySet<string>>(new Set())
let run = ''
/** Delivery that is to be shown as soon as it comes. */
let awaited = ''

/** The requests that match the filter, newest first. */
export const visibleRequests = computed(() => {
  const newestFirst = [...summaries.value.values()].reverse()
  if (filter.value.trim() === '') return newestFirst
  const isMatch = filterMatcher(filter.value)
  const isSure = !isExcluding(filter.value)
  return newestFirst.filter(
    (summary) => found.value.has(summary.id) || (isSure && isMatch(searchedText(summary))),
  )
})

function searchedText(summary: Summary) {
  const { method, path, workflow, trigger, event, outcome, origin, reason, preview } = summary
  return [method, path, workflow, trigger, event, outcome, origin, reason, preview].join(' ')
}

/** The id of the request to show: the newest unless one is selected; empty for none. */
export const current = computed(() => chosen.value || visibleRequests.value[0]?.id || '')

/** The shown request; the previous one remains while the next one is fetched. */
export const detail = computed(() => (typeof shown.value === 'object' ? shown.value : undefined))

export const tally = computed(() => {
  const kept = summaries.value.size
  const total = [...summaries.value.values()].at(-1)?.number ?? 0
  if (kept === 0) return 'New requests appear here.'
  const all = counted(kept, 'request')
  if (filter.value.trim() !== '') return `${visibleRequests.value.length} of ${all}`
  const listed = kept < total ? `The last ${kept} of ${total} requests` : all
  return chosen.value ? listed : `${listed}, following the newest`
})

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
    hello(newRun, oldest) {
      if (run !== '' && run !== newRun) startAgain()
      run = newRun
      forget(oldest)
    },
    request: arrived,
    log: (delivery) => void (delivery === detail.value?.delivery && loadLog()),
    workflows: () => void loadWelcome(),
  })
}

/** Another run of `hookline dev`: nothing of what was shown is there any more. */
function startAgain(): void {
  batch(() => {
    summaries.value = new Map()
    found.value = new Set()
    shown.value = undefined
    picked.value = undefined
    choose('')
  })
  announce('hookline dev was started anew')
}

async function loadWelcome(): Promise<void> {
  try {
    welcome.value = await fetchWelcome()
  } catch {
    // The connection says that it is lost, and this is done again when it is back.
  }
}

let arriving: Summary[] = []
let oldestKept = 0

/** Once for all that comes in a burst, as after a reconnect. */
function arrived(summary: Summary, oldest: number): void {
  oldestKept = oldest
  arriving.push(summary)
  if (arriving.length > 1) return
  setTimeout(() => {
    const news = arriving
    arriving = []
    batch(() => {
      summaries.value = new Map([...summaries.value, ...news.map((one) => [one.id, one] as const)])
      forget(oldestKept)
      const wanted = news.find(({ delivery }) => delivery !== '' && delivery === awaited)
      if (wanted) choose(wanted.id)
    })
    searchSoon(filter.value)
  }, 16)
}

/** @param oldest requests before it are no longer stored */
function forget(oldest: number): void {
  const kept = [...summaries.value].filter(([, { number }]) => number >= oldest)
  if (kept.length < summaries.value.size) summaries.value = new Map(kept)
}

async function show(id: string): Promise<void> {
  const before = shown.peek()
  if (id === '' || (typeof before === 'object' && before.id === id)) {
    if (id === '') shown.value = undefined
    return
  }
  const loaded = await fetchDetail(id).catch(() => 'unreachable' as const)
  if (current.peek() !== id) return
  batch(() => {
    shown.value = loaded ?? 'gone'
    item.value = 0
    log.value = ''
  })
  void loadLog()
}

let logging: ReturnType<typeof setTimeout> | undefined

/** Once for all that is said in a burst. */
function loadLog(): void {
  clearTimeout(logging)
  logging = setTimeout(async () => {
    const { delivery } = detail.peek() ?? {}
    if (!delivery || !welcome.peek()?.runs) return
    const text = await fetchText(`log/${delivery}`).catch(() => '')
    if (detail.peek()?.delivery === delivery) log.value = text
  }, 50)
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
  if (text.trim() === '') return
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
  const already = [...summaries.value.values()].find(({ delivery }) => delivery === sent.delivery)
  if (already) choose(already.id)
  else awaited = sent.delivery
  return sent
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
