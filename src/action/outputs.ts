import type { Evaluation } from '../engine/result.ts'
import { UserError } from '../wire/errors.ts'
import type { Json } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'

/**
 * The step outputs of an evaluation, in the order they are written. Text as it is, everything else
 * as JSON. The fixed names come last, so that they win over a field of the same name.
 *
 * @throws UserError when `items` would be larger than GitHub lets a job hand on
 */
export function stepOutputs(evaluation: Evaluation): Map<string, string> {
  const { items, contexts, fields } = evaluation
  const [first] = items
  const own = fields.map((field) => [field, outputText(first?.[field] ?? null)] as const)
  return new Map([
    ...own,
    ['triggered', String(items.length > 0)],
    ['trigger', evaluation.trigger],
    ['workflow', evaluation.workflow],
    ['count', String(items.length)],
    ['on', JSON.stringify(contexts[0] ?? evaluation.unfired)],
    ['items', itemsText(contexts)],
    ['delivery', evaluation.delivery ?? ''],
    ['received-at', evaluation.receivedAt ?? ''],
  ])
}

function outputText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function itemsText(contexts: Evaluation['contexts']): string {
  const text = JSON.stringify(contexts)
  if (text.length <= LIMITS.itemsUnits) return text
  throw new UserError({
    message: `the output "items" would have ${text.length} characters; GitHub lets a job hand on about ${LIMITS.itemsUnits}`,
    notes: ['have the sender send less'],
  })
}
