import { URL_CALLED } from './signers.ts'

interface Vector {
  readonly sender: string
  /** Who signed it, or accepted it: a package of the vendor with its version, or what it published. */
  readonly by: string
  readonly name?: string
  readonly verify: Readonly<Record<string, unknown>>
  /** Unix time in seconds. */
  readonly at: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly path?: string
}

/**
 * Messages and signatures that the makers of a scheme have published, or that their own package
 * made, or accepted, on 2026-11-22: its name and version are given.
 */
export const VECTORS: readonly Vector[] = [
  {
    sender: 'standard-webhooks',
    by: 'its own libraries',
    verify: { scheme: 'standard-webhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    at: 1_614_265_330,
    headers: {
      'Webhook-Id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'Webhook-Timestamp': '1614265330',
      'Webhook-Signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
  },
  {
    sender: 'standard-webhooks',
    by: 'its own libraries',
    name: 'with a secret that has no prefix',
    verify: { scheme: 'standard-webhooks', secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    at: 1_614_265_330,
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
  },
  {
    sender: 'standard-webhooks',
    by: 'its own libraries',
    name: 'among signatures of other keys and kinds',
    verify: { scheme: 'standard-webhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    at: 1_614_265_330,
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature':
        'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v2,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
  },
  {
    sender: 'slack',
    by: 'its page',
    verify: { scheme: 'slack', secret: '8f742231b10e8888abcd99yyyzzz85a5' },
    at: 1_531_420_618,
    headers: {
      'X-Slack-Request-Timestamp': '1531420618',
      'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  },
  {
    sender: 'github',
    by: 'its page',
    verify: { scheme: 'github', secret: "It's a Secret to Everybody" },
    at: 0,
    headers: {
      'X-Hub-Signature-256':
        'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    body: 'Hello, World!',
  },
  {
    sender: 'twilio',
    by: 'twilio@6.2.0',
    name: 'as its page shows it',
    verify: {
      scheme: 'twilio',
      secret: '12345',
      url: 'https://mycompany.com/myapp.php?foo=1&bar=2',
    },
    at: 0,
    path: '?foo=1&bar=2',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8',
      'X-Twilio-Signature': 'GvWf1cFY/Q7PnoempGyD5oXAezc=',
    },
    body: 'CallSid=CA1234567890ABCDE&Caller=%2B14158675310&Digits=1234&From=%2B14158675310&To=%2B18005551212',
  },
  {
    sender: 'twilio',
    by: 'twilio@6.2.0',
    name: 'a body of JSON',
    verify: { scheme: 'twilio', secret: '12345', url: URL_CALLED },
    at: 0,
    path: '?bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620',
    headers: { 'X-Twilio-Signature': 'FzEZynb3ZoWblPCdG04rfTC/wgE=' },
    body: '{"property": "value", "boolean": true}',
  },
  {
    sender: 'twilio',
    by: 'twilio@6.2.0',
    name: 'parameters that repeat, are empty, or not of ASCII',
    verify: { scheme: 'twilio', secret: '12345', url: URL_CALLED },
    at: 0,
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Twilio-Signature': 'aYUbF1bpYqjudkpLo0R5K/zI0/k=',
    },
    body: 'MediaUrl=b&Body=h%C3%A9+%26+co&MediaUrl=a&MediaUrl=b&A=',
  },
  {
    sender: 'contentful',
    by: '@contentful/node-apps-toolkit@3.16.1',
    verify: {
      scheme: 'contentful',
      secret: 'abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz01',
      url: 'https://relay.example/octo/repo/hook/webhook',
    },
    at: 1_795_305_600,
    headers: {
      'Content-Type': 'application/vnd.contentful.management.v1+json',
      'X-Contentful-Topic': 'ContentManagement.Entry.publish',
      'X-Contentful-Signature': 'fd41d79e22493fa04a4c07eb4582f65b6239c327cf5dd25c138e29080b6db13c',
      'X-Contentful-Signed-Headers':
        'content-type,x-contentful-signed-headers,x-contentful-timestamp,x-contentful-topic',
      'X-Contentful-Timestamp': '1795305600000',
    },
    body: '{"sys":{"id":"5"}}',
  },
  {
    sender: 'contentful',
    by: '@contentful/node-apps-toolkit@3.16.1',
    name: 'with a query in the URL',
    verify: {
      scheme: 'contentful',
      secret: 'abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz01',
      url: URL_CALLED,
    },
    at: 1_795_305_600,
    headers: {
      'Content-Type': 'application/vnd.contentful.management.v1+json',
      'X-Contentful-Topic': 'ContentManagement.Entry.publish',
      'X-Contentful-Signature': '9494ec1e4eac57c904f0f0756183dc28110f3b450f4f719fd72a8d81fd454ffb',
      'X-Contentful-Signed-Headers':
        'content-type,x-contentful-signed-headers,x-contentful-timestamp,x-contentful-topic',
      'X-Contentful-Timestamp': '1795305600000',
    },
    body: '{"sys":{"id":"5"}}',
  },
  {
    sender: 'hubspot',
    by: '@hubspot/api-client@13.5.0',
    verify: { scheme: 'hubspot', secret: 'secret-of-the-app', url: URL_CALLED },
    at: 1_795_305_600,
    headers: {
      'X-HubSpot-Request-Timestamp': '1795305600000',
      'X-HubSpot-Signature-v3': 'rOZ1pIFTlLxSq5q6ybfkU9+Dw3qVp+bwjvGO/zzAEnE=',
    },
    body: '[{"eventId":1}]',
  },
  {
    sender: 'hubspot',
    by: '@hubspot/api-client@13.5.0',
    name: 'where the URL of the options is escaped',
    verify: {
      scheme: 'hubspot',
      secret: 'secret-of-the-app',
      url: URL_CALLED.replace('hook/webhook', 'hook%2Fwebhook'),
    },
    at: 1_795_305_600,
    headers: {
      'X-HubSpot-Request-Timestamp': '1795305600000',
      'X-HubSpot-Signature-v3': 'rOZ1pIFTlLxSq5q6ybfkU9+Dw3qVp+bwjvGO/zzAEnE=',
    },
    body: '[{"eventId":1}]',
  },
  {
    sender: 'notion',
    by: '@notionhq/client@5.26.0',
    verify: {
      scheme: 'notion',
      secret: 'secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl',
    },
    at: 0,
    headers: {
      'X-Notion-Signature':
        'sha256=b30b43ac8fa987d169cb3ee2425866b953d974456e21e4c6d4d9b18fee3249b4',
    },
    body: '{"id":"367cba44-b6f3-4c92-81e7-6a2e9659efd4","type":"page.created"}',
  },
  {
    sender: 'square',
    by: 'square@46.0.0',
    verify: { scheme: 'square', secret: 'asdf1234', url: URL_CALLED },
    at: 0,
    headers: { 'X-Square-HmacSha256-Signature': '8aIRtzT5bSR0gEqQ0lqmpgh1LTQHRrvZUkyH+6GGEEc=' },
    body: '{"event_id":"6a8f5f28-54a1-4eb0-a98a-3111513fd4fc"}',
  },
  {
    sender: 'paddle',
    by: '@paddle/paddle-node-sdk@3.10.0',
    verify: { scheme: 'paddle', secret: 'pdl_ntfset_01_x' },
    at: 1_795_305_600,
    headers: {
      'Paddle-Signature':
        'ts=1795305600;h1=e6644a0702b5fc425a4d7a7c616fba606425fa85cd3528e4c4f366fddb8b5a9e',
    },
    body: '{"event_id":"evt_01"}',
  },
  {
    sender: 'discord',
    by: 'discord-interactions@4.4.0',
    name: 'under the first key of RFC 8032',
    verify: {
      scheme: 'discord',
      secret: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    },
    at: 1_795_305_600,
    headers: {
      'X-Signature-Timestamp': '1795305600',
      'X-Signature-Ed25519':
        '5281ca590f0cbd5f417872c17a8651fcdd80a40dbb624b50b98a651219ce12e18806493eabad35aaa6583684d003a6e961c3be05bd2e8dbae78885bcb9f8460c',
    },
    body: '{"type":1,"id":"1"}',
  },
  {
    sender: 'sendgrid',
    by: '@sendgrid/eventwebhook@8.0.0',
    name: 'the vector of its tests',
    verify: {
      scheme: 'sendgrid',
      secret:
        'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==',
    },
    at: 1_600_112_502,
    headers: {
      'X-Twilio-Email-Event-Webhook-Timestamp': '1600112502',
      'X-Twilio-Email-Event-Webhook-Signature':
        'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
    },
    body: '[{"email":"hello@world.com","event":"dropped","reason":"Bounced Address","sg_event_id":"ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA","sg_message_id":"LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0","smtp-id":"<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>","timestamp":1600112492}]\r\n',
  },
  {
    sender: 'linear',
    by: '@linear/sdk@98.0.0',
    verify: { scheme: 'linear', secret: 'lin_wh_secret' },
    at: 1_795_305_600,
    headers: {
      'Linear-Signature': 'a48a10b863a0f678bdf079117b2f1690680016ade032560a13b6f87beeb8365c',
    },
    body: '{"action":"create","type":"Issue","webhookTimestamp":1795305600000}',
  },
  {
    sender: 'openai',
    by: 'openai@6.49.0',
    verify: { scheme: 'standard-webhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    at: 1_795_305_600,
    headers: {
      'webhook-id': 'wh_1',
      'webhook-timestamp': '1795305600',
      'webhook-signature': 'v1,VyihBLx6XoU9vEQg0JEb6sOaZydWcZNTKSPo8hN4hMA=',
    },
    body: '{"id":"evt_1","type":"response.completed"}',
  },
  {
    sender: 'shopify',
    by: '@shopify/shopify-api@13.1.0',
    verify: { scheme: 'shopify', secret: 'hush-shopify' },
    at: 0,
    headers: { 'X-Shopify-Hmac-Sha256': '9E1WznPmegsk5cN7LLv0S+D6Pk3ewxMM7d7wy3yuKGI=' },
    body: '{"id":820982911946154500,"name":"#1001"}',
  },
]
