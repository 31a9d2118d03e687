import { createHmac, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DATABASE_RUNTIMES, type DatabaseRelay } from '../support/database-relays.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { createEndpoint } from '../support/large-bodies.ts'
import { type RawRequest, send } from '../support/raw-http.ts'
import { ADMIN_BEARER } from '../support/relay-keys.ts'

const OWN = `ghp_${'R'.repeat(36)}`
const SECRET = 'the-secret-that-the-sender-shares'
const SECRETS = [OWN, SECRET, ADMIN_BEARER]

const random = (bytes: number) => randomBytes(bytes).toString('base64url')
const times = <Item>(count: number, make: (n: number) => Item) =>
  Array.from({ length: count }, (_, n) => make(n))

describe.each(DATABASE_RUNTIMES)('attacks on a relay on $name', ({ isThere, start }) => {
  const run = isThere ? test : test.skip
  let github: GitHub
  let relay: DatabaseRelay
  /** Addresses of endpoints: with a signature, and with a condition. */
  let signed: string
  let filtered: string
  let plain: string

  beforeAll(async () => {
    github = await startGitHub()
    if (!isThere) return
    relay = await start({
      HOOKLINE_API_URL: github.url,
      HOOKLINE_GITHUB_TOKEN: OWN,
      HOOKLINE_PUBLIC_URL: 'https://relay.example.com',
    })
    signed = await createEndpoint(relay, {
      name: 'signed',
      verify: [{ scheme: ['linear'], secret: [SECRET] }],
    })
    plain = await createEndpoint(relay, { name: 'plain' })
    filtered = await createEndpoint(relay, {
      name: 'filtered',
      if: "fromJSON(body.payload).action == 'opened'",
    })
  }, 60_000)
  afterAll(async () => {
    await relay?.close()
    await github.close()
  })

  /** Sends requests, and checks that none reached GitHub, or revealed a secret. */
  const attack = async (requests: readonly Partial<RawRequest>[], allowed: readonly number[]) => {
    const statuses = new Map<number, number>()
    for (const request of requests) {
      const answer = await send(relay.url, { method: 'POST', target: '/', ...request })
      const shown = JSON.stringify(answer)
      expect(SECRETS.filter((secret) => shown.includes(secret))).toEqual([])
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    }
    expect([...statuses.keys()].filter((status) => !allowed.includes(status))).toEqual([])
    expect(github.calls).toEqual([])
    console.log(`${requests.length} requests: ${JSON.stringify(Object.fromEntries(statuses))}`)
  }

  run('400 guessed endpoints, with any method', async () => {
    const methods = ['GET', 'POST', 'PUT', 'HEAD', 'DELETE']
    const requests = times(400, (n) => {
      return {
        method: methods[n % 5] ?? '',
        target: `/-/octo/${random(16)}`,
        body: n % 2 ? '{}' : '',
      }
    })
    await attack(requests, [401, 429])
  })

  run('400 guessed and misspelled bodies', async () => {
    const paths = [
      '',
      '/',
      `/${random(31)}`,
      `/${random(33)}`,
      '/../endpoints',
      '/%2e%2e/endpoints',
    ]
    const requests = times(400, (n) => {
      const path = n % 2 ? `/${random(32)}` : (paths[n % paths.length] ?? '')
      return { method: n % 3 ? 'GET' : 'POST', target: `/-/octo/bodies${path}` }
    })
    await attack(requests, [400, 401, 404, 429])
  })

  run('200 requests to the admin API without its key', async () => {
    const targets = ['deliveries', 'deliveries/octo/replay', 'backup', 'metrics', 'endpoints'].map(
      (name) => `/-admin/${name}`,
    )
    const others = [
      '/-admin/endpoints/octo/signed?url=true',
      '/-admin/status',
      '//-admin/status',
      '/-ADMIN/status',
      '/-admin/Endpoints',
    ]
    const keys = ['', 'Bearer ', 'Bearer x', `Basic ${ADMIN_BEARER.slice(0, 8)}`, 'bearer null']
    const requests = times(200, (n) => {
      const headers: [string, string][] = keys[n % 5] ? [['Authorization', keys[n % 5] ?? '']] : []
      const method = ['GET', 'POST', 'DELETE'][n % 3] ?? ''
      return { method, target: [...targets, ...others][n % 10] ?? '', headers }
    })
    await attack(requests, [400, 401, 404])
  })

  run('200 forged signatures, and 20 with large bodies', async () => {
    const body = JSON.stringify({
      type: 'AgentSessionEvent',
      action: 'created',
      agentSession: { id: 's-1' },
      webhookTimestamp: Date.now(),
    })
    const right = createHmac('sha256', SECRET).update(`${body} `).digest('hex')
    const signatures = ['', 'x', right, right.toUpperCase(), '0'.repeat(64), `sha256=${right}`, '%']
    const forged = times(200, (n) => ({
      target: signed,
      body,
      headers: [['Linear-Signature', signatures[n % signatures.length] ?? '']] as [
        string,
        string,
      ][],
    }))
    const large = times(20, () => ({
      target: signed,
      body: JSON.stringify({ text: 'x'.repeat(300_000) }),
      headers: [['Linear-Signature', right]] as [string, string][],
    }))
    await attack([...forged, ...large], [401, 413])
    const files = await readdir(relay.folder, { recursive: true })
    expect(files.filter((name) => name.includes('.bodies/'))).toEqual([])
  })

  run('200 bodies for which a condition cannot be true', async () => {
    const deep = '['.repeat(600) + ']'.repeat(600)
    const bodies = [
      ...['payload=x', 'a=1', '{}', '[]', 'null', '""', '{"payload":1}', '{"payload":"{"}', deep],
      ...['payload=%7B%22action%22%3A1%7D', 'payload[]=1', '{"__proto__":{"payload":"x"}}'],
    ]
    const types = ['application/json', 'application/x-www-form-urlencoded', 'text/plain', '']
    const requests = times(200, (n) => ({
      target: filtered,
      body: bodies[n % bodies.length] ?? '',
      headers: [['Content-Type', types[n % types.length] ?? '']] as [string, string][],
    }))
    await attack(requests, [200, 400])
  })

  run(
    '40 bodies that decompress to 300 MB',
    async () => {
      const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024)).toString('latin1')
      const requests = times(40, () => ({
        target: filtered,
        body: bomb.slice(0, 200_000),
        headers: [
          ['Content-Type', 'application/json'],
          ['Content-Encoding', 'gzip'],
        ] as [string, string][],
      }))
      await attack(requests, [200, 400, 413])
    },
    120_000,
  )

  run('100 requests with headers of the relay: the event has none of them', async () => {
    for (let n = 0; n < 100; n++) {
      const answer = await send(relay.url, {
        method: 'POST',
        target: plain,
        body: '{}',
        headers: [
          ['X-Hookline-Body-Encoding', 'url'],
          ['X-Hookline-Body-Url', 'https://attacker.example.com/-/octo/bodies/x'],
          ['x-hookline-delivery', 'chosen'],
          ['X-HOOKLINE-BATCH', '2'],
        ],
      })
      expect(answer.status).toBe(200)
    }
    const headers = github.calls.map(({ body }) => JSON.parse(body).client_payload.headers)
    expect(headers).toHaveLength(100)
    const names = new Set(headers.flatMap((each) => Object.keys(each)))
    const own = [...names].filter((name) => name.startsWith('x-hookline-')).toSorted()
    expect(own).toEqual(['x-hookline-delivery', 'x-hookline-received-at'])
    expect(headers.some((each) => each['x-hookline-delivery'] === 'chosen')).toBe(false)
  })
})
