import * as v from 'valibot'
import { visibleFields } from '../wire/webhook-request.ts'
import { keyPath } from './path-option.ts'
import { pathPattern } from './path-pattern.ts'
import { type Check, defineTrigger, oneOrMore, type Trigger } from './trigger.ts'
import type { Verification } from './verify.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const

/** HTTP methods are accepted in upper case, too, as HTTP writes them. */
const method = v.lazy((input): v.GenericSchema<string, (typeof METHODS)[number]> => {
  const names = v.picklist(METHODS, 'HTTP method')
  const isCapital = typeof input === 'string' && v.is(names, input.toLowerCase())
  return isCapital ? v.pipe(v.string(), v.toLowerCase(), names) : names
})

const WITH_BODY: ReadonlySet<string> = new Set(['post', 'put', 'patch'])

/** The option `verify`, with the code that needs the schemes of all senders. */
interface Verifying extends Omit<typeof import('./verify.ts').verifying, 'option'> {
  readonly option: v.GenericSchema<unknown, readonly Verification[] | undefined>
}

/** For a section that does not contain the word `verify`. */
const NO_VERIFY: Verifying = {
  option: v.optional(v.never()),
  requiredSignatures: () => [],
  verifyRequest: async () => ({ held: true, checks: [], messages: [] }),
  withoutCredentials: (request) => visibleFields(request),
}

/** The trigger `webhook`. The action leaves out `verifying` where a section needs none of it. */
export function webhookTrigger(verifying: Verifying = NO_VERIFY): Trigger {
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
    verify: verifying.option,
  })
  return defineTrigger({
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
      const ofMethod = methodCheck(request.method, method)
      const matches = [ofMethod, pathCheck(path?.pattern, params)]
      if (!params || !ofMethod.held) return { checks: matches, items: [] }
      const { held, checks, messages } = await verifying.verifyRequest(request, verify, ports)
      const visible = verifying.withoutCredentials(request, verify)
      const items = held ? [{ method: request.method, ...visible, params }] : []
      return { checks: [...matches, ...checks], items, messages }
    },
    signatures: ({ verify }) => verifying.requiredSignatures(verify),
  })
}

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
