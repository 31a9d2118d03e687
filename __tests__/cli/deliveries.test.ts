import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { RunningCommand } from '../support/cli.ts'
import { runCommand } from '../support/command.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { describeOnNode24 } from '../support/node24.ts'
import { publishedWorkflows } from '../support/published-workflows.ts'
import { type RelayProcess, startRelayProcess } from '../support/relay-process.ts'
import { TOKEN } from '../support/scene.ts'
import { until } from '../support/until.ts'
import { LISTENING } from './doctor/stand-in.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

describeOnNode24('hookline deliveries', () => {
  let github: GitHub
  let relay: RelayProcess
  let url: string
  const answering = publishedWorkflows({ 'orders.yml': LISTENING, 'mail.yml': LISTENING })
  beforeAll(async () => {
    github = await startGitHub({ listsRunsByRule: true })
    relay = await startRelayProcess({
      HOOKLINE_API_URL: github.url,
      HOOKLINE_GITHUB_TOKEN: TOKEN,
    })
  })
  afterAll(() => Promise.all([relay.close(), github.close()]))

  const run = (name: string, args: readonly string[]) =>
    runCommand(name, {
      arguments: args,
      env: {
        HOOKLINE_DATA: relay.data,
        HOOKLINE_API_URL: github.url,
        HOOKLINE_GITHUB_TOKEN: TOKEN,
      },
    })
  const deliveries = (...args: readonly string[]) => run('deliveries', args)
  const listed = async (...args: readonly string[]) => {
    const { output, errors } = await deliveries(...args, '--json')
    if (output === '') throw new Error(errors)
    return JSON.parse(output).deliveries
  }
  const create = async (name: string) => {
    github.always(answering)
    const place = ['--repository', 'octo/shop', '--workflow', 'orders']
    const { output, errors } = await run('endpoint', ['create', name, ...place])
    if (output === '') throw new Error(errors)
    github.always((call, response) =>
      call.method === 'POST' ? { status: 503 } : answering(call, response),
    )
    return output
  }
  /** An event that waits, because GitHub is unavailable. @returns its delivery id */
  const post = async (to = url) => {
    const response = await fetch(to, { method: 'POST', body: '{"order":7}' })
    expect(response.status).toBe(202)
    return response.headers.get('x-hookline-delivery') ?? ''
  }
  beforeEach(async () => {
    for (const { owner, name } of JSON.parse((await run('endpoint', ['list', '--json'])).output)
      .endpoints) {
      await run('endpoint', ['delete', `${owner}/${name}`])
    }
    // A replayed dead letter of a deleted endpoint is one again after its next attempt.
    while ((await listed()).length > 0) {
      for (const state of ['dead', 'delivered', 'waiting', 'filtered']) {
        await deliveries('delete', '--state', state, '--repository', 'octo/shop', '--yes')
      }
    }
    url = await create('orders')
  })

  test('list names state, reason, endpoint and repository of each delivery, newest first', async () => {
    const [first, second] = [await post(), await post()]
    const { output, code } = await deliveries()
    expect(code).toBe(0)
    expect(output).toMatch(/^RECEIVED +STATE +REPOSITORY +ENDPOINT +DELIVERY +RUN\n/)
    expect(output).toMatch(new RegExp(`^\\d+ s ago +\\w+.* +octo/shop +orders +${first}$`, 'm'))
    const both = await listed()
    expect(both.map(({ id }: { id: string }) => id)).toEqual([second, first])
    expect(both).toMatchObject([
      { owner: 'octo', endpoint: 'orders', repository: 'octo/shop', state: expect.any(String) },
      {},
    ])
    expect(await listed('--limit', '1')).toHaveLength(1)
    expect(await listed('--endpoint', 'orders', '--since', '1h')).toHaveLength(2)
    expect(await listed('--until', '1h')).toEqual([])
    expect(await listed('--repository', 'octo/other')).toEqual([])
    expect(await listed('--state', 'dead')).toEqual([])
  })

  test('show tells the stages of a delivery, and its request', async () => {
    const id = await post()
    const { output } = await deliveries('show', id.toUpperCase())
    expect(output).toMatch(new RegExp(`^delivery +${id}$`, 'm'))
    expect(output).toMatch(/^endpoint +octo\/orders$/m)
    expect(output).toMatch(/^received +ok +20\S+Z +POST orders\/webhook, 11 bytes$/m)
    expect(output).toMatch(/^sent +waiting +20\S+Z +(?:github_unavailable|queued)/m)
    // Only a fault has details, each in a line of its own.
    expect(output).toMatch(/^received .*\nverified .*\nfiltered .*\nsent /m)
    expect(output).toMatch(/^POST orders\/webhook$/m)
    expect(output).toContain('{"order":7}')
    const shown = JSON.parse((await deliveries('show', id, '--json')).output)
    expect(shown).toMatchObject({
      delivery: { id, state: 'waiting' },
      request: { method: 'POST', path: 'orders/webhook', body: '{"order":7}' },
    })
    expect(shown.stages.map(({ stage }: { stage: string }) => stage)).toEqual([
      'received',
      'verified',
      'filtered',
      'sent',
    ])
  })

  test('a filtered request is cured by the command that show prints', async () => {
    await run('endpoint', ['update', 'orders', '--if', 'body.order == 8'])
    const response = await fetch(url, { method: 'POST', body: '{"order":7}' })
    const id = response.headers.get('x-hookline-delivery') ?? ''
    await until(async () => (await listed('--state', 'filtered')).length === 1)
    const { output } = await deliveries('show', id)
    expect(output).toMatch(/^filtered +FAILED .*body\.order/m)
    expect(output).toContain('wanted: body.order == 8')
    const replay = `hookline deliveries replay ${id}`
    expect(output).toContain(`hookline endpoint update octo/orders --if '<condition>' && ${replay}`)
    const declined = await deliveries('replay', id)
    expect(declined).toMatchObject({ code: 1, output: expect.stringContaining('1 declined again') })
    github.always(answering)
    await run('endpoint', ['update', 'octo/orders', '--if', 'body.order == 7'])
    expect(await deliveries('replay', id)).toMatchObject({
      code: 0,
      output: `1 delivery replayed as ${id}`,
    })
  })

  test('several targets: each is a delivery, and targets can be removed', async () => {
    github.always(answering)
    const target = ['--target', 'octo/shop:orders']
    expect((await run('endpoint', ['update', 'orders', ...target])).errors).toContain('once')
    expect((await run('endpoint', ['update', 'orders', '--target', 'octo'])).errors).toContain(
      'does not name a repository and a workflow',
    )
    const other = ['--target', 'octo/shop:mail']
    expect((await run('endpoint', ['update', 'orders', ...other])).code).toBe(0)
    const { output } = await run('endpoint', ['show', 'orders', '--json'])
    expect(JSON.parse(output).endpoint.targets).toEqual(['octo/shop:mail/webhook'])
    expect((await run('endpoint', ['list'])).output).toContain('orders/webhook and 1 more')
    expect((await run('endpoint', ['update', 'orders', '--remove', 'targets'])).code).toBe(0)
  })

  test('replay refuses the events of a deleted endpoint; delete asks, and removes them', async () => {
    const ids = [await post(), await post(), await post()]
    await run('endpoint', ['delete', 'orders'])
    expect(await listed('--state', 'dead')).toHaveLength(3)
    const [first = '', second = ''] = ids
    expect((await deliveries('delete', first)).errors).toContain('--yes')
    expect(await listed('--state', 'dead')).toHaveLength(3)
    const one = ['--repository', 'octo/shop']
    expect((await deliveries('delete', first, ...one, '--yes')).output).toBe('1 delivery deleted')
    expect(await listed()).toHaveLength(2)
    github.always(answering)
    const refused = await deliveries('replay', second, ...one)
    expect(refused.code).toBe(1)
    expect(refused.errors).toContain('its endpoint was deleted')
    expect(refused.errors).toContain('hookline endpoint create')
    const many = ['--reason', 'endpoint_deleted', ...one]
    const { output } = await deliveries('replay', ...many, '--json')
    expect(JSON.parse(output)).toMatchObject({ replayed: 0, missing: 2 })
  })

  test('a filter selects the deliveries that are deleted', async () => {
    const id = await post()
    await run('endpoint', ['delete', 'orders'])
    // No endpoint tells the owner.
    expect((await deliveries('show', id)).output).toContain('octo/orders (deleted)')
    expect(await listed('--endpoint', 'orders')).toMatchObject([{ id }])
    expect(
      (await deliveries('delete', '--until', '1h', ...['--repository', 'octo/shop'], '--yes'))
        .output,
    ).toBe('0 deliveries deleted')
    const since = await deliveries('delete', '--since', '1h', '--repository', 'octo/shop', '--yes')
    expect(since.output).toBe('1 delivery deleted')
    expect(await listed('--state', 'dead')).toEqual([])
  })

  test('--watch prints the list again when it changes', async () => {
    const watch = new RunningCommand(['deliveries', '--watch', '--json'], {
      env: { HOOKLINE_DATA: relay.data },
    })
    await watch.printed(/\{"deliveries":\[\]\}/)
    const id = await post()
    await watch.printed(new RegExp(id))
    await watch.stop()
  })

  test.each([
    [['replay'], 2, 'no deliveries are selected'],
    [['delete', UNKNOWN, '--state', 'dead'], 2, 'cannot be combined'],
    [['show', 'x'], 1, '"x" is not a delivery id'],
    [['show', UNKNOWN], 1, 'no delivery has this id'],
    [['--state', 'lost'], 2, 'lost'],
    [['--since', 'soon'], 1, '--since: invalid time "soon"'],
    [['--endpoint', 'none'], 1, 'has no endpoint none'],
    [['--limit', '0'], 2, 'whole number'],
    [['--outcome', 'success', '--relay', 'http://relay.example.com'], 1, 'https'],
  ] as const)('%j is refused', async (args, code, term) => {
    expect(await deliveries(...args)).toMatchObject({
      code,
      errors: expect.stringContaining(term),
    })
  })
})
