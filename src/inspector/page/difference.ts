import { MESSAGE_LEVELS, textsAtLevel } from '../../wire/messages.ts'
import { accessors } from '../../workflow/safe-form.ts'
import type { Detail } from '../api.ts'
import { parsed } from './request-text.ts'

/** A value that is not what it was. */
export interface Difference {
  readonly place: string
  /** `undefined` where there was, or is, nothing. */
  readonly before: string | undefined
  readonly after: string | undefined
}

/** The changes of a replay, in the request and in its result. */
export function changes(
  original: Detail,
  replay: Detail,
): { readonly request: readonly Difference[]; readonly result: readonly Difference[] } {
  const [before, after] = [comparedLeaves(original), comparedLeaves(replay)]
  const request = differences(before.request, after.request)
  // Outputs that only repeat what was edited say nothing new, wherever they have it.
  const named = ({ place, before, after }: Difference) =>
    JSON.stringify([/[^.[]*$/.exec(place)?.[0], before, after])
  const isTold = new Set(request.map(named))
  const outputs = differences(before.outputs, after.outputs)
  const others = outputs.filter((change) => !isTold.has(named(change)))
  return { request, result: [...differences(before.verdict, after.verdict), ...others] }
}

function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Difference[] {
  const places = new Set([...before.keys(), ...after.keys()])
  return [...places].flatMap((place) => {
    const change = { place, before: before.get(place), after: after.get(place) }
    return change.before === change.after ? [] : [change]
  })
}

/** All that can differ, by its place: values as JSON, what is said in words as it is. */
function comparedLeaves(detail: Detail) {
  const request = new Map<string, string>()
  const verdict = new Map<string, string>()
  const outputs = new Map<string, string>()
  const { outcome, count, reason, messages, decisions, items } = detail
  const config = decisions.flatMap(({ tally }) => tally?.steps ?? [])
  const several = outcome === 'fired' && count !== 1 ? `, ${count} items` : ''
  const levels = MESSAGE_LEVELS.map(
    (level) => [`${level}s`, textsAtLevel(messages, level)] as const,
  )
  const listed = [['config', config] as const, ...levels]
  const texts = {
    reason,
    ...Object.fromEntries(listed.map(([name, all]) => [name, all.join('; ')])),
  }
  for (const [name, text] of Object.entries({ outcome: outcome + several, ...texts })) {
    if (text) verdict.set(name, text)
  }
  if (detail.request) {
    const { method, path, headers, body } = detail.request
    addLeaves(request, '', { method, path, body: parsed(body) ?? body, headers })
  }
  for (const [at, context] of items.entries()) {
    for (const [trigger, { outcome, outputs: values }] of Object.entries(context)) {
      const item = items.length > 1 ? `[${at}]` : ''
      if (outcome === 'success') addLeaves(outputs, `${trigger}.outputs${item}`, values)
    }
  }
  return { request, verdict, outputs }
}

/** Adds every value that has none below it. */
function addLeaves(leaves: Map<string, string>, place: string, value: unknown): void {
  const below = typeof value === 'object' && value !== null ? Object.entries(value) : []
  // The length follows from the body.
  if (/(^|\.)headers\.content-length$/.test(place)) return
  if (below.length === 0) leaves.set(place.replace(/^\./, ''), JSON.stringify(value) ?? '')
  for (const [key, one] of below) {
    addLeaves(leaves, place + accessors([Array.isArray(value) ? Number(key) : key]), one)
  }
}
