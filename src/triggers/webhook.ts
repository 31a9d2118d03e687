import { match as compile, parse, type Token } from 'path-to-regexp'
import * as v from 'valibot'
import { type JsonObject, record } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import { decodePercent } from '../wire/path.ts'
import { visibleHeaders, visibleQuery, type WebhookRequest } from '../wire/webhook-request.ts'
import { keyPath } from './path-option.ts'
import { type Check, defineTrigger, oneOrMore } from './trigger.ts'
import { withoutFields } from './verify/token-schemes.ts'
import {
  credentialLocations,
  requiredSignatures,
  type Verification,
  verifyOption,
  verifyRequest,
} from './verify.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const

type Method = (typeof METHODS)[number]

/** HTTP methods are accepted in upper case, too, as HTTP writes them. */
const method = v.lazy((input): v.GenericSchema<string, Method> => {
  const names = v.picklist(METHODS, 'HTTP method')
  const isCapital = typeof input === 'string' && v.is(names, input.toLowerCase())
  return isCapital ? v.pipe(v.string(), v.toLowerCase(), names) : names
})

const WITH_BODY: ReadonlySet<string> = new Set(['post', 'put', 'patch'])

/** Schema of a path pattern: a missing leading `/` is added, a malformed pattern is an issue. */
export const pathPattern = v.pipe(
  v.string(),
  v.maxLength(LIMITS.patternLength, `has more than ${LIMITS.patternLength} characters`),
  v.rawTransform<string, PathPattern>(({ dataset, addIssue, NEVER }) => {
    try {
      return compilePattern(dataset.value)
    } catch (error) {
      addIssue({ message: patternMistake(error, dataset.value) })
      return NEVER
    }
  }),
)

const options = v.strictObject({
  method: v.pipe(
    v.optional(oneOrMore(method)),
    v.description('HTTP method, or a list of methods. Default: every method.'),
  ),
  path: v.pipe(
    v.optional(pathPattern),
    v.description(
      'Pattern for the path after the trigger name in the URL, such as `/user/:userId`; `:name` segments become `params`. Default: every path.',
    ),
  ),
  deduplicationKey: v.pipe(
    v.optional(keyPath),
    v.description(
      'Path of the deduplication key in the body, such as `data.id`, if the body has no `id`.',
    ),
  ),
  verify: verifyOption(),
})

export const webhook = defineTrigger({
  name: 'webhook',
  description: 'Fires on any request, optionally narrowed by method, path and who sent it.',
  options,
  outputs: {
    method: 'Request method, lower case.',
    headers: 'Request headers, names in lower case.',
    query: 'Query parameters; a repeated one is an array.',
    querystring: 'Query string without the leading `?`.',
    search: 'Query string with the leading `?`, or empty.',
    body: 'Request body: parsed for JSON and forms, else text; `null` when there is none.',
    params: 'Values of the `:name` parts of `path`.',
  },
  stringOutputs: ['method', 'querystring', 'search'],
  columns: ['body', 'params', 'method'],
  example({ method = ['post'], path, verify }) {
    if (verify) return undefined
    const verb = method.includes('post') ? 'post' : (method[0] ?? 'post')
    const request = { method: verb.toUpperCase(), path: path?.example ?? '' }
    if (!WITH_BODY.has(verb)) return request
    return { ...request, contentType: 'application/json', body: '{"hello":"world"}' }
  },
  async receive(request, { method, path, verify }, ports) {
    const params = path ? path.match(request.path) : {}
    const matches = [methodCheck(request.method, method), pathCheck(path?.pattern, params)]
    if (!params || !matches.every((check) => check.held)) return { checks: matches, items: [] }
    const { held, checks, messages } = await verifyRequest(request, verify, ports)
    const items = held ? [{ ...requestFields(request, verify), params }] : []
    return { checks: [...matches, ...checks], items, messages }
  },
  signatures: ({ verify }) => requiredSignatures(verify),
})

function methodCheck(found: string, wanted: readonly string[] | undefined): Check {
  if (!wanted) return { option: 'method', held: true, found: 'any method' }
  const held = wanted.includes(found)
  // A dispatch without the relay may contain any string, so only a known method is shown.
  const name = METHODS.find((method) => method === found) ?? 'an unknown one'
  return {
    option: 'method',
    held,
    found: held ? name : `${name} is not among ${wanted.join(', ')}`,
    actual: name,
    wanted: [...wanted],
  }
}

function pathCheck(pattern: string | undefined, params: object | undefined): Check {
  if (pattern === undefined) return { option: 'path', held: true, found: 'any path' }
  const held = params !== undefined
  const found = `${held ? 'matches' : 'does not match'} ${pattern}`
  return { option: 'path', held, found, wanted: pattern }
}

function requestFields(request: WebhookRequest, verify: readonly Verification[] | undefined) {
  const { headers, query, fields } = credentialLocations(verify)
  return {
    method: request.method,
    headers: visibleHeaders(request, headers),
    ...visibleQuery(request, query),
    body: withoutFields(request.body, fields),
  }
}

/** A path pattern such as `/user/:userId`, in the language of path-to-regexp. */
interface PathPattern {
  readonly pattern: string
  /** A matching path, in which each parameter has its own name as value. */
  readonly example: string
  /** The decoded parameters of an undecoded path; `undefined` if it does not match. */
  match(path: string): JsonObject | undefined
}

function compilePattern(text: string): PathPattern {
  const pattern = /^\{*\//.test(text) ? text : `/${text}`
  const { tokens } = parse(pattern)
  checkPatternSize(tokens)
  const compiled = compile(pattern, {
    sensitive: false,
    trailing: true,
    decode: decodePercent,
    encodePath: withLetters,
  })
  return {
    pattern,
    example: tokens
      .map((token) => {
        if (token.type === 'text') return token.value.replace(/[^ -~]+/g, urlEscaped)
        return token.type === 'group' ? '' : urlEscaped(token.name)
      })
      .join(''),
    match(path) {
      const found = compiled(withLetters(path))
      if (!found) return undefined
      const given = Object.entries(found.params).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      )
      return record(given)
    },
  }
}

/** Percent escapes of non-ASCII characters. */
const LETTERS = /(?:%[89a-f][\da-f])+/gi

/** The path with non-ASCII characters decoded. Other escapes remain, especially `%2F`. */
function withLetters(path: string): string {
  return path.replace(LETTERS, decodePercent)
}

function urlEscaped(text: string): string {
  // half of a surrogate pair has no escape
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
}

/**
 * Each optional group doubles the number of expanded patterns, so the number of groups is limited.
 */
function checkPatternSize(tokens: readonly Token[]): void {
  const all = flatten(tokens)
  const groups = all.filter((token) => token.type === 'group').length
  const parameters = all.filter(
    (token) => token.type === 'param' || token.type === 'wildcard',
  ).length
  if (groups > LIMITS.patternGroups)
    throw new RangeError(`more than ${LIMITS.patternGroups} optional parts`)
  if (parameters > LIMITS.patternParameters) {
    throw new RangeError(`more than ${LIMITS.patternParameters} parameters`)
  }
}

function flatten(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) =>
    token.type === 'group' ? [token, ...flatten(token.tokens)] : [token],
  )
}

/** The library's message without its link and without the pattern, which the code frame shows. */
function patternMistake(error: unknown, pattern: string): string {
  const text = error instanceof Error ? error.message : 'malformed'
  const mistake = text
    .replace(/: .*; visit .*$/s, '')
    .replace(/^\w/, (first) => first.toLowerCase())
  const spelled = modernPattern(pattern)
  if (spelled !== undefined) return `${mistake}: today this is written ${spelled}`
  return `${mistake} (write :name for a part, *rest for all that follows, {/:name} for an optional part)`
}

/**
 * Converts a pattern in the syntax of path-to-regexp before version 8: `/a/:b?`, `/:rest*`,
 * `/:rest+`.
 *
 * @returns `undefined` if the pattern contains no old syntax, or the converted pattern is invalid,
 * too
 */
export function modernPattern(text: string): string | undefined {
  const spelled = text.replaceAll(/\/(?::(\w+)([?*+])|(\(\.\*\)|\*(?!\w)))/g, (_, name, sign) => {
    if (name === undefined) return '/*rest'
    if (sign === '+') return `/*${name}`
    return sign === '?' ? `{/:${name}}` : `{/*${name}}`
  })
  if (spelled === text) return undefined
  try {
    compilePattern(spelled)
    return spelled
  } catch {
    return undefined
  }
}
