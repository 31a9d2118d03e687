import type { Evaluation } from '../engine/evaluation.ts'
import type { Item } from '../items/item.ts'
import { UserError } from '../protocol/errors.ts'
import type { Json } from '../protocol/json.ts'
import { LIMITS } from '../protocol/limits.ts'

/**
 * The step outputs of an evaluation, in the order they are written. Text as it is, everything else
 * as JSON. The fixed names come last, so that they win over a field of the same name.
 *
 * @throws UserError when `items` would be larger than GitHub lets a job hand on
 */
export function stepOutputs(evaluation: Evaluation): Map<string, string> {
  const { items, contexts, fields } = evaluation
  const [first] = items
  return new Map([
    ...ownOutputs(fields, first),
    ['triggered', String(items.length > 0)],
    ['trigger', evaluation.trigger],
    ['workflow', evaluation.workflow],
    ['count', String(items.length)],
    ['on', JSON.stringify(contexts[0] ?? {})],
    ['items', itemsText(contexts)],
    ['delivery', evaluation.delivery ?? ''],
    ['received-at', evaluation.receivedAt ?? ''],
  ])
}

/** A field that the item does not have is no output: it reads as empty, and not as `null`. */
function ownOutputs(fields: readonly string[], item: Item = {}): [string, string][] {
  return fields.flatMap((field): [string, string][] => {
    const value = item[field]
    return value === undefined ? [] : [[field, outputText(value)]]
  })
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
