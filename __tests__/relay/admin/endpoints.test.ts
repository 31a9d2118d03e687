import { describe, expect, test } from '@jest/globals'
import { type AccessRules, managerOf, readCaller } from '../../../src/relay/admin/access.ts'
import { type EndpointPorts, respondToEndpoints } from '../../../src/relay/admin/endpoints.ts'
import { RelayError } from '../../../src/relay/errors.ts'
import { Encryption } from '../../../src/relay/store/encryption.ts'
import { EndpointLookup } from '../../../src/relay/store/endpoint-lookup.ts'
import { type EndpointStores, EndpointTable } from '../../../src/relay/store/endpoint-table.ts'
import { newRelayKey, readRelayKeys } from '../../../src/relay/store/relay-key.ts'
import { targetPath } from '../../../src/relay/webhook/url.ts'
import { endpointObjects } from '../../support/endpoint-objects.ts'
import { memoryDatabase } from '../../support/memory-database.ts'

const keys = await readRelayKeys(newRelayKey(), 'key')
const [ADMIN, READ] = [keys[0].admin.reveal(), keys[0].read.reveal()]
const MINE = `ghp_${'m'.repeat(36)}`
const THEIRS = `github_pat_${'t'.repeat(60)}`
/** GitHub does not know it. */
const INVENTED = `ghp_${'i'.repeat(36)}`
const HOOK = { repository: 'Octo/shop', workflow: 'orders', trigger: 'webhook' }

const STORES: readonly [string, () => Promise<EndpointStores>, hasAll: boolean][] = [
  ['one table', async () => new EndpointTable(await memoryDatabase()), true],
  ['one object for each owner', async () => endpointObjects().stores, false],
]

async function startApi(open: () => Promise<EndpointStores>, rules: Partial<AccessRules> = {}) {
  const encryption = new Encryption(keys)
  let now = Date.UTC(2026, 0, 1)
  const lines: string[] = []
  const endpoints = new EndpointLookup({
    stores: await open(),
    encryption,
    now: () => 0,
    date: () => new Date(now),
    report: () => {},
  })
  const ports: EndpointPorts = {
    endpoints,
    hasCredential: true,
    publicUrl: 'https://hooks.example.com/',
    loadChecks: () => import('../../../src/relay/webhook/verification.ts'),
    now: () => new Date(now++),
    checkAccess: async ({ token }) => {
      if (token?.reveal() === INVENTED) throw new RelayError('invalid_token')
    },
    deliveriesOf: () => ({
      endDeleted: async (owner, name) => {
        lines.push(`${owner}/${name} ended`)
        return 6
      },
    }),
    log: ({ endpoint, change }) => void lines.push(`${endpoint} ${change}`),
  }
  const access = { keys, encryption, allowsTokens: true, ...rules }
  const call = async (bearer: string, method: string, path = '', body?: unknown) => {
    const target = `/-admin/endpoints${path}`
    try {
      const caller = managerOf(await readCaller(['Authorization', `Bearer ${bearer}`], access))
      const text = typeof body === 'string' ? body : JSON.stringify(body ?? null)
      const readBody = async () => new TextEncoder().encode(text)
      const request = { method, target, headers: [], readBody }
      const reply = await respondToEndpoints(request, targetPath(target), caller, ports)
      if (!reply) return { status: 404, code: 'not_found', body: undefined, text: '' }
      expect(Object.keys(reply.headers)).toEqual(['content-type'])
      return {
        status: reply.status,
        body: flat(JSON.parse(reply.body)),
        code: '',
        text: reply.body,
      }
    } catch (error) {
      if (!(error instanceof RelayError)) throw error
      const { status, code, hint } = error
      return { status, code, body: undefined, text: `${error.message} ${hint}` }
    }
  }
  const create = async (name: string, more: object = {}, bearer = ADMIN) => {
    const reply = await call(bearer, 'POST', '', { ...HOOK, name, ...more })
    expect([reply.status, reply.text]).toEqual([201, expect.stringContaining(name)])
    return reply.body
  }
  const find = (path: string) => {
    const [, , owner = '', id = ''] = path.split('/')
    return endpoints.find({ owner, id }).then(
      ({ name }) => name,
      ({ status }) => status,
    )
  }
  return { call, create, find, lines, endpoints }
}

/** The endpoint of a response, with its URL and the path of the URL. */
function flat({ endpoint, url, ...others }: { endpoint?: object; url?: string }) {
  const path = url && { url, path: new URL(url).pathname }
  // As a response, whose fields the tests read.
  return JSON.parse(JSON.stringify({ ...others, ...endpoint, ...path }))
}

describe.each(STORES)('the endpoints of the admin API in %s', (_, open, hasAll) => {
  test('create, list, show, update, rotate, delete', async () => {
    const { call, create, find, lines } = await startApi(open)
    const created = await create('orders', { if: 'body.a', verify: [STRIPE], token: MINE })
    expect(created).toMatchObject({
      ...{ owner: 'octo', name: 'orders', repository: 'Octo/shop', dispatch: 'repository' },
      ...{ respond: 'github', if: 'body.a', verify: ['stripe'], credential: 'token' },
      url: `https://hooks.example.com${created.path}`,
    })
    expect(created.path).toMatch(/^\/-\/octo\/[\w-]{22}$/)
    expect(await find(created.path)).toBe('orders')
    const shown = await call(ADMIN, 'GET', '/octo/orders')
    expect(shown.body).toMatchObject({ name: 'orders', firstEvent: null })
    const listed = await call(ADMIN, 'GET', '?owner=Octo')
    expect(listed.body).toEqual({ endpoints: [shown.body] })
    for (const { text } of [shown, listed]) {
      for (const secret of [created.path, MINE, 'whsec']) expect(text).not.toContain(secret)
    }
    const withUrl = await call(ADMIN, 'GET', '/octo/orders?url=true')
    expect(withUrl.body).toMatchObject({ path: created.path, url: created.url })
    const updated = await call(ADMIN, 'PATCH', '/octo/orders', { if: null, batch: 60 })
    expect([updated.status, updated.body.batch]).toEqual([200, 60])
    expect(updated.body).not.toHaveProperty('if')
    expect(updated.body).not.toHaveProperty('path')
    expect(updated.body).toMatchObject({ verify: ['stripe'], credential: 'token' })
    const own = await call(ADMIN, 'PATCH', '/octo/orders', { credential: 'relay' })
    expect(own.body.credential).toBe('relay')
    const rotated = await call(ADMIN, 'POST', '/octo/orders/rotate')
    expect([await find(created.path), await find(rotated.body.path)]).toEqual([401, 'orders'])
    const gone = await call(ADMIN, 'DELETE', '/octo/orders')
    expect(gone.body).toEqual({ deleted: true, deadLetters: 6 })
    expect(await find(rotated.body.path)).toBe(401)
    expect((await call(ADMIN, 'GET', '/octo/orders')).status).toBe(404)
    expect(lines).toEqual([
      // An earlier endpoint of the name may have left deliveries.
      'octo/orders ended',
      ...['octo/orders created', 'octo/orders updated', 'octo/orders updated'],
      ...['octo/orders rotated', 'octo/orders deleted', 'octo/orders ended'],
    ])
  })

  test('a list without owner has all owners, where one table has them', async () => {
    const { call, create } = await startApi(open)
    await create('a')
    await create('b', { repository: 'acme/x' })
    const { status, code, body } = await call(ADMIN, 'GET')
    if (!hasAll) expect([status, code]).toEqual([400, 'invalid_query'])
    else expect(body.endpoints.map(({ name }: { name: string }) => name)).toEqual(['b', 'a'])
  })

  test('a caller with a GitHub token has exactly the endpoints that store it', async () => {
    const { call, create, find } = await startApi(open)
    await create('admins')
    await create('by-admin', { token: MINE })
    await create('theirs', {}, THEIRS)
    const mine = await create('mine', {}, MINE)
    expect(mine.credential).toBe('token')
    const listed = await call(MINE, 'GET', '?owner=octo')
    const names = listed.body.endpoints.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['by-admin', 'mine'])
    expect((await call(MINE, 'PATCH', '/octo/mine', { batch: 5 })).body.batch).toBe(5)
    const { body: rotated } = await call(MINE, 'POST', '/octo/mine/rotate')
    expect([await find(mine.path), await find(rotated.path)]).toEqual([401, 'mine'])
    const fresh = `ghp_${'f'.repeat(36)}`
    expect((await call(MINE, 'PATCH', '/octo/mine', { token: fresh })).status).toBe(200)
    expect((await call(MINE, 'GET', '/octo/mine')).status).toBe(404)
    expect((await call(fresh, 'DELETE', '/octo/mine')).status).toBe(200)
  })

  describe('attacks', () => {
    const OTHER = `ghp_${'m'.repeat(35)}n`
    const bearers: readonly [string, string, string?][] = [
      ['no bearer', ''],
      ['a guess', 'x'.repeat(58)],
      ['the read bearer', READ, '403'],
      ['the read bearer as the admin bearer', READ.replace('read', 'admin'), '401'],
      ['a cut admin bearer', ADMIN.slice(0, -1), '401'],
      ['the admin bearer in upper case', ADMIN.toUpperCase()],
      ['the admin bearer with more', `${ADMIN}x`, '401'],
      ['the relay key itself', newRelayKey().reveal()],
      ['a foreign token', THEIRS],
      ['a token with another last character', OTHER],
      ['a cut token', MINE.slice(0, -1)],
      ['the token in upper case', MINE.toUpperCase()],
      ['an invented token', INVENTED],
      ['a token that ends by itself', `ghs_${'a'.repeat(36)}`],
      ['a user token that ends by itself', `ghu_${'a'.repeat(36)}`],
      ['a short token', 'ghp_12345', '401'],
      ['a token of 5,000 characters', `ghp_${'a'.repeat(5000)}`, '401'],
      ['a token with a wildcard', '%'.repeat(40)],
      ['a token with quotes', `' OR 1=1 --`.replaceAll(' ', '/**/').padEnd(40, 'x')],
    ]
    const requests: readonly [string, string, unknown?][] = [
      ['GET', ''],
      ['GET', '?owner=octo'],
      ['GET', '/octo/mine'],
      ['GET', '/octo/mine?url=true'],
      ['HEAD', '/octo/mine'],
      ['PATCH', '/octo/mine', { repository: 'octo/evil' }],
      ['PATCH', '/octo/mine', { token: THEIRS }],
      ['PATCH', '/octo/admins', { credential: 'relay' }],
      ['POST', '/octo/mine/rotate'],
      ['POST', '/octo/admins/rotate'],
      ['DELETE', '/octo/mine'],
      ['DELETE', '/octo/admins'],
      ['POST', '', { ...HOOK, name: 'new', credential: 'relay' }],
      ['POST', '', { ...HOOK, name: 'new', targets: ['octo/b:x/y'] }],
      ['POST', '', { name: 'new', repository: 'octo/shop', anyWorkflow: true }],
      ['POST', '', { ...HOOK, name: 'new', token: MINE }],
      ['POST', '', { ...HOOK, name: 'mine' }],
      ['POST', '', 'not json'],
      ['OPTIONS', ''],
      ['PUT', '/octo/mine', {}],
    ]

    test(`${bearers.length * requests.length} requests with wrong bearers reach and change nothing`, async () => {
      const { call, create, lines } = await startApi(open)
      const { path } = await create('mine', { token: MINE })
      const { path: admins } = await create('admins')
      const before = (await call(ADMIN, 'GET', '?owner=octo')).text
      lines.length = 0
      for (const [kind, bearer, status] of bearers) {
        for (const [method, where, body] of requests) {
          const reply = await call(bearer, method, where, body)
          const what = [kind, method, where, reply.status]
          if (status !== undefined) expect(what).toEqual([kind, method, where, Number(status)])
          for (const part of [path, admins, MINE, ADMIN]) {
            expect([what, reply.text.includes(part)]).toEqual([what, false])
          }
          const isList = reply.status === 200 && JSON.stringify(reply.body) === '{"endpoints":[]}'
          expect([what, isList || reply.status >= 400]).toEqual([what, true])
        }
      }
      expect(lines).toEqual([])
      expect((await call(ADMIN, 'GET', '?owner=octo')).text).toBe(before)
    })

    test('names and owners: only the exact form is a resource', async () => {
      const { call, create } = await startApi(open)
      await create('mine')
      const paths = [
        ...['/Octo/mine', '/octo/Mine', '/octo/mine/', '/octo/mine/Rotate', '/octo/mine/x'],
        ...['/octo/..', '/octo/%6dine', '/oct%6F/mine', '/octo//mine', '/octo', '/octo/mine%00'],
        ...['/acme/mine', '/-/mine', "/octo/' OR 1=1 --", '/octo/mine;x', '/octo/*', '/%/mine'],
      ]
      for (const path of paths) {
        for (const method of ['GET', 'DELETE', 'PATCH']) {
          const { status } = await call(ADMIN, method, path, {})
          expect([path, method, status]).toEqual([path, method, 404])
        }
      }
      for (const name of ['', 'A', '.', '..', '-a', 'a b', 'a/b', 'ä', 'a'.repeat(64), 7, null]) {
        expect((await call(ADMIN, 'POST', '', { ...HOOK, name })).code).toBe('invalid_endpoint')
      }
      await create('a'.repeat(63))
      await create('0._-')
      expect((await call(ADMIN, 'POST', '', { ...HOOK, name: 'mine' })).status).toBe(409)
      await create('mine', { repository: 'acme/shop' })
    })

    test('an update cannot move an endpoint to another owner, rename it, or take its id', async () => {
      const { call, create, find } = await startApi(open)
      const { path } = await create('mine', {}, MINE)
      const updates = [
        { repository: 'acme/shop' },
        { name: 'x' },
        { id: 'A'.repeat(22) },
        { owner: 'acme' },
        { credential: 'relay' },
        { token: null },
        { targets: ['octo/b:x/y'] },
        { anyWorkflow: true, workflow: null, trigger: null },
        { token: INVENTED },
        { token: `ghs_${'a'.repeat(36)}` },
        [],
        'x',
      ]
      const before = (await call(MINE, 'GET', '/octo/mine')).text
      for (const update of updates) {
        const { status } = await call(MINE, 'PATCH', '/octo/mine', update)
        expect([update, status]).toEqual([update, expect.any(Number)])
        expect([update, [400, 401, 403].includes(status)]).toEqual([update, true])
      }
      expect((await call(MINE, 'GET', '/octo/mine')).text).toBe(before)
      expect(await find(path)).toBe('mine')
    })
  })

  test('of 20 concurrent creations with one name, one succeeds; concurrent changes all count', async () => {
    const { call, find } = await startApi(open)
    const creations = Array.from({ length: 20 }, () =>
      call(ADMIN, 'POST', '', { ...HOOK, name: 'a' }),
    )
    const statuses = (await Promise.all(creations)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, ...Array(19).fill(409)])
    const changes = await Promise.all([
      call(ADMIN, 'PATCH', '/octo/a', { batch: 9 }),
      call(ADMIN, 'POST', '/octo/a/rotate'),
      call(ADMIN, 'PATCH', '/octo/a', { respond: 'stored' }),
    ])
    expect(changes.map(({ status }) => status)).toEqual([200, 200, 200])
    const { body } = await call(ADMIN, 'GET', '/octo/a?url=true')
    expect(body).toMatchObject({ batch: 9, respond: 'stored', path: changes[1]?.body.path })
    expect(await find(body.path)).toBe('a')
  })

  test('an endpoint of a lost key is shown as unreadable, and can be deleted alone', async () => {
    const { call, create, endpoints } = await startApi(open)
    await create('a')
    const store = endpoints.stores.of('octo')
    const row = await store.named('a')
    if (!row) throw new Error('no row')
    await store.replace({ ...row, content: `${row.content}x`, changed: 5 }, row)
    expect((await call(ADMIN, 'GET', '/octo/a')).body).toMatchObject({ unreadable: true })
    expect((await call(ADMIN, 'GET', '?owner=octo')).body.endpoints).toHaveLength(1)
    for (const [method, path] of [
      ['GET', '/octo/a?url=true'],
      ['PATCH', '/octo/a'],
      ['POST', '/octo/a/rotate'],
    ] as const) {
      expect((await call(ADMIN, method, path, {})).code).toBe('unreadable_endpoint')
    }
    expect((await call(ADMIN, 'DELETE', '/octo/a')).status).toBe(200)
  })
})

const STRIPE = { scheme: 'stripe', secret: 'whsec_abcdefghijklmnop' }
const [[, open]] = STORES as [(typeof STORES)[number]]

test('an update of the credential removes the token, unless it names one', async () => {
  const { call, create } = await startApi(open)
  await create('a', { token: MINE })
  const both = await call(ADMIN, 'PATCH', '/octo/a', { credential: 'relay', token: THEIRS })
  expect([both.status, both.text]).toEqual([
    400,
    'the settings of the endpoint are invalid "token" cannot be combined with "credential": "relay".',
  ])
  const same = await call(ADMIN, 'PATCH', '/octo/a', { credential: 'token' })
  expect(same.body.credential).toBe('token')
  const own = await call(ADMIN, 'PATCH', '/octo/a', { credential: 'relay', token: null })
  expect(own.body.credential).toBe('relay')
  const next = await call(ADMIN, 'PATCH', '/octo/a', { token: THEIRS })
  expect(next.body.credential).toBe('token')
})

test.each([
  ['any workflow', { anyWorkflow: true, workflow: null, trigger: null }, { anyWorkflow: true }],
  [
    'all settings',
    {
      ...{ dispatch: 'workflow', ref: 'v1', targets: ['octo/b:x/y', 'Octo/c:d/e'] },
      ...{ verify: [{ scheme: ['stripe', 'slack'], secret: 's' }], if: 'body.a', ifError: 'allow' },
      ...{ respond: 'stored', batch: 60, debounce: 5, expect: '2h' },
    },
    {
      ...{ workflow: 'orders', trigger: 'webhook', dispatch: 'workflow', ref: 'v1' },
      ...{ targets: ['octo/b:x/y', 'Octo/c:d/e'], verify: ['stripe', 'slack'] },
      ...{ if: 'body.a', ifError: 'allow', respond: 'stored', batch: 60, debounce: 5 },
      expect: '2h',
    },
  ],
])('an endpoint with %s is shown with exactly its settings', async (_name, given, shown) => {
  const { call, create } = await startApi(open)
  await create('a', given)
  const { body } = await call(ADMIN, 'GET', '/octo/a')
  expect(body).toEqual({
    ...{ owner: 'octo', name: 'a', repository: 'Octo/shop' },
    ...{ dispatch: 'repository', respond: 'github', credential: 'relay', ...shown },
    created: '2026-01-01T00:00:00.000Z',
    ...{ changed: '2026-01-01T00:00:00.000Z', firstEvent: null },
  })
})

test('an owner has at most 1,000 endpoints', async () => {
  const { call, create, endpoints } = await startApi(open)
  await create('a')
  const store = endpoints.stores.of('octo')
  const row = await store.named('a')
  if (!row) throw new Error('no row')
  for (let n = 1; n < 1000; n++) await store.create({ ...row, hash: `${n}`, name: `n${n}` })
  const refused = await call(ADMIN, 'POST', '', { ...HOOK, name: 'b' })
  expect([refused.status, refused.code]).toEqual([409, 'too_many_endpoints'])
  await create('b', { repository: 'acme/shop' })
})

test.each([
  ['', 'PATCH', 'GET, POST'],
  ['/octo/a', 'PUT', 'GET, PATCH, DELETE'],
  ['/octo/a/rotate', 'GET', 'POST'],
])('%s refuses %s, and names the methods that it takes: %s', async (path, method, methods) => {
  const { call, create } = await startApi(open)
  await create('a')
  const { status, code, text } = await call(ADMIN, method, path)
  expect([status, code]).toEqual([405, 'method_not_allowed'])
  expect(text).toContain(`Use one of ${methods}.`)
})

test('without --allow-tokens, a GitHub token is a wrong bearer', async () => {
  const { call, create } = await startApi(open, { allowsTokens: false })
  await create('mine', { token: MINE })
  for (const bearer of [MINE, '', READ.slice(1), 'x']) {
    const { status, code } = await call(bearer, 'GET', '/octo/mine')
    expect([bearer, status, code]).toEqual([bearer, 401, 'invalid_key'])
  }
})

test.each([
  ['Bearer ', 401],
  ['bearer   %', 200],
  ['Basic %', 401],
  ['token %', 401],
  ['Bearer % x', 401],
  ['%', 401],
  ['Bearer Bearer %', 401],
])('the header Authorization: %s gets %d', async (form, status) => {
  const encryption = new Encryption(keys)
  const rules = { keys, encryption, allowsTokens: true }
  const value = form.replace('%', ADMIN)
  const caller = await readCaller(['authorization', value], rules).catch((error) => error.status)
  expect(caller).toEqual(status === 200 ? { kind: 'admin' } : status)
})
