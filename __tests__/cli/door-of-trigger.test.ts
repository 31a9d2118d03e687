import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { decodeJwt } from 'jose'
import { saidFilter } from '../../src/cli/grant/filter.ts'
import { options, Query } from '../../src/engine/mongo.ts'
import { newSignKey } from '../../src/relay/grant.ts'
import { newSealKey, SEAL_KEYS_PATH } from '../../src/relay/seal.ts'
import type { JsonObject } from '../../src/wire/json.ts'
import { holds } from '../../src/workflow/condition.ts'
import { runShared } from '../support/cli.ts'

/** Bodies for the filters, with lists at every level. */
const BODIES: readonly JsonObject[] = [
  { a: 'x' },
  { a: 'X' },
  { a: 'xy' },
  { a: ['x', 'y'] },
  { a: [null, 'x'] },
  { a: [] },
  { a: '' },
  { a: null },
  {},
  { a: 1 },
  { a: '1' },
  { a: [1, 5] },
  { a: 6.5 },
  { a: true },
  { a: 'true' },
  { a: false },
  { a: { b: 'x' } },
  { a: { b: ['x'] } },
  { a: [{ b: 'x' }, { b: 2 }] },
  { a: [null, { b: 'x' }] },
  { a: { b: null } },
  { a: "it's" },
  { a: 'refs/heads/main' },
  { a: 'x', c: 3 },
]

/** A filter, and the parts that only the workflow checks. */
const FILTERS: readonly (readonly [filter: JsonObject, unsaid: readonly string[]])[] = [
  [{ 'body.a': 'x' }, []],
  [{ 'body.a': "it's" }, []],
  [{ 'body.a': 1 }, []],
  [{ 'body.a': 6.5 }, []],
  [{ 'body.a': true }, []],
  [{ 'body.a': null }, []],
  [{ 'body.a': '' }, []],
  [{ 'body.a.b': 'x' }, []],
  [{ 'body.a.b': null }, []],
  [{ 'body.a': { $in: ['x', 1, null] } }, []],
  [{ 'body.a': { $in: [] } }, ['body.a: $in']],
  [{ 'body.a': { $gt: 0, $lt: 5 } }, []],
  [{ 'body.a': { $gte: 6.5 } }, []],
  [{ 'body.a': { $lte: 1 } }, []],
  [{ 'body.a': { $gt: 'a' } }, ['body.a: $gt of a text']],
  [{ 'body.a': { $ne: true } }, []],
  [{ 'body.a': { $ne: 1 } }, []],
  [{ 'body.a': { $ne: null } }, []],
  [{ 'body.a': { $ne: 'x' } }, ['body.a: $ne of a text']],
  [{ 'body.a': { $exists: false } }, []],
  [{ 'body.a': { $exists: true } }, ['body.a: $exists']],
  [{ 'body.a': { $regex: '^refs/heads/' } }, []],
  [{ 'body.a': { $regex: '^x$' } }, []],
  [{ 'body.a': { $regex: 'y$' } }, []],
  [{ 'body.a': { $regex: 'ea' } }, []],
  [{ 'body.a': { $regex: '^x.*' } }, ['body.a: $regex of a text']],
  [{ 'body.a': { $regex: 'x', $options: 'i' } }, ['body.a: $options']],
  [{ 'body.a': { b: 'x' } }, ['body.a: $eq']],
  [{ 'body.a': 'x', 'body.c': { $mod: [2, 1] } }, ['body.c: $mod']],
  [{ $and: [{ 'body.a': 'x' }, { 'body.c': 3 }] }, []],
  [{ $or: [{ 'body.a': 'x' }, { 'body.a': { $gt: 3 } }] }, []],
  [{ $or: [{ 'body.a': 'x' }, { 'body.a': { $ne: 'y' } }] }, ['$or']],
  [{ $nor: [{ 'body.a': 'x' }] }, ['$nor']],
  [{ 'body.a': { $not: { $gt: 3 } } }, ['body.a: $not']],
  [{ 'body.a.0': 'x' }, ['body.a.0: $eq of a text']],
  [{ 'params.id': '5' }, ['params.id: $eq of a text']],
  [{ 'headers.authorization': 'x' }, ['headers.authorization: $eq of a text']],
  [{ 'headers.x-github-event': 'push', method: 'post', 'query.q': '1' }, []],
]

const OTHERS = { method: 'post', query: { q: '1' }, headers: { 'x-github-event': 'push' } }

test.each(FILTERS)(
  '%j: the relay drops no event that passes the filter; the workflow still checks %j',
  (filter, unsaid) => {
    const said = saidFilter(filter)
    expect(said.unsaid).toEqual(unsaid)
    const query = new Query(filter as ConstructorParameters<typeof Query>[0], options)
    const lost = BODIES.filter((body) => {
      const item = { ...OTHERS, body, params: { id: '5' } }
      const { expression = 'true' } = said
      return query.test(item) && !holds(expression, { ...OTHERS, path: 'hook/webhook', body })
    })
    expect(lost).toEqual([])
  },
)

test('a filter that the relay has completely also drops events there', () => {
  const dropped = FILTERS.filter(([filter, unsaid]) => {
    const { expression = 'true' } = saidFilter(filter)
    const contexts = { ...OTHERS, path: 'hook/webhook' }
    return unsaid.length === 0 && BODIES.some((body) => !holds(expression, { ...contexts, body }))
  })
  const whole = FILTERS.filter(([, unsaid]) => unsaid.length === 0)
  expect(dropped.length).toBeGreaterThan(whole.length - 2)
})

describe('hookline url', () => {
  let folder: string
  let server: Server
  let hasKeys: boolean

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'door-of-trigger-'))
    mkdirSync(join(folder, 'workflows'))
    hasKeys = true
    const { publicJwk } = await newSealKey()
    server = createServer((request, response) => {
      const isKeys = hasKeys && request.url === SEAL_KEYS_PATH
      response
        .writeHead(isKeys ? 200 : 404)
        .end(isKeys ? JSON.stringify({ keys: [publicJwk] }) : '')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true })
    server.close()
  })

  const PAY = `on:
  webhook:
    verify:
      scheme: stripe
      secret: \${{ secrets.STRIPE_SECRET }}
    config:
      filter:
        body.type: { $in: [invoice.paid, invoice.failed] }
        body.livemode: { $exists: true }
jobs: { pay: { runs-on: ubuntu-latest, steps: [{ run: echo }] } }
`
  const SECRET = 'whsec_a-secret-that-nothing-shows'

  async function url(text: string, env: Record<string, string> = {}, args: readonly string[] = []) {
    writeFileSync(join(folder, 'workflows/pay.yml'), text)
    const relay = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const keys = JSON.stringify({ keys: [(await newSignKey()).jwk] })
    const where = ['--relay', relay, '--repository', 'octo/repo', '--json', ...args]
    const all = { HOOKLINE_SIGNING_KEYS: keys, ...env }
    const end = await runShared(['url', 'pay', ...where], { cwd: folder, env: all })
    expect(end.stdout + end.stderr).not.toContain(SECRET)
    return { ...end, told: end.exitCode === 0 ? JSON.parse(end.stdout) : undefined }
  }

  const tokenOf = (told: { url: string }) => new URL(told.url).searchParams.get('__token') ?? ''

  test.each([
    ['by its own name in the environment', { STRIPE_SECRET: SECRET }, []],
    ['by --secret-env', { OTHER: SECRET }, ['--secret-env', 'OTHER']],
  ])('makes a sealed grant of verify and filter, with the secret %s', async (_, env, args) => {
    const { told } = await url(PAY, env, args)
    expect(told.door.verify).toEqual(['stripe'])
    expect(told.door.if).toContain("body['type'] == 'invoice.paid'")
    expect(told.left).toEqual([expect.stringMatching(/^config\.filter: body\.livemode: \$exists/)])
    expect(tokenOf(told).split('.')).toHaveLength(5)
  })

  test('without the secret the relay has the filter only, and the output names the secret', async () => {
    const { told } = await url(PAY)
    expect(told.door).toEqual({ if: expect.any(String) })
    expect(told.left[0]).toMatch(/^verify: .*secret/)
    expect(decodeJwt(tokenOf(told)).if).toBe(told.door.if)
  })

  test('a relay without sealing keys gets no secret; with --secret-env that is an error', async () => {
    hasKeys = false
    const { told } = await url(PAY, { STRIPE_SECRET: SECRET })
    expect(told.door).toEqual({ if: expect.any(String) })
    expect(told.left.at(-1)).toMatch(/^verify: .*404/)
    const named = await url(PAY, { OTHER: SECRET }, ['--secret-env', 'OTHER'])
    expect(named).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('404') })
  })

  test.each([
    ['trello', 'secret: ${{ secrets.S }}\n      url: https://relay.example/x', /URL/],
    ['aws_sns', 'topic: arn:aws:sns:eu-west-1:1:t', undefined],
  ])('the signature of %s is verified by the workflow only', async (scheme, more, why) => {
    const text = `on:\n  webhook:\n    verify:\n      scheme: ${scheme}\n      ${more}\n`
    const { told } = await url(`${text}jobs: {}\n`, { S: SECRET })
    expect(told.door).toBeUndefined()
    if (why) expect(told.left[0]).toMatch(why)
  })

  test('a public key needs no sealing', async () => {
    hasKeys = false
    const text = `on:
  webhook:
    verify:
      scheme: discord
      secret: \${{ vars.DISCORD_PUBLIC_KEY }}
jobs: {}
`
    const { told } = await url(text, { DISCORD_PUBLIC_KEY: 'ab'.repeat(32) })
    expect(told.door).toEqual({ verify: ['discord'] })
    expect(tokenOf(told).split('.')).toHaveLength(3)
  })
})
