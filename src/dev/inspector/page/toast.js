import { byId, element } from './element.js'

const toast = byId('toast', HTMLElement)
/** @type {number | undefined} */
let timer

/**
 * Says something for a few seconds, to eyes and to screen readers.
 *
 * @param {string} text
 * @param {string} [code]
 */
export function say(text, code) {
  toast.replaceChildren(text, ...(code ? [' ', element('code', {}, code)] : []))
  toast.classList.add('shown')
  clearTimeout(timer)
  timer = setTimeout(() => toast.classList.remove('shown'), 3500)
}

/**
 * @param {string} text
 * @param {string} what
 */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text)
    say(`Copied ${what}`, text.length > 200 ? `${text.slice(0, 200)}…` : text)
  } catch {
    say('The browser did not let me copy:', text)
  }
}
