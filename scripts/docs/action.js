import { code } from './table.js'

/**
 * The part of action.yml that is documented.
 *
 * @typedef {object} Action
 * @property {Record<string, { description: string, default?: string, required?: boolean }>} inputs
 * @property {Record<string, { description: string }>} outputs
 */

/** Columns of the comments. */
const WIDTH = 88

/**
 * A job whose step sets every input: each to its default, except for these values.
 *
 * @param {Action} action
 * @param {{ uses: string, values: Record<string, string>, before?: string }} step
 */
export function inputsBlock({ inputs }, { uses, values, before = '' }) {
  const lines = Object.entries(inputs).flatMap(([name, input]) => [
    ...wrapped(plainText(input.description)).map((line) => `# ${line}`),
    ...(input.required ? ['# Required.'] : []),
    ...`${name}: ${values[name] ?? yamlText(input.default ?? '')}`.split('\n'),
    '',
  ])
  const indented = lines.map((line) => (line === '' ? '' : `          ${line}`)).join('\n')
  const step = `      - uses: ${uses}\n        with:\n${indented.trimEnd()}`
  const job = `jobs:\n  hook:\n    runs-on: ubuntu-latest\n    steps:\n${before}${step}`
  return `\`\`\`yaml\n${job}\n\`\`\``
}

/** @param {Action} action */
export function outputsList({ outputs }) {
  return lines(Object.entries(outputs).map(([name, one]) => `${code(name)}: ${one.description}`))
}

/** @param {readonly string[]} entries */
function lines(entries) {
  return entries.map((entry) => `- ${plainText(entry)}`).join('\n')
}

/** @param {string} text */
function plainText(text) {
  return text.trim().replaceAll('\n', ' ')
}

/** @param {string} value */
function yamlText(value) {
  return /^[\w./:-]+$/.test(value) && !/^(?:true|false)$/.test(value) ? value : `'${value}'`
}

/** @param {string} text */
function wrapped(text) {
  /** @type {string[]} */
  const rows = []
  for (const word of text.split(' ')) {
    const last = rows.at(-1)
    if (last === undefined || last.length + 1 + word.length > WIDTH) rows.push(word)
    else rows[rows.length - 1] = `${last} ${word}`
  }
  return rows
}
