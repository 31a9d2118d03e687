import { wantedText } from '../../engine/unmet-conditions.ts'
import { parseDataPath } from '../../wire/data-path.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import { isObject } from '../../wire/json.ts'
import { visibleHeaders } from '../../wire/webhook-request.ts'

/** A `config.filter` in GitHub's expression language, as far as that language can express it. */
export interface FilterExpression {
  /** `undefined` if no part of the filter can be translated. */
  readonly expression: string | undefined
  /** The parts that only the workflow can check: `body.title: $ne of a string`. */
  readonly untranslated: readonly string[]
}

/**
 * Translates the filter of a `webhook` into the condition of a grant. The condition is true for every
 * request that the filter accepts, so that the relay never drops a request that the workflow wants. The
 * condition may accept more requests, because GitHub's language ignores case and converts types when it
 * compares. The workflow filters again.
 *
 * @param filter a valid MongoDB query
 */
export function filterExpression(filter: JsonObject): FilterExpression {
  const conditions = filterConditions(filter)
  const expressions = conditions.flatMap(({ expression }) => expression ?? [])
  return {
    expression: expressions.length === 0 ? undefined : expressions.join(' && '),
    untranslated: conditions.flatMap(({ expression, name }) =>
      expression === undefined ? [name] : [],
    ),
  }
}

/** A condition of a filter. An event must meet all conditions of its filter. */
interface FilterCondition {
  /** `body.title: $ne of a string` */
  readonly name: string
  /** `body.type must be one of "created", "updated"` */
  readonly words: string
  /** Its translation; `undefined` if only the workflow can check it. */
  readonly expression: string | undefined
}

export function filterConditions(filter: JsonObject): FilterCondition[] {
  return Object.entries(filter)
    .flatMap(([key, value]) => conjuncts(key, value))
    .map((part) => ({
      name: conditionName(part),
      words: conditionWords(part),
      expression: translatePart(part),
    }))
}

/** One condition of a query: a path with one operator, or an operator over queries. */
interface QueryCondition {
  readonly key: string
  readonly operator: string
  readonly value: Json
}

/** `{a: {$gt: 1, $lt: 5}}` is two conditions, and `$and` is those of its queries. */
function conjuncts(key: string, value: Json): QueryCondition[] {
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
  // $options changes the meaning of $regex, so that the two stay together.
  if (operators.some(([name]) => name === '$options')) return [{ key, operator: '$options', value }]
  return operators.map(([operator, operand]) => ({ key, operator, value: operand ?? null }))
}

function conditionWords({ key, operator, value }: QueryCondition): string {
  const wanted = operator === '$eq' ? value : { [operator]: value }
  return key === ''
    ? `${operator}: ${JSON.stringify(value)}`
    : `${key} must be ${wantedText(wanted)}`
}

function conditionName({ key, operator, value }: QueryCondition): string {
  const kind = typeof value === 'string' ? ' of a string' : ''
  return key === '' ? operator : `${key}: ${operator}${kind}`
}

function translatePart({ key, operator, value }: QueryCondition): string | undefined {
  if (operator === '$or') return translateOr(value)
  const place = key === '' ? undefined : fieldPlace(key)
  const compare = COMPARISONS.get(operator)
  const comparison = place && compare?.(place.at, value)
  if (!place || comparison === undefined) return undefined
  // A path through a list matches any element of the list, and a path that names nothing also means
  // keys with its dots; only the workflow can check these.
  return anyOf([...place.above.map(startsLikeList), comparison, ...place.joined])
}

/** Translates $or only if every query translates; otherwise the relay would drop wanted requests. */
function translateOr(queries: Json): string | undefined {
  if (!Array.isArray(queries)) return undefined
  const arms = queries.map((query) =>
    isObject(query) ? filterExpression(query as JsonObject) : undefined,
  )
  const expressions = arms.flatMap((arm) =>
    arm && arm.untranslated.length === 0 ? (arm.expression ?? []) : [],
  )
  return expressions.length === queries.length ? anyOf(expressions) : undefined
}

/** For each operator: an expression that is true for every value that the operator accepts, lists included. */
const COMPARISONS: ReadonlyMap<string, (place: string, value: Json) => string | undefined> =
  new Map([
    ['$eq', equal],
    ['$in', memberExpression],
    ['$ne', (place, value) => (typeof value === 'string' ? undefined : other(place, value))],
    ['$exists', (place, value) => (value === false ? `toJSON(${place}) == 'null'` : undefined)],
    ['$regex', matching],
    ...['$gt:>', '$gte:>=', '$lt:<', '$lte:<='].map((pair) => {
      const [operator = '', sign] = pair.split(':')
      const compare = (place: string, value: Json) =>
        typeof value === 'number'
          ? `(${startsLikeList(place)} || ${place} ${sign} ${value})`
          : undefined
      return [operator, compare] as const
    }),
  ])

function equal(place: string, value: Json): string | undefined {
  const text = literal(value)
  if (text === undefined) return undefined
  return `(${place} == ${text} || (${startsLikeList(place)} && contains(${place}, ${text})))`
}

function memberExpression(place: string, values: Json): string | undefined {
  const all = Array.isArray(values) ? values.map((value) => equal(place, value)) : [undefined]
  const expressions = all.flatMap((one) => one ?? [])
  return expressions.length === all.length ? anyOf(expressions) : undefined
}

/** Strings are not compared, because `!=` ignores case and would drop `Main` for `main`. */
function other(place: string, value: Json): string | undefined {
  const text = literal(value)
  return text === undefined ? undefined : `toJSON(${place}) != '${text}'`
}

/** Translates a pattern that is a plain string, anchored or not. */
function matching(place: string, pattern: Json): string | undefined {
  const [, start, source = '', end] =
    /^(\^?)((?:[\w \-/:@#,;=~%]|\\[./-])+)(\$?)$/.exec(
      typeof pattern === 'string' ? pattern : '',
    ) ?? []
  if (source === '') return undefined
  const text = literal(source.replaceAll('\\', ''))
  const functions = { '^$': 'eq', '^': 'startsWith', $: 'endsWith', '': 'contains' } as const
  const name = functions[`${start ?? ''}${end ?? ''}` as keyof typeof functions]
  const comparison = name === 'eq' ? `${place} == ${text}` : `${name}(${place}, ${text})`
  return `(${startsLikeList(place)} || ${comparison})`
}

/** The language has no literals for lists and objects. */
function literal(value: Json): string | undefined {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  const isExact =
    typeof value !== 'number' || Number.isSafeInteger(value) || /^-?\d+\.\d+$/.test(`${value}`)
  return isExact && !isObject(value) && !Array.isArray(value) ? String(value) : undefined
}

interface FieldPlace {
  /** `body['issue']['title']` */
  readonly at: string
  /** The parents: `body`, `body['issue']`. */
  readonly above: readonly string[]
  /** Conditions for keys that the path also means, such as `issue.title`. */
  readonly joined: readonly string[]
}

/** `undefined` for a path whose value differs between the relay and the item. */
function fieldPlace(path: string): FieldPlace | undefined {
  const { text, steps } = parseDataPath(path)
  const [root = '', ...names] = steps.map(({ name = '' }) => name)
  if (root === 'method') return names.length === 0 ? { at: root, above: [], joined: [] } : undefined
  if (!['headers', 'query', 'body'].includes(root)) return undefined
  if (names.length === 0 || names.some((name) => name === '' || /^\d+$/.test(name)))
    return undefined
  if (root === 'headers' && !isSeen(names)) return undefined
  const above = names.map((_, count) => root + names.slice(0, count).map(index).join(''))
  const joined = steps.slice(2).map(({ end }, at) => text.slice(steps[at + 1]?.start, end))
  if (joined.some((key) => !/^[\w .:/@-]+$/.test(key.replaceAll(/[[\]]/g, '')))) return undefined
  return {
    at: root + names.map(index).join(''),
    above: root === 'headers' ? [] : above,
    joined: joined.map((key) => `contains(toJSON(${root}), ${literal(key)})`),
  }
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

function startsLikeList(place: string): string {
  return `startsWith(toJSON(${place}), '[')`
}

function anyOf(expressions: readonly string[]): string | undefined {
  if (expressions.length <= 1) return expressions[0]
  return `(${expressions.join(' || ')})`
}
