import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { DATABASE_RUNTIMES, type DatabaseRelay } from '../support/database-relays.ts'
import { type Listed, listed } from '../support/deliveries.ts'
import { randomOf } from '../support/fake-time.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { type RawAnswer, send } from '../support/raw-http.ts'
import { ADMIN_BEARER } from '../support/relay-keys.ts'
import { until } from '../support/until.ts'

/** The relay's own credential, and the tokens of two callers of one owner. */
const OWN = `ghp_${'R'.repeat(36)}`
const VICTIM = `ghp_${'V'.repeat(36)}`
const MALLORY = `ghp_${'M'.repeat(36)}`
const TEXT = 'a-text-of-the-victim'
/** Only in large bodies. */
const LARGE_TEXT = 'a-large-text-of-the-victim'
/** No response of the attacker contains one. */
const SECRETS = [OWN, VICTIM, ADMIN_BEARER, TEXT, LARGE_TEXT, 'secret-query', 'secret-header']

const random = randomOf(jest.getSeed())
const oneOf = <Item>(items: readonly Item[]): Item => {
  return items[Math.floor(random() * items.length)] as Item
}

const DOWN = { status: 503 }
/** Random digits, which do not compress. */
const incompressible = (count: number) =>
  Array.from({ length: count }, () => random().toString(36).slice(2, 12)).join('')

describe.each(DATABASE_RUNTIMES)('a caller among others on $name', ({ isThere, start }) => {
  const run = isThere ? test : test.skip
  let github: GitHub
  let relay: DatabaseRelay
  /** Paths of the victim's endpoints: one dispatches, one declines all, one refuses all. */
  let paths: { orders: string; declining: string; refusing: string; shared: string }
  let own: string

  const call = (bearer: string, method: string, path: string, body?: unknown) =>
    send(relay.url, {
      method,
      target: `/-admin${path}`,
      headers: [['Authorization', `Bearer ${bearer}`]],
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const create = async (bearer: string, settings: object) => {
    const { body } = await call(bearer, 'POST', '/endpoints', {
      ...{ repository: 'octo/shop', workflow: 'hook', trigger: 'webhook' },
      ...(bearer === ADMIN_BEARER ? {} : { credential: 'token', token: bearer }),
      ...settings,
    })
    const { url } = JSON.parse(body)
    return new URL(url, relay.url).pathname
  }
  const post = (target: string, body = TEXT) =>
    send(relay.url, {
      method: 'POST',
      target: `${target}?q=secret-query`,
      headers: [['X-Own', 'secret-header']],
      body,
    })
  const all = async (): Promise<Listed[]> => {
    const { body } = await call(ADMIN_BEARER, 'GET', '/deliveries/octo?limit=1000')
    return JSON.parse(body).deliveries
  }
  const ofVictim = async () =>
    (await all()).filter(({ endpoint }) => !endpoint?.startsWith('mallory'))

  beforeAll(async () => {
    github = await startGitHub()
    if (!isThere) return
    relay = await start({
      HOOKLINE_API_URL: github.url,
      HOOKLINE_GITHUB_TOKEN: OWN,
      HOOKLINE_ALLOW_TOKENS: 'true',
      HOOKLINE_PUBLIC_URL: 'https://relay.example.com',
      HOOKLINE_MAX_STORAGE_MB: '24',
    })
    const verify = [{ scheme: ['token'], header: 'x-key', secret: ['the-secret-of-a-sender'] }]
    paths = {
      orders: await create(VICTIM, { name: 'orders' }),
      declining: await create(VICTIM, { name: 'declining', if: 'false' }),
      refusing: await create(VICTIM, { name: 'refusing', verify }),
      shared: await create(ADMIN_BEARER, { name: 'shared', targets: ['octo/mail:in/webhook'] }),
    }
    own = await create(MALLORY, { name: 'mallory', repository: 'octo/other' })
    for (const path of Object.values(paths)) await post(path)
    await post(paths.orders, JSON.stringify({ text: LARGE_TEXT + incompressible(20_000) }))
    await post(own, 'own')
    // One dead letter; GitHub takes all later events.
    github.always({ status: 422, body: '{}' })
    await post(paths.shared)
    github.reset()
    await until(async () => (await all()).length >= 8)
  }, 60_000)
  afterAll(async () => {
    await relay?.close()
    await github.close()
  })

  /** Sends the attacks, and checks what the victim has afterwards, and what the attacker was told. */
  const attack = async (
    count: number,
    attempt: (n: number) => Promise<RawAnswer>,
    allowed: readonly number[],
  ) => {
    const before = await ofVictim()
    github.reset()
    const statuses = new Map<number, number>()
    for (let n = 0; n < count; n++) {
      const answer = await attempt(n)
      const shown = JSON.stringify(answer)
      expect(SECRETS.filter((secret) => shown.includes(secret))).toEqual([])
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    }
    console.log(`${count} attacks: ${JSON.stringify(Object.fromEntries(statuses))}`)
    expect([...statuses.keys()].filter((status) => !allowed.includes(status))).toEqual([])
    expect(await ofVictim()).toEqual(before)
    const repositories = github.calls.map(({ url }) => url.split('/').slice(2, 4).join('/'))
    expect(repositories.filter((name) => name !== 'octo/other')).toEqual([])
    expect((await listed(relay, 'octo')).imbalance).toBe(0)
  }

  const filters = [
    ...[{}, { endpoint: 'orders' }, { repository: 'octo/shop' }, { state: 'dead' }],
    ...[{ state: 'delivered' }, { state: 'filtered', endpoint: 'declining' }, { state: 'refused' }],
    ...[{ since: '2020-01-01T00:00:00Z', state: 'delivered' }, { endpoint: ['orders', 'mallory'] }],
    ...[{ endpoint: "' OR 1=1 --" }, { state: 'delivered', repository: 'octo/%' }, { owner: 'o' }],
  ]

  run('120 replays and deletions of deliveries of others', async () => {
    const ids = (await ofVictim()).flatMap(({ id, request }) => [id, request])
    const owners = ['octo', 'Octo', 'OCTO', 'octo%2f', 'octo/..', '', 'evil']
    await attack(120, () => {
      const owner = oneOf(owners)
      const one = oneOf([...ids, ...ids.map((id) => id.toUpperCase()), '%', '..', `${ids[0]}%00`])
      const bearer = oneOf([MALLORY, MALLORY, 'x', `${VICTIM}x`, VICTIM.toLowerCase()])
      return oneOf([
        () => call(bearer, 'POST', `/deliveries/${owner}/${one}/replay`),
        () => call(bearer, 'DELETE', `/deliveries/${owner}/${one}`),
        () => call(bearer, 'GET', `/deliveries/${owner}/${one}`),
        () => call(bearer, 'GET', `/deliveries/${owner}?limit=1000&state=delivered`),
        () => call(bearer, 'POST', `/deliveries/${owner}/replay`, oneOf(filters)),
        () => {
          const query = new URLSearchParams()
          for (const [name, value] of Object.entries(oneOf(filters))) query.set(name, `${value}`)
          return call(bearer, 'DELETE', `/deliveries/${owner}?${query}`)
        },
      ])()
    }, [200, 400, 401, 403, 404])
  })

  run('100 endpoints with what a caller may not set', async () => {
    const forbidden = [
      ...[{ targets: ['octo/shop:hook/webhook'] }, { targets: ['evil/x:hook/webhook'] }],
      ...[{ anyWorkflow: true }, { credential: 'relay' }, { credential: 'relay', token: null }],
      ...[{ token: `ghs_${'S'.repeat(36)}` }, { token: `ghu_${'U'.repeat(36)}` }, { token: 'x y' }],
      ...[{ name: 'orders' }, { name: 'ORDERS' }, { name: '../orders' }, { name: 'a'.repeat(64) }],
      ...[{ if: '1234567890123456789 == body.id' }, { if: '' }, { if: 'body.' }, { batch: 0 }],
      ...[{ repository: 'octo/../evil' }, { repository: 'octo' }, { workflow: '../x' }],
      ...[{ expect: '0m' }, { respond: 'never' }, { debounce: 5, batch: 1 }, { verify: [{}] }],
    ]
    await attack(
      100,
      (n) => {
        const settings = forbidden[n % forbidden.length]
        if (n % 3 === 0) return call(MALLORY, 'PATCH', '/endpoints/octo/mallory', settings)
        return call(MALLORY, 'POST', '/endpoints', {
          ...{ name: `new${n}`, repository: 'octo/other', workflow: 'hook', trigger: 'webhook' },
          ...{ credential: 'token', token: MALLORY, ...settings },
        })
      },
      [400, 401, 403, 404, 409],
    )
  })

  run('80 changes of endpoints of others', async () => {
    const names = ['orders', 'declining', 'refusing', 'shared', 'ORDERS', 'orders%00', '..']
    await attack(80, () => {
      const path = `/endpoints/${oneOf(['octo', 'Octo', 'evil'])}/${oneOf(names)}`
      return oneOf([
        () => call(MALLORY, 'GET', `${path}?url=true`),
        () => call(MALLORY, 'PATCH', path, { repository: 'octo/other', token: MALLORY }),
        () => call(MALLORY, 'POST', `${path}/rotate`),
        () => call(MALLORY, 'DELETE', path),
      ])()
    }, [400, 401, 403, 404])
  })

  run('100 guesses of stored bodies, from a right address', async () => {
    const { calls } = github
    const rows = (await ofVictim()).length
    await post(paths.orders, JSON.stringify({ text: LARGE_TEXT + incompressible(20_000) }))
    const sent = calls.map(({ body }) => JSON.parse(body).client_payload.headers)
    const url = sent.map((headers) => headers['x-hookline-body-url']).find(Boolean)
    const right = new URL(url).pathname
    expect((await fetch(relay.url + right)).status).toBe(200)
    // The relay records the delivery after its response.
    await until(async () => (await ofVictim()).length > rows)
    await attack(
      100,
      (n) => {
        const at = right.length - 1 - (n % 20)
        const wrong = right[at] === 'A' ? 'B' : 'A'
        const changed = `${right.slice(0, at)}${wrong}${right.slice(at + 1)}`
        const other = right.replace('octo', oneOf(['evil', 'Octo', 'octo%2f..']))
        const form = oneOf([changed, other, right.slice(0, -1), `${right}/`, `${right}x`])
        return send(relay.url, { method: oneOf(['GET', 'POST', 'DELETE']), target: form })
      },
      [400, 401, 404, 405, 429],
    )
  })

  run('100 requests that fill the rings of two endpoints, and leave those of others', async () => {
    const flooded = await create(MALLORY, { name: 'mallory-if', if: 'false' })
    const verify = [{ scheme: ['token'], header: 'x-key', secret: ['its-own-secret'] }]
    const refusing = await create(MALLORY, { name: 'mallory-key', verify })
    await attack(100, (n) => post(n % 2 ? flooded : refusing, `${n}`), [200, 401])
    const rows = async (name: string) =>
      (await all()).filter(({ endpoint }) => endpoint === name).length
    // 50 of the condition's, and 10 a minute of those that were refused.
    await until(async () => (await rows('mallory-if')) === 50)
    expect(await rows('mallory-key')).toBeLessThanOrEqual(20)
  })

  run(
    '40 large events in an outage take their own room, and the victim keeps its own',
    async () => {
      github.always(DOWN)
      const before = (await listed(relay, 'octo')).waiting.length
      const statuses: number[] = []
      for (let n = 0; n < 40; n++) {
        // Random digits, which do not compress.
        const body = Array.from({ length: 4000 }, () => random().toString(36).slice(2, 12)).join('')
        statuses.push((await post(own, body)).status)
      }
      expect(new Set(statuses)).toEqual(new Set([202]))
      const large = JSON.stringify({ text: 'x'.repeat(2_000_000) })
      for (let n = 0; n < 20; n++) statuses.push((await post(own, large)).status)
      expect(statuses).toContain(503)
      expect((await post(paths.orders)).status).toBe(202)
      const { waiting, imbalance } = await listed(relay, 'octo')
      expect(imbalance).toBe(0)
      const stored = statuses.filter((status) => status === 202).length
      expect(waiting.length - before).toBe(stored + 1)
      github.reset()
      await until(async () => (await listed(relay, 'octo')).waiting.length === 0)
      expect((await listed(relay, 'octo')).imbalance).toBe(0)
    },
    300_000,
  )

  run(
    '30 changes while events wait: each event keeps its repository, or is a dead letter',
    async () => {
      for (let round = 0; round < 10; round++) {
        const name = `changing${round}`
        const path = await create(VICTIM, { name })
        await post(path, 'first')
        await until(async () => (await listed(relay, 'octo')).waiting.length === 0)
        github.reset()
        // GitHub accepts no event, and says that the other repository exists.
        github.always(({ method }) => (method === 'POST' ? DOWN : { status: 200, body: '{}' }))
        const ids: unknown[] = []
        for (let n = 0; n < 3; n++) ids.push((await post(path)).headers['x-hookline-delivery'])
        const rotated = await call(VICTIM, 'POST', `/endpoints/octo/${name}/rotate`)
        expect(rotated.status).toBe(200)
        expect((await post(path)).status).toBe(401)
        const moved = { repository: 'octo/moved', workflow: 'other' }
        expect((await call(VICTIM, 'PATCH', `/endpoints/octo/${name}`, moved)).status).toBe(200)
        const isDeleted = round % 2 === 1
        if (isDeleted) {
          const { body } = await call(VICTIM, 'DELETE', `/endpoints/octo/${name}`)
          expect(JSON.parse(body)).toMatchObject({ deadLetters: 3 })
        }
        github.reset()
        const state = isDeleted ? 'dead' : 'delivered'
        await until(async () => {
          const rows = (await all()).filter(({ id }) => ids.includes(id))
          return rows.length === 3 && rows.every((row) => row.state === state)
        })
        const repositories = github.calls.map(({ url }) => url.split('/').slice(2, 4).join('/'))
        expect(repositories).toEqual(isDeleted ? [] : Array(3).fill('octo/shop'))
      }
      expect((await listed(relay, 'octo')).imbalance).toBe(0)
    },
    300_000,
  )
})
