import * as v from 'valibot'
import { code, table } from './table.js'

const { CONFIG_OPTIONS } = await import(
  new URL('../../build/triggers/config.js', import.meta.url).href
)

/** The keys of `on.<trigger>.config`, from the schemas that check them. */
export function configTable() {
  return optionsTable(CONFIG_OPTIONS)
}

/** @param {Record<string, v.GenericSchema>} options */
export function optionsTable(options) {
  const rows = Object.entries(options).map(([name, schema]) => [
    code(name),
    v.getTitle(schema) ?? '',
    defaultOf(schema),
    v.getDescription(schema) ?? '',
  ])
  return table(['key', 'value', 'default', 'meaning'], rows)
}

/** @param {v.GenericSchema} schema */
function defaultOf(schema) {
  // Every key is optional, which the general type does not know.
  const value = v.getDefault(/** @type {v.OptionalSchema<v.GenericSchema, unknown>} */ (schema))
  if (value === undefined) return ''
  return code(Array.isArray(value) ? `[${value.join(', ')}]` : String(value))
}
