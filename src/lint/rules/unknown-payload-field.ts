import { ContextAccess, type Expr, IndexAccess, Literal, Logical } from '@actions/expressions/ast'
import { isMap, isSeq } from 'yaml'
import { PAYLOADS } from '../../triggers/lists/payloads.ts'
import type { Problem } from '../../wire/errors.ts'
import { isObject } from '../../wire/json.ts'
import { accessTo, isCallOf } from '../../workflow/expression-paths.ts'
import { type FileExpression, partsOf, spanOf } from '../../workflow/file-expressions.ts'
import type { SourceTrigger } from '../../workflow/on.ts'
import { slipOf } from '../../workflow/suggestion.ts'
import { hooklineOutput } from '../hookline-outputs.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { inEnv } from './example-workflows.ts'

export const unknownPayloadField: Rule = {
  id: 'unknown-payload-field',
  level: 'warning',
  page: {
    title: 'a field that is similar to a field of the recorded requests of the sender',
    reason:
      'With `verify: {scheme: github}`, `check` knows requests that GitHub sends. A misspelled field is empty, and GitHub reports nothing.',
    remedy:
      'Correct the name as the hint says. Senders add fields, so this finding is only a warning.',
    before: "NAME: ${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.issue.titel }}",
    after: "NAME: ${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.issue.title }}",
    workflow: (variable) =>
      inEnv(variable).replace(
        'webhook: {method: post}',
        'webhook: {verify: {scheme: github, secret: "${{ secrets.S }}"}}',
      ),
  },
  check: (file) => {
    const senders = new Map(
      file.triggers.map((trigger) => [trigger.name.toLowerCase(), verifiedSender(trigger)]),
    )
    if (![...senders.values()].some((sender) => sender !== undefined)) return []
    return file.expressions.flatMap((expression) => fieldsIn(file, expression, senders))
  },
}

/** The sender whose signature a trigger verifies, if it is only one. */
function verifiedSender({ nodes }: SourceTrigger): string | undefined {
  const verify = isMap(nodes.value) ? nodes.value.get('verify') : undefined
  const only = isSeq(verify) && verify.items.length === 1 ? verify.items[0] : verify
  const scheme = isMap(only) ? only.get('scheme') : undefined
  const name = typeof scheme === 'string' ? scheme.replaceAll('_', '-') : ''
  return Object.hasOwn(PAYLOADS, name) ? name : undefined
}

type Senders = ReadonlyMap<string, string | undefined>

function fieldsIn(file: RuleFile, expression: FileExpression, senders: Senders): Problem[] {
  if (!/body/i.test(expression.text) || !expression.tree) return []
  const parts = partsOf(expression.tree)
  const inner = new Set(parts.flatMap((part) => (part instanceof IndexAccess ? [part.expr] : [])))
  // `a.b.c` has three parts; only the whole counts.
  return parts
    .filter((part) => !inner.has(part))
    .flatMap((part): Problem[] => {
      const read = bodyFields(file, expression, part, senders)
      const names = read?.fields.map(nameOf) ?? []
      const misspelled = read && misspelledName(names, bodiesOf(read.sender))
      const field = misspelled && read.fields[misspelled.at]
      if (!read || !misspelled || !field) return []
      const message = `no recorded request of ${read.sender} has "${misspelled.name}" here`
      const problem = { message, hint: `did you mean "${misspelled.intended}"?` }
      return [file.problemAt(expression, spanOf(field.token), problem)]
    })
}

type FieldStep = Literal | undefined

function nameOf(step: FieldStep): string | undefined {
  return step?.literal.coerceString()
}

/** The fields of a body that an expression reads, and the sender of that body. */
function bodyFields(file: RuleFile, expression: FileExpression, part: Expr, senders: Senders) {
  const { root, indices } = accessTo(part)
  const steps = indices.map((index) => (index instanceof Literal ? index : undefined))
  if (isCallOf(root, 'fromjson')) {
    const [json] = root.args
    // `outputs.on || '{}'`
    const [path] = json instanceof Logical ? json.args : [json]
    const output = path && hooklineOutput(file, expression, path)
    if (output?.name === 'on') return ofItem()
    const sender = soleOf([...senders.values()])
    return output?.name === 'body' && sender ? { sender, fields: steps } : undefined
  }
  const isOn = root instanceof ContextAccess && root.name.lexeme.toLowerCase() === 'on'
  return isOn ? ofItem() : undefined

  /** `webhook.outputs.body.…` */
  function ofItem() {
    const [trigger = '', outputs, body] = steps.map((step) => nameOf(step)?.toLowerCase())
    const sender = outputs === 'outputs' && body === 'body' ? senders.get(trigger) : undefined
    return sender === undefined ? undefined : { sender, fields: steps.slice(3) }
  }
}

/** The value that all are equal to. */
function soleOf(senders: readonly (string | undefined)[]): string | undefined {
  const [first] = senders
  return senders.every((one) => one === first) ? first : undefined
}

/** The first name of a path that no body has, if a body has a similar name at that position. */
export function misspelledName(path: readonly (string | undefined)[], bodies: readonly unknown[]) {
  let values = bodies
  for (const [at, name] of path.entries()) {
    if (name === undefined) return undefined
    if (/^\d+$/.test(name)) values = values.flatMap((one) => (Array.isArray(one) ? one : []))
    else {
      const entries = values.filter(isObject).flatMap((one) => Object.entries(one))
      const found = entries.filter(([key]) => key.toLowerCase() === name.toLowerCase())
      const names = entries.map(([key]) => key)
      const intended = found.length > 0 ? undefined : slipOf(name, names)
      if (intended !== undefined) return { at, name, intended }
      values = found.map(([, value]) => value)
    }
  }
  return undefined
}

/** The recorded JSON bodies of a sender. */
export function bodiesOf(sender: string): readonly unknown[] {
  return Object.values(PAYLOADS[sender] ?? {}).map((make) => {
    const { body } = make({ id: '00000000-0000-4000-8000-000000000000', now: new Date(0) })
    if (typeof body !== 'string') return body
    try {
      return JSON.parse(body)
    } catch {
      return undefined // a form
    }
  })
}
