import { code, table } from './table.js'

/**
 * The part of action.yml that is documented.
 *
 * @typedef {object} Action
 * @property {Record<string, { description: string, default?: string }>} inputs
 * @property {Record<string, { description: string }>} outputs
 */

/** @param {Action} action */
export function inputsTable({ inputs }) {
  const rows = Object.entries(inputs).map(([name, input]) => [
    code(name),
    input.default ? code(input.default) : '',
    input.description,
  ])
  return table(['input', 'default', 'meaning'], rows)
}

/** @param {Action} action */
export function outputsTable({ outputs }) {
  const rows = Object.entries(outputs).map(([name, { description }]) => [code(name), description])
  return table(['output', 'meaning'], rows)
}
