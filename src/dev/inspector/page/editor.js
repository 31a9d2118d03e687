import { byId, element } from './element.js'

/** @typedef {import('../wire.ts').ShownRequest} ShownRequest */

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']
const dialog = byId('editor', HTMLDialogElement)

/**
 * Lets a person change a request before it is sent again.
 *
 * @param {ShownRequest} request
 * @param {(changed: ShownRequest) => void} send
 */
export function edit(request, send) {
  const fields = editorFields(request)
  const submit = () => {
    const { method, path, headers, body } = fields
    dialog.close()
    send({
      method: method.value,
      path: path.value
        .trim()
        .replace(/^\/+/, '')
        .replace(/^webhook\/(?=[^/]+\/)/, ''),
      headers: readHeaders(headers.value),
      body: body.value,
      encoding: request.encoding,
    })
  }
  dialog.replaceChildren(editorForm(fields, request.encoding, submit))
  dialog.showModal()
  fields.body.focus()
}

/** @param {ShownRequest} request */
function editorFields({ method, path, headers, body }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const options = METHODS.map((name) => element('option', { selected: name === method }, name))
  const plain = { spellcheck: 'false', autocomplete: 'off' }
  const fields = {
    method: element('select', { id: 'edit-method' }, ...options),
    path: element('input', { id: 'edit-path', required: true, ...plain }),
    headers: element('textarea', { id: 'edit-headers', rows: '6', ...plain }),
    body: element('textarea', { id: 'edit-body', rows: '12', ...plain }),
  }
  fields.path.value = path
  fields.headers.value = lines.join('\n')
  fields.body.value = body
  return fields
}

/**
 * @param {ReturnType<typeof editorFields>} fields
 * @param {ShownRequest['encoding']} encoding
 * @param {() => void} submit
 */
function editorForm(fields, encoding, submit) {
  const form = element(
    'form',
    { method: 'dialog', submit, keydown: submitOnEnter },
    element('h2', { id: 'editor-title' }, 'Edit and replay'),
    element(
      'div',
      { class: 'address' },
      labelled('Method', fields.method),
      labelled('Path', fields.path),
    ),
    labelled(
      'Headers',
      fields.headers,
      'One a line. *** stands for a hidden value, which is put in again.',
    ),
    labelled(encoding === 'text' ? 'Body' : 'Body, as base64', fields.body),
    element(
      'div',
      { class: 'buttons' },
      element('button', { type: 'button', class: 'quiet', click: () => dialog.close() }, 'Cancel'),
      element('button', { type: 'submit', class: 'primary' }, 'Send', element('kbd', {}, 'Ctrl ↵')),
    ),
  )
  return form
}

/** @param {KeyboardEvent & { currentTarget: HTMLFormElement }} event */
function submitOnEnter(event) {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit()
}

/**
 * @param {string} label
 * @param {HTMLElement} field
 * @param {string} [hint]
 */
function labelled(label, field, hint) {
  if (hint) field.setAttribute('aria-describedby', `${field.id}-hint`)
  return element(
    'div',
    { class: 'field' },
    element('label', { for: field.id }, label),
    field,
    hint && element('p', { id: `${field.id}-hint`, class: 'hint' }, hint),
  )
}

/**
 * @param {string} text `name: value`, one a line
 * @returns {Record<string, string>}
 */
function readHeaders(text) {
  const lines = text.split('\n').flatMap((line) => {
    const at = line.indexOf(':')
    return at > 0 ? [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]] : []
  })
  return Object.fromEntries(lines)
}
