import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runCommand } from '../support/command.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { describeOnNode24 } from '../support/node24.ts'
import { OUTBOX_RUNTIMES, type OutboxRelay } from '../support/outbox-relays.ts'
import { ADMIN_BEARER } from '../support/relay-keys.ts'
import { TOKEN } from '../support/scene.ts'

const SECRET = 'the-secret-that-the-sender-shares'

describeOnNode24('hookline endpoint', () => {
  let github: GitHub
  let relay: OutboxRelay
  beforeAll(async () => {
    github = await startGitHub()
    const [node] = OUTBOX_RUNTIMES
    relay = (await node?.start({ HOOKLINE_API_URL: github.url })) as OutboxRelay
  }, 60_000)
  afterAll(async () => {
    await relay.close()
    await github.close()
  })

  const env = {
    HOOKLINE_ADMIN_KEY: ADMIN_BEARER,
    HOOKLINE_GITHUB_TOKEN: TOKEN,
    SENDER_SECRET: SECRET,
  }
  const endpoint = (args: readonly string[], settings: Record<string, string> = env) =>
    runCommand('endpoint', { arguments: [...args, '--relay', relay.url], env: settings })
  const HOOK = ['--repository', 'octo/shop', '--path', 'hook/webhook', '--seal-token']

  test('create prints a URL that works; it stays while its settings change, until rotate and delete', async () => {
    const verify = ['--sender', 'github', '--secret-env', 'SENDER_SECRET']
    const { output: url, errors } = await endpoint(['create', 'orders', ...HOOK, ...verify])
    expect(errors).toBe('')
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/-\/[\w-]{22}$/)
    const post = async (to: string) => (await fetch(to, { method: 'POST', body: '{}' })).status
    expect(await post(url)).toBe(401)
    expect((await endpoint(['update', 'orders', '--remove', 'verify'])).output).toContain('orders')
    expect(await post(url)).toBe(200)
    expect(github.calls).toMatchObject([{ headers: { authorization: `Bearer ${TOKEN}` } }])
    expect((await endpoint(['show', 'orders', '--url'])).output).toBe(url)
    const { output: fresh } = await endpoint(['rotate', 'orders'])
    expect([await post(url), await post(fresh)]).toEqual([401, 200])
    expect((await endpoint(['delete', 'orders'])).output).toContain('orders')
    expect(await post(fresh)).toBe(401)
  })

  test('create and update set the longest time between two events', async () => {
    await endpoint(['create', 'heard', ...HOOK, '--expect', '2h'])
    expect((await endpoint(['show', 'heard'])).output).toMatch(/^expect +2h$/m)
    await endpoint(['update', 'heard', '--remove', 'expect'])
    expect((await endpoint(['show', 'heard'])).output).not.toContain('expect')
    const { errors } = await endpoint(['update', 'heard', '--expect', 'soon'])
    expect(errors).toContain('invalid duration "soon"')
    await endpoint(['delete', 'heard'])
  })

  test('list and show name what an endpoint starts and checks, and no secret, token or URL', async () => {
    const checks = ['--if', 'body.live == true', '--sender', 'stripe']
    const made = await endpoint([
      'create',
      'pay',
      ...HOOK,
      ...checks,
      '--secret-env',
      'SENDER_SECRET',
      '--json',
    ])
    const { url, name } = JSON.parse(made.output)
    expect(name).toBe('pay')
    const list = await endpoint(['list'])
    expect(list.output).toMatch(/^NAME +STARTS +CHECKS +EVENTS\n/)
    expect(list.output).toMatch(
      /^pay +octo\/shop\/hook\/webhook +stripe, if body\.live == true +no event yet$/m,
    )
    const show = await endpoint(['show', 'pay'])
    expect(show.output).toMatch(/^credential +sealed token$/m)
    const json = JSON.parse((await endpoint(['list', '--json'])).output)
    expect(json.endpoints).toMatchObject([{ name: 'pay', verify: ['stripe'] }])
    const all = [list, show, made, await endpoint(['list', '--json'])]
    const printed = all.map(({ output, errors }) => output + errors).join('\n')
    for (const secret of [SECRET, TOKEN]) expect(printed).not.toContain(secret)
    expect(list.output + show.output).not.toContain(new URL(url).pathname)
  })

  test.each([
    [['create', 'x', '--path', 'a/b'], 1, '--repository'],
    [['create', 'x', '--repository', 'octo/shop'], 1, '--path'],
    [['create', 'x', '--repository', 'octo/shop', '--path', 'a/b'], 1, '--seal-token'],
    [['create', 'UP', ...HOOK], 1, '"name"'],
    [['create', 'x', ...HOOK, '--if', 'body.a ='], 1, '--if'],
    [['create', 'x', ...HOOK, '--sender', 'trello'], 1, '--secret-env'],
    [['create', 'x', ...HOOK, '--sender', 'aws-sns'], 1, 'aws-sns'],
    [
      ['create', 'x', ...HOOK, '--sender', 'trello', '--secret-env', 'SENDER_SECRET'],
      ...[1, 'HOOKLINE_PUBLIC_URL'],
    ],
    [['show', 'nobody'], 1, 'nobody'],
    [['show', '../outbox'], 1, 'not the name'],
    [['update', 'pay'], 1, 'nothing'],
    [['update', 'pay', '--remove', 'path'], 2, 'path'],
  ] as const)('%j is refused', async (args, code, term) => {
    expect(await endpoint(args)).toMatchObject({ code, errors: expect.stringContaining(term) })
  })
})
