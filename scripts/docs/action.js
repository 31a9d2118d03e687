import { code } from './table.js'

/**
 * The part of action.yml that is documented.
 *
 * @typedef {object} Action
 * @property {Record<string, { description: string, default?: string }>} inputs
 * @property {Record<string, { description: string }>} outputs
 */

/** @param {Action} action */
export function inputsList({ inputs }) {
  return lines(
    Object.entries(inputs).map(([name, input]) => {
      const preset = input.default ? ` (${code(input.default)})` : ''
      return `${code(name)}${preset}: ${input.description}`
    }),
  )
}

/** @param {Action} action */
export function outputsList({ outputs }) {
  return lines(Object.entries(outputs).map(([name, one]) => `${code(name)}: ${one.description}`))
}

/** @param {readonly string[]} entries */
function lines(entries) {
  return entries.map((entry) => `- ${entry.trim().replaceAll('\n', ' ')}`).join('\n')
}
