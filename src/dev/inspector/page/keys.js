import { byId, element } from './element.js'
import { keep, setting } from './settings.js'

/**
 * @typedef {object} Shortcut
 * @property {readonly string[]} keys
 * @property {string} label
 * @property {() => void} run
 */

const dialog = byId('help', HTMLDialogElement)

/** A speech user's words are keys to a page, so these can be switched off (WCAG 2.1.4). */
let enabled = setting('shortcuts') !== 'off'

/** @param {readonly Shortcut[]} shortcuts */
export function listenForKeys(shortcuts) {
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event
    if (!enabled || ctrlKey || metaKey || altKey || isTyping(target)) return
    if (document.querySelector('dialog[open]')) return
    const shortcut = shortcuts.find(({ keys }) => keys.includes(key))
    if (!shortcut || belongsTo(target, key)) return
    event.preventDefault()
    shortcut.run()
  })
}

/** @param {readonly Shortcut[]} shortcuts */
export function showHelp(shortcuts) {
  const rows = shortcuts.map(({ keys, label }) =>
    element(
      'div',
      {},
      element('dt', {}, ...keys.map((key) => element('kbd', {}, key))),
      element('dd', {}, label),
    ),
  )
  const toggle = element('input', {
    type: 'checkbox',
    checked: enabled,
    change: () => enable(toggle.checked),
  })
  dialog.replaceChildren(
    element(
      'form',
      { method: 'dialog' },
      element('h2', { id: 'help-title' }, 'Shortcuts'),
      element('dl', { class: 'shortcuts' }, ...rows),
      element(
        'p',
        { class: 'hint' },
        'Within a tree: arrow keys to move, Enter to copy the expression.',
      ),
      element('label', { class: 'toggle' }, toggle, ' Single-key shortcuts'),
      element(
        'div',
        { class: 'buttons' },
        element('button', { type: 'submit', class: 'primary' }, 'Close'),
      ),
    ),
  )
  dialog.showModal()
}

/** @param {boolean} on */
function enable(on) {
  enabled = on
  keep('shortcuts', on ? 'on' : 'off')
}

/**
 * Enter presses what has the focus, and arrows scroll what is read.
 *
 * @param {EventTarget | null} target
 * @param {string} key
 */
function belongsTo(target, key) {
  if (!(target instanceof Element)) return false
  if (key === 'Enter') return target.matches('a, button')
  return key.startsWith('Arrow') && !target.closest('.list')
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return (
    target instanceof HTMLElement && target.matches('input:not([type=radio]), textarea, select')
  )
}
