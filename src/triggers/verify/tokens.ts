import { toBase64 } from '../../wire/bytes.ts'
import { isObject } from '../../wire/json.ts'
import type { WebhookRequest } from '../../wire/request.ts'
import type { Secret } from '../../wire/secret.ts'
import { sameText } from '../../wire/secret.ts'
import { anyHolds } from './algorithms.ts'
import { missing, type Refusal, type Scheme, type Settings } from './scheme.ts'

/** https://docs.gitlab.com/user/project/integrations/webhooks/ */
const gitlab = headerScheme('gitlab', 'x-gitlab-token')

/** https://core.telegram.org/bots/api#setwebhook */
const telegram = headerScheme('telegram', 'x-telegram-bot-api-secret-token')

/** `Authorization: Bearer <secret>`, RFC 6750 */
const bearer = authorizationScheme('bearer', (secret) => secret.reveal())

/** `Authorization: Basic <base64 of the secret>`, RFC 7617; the secret is `user:password` */
const basic: Scheme = {
  ...authorizationScheme('basic', (secret) => toBase64(new TextEncoder().encode(secret.reveal()))),
  mistake: ({ secrets }) =>
    secrets.every((secret) => secret.reveal().includes(':'))
      ? undefined
      : '"secret" has no colon: it is user:password for basic',
}

/** A plain token, in a place that the options name. */
const token: Scheme = {
  name: 'token',
  needs: ['secret'],
  takes: ['header', 'query', 'field'],
  mistake: ({ header, query, field }) =>
    [header, query, field].filter((place) => place !== undefined).length === 1
      ? undefined
      : 'one of "header", "query" and "field" names where the token stands',
  credentials: ({ header, query, field }) => ({
    headers: header === undefined ? [] : [header],
    query: query === undefined ? [] : [query],
    fields: field === undefined ? [] : [field],
  }),
  async check(request, settings) {
    const { header, query, field } = settings
    if (header !== undefined) return headerRefusal(request, header, settings)
    const [place, name, values] =
      query === undefined
        ? ['field', field ?? '', request.body]
        : ['query parameter', query, request.query]
    const presented = isObject(values) ? values[name] : undefined
    if (typeof presented !== 'string') return `the ${place} ${name} is missing, or no single text`
    return tokenRefusal(presented, settings)
  },
}

export const TOKEN_SCHEMES: readonly Scheme[] = [gitlab, telegram, bearer, basic, token]

function headerScheme(name: string, header: string): Scheme {
  return {
    name,
    needs: ['secret'],
    credentials: () => ({ headers: [header] }),
    check: (request, settings) => headerRefusal(request, header, settings),
  }
}

function authorizationScheme(name: string, credentials: (secret: Secret) => string): Scheme {
  const header = 'authorization'
  return {
    name,
    needs: ['secret'],
    credentials: () => ({ headers: [header] }),
    async check(request, { secrets }) {
      const presented = request.headers[header]
      if (!presented) return missing(header)
      const [scheme = '', text = ''] = presented.split(/ +(.*)/s, 2)
      if (scheme.toLowerCase() !== name) return `the header ${header} is not of the kind ${name}`
      const holds = await anyHolds(secrets, (secret) => sameText(credentials(secret), text))
      return holds ? undefined : 'the credentials are not the ones expected'
    },
  }
}

async function headerRefusal(
  request: WebhookRequest,
  header: string,
  settings: Settings,
): Promise<Refusal> {
  const presented = request.headers[header]
  return presented ? tokenRefusal(presented, settings) : missing(header)
}

async function tokenRefusal(presented: string, { secrets }: Settings): Promise<Refusal> {
  const holds = await anyHolds(secrets, (secret) => sameText(secret.reveal(), presented))
  return holds ? undefined : 'the token is not the one expected'
}
