import { describe, expect, test } from '@jest/globals'
import {
  createCredentials,
  keyCredentials,
  NO_CREDENTIALS,
  presentedToken,
  storedCredential,
} from '../../../src/relay/github/credential.ts'
import type { Endpoint } from '../../../src/relay/store/endpoint-settings.ts'
import { Secret } from '../../../src/wire/secret.ts'

const [TOKEN, OWN, ID] = ['of-the-caller', 'of-the-relay', 'x'.repeat(22)].map(
  (text) => new Secret(text),
) as [Secret, Secret, Secret]

const ENDPOINT: Endpoint = {
  ...{ owner: 'o', name: 'orders', created: 1, id: ID, repository: 'o/r' },
  ...{ workflow: 'hook', trigger: 'webhook', dispatch: 'repository', respond: 'github' },
}
const KEY = { owner: 'o', name: 'orders', created: 1 }
const WANTED = { repository: { owner: 'o', name: 'r' }, event: 'run_lookup' } as const

/** A credential with its secrets as text, and the token that it gives. */
async function shown(credential: Awaited<ReturnType<typeof NO_CREDENTIALS.open>>) {
  const { secrets, githubToken, token, ...others } = credential
  return {
    ...others,
    secrets: secrets.map((secret) => secret.reveal()),
    ...(githubToken && { githubToken: githubToken.reveal() }),
    token: (await token(WANTED))?.reveal(),
  }
}

const relayOwn = { githubToken: OWN, token: async () => OWN }
const app = { token: async () => OWN }

describe('the credential', () => {
  test('of a token URL is the token, and opened once', async () => {
    const credentials = createCredentials({})
    const opened = await credentials.open(TOKEN)
    expect(await shown(opened)).toEqual({
      ...{ kind: 'token', isOwn: false, secrets: ['of-the-caller'] },
      ...{ githubToken: 'of-the-caller', token: 'of-the-caller' },
    })
    expect(await credentials.open(new Secret('of-the-caller'))).toBe(opened)
    expect(storedCredential(opened)).toEqual({ kind: 'token', token: 'of-the-caller' })
  })

  test.each([
    [
      'the token of the relay',
      relayOwn,
      {
        ...{ kind: 'endpoint', isOwn: true, secrets: ['of-the-relay'] },
        ...{ githubToken: 'of-the-relay', token: 'of-the-relay' },
      },
    ],
    ['an App', app, { kind: 'endpoint', isOwn: true, secrets: [], token: 'of-the-relay' }],
  ])('of the relay is %s', async (_name, githubCredential, expected) => {
    const credentials = createCredentials({ githubCredential })
    expect(await shown(await credentials.own())).toEqual(expected)
    expect(await shown(await credentials.ofEndpoint(ENDPOINT))).toEqual({
      ...expected,
      secrets: ['x'.repeat(22), ...expected.secrets],
      endpoint: KEY,
    })
  })

  const VERIFY = [{ scheme: 'stripe', secret: 's' }]
  test.each([
    [{}, undefined],
    [{ ifError: 'allow' }, undefined],
    [{ if: 'true' }, { if: 'true', ifError: undefined, verify: undefined }],
    [{ verify: VERIFY }, { if: undefined, ifError: undefined, verify: VERIFY }],
    [
      { if: 'true', ifError: 'allow', verify: VERIFY },
      { if: 'true', ifError: 'allow', verify: VERIFY },
    ],
  ] as const)('of an endpoint with a token and %j has its checks', async (settings, checks) => {
    const endpoint = { ...ENDPOINT, token: TOKEN, ...settings }
    const { checks: found, ...others } = await createCredentials({}).ofEndpoint(endpoint)
    expect(found).toEqual(checks)
    expect(await shown(others)).toEqual({
      ...{ kind: 'endpoint', isOwn: false, secrets: ['x'.repeat(22), 'of-the-caller'] },
      ...{ githubToken: 'of-the-caller', token: 'of-the-caller', endpoint: KEY },
    })
  })

  test('of hookline dev needs no token, or exactly the key', async () => {
    const none = { kind: 'none', isOwn: false, secrets: [], token: undefined }
    const given = { ...none, secrets: ['of-the-caller'] }
    expect(await shown(await NO_CREDENTIALS.open(undefined))).toEqual(none)
    expect(await shown(await NO_CREDENTIALS.open(TOKEN))).toEqual(given)
    expect(await shown(await NO_CREDENTIALS.ofEndpoint(ENDPOINT))).toEqual(none)
    const keyed = keyCredentials(new Secret('of-the-caller'))
    expect(await shown(await keyed.open(TOKEN))).toEqual(given)
    expect(await shown(await keyed.ofEndpoint(ENDPOINT))).toEqual(none)
    await expect(keyed.open(undefined)).rejects.toMatchObject({ code: 'missing_token' })
    await expect(keyed.open(OWN)).rejects.toMatchObject({ code: 'invalid_token' })
  })

  test.each([
    [() => createCredentials({}).open(undefined), 'missing_token'],
    [() => createCredentials({}).own(), 'credential_revoked'],
    [() => createCredentials({}).ofEndpoint(ENDPOINT), 'credential_revoked'],
    [() => createCredentials({}).restore({ kind: 'endpoint', endpoint: KEY }), 'endpoint_deleted'],
    [
      () => createCredentials({ findEndpoint: async () => ENDPOINT }).restore({ kind: 'endpoint' }),
      'endpoint_deleted',
    ],
  ])('is refused: %#, %s', async (open, code) => {
    await expect(open()).rejects.toMatchObject({ code })
  })

  test('of others is refused by a relay with its own, which says what to do', async () => {
    const refused = createCredentials({ githubCredential: relayOwn }).open(undefined)
    await expect(refused).rejects.toMatchObject({
      ...{ code: 'invalid_token', message: 'the relay does not accept GitHub tokens' },
      hint: 'Use the URL of an endpoint: hookline endpoint create. To accept tokens, start the relay with --allow-tokens.',
    })
  })
})

const NAMES = ['X-Platform-Authorization', 'X-Github-Authorization'] as const

test.each<[readonly string[], string | undefined, string | undefined]>([
  [[], undefined, undefined],
  [[], '', undefined],
  [[], 'a', 'a'],
  [[NAMES[0], 'b'], 'a', 'b'],
  [[NAMES[0], ''], 'a', 'a'],
  [[NAMES[1], 'c', NAMES[0], ''], 'a', 'c'],
  [[NAMES[1], 'c', NAMES[0], 'b'], 'a', 'b'],
  [[NAMES[0], 'Bearer \t b,c'], undefined, 'b'],
  [[NAMES[0], 'Token b'], undefined, 'b'],
  [[NAMES[0], 'Bearerb'], undefined, 'Bearerb'],
  [[NAMES[0], 'b'.repeat(4000)], undefined, 'b'.repeat(4000)],
  [[NAMES[0], 'b'.repeat(4001)], undefined, 'invalid_token'],
  [[NAMES[0], 'x Bearer b'], undefined, 'invalid_token'],
  [[], 'a\nb', 'invalid_token'],
])('of the headers %.80j and the query %j, the token is %.20s', (headers, query, token) => {
  const reserved = new Map(query === undefined ? [] : [['__token', query]])
  let found: string | undefined
  try {
    found = presentedToken(headers, reserved)?.reveal()
  } catch (error) {
    found = (error as { code: string }).code
  }
  expect(found).toBe(token)
})
