import { isObject, type Json, type JsonObject, record } from '../wire/json.ts'

/** Answers by the title of their question; when a title comes again, as `Name (2)`. */
export function answersByTitle(answers: Iterable<readonly [title: string, Json]>): JsonObject {
  const found = new Map<string, Json>()
  for (const [title, value] of answers) found.set(freeTitle(title, found), value)
  return record(found)
}

function freeTitle(title: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(title)) return title
  let number = 2
  while (taken.has(`${title} (${number})`)) number++
  return `${title} (${number})`
}

/** What of a list is an object; nothing, when it is no list. */
export function objectsIn(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.flatMap((entry) => (isObject(entry) ? [entry] : [])) : []
}
