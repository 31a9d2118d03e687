import { toBase64 } from '../../wire/bytes.ts'
import { locationsAt, parseDataPath, valuesAtPath } from '../../wire/data-path.ts'
import { isObject, type Json, record } from '../../wire/json.ts'
import { type Secret, sameText } from '../../wire/secret.ts'
import type { WebhookRequest } from '../../wire/webhook-request.ts'
import type { TokenPlace } from '../sender.ts'
import { anyHolds } from './algorithms.ts'
import {
  missingHeader,
  type Scheme,
  type SchemeMistake,
  TOKEN_MISMATCH,
  type VerificationFault,
  type VerifySettings,
  wrongSecret,
} from './scheme.ts'

/**
 * A plain token of one sender, in a header or in the body at a path; with `*` in the path, each match must
 * contain the token.
 */
export function placedToken(
  name: string,
  page: string,
  { tokenHeader, tokenField = '' }: TokenPlace,
): Scheme {
  return {
    name,
    page,
    needs: ['secret'],
    credentials: () =>
      tokenHeader === undefined ? { fields: [tokenField] } : { headers: [tokenHeader] },
    check: (request, settings) =>
      tokenHeader === undefined
        ? fieldRefusal(request, tokenField, settings)
        : headerRefusal(request, tokenHeader, settings),
  }
}

/** `Authorization: Bearer <secret>`, RFC 6750 */
export const bearer = authorizationScheme('bearer', (secret) => secret.reveal())

/** `Authorization: Basic <base64 of the secret>`, RFC 7617; the secret is `user:password` */
export const basic: Scheme = {
  ...authorizationScheme('basic', (secret) => toBase64(new TextEncoder().encode(secret.reveal()))),
  mistake: ({ secrets }) => secrets.map(basicMistake).find((mistake) => mistake !== undefined),
}

function basicMistake(secret: Secret): SchemeMistake | undefined {
  const [user = '', password] = secret.reveal().split(/:(.*)/s, 2)
  if (password === undefined) return wrongSecret('has no colon: it is user:password for basic')
  if (user.trim() === '') return wrongSecret('has no user before its colon: it is user:password')
  return password.trim() === ''
    ? wrongSecret('has no password after its colon: it is user:password')
    : undefined
}

/** A plain token, at a position that the options name. */
export const token: Scheme = {
  name: 'token',
  needs: ['secret'],
  takes: ['header', 'query', 'field'],
  mistake: (settings) => {
    const places = (['header', 'query', 'field'] as const).filter(
      (name) => settings[name] !== undefined,
    )
    const message = 'set exactly one of "header", "query" and "field": the location of the token'
    return places.length === 1 ? undefined : { option: places[1] ?? 'scheme', message }
  },
  credentials: ({ header, query, field }) => ({
    headers: header === undefined ? [] : [header],
    query: query === undefined ? [] : [query],
    fields: field === undefined ? [] : [field],
  }),
  async check(request, settings) {
    const { header, query, field } = settings
    if (header !== undefined) return headerRefusal(request, header, settings)
    if (query === undefined) return fieldRefusal(request, field ?? '', settings)
    const presented = Object.hasOwn(request.query, query) ? request.query[query] : undefined
    if (typeof presented === 'string') return tokenRefusal(presented, settings)
    return `the query parameter ${query} is missing, or not a single string`
  },
}

function authorizationScheme(name: string, credentials: (secret: Secret) => string): Scheme {
  const header = 'authorization'
  return {
    name,
    needs: ['secret'],
    credentials: () => ({ headers: [header] }),
    async check(request, { secrets }) {
      const presented = request.headers[header]
      if (!presented) return missingHeader(header)
      const [scheme = '', text = ''] = presented.split(/ +(.*)/s, 2)
      if (scheme.toLowerCase() !== name) return `the header ${header} is not of the type ${name}`
      const holds = await anyHolds(secrets, (secret) => sameText(credentials(secret), text))
      return holds ? undefined : 'the credentials do not match'
    },
  }
}

async function headerRefusal(
  request: WebhookRequest,
  header: string,
  settings: VerifySettings,
): Promise<VerificationFault> {
  const presented = request.headers[header]
  return presented ? tokenRefusal(presented, settings) : missingHeader(header)
}

async function fieldRefusal(
  { body }: WebhookRequest,
  field: string,
  settings: VerifySettings,
): Promise<VerificationFault> {
  const found = fieldValues(body, field)
  const texts = found.filter((value) => typeof value === 'string')
  if (texts.length === 0 || texts.length < found.length) {
    return `the field ${field} is missing, or not a single string`
  }
  for (const text of texts) {
    const refusal = await tokenRefusal(text, settings)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

async function tokenRefusal(
  presented: string,
  { secrets }: VerifySettings,
): Promise<VerificationFault> {
  const holds = await anyHolds(secrets, (secret) => sameText(secret.reveal(), presented))
  return holds ? undefined : TOKEN_MISMATCH
}

/** The values of a field of the body, whose path may contain `*`. */
export function fieldValues(body: Json, field: string): (Json | undefined)[] {
  return valuesAtPath(body, parseDataPath(field))
}

/** A body without the fields that authenticate its sender. */
export function withoutFields(body: Json, fields: readonly string[]): Json {
  return fields
    .flatMap((field) => locationsAt(body, parseDataPath(field)))
    .reduce<Json>((rest, location) => (location ? withoutAt(rest, location) : rest), body)
}

function withoutAt(value: Json, [key, ...rest]: readonly (string | number)[]): Json {
  if (key === undefined) return value
  if (Array.isArray(value)) {
    return value.map((part, at) => {
      if (key !== at) return part
      return rest.length > 0 ? withoutAt(part, rest) : null
    })
  }
  if (!isObject(value)) return value
  return record(
    Object.entries(value).flatMap(([name, part]): [string, Json][] => {
      if (name !== key) return [[name, part]]
      return rest.length > 0 ? [[name, withoutAt(part, rest)]] : []
    }),
  )
}
