import { describe, expect, test } from '@jest/globals'
import { send } from '../support/raw-http.ts'
import { RUNTIMES } from '../support/relays.ts'
import { scene, TOKEN } from '../support/scene.ts'

const CHALLENGE = '<script>3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P</script>'
const VERIFICATION = JSON.stringify({ token: 'x', challenge: CHALLENGE, type: 'url_verification' })
const SUBSCRIBE = `hub.mode=subscribe&hub.verify_token=x&hub.challenge=${encodeURIComponent(CHALLENGE)}`

describe.each(RUNTIMES)('handshakes at a relay on %s', (_, start) => {
  const at = scene(start)

  test.each([
    ['Slack', { method: 'POST', target: '/o/r/hook/slack', body: VERIFICATION }],
    [
      'Slack, with a suffix',
      { method: 'POST', target: '/o/r/hook/slack/events?x=1', body: VERIFICATION },
    ],
    ['Meta', { target: `/o/r/hook/webhook?${SUBSCRIBE}` }],
    [
      'Meta, with a custom response',
      { target: `/o/r/hook/webhook?${SUBSCRIBE}&__response_body=no` },
    ],
  ])('%s: the challenge comes back as inert text, nothing is dispatched', async (_, request) => {
    const answer = await at.send(request)
    expect(answer).toMatchObject({ status: 200, body: CHALLENGE })
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    expect(at.github.calls).toHaveLength(0)
  })

  test.each([
    ['another trigger', { method: 'POST', target: '/o/r/hook/webhook', body: VERIFICATION }],
    [
      'a trigger of a longer name',
      { method: 'POST', target: '/o/r/hook/slack2', body: VERIFICATION },
    ],
    [
      'slack as a later segment',
      { method: 'POST', target: '/o/r/hook/webhook/slack', body: VERIFICATION },
    ],
    [
      'another type',
      { method: 'POST', target: '/o/r/hook/slack', body: '{"type":"event_callback"}' },
    ],
    [
      'no challenge',
      { method: 'POST', target: '/o/r/hook/slack', body: '{"type":"url_verification"}' },
    ],
    ['no JSON', { method: 'POST', target: '/o/r/hook/slack', body: '{' }],
    ['another mode', { target: '/o/r/hook/webhook?hub.mode=denied&hub.challenge=x' }],
    ['POST', { method: 'POST', target: `/o/r/hook/webhook?${SUBSCRIBE}` }],
    [
      'peers’ fault: an SNS confirmation',
      {
        method: 'POST',
        target: '/o/r/hook/aws_sns',
        body: '{"Type":"SubscriptionConfirmation","SubscribeURL":"http://127.0.0.1:1/"}',
      },
    ],
  ])('%s is an event', async (_, request) => {
    expect(await at.send(request)).toMatchObject({ status: 200, body: '{"success":true}' })
    expect(at.github.calls).toHaveLength(1)
  })

  test('a token must be there, though it is not checked', async () => {
    const target = `/o/r/hook/webhook?${SUBSCRIBE}`
    expect((await send(at.relay.url, { target })).status).toBe(401)
  })

  test('R14: a challenge that contains the token does not come back', async () => {
    const target = `/o/r/hook/webhook?hub.mode=subscribe&hub.challenge=${TOKEN}`
    expect((await at.send({ target })).status).toBe(400)
  })
})
