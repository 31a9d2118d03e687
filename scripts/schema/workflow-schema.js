import { toJsonSchema } from '@valibot/to-json-schema'
import { RUNNER_LABELS } from './descriptions.js'
import { EXPRESSION, githubDefinitions, githubKeys, githubRef } from './github-workflow.js'

/** @import * as v from 'valibot' */
/** @import { CompilerSetting } from '../../src/compiler/compiler-settings.ts' */
/** @import { Trigger } from '../../src/triggers/trigger.ts' */
/** @import { JsonSchema } from '@valibot/to-json-schema' */

/** The address of the published schema, which the first line of a workflow file contains. */
const PUBLISHED =
  'https://raw.githubusercontent.com/hookline/hookline/main/schema/hookline-workflow.json'

/** GitHub's keys of a workflow, and GitHub's events, by the names of their definitions. */
const KEYS = githubKeys('workflow-root-strict')
const EVENTS = githubKeys('on-mapping-strict')

/**
 * The schema of a workflow file with Hookline's triggers: GitHub's own, except for `on:`.
 *
 * @param {ReadonlyMap<string, Trigger>} triggers by each name
 * @param {Iterable<string>} events GitHub's own
 * @param {readonly CompilerSetting[]} settings the settings of the compiler
 */
export function workflowSchema(triggers, events, settings) {
  const names = [...triggers.keys(), ...events]
  const own = [...KEYS].filter(([key]) => key !== 'on')
  const native = [...events].flatMap((event) => EVENTS.get(event) ?? [])
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: PUBLISHED,
    $comment:
      'The parts without Hookline describe the syntax of GitHub: https://json.schemastore.org/github-workflow.json describes the same. Nothing is fetched from there, so that an editor without a network checks all of it.',
    title: 'GitHub Actions workflow with triggers of Hookline',
    type: 'object',
    required: ['on', 'jobs'],
    definitions: {
      name: { enum: names },
      config: configOf(triggers),
      'runs-on': RUNS_ON,
      ...githubDefinitions([...own.map(([, name]) => name), ...native]),
    },
    additionalProperties: false,
    properties: {
      on: {
        description:
          'The events that start the workflow: triggers of Hookline, and events of GitHub.',
        oneOf: [
          { $ref: '#/definitions/name' },
          { type: 'array', minItems: 1, uniqueItems: true, items: { $ref: '#/definitions/name' } },
          {
            type: 'object',
            minProperties: 1,
            additionalProperties: false,
            properties: {
              ...Object.fromEntries(
                [...triggers].map(([name, trigger]) => [name, optionsSchema(trigger)]),
              ),
              ...Object.fromEntries(
                [...events].map((event) => [event, githubRef(EVENTS.get(event) ?? 'any')]),
              ),
            },
          },
        ],
      },
      hookline: {
        description: 'How the file is compiled; no compiled file has this key.',
        type: 'object',
        additionalProperties: false,
        minProperties: 1,
        properties: Object.fromEntries(
          settings.map(({ key, help, default: value, schema }) => [
            key,
            { description: `${upperFirst(help)}. Default: ${value}.`, ...schemaOf(schema) },
          ]),
        ),
      },
      ...Object.fromEntries(own.map(([key, name]) => [key, githubRef(name)])),
    },
  }
}

/** @param {string} text */
function upperFirst(text) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/**
 * Puts a reference into `allOf`, because in draft 7 a validator ignores every key next to `$ref`.
 *
 * @param {CompilerSetting['schema']} schema
 */
function schemaOf(schema) {
  return '$ref' in schema ? { allOf: [schema] } : schema
}

/** `runs-on` of a job: a label, several labels, or a group. */
const LABELS = {
  anyOf: [
    { enum: RUNNER_LABELS },
    { type: 'string', minLength: 1 },
    { type: 'array', items: { type: 'string' }, minItems: 1 },
  ],
}
const RUNS_ON = {
  anyOf: [
    LABELS,
    {
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      title: 'group of runners',
      properties: {
        group: { description: 'Name of the group.', type: 'string' },
        labels: { description: 'Labels that a runner of the group must have.', ...LABELS },
      },
    },
  ],
}

/**
 * The schema of a trigger's options.
 *
 * @param {Trigger} trigger
 */
export function optionsSchema({ schema, description }) {
  const { properties, ...options } = convert(schema)
  const own = { ...properties, config: { $ref: '#/definitions/config' } }
  return { description, anyOf: [{ ...options, properties: own }, { type: 'null' }] }
}

/**
 * The schema of the options that all triggers share.
 *
 * @param {ReadonlyMap<string, Trigger>} triggers
 */
function configOf(triggers) {
  const [first] = triggers.values()
  const description = 'Options for the items: filter, sort, limit, format, deduplicate, state.'
  const config = first && convert(first.schema).properties?.config
  return { description, ...(typeof config === 'object' && config) }
}

/**
 * @param {v.GenericSchema} schema
 * @returns {JsonSchema}
 */
function convert(schema) {
  const {
    $schema: _,
    $defs: definitions = {},
    ...made
  } = toJsonSchema(schema, {
    typeMode: 'input',
    errorMode: 'ignore',
    overrideSchema: ({ valibotSchema, jsonSchema }) => widened(valibotSchema, jsonSchema),
  })
  return inlined(made, definitions)
}

/**
 * A schema with references replaced by their definitions, because its new position has no
 * definitions.
 *
 * @param {any} part
 * @param {Record<string, any>} definitions
 * @returns {any}
 */
function inlined(part, definitions) {
  if (Array.isArray(part)) return part.map((one) => inlined(one, definitions))
  if (typeof part !== 'object' || part === null) return part
  const { $ref, ...rest } = part
  const name = typeof $ref === 'string' ? $ref.replace('#/$defs/', '') : ''
  const whole = name in definitions ? { ...definitions[name], ...rest } : part
  const entries = Object.entries(whole).map(([key, one]) => [key, inlined(one, definitions)])
  return Object.fromEntries(entries)
}

/**
 * Allows an expression for every value, and all variants of a schema that is chosen by its input.
 *
 * @param {v.GenericSchema} schema
 * @param {JsonSchema} made
 * @returns {JsonSchema | undefined}
 */
function widened(schema, made) {
  if ('getter' in schema)
    return { anyOf: unique(SAMPLES.map((sample) => convert(chosen(schema, sample)))) }
  const isNarrow = ['number', 'boolean', 'picklist'].includes(schema.type) || made.pattern
  return isNarrow ? { anyOf: [made, EXPRESSION] } : undefined
}

/** Inputs that reach every variant of a schema that is chosen by its input. */
const SAMPLES = ['', [], 0]

/**
 * @param {unknown} schema from `v.lazy`
 * @param {unknown} sample
 * @returns {v.GenericSchema}
 */
function chosen(schema, sample) {
  const { getter } = /** @type {{ getter: (input: unknown) => v.GenericSchema }} */ (schema)
  return getter(sample)
}

/** @param {JsonSchema[]} schemas */
function unique(schemas) {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
}
