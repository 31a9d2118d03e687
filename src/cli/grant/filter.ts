import type { Json, JsonObject } from '../../wire/json.ts'
import { isObject } from '../../wire/json.ts'
import { visibleHeaders } from '../../wire/request.ts'

/** A `config.filter` in GitHub's expression language, as far as it can be said there. */
export interface SaidFilter {
  /** `undefined` where nothing of it can be said. */
  readonly expression: string | undefined
  /** What is left to the workflow: `body.title: $ne of a text`. */
  readonly unsaid: readonly string[]
}

/**
 * Says the filter of a `webhook` as a condition of a grant. The condition holds for everything that the
 * filter keeps, so nothing that the workflow wants is lost at the relay; it may hold for more, since
 * GitHub's language tells no case apart and compares freely. The workflow filters again.
 *
 * @param filter a query of MongoDB, checked
 */
export function saidFilter(filter: JsonObject): SaidFilter {
  const parts = Object.entries(filter).flatMap(([key, value]) => conjuncts(key, value))
  const said = parts.map((part) => ({ part, expression: sayPart(part) }))
  const expressions = said.flatMap(({ expression }) => expression ?? [])
  const unsaid = said.flatMap(({ part, expression }) =>
    expression === undefined ? [nameOf(part)] : [],
  )
  return { expression: joined(expressions, '&&'), unsaid }
}

/** One condition of a query: a path with one operator, or an operator over queries. */
interface Part {
  readonly key: string
  readonly operator: string
  readonly value: Json
}

/** `{a: {$gt: 1, $lt: 5}}` is two conditions, and `$and` is those of its queries. */
function conjuncts(key: string, value: Json): Part[] {
  if (key === '$and' && Array.isArray(value)) {
    return value.flatMap((query) =>
      isObject(query)
        ? Object.entries(query).flatMap(([one, of]) => conjuncts(one, of ?? null))
        : [],
    )
  }
  if (key.startsWith('$')) return [{ key: '', operator: key, value }]
  const operators = isObject(value) ? Object.entries(value) : []
  const isPlain = operators.length === 0 || !operators.every(([name]) => name.startsWith('$'))
  if (isPlain) return [{ key, operator: '$eq', value }]
  // Flags change what the expression beside them means, so they stay with it.
  if (operators.some(([name]) => name === '$options')) return [{ key, operator: '$options', value }]
  return operators.map(([operator, operand]) => ({ key, operator, value: operand ?? null }))
}

function nameOf({ key, operator, value }: Part): string {
  const kind = typeof value === 'string' ? ' of a text' : ''
  return key === '' ? operator : `${key}: ${operator}${kind}`
}

function sayPart({ key, operator, value }: Part): string | undefined {
  if (operator === '$or') return sayOr(value)
  const place = placeOf(key)
  const compare = COMPARISONS.get(operator)
  const said = place && compare?.(place.at, value)
  if (!place || said === undefined) return undefined
  // A path that leads through a list means any of its elements: that is left to the workflow.
  return joined([...place.above.map(isList), said], '||')
}

/** Every one of them has to be said, else those that are not would be lost. */
function sayOr(queries: Json): string | undefined {
  if (!Array.isArray(queries)) return undefined
  const arms = queries.map((query) =>
    isObject(query) ? saidFilter(query as JsonObject) : undefined,
  )
  const said = arms.flatMap((arm) => (arm && arm.unsaid.length === 0 ? (arm.expression ?? []) : []))
  return said.length === queries.length ? joined(said, '||') : undefined
}

/** By operator: what holds for everything that the operator keeps, a list at the place included. */
const COMPARISONS: ReadonlyMap<string, (place: string, value: Json) => string | undefined> =
  new Map([
    ['$eq', equal],
    ['$in', oneOf],
    ['$ne', (place, value) => (typeof value === 'string' ? undefined : other(place, value))],
    ['$exists', (place, value) => (value === false ? `toJSON(${place}) == 'null'` : undefined)],
    ['$regex', matching],
    ...['$gt:>', '$gte:>=', '$lt:<', '$lte:<='].map((pair) => {
      const [operator = '', sign] = pair.split(':')
      const say = (place: string, value: Json) =>
        typeof value === 'number' ? `(${isList(place)} || ${place} ${sign} ${value})` : undefined
      return [operator, say] as const
    }),
  ])

function equal(place: string, value: Json): string | undefined {
  const text = literal(value)
  if (text === undefined) return undefined
  return `(${place} == ${text} || (${isList(place)} && contains(${place}, ${text})))`
}

function oneOf(place: string, values: Json): string | undefined {
  const all = Array.isArray(values) ? values.map((value) => equal(place, value)) : [undefined]
  const said = all.flatMap((one) => one ?? [])
  return said.length === all.length ? joined(said, '||') : undefined
}

/** Of texts nothing can be said: `!=` takes `Main` for `main`, and would lose it. */
function other(place: string, value: Json): string | undefined {
  const text = literal(value)
  return text === undefined ? undefined : `toJSON(${place}) != '${text}'`
}

/** A pattern that is a plain text, anchored or not. */
function matching(place: string, pattern: Json): string | undefined {
  const [, start, source = '', end] =
    /^(\^?)((?:[\w \-/:@#,;=~%]|\\[./-])+)(\$?)$/.exec(
      typeof pattern === 'string' ? pattern : '',
    ) ?? []
  if (source === '') return undefined
  const text = literal(source.replaceAll('\\', ''))
  const functions = { '^$': 'eq', '^': 'startsWith', $: 'endsWith', '': 'contains' } as const
  const name = functions[`${start ?? ''}${end ?? ''}` as keyof typeof functions]
  const said = name === 'eq' ? `${place} == ${text}` : `${name}(${place}, ${text})`
  return `(${isList(place)} || ${said})`
}

/** Lists and objects cannot be written there. */
function literal(value: Json): string | undefined {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  const isExact =
    typeof value !== 'number' || Number.isSafeInteger(value) || /^-?\d+\.\d+$/.test(`${value}`)
  return isExact && !isObject(value) && !Array.isArray(value) ? String(value) : undefined
}

interface Place {
  /** `body['issue']['title']` */
  readonly at: string
  /** Whatever stands above it: `body`, `body['issue']`. */
  readonly above: readonly string[]
}

/** `undefined` for what the relay does not see as the item has it. */
function placeOf(path: string): Place | undefined {
  const [root = '', ...names] = path.split('.')
  if (root === 'method') return names.length === 0 ? { at: root, above: [] } : undefined
  if (!['headers', 'query', 'body'].includes(root)) return undefined
  if (names.length === 0 || names.some((name) => name === '' || /^\d+$/.test(name)))
    return undefined
  if (root === 'headers' && !isSeen(names)) return undefined
  const steps = names.map((_, count) => root + names.slice(0, count).map(index).join(''))
  return { at: root + names.map(index).join(''), above: root === 'headers' ? [] : steps }
}

function isSeen([name = '', ...deeper]: readonly string[]): boolean {
  const request = { headers: { [name]: 'x' }, binary: false }
  return (
    deeper.length === 0 && name in visibleHeaders(request as Parameters<typeof visibleHeaders>[0])
  )
}

function index(name: string): string {
  return `['${name.replaceAll("'", "''")}']`
}

function isList(place: string): string {
  return `startsWith(toJSON(${place}), '[')`
}

function joined(expressions: readonly string[], sign: '&&' | '||'): string | undefined {
  if (expressions.length <= 1) return expressions[0]
  return `(${expressions.join(` ${sign} `)})`
}
