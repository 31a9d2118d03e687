import { generateKeyPairSync } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { App, readAppKey } from '../../src/relay/github/github-app.ts'
import type { Clock } from '../../src/wire/github-api.ts'
import { GitHubCallError } from '../../src/wire/github-api.ts'
import {
  APP_ID,
  APP_KEYS,
  type AppPlatform,
  INSTALLED,
  PKCS1,
  PKCS8,
  startAppPlatform,
} from '../support/github-app.ts'

const REPOSITORY = { owner: 'owner', name: 'repo' }
const DISPATCH = { repository: REPOSITORY, event: 'repository_dispatch' } as const

const OTHER_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()

let platform: AppPlatform
beforeAll(async () => {
  platform = await startAppPlatform()
})
afterEach(() => platform.reset())
afterAll(() => platform.close())

/** A clock that differs from this machine's. */
function clockAt(ahead = 0): Clock {
  return {
    now: () => new Date(Date.now() + ahead),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
    random: () => 0,
  }
}

async function app(options: { pem?: string; clock?: Clock; id?: string; budget?: number } = {}) {
  const { pem = PKCS1, clock = clockAt(), id = APP_ID, budget = 8000 } = options
  const apiUrl = new URL(platform.url)
  return new App({
    id,
    key: await readAppKey(pem),
    apiUrl,
    budget,
    clock,
    call: async ({ method = 'POST', path, headers, body, timeout }) => {
      const signal = AbortSignal.timeout(timeout)
      const init = { method, headers, signal, redirect: 'manual', ...(body && { body }) } as const
      const response = await fetch(`${apiUrl.origin}${path}`, init).catch((cause) => {
        throw new GitHubCallError('no answer', { sent: true, cause })
      })
      const header = (name: string) => response.headers.get(name) ?? undefined
      return { status: response.status, header, text: await response.text() }
    },
  })
}

const asked = () => platform.calls.map(({ method, url }) => `${method} ${url}`)
const MINT = 'POST /app/installations/7/access_tokens'
const LOOK = 'GET /repos/owner/repo/installation'

describe('the key', () => {
  test.each([
    ['PKCS#1, as GitHub hands it out', PKCS1],
    ['PKCS#8', PKCS8],
    ['with line ends written as \\n', PKCS1.replaceAll('\n', '\\n')],
    ['with line ends of Windows', PKCS1.replaceAll('\n', '\r\n')],
    ['in quotes, as some files of variables keep them', `"${PKCS1.replaceAll('\n', '\\n')}"`],
  ])('%s is accepted', async (_, pem) => {
    expect((await (await app({ pem })).token(DISPATCH)).reveal()).toMatch(/^ghs_/)
  })

  test.each([
    ['nothing', ''],
    ['a public key', APP_KEYS.publicKey.export({ type: 'spki', format: 'pem' }).toString()],
    ['half of it', PKCS1.slice(0, 400)],
    ['not base64', '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----'],
    ['another label around it', PKCS1.replaceAll('RSA PRIVATE', 'PRIVATE')],
  ])('%s is refused', async (_, pem) => {
    await expect(readAppKey(pem)).rejects.toThrow()
  })
})

describe('the calls', () => {
  test('a cold start costs two, what follows none', async () => {
    const made = await app()
    const first = await made.token(DISPATCH)
    expect(await made.token(DISPATCH)).toBe(first)
    expect(asked()).toEqual([LOOK, MINT])
  })

  test('50 concurrent requests create one token', async () => {
    const made = await app()
    const tokens = await Promise.all(Array.from({ length: 50 }, () => made.token(DISPATCH)))
    expect(new Set(tokens).size).toBe(1)
    expect(asked()).toEqual([LOOK, MINT])
  })

  test.each([
    ['repository_dispatch', { contents: 'write' }],
    ['workflow_dispatch', { actions: 'write' }],
    ['run_lookup', { actions: 'read' }],
  ] as const)('%s asks for one repository and %j', async (event, permissions) => {
    platform.installations = [
      { ...INSTALLED, permissions: { contents: 'write', actions: 'write' } },
    ]
    await (await app()).token({ repository: REPOSITORY, event })
    expect(platform.calls[1]?.body).toEqual({ repositories: ['repo'], permissions })
  })

  test('each repository, and each event, has a token of its own', async () => {
    platform.installations = [
      { ...INSTALLED, permissions: { contents: 'write', actions: 'write' } },
    ]
    const made = await app()
    const other = {
      repository: { owner: 'owner', name: 'other' },
      event: 'repository_dispatch',
    } as const
    const direct = { repository: REPOSITORY, event: 'workflow_dispatch' } as const
    const tokens = await Promise.all([DISPATCH, other, direct].map((wanted) => made.token(wanted)))
    expect(new Set(tokens.map((token) => token.reveal())).size).toBe(3)
    expect(await made.token({ ...DISPATCH, repository: { owner: 'OWNER', name: 'Repo' } })).toBe(
      tokens[0],
    )
  })

  test('one that GitHub called 401 is minted again, the installation still known', async () => {
    const made = await app()
    const refused = await made.token(DISPATCH)
    const again = await made.token({ ...DISPATCH, refused })
    expect(again.reveal()).not.toBe(refused.reveal())
    expect(asked()).toEqual([LOOK, MINT, MINT])
    // Another caller reported the same rejected token meanwhile.
    expect(await made.token({ ...DISPATCH, refused })).toBe(again)
  })

  test.each([
    [54, 2],
    [56, 3],
    [61, 4],
  ])('after %i minutes it has cost %i calls', async (minutes, calls) => {
    let ahead = 0
    const made = await app({ clock: { ...clockAt(), now: () => new Date(Date.now() + ahead) } })
    await made.token(DISPATCH)
    ahead = minutes * 60_000
    platform.skew = ahead
    await made.token(DISPATCH)
    expect(platform.calls).toHaveLength(calls)
  })

  test('installed anew: the old number is 404, and looked up once more', async () => {
    const made = await app()
    const refused = await made.token(DISPATCH)
    platform.installations = [{ ...INSTALLED, id: 8 }]
    await made.token({ ...DISPATCH, refused })
    expect(asked()).toEqual([LOOK, MINT, MINT, LOOK, 'POST /app/installations/8/access_tokens'])
  })

  test('a failure is not remembered', async () => {
    const made = await app()
    platform.next.push({ status: 503 })
    await expect(made.token(DISPATCH)).rejects.toMatchObject({ code: 'github_unavailable' })
    await made.token(DISPATCH)
    expect(asked()).toEqual([LOOK, LOOK, MINT])
  })

  test('more than 50 concurrent repositories: 503, and a retry after a second', async () => {
    const names = Array.from({ length: 51 }, (_, at) => `r${at}`)
    platform.installations = [{ ...INSTALLED, repositories: names }]
    platform.delay = 20
    // Long enough for a busy machine, so that the time limit does not end the other calls.
    const made = await app({ budget: 50_000 })
    const all = await Promise.allSettled(
      names.map((name) => made.token({ ...DISPATCH, repository: { owner: 'owner', name } })),
    )
    const refused = all.filter(({ status }) => status === 'rejected')
    expect(refused).toMatchObject([{ reason: { status: 503, code: 'overloaded', retryAfter: 1 } }])
  })

  test('no request waits for a call that ended without a response', async () => {
    const made = new App({
      id: APP_ID,
      key: await readAppKey(PKCS1),
      apiUrl: new URL(platform.url),
      budget: 50,
      clock: clockAt(),
      call: () => new Promise(() => {}),
    })
    void made.token(DISPATCH)
    await expect(made.token(DISPATCH)).rejects.toMatchObject({ code: 'github_unavailable' })
  })
})

describe('a renamed repository', () => {
  const old = { ...DISPATCH, repository: { owner: 'owner', name: 'old' } }
  const target = { id: 99, fullName: 'owner/repo' }

  test('is minted for by its number, to which GitHub redirects', async () => {
    platform.renamed.set('owner/old', target)
    await (await app()).token(old)
    expect(platform.calls.at(-1)?.body).toMatchObject({ repository_ids: [99] })
  })

  test('is minted for by its name if GitHub redirects to it', async () => {
    const made = await app()
    const found = { status: 200, body: { id: 7 } }
    platform.next.push(
      { status: 301, headers: { location: `${platform.url}/repos/owner/repo/installation` } },
      found,
    )
    await made.token(old)
    expect(platform.calls.at(-1)).toMatchObject({ status: 201, body: { repositories: ['repo'] } })
  })

  test('when it was renamed since it was looked up', async () => {
    const made = await app()
    const refused = await made.token(DISPATCH)
    platform.installations = [{ ...INSTALLED, repositories: ['new'] }]
    platform.renamed.set('owner/repo', { id: 99, fullName: 'owner/new' })
    await made.token({ ...DISPATCH, refused })
    expect(platform.calls.at(-1)).toMatchObject({ status: 201, body: { repository_ids: [99] } })
  })

  test.each([
    'https://evil.test/repositories/1/installation',
    '/user',
    '',
    'http://[',
    '//x/repositories/1/installation',
  ])('a redirect to %j is not followed', async (location) => {
    platform.next.push({ status: 301, headers: { location } })
    await expect((await app()).token(old)).rejects.toMatchObject({ code: 'github_unavailable' })
    expect(platform.calls).toHaveLength(1)
  })
})

describe('rejected by GitHub', () => {
  const refusal = async (
    made: App,
    event: 'repository_dispatch' | 'workflow_dispatch' = 'repository_dispatch',
  ) => {
    return made.token({ ...DISPATCH, event }).then(
      () => undefined,
      (error) => error,
    )
  }

  test('not installed: where to install it, asked for once', async () => {
    platform.installations = []
    const made = await app()
    const error = await refusal(made)
    expect(error).toMatchObject({ status: 403, code: 'app_not_installed' })
    expect(error.hint).toContain(`${platform.url}/apps/hooks/installations/new`)
    expect(error.hint).toContain('public')
    await refusal(made)
    expect(asked()).toEqual([LOOK, 'GET /app', LOOK])
  })

  test('installed, but not for this repository any more', async () => {
    const made = await app()
    const refused = await made.token(DISPATCH)
    platform.installations = [{ ...INSTALLED, repositories: ['other'] }]
    await expect(made.token({ ...DISPATCH, refused })).rejects.toMatchObject({
      code: 'app_not_installed',
    })
  })

  test('suspended, found by looking it up', async () => {
    platform.installations = [{ ...INSTALLED, suspended: true }]
    const error = await refusal(await app())
    expect(error).toMatchObject({ status: 403, code: 'app_not_installed' })
    expect(error.message).toContain('suspended')
    expect(error.hint).toContain(`${platform.url}/settings/installations/7`)
  })

  test('suspended since it was looked up', async () => {
    const made = await app()
    const refused = await made.token(DISPATCH)
    platform.installations = [{ ...INSTALLED, suspended: true }]
    await expect(made.token({ ...DISPATCH, refused })).rejects.toThrow('suspended')
  })

  test('a permission missing', async () => {
    const error = await refusal(await app(), 'workflow_dispatch')
    expect(error).toMatchObject({ status: 403, code: 'app_permission_missing' })
    expect(error.hint).toContain('actions: write')
    expect(asked()).toEqual([LOOK, MINT])
  })

  test.each([
    [3600, '3600 seconds ahead of'],
    [-3600, '3600 seconds behind'],
  ])('the clock off by %i seconds', async (seconds, told) => {
    const error = await refusal(await app({ clock: clockAt(seconds * 1000) }))
    expect(error).toMatchObject({ status: 502, code: 'app_clock_skew' })
    // The header tells whole seconds.
    expect(
      error.hint.replace(/\d+/, (digits: string) => Math.round(Number(digits) / 10) * 10),
    ).toContain(told)
  })

  test.each([
    ['of another App', { id: '1' }],
    ['of nobody', { pem: OTHER_KEY }],
  ])('a key %s', async (_, options) => {
    expect(await refusal(await app(options))).toMatchObject({
      status: 502,
      code: 'app_key_rejected',
    })
  })

  test('a rate limit is one', async () => {
    platform.next.push({ status: 403, headers: { 'retry-after': '7' } })
    expect(await refusal(await app())).toMatchObject({ status: 429, retryAfter: 7 })
  })

  test.each([
    ['no answer', undefined],
    ['an answer without a token', { status: 201, body: {} }],
    ['a token that no header can carry', { status: 201, body: { token: 'a\nb', expires_at: '' } }],
    ['500', { status: 500 }],
  ])('%s: GitHub is not available', async (_, reply) => {
    const made = await app({ budget: 300 })
    if (reply) platform.next.push({ status: 200, body: { id: 7 } }, reply)
    else platform.delay = 2000
    expect(await refusal(made)).toMatchObject({ status: 502, code: 'github_unavailable' })
  })
})
