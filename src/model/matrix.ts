import { isObject, type Json, type JsonObject } from '../wire/json.ts'

/**
 * Returns the combinations of a matrix whose values are known, in GitHub's order, or the reason why the
 * job fails. Source: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstrategymatrixinclude
 */
export function combinationsOf(
  matrix: JsonObject,
): readonly JsonObject[] | { readonly fails: string } {
  const { include = [], exclude = [], ...vectors } = matrix
  const lists = Object.entries(vectors)
  for (const [name, list] of lists) {
    if (!Array.isArray(list)) return { fails: `its matrix: "${name}" is not a list` }
    if (list.length === 0) return { fails: `its matrix: "${name}" is empty` }
  }
  const excluded = listedObjects(exclude)
  const product = lists.reduce<JsonObject[]>(
    (all, [name, list]) =>
      all.flatMap((one) => (list as Json[]).map((value) => ({ ...one, [name]: value }))),
    lists.length > 0 ? [{}] : [],
  )
  const original = product.filter(
    (one) =>
      !excluded.some((entry) =>
        Object.entries(entry).every(([name, value]) => isEqualJson(one[name], value)),
      ),
  )
  const extended = original.map((one) => ({ ...one }))
  const added: JsonObject[] = []
  for (const entry of listedObjects(include)) {
    // An entry extends each combination that it does not contradict; otherwise it is one of its own.
    const names = Object.keys(entry)
    const fitting = original.flatMap((one, at) => {
      return names.every((name) => !(name in one) || isEqualJson(one[name], entry[name])) ? at : []
    })
    for (const at of fitting) Object.assign(extended[at] ?? {}, entry)
    if (fitting.length === 0) added.push(entry)
  }
  const combinations = [...extended, ...added]
  return combinations.length > 0 ? combinations : { fails: 'its matrix has no combination' }
}

function listedObjects(list: Json): JsonObject[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((entry) => (isObject(entry) ? [entry as JsonObject] : []))
}

function isEqualJson(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
