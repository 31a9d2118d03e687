import { describe, expect, test } from '@jest/globals'
import { type RawRequest, send } from '../support/raw-http.ts'
import { RUNTIMES } from '../support/relays.ts'
import { scene, TOKEN } from '../support/scene.ts'

const CHALLENGE = '<script>3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P</script>'
const PLAIN = '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P'
const SUBSCRIBE = `hub.mode=subscribe&hub.verify_token=x&hub.challenge=${encodeURIComponent(CHALLENGE)}`
const TEXT = { 'content-type': 'text/plain; charset=utf-8' }
const JSON_TYPE = { 'content-type': 'application/json' }
const TARGET = '/o/r/hook/webhook'

/** Slack's handshake, with its other fields. */
const slack = (more = {}) => JSON.stringify({ token: 'x', challenge: CHALLENGE, ...more })
const URL_VERIFICATION = { type: 'url_verification' }

function post(body: unknown, headers: Readonly<Record<string, string>> = {}): Partial<RawRequest> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { method: 'POST', body: text, headers: Object.entries(headers) }
}

const TWITCH = { 'Twitch-Eventsub-Message-Type': 'webhook_callback_verification' }
const EVENT_GRID = { 'aeg-event-type': 'SubscriptionValidation' }
const validation = (data: object) => ({ id: '1', eventType: 'Microsoft.EventGrid.X', data })
const ORIGIN: Row = {
  method: 'OPTIONS',
  headers: [['WebHook-Request-Origin', 'eventemitter.example']],
}

type Row = Partial<RawRequest>

type Answered = readonly [name: string, request: Row, headers: object, body: string]

const ANSWERED: readonly Answered[] = [
  ['Slack', post(slack(URL_VERIFICATION)), TEXT, CHALLENGE],
  [
    'Slack, at its own trigger with a suffix',
    { ...post(slack(URL_VERIFICATION)), target: '/o/r/hook/slack/events?x=1' },
    TEXT,
    CHALLENGE,
  ],
  ['Meta', { target: `${TARGET}?${SUBSCRIBE}` }, TEXT, CHALLENGE],
  [
    'Meta, with a custom response',
    { target: `${TARGET}?${SUBSCRIBE}&__response_body=no&__response_code=204` },
    TEXT,
    CHALLENGE,
  ],
  [
    'WebSub, that ends',
    { target: `${TARGET}?hub.mode=unsubscribe&hub.topic=t&hub.challenge=1` },
    TEXT,
    '1',
  ],
  ['Twitch', post({ challenge: CHALLENGE, subscription: { id: '1' } }, TWITCH), TEXT, CHALLENGE],
  ['Dropbox', { target: `${TARGET}?challenge=${encodeURIComponent(CHALLENGE)}` }, TEXT, CHALLENGE],
  [
    'Microsoft Graph',
    { method: 'POST', target: `${TARGET}?validationToken=Validation%3a+1%20%3Cb%3E` },
    TEXT,
    'Validation: 1 <b>',
  ],
  [
    'Microsoft Graph, beside parameters of the URL',
    { method: 'POST', target: `${TARGET}?a=1&validationToken=2` },
    TEXT,
    '2',
  ],
  [
    'SharePoint, in lower case',
    { method: 'POST', target: `${TARGET}?validationtoken=3` },
    TEXT,
    '3',
  ],
  [
    'Okta',
    { headers: [['X-Okta-Verification-Challenge', PLAIN]] },
    JSON_TYPE,
    JSON.stringify({ verification: PLAIN }),
  ],
  ['Monday', post({ challenge: CHALLENGE }), JSON_TYPE, JSON.stringify({ challenge: CHALLENGE })],
  [
    'Azure Event Grid',
    post(
      [validation({ validationCode: '512d38b6', validationUrl: 'https://e.example/' })],
      EVENT_GRID,
    ),
    JSON_TYPE,
    '{"validationResponse":"512d38b6"}',
  ],
  [
    'Smartsheet',
    post({ challenge: PLAIN, webhookId: 1 }, { 'Smartsheet-Hook-Challenge': PLAIN }),
    { ...JSON_TYPE, 'smartsheet-hook-response': PLAIN },
    JSON.stringify({ smartsheetHookResponse: PLAIN }),
  ],
  [
    'CloudEvents',
    ORIGIN,
    { 'webhook-allowed-origin': 'eventemitter.example', 'webhook-allowed-rate': '*' },
    '',
  ],
  [
    'a value of 1 KB',
    post({ challenge: 'é'.repeat(512) }),
    JSON_TYPE,
    `{"challenge":"${'é'.repeat(512)}"}`,
  ],
]

const LONG = 'x'.repeat(1025)

/** Their responses need a secret that the relay does not have. */
const UNSUPPORTED: readonly (readonly [sender: string, request: Row])[] = [
  ['X', { target: `${TARGET}?crc_token=abc&nonce=1` }],
  ['eBay', { target: `${TARGET}?challenge_code=abc` }],
  ['LinkedIn', { target: `${TARGET}?challengeCode=890e4665-4dfe-4ab1-b689-ed553bceeed0` }],
  ['WeChat', { target: `${TARGET}?signature=a&timestamp=1&nonce=2&echostr=3` }],
  ['Braintree', { target: `${TARGET}?bt_challenge=20f9f8ed05f77439fe955c977e4c8a53` }],
  ['Feishu', post({ encrypt: 'FIAfJPGRmFZWkaxPQ1XrJZVbv2JwdjfLk4jx' })],
]

const PROBES: readonly (readonly [sender: string, request: Row])[] = [
  ['Mandrill', { method: 'HEAD', headers: [['User-Agent', 'Mandrill-Webhook/1.0']] }],
  ['Intercom', { method: 'HEAD', headers: [['User-Agent', 'intercom-parrot-service-client/1.0']] }],
  ['Mandrill, by GET', { headers: [['User-Agent', 'Mandrill-Webhook/1.0']] }],
]

/** Each lacks one property of a handshake, or has an additional one. */
const EVENTS: readonly (readonly [name: string, request: Row])[] = [
  ['Slack: another type', post(slack({ type: 'event_callback' }))],
  ['Slack: no challenge', post(URL_VERIFICATION)],
  ['Slack: a challenge that is no text', post(slack({ ...URL_VERIFICATION, challenge: 5 }))],
  ['Slack: an empty one', post(slack({ ...URL_VERIFICATION, challenge: '' }))],
  ['Slack: one that is too long', post(slack({ ...URL_VERIFICATION, challenge: LONG }))],
  ['Slack: no JSON', post('{"type":"url_verification","challenge":"x"')],
  ['Slack: PUT', { ...post(slack(URL_VERIFICATION)), method: 'PUT' }],
  ['Slack: within something else', post({ request: { ...URL_VERIFICATION, challenge: 'x' } })],
  ['Slack: in a list', post([{ ...URL_VERIFICATION, challenge: 'x' }])],
  ['Slack: in a large body', post(slack({ ...URL_VERIFICATION, more: 'x'.repeat(9000) }))],
  ['Monday: a challenge among other keys', post({ challenge: 'x', event: {} })],
  ['Monday: a challenge that is no text', post({ challenge: { a: 1 } })],
  ['Monday: one that is too long', post({ challenge: 'é'.repeat(513) })],
  ['Meta: another mode', { target: `${TARGET}?hub.mode=denied&hub.challenge=x` }],
  ['Meta: no mode', { target: `${TARGET}?hub.challenge=x` }],
  ['Meta: no challenge', { target: `${TARGET}?hub.mode=subscribe` }],
  [
    'Meta: two challenges',
    { target: `${TARGET}?hub.mode=subscribe&hub.challenge=1&hub.challenge=2` },
  ],
  ['Meta: one that is too long', { target: `${TARGET}?hub.mode=subscribe&hub.challenge=${LONG}` }],
  ['Meta: POST', { method: 'POST', target: `${TARGET}?${SUBSCRIBE}` }],
  ['Dropbox: beside another parameter', { target: `${TARGET}?challenge=x&other=y` }],
  ['Dropbox: twice', { target: `${TARGET}?challenge=x&challenge=y` }],
  ['Dropbox: empty', { target: `${TARGET}?challenge=` }],
  ['Dropbox: POST', { method: 'POST', target: `${TARGET}?challenge=x` }],
  ['Dropbox: in the path', { target: `${TARGET}/challenge?x=challenge` }],
  ['Graph: beside a body', { ...post({ value: [] }), target: `${TARGET}?validationToken=1` }],
  ['Graph: GET', { target: `${TARGET}?validationToken=1` }],
  ['Graph: empty', { method: 'POST', target: `${TARGET}?validationToken=` }],
  [
    'Twitch: a notification',
    post({ challenge: 'x', a: 1 }, { 'Twitch-Eventsub-Message-Type': 'notification' }),
  ],
  ['Twitch: no challenge', post({ subscription: {} }, TWITCH)],
  ['Okta: POST', post({}, { 'X-Okta-Verification-Challenge': 'x' })],
  [
    'Event Grid: a notification',
    post([validation({ validationCode: '1' })], { 'aeg-event-type': 'Notification' }),
  ],
  ['Event Grid: no code', post([validation({})], EVENT_GRID)],
  ['Event Grid: two events', post([validation({ validationCode: '1' }), {}], EVENT_GRID)],
  ['Smartsheet: what no header may hold', post({}, { 'Smartsheet-Hook-Challenge': 'a b' })],
  ['Smartsheet: one that is too long', post({}, { 'Smartsheet-Hook-Challenge': LONG })],
  ['CloudEvents: POST', post({}, { 'WebHook-Request-Origin': 'e.example' })],
  [
    'CloudEvents: what no header may hold',
    { ...ORIGIN, headers: [['WebHook-Request-Origin', 'é']] },
  ],
  ['OPTIONS without it', { method: 'OPTIONS' }],
  ['Trello: HEAD', { method: 'HEAD' }],
  ['Mandrill: POST', post({}, { 'User-Agent': 'Mandrill-Webhook/1.0' })],
  ['X: no token', { target: `${TARGET}?crc_token=` }],
  ['X: two tokens', { target: `${TARGET}?crc_token=a&crc_token=b` }],
  ['eBay: another name', { target: `${TARGET}?challenge_codes=a` }],
  ['LinkedIn: POST', { method: 'POST', target: `${TARGET}?challengeCode=a` }],
  ['WeChat: no nonce', { target: `${TARGET}?timestamp=1&echostr=3` }],
  ['WeChat: a time with more', { target: `${TARGET}?timestamp=1a&nonce=2&echostr=3` }],
  ['WeChat: more before the time', { target: `${TARGET}?timestamp=a1&nonce=2&echostr=3` }],
  ['WeChat: nothing to repeat', { target: `${TARGET}?timestamp=1&nonce=2&echostr=` }],
  ['Feishu: encrypt that is no text', post({ encrypt: 5 })],
  ['Feishu: PUT', { ...post({ encrypt: 'a' }), method: 'PUT' }],
  ['Feishu: no JSON', post('{"encrypt":"a"')],
  ['Feishu: in a list', post([{ encrypt: 'a' }])],
  ['Mandrill: within another agent', { headers: [['User-Agent', 'x-Mandrill-Webhook/1.0']] }],
  ['Intercom: within another agent', { method: 'HEAD', headers: [['User-Agent', 'x intercom']] }],
  ['X: POST', { method: 'POST', target: `${TARGET}?crc_token=abc` }],
  ['Feishu: encrypt among other fields', post({ encrypt: 'a', event: {} })],
  [
    'Zoom, whose answer needs the secret',
    post({ event: 'endpoint.url_validation', payload: { plainToken: 'x' } }),
  ],
  ['Discord, whose signature would have to be verified', post({ type: 1 })],
  [
    'peers’ fault: an SNS confirmation',
    post({ Type: 'SubscriptionConfirmation', SubscribeURL: 'http://127.0.0.1:1/' }),
  ],
]

describe.each(RUNTIMES)('handshakes at a relay on %s', (_, start) => {
  const at = scene(start)
  const ask = (row: Row) => at.send({ target: TARGET, ...row })

  test.each(ANSWERED)(
    '%s is answered, and nothing is dispatched',
    async (_, row, headers, body) => {
      const answer = await ask(row)
      expect(answer).toMatchObject({ status: 200, body })
      expect(answer.headers).toMatchObject({ ...headers, 'x-content-type-options': 'nosniff' })
      expect(at.github.calls).toHaveLength(0)
    },
  )

  test.each(UNSUPPORTED)(
    'the handshake of %s gets 501 with a hint, and starts no run',
    async (sender, row) => {
      const answer = await ask(row)
      expect(answer.status).toBe(501)
      const name = sender === 'Feishu' ? 'Feishu with an Encrypt Key' : sender
      expect(JSON.parse(answer.body).error).toEqual({
        code: 'handshake_not_supported',
        message: `the relay cannot answer the URL verification of ${name}`,
        hint: 'The response needs a secret that the relay does not have. Answer it with a service of your own that forwards the events to this URL.',
      })
      expect(at.github.calls).toHaveLength(0)
    },
  )

  test.each(PROBES)('a probe of %s is answered, and starts no run', async (_, row) => {
    expect((await ask(row)).status).toBe(200)
    expect(at.github.calls).toHaveLength(0)
  })

  test.each(EVENTS)('%s is an event', async (_, row) => {
    const body = row.method === 'HEAD' ? '' : '{"success":true}'
    expect(await ask(row)).toMatchObject({ status: 200, body })
    expect(at.github.calls).toHaveLength(1)
  })

  test('Asana gets its secret back, and the workflow gets it too', async () => {
    const secret = 'b537207f20cbfa02357cf448134da559e8bd39d61597dcd5631b8012eae53e81'
    const row = {
      ...post({}, { 'X-Hook-Secret': secret }),
      target: `${TARGET}?__response_code=202`,
    }
    const answer = await ask(row)
    expect(answer).toMatchObject({ status: 202, headers: { 'x-hook-secret': secret } })
    const [call] = at.github.calls
    const { client_payload: payload } = JSON.parse(call?.body ?? '{}')
    expect(payload.headers).toMatchObject({ 'x-hook-secret': secret })
  })

  test.each([
    ['that no header may hold', 'a b'],
    ['that is too long', LONG],
    ['that is empty', ''],
  ])('but not one %s', async (_, secret) => {
    const answer = await ask(post({}, { 'X-Hook-Secret': secret }))
    expect(answer.status).toBe(200)
    expect(answer.headers).not.toHaveProperty('x-hook-secret')
    expect(at.github.calls).toHaveLength(1)
  })

  test('nor if GitHub did not accept the event', async () => {
    at.github.always({ status: 500 })
    const answer = await ask(post({}, { 'X-Hook-Secret': 'x' }))
    expect(answer.status).toBeGreaterThanOrEqual(500)
    expect(answer.headers).not.toHaveProperty('x-hook-secret')
  })

  test('a token must be there, though it is not checked', async () => {
    for (const [, row] of ANSWERED) {
      const answer = await send(at.relay.url, { target: TARGET, ...row })
      expect(answer.status).toBe(401)
    }
  })

  test.each([
    { target: `${TARGET}?hub.mode=subscribe&hub.challenge=${TOKEN}` },
    post({ challenge: TOKEN }),
    post({}, { 'Smartsheet-Hook-Challenge': TOKEN }),
    post({}, { 'X-Hook-Secret': TOKEN }),
    { method: 'OPTIONS', headers: [['WebHook-Request-Origin', TOKEN]] },
  ] satisfies readonly Row[])(
    'a response that would contain the token is refused: %j',
    async (row) => {
      const answer = await ask(row)
      expect(answer.status).toBe(400)
      expect(JSON.stringify(answer)).not.toContain(TOKEN)
      expect(at.github.calls).toHaveLength(0)
    },
  )
})

describe.each(RUNTIMES)('at a relay on %s that accepts no tokens', (_, start) => {
  const key = 'k'.repeat(40)
  const at = scene(start, { env: { HOOKLINE_GITHUB_TOKEN: TOKEN } })
  const ask = (row: Row) => {
    const wrong = ['X-Platform-Authorization', `not-${key}`] as const
    const headers = [...(row.headers ?? []), wrong]
    return send(at.relay.url, { target: TARGET, ...row, headers })
  }

  test.each([
    ['in the URL', { target: `${TARGET}?${SUBSCRIBE}` }],
    ['in the URL, by POST', { method: 'POST', target: `${TARGET}?validationToken=1` }],
    ['in the body', post(slack(URL_VERIFICATION))],
  ] satisfies readonly (readonly [string, Row])[])(
    'a handshake %s is refused, as its events would be',
    async (_, row) => {
      expect(await ask(row)).toMatchObject({ status: 401 })
      expect(at.github.calls).toHaveLength(0)
    },
  )
})
