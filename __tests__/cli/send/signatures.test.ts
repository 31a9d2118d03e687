import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Query } from 'mingo'
import { onSection, secretsOf } from '../../../src/cli/init/sender-workflow.ts'
import { exampleOf } from '../../../src/cli/send/example-events.ts'
import { keyInFile, PAIRED, signed } from '../../../src/cli/send/signatures.ts'
import { TRIGGERS } from '../../../src/triggers/index.ts'
import type { Sender } from '../../../src/triggers/sender.ts'
import { SENDERS } from '../../../src/triggers/senders.ts'
import { UserError } from '../../../src/wire/errors.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { readOnSection } from '../../../src/workflow/workflow.ts'
import { receive } from '../../support/receive.ts'

interface Vector {
  readonly scheme: string
  readonly secret: string
  readonly body: string
  readonly id?: string
  readonly timestamp?: number
  readonly url?: string
  readonly headers: Readonly<Record<string, string>>
}

const CALLED = 'https://relay.example.com/o/r/w/t?__token=x'

/**
 * The vendors' published examples. The last test signs as every sender, and verifies the result.
 */
const VECTORS: readonly Vector[] = [
  {
    // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    scheme: 'github',
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    headers: {
      'x-hub-signature-256':
        'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
  },
  {
    // https://api.slack.com/authentication/verifying-requests-from-slack
    scheme: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    timestamp: 1531420618,
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
  },
  {
    // https://github.com/standard-webhooks/standard-webhooks, the example of its libraries
    scheme: 'standard-webhooks',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  },
]

const POST = { method: 'POST', headers: {} }

function sign({ scheme, secret, body, id = 'msg_1', timestamp = 1, url = CALLED }: Vector) {
  const request = { ...POST, body: new TextEncoder().encode(body) }
  const outgoing = { request, url: new URL(url) }
  return signed(outgoing, scheme, new Secret(secret), { id, timestamp }).request
}

test.each(VECTORS)('signs for $scheme as its vendor does', (vector) => {
  const { headers, body } = sign(vector)
  expect(headers).toEqual(vector.headers)
  expect(new TextDecoder().decode(body)).toBe(vector.body)
})

describe('signing fails without showing the secret for', () => {
  test.each([
    ['an unknown scheme', 'githb', 'github'],
    ['a secret that is no base64', 'standard-webhooks', 'whsec_'],
    ['another that is none', 'airtable', 'base64'],
    ['a public key', 'discord', '-algorithm ed25519'],
    ['one of P-256', 'sendgrid', '-algorithm ec'],
    ['no JWK', 'plaid', 'private JWK'],
    ['what only Amazon signs', 'aws-sns', 'Amazon'],
    ['a form of your own', 'hmac', '--header'],
    ['a body that is no object', 'linear', 'JSON object'],
  ])('%s', (_, scheme, text) => {
    let problems: unknown
    try {
      sign({ scheme, secret: 'not*base64', body: '[]', headers: {} })
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      problems = error.problems
    }
    expect(JSON.stringify(problems)).toContain(JSON.stringify(text).slice(1, -1))
    expect(JSON.stringify(problems)).not.toContain('not*base64')
  })
})

test('bytes that are no text are signed as they are', () => {
  const body = Uint8Array.of(0, 255, 128)
  const outgoing = { request: { ...POST, body }, url: new URL(CALLED) }
  const moment = { id: '', timestamp: 1 }
  const { headers } = signed(outgoing, 'meta', new Secret('hush'), moment).request
  const expected = createHmac('sha256', 'hush').update(body).digest('hex')
  expect(headers['x-hub-signature-256']).toBe(`sha256=${expected}`)
})

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-keys-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The secret of the sender, and that of the workflow; they differ for a key pair. */
function secretsFor(scheme: string): readonly [theirs: string, ours: string] {
  if (PAIRED.includes(scheme)) {
    const file = join(folder, scheme)
    const { publicText = '' } = keyInFile(file, scheme)
    const again = keyInFile(file, scheme) // the key exists now, and is reused
    expect([again.publicText, statSync(file).mode & 0o777]).toEqual([undefined, 0o600])
    return [again.secret.reveal(), publicText]
  }
  const secret = {
    'standard-webhooks': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    airtable: 'aHVzaA==',
    teams: 'aHVzaA==',
    adyen: '5f1b',
    basic: 'user:hush',
  }
  const text = Object.entries(secret).find(([name]) => name === scheme)?.[1] ?? 'hush'
  return [text, text]
}

const at = new Date('2026-11-22T00:00:00Z')

/** The request of `send --sender` for a sender's own payload. */
function sentBy({ name, scheme = name, options = {} }: Sender) {
  const made = exampleOf(name)?.request({ id: '6f2c1c50-0000-4000-8000-000000000000', now: at })
  const { headers = {}, body = {} } = made ?? {}
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const request = { method: 'POST', headers, body: new TextEncoder().encode(text) }
  const [theirs, ours] = secretsFor(scheme)
  const moment = { id: 'msg_1', timestamp: at.getTime() / 1000, place: options }
  const outgoing = { request, url: new URL(CALLED) }
  return { ours, ...signed(outgoing, scheme, new Secret(theirs), moment) }
}

test('every sender has a payload', () => {
  expect(SENDERS.filter(({ name }) => exampleOf(name) === undefined)).toEqual([])
})

test.each(SENDERS.filter(({ secret }) => secret !== undefined))(
  'the workflow of init accepts an event sent as $title',
  async (sender) => {
    const { name, scheme = name } = sender
    const { ours, request, url } = sentBy(sender)
    const { trigger = 'webhook' } = sender
    const on = onSection(sender)
    const secrets = Object.fromEntries(
      secretsOf(sender).map((secret) => [secret, secret.endsWith('_URL') ? CALLED : ours]),
    )
    const source = { name: 'on', text: on, file: 'hook.yml' }
    const { triggers } = readOnSection('hook', source, {
      contexts: { secrets },
      triggers: TRIGGERS,
    })
    expect(triggers.map(({ name }) => name)).toEqual([trigger])
    const path = url.search === new URL(CALLED).search ? '' : `?${url.search.split(/[?&]/).at(-1)}`
    const sent = { headers: request.headers, body: request.body, path, receivedAt: at }
    const [bound] = triggers
    if (!bound) throw new Error(`no trigger for ${scheme}`)
    const { items, messages } = await receive(bound, sent)
    expect([messages ?? [], items.length]).toEqual([[], 1])
    const { filter } = bound.config
    if (filter) expect(new Query({ ...filter }).find(items).all()).toHaveLength(1)
  },
)
