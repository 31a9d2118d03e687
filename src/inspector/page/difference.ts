import type { Detail, ShownContext, ShownRequest } from '../api.ts'
import { steps } from './expression.ts'

/** A value that is not what it was. */
export interface Change {
  readonly place: string
  /** `undefined` where there was, or is, nothing. */
  readonly before: string | undefined
  readonly after: string | undefined
}

/** What a replay changed of the request, and of what came of it: outputs that only repeat the request are left out. */
export function changes(
  before: Detail,
  after: Detail,
): { readonly request: readonly Change[]; readonly result: readonly Change[] } {
  const request = differences(requestLeaves(before.request), requestLeaves(after.request))
  const isTold = new Set(request.map(named))
  const outputs = differences(outputLeaves(before.items), outputLeaves(after.items))
  const others = outputs.filter((change) => !isTold.has(named(change)))
  return { request, result: [...differences(verdict(before), verdict(after)), ...others] }
}

/** A change by the name of its value, wherever that stands. */
function named({ place, before, after }: Change): string {
  return JSON.stringify([/[^.[]*$/.exec(place)?.[0], before, after])
}

function verdict(detail: Detail): Map<string, string> {
  const { outcome, count, reason, warnings, decisions } = detail
  const told = decisions.flatMap(({ tally }) => tally?.steps ?? [])
  const items = outcome === 'fired' && count !== 1 ? `, ${count} items` : ''
  const lines = { outcome: outcome + items, reason, config: told.join('; ') }
  const texts = Object.entries({ ...lines, warnings: warnings.join('; ') })
  return new Map(texts.flatMap(([name, text]) => (text ? [[name, text] as const] : [])))
}

function requestLeaves(request: ShownRequest | null): Map<string, string> {
  const leaves = new Map<string, string>()
  if (!request) return leaves
  const { method, path, headers, body } = request
  addLeaves(leaves, 'method', method)
  addLeaves(leaves, 'path', path)
  for (const [name, value] of Object.entries(headers)) addLeaves(leaves, `headers.${name}`, value)
  // The length follows from the body.
  leaves.delete('headers.content-length')
  addLeaves(leaves, 'body', parsed(body))
  return leaves
}

function outputLeaves(items: readonly ShownContext[]): Map<string, string> {
  const leaves = new Map<string, string>()
  for (const [at, context] of items.entries()) {
    for (const [trigger, { outcome, outputs }] of Object.entries(context)) {
      const item = items.length > 1 ? `[${at}]` : ''
      if (outcome === 'success') addLeaves(leaves, `${trigger}.outputs${item}`, outputs)
    }
  }
  return leaves
}

/** Every value that has none below it, as JSON, by its place. */
function addLeaves(leaves: Map<string, string>, place: string, value: unknown): void {
  const below = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (below.length === 0) leaves.set(place, JSON.stringify(value) ?? '')
  for (const [key, one] of below) {
    addLeaves(leaves, place + steps([Array.isArray(value) ? Number(key) : key]), one)
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Change[] {
  const places = new Set([...before.keys(), ...after.keys()])
  return [...places].flatMap((place) => {
    const change = { place, before: before.get(place), after: after.get(place) }
    return change.before === change.after ? [] : [change]
  })
}
