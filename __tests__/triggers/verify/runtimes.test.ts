import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { payloadOf } from '../../support/receive.ts'
import { refusals, type VerificationCase } from '../../support/verifying-worker.ts'
import { startWorkerd, type Workerd } from '../../support/workerd.ts'
import { SIGNERS } from './signers.ts'
import { VECTORS } from './vectors.ts'

/** Responds to a list of cases with their refusals. */
const ENTRY = `
import { refusals } from './verifying-worker.ts'
export default {
  async fetch(request) {
    return Response.json(await refusals(await request.json()))
  },
}`

/** The verification in workerd, whose WebCrypto differs in details from that of Node. */
let folder: string
let workerd: Workerd

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-verifying-'))
  const outfile = join(folder, 'worker.js')
  await build({
    stdin: { contents: ENTRY, resolveDir: join(import.meta.dirname, '../../support') },
    bundle: true,
    format: 'esm',
    outfile,
    logLevel: 'error',
  })
  workerd = await startWorkerd(outfile, {}, { modules: new Map() })
})
afterAll(async () => {
  await workerd?.close()
  await rm(folder, { recursive: true })
})

async function refusalsInWorkerd(cases: readonly VerificationCase[]): Promise<(string | null)[]> {
  const response = await fetch(workerd.url, { method: 'POST', body: JSON.stringify(cases) })
  expect(response.status).toBe(200)
  return (await response.json()) as (string | null)[] // as the worker answers
}

const LENGTHS = Array.from({ length: 130 }, (_, at) => at + 1)

/** Schemes with their hexadecimal or base64 signature in a header. */
const SIGNED: readonly (readonly [name: string, expected: number, of: VerificationOf])[] = [
  ['discord', 64, (bytes) => discord(bytes.toString('hex'))],
  ['standard-webhooks', 64, (bytes) => standard(`v1a,${bytes.toString('base64')}`, WHPK)],
  ['standard-webhooks', 32, (bytes) => standard(`v1,${bytes.toString('base64')}`, WHSEC)],
  [
    'github',
    32,
    (bytes) => header('github', 'x-hub-signature-256', `sha256=${bytes.toString('hex')}`),
  ],
  ['shopify', 32, (bytes) => header('shopify', 'x-shopify-hmac-sha256', bytes.toString('base64'))],
  ['twilio', 20, (bytes) => header('twilio', 'x-twilio-signature', bytes.toString('base64'))],
]

type VerificationOf = (bytes: Buffer) => VerificationCase

const WHPK = `whpk_${Buffer.alloc(32, 9).toString('base64')}`
const WHSEC = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

function header(scheme: string, name: string, value: string): VerificationCase {
  const url = scheme === 'twilio' ? { url: 'https://relay.example/hook' } : {}
  const headers = { [name]: value }
  return { scheme, secret: 'secret', ...url, payload: payloadOf('webhook', { headers }) }
}

function discord(signature: string): VerificationCase {
  const headers = { 'x-signature-ed25519': signature, 'x-signature-timestamp': '1790000000' }
  const payload = payloadOf('webhook', { headers, body: '{"type":1}' })
  return { scheme: 'discord', secret: '09'.repeat(32), payload }
}

function standard(signature: string, secret: string): VerificationCase {
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1790000000',
    'webhook-signature': signature,
  }
  return { scheme: 'standard-webhooks', secret, payload: payloadOf('webhook', { headers }) }
}

describe('on Node and in workerd', () => {
  test.each(SIGNED)(
    'a signature of %s of another length than %d bytes is refused with its length',
    async (_, expected, of) => {
      const cases = LENGTHS.map((length) => of(Buffer.alloc(length, 7)))
      const onNode = await refusals(cases)
      expect(await refusalsInWorkerd(cases)).toEqual(onNode)
      const told = LENGTHS.map((length) => {
        const isNamed = length !== expected
        return isNamed ? `the signature has ${length} bytes, but one of ` : 'does not match'
      })
      for (const [at, pattern] of told.entries()) {
        expect(onNode[at]).toMatch(pattern)
      }
    },
  )

  test('a public key of another length than 32 bytes verifies nothing', async () => {
    const signature = Buffer.alloc(64, 7)
    const cases = [0, 1, 31, 33, 44, 64].flatMap((length) => [
      { ...discord(signature.toString('hex')), secret: '09'.repeat(length) },
      standard(
        `v1a,${signature.toString('base64')}`,
        `whpk_${Buffer.alloc(length, 9).toString('base64')}`,
      ),
    ])
    const onNode = await refusals(cases)
    expect(await refusalsInWorkerd(cases)).toEqual(onNode)
    expect(onNode).toEqual(cases.map(() => 'the signature does not match'))
  })

  test('every published signature is verified', async () => {
    const cases = VECTORS.flatMap(({ verify, at, headers, body, path = '' }) => {
      const { scheme, secret, url, ...more } = verify
      if (Object.keys(more).length > 0) return []
      const sent = { headers, body, path, receivedAt: new Date(at * 1000) }
      const of = { scheme: String(scheme), secret: String(secret) }
      const signed = url === undefined ? {} : { url: String(url) }
      return [{ ...of, ...signed, payload: payloadOf('webhook', sent) }]
    })
    expect(cases.length).toBeGreaterThan(20)
    expect(await refusals(cases)).toEqual(cases.map(() => null))
    expect(await refusalsInWorkerd(cases)).toEqual(cases.map(() => null))
  })

  test('every signer is accepted by both, and refused by both under another secret', async () => {
    const time = new Date()
    const cases = await Promise.all(
      SIGNERS.flatMap(({ verify, sign, secret, other }) => {
        const { scheme, url, ...more } = verify
        if (Object.keys(more).length > 0 || scheme === 'aws-sns') return []
        return [secret, other].map(async (signing) => {
          const body = '{"a":1}'
          const proof = await sign({ body, time }, signing)
          const sent = { headers: proof.headers, body: proof.body ?? body, path: proof.path ?? '' }
          const signed = url === undefined ? {} : { url: String(url) }
          const payload = payloadOf('webhook', { ...sent, receivedAt: time })
          return { scheme: String(scheme), secret, ...signed, payload }
        })
      }),
    )
    const onNode = await refusals(cases)
    expect(cases.length).toBeGreaterThan(80)
    expect(await refusalsInWorkerd(cases)).toEqual(onNode)
    expect(onNode.filter((_, at) => at % 2 === 0)).toEqual(
      cases.slice(0, cases.length / 2).map(() => null),
    )
  })
})
