import { createHmac } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Credential } from '../../../src/relay/github/credential.ts'
import type { BodyUpload } from '../../../src/relay/store/bodies.ts'
import type { CheckClaims } from '../../../src/relay/store/endpoint-settings.ts'
import { verifiedChecks } from '../../../src/relay/webhook/checks.ts'
import { RequestLog } from '../../../src/relay/webhook/request-log.ts'
import { Secret } from '../../../src/wire/secret.ts'

const TOKEN = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'
const KB = 1024
const VERIFY = [{ scheme: 'github', secret: 'key' }]
const STORED = { bodyUrl: 'https://relay.test/x', bodySha256: 'ab', bodyLength: 7 }

interface Given {
  readonly claims?: CheckClaims
  readonly token?: string
  /** The bytes of a body that is stored. */
  readonly upload?: Uint8Array<ArrayBuffer>
  readonly body?: string
  readonly signed?: string
}

/** What is found of a request: the checks, or the code of the error. */
async function check({ claims, token, upload, body = '', signed }: Given) {
  const told: string[] = []
  const signature =
    signed === undefined ? '' : createHmac('sha256', 'key').update(signed).digest('hex')
  const headers = new Map(
    signed === undefined ? [] : [['x-hub-signature-256', `sha256=${signature}`]],
  )
  const held = upload === undefined ? new TextEncoder().encode(body) : new Uint8Array()
  const request = {
    target: '/-/o/id',
    event: {
      ...{ path: 'hook/webhook', method: 'POST', headers, delivery: 'd', receivedAt: '' },
      body: {
        ...{ bytes: held, text: upload === undefined ? body : undefined },
        ...(upload && { stored: STORED }),
      },
    },
  }
  const credential: Credential = {
    ...{ kind: 'endpoint', isOwn: false, secrets: [], token: async () => undefined },
    ...(claims && { checks: claims }),
    ...(token !== undefined && { githubToken: new Secret(token) }),
  }
  const inspected: Pick<BodyUpload, 'inspect'> = {
    inspect: (use) => {
      told.push('inspect')
      return use(upload ?? new Uint8Array())
    },
  }
  const log = new RequestLog('d', new Date(0))
  const relay = {
    loadChecks: () => import('../../../src/relay/webhook/verification.ts'),
    publicUrl: undefined,
    pause: async () => void told.push('pause'),
  }
  const given = upload && (inspected as BodyUpload) // only `inspect` is called
  const result = await verifiedChecks(request, credential, given, relay, log).then(
    async (checks) => checks && [await checks.verify(), checks.if(), checks.unmet()],
    ({ code }) => code,
  )
  return { result, reason: log.reason, told }
}

const MISSING = 'verify: github: the header x-hub-signature-256 is missing'
const bytesOf = (text: string) => new TextEncoder().encode(text)

describe('the checks of a request', () => {
  test.each<[string, Given, unknown, string | undefined, readonly string[]]>([
    ['that has none', {}, undefined, undefined, []],
    ['with a condition', { claims: { if: 'true' } }, [true, 'true', undefined], undefined, []],
    [
      'with a signature',
      { claims: { verify: VERIFY }, body: 'a', signed: 'a' },
      [true, 'true', undefined],
      undefined,
      [],
    ],
    ['without its signature', { claims: { verify: VERIFY } }, 'invalid_signature', MISSING, []],
    ['with a stored body and none', { upload: bytesOf('a') }, undefined, undefined, []],
    [
      'with a stored body and a condition',
      { claims: { if: "method == 'GET'" }, upload: bytesOf('a') },
      [true, 'false', "if: method == 'GET' is not true"],
      undefined,
      [],
    ],
    [
      'with a stored body and its signature',
      { claims: { verify: VERIFY, if: 'true' }, upload: bytesOf('a'), signed: 'a' },
      [true, 'true', undefined],
      undefined,
      ['inspect'],
    ],
    [
      'with a stored body and another signature',
      { claims: { verify: VERIFY }, upload: bytesOf('a'), signed: '' },
      'invalid_signature',
      'verify: github: the signature does not match',
      ['inspect'],
    ],
    [
      'with a stored body and a GitHub token that is not in it',
      { token: TOKEN, upload: new Uint8Array(256 * KB + 1) },
      undefined,
      undefined,
      ['inspect', 'pause', 'pause'],
    ],
    [
      'with a stored body and a GitHub token in it, before its signature is verified',
      { token: TOKEN, claims: { verify: VERIFY }, upload: bytesOf(`a ${TOKEN}`) },
      'token_in_body',
      undefined,
      ['inspect'],
    ],
    [
      'with a stored body and both',
      { token: TOKEN, claims: { verify: VERIFY }, upload: bytesOf('a') },
      'invalid_signature',
      MISSING,
      ['inspect', 'pause'],
    ],
  ])('%s', async (_name, given, result, reason, told) => {
    expect(await check(given)).toEqual({ result, reason, told })
  })

  test.each([
    [256 * KB - TOKEN.length, 0],
    [256 * KB - 1, 0],
    [256 * KB, 0],
    [264 * KB - TOKEN.length, 0],
    [264 * KB - TOKEN.length + 1, 1],
    [600 * KB, 2],
  ])('find a token from byte %i after %i pauses', async (at, pauses) => {
    const upload = new Uint8Array(700 * KB).fill(0xff)
    upload.set(bytesOf(TOKEN), at)
    const { result, told } = await check({ token: TOKEN, upload })
    expect([result, told.length - 1]).toEqual(['token_in_body', pauses])
  })
})
