import { beforeAll, describe, expect, test } from '@jest/globals'
import { App, readAppKey } from '../../../src/relay/github/github-app.ts'
import type { GitHubCallRequest, GitHubResponse } from '../../../src/wire/github-api.ts'
import { APP_ID, PKCS1 } from '../../support/github-app.ts'
import { until } from '../../support/until.ts'

const NOW = Date.UTC(2026, 0, 1)
const MINUTE = 60_000

let key: Awaited<ReturnType<typeof readAppKey>>
beforeAll(async () => {
  key = await readAppKey(PKCS1)
})

interface Answer {
  readonly status: number
  readonly body?: object | string
  readonly headers?: Readonly<Record<string, string>>
}

/** An App whose GitHub responds in this order; without a response, a call stays open. */
function appTo(...answers: Answer[]) {
  let now = NOW
  const requests: GitHubCallRequest[] = []
  const call = async (request: GitHubCallRequest): Promise<GitHubResponse> => {
    requests.push(request)
    const next = answers.shift()
    if (!next) return new Promise(() => {})
    const { status, body = {}, headers = {} } = next
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return { status, header: (name) => headers[name], text }
  }
  const clock = {
    now: () => new Date(now),
    sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.min(ms, 20))),
    random: () => 0,
  }
  const app = new App({
    ...{ id: APP_ID, key, call, apiUrl: new URL('https://api.test'), budget: 4000, clock },
  })
  const token = (
    name = 'repo',
    event: 'repository_dispatch' | 'run_lookup' = 'repository_dispatch',
  ) => app.token({ repository: { owner: 'Owner', name }, event })
  const refusal = async (event?: 'run_lookup') => {
    const error = await token('repo', event).then(
      () => new Error('accepted'),
      (thrown) => thrown,
    )
    const { code, message, hint } = error
    return { code, message, hint }
  }
  return { app, token, refusal, requests, answers, advance: (ms: number) => (now += ms) }
}

const FOUND: Answer = { status: 200, body: { id: 7, html_url: 'https://github.test/settings/7' } }
const BARE: Answer = { status: 200, body: { id: 7 } }
const NOT_FOUND: Answer = { status: 404, body: { message: 'Not Found' } }
const NOT_GRANTED: Answer = {
  status: 422,
  body: { message: 'The permissions requested are not granted to this installation.' },
}
const SUSPENDED: Answer = { status: 403, body: { message: 'This installation has been suspended' } }
const minted = (more: object = {}): Answer => ({
  status: 201,
  body: { token: 'ghs_1', expires_at: new Date(NOW + 60 * MINUTE).toISOString(), ...more },
})

const UNAVAILABLE = {
  code: 'github_unavailable',
  message: 'GitHub did not accept the event',
  hint: 'Send the request again later.',
}
const NOT_INSTALLED = {
  code: 'app_not_installed',
  message: "the relay's GitHub App is not installed on Owner/repo",
}
const installAt = (place: string) =>
  `Install it at ${place}. Its owner must make the App public before another account can install it.`
const STOPPED = {
  code: 'app_not_installed',
  message: "the installation of the relay's GitHub App is suspended",
}
const permission = (wanted: string, access: string, place: string) => ({
  code: 'app_permission_missing',
  message: `the relay's GitHub App has no permission to ${access} in the repository`,
  hint: `Add the permission "${wanted}" in the settings of the App, then accept it at ${place}.`,
})
const REJECTED = {
  code: 'app_key_rejected',
  message: "GitHub does not accept the key of the relay's GitHub App",
  hint: 'Check HOOKLINE_APP_ID, and that HOOKLINE_APP_KEY is an existing key of this App.',
}
const LIMITED = {
  code: 'rate_limited',
  message: "GitHub's rate limit is exceeded",
  hint: 'Send the request again in 7 seconds.',
}
const skewed = (seconds: number, side: string) => ({
  code: 'app_clock_skew',
  message: "the relay's clock differs from GitHub's by more than a minute",
  hint: `Synchronize the clock with NTP: it is ${seconds} seconds ${side} GitHub's clock.`,
})
const unauthorized = (ahead: number): Answer => ({
  status: 401,
  headers: { date: new Date(NOW - ahead).toUTCString() },
})

test.each<[name: string, answers: Answer[], error: object, event?: 'run_lookup']>([
  [
    'not installed, and its own page is known',
    [NOT_FOUND, { status: 200, body: { html_url: 'https://github.test/apps/hooks' } }],
    { ...NOT_INSTALLED, hint: installAt('https://github.test/apps/hooks/installations/new') },
  ],
  [
    'not installed, and its own page has no address',
    [NOT_FOUND, { status: 200, body: { html_url: 7 } }],
    { ...NOT_INSTALLED, hint: installAt('its page on GitHub') },
  ],
  [
    'not installed, and its own page is refused',
    [NOT_FOUND, { status: 404, body: { html_url: 'https://github.test/apps/hooks' } }],
    { ...NOT_INSTALLED, hint: installAt('its page on GitHub') },
  ],
  ...[404, 422].map((status): [string, Answer[], object] => [
    `refused with ${status}`,
    [FOUND, { status, body: { message: 'no' } }, NOT_FOUND],
    { ...NOT_INSTALLED, hint: installAt('its page on GitHub') },
  ]),
  [
    'suspended when it is looked up',
    [{ status: 200, body: { id: 7, html_url: 'https://x', suspended_at: '2026-01-01' } }],
    { ...STOPPED, hint: 'Unsuspend the installation at https://x.' },
  ],
  [
    'suspended, with an address that is no text',
    [{ status: 200, body: { id: 7, html_url: 7, suspended_at: '2026-01-01' } }],
    { ...STOPPED, hint: 'Unsuspend the installation at its settings.' },
  ],
  [
    'suspended when it mints',
    [FOUND, SUSPENDED],
    { ...STOPPED, hint: 'Unsuspend the installation at https://github.test/settings/7.' },
  ],
  ['forbidden', [FOUND, { status: 403, body: { message: 'no' } }], UNAVAILABLE],
  [
    'suspended by another status',
    [FOUND, { status: 410, body: { message: 'suspended' } }],
    UNAVAILABLE,
  ],
  [
    'without a permission',
    [FOUND, NOT_GRANTED],
    permission('contents: write', 'write contents', 'https://github.test/settings/7'),
  ],
  [
    'without a permission to read',
    [BARE, NOT_GRANTED],
    permission('actions: read', 'read actions', 'its settings'),
    'run_lookup',
  ],
  [
    'without a permission, by another status',
    [FOUND, { ...NOT_GRANTED, status: 404 }, NOT_FOUND],
    { ...NOT_INSTALLED, hint: installAt('its page on GitHub') },
  ],
  ['without a number', [{ status: 200, body: { id: '7' } }], UNAVAILABLE],
  ['unknown by its key', [{ status: 401 }], REJECTED],
  ['unknown, with a clock a minute ahead', [unauthorized(MINUTE)], REJECTED],
  ['unknown, with a clock a minute behind', [unauthorized(-MINUTE)], REJECTED],
  ['ahead', [unauthorized(61_000)], skewed(61, 'ahead of')],
  ['behind', [unauthorized(-61_000)], skewed(61, 'behind')],
  ['unknown when it mints', [FOUND, unauthorized(120_000)], skewed(120, 'ahead of')],
  ['limited when it is looked up', [{ status: 429, headers: { 'retry-after': '7' } }], LIMITED],
  ['limited when it mints', [FOUND, { status: 429, headers: { 'retry-after': '7' } }], LIMITED],
  ['of a server that fails', [{ status: 500 }], UNAVAILABLE],
  ['whose token is empty', [FOUND, minted({ token: '' })], UNAVAILABLE],
  ['whose token has a line break', [FOUND, minted({ token: 'a\nb' })], UNAVAILABLE],
  ['whose token has a space at its end', [FOUND, minted({ token: 'a ' })], UNAVAILABLE],
  ['whose token has a space at its beginning', [FOUND, minted({ token: ' a' })], UNAVAILABLE],
  ['whose token is a number', [FOUND, minted({ token: 7 })], UNAVAILABLE],
])('an App %s', async (_name, answers, error, ...[event]) => {
  const { refusal, answers: left } = appTo(...answers)
  expect(await refusal(event)).toEqual(error)
  expect(left).toEqual([])
})

describe('an App', () => {
  test('asks with a web token that is valid from a minute ago for ten minutes', async () => {
    const { token, requests } = appTo(BARE, minted())
    expect((await token()).reveal()).toBe('ghs_1')
    const [look, mint] = requests
    expect([look?.reads, mint?.reads]).toEqual([true, true])
    expect([look?.method, look?.path, mint?.method, mint?.path]).toEqual([
      'GET',
      '/repos/Owner/repo/installation',
      undefined,
      '/app/installations/7/access_tokens',
    ])
    expect(JSON.parse(mint?.body ?? '')).toEqual({
      repositories: ['repo'],
      permissions: { contents: 'write' },
    })
    const jwt = look?.headers.authorization?.replace('Bearer ', '') ?? ''
    const [header, claims] = jwt
      .split('.', 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
    expect(header).toEqual({ alg: 'RS256', typ: 'JWT' })
    const seconds = NOW / 1000
    expect(claims).toEqual({ iss: APP_ID, iat: seconds - 60, exp: seconds + 540 })
  })

  test('uses a token until 5 minutes before its end, and an installation for an hour', async () => {
    const last = minted({ token: 'ghs_2', expires_at: new Date(NOW + 90 * MINUTE).toISOString() })
    const { token, requests, advance } = appTo(BARE, minted(), last, BARE, minted())
    await token()
    advance(55 * MINUTE - 1)
    expect((await token()).reveal()).toBe('ghs_1')
    advance(1)
    expect((await token()).reveal()).toBe('ghs_2')
    expect(requests).toHaveLength(3)
    advance(5 * MINUTE)
    await token('repo', 'run_lookup')
    expect(requests).toHaveLength(5)
  })

  test('requests each token again if GitHub does not name its end', async () => {
    const { token, requests } = appTo(BARE, minted({ expires_at: undefined }), minted())
    await token()
    await token()
    expect(requests).toHaveLength(3)
  })

  test('looks the repository up again if it may have moved since, but not for a permission', async () => {
    const { app, requests } = appTo(BARE, minted(), NOT_GRANTED, BARE, NOT_FOUND, NOT_FOUND)
    const wanted = {
      repository: { owner: 'Owner', name: 'repo' },
      event: 'repository_dispatch',
    } as const
    const refused = await app.token(wanted)
    const again = () => app.token({ ...wanted, refused }).catch(({ code }) => code)
    expect(await again()).toBe('app_permission_missing')
    expect(requests).toHaveLength(3)
    // The refusal has forgotten the installation.
    expect(await again()).toBe('app_not_installed')
    expect(requests).toHaveLength(6)
  })

  test('has room for others when 50 calls that never ended are over', async () => {
    const { app, advance, answers, requests } = appTo()
    const tokenOf = (name: string) =>
      app.token({ repository: { owner: 'o', name }, event: 'repository_dispatch' })
    for (let n = 0; n < 50; n++) void tokenOf(`r${n}`)
    await until(() => requests.length === 50)
    await expect(tokenOf('x')).rejects.toMatchObject({ code: 'overloaded' })
    advance(4000)
    await expect(tokenOf('x')).rejects.toMatchObject({ code: 'overloaded' })
    advance(1)
    answers.push(BARE, minted())
    expect((await tokenOf('x')).reveal()).toBe('ghs_1')
  })

  test('does not let a second request wait beyond the time of the first', async () => {
    const { token, advance, answers, requests } = appTo()
    void token()
    await until(() => requests.length === 1)
    const second = token().catch(({ code }) => code)
    advance(4000)
    expect(await second).toBe('github_unavailable')
    answers.push(BARE, minted())
    expect((await token()).reveal()).toBe('ghs_1')
    expect(requests).toHaveLength(3)
  })
})

const ONE_LINE = PKCS1.replaceAll('\n', '')

test.each([
  ['with text around it', `x\n${PKCS1}y`, true],
  ['in one line', ONE_LINE, true],
  ['without its end', PKCS1.replace(/-----END.*/, ''), false],
  ['of another kind', PKCS1.replaceAll('RSA', 'EC'), false],
  ['with other characters', PKCS1.replace('\n', '\n*'), false],
])('a key %s: accepted %p', async (_name, text, isAccepted) => {
  const read = readAppKey(text).then(
    () => true,
    () => false,
  )
  expect(await read).toBe(isAccepted)
})
