import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'

interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> }
}

const FIXTURE = new URL('../fixtures/github-openapi.json', import.meta.url)
const { paths } = JSON.parse(readFileSync(FIXTURE, 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
}
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })

interface Route {
  readonly method: string
  readonly pattern: RegExp
  readonly operationId: string
  readonly schema: object | undefined
}

const ROUTES: readonly Route[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, requestBody }]) => {
    return {
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, segment)}$`),
      operationId,
      schema: requestBody?.content['application/json']?.schema,
    }
  }),
)

export interface CheckedCall {
  /** GitHub's name of the operation; `undefined` if the address has none. */
  readonly operationId: string | undefined
  /** Differences of the call from GitHub's description. */
  readonly violations: readonly string[]
}

/** Compares a call with GitHub's published description of its API. */
export function checkCall(method: string, url: string, body: string): CheckedCall {
  const [path = ''] = url.split('?')
  const route = ROUTES.find(
    (candidate) => candidate.method === method && candidate.pattern.test(path),
  )
  if (!route) return { operationId: undefined, violations: [`no operation at ${method} ${path}`] }
  return { operationId: route.operationId, violations: bodyViolations(route, body) }
}

function bodyViolations({ schema }: Route, body: string): string[] {
  if (!schema) return []
  // Only operations that are called are compiled, once each, because ajv keeps the result.
  const validate = ajv.compile(schema)
  try {
    if (validate(JSON.parse(body))) return []
  } catch {
    return ['Problems parsing JSON']
  }
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** A path of a file and a name of a git reference may contain slashes. */
function segment(_: string, name: string): string {
  return name === 'path' || name === 'ref' ? '.+' : '[^/]+'
}
