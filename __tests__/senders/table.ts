import { onSection, secretsOf, triggerOf } from '../../src/cli/init/sender-workflow.ts'
import { exampleOf } from '../../src/cli/send/example-events.ts'
import type { Sender } from '../../src/triggers/sender.ts'
import { SENDERS } from '../../src/triggers/senders.ts'
import { rsaKeys } from '../support/rsa.ts'
import { Signatory } from '../support/sns-signatory.ts'
import { type Proof, SIGNERS, type Signer, URL_CALLED } from '../triggers/verify/signers.ts'

/**
 * Every sender, and every scheme that belongs to no sender. Other code than the verification signs
 * each row; each row is sent to the relay on both runtimes, and passed to the built action with the
 * very workflow that `hookline init` writes for that sender.
 */
export interface Row {
  readonly name: string
  readonly title: string
  readonly sender?: Sender
  readonly signer: Signer
  readonly trigger: string
  /** The step's input `on`, with its `secrets`. */
  readonly on: string
  readonly secrets: Readonly<Record<string, string>>
  /** The sender's message before it is signed. */
  readonly message: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
}

export const NOW = new Date()

const SNS_DAYS = [-3650, 3650] as const // around the date of the tests' messages
/** Signs like SNS, with a certificate at a stand-in for Amazon; and another signer. */
export const AMAZON = new Signatory({ days: SNS_DAYS })
const ANOTHER = new Signatory({ days: SNS_DAYS, keys: rsaKeys('sns-2') })

/** Signers of senders that share a scheme, or need more than a secret. */
const OWN_SIGNERS: readonly Signer[] = [
  { ...named('svix'), name: 'clerk' },
  { ...named('svix'), name: 'resend' },
  { ...named('telegram'), secret: 'a-secret_5f1b', other: 'another_77aa' },
  {
    ...named('token'),
    name: 'okta',
    sign: (_, secret) => ({ headers: { authorization: secret } }),
    signature: ['authorization', ''],
  },
  {
    name: 'aws-sns',
    verify: { scheme: 'aws-sns' },
    ...{ secret: 'sns', other: 'another' },
    sign({ body, time }, secret) {
      const message = { ...JSON.parse(body), Timestamp: time.toISOString() }
      const signatory = secret === 'sns' ? AMAZON : ANOTHER
      return { headers: {}, body: JSON.stringify(signatory.sign(message)) }
    },
    isTimed: true,
    coversBody: true,
  },
]

/** The signer of a sender's scheme; a plain token is in a header, in a field of the body, or in the URL. */
function signerOf({ name, scheme = name, options }: Sender): Signer {
  const own = OWN_SIGNERS.find((one) => one.name === name)
  if (own || scheme !== 'token') return own ?? { ...named(scheme), name }
  const header = options?.header
  if (header !== undefined) {
    const token = (secret: string) => ({ headers: { [header]: secret } })
    const names = { name, verify: { scheme, header }, signature: [header, ''] as const }
    return { ...named('token'), ...names, sign: (_, secret) => token(secret) }
  }
  const field = options?.field
  if (field !== undefined) {
    const { signature: _, ...inHeader } = named('token')
    return {
      ...inHeader,
      ...{ name, verify: { scheme, field } },
      sign: ({ body }, secret) => ({
        headers: {},
        body: JSON.stringify({ ...JSON.parse(body), [field]: secret }),
      }),
    }
  }
  return {
    name,
    verify: { scheme },
    ...{ secret: 'key-5f1b-of-the-url', other: 'key-77aa-of-another', coversBody: false },
    sign: (_, secret) => ({ headers: {}, path: `?${options?.query}=${secret}` }),
  }
}

function named(name: string): Signer {
  const signer = SIGNERS.find((one) => one.name === name || one.name === `${name}, a form`)
  if (!signer) throw new Error(`no signer ${name}: add it to __tests__/triggers/verify/signers.ts`)
  return signer
}

export const ROWS: readonly Row[] = [...SENDERS.map(rowOf), ...SIGNERS.filter(isOther).map(wayOf)]

/** The row of a sender, with the workflow of init and the sender's own example. */
function rowOf(sender: Sender): Row {
  const { name, title } = sender
  const signer = signerOf(sender)
  const made = exampleOf(name)?.request({ id: '6f2c1c50-0000-4000-8000-000000000000', now: NOW })
  const { headers = {}, body = '' } = made ?? {}
  const values = secretsOf(sender).map((secret) => [
    secret,
    secret.endsWith('_URL') ? String(signer.verify.url ?? URL_CALLED) : signer.secret,
  ])
  return {
    ...{ name, title, sender, signer, trigger: triggerOf(sender) },
    on: onSection(sender),
    secrets: Object.fromEntries(values),
    message: { headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
  }
}

function isOther({ name }: Signer): boolean {
  return !SENDERS.some((sender) => sender.name === name || `${sender.name}, a form` === name)
}

/**
 * A row for any other scheme; its message contains everything that is hard to pass on unchanged.
 */
function wayOf(signer: Signer): Row {
  const { name, verify, secret } = signer
  const body = '\uFEFF{"id": "évt_1",  "big":12345678901234567890, "text":"a\\u0000\\"<b>"}\r\n'
  return {
    ...{ name, title: name, signer, trigger: 'webhook', secrets: {} },
    // As YAML, which includes JSON.
    on: `webhook:\n  verify: ${JSON.stringify({ ...verify, secret })}`,
    message: { headers: { 'content-type': 'application/json' }, body },
  }
}

const HOUR = 3_600_000

/** A request on the wire, in which a header may occur twice. */
export interface Sending {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  readonly path: string
}

export async function signedRequest(
  { signer, message }: Row,
  secret: string,
  time = NOW,
): Promise<Sending> {
  const {
    headers,
    body = message.body,
    path = '',
  }: Proof = await signer.sign({ body: message.body, time }, secret)
  return { headers: Object.entries({ ...message.headers, ...headers }), body, path }
}

type Forge = (row: Row, right: Sending) => Promise<Sending> | Sending | undefined

/** The six forgeries; `NOT_APPLICABLE` gives the reason if one is impossible. */
export const FORGERIES: Readonly<Record<string, Forge>> = {
  'altered body': ({ signer, name }, right) => {
    if (!signer.coversBody) return undefined
    if (name === 'aws-sns') return { ...right, body: right.body.replace('Hello', 'Hallo') }
    return { ...right, body: withLastLetterChanged(right.body) }
  },
  'other secret': (row) => signedRequest(row, row.signer.other),
  'missing header': ({ signer, name }, right) => {
    const header = signer.signature?.[0]
    if (header) return withHeaders(right, (given) => (given === header ? 0 : 1))
    return IN_ANOTHER_PLACE[name]?.missing(right)
  },
  'doubled header': ({ signer, name }, right) => {
    const { list, signature } = signer
    // A list of signatures may contain the same one twice, so another header is doubled there.
    const doubled = right.headers
      .map(([header]) => header)
      .find((header) =>
        list === 'signatures'
          ? /^(?:webhook-id|svix-id|x-acme-time)$/.test(header)
          : header === signature?.[0],
      )
    if (doubled) return withHeaders(right, (header) => (header === doubled ? 2 : 1))
    return IN_ANOTHER_PLACE[name]?.doubled?.(right)
  },
  'old timestamp': (row) => {
    // SNS retries a message for up to an hour, with its first time.
    const age = row.name === 'aws-sns' ? 2 * HOUR : HOUR
    const time = new Date(NOW.getTime() - age)
    return row.signer.isTimed ? signedRequest(row, row.signer.secret, time) : undefined
  },
  'altered signature': ({ signer, name }, right) => {
    const header = signer.signature?.[0]
    if (!header) return IN_ANOTHER_PLACE[name]?.altered(right)
    const headers = right.headers.map(([given, value]) =>
      given === header
        ? ([given, withOneCharacterChanged(value)] as const)
        : ([given, value] as const),
    )
    return { ...right, headers }
  },
}

interface Elsewhere {
  readonly missing: (right: Sending) => Sending
  readonly altered: (right: Sending) => Sending
  readonly doubled?: (right: Sending) => Sending
}

/** The signature of these senders is in the body or in the URL. */
const IN_ANOTHER_PLACE: Readonly<Record<string, Elsewhere>> = {
  'aws-sns': inBody(/"Signature":"[^"]*",/, /(?<="Signature":"[^"]{9})./),
  mailgun: inBody(/"signature":"[0-9a-f]+"/, /(?<="signature":"[0-9a-f]{9})./, '"none":1'),
  'mailgun, a route': inBody(/&signature=[0-9a-f]+/, /(?<=&signature=[0-9a-f]{9})./),
  'microsoft-graph': inBody(/,?"clientState":"[^"]*"/, /(?<="clientState":".{9})./),
  feishu: inBody(/"token":"[^"]*"/, /(?<="token":".{9})./, '"none":1'),
  figma: inBody(/"passcode":"[^"]*"/, /(?<="passcode":".{9})./, '"none":1'),
  uptimerobot: inBody(/"secret":"[^"]*"/, /(?<="secret":".{9})./, '"none":1'),
  ...Object.fromEntries(['azure-event-grid', 'mailchimp', 'strava'].map((name) => [name, inUrl()])),
}

function inUrl(): Elsewhere {
  return {
    missing: (right) => ({ ...right, path: '' }),
    altered: (right) => ({ ...right, path: right.path.replace('5f1b', '5f1c') }),
    doubled: (right) => ({ ...right, path: `${right.path}&${right.path.slice(1)}` }),
  }
}

function inBody(proof: RegExp, character: RegExp, nothing = ''): Elsewhere {
  return {
    missing: (right) => ({ ...right, body: right.body.replace(proof, nothing) }),
    altered: (right) => ({
      ...right,
      body: right.body.replace(character, (found) => (found === '0' ? '1' : '0')),
    }),
  }
}

function withHeaders(right: Sending, times: (header: string) => number): Sending {
  return {
    ...right,
    headers: right.headers.flatMap((header) =>
      Array.from({ length: times(header[0]) }, () => header),
    ),
  }
}

function withLastLetterChanged(text: string): string {
  return text.replace(/[a-z](?=[^a-z]*$)/, (letter) => (letter === 'a' ? 'b' : 'a'))
}

/** Not one of the last characters, of which base64 does not use every bit. */
function withOneCharacterChanged(text: string): string {
  const at = text.length - 6
  return `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`
}

/**
 * Forgeries that a scheme cannot detect, because it does not cover that part; the sender's page
 * says so.
 */
export const NOT_APPLICABLE: Readonly<Record<string, readonly string[]>> = {
  'altered body': [
    ...['mailgun', 'mailgun, a route', 'monday', 'gitlab', 'telegram', 'microsoft-graph', 'okta'],
    ...['azure-event-grid', 'token', 'bearer', 'basic', 'feishu', 'google-drive'],
    ...['google-calendar', 'mailchimp', 'strava', 'strapi'],
    ...['alertmanager', 'apprise', 'buildbot', 'directus', 'docker-registry', 'n8n', 'node-red'],
    ...['unleash', 'uptime-kuma', 'verdaccio', 'zabbix', 'azure-devops', 'datadog', 'figma'],
    ...['home-assistant', 'ifttt', 'jenkins', 'uptimerobot', 'zapier'],
  ],
  'doubled header': [
    // the signature is not in a header
    ...['aws-sns', 'mailgun', 'mailgun, a route', 'microsoft-graph', 'feishu'],
    ...['figma', 'uptimerobot'],
    // a list of signatures, of which one must match
    ...['circleci', 'pagerduty', 'hmac, with a key in hex, as Onfleet signs'],
  ],
}
