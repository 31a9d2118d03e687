import { act } from './actions.js'
import { follow } from './connection.js'
import { byId } from './element.js'
import { listenForKeys, showHelp } from './keys.js'
import { switchForm } from './outputs.js'
import { say } from './toast.js'
import * as view from './view.js'

const pane = byId('detail', HTMLElement)
const filter = byId('filter', HTMLInputElement)
const connection = byId('connection', HTMLElement)

/** @type {import('./keys.js').Shortcut[]} */
const SHORTCUTS = [
  { keys: ['j', 'ArrowDown'], label: 'Next request', run: () => view.step(1) },
  { keys: ['k', 'ArrowUp'], label: 'Request before', run: () => view.step(-1) },
  { keys: ['Enter', 'o'], label: 'Open it', run: view.openShown },
  { keys: ['Escape', 'h'], label: 'Back to the list, follow the newest', run: view.back },
  { keys: ['r'], label: 'Replay', run: () => act('replay') },
  { keys: ['e'], label: 'Edit and replay', run: () => act('edit') },
  { keys: ['c'], label: 'Copy as curl', run: () => act('curl') },
  { keys: ['s'], label: 'Save as fixture', run: () => act('save') },
  { keys: ['x'], label: 'Switch between on.… and steps.…', run: switchForm },
  { keys: ['/'], label: 'Filter', run: () => filter.focus() },
  { keys: ['?'], label: 'This help', run: () => showHelp(SHORTCUTS) },
]

listenForKeys(SHORTCUTS)
byId('help-button', HTMLButtonElement).addEventListener('click', () => showHelp(SHORTCUTS))
filter.addEventListener('input', view.filterRows)
filter.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape' || key === 'Enter') filter.blur()
})
pane.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('[data-action]') : null
  if (button instanceof HTMLElement) act(button.dataset.action ?? '')
})
addEventListener('hashchange', () => {
  view.refresh()
  // On a narrow screen the list gives way to the request: the focus goes with it.
  if (location.hash.length > 1 && byId('rows', HTMLElement).offsetParent === null) pane.focus()
})
addEventListener('focus', () => {
  if (document.body.dataset.empty === 'true') void view.showWelcome()
})
follow({
  connection(state) {
    connection.dataset.state = state
    connection.textContent = state === 'live' ? 'Live' : 'Connection lost, trying again'
  },
  restarted() {
    view.forgetAll()
    say('hookline dev was started anew')
  },
  request: view.arrived,
  oldest: view.forget,
})
view.refresh()
