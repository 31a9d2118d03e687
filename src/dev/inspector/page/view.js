import { loadDetail, welcome } from './connection.js'
import { detailView } from './detail.js'
import { byId } from './element.js'
import { emptyView } from './empty.js'
import { matches, row, shownPath } from './list.js'

/**
 * @typedef {import('../wire.ts').Summary} Summary
 * @typedef {import('../wire.ts').Detail} Detail
 */

const rows = byId('rows', HTMLOListElement)
const pane = byId('detail', HTMLElement)
const filter = byId('filter', HTMLInputElement)
const tally = byId('tally', HTMLElement)

/** @type {Map<number, Summary>} oldest first */
const summaries = new Map()
/** @type {Detail | undefined} */
let shown
/** Delivery that is to be shown as soon as it comes. */
let awaited = ''
let isWaiting = false

/** What is shown, whether it was chosen or is the newest. */
export function shownDetail() {
  return shown
}

/** @param {Summary} summary */
export function arrived(summary) {
  summaries.set(summary.id, summary)
  const line = row(summary)
  line.hidden = !matches(summary, filter.value)
  rows.prepend(line)
  if (summary.delivery === awaited) choose(summary.id)
  else refreshSoon()
}

/** @param {number} oldest what came before it is no longer kept */
export function forget(oldest) {
  for (const id of summaries.keys()) {
    if (id >= oldest) break
    summaries.delete(id)
    rows.querySelector(`[data-id="${id}"]`)?.remove()
  }
}

export function forgetAll() {
  forget(Number.POSITIVE_INFINITY)
  location.hash = ''
  refreshSoon()
}

/** @param {number} id */
export function choose(id) {
  awaited = ''
  if (chosen() === id) refresh()
  else location.hash = String(id)
}

/** @param {string} delivery of an event that may be here already, or is on its way */
export function chooseDelivery(delivery) {
  const already = [...summaries.values()].find((summary) => summary.delivery === delivery)
  if (already) choose(already.id)
  else awaited = delivery
}

/** @param {1 | -1} by */
export function step(by) {
  const lines = visible()
  const current = wanted()
  const next = lines[lines.findIndex(({ id }) => id === current) + by]
  if (!next) return
  choose(next.id)
  const line = rows.querySelector(`[data-id="${next.id}"] a`)
  line?.scrollIntoView({ block: 'nearest' })
  if (line instanceof HTMLElement && rows.contains(document.activeElement)) line.focus()
}

export function openShown() {
  if (shown) choose(shown.id)
  pane.focus()
}

/** Back to the list, where the newest is shown again. */
export function back() {
  location.hash = ''
  const line = rows.querySelector('[aria-current]')
  if (line instanceof HTMLElement) line.focus()
}

export function filterRows() {
  for (const summary of summaries.values()) {
    const line = rows.querySelector(`[data-id="${summary.id}"]`)
    if (line instanceof HTMLElement) line.hidden = !matches(summary, filter.value)
  }
  refresh()
}

/** Brings the page in line with what is kept, chosen and filtered. */
export function refresh() {
  const lines = visible()
  const current = wanted()
  for (const line of rows.children) {
    const isCurrent = line.getAttribute('data-id') === String(current)
    if (isCurrent) line.firstElementChild?.setAttribute('aria-current', 'true')
    else line.firstElementChild?.removeAttribute('aria-current')
  }
  document.body.dataset.view = chosen() ? 'detail' : 'list'
  document.body.dataset.empty = String(summaries.size === 0)
  tally.textContent = tallyText(lines.length)
  if (current !== shown?.id || current === 0) void show(current)
}

/** Once for all that comes in a burst, as after a reconnect. */
function refreshSoon() {
  if (isWaiting) return
  isWaiting = true
  setTimeout(() => {
    isWaiting = false
    refresh()
  }, 16)
}

/** The request that a person chose; 0 for none. */
function chosen() {
  return Number(location.hash.slice(1)) || 0
}

/** The request to show: the newest one unless one was chosen; 0 for none. */
function wanted() {
  return chosen() || visible()[0]?.id || 0
}

function visible() {
  const newestFirst = [...summaries.values()].reverse()
  return newestFirst.filter((summary) => matches(summary, filter.value))
}

/** @param {number} count of the lines that the filter lets through */
function tallyText(count) {
  if (summaries.size === 0) return 'Requests appear here as they come.'
  const all = `${summaries.size} ${summaries.size === 1 ? 'request' : 'requests'}`
  if (count !== summaries.size) return `${count} of ${all}`
  return chosen() ? all : `${all}, following the newest`
}

/** @param {number} id 0 for none */
async function show(id) {
  const detail = id === 0 ? undefined : await loadDetail(id)
  if (wanted() !== id) return
  shown = detail
  document.title = detail ? `${detail.method} ${shownPath(detail)} · Hookline dev` : 'Hookline dev'
  if (detail) pane.replaceChildren(...detailView(detail))
  else if (id !== 0) pane.replaceChildren('This request is no longer kept.')
  else if (summaries.size > 0) pane.replaceChildren('No request matches the filter.')
  else await showWelcome()
  pane.scrollTop = 0
}

/** What there is before the first request; again after a workflow file may have been written. */
export async function showWelcome() {
  const view = await welcome().then(emptyView, () => ['hookline dev does not answer.'])
  if (summaries.size === 0) pane.replaceChildren(...view)
}
