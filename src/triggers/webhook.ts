import * as v from 'valibot'
import { keyPath } from '../items/key.ts'
import { visibleHeaders, visibleQuery, type WebhookRequest } from '../protocol/webhook-request.ts'
import { pathPattern } from './path-pattern.ts'
import { oneOrMore } from './schema.ts'
import { type Check, defineTrigger } from './trigger.ts'
import { type Verification, verifyOption } from './verify/options.ts'
import { withoutFields } from './verify/tokens.ts'
import { credentialsOf, verifyRequest } from './verify.ts'

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
    const { held, checks, warnings } = await verifyRequest(request, verify, ports)
    const items = held ? [{ ...requestFields(request, verify), params }] : []
    return { checks: [...matches, ...checks], items, warnings }
  },
})

function methodCheck(found: string, wanted: readonly string[] | undefined): Check {
  if (!wanted) return { option: 'method', held: true, found: 'any method' }
  const held = wanted.includes(found)
  // A dispatch made without the relay may name anything: only a known method is shown.
  const name = METHODS.find((method) => method === found) ?? 'an unknown one'
  return {
    option: 'method',
    held,
    found: held ? name : `${name} is not among ${wanted.join(', ')}`,
  }
}

function pathCheck(pattern: string | undefined, params: object | undefined): Check {
  if (pattern === undefined) return { option: 'path', held: true, found: 'any path' }
  const held = params !== undefined
  return { option: 'path', held, found: `${held ? 'matches' : 'does not match'} ${pattern}` }
}

function requestFields(request: WebhookRequest, verify: readonly Verification[] | undefined) {
  const { headers, query, fields } = credentialsOf(verify)
  return {
    method: request.method,
    headers: visibleHeaders(request, headers),
    ...visibleQuery(request, query),
    body: withoutFields(request.body, fields),
  }
}
