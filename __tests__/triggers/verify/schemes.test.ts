import { createHmac } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { SCHEME_NAMES } from '../../../src/triggers/verify/schemes.ts'
import { bound, receive, type Sent } from '../../support/receive.ts'
import { type Proof, SIGNERS, type Signer } from './signers.ts'

const body = '{"id": "évt_1",  "big":12345678901234567890}\r\n'
const time = new Date('2026-11-21T00:00:00Z')
const HOUR = 3_600_000

/** The soak test changes every character and byte; the short run some of them, in all bits. */
const STRIDE = 11

async function signed(signer: Signer, secret = signer.secret): Promise<Sent & Proof> {
  return { body, receivedAt: time, ...(await signer.sign({ body, time }, secret)) }
}

function options(signer: Signer, secret: string | readonly string[] = signer.secret) {
  return { ...signer.verify, secret }
}

/** True if a webhook trigger with this verification fires for the request. */
async function fires(verify: unknown, sent: Sent): Promise<boolean> {
  const { items } = await receive(bound('webhook', { verify }), sent)
  return items.length === 1
}

/** Replaces the value of the signature header. */
function resigned(signer: Signer, sent: Sent & Proof, change: (text: string) => string): Sent {
  const [header, prefix] = signer.signature ?? ['', '']
  const text = sent.headers[header]?.slice(prefix.length) ?? ''
  return { ...sent, headers: { ...sent.headers, [header]: prefix + change(text) } }
}

test('every scheme is signed for, or has a suite of its own', () => {
  const here = SIGNERS.map(({ verify }) => String(verify.scheme))
  expect([...new Set([...here, 'aws-sns'])].sort()).toEqual([...SCHEME_NAMES].sort())
})

describe.each(SIGNERS)('$name', (signer) => {
  const verify = options(signer)

  test('a request of the sender fires', async () => {
    expect(await fires(verify, await signed(signer))).toBe(true)
  })

  test('a request signed with another secret does not', async () => {
    expect(await fires(verify, await signed(signer, signer.other))).toBe(false)
  })

  test('while a secret is rotated, the old and the new one hold', async () => {
    const both = options(signer, [signer.other, signer.secret])
    expect(await fires(both, await signed(signer))).toBe(true)
    expect(await fires(both, await signed(signer, signer.other))).toBe(true)
    expect(await fires(options(signer, signer.other), await signed(signer))).toBe(false)
  })

  test('signature and secret are not in the item', async () => {
    const { items } = await receive(bound('webhook', { verify }), await signed(signer))
    const [header] = signer.signature ?? []
    expect(Object.keys(Object(items[0]?.headers))).not.toContain(header)
    expect(JSON.stringify(items)).not.toContain(JSON.stringify(signer.secret).slice(1, -1))
    for (const name of signer.hidden ?? []) {
      expect(Object.keys(Object(items[0]?.body))).not.toContain(name)
    }
  })
})

describe.each(SIGNERS.filter(({ signature }) => signature))('$name', (signer) => {
  const verify = options(signer)

  test('a request without one of the headers, or with an empty one, does not fire', async () => {
    const sent = await signed(signer)
    const names = Object.keys(sent.headers)
    for (const name of names) {
      const { [name]: _, ...headers } = sent.headers
      expect([name, await fires(verify, { ...sent, headers })]).toEqual([name, false])
      const empty = { ...headers, [name]: '' }
      expect([name, await fires(verify, { ...sent, headers: empty })]).toEqual([name, false])
    }
    expect(names).not.toEqual([])
  })

  test('a change of one bit of any character of the signature is refused', async () => {
    const sent = await signed(signer)
    const [header = '', prefix = ''] = signer.signature ?? []
    const { length } = sent.headers[header]?.slice(prefix.length) ?? ''
    for (let at = 0; at < length; at += STRIDE) {
      const changed = resigned(signer, sent, (text) => withCharacterChanged(text, at, at % 7))
      expect([at, await fires(verify, changed)]).toEqual([at, false])
    }
    expect(length).toBeGreaterThan(20)
  })

  test.each([
    ['cut short', (text: string) => text.slice(0, -3)],
    ['in quotation marks', (text: string) => `"${text}"`],
    ['in another encoding', reencoded],
    ['in none', () => ''],
  ])('the signature %s is refused', async (_, change) => {
    expect(await fires(verify, resigned(signer, await signed(signer), change))).toBe(false)
  })

  test.each([
    ['twice over', (text: string) => text + text],
    ['with something after it', (text: string) => `${text} x`],
    ['with a comma after it', (text: string) => `${text},`],
  ])('the signature %s is refused, where it is no list', async (_, change) => {
    const fired = await fires(verify, resigned(signer, await signed(signer), change))
    expect(fired && signer.list === undefined).toBe(false)
  })

  test('a doubled header is refused, where it is no list of signatures', async () => {
    const sent = await signed(signer)
    for (const name of Object.keys(sent.headers).filter((name) => name !== 'content-type')) {
      const headers = { ...sent.headers, [name]: `${sent.headers[name]}, ${sent.headers[name]}` }
      const isList = signer.list === 'signatures' && name === signer.signature?.[0]
      if (!isList) expect([name, await fires(verify, { ...sent, headers })]).toEqual([name, false])
    }
  })
})

/** Converts hexadecimal to base64, and base64 to hexadecimal. */
function reencoded(text: string): string {
  const isHex = /^[0-9a-f]+$/.test(text)
  return Buffer.from(text, isHex ? 'hex' : 'base64').toString(isHex ? 'base64' : 'hex')
}

describe.each(SIGNERS.filter(({ coversBody }) => coversBody))('$name', (signer) => {
  test('a change of one bit of any byte of the body is refused', async () => {
    const sent = await signed(signer)
    const trigger = bound('webhook', { verify: options(signer) })
    const bytes = new TextEncoder().encode(sent.body ?? body)
    for (let at = 0; at < bytes.length; at += STRIDE) {
      const changed = bytes.map((byte, place) => (place === at ? byte ^ (1 << (at % 8)) : byte))
      const { items } = await receive(trigger, { ...sent, body: changed })
      // A form for Twilio is equal with some other bytes: `+` and a space.
      const isSame = signer.name === 'twilio, a form' && sameForm(bytes, changed)
      if (!isSame) expect([at, items.length]).toEqual([at, 0])
    }
  })

  test.each([' ', '\n', '\0', '\uFEFF', ''])(
    'the body with %j after it, or without its end, is refused',
    async (more) => {
      const sent = await signed(signer)
      const text = String(sent.body)
      const changed = { ...sent, body: more ? text + more : text.slice(0, -1) }
      expect(await fires(options(signer), changed)).toBe(false)
    },
  )
})

function sameForm(a: Uint8Array, b: Uint8Array): boolean {
  const [left, right] = [a, b].map((bytes) => new URLSearchParams(new TextDecoder().decode(bytes)))
  return left?.toString() === right?.toString()
}

describe.each(SIGNERS.filter(({ isTimed }) => isTimed))('$name', (signer) => {
  const verify = options(signer)
  const usual = ['twitch', 'box'].includes(String(signer.verify.scheme)) ? 600 : 300

  test.each([
    [0, true],
    [usual, true],
    [-usual, true],
    [usual + 1, false],
    [-usual - 1, false],
    [HOUR / 1000, false],
    [(24 * HOUR) / 1000, false],
  ])('received %d seconds after it was signed: %s', async (skew, expected) => {
    const sent = await signed(signer)
    const receivedAt = new Date(time.getTime() + skew * 1000)
    expect(await fires(verify, { ...sent, receivedAt })).toBe(expected)
  })

  test.each([
    [60, 61, false],
    [60, 60, true],
    [900, 899, true],
  ])('with a tolerance of %d, %d seconds: %s', async (tolerance, skew, expected) => {
    const receivedAt = new Date(time.getTime() + skew * 1000)
    const sent = { ...(await signed(signer)), receivedAt }
    expect(await fires({ ...verify, tolerance }, sent)).toBe(expected)
  })

  test('without a relay the time is now', async () => {
    const sent = { ...(await signed(signer)), receivedAt: undefined }
    const trigger = bound('webhook', { verify })
    const at = (skew: number) => ({ now: () => time.getTime() + skew * 1000 })
    expect((await receive(trigger, sent, at(299))).items).toHaveLength(1)
    expect((await receive(trigger, sent, at(usual + 1))).items).toHaveLength(0)
  })
})

describe.each(SIGNERS.filter(({ list, name }) => list === 'signatures' && name !== 'ed25519'))(
  '$name',
  (signer) => {
    test('among signatures of others the right one holds', async () => {
      const sent = await signed(signer)
      const [header = ''] = signer.signature ?? []
      const theirs = (await signed(signer, signer.other)).headers[header]
      const both = (a?: string, b?: string) => ({ ...sent.headers, [header]: `${a} ${b}` })
      const right = sent.headers[header]
      expect(await fires(options(signer), { ...sent, headers: both(theirs, right) })).toBe(true)
      expect(await fires(options(signer), { ...sent, headers: both(right, theirs) })).toBe(true)
      expect(await fires(options(signer), { ...sent, headers: both(theirs, theirs) })).toBe(false)
    })
  },
)

function withCharacterChanged(text: string, at: number, bit: number): string {
  const char = String.fromCharCode(text.charCodeAt(at) ^ (1 << bit))
  return text.slice(0, at) + char + text.slice(at + 1)
}

test.each([
  [{ scheme: 'github' }, 'x-hub-signature-256', '0b'.repeat(32), 'hex after sha256='],
  [{ scheme: 'hmac', header: 'x-sum' }, 'x-sum', `sha256=${'0b'.repeat(32)}`, 'hex'],
  [{ scheme: 'shopify' }, 'x-shopify-hmac-sha256', '%%', 'base64'],
])('a header without a signature of the scheme %j is named', async (verify, header, text, form) => {
  const trigger = bound('webhook', { verify: { ...verify, secret: 'a secret' } })
  const { checks } = await receive(trigger, { body, headers: { [header]: text } })
  const reason = `${verify.scheme}: the header ${header} contains no signature in ${form}`
  expect(checks.find(({ option }) => option === 'verify')?.found).toBe(reason)
})

test('a header without a signature hides no other reason, and each header is named', async () => {
  const trigger = bound('webhook', { verify: { scheme: 'box', secret: 'a secret' } })
  const found = async (headers: Record<string, string>) => {
    const { checks } = await receive(trigger, { body, headers })
    return checks.find(({ option }) => option === 'verify')?.found
  }
  const second = { 'box-signature-secondary': `${'A'.repeat(43)}=` }
  expect(await found({ 'box-signature-secondary': '%' })).toContain(
    'the header box-signature-secondary contains no signature in base64',
  )
  const both = { 'box-signature-primary': '%', ...second }
  expect(await found(both)).toBe(await found(second))
})

test.each([
  [{ scheme: 'stripe' }, 'stripe-signature', 't=1, v1=aabb x', 'hex in field v1'],
  [
    { scheme: 'hmac', header: 'x-sum', signatureField: '1', separator: ',' },
    'x-sum',
    'aabb,ccddee',
    'hex in place 1',
  ],
])('a list of the scheme %j that is malformed is named', async (verify, header, text, form) => {
  const trigger = bound('webhook', { verify: { ...verify, secret: 'a secret' } })
  const { checks } = await receive(trigger, { body, headers: { [header]: text } })
  const reason = `${verify.scheme}: the header ${header} is no list that has a signature in ${form}`
  expect(checks.find(({ option }) => option === 'verify')?.found).toBe(reason)
})

test.each(['timestamp', 'token', 'signature'])(
  'a signature of mailgun that covers an empty %s is refused',
  async (field) => {
    const secret = 'a secret'
    const timestamp = field === 'timestamp' ? '' : `${time.getTime() / 1000}`
    const token = field === 'token' ? '' : 'a1b2'
    const hmac = createHmac('sha256', secret).update(`${timestamp}${token}`).digest('hex')
    const signature = { timestamp, token, signature: field === 'signature' ? '' : hmac }
    const trigger = bound('webhook', { verify: { scheme: 'mailgun', secret } })
    const sent = { body: JSON.stringify({ signature }), headers: {}, receivedAt: time }
    const { checks } = await receive(trigger, sent)
    const found = checks.find(({ option }) => option === 'verify')?.found
    expect(found).toContain('the body has no timestamp, token and signature')
  },
)
