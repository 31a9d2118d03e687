import * as v from 'valibot'
import { code } from './table.js'

const { CONFIG_OPTIONS } = await import(
  new URL('../../build/triggers/config-options.js', import.meta.url).href
)

/** The keys of `on.<trigger>.config` with their forms and defaults, from the schemas that check them. */
export function configList() {
  /** @type {[name: string, schema: v.GenericSchema][]} */
  const options = Object.entries(CONFIG_OPTIONS)
  return options
    .map(([name, schema]) => {
      const form = [v.getTitle(schema), defaultOf(schema)].filter(Boolean).join(', ')
      return `- ${code(name)} (${form}). ${v.getDescription(schema)}`
    })
    .join('\n')
}

/** @param {v.GenericSchema} schema */
function defaultOf(schema) {
  // Every key is optional, which the general type does not know.
  const value = v.getDefault(/** @type {v.OptionalSchema<v.GenericSchema, unknown>} */ (schema))
  if (value === undefined) return ''
  return code(Array.isArray(value) ? `[${value.join(', ')}]` : String(value))
}
