import { readFileSync } from 'node:fs'
import { DESCRIPTIONS, KEYS, RUNNER_LABELS, TITLES } from './descriptions.js'

/** @import { JsonSchema } from '@valibot/to-json-schema' */

/**
 * A definition in the schema of GitHub's own parser: a value has one of a few types, and may be an
 * expression if `context` is set.
 *
 * @typedef {string | { readonly type: string, readonly required?: boolean, readonly description?: string }} Property
 * @typedef {object} Definition
 * @property {string} [description]
 * @property {readonly string[]} [context]
 * @property {{ properties?: Record<string, Property>, 'loose-key-type'?: string, 'loose-value-type'?: string }} [mapping]
 * @property {{ 'item-type': string }} [sequence]
 * @property {readonly string[]} [one-of]
 * @property {readonly string[]} [allowed-values]
 * @property {{ constant?: string, 'require-non-empty'?: boolean }} [string]
 * @property {object} [number]
 * @property {object} [boolean]
 * @property {object} [null]
 */

const PARSER = new URL('../../node_modules/@actions/workflow-parser/dist/', import.meta.url)

/** @type {{ readonly definitions: Readonly<Record<string, Definition>> }} */
const { definitions: DEFINITIONS } = JSON.parse(
  readFileSync(new URL('workflow-v1.0.min.json', PARSER), 'utf8'),
)

/** @type {JsonSchema} */
export const EXPRESSION = { type: 'string', pattern: '\\$\\{\\{' }

/**
 * The types that GitHub accepts as a string, because YAML parses `1.0`, `true` and nothing
 * differently.
 *
 * @type {('string' | 'number' | 'boolean' | 'null')[]}
 */
const SCALAR = ['string', 'number', 'boolean', 'null']

/**
 * The types that need no definition.
 *
 * @type {ReadonlyMap<string, JsonSchema>}
 */
const BUILT_IN = new Map(
  /** @type {[string, JsonSchema][]} */ ([
    ['any', {}],
    ['null', { type: 'null' }],
    ['string', { type: SCALAR }],
    ['number', { type: 'number' }],
    ['boolean', { type: 'boolean' }],
    ['sequence', { type: 'array' }],
    ['mapping', { type: 'object' }],
  ]),
)

/** Definitions that can contain an expression: those with a context, and everything below them. */
const withExpressions = reachable(
  Object.keys(DEFINITIONS).filter((name) => DEFINITIONS[name]?.context !== undefined),
)

/**
 * GitHub's part of the schema as a whole. Nothing is fetched, because an editor that cannot fetch a
 * referenced schema checks nothing at all.
 *
 * @param {readonly string[]} roots names of definitions
 */
export function githubDefinitions(roots) {
  const names = [...reachable(roots)].sort()
  return Object.fromEntries(names.map((name) => [`github-${name}`, converted(name)]))
}

/**
 * @param {string} name of a definition
 * @param {boolean} takesExpressions whether the position allows expressions
 * @returns {JsonSchema}
 */
export function githubRef(name, takesExpressions = false) {
  const kind = BUILT_IN.get(name)
  if (!kind) return { $ref: `#/definitions/github-${name}` }
  return takesExpressions ? { anyOf: [kind, EXPRESSION] } : kind
}

/**
 * Definitions of the keys of a mapping, by key.
 *
 * @param {string} name of the definition of the mapping
 */
export function githubKeys(name) {
  const { properties = {} } = DEFINITIONS[name]?.mapping ?? {}
  return new Map(Object.entries(properties).map(([key, property]) => [key, typeOf(property)]))
}

/** @param {Property} property */
function typeOf(property) {
  return typeof property === 'string' ? property : property.type
}

/** @param {readonly string[]} roots */
function reachable(roots) {
  const found = new Set(roots.filter((name) => name in DEFINITIONS && !BUILT_IN.has(name)))
  for (const name of found) {
    for (const next of named(DEFINITIONS[name] ?? {})) {
      if (next in DEFINITIONS && !BUILT_IN.has(next)) found.add(next)
    }
  }
  return found
}

/** @param {Definition} definition */
function named({ mapping, sequence, 'one-of': choices = [] }) {
  const values = Object.values(mapping?.properties ?? {}).map(typeOf)
  return [...values, mapping?.['loose-value-type'], sequence?.['item-type'], ...choices].flatMap(
    (name) => name ?? [],
  )
}

/** @param {string} name */
function converted(name) {
  const takesExpressions = withExpressions.has(name)
  /** @param {string} other */
  const ref = (other) => githubRef(other, takesExpressions)
  const definition = DEFINITIONS[name] ?? {}
  const made = name === 'runs-on' ? withLabels(definition, ref) : schemaOf(definition, ref)
  const description = definition.description || DESCRIPTIONS.get(name)
  const own = definition.mapping ? { ...made, title: titleOf(name) } : made
  return {
    ...(description !== undefined && { description }),
    ...(takesExpressions ? { anyOf: [own, EXPRESSION] } : own),
  }
}

/**
 * Suggests the labels of GitHub's runners; any other label is also valid, because it may be a
 * self-hosted runner.
 *
 * @param {Definition} definition
 * @param {(name: string) => JsonSchema} ref
 */
function withLabels(definition, ref) {
  const { anyOf = [] } = schemaOf(definition, ref)
  return { anyOf: [{ enum: [...RUNNER_LABELS] }, ...anyOf] }
}

/** The title of a mapping in editors; its name in GitHub's schema says little. */
function titleOf(/** @type {string} */ name) {
  return (
    TITLES.get(name) ??
    name.replaceAll(/-(?:mapping|strict|factory|item)/g, '').replaceAll('-', ' ')
  )
}

/**
 * @param {Definition} definition
 * @param {(name: string) => JsonSchema} ref
 * @returns {JsonSchema}
 */
function schemaOf(definition, ref) {
  const { mapping, sequence, string } = definition
  const { 'one-of': choices, 'allowed-values': allowed } = definition
  if (choices) return { anyOf: choices.map(ref) }
  if (allowed) return { enum: [...allowed] }
  if (sequence) return { type: 'array', items: ref(sequence['item-type']) }
  if (mapping) return mappingOf(mapping, ref)
  if (string?.constant !== undefined) return { const: string.constant }
  // An empty value or `true` is not intended as a name.
  if (string?.['require-non-empty']) return { type: ['string', 'number'], minLength: 1 }
  if (string) return { type: SCALAR }
  const kind = ['number', 'boolean', 'null'].find((each) => each in definition)
  return kind === undefined ? {} : ref(kind)
}

/**
 * @param {NonNullable<Definition['mapping']>} mapping
 * @param {(name: string) => JsonSchema} ref
 * @returns {JsonSchema}
 */
function mappingOf({ properties = {}, 'loose-value-type': others }, ref) {
  const entries = Object.entries(properties)
  const required = entries.flatMap(([key, one]) =>
    typeof one === 'object' && one.required ? [key] : [],
  )
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, one]) => [key, described(key, one, ref)])),
    ...(required.length > 0 && { required }),
    additionalProperties: others === undefined ? false : ref(others),
  }
}

/**
 * A property with its description for editors: GitHub's, or else Hookline's.
 *
 * @param {string} key
 * @param {Property} property
 * @param {(name: string) => JsonSchema} ref
 * @returns {JsonSchema}
 */
function described(key, property, ref) {
  const type = typeOf(property)
  const said = typeof property === 'string' ? undefined : property.description
  const ofType = DEFINITIONS[type]?.description || DESCRIPTIONS.get(type)
  const description = said ?? (ofType === undefined ? KEYS.get(key) : undefined)
  return { ...(description !== undefined && { description }), ...ref(type) }
}
