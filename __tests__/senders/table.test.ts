import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import https from 'node:https'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { verifyKey } from 'discord-interactions'
import { verifySlackRequest } from 'slack-edge'
import MessageValidator from 'sns-validator'
import { SENDERS } from '../../src/triggers/senders.ts'
import { SCHEME_NAMES } from '../../src/triggers/verify/schemes.ts'
import { type ClientPayload, HEADER } from '../../src/wire/payload.ts'
import {
  type ActionResult,
  type ActionRun,
  dispatchEvent,
  runActions,
  runInShared,
} from '../support/action.ts'
import { Amazon } from '../support/amazon.ts'
import type { RawRequest } from '../support/raw-http.ts'
import { RUNTIMES } from '../support/relays.ts'
import { scene } from '../support/scene.ts'
import { CERTIFICATE_URL, CONFIRMATION, SUBSCRIBE_URL } from '../support/sns-signatory.ts'
import { VECTORS } from '../triggers/verify/vectors.ts'
import {
  AMAZON,
  FORGERIES,
  NOT_APPLICABLE,
  NOW,
  ROWS,
  type Row,
  type Sending,
  signedRequest,
} from './table.ts'

/** The response to every event. */
const ACCEPTED = '{"success":true}'

/** The handshake of each sender, and the expected response, with any value. */
const ASKS: Readonly<Record<string, readonly [request: Partial<RawRequest>, answer: string]>> = {
  slack: [post({ type: 'url_verification', token: 'x', challenge: 'c4' }), 'c4'],
  meta: [get('?hub.mode=subscribe&hub.verify_token=x&hub.challenge=c4'), 'c4'],
  twitch: [
    post({ challenge: 'c4' }, { 'twitch-eventsub-message-type': 'webhook_callback_verification' }),
    'c4',
  ],
  dropbox: [get('?challenge=c4'), 'c4'],
  'microsoft-graph': [{ method: 'POST', target: '?validationToken=c4' }, 'c4'],
  okta: [get('', { 'x-okta-verification-challenge': 'c4' }), '{"verification":"c4"}'],
  monday: [post({ challenge: 'c4' }), '{"challenge":"c4"}'],
  'azure-event-grid': [
    post([{ data: { validationCode: 'c4' } }], { 'aeg-event-type': 'SubscriptionValidation' }),
    '{"validationResponse":"c4"}',
  ],
  smartsheet: [
    post({ webhookId: 1 }, { 'smartsheet-hook-challenge': 'c4' }),
    '{"smartsheetHookResponse":"c4"}',
  ],
  feishu: [
    post({ type: 'url_verification', token: 'rvaYgkND1GOiu5MM0E1rncYC6PLtF7JV', challenge: 'c4' }),
    '{"challenge":"c4"}',
  ],
  strava: [
    get('?key=x&hub.mode=subscribe&hub.verify_token=STRAVA&hub.challenge=c4'),
    '{"hub.challenge":"c4"}',
  ],
  mailchimp: [get('?key=x'), ACCEPTED],
  asana: [post({}, { 'x-hook-secret': 'c4' }), ACCEPTED],
  trello: [{ method: 'HEAD' }, ''],
  notion: [post({ verification_token: 'c4' }), ACCEPTED],
  'aws-sns': [post(CONFIRMATION, { 'x-amz-sns-message-type': CONFIRMATION.Type }), ACCEPTED],
  zoom: [post({ event: 'endpoint.url_validation', payload: { plainToken: 'c4' } }), ACCEPTED],
  discord: [post({ type: 1 }), ACCEPTED],
}

function post(body: unknown, headers = {}): Partial<RawRequest> {
  return { method: 'POST', body: JSON.stringify(body), headers: Object.entries(headers) }
}

function get(query: string, headers = {}): Partial<RawRequest> {
  return { method: 'GET', target: query, headers: Object.entries(headers) }
}

interface Case {
  readonly row: Row
  readonly form: string
  readonly sending: Sending
}

let cases: readonly Case[]

/**
 * The correctly signed request of a row, and one forgery that differs between rows.
 * triggers/verify/schemes.test.ts tries all forgeries with each scheme, and relay/verification/ at
 * the relay.
 */
function tried(row: Row): readonly Case[] {
  const [right, ...forged] = cases.filter((one) => one.row === row)
  const at = ROWS.indexOf(row) % forged.length
  return [...(right ? [right] : []), ...forged.slice(at, at + 1)]
}

beforeAll(async () => {
  const made = await Promise.all(
    ROWS.map(async (row) => {
      const right = await signedRequest(row, row.signer.secret)
      const forged = Object.entries(FORGERIES).map(async ([form, forge]) => {
        const sending = await forge(row, right)
        return sending ? [{ row, form, sending }] : []
      })
      return [{ row, form: 'right', sending: right }, ...(await Promise.all(forged)).flat()]
    }),
  )
  cases = made.flat()
})

test('every sender and every scheme is in the table, with all forgeries that it can be tried with', () => {
  const schemes = ROWS.map(({ signer }) => String(signer.verify.scheme))
  expect([...new Set(schemes)].sort()).toEqual([...SCHEME_NAMES].sort())
  const left = ROWS.flatMap(({ name, signer }) =>
    Object.keys(FORGERIES)
      .filter((form) => !cases.some(({ row, ...one }) => row.name === name && one.form === form))
      .filter((form) => form !== 'old timestamp' || signer.isTimed)
      .map((form) => `${form}: ${name}`),
  )
  const allowed = Object.entries(NOT_APPLICABLE).flatMap(([form, names]) =>
    names.map((name) => `${form}: ${name}`),
  )
  expect(left.sort()).toEqual(allowed.sort())
  for (const { row, form, sending } of cases) {
    const right = cases.find((one) => one.row === row && one.form === 'right')
    if (form !== 'right')
      expect([row.name, form, sending]).not.toEqual([row.name, form, right?.sending])
  }
})

test('each kind of forgery is sent at least once', () => {
  const sent = new Set(ROWS.flatMap(tried).map(({ form }) => form))
  expect([...sent].sort()).toEqual(['right', ...Object.keys(FORGERIES)].sort())
})

/** The action's result for a payload; run once for all payloads that differ only in id and time. */
const results = new Map<string, ActionResult>()

function travelled({ row }: Case, { headers, ...rest }: ClientPayload): string {
  const { [HEADER.delivery]: _, [HEADER.receivedAt]: __, ...others } = headers
  return JSON.stringify([row.name, rest, Object.entries(others).sort()])
}

describe.each(RUNTIMES)('the table of senders, through the relay on %s', (_, start) => {
  const here = scene(start)
  let amazon: Amazon
  const keys = new Map<Case, string>()

  beforeAll(async () => {
    amazon = await Amazon.start()
    amazon.answers = {
      [new URL(CERTIFICATE_URL).pathname]: { status: 200, text: AMAZON.certificate },
    }
    const runs = new Map<string, ActionRun>()
    for (const one of ROWS.flatMap(tried)) {
      const { row, sending } = one
      const target = `/octo/repo/hook/${row.trigger}${sending.path}`
      const { status } = await here.sendKept({ ...sending, method: 'POST', target })
      if (status !== 200) throw new Error(`${row.name}, ${one.form}: ${status}`)
      const [payload] = here.payloads()
      if (!payload) throw new Error(`${row.name}, ${one.form}: nothing travelled`)
      const key = travelled(one, payload)
      keys.set(one, key)
      const inputs = { on: row.on, secrets: JSON.stringify(row.secrets) }
      if (!results.has(key)) runs.set(key, { ...dispatchEvent(payload), inputs })
      here.github.reset()
    }
    const port = Number(new URL(amazon.address).port)
    const ran = await runActions([...runs.values()], { https: port })
    for (const [number, key] of [...runs.keys()].entries()) {
      if (ran[number]) results.set(key, ran[number])
    }
  })
  afterAll(() => amazon.stop())

  test.each(ROWS)('$name: verified, a forgery refused, no secret shown', (row) => {
    const { name, signer } = row
    for (const one of tried(row)) {
      const result = results.get(keys.get(one) ?? '')
      const { exitCode, outputs, stdout = '', summary = '' } = result ?? {}
      const told = /signature verification failed|secretToken: (?!matches)/
      const isRight = one.form === 'right'
      expect([one.form, exitCode, outputs?.triggered]).toEqual([one.form, 0, String(isRight)])
      expect([one.form, told.test(stdout), told.test(summary)]).toEqual([
        one.form,
        !isRight,
        !isRight,
      ])
      expect([one.form, /: 1 item, (?:signature|secretToken) verified/.test(stdout)]).toEqual([
        one.form,
        isRight,
      ])
      // SNS uses a certificate; the strings for its name here are no secrets.
      const secrets = name === 'aws-sns' ? [] : [signer.secret, signer.other]
      for (const secret of secrets) {
        expect(stdout + summary + JSON.stringify(outputs)).not.toContain(secret)
      }
      const [header = ''] = signer.signature ?? []
      if (isRight && outputs?.headers)
        expect(Object.keys(JSON.parse(outputs.headers))).not.toContain(header)
    }
  })

  test.each(SENDERS.filter(({ handshake }) => handshake !== undefined))(
    '$name: the handshake',
    async ({ name, handshake }) => {
      const [request, answer] = ASKS[name] ?? [{}, 'nothing is known of it']
      const trigger = ROWS.find((row) => row.name === name)?.trigger
      const { target = '', ...rest } = request
      const got = await here.send({ ...rest, target: `/octo/repo/hook/${trigger}${target}` })
      expect([got.status, got.body]).toEqual([200, answer])
      expect(here.payloads()).toHaveLength(handshake === 'relay' ? 0 : 1)
      if (name === 'asana') expect(got.headers['x-hook-secret']).toBe('c4')
    },
  )

  test('a signature holds over bytes that are no text, over what travels packed, and over nothing', async () => {
    const bodies = [
      Uint8Array.from({ length: 3000 }, (_, at) => (at * 37) % 256),
      JSON.stringify(Array.from({ length: 20_000 }, (_, at) => at)),
      '',
    ]
    for (const body of bodies) {
      const mac = createHmac('sha256', 'shared').update(body).digest('hex')
      const headers = [['X-Hub-Signature-256', `sha256=${mac}`]] as const
      await here.send({ method: 'POST', target: '/octo/repo/hook/webhook', headers, body })
    }
    const on = 'webhook: { verify: { scheme: github, secret: shared } }'
    const ran = await Promise.all(
      here.payloads().map((payload) => runInShared({ ...dispatchEvent(payload), inputs: { on } })),
    )
    expect(ran.map(({ outputs }) => outputs.triggered)).toEqual(['true', 'true', 'true'])
  })

  test('aws-sns: the handshake is the action, which confirms what Amazon signed', async () => {
    amazon.answers[SUBSCRIBE_URL.slice(new URL(SUBSCRIBE_URL).origin.length)] = { status: 200 }
    const message = AMAZON.sign({ ...CONFIRMATION, Timestamp: NOW.toISOString() })
    await here.send({ ...post(message), target: '/octo/repo/hook/aws_sns' })
    const [result] = await runActions(
      [{ ...dispatchEvent(here.payloads()[0]), inputs: { on: 'aws_sns: { verify: {} }' } }],
      { https: Number(new URL(amazon.address).port) },
    )
    expect(result?.summary).toMatch(/subscription.*confirmed/)
  })
})

describe('the signer of each row', () => {
  const { devDependencies } = read<{ devDependencies: object }>('package.json')

  /**
   * Packages of vendors that can only verify, for signatures that we create by the vendor's page.
   */
  const ACCEPTING: Readonly<
    Record<string, readonly [string, (row: Row, sent: Sending) => unknown]>
  > = {
    slack: [
      'slack-edge',
      ({ signer }, { headers, body }) =>
        verifySlackRequest(signer.secret, new Headers(headers.map(([a, b]) => [a, b])), body),
    ],
    discord: [
      'discord-interactions',
      ({ signer }, { headers, body }) => {
        const of = Object.fromEntries(headers)
        const [signature = '', time = ''] = [of['x-signature-ed25519'], of['x-signature-timestamp']]
        return verifyKey(body, signature, time, signer.secret)
      },
    ],
    'aws-sns': ['sns-validator', (_, { body }) => acceptedByAmazon(JSON.parse(body))],
  }

  test.each(Object.entries(ACCEPTING))(
    '%s: its package thinks as we do',
    async (name, [, accepts]) => {
      const own = cases.filter(
        ({ row, form }) => row.name === name && !/timestamp|header/.test(form),
      )
      for (const { row, form, sending } of own) {
        expect([form, await accepts(row, sending)]).toEqual([form, form === 'right'])
      }
      expect(own).toHaveLength(4)
    },
  )

  test('docs/senders/README.md counts what is so', () => {
    const rows = ROWS.flatMap(({ name, sender, signer }) => {
      const live = ACCEPTING[name]?.[0] ?? signer.by
      if (live) expect(Object.keys(devDependencies)).toContain(live)
      return sender && live ? [[name, live]] : []
    })
    const names: readonly string[] = SENDERS.map((sender) => sender.name)
    for (const { sender } of VECTORS) expect(names).toContain(sender)
    expect(read('__tests__/senders/signed-by.json')).toEqual(Object.fromEntries(rows))
  })

  async function acceptedByAmazon(message: Record<string, unknown>): Promise<boolean> {
    const amazon = await Amazon.start()
    const path = new URL(CERTIFICATE_URL).pathname
    amazon.answers = { [path]: { status: 200, text: AMAZON.certificate } }
    const { globalAgent } = https
    https.globalAgent = new https.Agent()
    https.globalAgent.createConnection = () =>
      connect(Number(new URL(amazon.address).port), '127.0.0.1')
    const accepted = new Promise<boolean>((resolve) => {
      new MessageValidator().validate(message, (error) => resolve(error === null))
    })
    return accepted.finally(() => {
      https.globalAgent = globalAgent
      amazon.stop()
    })
  }
})

function read<Content>(file: string): Content {
  return JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'))
}
