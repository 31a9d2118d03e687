import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ENDPOINT_RUNTIMES } from '../support/endpoint-relays.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import {
  HAS_CADDY,
  HAS_NGINX,
  type RunningProxy,
  startCaddy,
  startComposedCaddy,
  startNginx,
} from '../support/proxies.ts'
import { send } from '../support/raw-http.ts'
import { ADMIN_BEARER } from '../support/relay-keys.ts'
import type { RelayUnderTest } from '../support/relays.ts'

/** The bearer is right in every request: only the address decides. */
const AS_ADMIN: [string, string][] = [['Authorization', `Bearer ${ADMIN_BEARER}`]]

const RESOURCES = ['/status', '/endpoints', '/metrics', '/backup', '/', '']

/** Ways to write `/-admin` that a proxy or a relay could read as the same path. */
const SPELLINGS = [
  ...['/-admin', '//-admin', '///-admin', '/./-admin', '/x/../-admin', '/x/%2e%2e/-admin'],
  ...['/%2e/-admin', '/%2Dadmin', '/%2dadmin', '/-%61dmin', '/-adm%69n', '/%2D%61%64%6d%69%6e'],
  ...['/-ADMIN', '/-Admin', '/-admiN', '/%2DADMIN', '/-%41dmin', '//-ADMIN', '/-admın'],
  ...['/-admin;x', '/;/-admin', '/-admin;a=b', '/x;/../-admin', '/-admin%3b', '/;x=y/-admin'],
  ...['/-admin%2f', '/%2f-admin', '/%2F/-admin', '/-admin%5c', '/\\-admin', '/x\\..\\-admin'],
  ...['/-admin%00', '/-admin%20', '/%00/-admin', '/-admin%09', '/%252Dadmin', '/%252e/-admin'],
  ...['/-admin.', '/-admin/.', '/-admin/..//-admin', '/-admin/x/..', '/-admin//', '/-admin/./'],
  ...['/?/-admin', '/#/-admin', '/-admin?', '/-admin#', 'http://relay.test/-admin'],
  ...['http://relay.test//-admin', 'HTTP://relay.test/-admin', 'http:///-admin', 'https:///-admin'],
  ...['http://relay.test/%2Dadmin', 'http://relay.test?/-admin', '-admin', '/ｰadmin', '/−admin'],
]

const TARGETS = SPELLINGS.flatMap((spelling) => RESOURCES.map((resource) => spelling + resource))

/** A refused connection counts as an empty response. */
async function bodyOf(url: string, target: string, method = 'GET'): Promise<string> {
  const headers = AS_ADMIN
  const sent = send(url, { method, target: Buffer.from(target).toString('latin1'), headers })
  return (await sent.catch(() => ({ body: '' }))).body
}

/** Words that are only in responses of the admin API. */
const OF_ADMIN = /"uptimeSeconds"|"imbalance"|"endpoints":|hookline_|"invalid_key"|-admin|admin API/

/** The targets that the admin API answers at this address. */
async function reachingAdmin(url: string): Promise<string[]> {
  const reached = new Set<string>()
  for (const target of TARGETS) {
    for (const method of ['GET', 'POST']) {
      if (OF_ADMIN.test(await bodyOf(url, target, method))) reached.add(target)
    }
  }
  return [...reached]
}

let github: GitHub
let relay: RelayUnderTest
beforeAll(async () => {
  const [[, start] = []] = ENDPOINT_RUNTIMES
  if (!start) throw new Error('there is no runtime')
  github = await startGitHub()
  relay = await start({ env: { HOOKLINE_API_URL: github.url } })
})
afterAll(async () => {
  await relay.close()
  await github.close()
})

test('without a proxy, the admin API is at /-admin/, and at no other spelling', async () => {
  const reached = await reachingAdmin(relay.url)
  expect(reached).toEqual(expect.arrayContaining(['/-admin/endpoints', '//-admin/status']))
  expect(reached.length).toBeGreaterThan(30)
  for (const path of [
    '/-ADMIN',
    '/-Admin',
    '/%2Dadmin',
    '/-admin;x',
    '/-admin%2f',
    '/x/../-admin',
  ]) {
    for (const resource of RESOURCES) {
      expect(await bodyOf(relay.url, path + resource)).not.toMatch(OF_ADMIN)
    }
  }
})

describe.each([
  ["nginx with the page's block", HAS_NGINX, startNginx],
  ["Caddy with the page's block", HAS_CADDY, startCaddy],
  ['Caddy with deploy/Caddyfile', HAS_CADDY, startComposedCaddy],
] as const)('%s', (_, isInstalled, start) => {
  if (!isInstalled) {
    test.skip('is not installed', () => {})
    return
  }
  let proxy: RunningProxy
  beforeAll(async () => {
    proxy = await start(relay.url)
  })
  afterAll(() => proxy.close())

  test(`none of ${TARGETS.length} spellings reaches the admin API`, async () => {
    expect(await reachingAdmin(proxy.url)).toEqual([])
  })

  test('other addresses are forwarded', async () => {
    expect(await bodyOf(proxy.url, '/healthz')).toContain('ok')
    expect(await bodyOf(proxy.url, '/-administration/r/hook/webhook')).toContain('"error"')
    expect(await bodyOf(proxy.url, '/-/octo/0123456789012345678901')).toContain('"error"')
  })
})
