import * as v from 'valibot'
import { keyPath } from '../items/key.ts'
import { visibleHeaders, type WebhookRequest } from '../protocol/webhook-request.ts'
import { pathPattern } from './path-pattern.ts'
import { oneOrMore } from './schema.ts'
import { type Check, defineTrigger } from './trigger.ts'

export const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const

const WITH_BODY: ReadonlySet<string> = new Set(['post', 'put', 'patch'])

const options = v.strictObject({
  method: v.pipe(
    v.optional(oneOrMore(v.picklist(METHODS, 'HTTP method'))),
    v.description('HTTP method, or a list of them. Without it every method fires.'),
  ),
  path: v.pipe(
    v.optional(pathPattern),
    v.description(
      'Pattern of what follows the trigger name in the URL, such as `/user/:userId`; `:name` parts become `params`. Without it every path fires.',
    ),
  ),
  deduplicationKey: v.pipe(
    v.optional(keyPath),
    v.description('Path to the key that tells deliveries apart, when there is no `id`: `data.id`.'),
  ),
})

export const webhook = defineTrigger({
  name: 'webhook',
  description: 'Fires on any request, optionally narrowed by method and path.',
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
  example({ method = ['post'], path }) {
    const verb = method.includes('post') ? 'post' : (method[0] ?? 'post')
    const request = { method: verb.toUpperCase(), path: path?.example ?? '' }
    if (!WITH_BODY.has(verb)) return request
    return { ...request, contentType: 'application/json', body: '{"hello":"world"}' }
  },
  receive(request, { method, path }) {
    const params = path ? path.match(request.path) : {}
    const checks = [methodCheck(request.method, method), pathCheck(path?.pattern, params)]
    if (!params || !checks.every((check) => check.held)) return { checks, items: [] }
    return { checks, items: [{ ...requestFields(request), params }] }
  },
})

function methodCheck(found: string, wanted: readonly string[] | undefined): Check {
  if (!wanted) return { option: 'method', held: true, found: 'any method' }
  const held = wanted.includes(found)
  const list = wanted.join(', ')
  return { option: 'method', held, found: held ? found : `the request's is not among ${list}` }
}

function pathCheck(pattern: string | undefined, params: object | undefined): Check {
  if (pattern === undefined) return { option: 'path', held: true, found: 'any path' }
  const held = params !== undefined
  return { option: 'path', held, found: `${held ? 'matches' : 'does not match'} ${pattern}` }
}

function requestFields(request: WebhookRequest) {
  const { method, query, querystring, body } = request
  const search = querystring && `?${querystring}`
  return { method, headers: visibleHeaders(request), query, querystring, search, body }
}
