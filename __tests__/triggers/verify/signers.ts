import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { sign as signForGitHub } from '@octokit/webhooks-methods'
import { exportJWK, SignJWT } from 'jose'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { SENDER_FILES } from '../../../src/triggers/senders.ts'

/** A sender's message, and its time. */
export interface Message {
  readonly body: string
  readonly time: Date
}

/** The signature of a message. */
export interface Proof {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** Replaces the message's body if the signature is in the body. */
  readonly body?: string
  /** The sender's additions to the URL. */
  readonly path?: string
}

/** A sender of one kind, which signs with other code than the verification. */
export interface Signer {
  readonly name: string
  /** The vendor's package that signs; if absent, the test signs by the vendor's page. */
  readonly by?: string
  /** The options of `verify` without the secret. */
  readonly verify: Readonly<Record<string, unknown>>
  /** The receiver's secret or public key. */
  readonly secret: string
  /** Another value of the same kind. */
  readonly other: string
  readonly sign: (message: Message, secret: string) => Proof | Promise<Proof>
  /** The header with the signature, and its prefix; none if the signature is in the body. */
  readonly signature?: readonly [header: string, prefix: string]
  /** True if the signature covers a time. */
  readonly isTimed?: true
  /** False if the signature does not cover the body. */
  readonly coversBody: boolean
  /** If one header may contain several signatures: separate, or as parts next to a time. */
  readonly list?: 'signatures' | 'parts'
  /** Names of the body's fields that authenticate the sender. */
  readonly hidden?: readonly string[]
}

export const ID = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'
export const URL_CALLED = 'https://relay.example/octo/repo/hook/webhook?__token=t0ken'

const TEXT = { secret: 'a secret, of text: 5f1b', other: 'another, of text: 77aa' }
const WHSEC = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  other: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
}

/** Private keys by public key: the receiver's key identifies that of the sender. */
const privateKeys = new Map<string, KeyObject>()

function pairs(kind: 'ed25519' | 'p256', write: (spki: Buffer) => string) {
  const made = [0, 1].map(() => {
    const { publicKey, privateKey } =
      kind === 'ed25519'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const text = write(publicKey.export({ type: 'spki', format: 'der' }))
    privateKeys.set(text, privateKey)
    return text
  })
  return { secret: made[0] ?? '', other: made[1] ?? '' }
}

function privateKey(secret: string): KeyObject {
  const key = privateKeys.get(secret)
  if (!key) throw new Error('no private key for this secret')
  return key
}

async function jwkPair() {
  const made = await Promise.all(
    [0, 1].map(async () => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const text = JSON.stringify({
        ...(await exportJWK(publicKey)),
        kid: 'bfbd5111-8e33',
        use: 'sig',
      })
      privateKeys.set(text, privateKey)
      return text
    }),
  )
  return { secret: made[0] ?? '', other: made[1] ?? '' }
}

type Encode = 'hex' | 'base64' | 'base64url'

function hmac(hash: string, secret: string | Buffer, text: string, encoding: Encode): string {
  return createHmac(hash, secret).update(text).digest(encoding)
}

export function seconds(time: Date): string {
  return String(Math.floor(time.getTime() / 1000))
}

/** An HMAC over the body, in a header. */
function overBody(
  name: string,
  header: string,
  prefix: string,
  encoding: Encode = 'hex',
  hash = 'sha256',
): Signer {
  return {
    name,
    verify: { scheme: name },
    ...TEXT,
    sign: ({ body }, secret) => ({
      headers: { [header]: prefix + hmac(hash, secret, body, encoding) },
    }),
    signature: [header, prefix],
    coversBody: true,
  }
}

/** A signature over time and body, each in its own header. */
function overTime(
  name: string,
  [header, prefix, timeHeader]: readonly [string, string, string],
  signed: (time: string, body: string) => string,
  { encoding = 'hex', time = seconds }: { encoding?: Encode; time?: (time: Date) => string } = {},
): Signer {
  return {
    ...overBody(name, header, prefix),
    sign: (message, secret) => ({
      headers: {
        [timeHeader]: time(message.time),
        [header]:
          prefix + hmac('sha256', secret, signed(time(message.time), message.body), encoding),
      },
    }),
    isTimed: true,
  }
}

/** Time and signatures as parts of one header. */
function inParts(
  name: string,
  header: string,
  write: (time: string, signature: string) => string,
  between: string,
): Signer {
  return {
    ...overBody(name, header, ''),
    sign: ({ body, time }, secret) => ({
      headers: {
        [header]: write(
          seconds(time),
          hmac('sha256', secret, `${seconds(time)}${between}${body}`, 'hex'),
        ),
      },
    }),
    signature: [header, ''],
    isTimed: true,
    list: 'parts',
  }
}

function inHeader(
  scheme: string,
  header: string,
  write: (secret: string) => string,
  more = {},
): Signer {
  return {
    name: scheme,
    verify: { scheme, ...more },
    ...TEXT,
    sign: (_, secret) => ({ headers: { [header]: write(secret) } }),
    signature: [header, write('').trimEnd() === '' ? '' : write('')],
    coversBody: false,
  }
}

function standard(
  name: string,
  prefix: string,
  package_: typeof StandardWebhook | typeof SvixWebhook,
): Signer {
  return {
    name,
    by: package_ === SvixWebhook ? 'svix' : 'standardwebhooks',
    verify: { scheme: 'standard-webhooks' },
    ...WHSEC,
    sign: ({ body, time }, secret) => ({
      headers: {
        [`${prefix}-id`]: ID,
        [`${prefix}-timestamp`]: seconds(time),
        [`${prefix}-signature`]: new package_(secret.replace(/^v1,/, '')).sign(ID, time, body),
      },
    }),
    signature: [`${prefix}-signature`, 'v1,'],
    isTimed: true,
    coversBody: true,
    list: 'signatures',
  }
}

const stripe = new Stripe('sk_test_none')

function withField(body: string, field: string, value: unknown): string {
  if (body.includes(`"${field}":`)) return JSON.stringify({ ...JSON.parse(body), [field]: value })
  const rest = body.trim().replace(/^\{/, '')
  return `{"${field}":${JSON.stringify(value)}${rest === '}' ? '' : ','}${rest}`
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

const EXPLICIT: readonly Signer[] = [
  standard('standard-webhooks', 'webhook', StandardWebhook),
  standard('svix', 'svix', SvixWebhook),
  {
    ...standard('supabase', 'webhook', StandardWebhook),
    ...{ secret: `v1,${WHSEC.secret}`, other: `v1,${WHSEC.other}` },
  },
  {
    ...(({ by: _, ...rest }) => rest)(
      standard('standard-webhooks, asymmetric', 'webhook', StandardWebhook),
    ),
    ...pairs('ed25519', (spki) => `whpk_${spki.subarray(-32).toString('base64')}`),
    sign: ({ body, time }, secret) => {
      const signature = sign(
        null,
        Buffer.from(`${ID}.${seconds(time)}.${body}`),
        privateKey(secret),
      )
      return {
        headers: {
          'webhook-id': ID,
          'webhook-timestamp': seconds(time),
          'webhook-signature': `v1a,${signature.toString('base64')}`,
        },
      }
    },
    signature: ['webhook-signature', 'v1a,'],
  },
  {
    ...inParts('stripe', 'stripe-signature', (time, hex) => `t=${time},v1=${hex}`, '.'),
    by: 'stripe',
    ...WHSEC,
    sign: async ({ body, time }, secret) => ({
      headers: {
        'stripe-signature': await stripe.webhooks.generateTestHeaderStringAsync({
          payload: body,
          secret,
          timestamp: Number(seconds(time)),
        }),
      },
    }),
  },
  {
    ...overBody('github', 'x-hub-signature-256', 'sha256='),
    by: '@octokit/webhooks-methods',
    sign: async ({ body }, secret) => ({
      headers: { 'x-hub-signature-256': await signForGitHub(secret, body) },
    }),
  },
  overBody('meta', 'x-hub-signature-256', 'sha256='),
  overBody('bitbucket', 'x-hub-signature', 'sha256='),
  overBody('jira', 'x-hub-signature', 'sha256='),
  overBody('intercom', 'x-hub-signature', 'sha1=', 'hex', 'sha1'),
  overBody('notion', 'x-notion-signature', 'sha256='),
  overBody('sentry', 'sentry-hook-signature', ''),
  overBody('gitea', 'x-gitea-signature', ''),
  overBody('hcp-terraform', 'x-tfe-notification-signature', '', 'hex', 'sha512'),
  inParts('langfuse', 'x-langfuse-signature', (time, hex) => `t=${time},v1=${hex}`, '.'),
  overBody('asana', 'x-hook-signature', ''),
  overBody('dropbox', 'x-dropbox-signature', ''),
  overBody('lemonsqueezy', 'x-signature', ''),
  overBody('smartsheet', 'smartsheet-hmac-sha256', ''),
  overBody('vercel', 'x-vercel-signature', '', 'hex', 'sha1'),
  { ...overBody('circleci', 'circleci-signature', 'v1='), list: 'signatures' },
  { ...overBody('pagerduty', 'x-pagerduty-signature', 'v1='), list: 'signatures' },
  overBody('shopify', 'x-shopify-hmac-sha256', '', 'base64'),
  overBody('woocommerce', 'x-wc-webhook-signature', '', 'base64'),
  overBody('typeform', 'typeform-signature', 'sha256=', 'base64'),
  overBody('docusign', 'x-docusign-signature-1', '', 'base64'),
  {
    ...overBody('docusign', 'x-docusign-signature-3', '', 'base64'),
    name: 'docusign, with its third key',
  },
  {
    ...overBody('airtable', 'x-airtable-content-mac', 'hmac-sha256='),
    ...{ secret: 'c2VjcmV0IG9mIGFpcnRhYmxl', other: 'YW5vdGhlciBvZiBhaXJ0YWJsZQ==' },
    sign: ({ body }, secret) => ({
      headers: {
        'x-airtable-content-mac': `hmac-sha256=${hmac('sha256', Buffer.from(secret, 'base64'), body, 'hex')}`,
      },
    }),
  },
  {
    ...overBody('linear', 'linear-signature', ''),
    sign: (message, secret) => {
      const body = withField(message.body, 'webhookTimestamp', message.time.getTime())
      return { headers: { 'linear-signature': hmac('sha256', secret, body, 'hex') }, body }
    },
    isTimed: true,
  },
  overTime(
    'slack',
    ['x-slack-signature', 'v0=', 'x-slack-request-timestamp'],
    (time, body) => `v0:${time}:${body}`,
  ),
  overTime(
    'zoom',
    ['x-zm-signature', 'v0=', 'x-zm-request-timestamp'],
    (time, body) => `v0:${time}:${body}`,
  ),
  overTime(
    'zendesk',
    ['x-zendesk-webhook-signature', '', 'x-zendesk-webhook-signature-timestamp'],
    (time, body) => time + body,
    { encoding: 'base64', time: (time) => time.toISOString().replace('.000', '') },
  ),
  {
    ...overBody('twitch', 'twitch-eventsub-message-signature', 'sha256='),
    sign: ({ body, time }, secret) => {
      const stamp = time.toISOString().replace('Z', '634234Z')
      return {
        headers: {
          'twitch-eventsub-message-id': ID,
          'twitch-eventsub-message-timestamp': stamp,
          'twitch-eventsub-message-signature': `sha256=${hmac('sha256', secret, ID + stamp + body, 'hex')}`,
        },
      }
    },
    isTimed: true,
  },
  inParts('calendly', 'calendly-webhook-signature', (time, hex) => `t=${time},v1=${hex}`, '.'),
  inParts('paddle', 'paddle-signature', (time, hex) => `ts=${time};h1=${hex}`, ':'),
  inParts(
    'buildkite',
    'x-buildkite-signature',
    (time, hex) => `timestamp=${time},signature=${hex}`,
    '.',
  ),
  {
    ...overBody('trello', 'x-trello-webhook', '', 'base64', 'sha1'),
    verify: { scheme: 'trello', url: URL_CALLED },
    sign: ({ body }, secret) => ({
      headers: { 'x-trello-webhook': hmac('sha1', secret, body + URL_CALLED, 'base64') },
    }),
  },
  {
    ...overBody('square', 'x-square-hmacsha256-signature', '', 'base64'),
    verify: { scheme: 'square', url: URL_CALLED },
    sign: ({ body }, secret) => ({
      headers: {
        'x-square-hmacsha256-signature': hmac('sha256', secret, URL_CALLED + body, 'base64'),
      },
    }),
  },
  {
    ...overTime(
      'hubspot',
      ['x-hubspot-signature-v3', '', 'x-hubspot-request-timestamp'],
      (time, body) => `POST${URL_CALLED}${body}${time}`,
      { encoding: 'base64', time: (time) => String(time.getTime()) },
    ),
    verify: { scheme: 'hubspot', url: URL_CALLED },
  },
  {
    ...overBody('twilio', 'x-twilio-signature', '', 'base64', 'sha1'),
    name: 'twilio, a form',
    verify: { scheme: 'twilio', url: URL_CALLED },
    sign: ({ body, time }, secret) => {
      const own = `To=%2B18005551212&From=%2B14158675310&Body=h%C3%A9+%26+${seconds(time)}`
      const form = body.startsWith('{') || body.startsWith('\uFEFF') ? own : body
      const fields = [...new URLSearchParams(form)].sort(([a], [b]) => (a < b ? -1 : 1))
      const text = URL_CALLED + fields.flat().join('')
      return {
        headers: { ...FORM, 'x-twilio-signature': hmac('sha1', secret, text, 'base64') },
        body: form,
      }
    },
  },
  {
    ...overBody('twilio', 'x-twilio-signature', '', 'base64', 'sha1'),
    name: 'twilio, JSON',
    verify: { scheme: 'twilio', url: URL_CALLED },
    sign: ({ body }, secret) => {
      const hash = createHash('sha256').update(body).digest('hex')
      return {
        headers: {
          'x-twilio-signature': hmac('sha1', secret, `${URL_CALLED}&bodySHA256=${hash}`, 'base64'),
        },
        path: `?bodySHA256=${hash}`,
      }
    },
  },
  {
    ...overBody('contentful', 'x-contentful-signature', ''),
    verify: { scheme: 'contentful', url: 'https://relay.example/octo/repo/hook/webhook' },
    sign: ({ body, time }, secret) => {
      const names = 'x-contentful-signed-headers,x-contentful-timestamp,x-contentful-topic'
      const headers = {
        'x-contentful-signed-headers': names,
        'x-contentful-timestamp': String(time.getTime()),
        'x-contentful-topic': 'ContentManagement.Entry.publish',
      }
      const list = Object.entries(headers).map(([name, value]) => `${name}:${value}`)
      const text = ['POST', '/octo/repo/hook/webhook', list.join(';'), body].join('\n')
      return {
        headers: { ...headers, 'x-contentful-signature': hmac('sha256', secret, text, 'hex') },
      }
    },
    isTimed: true,
  },
  {
    name: 'mailgun',
    verify: { scheme: 'mailgun' },
    ...TEXT,
    sign: ({ body, time }, secret) => {
      const [timestamp, token] = [
        seconds(time),
        'b8a1f0c2b8a1f0c2b8a1f0c2b8a1f0c2b8a1f0c2b8a1f0c2b8',
      ]
      const signature = hmac('sha256', secret, timestamp + token, 'hex')
      return { headers: {}, body: withField(body, 'signature', { timestamp, token, signature }) }
    },
    isTimed: true,
    coversBody: false,
    hidden: ['signature'],
  },
  {
    name: 'mailgun, a route',
    verify: { scheme: 'mailgun' },
    ...TEXT,
    sign: ({ time }, secret) => {
      const [timestamp, token] = [seconds(time), 'c9']
      const signature = hmac('sha256', secret, timestamp + token, 'hex')
      const form = new URLSearchParams({ id: 'évt_1', timestamp, token, signature })
      return { headers: { ...FORM }, body: form.toString() }
    },
    isTimed: true,
    coversBody: false,
    hidden: ['signature'],
  },
  {
    ...overBody('discord', 'x-signature-ed25519', ''),
    ...pairs('ed25519', (spki) => spki.subarray(-32).toString('hex')),
    sign: ({ body, time }, secret) => ({
      headers: {
        'x-signature-timestamp': seconds(time),
        'x-signature-ed25519': sign(
          null,
          Buffer.from(seconds(time) + body),
          privateKey(secret),
        ).toString('hex'),
      },
    }),
    isTimed: true,
  },
  {
    ...overBody('sendgrid', 'x-twilio-email-event-webhook-signature', ''),
    ...pairs('p256', (spki) => spki.toString('base64')),
    sign: ({ body, time }, secret) => ({
      headers: {
        'x-twilio-email-event-webhook-timestamp': seconds(time),
        'x-twilio-email-event-webhook-signature': sign(
          'sha256',
          Buffer.from(seconds(time) + body),
          privateKey(secret),
        ).toString('base64'),
      },
    }),
    isTimed: true,
  },
  {
    ...overBody('netlify', 'x-webhook-signature', ''),
    sign: async ({ body }, secret) => {
      const claims = { iss: 'netlify', sha256: createHash('sha256').update(body).digest('hex') }
      const jws = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' })
      return { headers: { 'x-webhook-signature': await jws.sign(Buffer.from(secret)) } }
    },
  },
  {
    ...overBody('plaid', 'plaid-verification', ''),
    ...(await jwkPair()),
    sign: async ({ body, time }, secret) => {
      const hash = createHash('sha256').update(body).digest('hex')
      const jws = new SignJWT({ request_body_sha256: hash })
        .setProtectedHeader({ alg: 'ES256', kid: 'bfbd5111-8e33', typ: 'JWT' })
        .setIssuedAt(time)
      return { headers: { 'plaid-verification': await jws.sign(privateKey(secret)) } }
    },
    isTimed: true,
  },
  {
    ...overBody('monday', 'authorization', ''),
    verify: { scheme: 'monday', url: URL_CALLED },
    sign: async ({ time }, secret) => {
      const jws = new SignJWT({ accountId: 1825528, userId: 4012689 })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuedAt(time)
        .setExpirationTime(new Date(time.getTime() + 300_000))
        .setAudience(URL_CALLED)
      return { headers: { authorization: await jws.sign(Buffer.from(secret)) } }
    },
    isTimed: true,
    coversBody: false,
  },
  inHeader('gitlab', 'x-gitlab-token', (secret) => secret),
  inHeader('telegram', 'x-telegram-bot-api-secret-token', (secret) => secret),
  inHeader('token', 'x-acme-token', (secret) => secret, { header: 'X-Acme-Token' }),
  inHeader('bearer', 'authorization', (secret) => `Bearer ${secret}`),
  inHeader('basic', 'authorization', (secret) => `Basic ${Buffer.from(secret).toString('base64')}`),
  {
    name: 'microsoft-graph',
    verify: { scheme: 'microsoft-graph' },
    ...TEXT,
    sign: ({ body }, secret) => {
      const { value = [{}, {}], ...rest } = JSON.parse(body.replace('\uFEFF', ''))
      const signed = value.map((entry: object) => ({ ...entry, clientState: secret }))
      return { headers: {}, body: JSON.stringify({ ...rest, value: signed }) }
    },
    coversBody: false,
  },
  {
    ...overBody('hmac', 'x-acme-signature', 'HMAC '),
    name: 'hmac, with a time and an id of its own',
    verify: {
      scheme: 'hmac',
      header: 'X-Acme-Signature',
      algorithm: 'sha512',
      signatureEncoding: 'base64url',
      signaturePrefix: 'HMAC ',
      signedPayload: '{method}.{header.X-Acme-Id}.{timestamp}.{body}',
      timestampHeader: 'X-Acme-Time',
    },
    sign: ({ body, time }, secret) => {
      const signed = `POST.${ID}.${time.toISOString()}.${body}`
      return {
        headers: {
          'x-acme-id': ID,
          'x-acme-time': time.toISOString(),
          'x-acme-signature': `HMAC ${hmac('sha512', secret, signed, 'base64url')}`,
        },
      }
    },
    isTimed: true,
  },
  {
    ...inParts('hmac', 'x-acme-signature', (time, hex) => `at=${time}|sum=${hex}`, '/'),
    name: 'hmac, in parts of a header',
    verify: {
      scheme: 'hmac',
      header: 'X-Acme-Signature',
      ...{ signatureField: 'sum', timestampField: 'at', separator: '|' },
      signedPayload: '{timestamp}/{body}',
    },
  },
  {
    ...overBody('hmac', 'x-onfleet-signature', '', 'hex', 'sha512'),
    name: 'hmac, with a key in hex, as Onfleet signs',
    verify: {
      scheme: 'hmac',
      header: 'X-Onfleet-Signature',
      algorithm: 'sha512',
      secretEncoding: 'hex',
    },
    ...{ secret: '5f1b5f1b5f1b5f1b', other: '77aa77aa77aa77aa' },
    sign: ({ body }, secret) => ({
      headers: { 'x-onfleet-signature': hmac('sha512', Buffer.from(secret, 'hex'), body, 'hex') },
    }),
    list: 'signatures',
  },
  {
    ...inParts('hmac', 'x-acme-signature', (time, hex) => `${time}, ${hex}`, '.'),
    name: 'hmac, in a list without names',
    verify: {
      scheme: 'hmac',
      header: 'X-Acme-Signature',
      ...{ signatureField: 2, timestampField: 1, separator: ', ' },
      signedPayload: '{timestamp}.{body}',
    },
  },
  {
    ...overTime('hmac', ['x-acme-signature', '', 'x-acme-time'], (time, body) => body + time, {
      time: (time) => time.toISOString().replace('.000Z', '+00:00'),
    }),
    name: 'hmac, the body beside a time of one form',
    verify: {
      scheme: 'hmac',
      ...{ header: 'X-Acme-Signature', timestampHeader: 'X-Acme-Time', timestampFormat: 'rfc3339' },
      signedPayload: '{body}{timestamp}',
    },
    list: 'signatures',
  },
  {
    ...overBody('ed25519', 'x-acme-signature', ''),
    verify: {
      scheme: 'ed25519',
      ...{
        header: 'X-Acme-Signature',
        signatureEncoding: 'base64',
        timestampHeader: 'X-Acme-Time',
      },
      signedPayload: '{timestamp}:{body}',
    },
    ...pairs('ed25519', (spki) => spki.toString('base64')),
    sign: ({ body, time }, secret) => ({
      headers: {
        'x-acme-time': seconds(time),
        'x-acme-signature': sign(
          null,
          Buffer.from(`${seconds(time)}:${body}`),
          privateKey(secret),
        ).toString('base64'),
      },
    }),
    isTimed: true,
    list: 'signatures',
  },
]

/**
 * A sender whose signature is data in its file. It is read here independently of the code that
 * verifies; a recorded vector, if there is one, shows that the data is right.
 */
function ofData(name: string): Signer | undefined {
  const own = SENDER_FILES[name]?.scheme
  if (!own || 'check' in own) return undefined
  if (!('header' in own)) {
    const { tokenHeader, tokenField = '' } = own
    if (tokenHeader !== undefined) return inHeader(name, tokenHeader, (secret) => secret)
    const [outer = '', inner = ''] = tokenField.split('.')
    return {
      ...{ name, verify: { scheme: name }, ...TEXT, coversBody: false },
      sign: ({ body }, secret) => {
        const parsed = JSON.parse(body)
        const header = { ...parsed[outer], [inner]: secret }
        return { headers: {}, body: JSON.stringify({ ...parsed, [outer]: header }) }
      },
    }
  }
  const { header, signaturePrefix = '', signatureEncoding = 'hex', algorithm = 'sha256' } = own
  const { signedPayload = '{body}' } = own
  const { parts, timestampHeader, timestampFormat = 'seconds', secretEncoding: key = 'text' } = own
  const isTimed = signedPayload.includes('{timestamp}')
  const write = { seconds, milliseconds: (time: Date) => String(time.getTime()), rfc3339 }[
    timestampFormat
  ]
  return {
    ...overBody(name, header, parts ? '' : signaturePrefix, signatureEncoding, algorithm),
    ...(key === 'text' ? TEXT : ENCODED[key as 'base64' | 'hex']),
    sign: ({ body, time }, secret) => {
      const bytes = key === 'text' ? secret : Buffer.from(secret, key as 'base64' | 'hex')
      const signed = signedPayload.replace('{timestamp}', write(time)).replace('{body}', () => body)
      const sum = signaturePrefix + hmac(algorithm, bytes, signed, signatureEncoding)
      const listed = [parts?.timestamp ?? '', parts?.signature ?? ''].map((part, at) => {
        const value = [write(time), sum][at]
        return /^\d+$/.test(part) ? value : `${part}=${value}`
      })
      return {
        headers: {
          ...(timestampHeader && { [timestampHeader]: write(time) }),
          [header]: parts ? listed.join(parts.separator) : sum,
        },
      }
    },
    ...(isTimed && { isTimed }),
    ...(parts && { list: 'parts' }),
  }
}

const ENCODED = {
  base64: { secret: 'c2VjcmV0IG9mIHRlYW1z', other: 'YW5vdGhlciBvZiB0ZWFtcw==' },
  hex: { secret: '5f1b5f1b5f1b5f1b', other: '77aa77aa77aa77aa' },
}

function rfc3339(time: Date): string {
  return time.toISOString().replace('.000Z', '+00:00')
}

const KNOWN = new Set(EXPLICIT.map(({ verify }) => verify.scheme))

export const SIGNERS: readonly Signer[] = [
  ...EXPLICIT,
  ...Object.keys(SENDER_FILES).flatMap((name) => (KNOWN.has(name) ? [] : (ofData(name) ?? []))),
]
