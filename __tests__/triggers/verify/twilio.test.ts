import { createHmac } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { bound, receive } from '../../support/receive.ts'

const ADDRESS = 'https://relay.example/octo/repo/hook/webhook'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

async function refusalOf(
  sent: { readonly query?: string; readonly settings?: string },
  signed: { readonly url?: string; readonly hash?: 'sha1' | 'sha256' },
  url = ADDRESS,
) {
  const { query = '', settings } = sent
  const { url: signedUrl = `${ADDRESS}${query}`, hash = 'sha1' } = signed
  const mac = createHmac(hash, 'secret').update(`${signedUrl}Bodyhi`).digest('base64')
  const headers = {
    ...FORM,
    'x-twilio-signature': mac,
    ...(settings !== undefined && { 'x-twilio-webhooks-signature-settings': settings }),
  }
  const trigger = bound('webhook', { verify: { scheme: 'twilio', secret: 'secret', url } })
  const { checks } = await receive(trigger, { headers, path: query, body: 'Body=hi' })
  return checks.at(-1)
}

describe('the algorithm of x-twilio-webhooks-signature-settings', () => {
  const UNKNOWN = 'names an unknown algorithm'
  const MISMATCH = 'the signature has'

  test.each([
    [undefined, 'sha1', undefined],
    ['', 'sha1', undefined],
    ['key=k1', 'sha1', undefined],
    ['key=k1,algorithm=', 'sha1', undefined],
    ['key=k1,algorithm=HMAC_SHA1', 'sha1', undefined],
    ['key=k1,algorithm=HMAC_SHA256', 'sha256', undefined],
    ['algorithm=HMAC_SHA256,key=k1', 'sha256', undefined],
    ['key=k1, algorithm = hmac_sha256', 'sha256', undefined],
    ['key=k1,algorithm=HMAC_SHA256', 'sha1', MISMATCH],
    ['key=k1,algorithm=HMAC_SHA1', 'sha256', MISMATCH],
    [undefined, 'sha256', MISMATCH],
    ['key=k1,algorithm=HMAC_SHA512', 'sha256', UNKNOWN],
    ['key=k1,algorithm=none', 'sha1', UNKNOWN],
    ['key=k1,algorithm=HMAC_MD5,algorithm=HMAC_SHA1', 'sha1', UNKNOWN],
    ['key=k1,algorithm=constructor', 'sha1', UNKNOWN],
  ] as const)('%j, and a signature of %s: %j', async (settings, hash, refused) => {
    const check = await refusalOf(settings === undefined ? {} : { settings }, { hash })
    expect(check?.held).toBe(refused === undefined)
    if (refused) expect(check?.found).toContain(refused)
  })
})

describe('the signature does not cover', () => {
  test.each([
    ['another value', '?a=1', '?a=2'],
    ['another name', '?a=1', '?b=1'],
    ['one more parameter', '?a=1', '?a=1&b=2'],
    ['one parameter less', '?a=1&b=2', '?a=1'],
    ['another order', '?a=1&b=2', '?b=2&a=1'],
    ['another case of letters', '?a=x', '?a=X'],
    ['a value that is escaped twice', '?a=%2F', '?a=%252F'],
    ['a plus sign in place of its escape', '?a=1%2B1', '?a=1+1'],
    ['a separator in place of its escape', '?a=1%26b=2', '?a=1&b=2'],
  ])('%s', async (_, signed, query) => {
    expect((await refusalOf({ query }, { url: ADDRESS + signed }))?.held).toBe(false)
    expect((await refusalOf({ query: signed }, { url: ADDRESS + signed }))?.held).toBe(true)
  })
})

test.each(['relay.example/octo/repo', 'wss://relay.example/octo/repo'])(
  'the option "url" without http: %s',
  async (url) => expect((await refusalOf({}, { url }, url))?.held).toBe(true),
)

describe('the query of the option "url", sent in another spelling', () => {
  const OWN = "M=don't&__token=t0ken&C=a+b"
  test.each([
    ["?M=don't&C=a+b", OWN],
    ["?M=don't&C=a+b", 'M=don%27t&__token=t0ken&C=a+b'],
    ['?M=don%27t&C=a%20b', OWN],
    ['?M=don%27t&C=a%20b&D=1', `${OWN}&D=1`],
    ['?M=don%27t&C=a%20b&D=1', 'M=don%27t&__token=t0ken&C=a%20b&D=1'],
  ])('%s is accepted with a signature over %s', async (query, signed) => {
    const check = await refusalOf({ query }, { url: `${ADDRESS}?${signed}` }, `${ADDRESS}?${OWN}`)
    expect(check?.held).toBe(true)
  })
})
