import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { runCommand } from '../support/command.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { describeOnNode24 } from '../support/node24.ts'
import { publishedWorkflows, workflowWith } from '../support/published-workflows.ts'
import { type RelayProcess, startRelayProcess } from '../support/relay-process.ts'
import { TOKEN } from '../support/scene.ts'
import { BOT_TOKEN, TelegramStandIn } from '../support/telegram.ts'
import { LISTENING, PUSH, STARTED_DIRECTLY } from './doctor/stand-in.ts'

const SECRET = 'the-secret-that-the-sender-shares'

const STRIPE = workflowWith(
  `webhook:
  verify: { scheme: stripe, secret: "\${{ secrets.STRIPE_SECRET }}" }
  config:
    filter: { body.type: created }`,
)

const FILES = {
  'orders.yml': LISTENING,
  'direct.yml': STARTED_DIRECTLY,
  'pay.yml': STRIPE,
  'both.yml': workflowWith('webhook:\nmessaging_bot:\n  webhook: true'),
  'push.yml': PUSH,
  'bot.yml': workflowWith('messaging_bot:\n  webhook: true\n  updates: callback_query'),
}

describeOnNode24('hookline endpoint', () => {
  let github: GitHub
  let relay: RelayProcess
  const telegram = new TelegramStandIn()
  beforeAll(async () => {
    github = await startGitHub({ listsRunsByRule: true })
    github.always(publishedWorkflows(FILES))
    await telegram.start()
    relay = await startRelayProcess({ HOOKLINE_API_URL: github.url }, ['--allow-tokens'])
  })
  afterAll(() => Promise.all([relay.close(), github.close(), telegram.stop()]))

  const settings = (more: Record<string, string> = {}) => ({
    HOOKLINE_DATA: relay.data,
    HOOKLINE_API_URL: github.url,
    HOOKLINE_GITHUB_TOKEN: TOKEN,
    HOOKLINE_TELEGRAM_API_URL: telegram.url,
    ...more,
  })
  const endpoint = (args: readonly string[], env: Record<string, string> = {}) =>
    runCommand('endpoint', { arguments: args, env: settings(env) })
  const create = (name: string, args: readonly string[], env: Record<string, string> = {}) =>
    endpoint(['create', name, '--repository', 'octo/shop', '--credential', 'token', ...args], env)
  const shown = async (name: string) => {
    const { output, errors } = await endpoint(['show', name, '--json'])
    if (output === '') throw new Error(errors)
    return JSON.parse(output).endpoint
  }
  const post = async (url: string, headers: Record<string, string> = {}) =>
    (await fetch(url, { method: 'POST', body: '{}', headers })).status
  afterEach(async () => {
    const { output } = await endpoint(['list', '--json'])
    for (const { owner, name } of JSON.parse(output).endpoints) {
      await endpoint(['delete', `${owner}/${name}`])
    }
    telegram.calls.length = 0
  })

  test('create prints a URL that works; it stays while its settings change, until rotate and delete', async () => {
    const { output: url, errors } = await create('orders', ['--workflow', 'orders'])
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/-\/octo\/[\w-]{22}$/)
    expect(errors).toContain('anyone with the URL can send events')
    expect(await shown('orders')).toMatchObject({
      ...{ repository: 'octo/shop', workflow: 'orders', trigger: 'webhook' },
      ...{ dispatch: 'repository', credential: 'token' },
    })
    expect(await post(url)).toBe(200)
    expect(github.calls.at(-1)).toMatchObject({
      url: '/repos/octo/shop/dispatches',
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    const condition = ['--if', "body.live == 'yes'", '--expect', '2h', '--batch', '60']
    expect((await endpoint(['update', 'orders', ...condition])).errors).toBe('')
    expect(await shown('orders')).toMatchObject({
      if: "body.live == 'yes'",
      expect: '2h',
      batch: 60,
    })
    await endpoint(['update', 'orders', '--remove', 'if', 'expect', 'batch'])
    expect(await shown('orders')).not.toHaveProperty('batch')
    expect((await endpoint(['show', 'octo/orders', '--url'])).output).toBe(url)
    const { output: fresh } = await endpoint(['rotate', 'orders'])
    expect([await post(url), await post(fresh)]).toEqual([401, 200])
    expect((await endpoint(['delete', 'orders'])).output).toBe('octo/orders is deleted')
    expect(await post(fresh)).toBe(401)
  })

  test('create reads dispatch mode, verification and filter from the workflow', async () => {
    await create('direct', ['--workflow', 'direct.yml'])
    expect(await shown('direct')).toMatchObject({ dispatch: 'workflow', trigger: 'webhook' })
    const open = await create('open', ['--workflow', 'pay'])
    expect(open.errors).toContain('checked in the workflow only: the signature')
    expect(open.errors).toContain('checked in the workflow only: the filter: body.type')
    const { output, errors } = await create('pay', ['--workflow', 'pay'], { STRIPE_SECRET: SECRET })
    expect(errors).toContain('verified at the relay: stripe')
    expect(await shown('pay')).toMatchObject({ verify: ['stripe'] })
    expect(await post(output)).toBe(401)
    await create('named', ['--workflow', 'pay', '--secret-env', 'OTHER'], { OTHER: SECRET })
    expect(await shown('named')).toMatchObject({ verify: ['stripe'] })
  })

  test.each([
    ['a workflow that is absent', ['--workflow', 'order'], 1, 'did you mean "orders"'],
    ['a workflow that no relay starts', ['--workflow', 'push'], 1, 'listens neither for'],
    [
      'an unknown trigger',
      ['--workflow', 'orders', '--trigger', 'webhok'],
      1,
      'did you mean "webhook"',
    ],
    ['several triggers', ['--workflow', 'both'], 2, '--trigger messaging_bot'],
    [
      'another mode',
      ['--workflow', 'orders', '--dispatch', 'workflow'],
      1,
      'Use --dispatch repository',
    ],
    ['no workflow', [], 2, '--workflow is missing'],
    [
      'a ref of repository_dispatch',
      ['--workflow', 'orders', '--dispatch', 'repository', '--ref', 'x'],
      2,
      '--ref',
    ],
    ['an invalid condition', ['--workflow', 'orders', '--if', 'body.a ='], 1, '--if'],
    ['a scheme without secret', ['--workflow', 'orders', '--sender', 'trello'], 1, '--secret-env'],
    [
      'an unset secret',
      ['--workflow', 'orders', '--sender', 'stripe', '--secret-env', 'NO'],
      1,
      'NO is not set',
    ],
    ['any workflow without mode', ['--any-workflow'], 2, '--dispatch'],
    ['any workflow with a workflow', ['--any-workflow', '--workflow', 'orders'], 2, '--workflow'],
    [
      'another repository',
      ['--workflow', 'orders', '--repository', 'octo/none'],
      1,
      'octo/none does not exist',
    ],
    [
      'an invalid interval',
      ['--workflow', 'orders', '--expect', 'soon'],
      1,
      'invalid duration "soon"',
    ],
    [
      'a bot for another trigger',
      ['--workflow', 'orders', '--bot-token-env', 'BOT'],
      1,
      'messaging_bot',
    ],
  ] as const)('create refuses %s, and stores nothing', async (_, args, code, term) => {
    expect(await create('x', args)).toMatchObject({ code, errors: expect.stringContaining(term) })
    expect(JSON.parse((await endpoint(['list', '--json'])).output).endpoints).toEqual([])
  })

  test('create names the flag if the relay has no credential of its own', async () => {
    const args = ['create', 'x', '--repository', 'octo/shop', '--workflow', 'orders']
    expect((await endpoint(args)).errors).toContain('Add --credential token')
  })

  test('without a token that reads the repository, flags name what the workflow declares', async () => {
    const env = { HOOKLINE_DATA: relay.data, HOOKLINE_API_URL: github.url }
    const args = ['create', 'x', '--repository', 'octo/shop', '--workflow', 'orders']
    const without = (more: readonly string[]) =>
      runCommand('endpoint', { arguments: [...args, ...more], env })
    expect((await without([])).errors).toContain('there is no token that reads it')
    // The next check is the relay's.
    const named = await without(['--trigger', 'webhook', '--dispatch', 'repository'])
    expect(named.errors).toContain('no GitHub credential of its own')
  })

  test('an endpoint for any workflow starts the one that the URL names', async () => {
    const args = ['--any-workflow', '--dispatch', 'repository']
    const { output: url } = await create('any', args)
    expect(await post(`${url}/orders/webhook`)).toBe(200)
    expect((await endpoint(['list'])).output).toMatch(/^octo\/any +octo\/shop any workflow/m)
  })

  test('list and show name what an endpoint starts and checks, and no secret, token or URL', async () => {
    const checks = ['--if', 'body.live == true', '--sender', 'stripe', '--secret-env', 'SENDER']
    const made = await create('pay', ['--workflow', 'orders', ...checks, '--json'], {
      SENDER: SECRET,
    })
    const { url, endpoint: stored } = JSON.parse(made.output)
    expect(stored.name).toBe('pay')
    const list = await endpoint(['list'])
    expect(list.output).toMatch(/^NAME +STARTS +CHECKS +EVENTS\n/)
    expect(list.output).toMatch(
      /^octo\/pay +octo\/shop orders\/webhook +stripe, if body\.live == true +no event yet$/m,
    )
    const show = await endpoint(['show', 'pay'])
    expect(show.output).toMatch(/^credential +token$/m)
    const all = [list, show, made, await endpoint(['list', '--json'])]
    const printed = all.map(({ output, errors }) => output + errors).join('\n')
    for (const secret of [SECRET, TOKEN]) expect(printed).not.toContain(secret)
    expect(list.output + show.output).not.toContain(new URL(url).pathname)
  })

  test('send reaches an endpoint by its name or its URL, and doctor checks it', async () => {
    const { output: url } = await create('orders', ['--workflow', 'orders'])
    for (const to of [['--endpoint', 'orders'], [url]]) {
      const sent = await runCommand('send', { arguments: [...to, '--data', '{}'], env: settings() })
      expect(sent).toMatchObject({
        code: 0,
        output: expect.stringMatching(/\/-\/octo\/\*\*\*\n200 /),
      })
      expect(sent.output + sent.errors).not.toContain(new URL(url).pathname)
    }
    const checked = await runCommand('doctor', {
      arguments: ['--endpoint', 'orders'],
      env: settings(),
    })
    expect(checked.output).toMatch(
      /^ok +endpoint +octo\/orders starts octo\/shop orders\/webhook by repository_dispatch$/m,
    )
    expect(checked.output).toMatch(/^ok +relay +the relay at http:\S+ is up/m)
    const unknown = await runCommand('doctor', { arguments: ['--endpoint', 'no'], env: settings() })
    expect(unknown).toMatchObject({ code: 1, errors: expect.stringContaining('no endpoint no') })
  })

  test('a GitHub token manages exactly its own endpoints', async () => {
    await create('admins', ['--workflow', 'orders'])
    const other = `ghp_${'x'.repeat(36)}`
    const env = { HOOKLINE_API_URL: github.url, HOOKLINE_GITHUB_TOKEN: other }
    const byToken = (args: readonly string[]) =>
      runCommand('endpoint', { arguments: [...args, '--relay', relay.url], env })
    const place = ['--repository', 'octo/shop', '--workflow', 'orders']
    expect(await byToken(['create', 'mine', ...place])).toMatchObject({ code: 0 })
    expect((await byToken(['list'])).output).not.toContain('admins')
    expect((await byToken(['show', 'octo/admins'])).errors).toContain('no such endpoint')
    expect((await byToken(['delete', 'mine'])).output).toBe('octo/mine is deleted')
  })

  test('a bot is registered, registered again by rotate, and removed by delete', async () => {
    const env = { BOT: BOT_TOKEN }
    const bot = ['--bot-token-env', 'BOT']
    const made = await create('bot', ['--workflow', 'bot', ...bot], env)
    expect(made.errors).toContain('registered with the bot')
    expect(telegram.webhook).toMatchObject({ url: made.output })
    const [call] = telegram.calls
    expect(call?.parameters.allowed_updates).toContain('callback_query')
    const secret = (name = 'x-telegram-bot-api-secret-token') => ({
      [name]: telegram.webhook?.secret_token ?? '',
    })
    expect([await post(made.output), await post(made.output, secret())]).toEqual([401, 200])
    expect((await endpoint(['rotate', 'bot'])).errors).toContain('--bot-token-env')
    const rotated = await endpoint(['rotate', 'bot', ...bot], env)
    expect(telegram.webhook).toMatchObject({ url: rotated.output })
    expect(await post(rotated.output, secret())).toBe(200)
    const deleted = await endpoint(['delete', 'bot', ...bot], env)
    expect(deleted.output).toBe('octo/bot is deleted')
    expect(telegram.webhook).toBeUndefined()
    const printed = [made, rotated, deleted].map(({ output, errors }) => output + errors).join('')
    expect(printed).not.toContain(BOT_TOKEN)
  })

  test('a bot that was registered in another way needs no token for rotate and delete', async () => {
    for (const verify of [[], ['--sender', 'stripe', '--secret-env', 'KEY']]) {
      const made = await create('bot', ['--workflow', 'bot', ...verify], { KEY: SECRET })
      expect(made).toMatchObject({ code: 0 })
      const rotated = await endpoint(['rotate', 'bot'])
      expect(rotated).toMatchObject({ code: 0 })
      expect(rotated.output).not.toBe(made.output)
      expect((await endpoint(['delete', 'bot'])).errors).not.toContain('deleteWebhook')
    }
  })

  test('a bot that is not registered leaves no endpoint, and its token is in no error', async () => {
    const unknown = BOT_TOKEN.replace('110201543', '1')
    const bot = ['--workflow', 'bot', '--bot-token-env', 'BOT']
    for (const token of [unknown, 'no-token']) {
      const { code, errors } = await create('bot', bot, { BOT: token })
      expect(code).toBe(1)
      expect(errors).not.toContain(token)
    }
    const asValue = await create('bot', ['--workflow', 'bot', '--bot-token-env', BOT_TOKEN])
    expect(asValue.code).toBe(2)
    expect(asValue.errors).not.toContain(BOT_TOKEN)
    expect(JSON.parse((await endpoint(['list', '--json'])).output).endpoints).toEqual([])
  })

  test.each([
    [['show', 'nobody'], 1, 'has no endpoint nobody'],
    [['show', 'octo/nobody'], 1, 'no such endpoint'],
    [['show', '../orders'], 1, 'not the name'],
    [['update', 'octo/pay', '--remove', 'path'], 2, 'path'],
    [['update', 'octo/pay', '--if', 'body.a', '--remove', 'ref', 'if'], 2, '--remove if'],
    [['update', 'octo/pay', '--sender', 'stripe', '--remove', 'verify'], 2, '--sender cannot'],
    [['update', 'octo/pay', '--target', 'octo/b:c', '--remove', 'targets'], 2, '--target cannot'],
  ] as const)('%j is refused', async (args, code, term) => {
    expect(await endpoint(args)).toMatchObject({ code, errors: expect.stringContaining(term) })
  })
})
