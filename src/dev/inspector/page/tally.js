import { element } from './element.js'

/** @typedef {NonNullable<import('../wire.ts').ShownDecision['tally']>} Tally */

/**
 * How many items a trigger found and how many were handed on, and what each step of `config` did on
 * the way. Nothing for the one item that went straight through.
 *
 * @param {Tally | undefined} tally
 */
export function tallyPart(tally) {
  if (!tally || (tally.found === 1 && tally.account.length === 0)) return null
  const { found, handedOn, account } = tally
  const counts = `${found} ${found === 1 ? 'item' : 'items'} found, ${handedOn} handed on`
  return element(
    'div',
    { class: 'account' },
    element('p', {}, counts),
    account.length > 0 &&
      element('ul', { 'aria-label': 'config' }, ...account.map((step) => element('li', {}, step))),
  )
}
