import { replay } from './connection.js'
import { edit } from './editor.js'
import { curlLine, fixtureName, fixtureText } from './request-text.js'
import { copy, say } from './toast.js'
import { chooseDelivery, shownDetail } from './view.js'

/** @typedef {import('../wire.ts').ShownRequest} ShownRequest */

/** @type {Map<string, (request: ShownRequest, id: number) => void>} */
const ACTIONS = new Map([
  ['replay', (request, id) => void send(id, request)],
  ['edit', (request, id) => edit(request, (changed) => void send(id, changed))],
  ['curl', (request) => void copy(curlLine(request, location.origin), 'the command')],
  ['save', (request) => save(fixtureName(request), fixtureText(request))],
])

/**
 * Does something with the request that is shown.
 *
 * @param {string} name
 */
export function act(name) {
  const { request, id = 0 } = shownDetail() ?? {}
  if (request) ACTIONS.get(name)?.(request, id)
}

/**
 * @param {number} of
 * @param {ShownRequest} request
 */
async function send(of, request) {
  try {
    const { status, delivery } = await replay(of, request)
    say(`Sent again, answered ${status}`)
    chooseDelivery(delivery)
  } catch (error) {
    say(`Not sent: ${error instanceof Error ? error.message : 'hookline dev does not answer'}`)
  }
}

/**
 * @param {string} name
 * @param {string} text
 */
function save(name, text) {
  const link = document.createElement('a')
  link.download = name
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
  say(`Saved ${name}`)
}
