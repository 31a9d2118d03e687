import { expect, test } from '@jest/globals'
import { accessCheck } from '../../../src/relay/admin/endpoints.ts'
import type { EndpointSettings } from '../../../src/relay/store/endpoint-settings.ts'
import type { GitHubCall } from '../../../src/wire/github-api.ts'
import { Secret } from '../../../src/wire/secret.ts'

const TOKEN = new Secret(`ghp_${'t'.repeat(36)}`)
const OWN = new Secret(`ghs_${'o'.repeat(36)}`)
const SETTINGS: EndpointSettings = {
  repository: 'octo/shop',
  workflow: 'orders',
  trigger: 'webhook',
  dispatch: 'repository',
  respond: 'github',
}

/** Asks a stand-in for GitHub. @returns the calls, and the error */
async function check(settings: Partial<EndpointSettings>, status: number, body: object = {}) {
  const calls: string[] = []
  const call: GitHubCall = async ({ method, path, headers }) => {
    calls.push(`${method} ${path} ${headers.authorization}`)
    return { status, header: () => undefined, text: JSON.stringify(body) }
  }
  const clock = { now: () => new Date(0), sleep: async () => {}, random: () => 0 }
  const options = { call, apiUrl: new URL('https://api.example.com'), budget: 0, clock }
  const ask = accessCheck(options, { token: async () => OWN })
  const refused = await ask({ ...SETTINGS, ...settings }).then(
    () => '',
    ({ status, code }) => `${status} ${code}`,
  )
  return { calls, refused }
}

test.each([
  [200, { permissions: { push: true } }, ''],
  [200, {}, ''],
  [200, { permissions: { push: false, pull: true } }, '403 repository_not_accessible'],
  [401, {}, '401 invalid_token'],
  [403, {}, '403 repository_not_accessible'],
  [404, {}, '403 repository_not_accessible'],
  [429, {}, '429 rate_limited'],
  [302, {}, '502 github_unavailable'],
  [500, {}, '502 github_unavailable'],
])('a token for which GitHub responds %d %j: %j', async (status, body, refused) => {
  expect(await check({ token: TOKEN }, status, body)).toEqual({
    calls: [`GET /repos/octo/shop Bearer ${TOKEN.reveal()}`],
    refused,
  })
})

test("the relay's own credential is asked for each repository once, whatever its permissions", async () => {
  const target = { workflow: 'x', trigger: 'y' }
  const targets = ['octo/a', 'octo/shop'].map((repository) => ({ ...target, repository }))
  expect(await check({ targets }, 200, { permissions: { push: false } })).toEqual({
    calls: ['octo/shop', 'octo/a'].map((name) => `GET /repos/${name} Bearer ${OWN.reveal()}`),
    refused: '',
  })
  expect((await check({ targets }, 404)).refused).toBe('403 repository_not_accessible')
})
