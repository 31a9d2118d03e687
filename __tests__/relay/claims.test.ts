import { describe, expect, test } from '@jest/globals'
import {
  covers,
  isCanonicalCompact,
  keyById,
  readScope,
} from '../../src/relay/credentials/claims.ts'
import { createCredentials } from '../../src/relay/credentials/credentials.ts'
import { generateSigningKey, signGrant } from '../../src/relay/credentials/grant.ts'
import { generateSealingKey, sealToken } from '../../src/relay/credentials/seal.ts'
import { Secret } from '../../src/wire/secret.ts'

const REPOSITORY = 'octo/repo'
const [SEAL_KEY, SIGN_KEY] = [await generateSealingKey(), await generateSigningKey()]

describe('the scope of a credential', () => {
  test.each([
    [{ repository: REPOSITORY }, { repository: REPOSITORY }],
    [
      { repository: REPOSITORY, path: 'hook/', dispatch: 'workflow', ref: 'main', more: 1 },
      { repository: REPOSITORY, path: 'hook/', dispatch: 'workflow', ref: 'main' },
    ],
  ])('%j is read', (content, scope) => {
    expect(readScope(content)).toEqual(scope)
  })

  test.each([
    {},
    { repository: 1 },
    { repository: REPOSITORY, path: 1 },
    { repository: REPOSITORY, dispatch: 'push' },
    { repository: REPOSITORY, ref: 1 },
    { repository: REPOSITORY, ref: '' },
  ])('%j is none', (content) => {
    expect(readScope(content)).toBeUndefined()
  })
})

describe('a scope', () => {
  const scope = (path?: string) => ({ repository: REPOSITORY, ...(path !== undefined && { path }) })
  const at = (path: string, owner = 'octo', name = 'repo') => [{ owner, name }, path] as const

  test.each([
    [scope(), at('hook/webhook'), true],
    [scope(), at('hook/webhook', 'Octo', 'REPO'), true],
    [scope(), at('hook/webhook', 'octo', 'other'), false],
    [scope('hook/webhook'), at('hook/webhook/1?a=b'), true],
    [scope('hook/webhook'), at('hook/webhook?a=b'), true],
    [scope('hook/webhook'), at('hook/webhook2'), false],
    [scope('hook/'), at('hook/webhook'), true],
    [scope('hook/'), at('hooks/webhook'), false],
  ])('%j covers %j: %s', (one, [repository, path], isCovered) => {
    expect(covers(one, repository, path)).toBe(isCovered)
  })
})

test.each([
  [
    'a sealed token',
    sealToken({ token: 'ghs_x', repository: REPOSITORY, expires: 100 }, SEAL_KEY.publicJwk),
  ],
  ['a grant', signGrant({ id: 'a', repository: REPOSITORY, exp: 100 }, SIGN_KEY)],
])('%s ends at its second, also one that was accepted before', async (_, made) => {
  let now = 99_999
  const credentials = createCredentials({
    sealingKeys: [SEAL_KEY],
    signingKeys: [SIGN_KEY],
    githubCredential: { token: async () => new Secret('ghs_x') },
    now: () => new Date(now),
  })
  const webhook = {
    repository: { owner: 'octo', name: 'repo' },
    path: 'hook/webhook',
    reserved: new Map(),
  }
  const open = async () => credentials.open(new Secret(await made), webhook)
  expect(await open()).toMatchObject({ scope: { repository: REPOSITORY } })
  now = 100_000
  await expect(open()).rejects.toMatchObject({ code: 'invalid_token' })
})

test.each([
  ['', true],
  ['AAAA', true],
  ['AA', true],
  ['AAA', true],
  ['AB', false],
  ['AAB', false],
  ['A', false],
  ['AAAAA', false],
  ['AAAA.AA.AAA', true],
  ['AB.AAAA', false],
  ['AAAA.AB', false],
  ['AA=', false],
  ['=AA', false],
  ['AAAAAA', true],
  ['AAAAAAA', true],
])('%j stands for its bytes as no other text does: %s', (text, isOnly) => {
  expect(isCanonicalCompact(text)).toBe(isOnly)
})

test('a key is found by its id, or what was made with it is refused', () => {
  const keys = [{ id: 'a' }, { id: 'b' }]
  expect(keyById(keys, 'b')).toBe(keys[1])
  for (const id of ['c', undefined]) {
    expect(() => keyById(keys, id)).toThrow(new TypeError('made with another key'))
  }
})
