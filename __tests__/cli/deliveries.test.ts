import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { RunningCommand } from '../support/cli.ts'
import { runCommand } from '../support/command.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { describeOnNode24 } from '../support/node24.ts'
import { publishedWorkflows } from '../support/published-workflows.ts'
import { type RelayProcess, startRelayProcess } from '../support/relay-process.ts'
import { TOKEN } from '../support/scene.ts'
import { LISTENING } from './doctor/stand-in.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

describeOnNode24('hookline deliveries', () => {
  let github: GitHub
  let relay: RelayProcess
  let url: string
  const answering = publishedWorkflows({ 'orders.yml': LISTENING })
  beforeAll(async () => {
    github = await startGitHub({ listsRunsByRule: true })
    relay = await startRelayProcess({
      HOOKLINE_API_URL: github.url,
      HOOKLINE_GITHUB_TOKEN: TOKEN,
    })
  }, 60_000)
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
      for (const state of ['dead', 'delivered']) {
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

  test('show prints one delivery with its payload', async () => {
    const id = await post()
    const { output } = await deliveries('show', id.toUpperCase())
    expect(output).toMatch(new RegExp(`^id +${id}$`, 'm'))
    expect(output).toContain('"body": "{\\"order\\":7}"')
    const { payload } = JSON.parse((await deliveries('show', id, '--json')).output)
    expect(payload).toMatchObject({ path: 'orders/webhook', method: 'POST' })
  })

  test('replay delivers a dead letter again; delete asks, and removes it', async () => {
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
    // The endpoint's name is free again, and its credential starts the workflow.
    expect((await deliveries('replay', second, ...one)).output).toBe('1 delivery replayed')
    const many = ['--reason', 'endpoint_deleted', ...one]
    const { output } = await deliveries('replay', ...many, '--json')
    expect(JSON.parse(output).replayed).toBeGreaterThanOrEqual(1)
  })

  test('a filter selects the deliveries that are deleted', async () => {
    await post()
    await run('endpoint', ['delete', 'orders'])
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
  }, 30_000)

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
