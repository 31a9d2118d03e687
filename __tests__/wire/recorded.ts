import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** A sender's request, and the expected item of a workflow. */
export interface Recorded {
  readonly name: string
  readonly method: string
  /** The part of the URL after the trigger's name. */
  readonly suffix?: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly bytes: Buffer
  /** The body in the item. */
  readonly body: unknown
}

const PAYLOADS = new URL('../fixtures/payloads/', import.meta.url)

export function fixture(name: string): Buffer {
  return readFileSync(new URL(name, PAYLOADS))
}

export const SECRET = 'whsec_for_these_tests'

export function signature(text: string | Uint8Array): string {
  return createHmac('sha256', SECRET).update(text).digest('hex')
}

interface GitHubEvent {
  readonly name: string
  readonly examples: readonly unknown[]
}

/** GitHub's own examples in the form of its deliveries. */
export function gitHubDeliveries(): Recorded[] {
  const events: GitHubEvent[] = createRequire(import.meta.url)('@octokit/webhooks-examples')
  return events.flatMap(({ name, examples }) =>
    examples.map((example, at) => gitHubDelivery(name, at, example)),
  )
}

function gitHubDelivery(event: string, at: number, body: unknown): Recorded {
  const bytes = Buffer.from(JSON.stringify(body))
  const headers = [
    ['User-Agent', 'GitHub-Hookshot/044aadd'],
    ['Accept', '*/*'],
    ['Content-Type', 'application/json'],
    ['X-GitHub-Event', event],
    ['X-GitHub-Delivery', `72d3162e-cc78-11e3-81ab-4c9367dc0${String(at).padStart(3, '0')}`],
    ['X-Hub-Signature-256', `sha256=${signature(bytes)}`],
  ] as const
  return { name: `${event} ${at} of GitHub`, method: 'POST', headers, bytes, body }
}

const stripe = fixture('stripe-payment-intent-succeeded.json')
const photo = { filename: 'pixel.png', type: 'image/png', ...sized(fixture('pixel.png')) }

function sized(content: Buffer) {
  return { size: content.length, content: content.toString('base64') }
}

function post(name: string, contentType: string, bytes: Buffer, body: unknown): Recorded {
  return { name, method: 'POST', headers: [['Content-Type', contentType]], bytes, body }
}

/** 200 KB of JSON, more than fits into a dispatch uncompressed. */
function large(): Recorded {
  const all = gitHubDeliveries().map(({ body }) => body)
  const list = []
  let size = 2
  for (const body of all) {
    size += JSON.stringify(body).length + 1
    if (size > 200 * 1024) break
    list.push(body)
  }
  return post('200 KB of JSON', 'application/json', Buffer.from(JSON.stringify(list)), list)
}

export const OTHER_SENDERS: readonly Recorded[] = [
  {
    name: 'an event of Stripe',
    method: 'POST',
    headers: [
      ['Content-Type', 'application/json; charset=utf-8'],
      ['Stripe-Signature', `t=1763632801,v1=${signature(`1763632801.${stripe}`)}`],
    ],
    bytes: stripe,
    body: JSON.parse(stripe.toString()),
  },
  post(
    'a command of Slack, a form',
    'application/x-www-form-urlencoded',
    fixture('slack-command.form'),
    Object.fromEntries(new URLSearchParams(fixture('slack-command.form').toString())),
  ),
  post(
    'a form with a photo, from a browser',
    'multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW',
    fixture('contact.multipart'),
    { email: 'ada@example.org', topic: ['a', 'b'], photo },
  ),
  post(
    'XML of Salesforce',
    'text/xml; charset=UTF-8',
    fixture('salesforce-outbound-message.xml'),
    fixture('salesforce-outbound-message.xml').toString(),
  ),
  post(
    'a notification of SNS, JSON as plain text',
    'text/plain; charset=UTF-8',
    fixture('sns-notification.txt'),
    JSON.parse(fixture('sns-notification.txt').toString()),
  ),
  post('plain text', 'text/plain', fixture('alert.txt'), fixture('alert.txt').toString()),
  {
    name: 'an empty GET',
    method: 'GET',
    suffix: '/ping?a=1&a=2',
    headers: [],
    bytes: Buffer.alloc(0),
    body: null,
  },
  post('an image', 'image/png', fixture('pixel.png'), fixture('pixel.png').toString('base64')),
  post('broken JSON', 'application/json', Buffer.from('{"a": 1,}\n'), '{"a": 1,}\n'),
  large(),
]
