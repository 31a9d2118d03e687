import { isMap, isSeq } from 'yaml'
import { SENDER_FILES } from '../../triggers/senders.ts'
import { isObject, jsonOf } from '../../wire/json.ts'
import { RESERVED_OUTPUTS, type ReservedOutput } from '../../wire/output-names.ts'
import type { Place } from '../../workflow/nodes.ts'
import { hasPlainOutputs, type SourceTrigger } from '../../workflow/on.ts'
import { safeForm } from '../../workflow/safe-form.ts'
import { nearestName, slipOf } from '../../workflow/suggestion.ts'
import { RESULTS } from '../evaluate-expression.ts'
import {
  EVENT_BOOLEAN,
  EVENT_TEXT,
  EVENT_VALUE,
  eventText,
  type NameFault,
  type OutputShape,
  objectShape,
  ownObject,
  ownText,
  type Shape,
  unknownNameFault,
} from './shapes.ts'

type Triggers = readonly SourceTrigger[]

/** The results of a trigger or a step. */
export const ENDED: readonly (readonly [string, Shape])[] = [
  ['outcome', ownText(RESULTS)],
  ['conclusion', ownText(RESULTS)],
]

const OWN_BOOLEAN: Shape = { kind: 'boolean', isHookline: true }

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options']

/**
 * The event as a relay sends it: `github.event.client_payload`, or the input `hookline`.
 *
 * @param isOnly whether no other program sends such an event
 */
export function dispatchShape(isOnly: boolean): Shape {
  const fields = [
    ['path', EVENT_VALUE],
    ['method', EVENT_VALUE],
    ['headers', headersShape()],
    ['body', EVENT_VALUE],
  ] as const
  return objectShape(
    fields,
    (name, known) => {
      if (!isOnly || nearestName(name, known) === undefined) return undefined
      const message = `the event has no field "${name}"`
      return unknownNameFault(message, name, known, 'fields')
    },
    EVENT_VALUE,
  )
}

/** The value of the output `on`, which is also one of the items: each trigger with its outcome and outputs. */
export function eventShape(triggers: Triggers): Shape {
  const shapes = triggers.map((trigger) => [trigger.name, triggerShape(trigger)] as const)
  const rest = ownObject(
    [...ENDED, ['outputs', ownObject([], undefined, EVENT_VALUE)]],
    undefined,
    EVENT_VALUE,
  )
  if (triggers.length === 0) return ownObject([], undefined, rest)
  return ownObject(shapes, (name) => unknownTrigger(name, triggers), rest)
}

function unknownTrigger(name: string, triggers: Triggers): NameFault {
  const names = namesOf(triggers)
  const message = `the event has no trigger "${name}"`
  return unknownNameFault(message, name, names, 'triggers', hintForTrigger(name, triggers))
}

/** Several steps of a file can declare one trigger. */
function namesOf(triggers: Triggers): readonly string[] {
  return [...new Set(triggers.map(({ name }) => name))]
}

function hintForTrigger(name: string, triggers: Triggers): string | undefined {
  const owner = triggers.find(({ definition }) => hasName(definition.outputs, name))
  if (owner) return `did you mean "${owner.name}.outputs.${name}"?`
  const lower = name.toLowerCase()
  if (lower === 'on') return 'omit "on": this is the event'
  const [only, ...others] = namesOf(triggers)
  const isOutputs = lower === 'outputs' && others.length === 0
  return only && isOutputs ? `did you mean "${only}.outputs"?` : undefined
}

function hasName(outputs: object, name: string): boolean {
  return Object.keys(outputs).some((one) => one.toLowerCase() === name.toLowerCase())
}

function triggerShape(trigger: SourceTrigger): Shape {
  return ownObject(
    [...ENDED, ['outputs', outputsShape(trigger)]],
    (name, known) => {
      const isOutput = hasName(trigger.definition.outputs, name)
      const hint = isOutput ? `did you mean "outputs.${name}"?` : undefined
      const message = `the trigger "${trigger.name}" has no "${name}"`
      return unknownNameFault(message, name, known, 'it has', hint)
    },
    EVENT_VALUE,
  )
}

function outputsShape(trigger: SourceTrigger): Shape {
  if (!hasPlainOutputs(trigger)) return EVENT_VALUE
  const { definition, name } = trigger
  const fields = Object.keys(definition.outputs)
  const shapes = fields.map((field) => [field, fieldShape(trigger, field)] as const)
  return ownObject(shapes, (field, known) => {
    const message = `the trigger "${name}" has no output "${field}"`
    const fault = unknownNameFault(message, field, known, 'outputs')
    const isInBody = fault.hint === undefined && fields.includes('body')
    return isInBody ? { ...fault, hint: `did you mean "body.${field}"?` } : fault
  })
}

/** The value of one field of an item. */
function fieldShape(trigger: SourceTrigger, field: string): Shape {
  const { definition } = trigger
  if (!definition.jsonOutputs.includes(field)) {
    return field === 'method' ? ownText([...METHODS, '']) : EVENT_TEXT
  }
  if (field === 'is_bot') return EVENT_BOOLEAN
  const isWebhook = definition.name === 'webhook'
  if (!isWebhook) return EVENT_VALUE
  if (field === 'headers') return headersShape()
  if (field === 'params') return ownObject([], undefined, EVENT_TEXT)
  if (field === 'query') return ownObject([], undefined, EVENT_VALUE)
  const sender = verifiedSender(trigger)
  return sender === undefined ? EVENT_VALUE : bodyShape(bodiesOf(sender), sender)
}

/** Names are lower case. A sender may use underscores, but not in a header that is known with dashes. */
function headersShape(): Shape {
  return ownObject([], headerFault, EVENT_TEXT)
}

const COMMON_HEADERS = ['content-type', 'content-length', 'user-agent', 'accept-encoding']
let dashed: ReadonlySet<string> | undefined

/** The fault of a header name that is a known header, but with underscores. */
export function headerFault(name: string): NameFault | undefined {
  if (!name.includes('_')) return undefined
  const written = name.toLowerCase().replaceAll('_', '-')
  dashed ??= new Set([...COMMON_HEADERS, ...recordedHeaders()])
  if (!dashed.has(written)) return undefined
  const message = `senders write the header "${written}" with dashes, never as "${name}"`
  return { code: 'header-name', message, hint: `write ${written}` }
}

const DELIVERY = { id: '00000000-0000-4000-8000-000000000000', now: new Date(0) }

function recordedHeaders(): string[] {
  return Object.values(SENDER_FILES).flatMap(({ payloads }) =>
    Object.values(payloads).flatMap((make) => Object.keys(make(DELIVERY).headers ?? {})),
  )
}

/** The sender whose signature a trigger verifies, if it is only one. */
function verifiedSender({ nodes }: SourceTrigger): string | undefined {
  const verify = isMap(nodes.value) ? nodes.value.get('verify') : undefined
  const only = isSeq(verify) && verify.items.length === 1 ? verify.items[0] : verify
  const scheme = isMap(only) ? only.get('scheme') : undefined
  const name = typeof scheme === 'string' ? scheme.replaceAll('_', '-') : ''
  return Object.hasOwn(SENDER_FILES, name) ? name : undefined
}

export function bodiesOf(sender: string): readonly unknown[] {
  return Object.values(SENDER_FILES[sender]?.payloads ?? {}).map((make) => {
    const { body } = make(DELIVERY)
    return typeof body === 'string' ? jsonOf(body) : body
  })
}

/** The shape of values that a sender was recorded to send; only a typo of a known name is a fault. */
export function bodyShape(values: readonly unknown[], sender: string): Shape {
  const lists = values.filter(Array.isArray)
  const entries = values.filter(isObject).flatMap((one) => Object.entries(one))
  if (values.length > 0 && values.every((one) => typeof one === 'boolean')) return EVENT_BOOLEAN
  if (lists.length === 0 && entries.length === 0) return EVENT_VALUE
  const byName = new Map<string, unknown[]>()
  for (const [name, value] of entries) byName.set(name, [...(byName.get(name) ?? []), value])
  if (entries.length === 0) {
    return { kind: 'list', item: bodyShape(lists.flat(), sender), isUntrusted: true }
  }
  const shapes = [...byName].map(([name, all]) => [name, bodyShape(all, sender)] as const)
  const unknown = (name: string, known: readonly string[]): NameFault | undefined => {
    const intended = slipOf(name, known)
    if (intended === undefined) return undefined
    const message = `no recorded request of ${sender} has "${name}" here`
    return { code: 'unknown-payload-field', message, hint: `did you mean "${intended}"?` }
  }
  return { ...objectShape(shapes, unknown, EVENT_VALUE), isUntrusted: true }
}

/** The names of the step outputs in lower case. */
export function outputNames(triggers: Triggers): string[] {
  const fields = triggers.flatMap(({ definition }) => Object.keys(definition.outputs))
  return [...RESERVED_OUTPUTS, ...fields].map((name) => name.toLowerCase())
}

export function outputsOfStep(triggers: Triggers, id: string, step: Place): Shape {
  const onOutput = `steps.${id}.outputs.on`
  const output = (name: string): OutputShape => ({
    name: name.toLowerCase(),
    step,
    context: 'steps',
    owner: id.toLowerCase(),
    triggered: `steps.${id}.outputs.triggered`,
    safe: (rest) => ({ hint: safeRead(triggers, name, rest, onOutput) }),
  })
  const event = eventShape(triggers)
  const items: Shape = { kind: 'list', item: event, isHookline: true }
  const names = namesOf(triggers)
  const reserved: Record<ReservedOutput, Shape> = {
    triggered: { ...ownText(['true', 'false', '']), kind: 'text', json: OWN_BOOLEAN },
    trigger: ownText(names.length > 0 ? [...names, ''] : undefined),
    workflow: ownText(),
    count: ownText(),
    on: eventText(event),
    items: eventText(items),
    delivery: ownText(),
    'received-at': ownText(),
    deliveries: {
      ...ownText(),
      kind: 'text',
      json: { kind: 'list', item: ownText(), isHookline: true },
    },
    failed: eventText({ kind: 'list', item: EVENT_VALUE, isHookline: true }),
  }
  const fields = triggers.flatMap((trigger) =>
    Object.keys(trigger.definition.outputs).map((field) => {
      const shape = hasPlainOutputs(trigger) ? fieldShape(trigger, field) : EVENT_VALUE
      return [field, shape.kind === 'text' ? shape : eventText(shape)] as const
    }),
  )
  const shapes = new Map<string, Shape>([...fields, ...Object.entries(reserved)])
  const isKnown = triggers.length > 0 && triggers.every(hasPlainOutputs)
  return ownObject(
    [...shapes].map(([name, shape]) => {
      return [name, shape.kind === 'text' ? { ...shape, output: output(name) } : shape] as const
    }),
    (name, known) => {
      const isTrigger = triggers.some((trigger) => trigger.name === name)
      if (!isKnown && !isTrigger && nearestName(name, known) === undefined) return undefined
      const message = `the action has no output "${name}"`
      const fault = unknownNameFault(message, name, known, 'outputs')
      const whole = (rest: string) => safeForm({ kind: 'on', output: onOutput }, [name]) + rest
      return isTrigger ? { ...fault, whole } : fault
    },
    EVENT_TEXT,
  )
}

/** The safe form of `<output>.rest`, where `on` is the expression of the output `on`. */
function safeRead(triggers: Triggers, name: string, rest: string, on: string): string {
  const whole = safeForm({ kind: 'on', output: on }, [])
  if (name === 'on') return `${whole}${rest}`
  if (name === 'items') {
    const items = on.replace(/on$/, 'items')
    return `${safeForm({ kind: 'items', output: items, item: 0 }, [])}${rest.replace(/^\[0\]/, '')}`
  }
  if (RESERVED_OUTPUTS.some((one) => one === name)) {
    const own = on.replace(/on$/, name)
    return name === 'deliveries' || name === 'failed' ? `fromJSON(${own} || '[]')${rest}` : own
  }
  const owner =
    triggers.find(({ definition }) => hasName(definition.outputs, name))?.name ?? 'webhook'
  return `${safeForm({ kind: 'on', output: on }, [owner, 'outputs', name])}${rest}`
}

/**
 * What a source reads in place of an output of the action.
 *
 * @param rest the access after the step or the job: `.outputs.body.title`
 */
export function eventRead(triggers: Triggers, rest: string): string {
  const [, name = '', inside = ''] = /^\s*\.\s*outputs\s*\.\s*([\w-]+)(.*)$/is.exec(rest) ?? []
  const owner = triggers.find(({ definition }) => hasName(definition.outputs, name))
  if (owner) return `${safeForm({ kind: 'source' }, [owner.name, 'outputs', name])}${inside}`
  if (name === 'on') return `toJSON(on)${inside}`
  return `on.${triggers[0]?.name ?? 'webhook'}.outcome`
}

/**
 * The outputs of a job, of which some are outputs of the action as they are. If the job does not pass
 * `on`, the hint names the line that is missing.
 */
export function bindOutputs(
  job: string,
  entries: readonly (readonly [name: string, shape: Shape])[],
): (readonly [string, Shape])[] {
  const passed = (output: OutputShape, wanted: string) =>
    entries.find(([, shape]) => {
      const own = shape.kind === 'text' ? shape.output : undefined
      return own?.name === wanted && own.owner === output.owner
    })?.[0]
  return entries.map(([name, shape]) => {
    if (shape.kind !== 'text' || !shape.output) return [name, shape]
    const inner = shape.output
    const wanted = inner.name === 'items' ? 'items' : 'on'
    const there = passed(inner, wanted)
    const safe: OutputShape['safe'] = (rest) => {
      const { hint } = inner.safe(rest)
      const own = `steps.${inner.owner}.outputs.${wanted}`
      const read = hint.replace(new RegExp(own, 'i'), `needs.${job}.outputs.${there ?? wanted}`)
      if (there !== undefined) return { hint: read }
      const line = `${wanted}: \${{ ${own} }}`
      return { hint: read, notes: [`add to the outputs of "${job}": ${line}`] }
    }
    const fired = passed(inner, 'triggered')
    const output: OutputShape = {
      ...inner,
      context: 'needs',
      owner: job.toLowerCase(),
      triggered: fired && `needs.${job}.outputs.${fired}`,
      safe,
    }
    return [name, { ...shape, output }]
  })
}

/** The JSON of an output if no event fired; `undefined` for an output that is no JSON. */
export function unfiredJson(shape: Shape): string | undefined {
  if (shape.kind !== 'text' || !shape.output || !shape.json) return undefined
  const { name } = shape.output
  if (name === 'on') return '{}'
  return ['items', 'deliveries', 'failed'].includes(name) ? '[]' : 'null'
}
