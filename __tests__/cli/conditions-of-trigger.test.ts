import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { decodeJwt } from 'jose'
import { filterExpression } from '../../src/cli/grant/filter-expression.ts'
import { mongoFor } from '../../src/engine/mongo.ts'
import { generateSigningKey } from '../../src/relay/credentials/grant.ts'
import { generateSealingKey } from '../../src/relay/credentials/seal.ts'
import type { JsonObject } from '../../src/wire/json.ts'
import { holds } from '../../src/workflow/condition.ts'
import { runShared } from '../support/cli.ts'
import { DescribedRelay } from '../support/described-relay.ts'

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
  { 'a.b': 'x' },
  { 'a.b': 5, a: 1 },
  { a: [{ 'b.c': 'x' }] },
  { 'a[b]': 'x' },
]

/** A filter, and the parts that only the workflow checks. */
const FILTERS: readonly (readonly [filter: JsonObject, untranslated: readonly string[]])[] = [
  [{ 'body.a': 'x' }, []],
  [{ 'body.a': "it's" }, []],
  [{ 'body.a': 1 }, []],
  [{ 'body.a': 6.5 }, []],
  [{ 'body.a': true }, []],
  [{ 'body.a': null }, []],
  [{ 'body.a': '' }, []],
  [{ 'body.a.b': 'x' }, []],
  [{ 'body.a.b': null }, []],
  [{ 'body.a.b': { $ne: null } }, []],
  [{ 'body.a.b': { $gt: 3 } }, []],
  [{ 'body.a.b.c': 'x' }, []],
  [{ 'body.a[b]': 'x' }, []],
  [{ "body['a.b']": 'x' }, []],
  [{ 'body.a': { $in: ['x', 1, null] } }, []],
  [{ 'body.a': { $in: [] } }, ['body.a: $in']],
  [{ 'body.a': { $gt: 0, $lt: 5 } }, []],
  [{ 'body.a': { $gte: 6.5 } }, []],
  [{ 'body.a': { $lte: 1 } }, []],
  [{ 'body.a': { $gt: 'a' } }, ['body.a: $gt of a string']],
  [{ 'body.a': { $ne: true } }, []],
  [{ 'body.a': { $ne: 1 } }, []],
  [{ 'body.a': { $ne: null } }, []],
  [{ 'body.a': { $ne: 'x' } }, ['body.a: $ne of a string']],
  [{ 'body.a': { $exists: false } }, []],
  [{ 'body.a': { $exists: true } }, ['body.a: $exists']],
  [{ 'body.a': { $regex: '^refs/heads/' } }, []],
  [{ 'body.a': { $regex: '^x$' } }, []],
  [{ 'body.a': { $regex: 'y$' } }, []],
  [{ 'body.a': { $regex: 'ea' } }, []],
  [{ 'body.a': { $regex: '^x.*' } }, ['body.a: $regex of a string']],
  [{ 'body.a': { $regex: 'x', $options: 'i' } }, ['body.a: $options']],
  [{ 'body.a': { b: 'x' } }, ['body.a: $eq']],
  [{ 'body.a': 'x', 'body.c': { $mod: [2, 1] } }, ['body.c: $mod']],
  [{ $and: [{ 'body.a': 'x' }, { 'body.c': 3 }] }, []],
  [{ $or: [{ 'body.a': 'x' }, { 'body.a': { $gt: 3 } }] }, []],
  [{ $or: [{ 'body.a': 'x' }, { 'body.a': { $ne: 'y' } }] }, ['$or']],
  [{ $nor: [{ 'body.a': 'x' }] }, ['$nor']],
  [{ 'body.a': { $not: { $gt: 3 } } }, ['body.a: $not']],
  [{ 'body.a.0': 'x' }, ['body.a.0: $eq of a string']],
  [{ 'params.id': '5' }, ['params.id: $eq of a string']],
  [{ 'headers.authorization': 'x' }, ['headers.authorization: $eq of a string']],
  [{ 'headers.x-github-event': 'push', method: 'post', 'query.q': '1' }, []],
]

const OTHERS = { method: 'post', query: { q: '1' }, headers: { 'x-github-event': 'push' } }

test.each(FILTERS)(
  '%j: the relay drops no event that passes the filter; the workflow still checks %j',
  async (filter, untranslated) => {
    const { Query, options } = await mongoFor(filter)
    const said = filterExpression(filter)
    expect(said.untranslated).toEqual(untranslated)
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
  const dropped = FILTERS.filter(([filter, untranslated]) => {
    const { expression = 'true' } = filterExpression(filter)
    const contexts = { ...OTHERS, path: 'hook/webhook' }
    return (
      untranslated.length === 0 && BODIES.some((body) => !holds(expression, { ...contexts, body }))
    )
  })
  const whole = FILTERS.filter(([, untranslated]) => untranslated.length === 0)
  expect(dropped.length).toBeGreaterThan(whole.length - 2)
})

describe('hookline url', () => {
  let folder: string
  let relay: DescribedRelay
  let keys: string

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'conditions-of-trigger-'))
    mkdirSync(join(folder, 'workflows'))
    const { publicJwk } = await generateSealingKey()
    keys = JSON.stringify({ keys: [publicJwk] })
    relay = await new DescribedRelay({ keys }).start()
  })
  afterEach(() => {
    rmSync(folder, { recursive: true })
    relay.stop()
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
    const signing = JSON.stringify({ keys: [(await generateSigningKey()).jwk] })
    const where = ['--relay', relay.url, '--repository', 'octo/repo', '--json', ...args]
    const all = { HOOKLINE_SIGNING_KEYS: signing, ...env }
    const end = await runShared(['url', 'pay', ...where], { cwd: folder, env: all })
    expect(end.stdout + end.stderr).not.toContain(SECRET)
    return { ...end, printed: end.exitCode === 0 ? JSON.parse(end.stdout) : undefined }
  }

  const tokenOf = (printed: { url: string }) =>
    new URL(printed.url).searchParams.get('__token') ?? ''

  test.each([
    ['by its own name in the environment', { STRIPE_SECRET: SECRET }, []],
    ['by --secret-env', { OTHER: SECRET }, ['--secret-env', 'OTHER']],
  ])('makes a sealed grant of verify and filter, with the secret %s', async (_, env, args) => {
    const { printed } = await url(PAY, env, args)
    expect(printed.conditions.verify).toEqual(['stripe'])
    expect(printed.conditions.if).toContain("body['type'] == 'invoice.paid'")
    expect(printed.inWorkflow).toEqual([
      expect.stringMatching(/^config\.filter: body\.livemode: \$exists/),
    ])
    expect(tokenOf(printed).split('.')).toHaveLength(5)
  })

  test('without the secret the relay has the filter only, and the output names the secret', async () => {
    const { printed } = await url(PAY)
    expect(printed.conditions).toEqual({ if: expect.any(String) })
    expect(printed.inWorkflow[0]).toMatch(/signature.*secret/)
    expect(decodeJwt(tokenOf(printed)).if).toBe(printed.conditions.if)
  })

  test('a relay without sealing keys gets no secret; with --secret-env that is an error', async () => {
    relay.described = {}
    const { printed } = await url(PAY, { STRIPE_SECRET: SECRET })
    expect(printed.conditions).toEqual({ if: expect.any(String) })
    expect(printed.inWorkflow.at(-1)).toMatch(/^verify: .*404/)
    const named = await url(PAY, { OTHER: SECRET }, ['--secret-env', 'OTHER'])
    expect(named).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('404') })
  })

  test.each([
    ['trello', 'secret: ${{ secrets.S }}\n      url: https://relay.example/x', /URL/],
    ['aws_sns', 'topic: arn:aws:sns:eu-west-1:1:t', undefined],
  ])('the signature of %s is verified by the workflow only', async (scheme, more, why) => {
    const text = `on:\n  webhook:\n    verify:\n      scheme: ${scheme}\n      ${more}\n`
    const { printed } = await url(`${text}jobs: {}\n`, { S: SECRET })
    expect(printed.conditions).toBeUndefined()
    if (why) expect(printed.inWorkflow[0]).toMatch(why)
  })

  test('a public key needs no sealing', async () => {
    relay.described = {}
    const text = `on:
  webhook:
    verify:
      scheme: discord
      secret: \${{ vars.DISCORD_PUBLIC_KEY }}
jobs: {}
`
    const { printed } = await url(text, { DISCORD_PUBLIC_KEY: 'ab'.repeat(32) })
    expect(printed.conditions).toEqual({ verify: ['discord'] })
    expect(tokenOf(printed).split('.')).toHaveLength(3)
  })
})
