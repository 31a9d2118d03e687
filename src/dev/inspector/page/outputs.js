import { element } from './element.js'
import { onExpression, stepExpression } from './expression.js'
import { keep, setting } from './settings.js'
import { copy } from './toast.js'
import { tree } from './tree.js'

/** @typedef {import('../wire.ts').Detail} Detail */

const form = {
  native: setting('form') === 'steps',
  id: setting('step') ?? 'hookline',
}

/** Between `on.…`, for compiled workflows, and `steps.…`, for native ones. */
export function switchForm() {
  const [on, steps] = document.querySelectorAll('.forms input[type=radio]')
  const next = form.native ? on : steps
  if (next instanceof HTMLInputElement) next.click()
}

/**
 * The outputs as a tree in which every value, when clicked, gives the expression that reads it.
 *
 * @param {Detail} detail
 */
export function outputsSection({ items, fields }) {
  const preview = element('code', { class: 'preview' }, 'Click a value to copy its expression')
  const shown = element('div')
  const show = (/** @type {number} */ item) =>
    shown.replaceChildren(...trees({ context: items[item] ?? {}, item, fields }, preview))
  show(0)
  return element(
    'section',
    { 'aria-labelledby': 'outputs-title' },
    element(
      'header',
      {},
      element('h3', { id: 'outputs-title' }, 'Outputs'),
      items.length > 1 && itemChoice(items.length, show),
      formChoice(),
    ),
    element('div', { class: 'card' }, preview, shown),
  )
}

/**
 * @param {{ context: Detail['items'][number], item: number, fields: Detail['fields'] }} shown
 * @param {HTMLElement} preview
 */
function trees({ context, item, fields }, preview) {
  const fired = Object.entries(context).filter(([, { outcome }]) => outcome === 'success')
  return fired.map(([trigger, { outputs }]) => {
    const expression = (/** @type {(string | number)[]} */ path, /** @type {unknown} */ value) => {
      const place = { trigger, path, value, item, fields }
      return form.native ? stepExpression(place, form.id) : onExpression(place)
    }
    return tree(outputs, {
      label: `Outputs of ${trigger}`,
      choose: (path, value) => void copy(expression(path, value), 'the expression'),
      point: (path, value) => preview.replaceChildren(expression(path, value)),
    })
  })
}

/**
 * @param {number} count
 * @param {(item: number) => void} show
 */
function itemChoice(count, show) {
  const change = (/** @type {{ target: HTMLSelectElement }} */ { target }) =>
    show(target.selectedIndex)
  const options = Array.from({ length: count }, (_, at) =>
    element('option', {}, `Item ${at + 1} of ${count}`),
  )
  return element('select', { 'aria-label': 'Item', change }, ...options)
}

function formChoice() {
  const id = element('input', {
    class: 'step-id',
    'aria-label': 'id of the step that runs the action',
    value: form.id,
    spellcheck: 'false',
    autocomplete: 'off',
    input: () => {
      form.id = id.value.trim() || 'hookline'
      keep('step', form.id)
    },
  })
  const choose = (/** @type {boolean} */ native) => () => {
    form.native = native
    keep('form', native ? 'steps' : 'on')
    id.hidden = !native
  }
  id.hidden = !form.native
  return element(
    'fieldset',
    { class: 'forms' },
    element('legend', { class: 'unseen' }, 'Form of copied expressions'),
    radio('on.…', 'for a workflow that hookline build compiles', !form.native, choose(false)),
    radio('steps.…', 'for a workflow that uses the action', form.native, choose(true)),
    id,
  )
}

/**
 * @param {string} label
 * @param {string} title
 * @param {boolean} checked
 * @param {() => void} change
 */
function radio(label, title, checked, change) {
  const input = element('input', { type: 'radio', name: 'form', checked, change })
  return element('label', { title }, input, element('span', {}, label))
}
