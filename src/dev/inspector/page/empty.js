import { element } from './element.js'
import { copy } from './toast.js'

/** @typedef {import('../wire.ts').Welcome} Welcome */

const EXAMPLE = `# workflows/hook.yml
on:
  webhook:
    method: post
`

/**
 * What is shown before the first request: where to send one.
 *
 * @param {Welcome} welcome
 */
export function emptyView({ triggers, problems }) {
  const [first] = triggers
  return [
    element(
      'div',
      { class: 'empty' },
      element('h2', {}, first ? 'Waiting for the first request' : 'No trigger is waiting'),
      ...(first ? firstSteps(first.curl) : noTrigger()),
      triggers.length > 0 && triggerList(triggers),
      ...problems.map((problem) => element('pre', { class: 'problem', tabindex: '0' }, problem)),
    ),
  ]
}

/** @param {string} curl */
function firstSteps(curl) {
  return [
    element('p', {}, 'Paste this into a terminal, and it appears here:'),
    element(
      'div',
      { class: 'curl' },
      element('pre', { tabindex: '0', role: 'region', 'aria-label': 'Command' }, curl),
      element('button', { type: 'button', click: () => void copy(curl, 'the command') }, 'Copy'),
    ),
  ]
}

function noTrigger() {
  return [
    element('p', {}, 'Put a workflow file into the folder workflows. This is the smallest one:'),
    element('pre', { class: 'body', tabindex: '0' }, EXAMPLE),
    element('p', {}, 'It takes effect at once; reload this page for its address.'),
  ]
}

/** @param {Welcome['triggers']} triggers */
function triggerList(triggers) {
  const rows = triggers.map(({ method, url, curl }) =>
    element(
      'li',
      {},
      element('span', { class: 'method' }, method),
      element('code', {}, url),
      element(
        'button',
        {
          type: 'button',
          class: 'quiet',
          'aria-label': `Copy curl for ${method} ${url}`,
          click: () => void copy(curl, 'the command'),
        },
        'Copy curl',
      ),
    ),
  )
  return element(
    'div',
    {},
    element('h3', {}, 'Addresses'),
    element('ul', { class: 'addresses' }, ...rows),
  )
}
