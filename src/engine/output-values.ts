import type { Item } from '../triggers/trigger.ts'
import { type Json, type JsonObject, record, type SentDigits } from '../wire/json.ts'
import { decimalDigits, isPrintedExactly } from '../wire/runner-number.ts'

/** An item, with the digits of its numbers that differ from the ones that JavaScript writes. */
export interface FoundItem {
  readonly item: Item
  readonly digits?: SentDigits
}

/**
 * Makes the values of an item safe for expressions: a number becomes a string of its digits if a runner
 * would print other ones, and a field becomes JSON text if `fromJSON` could not read it.
 *
 * @param levels of arrays and objects that a field may have
 * @returns with the names of the fields that became JSON text
 */
export function outputItem({ item, digits }: FoundItem, levels: number) {
  const flattened = Object.keys(item).filter((name) => isDeeper(item[name] ?? null, levels))
  if (flattened.length === 0) return { item: outputValue(item, digits) as Item, flattened } // of the same shape
  const entries = Object.entries(item).map(([name, value]): [string, Json] => [
    name,
    flattened.includes(name) ? JSON.stringify(value) : outputValue(value, digits),
  ])
  return { item: record(entries), flattened }
}

/** The value itself if nothing in it has to change, because a body can have millions of values. */
function outputValue(value: Json, digits: SentDigits | undefined): Json {
  if (typeof value === 'number') {
    return isPrintedExactly(value) ? value : (digits?.get(value) ?? decimalDigits(value))
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    let list: Json[] | undefined
    for (const [index, entry] of value.entries()) {
      const passedOn = outputValue(entry, digits)
      if (passedOn === entry) continue
      list ??= [...value]
      list[index] = passedOn
    }
    return list ?? value
  }
  let copy: JsonObject | undefined
  for (const [name, entry] of Object.entries(value)) {
    const passedOn = outputValue(entry, digits)
    if (passedOn === entry) continue
    copy ??= record(Object.entries(value))
    copy[name] = passedOn
  }
  return copy ?? value
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some((entry) => isDeeper(entry, levels - 1))
}
