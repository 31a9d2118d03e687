import { element } from './element.js'
import { clockTime, duration, outcome, shownPath } from './list.js'
import { outputsSection } from './outputs.js'
import { tallyPart } from './tally.js'
import { tree } from './tree.js'

/**
 * @typedef {import('../wire.ts').Detail} Detail
 * @typedef {import('../wire.ts').ShownRequest} ShownRequest
 */

/** What can be done with a request: its key, its name. */
const ACTIONS = [
  ['replay', 'r', 'Replay'],
  ['edit', 'e', 'Edit and replay'],
  ['curl', 'c', 'Copy as curl'],
  ['save', 's', 'Save as fixture'],
]

/**
 * All that is known of one event.
 *
 * @param {Detail} detail
 */
export function detailView(detail) {
  const { request, items, count, found } = detail
  return [
    element('a', { class: 'back', href: '#' }, '← All requests'),
    heading(detail),
    request &&
      element(
        'div',
        { class: 'actions' },
        ...ACTIONS.map(([name = '', key = '', label = '']) =>
          element(
            'button',
            { type: 'button', 'data-action': name },
            label,
            element('kbd', {}, key),
          ),
        ),
      ),
    decisionSection(detail),
    count > 0 && items.length > 0 && outputsSection(detail),
    isPrepared(detail) && foundSection(found),
    request && requestSection(request),
  ].filter((part) => part !== null && part !== false)
}

/** @param {Detail} detail */
function heading(detail) {
  const { method, time, milliseconds, delivery, origin } = detail
  return element(
    'header',
    { class: 'heading' },
    element(
      'h2',
      {},
      element('span', { class: 'method' }, origin === 'poll' ? 'POLL' : method),
      ' ',
      element('span', { class: 'path' }, shownPath(detail)),
    ),
    element(
      'p',
      { class: 'facts' },
      outcome(detail),
      element('time', { datetime: time }, clockTime(time)),
      element('span', {}, duration(milliseconds)),
      origin === 'replay' && element('span', {}, 'replay'),
      delivery &&
        element('span', { class: 'delivery' }, 'delivery ', element('code', {}, delivery)),
    ),
  )
}

/** @param {Detail} detail */
function decisionSection({ decisions, reason, problems, warnings }) {
  return element(
    'section',
    { 'aria-labelledby': 'decision-title' },
    element('header', {}, element('h3', { id: 'decision-title' }, 'Decision')),
    reason && element('p', { class: 'reason' }, sentence(reason)),
    ...problems.map((problem) => element('pre', { class: 'problem', tabindex: '0' }, problem)),
    ...warnings.map((warning) => element('p', { class: 'warning' }, 'Warning: ', warning)),
    decisions.length > 0 &&
      element('ul', { class: 'decisions card' }, ...decisions.map(decisionItem)),
  )
}

/** @param {Detail['decisions'][number]} decision */
function decisionItem({ trigger, fired, reason, checks, tally }) {
  const tallied = tallyPart(tally)
  return element(
    'li',
    {},
    element(
      'p',
      { class: 'verdict' },
      element('code', {}, trigger),
      element(
        'span',
        { class: `outcome ${fired ? 'fired' : 'skipped'}` },
        fired ? 'Fired' : 'Skipped',
      ),
      checks.length === 0 && !tallied && element('span', {}, reason),
    ),
    checks.length > 0 &&
      element(
        'ul',
        { class: 'checks' },
        ...checks.map(({ option, held, found }) =>
          element(
            'li',
            { class: held ? 'held' : 'missed' },
            element('span', { class: 'unseen' }, held ? 'held: ' : 'did not hold: '),
            element('code', {}, option),
            ' ',
            found,
          ),
        ),
      ),
    tallied,
  )
}

/**
 * Whether `config` changed anything.
 *
 * @param {Detail} detail
 */
function isPrepared({ found, items }) {
  const outputs = items.flatMap((context) =>
    Object.values(context).flatMap((one) => (one.outcome === 'success' ? [one.outputs] : [])),
  )
  return found.length > 0 && JSON.stringify(found) !== JSON.stringify(outputs)
}

/** @param {Detail['found']} found */
function foundSection(found) {
  const title = `Before config: ${found.length === 1 ? '1 item' : `${found.length} items`}`
  return element(
    'section',
    { 'aria-labelledby': 'found-title' },
    element('header', {}, element('h3', { id: 'found-title' }, title)),
    element('div', { class: 'card' }, tree([...found], { label: 'Items before config' })),
  )
}

/** @param {ShownRequest} request */
function requestSection({ headers, body, encoding }) {
  const rows = Object.entries(headers).map(([name, value]) =>
    element('div', {}, element('dt', {}, name), element('dd', {}, value)),
  )
  return element(
    'section',
    { 'aria-labelledby': 'request-title' },
    element('header', {}, element('h3', { id: 'request-title' }, 'Request')),
    element('div', { class: 'card' }, element('dl', { class: 'headers' }, ...rows)),
    body !== '' &&
      element(
        'pre',
        { class: 'body', tabindex: '0', role: 'region', 'aria-label': 'Body' },
        encoding === 'text' ? pretty(body) : body,
      ),
  )
}

/**
 * JSON with line breaks, unless a number would change; anything else as it came.
 *
 * @param {string} body
 */
function pretty(body) {
  if (!/^\s*[[{]/.test(body) || /\d{16}/.test(body)) return body
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

/** @param {string} text */
function sentence(text) {
  const first = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(first) ? first : `${first}.`
}
