import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { ENDPOINT_RUNTIMES as RUNTIMES } from '../../support/endpoint-relays.ts'
import type { RawRequest } from '../../support/raw-http.ts'
import { checksOf, verificationScene } from './scene.ts'

const TARGET = '/octo/repo/hook/webhook'
const ZOOM_SECRET = 'zoom-secret-token-5f1b'

function zoom(body: string, secret = ZOOM_SECRET): RawRequest {
  const time = String(Math.floor(Date.now() / 1000))
  const mac = createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')
  const headers = [
    ['X-Zm-Request-Timestamp', time],
    ['X-Zm-Signature', `v0=${mac}`],
  ] as const
  return { method: 'POST', target: TARGET, headers, body }
}

function validation(plainToken: unknown): string {
  return JSON.stringify({ event: 'endpoint.url_validation', payload: { plainToken } })
}

const pair = generateKeyPairSync('ed25519')
const PUBLIC = pair.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex')

function discord(body: object, isRight = true): RawRequest {
  const time = String(Math.floor(Date.now() / 1000))
  const text = JSON.stringify(body)
  const signature = sign(null, Buffer.from(time + text), pair.privateKey).toString('hex')
  const shown = isRight
    ? signature
    : signature.replace(/^../, (two) => (two === '00' ? '01' : '00'))
  const headers = [
    ['X-Signature-Timestamp', time],
    ['X-Signature-Ed25519', shown],
    ['Content-Type', 'application/json'],
  ] as const
  return { method: 'POST', target: `${TARGET}?__response_body=no`, headers, body: text }
}

describe.each(RUNTIMES)('handshakes at the relay on %s', (_, start) => {
  const here = verificationScene(start)

  test('Zoom gets the HMAC of its token, and no event is made of it', async () => {
    const settings = checksOf({ sender: 'zoom' }, ZOOM_SECRET)
    const answer = await here.send(settings, zoom(validation('qgg8vlvZRS6UYooatFL8Aw')))
    const encryptedToken = createHmac('sha256', ZOOM_SECRET)
      .update('qgg8vlvZRS6UYooatFL8Aw')
      .digest('hex')
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      200,
      { plainToken: 'qgg8vlvZRS6UYooatFL8Aw', encryptedToken },
    ])
    expect(here.github.calls).toEqual([])
  })

  test.each([
    ['of a stranger', () => zoom(validation('a'), 'another secret'), 401],
    ['that is what a signature covers', () => zoom(validation('v0:1795305600:{}')), 200],
    ['too long', () => zoom(validation('a'.repeat(65))), 200],
    ['empty', () => zoom(validation('')), 200],
    ['that is no text', () => zoom(validation({ a: 1 })), 200],
  ])('Zoom: nothing is signed for a token %s', async (_, request, status) => {
    const settings = checksOf({ sender: 'zoom' }, ZOOM_SECRET)
    const answer = await here.send(settings, request())
    expect(answer.status).toBe(status)
    expect(answer.body).not.toContain('encryptedToken')
  })

  test.each([
    ['PING', { type: 1, id: '1', token: 't', application_id: '2' }, 200, '{"type":1}', 0],
    ['a command', { type: 2, id: '1', token: 't', data: { name: 'deploy' } }, 200, '{"type":5}', 1],
    ['a button', { type: 3, id: '1', token: 't', data: { custom_id: 'x' } }, 200, '{"type":6}', 1],
    ['a modal', { type: 5, id: '1', token: 't', data: { custom_id: 'x' } }, 200, '{"type":5}', 1],
    [
      'autocomplete',
      { type: 4, id: '1', token: 't', data: { name: 'deploy' } },
      200,
      '{"type":8,"data":{"choices":[]}}',
      0,
    ],
    ['the PING of its events', { type: 0, application_id: '2', version: 1 }, 204, '', 0],
    ['an event', { type: 1, application_id: '2', version: 1, event: { type: 'A' } }, 204, '', 1],
  ])('Discord: %s', async (_, body, status, expected, calls) => {
    const settings = checksOf({ sender: 'discord', publicKey: PUBLIC })
    const right = await here.send(settings, discord(body))
    expect([right.status, right.body]).toEqual([status, expected])
    expect(here.github.calls).toHaveLength(calls)
    const wrong = await here.send(settings, discord(body, false))
    expect([wrong.status, JSON.parse(wrong.body).error.code]).toEqual([401, 'invalid_signature'])
    expect(here.github.calls).toHaveLength(calls)
  })

  test.each(['X-Signature-Timestamp', 'X-Signature-Ed25519'])(
    'Discord: 401 without the header %s',
    async (missing) => {
      const settings = checksOf({ sender: 'discord', publicKey: PUBLIC })
      const request = discord({ type: 2, id: '1', token: 't' })
      const headers = request.headers?.filter(([name]) => name !== missing) ?? []
      const answer = await here.send(settings, { ...request, headers })
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([
        401,
        'Bearer realm="hookline"',
      ])
    },
  )

  test('Discord: an event that GitHub rejects is not "thinking"', async () => {
    const settings = checksOf({ sender: 'discord', publicKey: PUBLIC })
    // The first request creates the endpoint, for which the relay asks GitHub.
    await here.send(settings, discord({ type: 1, id: '1', token: 't' }))
    here.github.next({ status: 422, body: '{}' })
    const answer = await here.send(settings, discord({ type: 2, id: '1', token: 't' }))
    expect([answer.status, answer.body.includes('"type":5')]).toEqual([422, false])
  })

  test('an unsigned handshake gets its response; a signed one only with a valid signature', async () => {
    const meta = checksOf({ sender: 'meta' }, 'a secret of Meta')
    const target = `${TARGET}?hub.mode=subscribe&hub.verify_token=x&hub.challenge=c4`
    const asked = await here.send(meta, { method: 'GET', target })
    expect([asked.status, asked.body]).toEqual([200, 'c4'])
    const slack = checksOf({ sender: 'slack' }, 'a secret of Slack')
    const body = '{"type":"url_verification","challenge":"c4"}'
    const unsigned = await here.send(slack, { method: 'POST', target: TARGET, body })
    expect(unsigned.status).toBe(401)
    const time = String(Math.floor(Date.now() / 1000))
    const mac = createHmac('sha256', 'a secret of Slack').update(`v0:${time}:${body}`).digest('hex')
    const headers = [
      ['X-Slack-Request-Timestamp', time],
      ['X-Slack-Signature', `v0=${mac}`],
    ] as const
    const signed = await here.send(slack, { method: 'POST', target: TARGET, body, headers })
    expect([signed.status, signed.body]).toEqual([200, 'c4'])
    expect(here.github.calls).toEqual([])
  })
})
