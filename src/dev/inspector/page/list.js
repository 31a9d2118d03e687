import { element } from './element.js'

/** @typedef {import('../wire.ts').Summary} Summary */

const WORDS = { fired: 'Fired', skipped: 'Skipped', mistaken: 'Mistake', refused: 'Refused' }

/**
 * One line of the list.
 *
 * @param {Summary} summary
 */
export function row(summary) {
  const { id, method, path, trigger, reason, milliseconds, time, origin } = summary
  return element(
    'li',
    { 'data-id': String(id) },
    element(
      'a',
      { href: `#${id}` },
      element(
        'span',
        { class: 'line' },
        element('span', { class: 'method' }, origin === 'poll' ? 'POLL' : method),
        element('span', { class: 'path', title: path }, shownPath(summary)),
        element('time', { datetime: time }, clockTime(time)),
      ),
      element(
        'span',
        { class: 'line second' },
        outcome(summary),
        element('span', { class: 'trigger' }, reason ?? trigger),
        origin === 'replay' && element('span', { class: 'origin' }, 'replay'),
        element('span', { class: 'duration' }, duration(milliseconds)),
      ),
    ),
  )
}

/** @param {Summary} summary */
export function outcome({ outcome, count }) {
  const items = outcome === 'fired' && count !== 1 ? ` ${count} items` : ''
  return element('span', { class: `outcome ${outcome}` }, WORDS[outcome], items)
}

/** @param {Summary} summary */
export function shownPath({ path, workflow, trigger }) {
  return path || [workflow, trigger].filter(Boolean).join('/') || 'unknown address'
}

/** @param {string} time */
export function clockTime(time) {
  return new Date(time).toLocaleTimeString([], { hour12: false })
}

/** @param {number} milliseconds */
export function duration(milliseconds) {
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : milliseconds.toFixed(0)} ms`
}

/**
 * Whether every word of a filter is in a line: `post fired users`.
 *
 * @param {Summary} summary
 * @param {string} filter
 */
export function matches({ method, path, workflow, trigger, outcome, origin, reason }, filter) {
  const line = [method, path, workflow, trigger, outcome, origin, reason].join(' ').toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => line.includes(word))
}
