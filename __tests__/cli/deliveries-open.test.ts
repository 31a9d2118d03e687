import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { RunningCommand } from '../support/cli.ts'
import { runCommand } from '../support/command.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { ask, EventReader, rememberKey } from '../support/inspector.ts'
import { describeOnNode24 } from '../support/node24.ts'
import { publishedWorkflows } from '../support/published-workflows.ts'
import { type RelayProcess, startRelayProcess } from '../support/relay-process.ts'
import { TOKEN } from '../support/scene.ts'
import { LISTENING } from './doctor/stand-in.ts'

describeOnNode24('hookline deliveries --open', () => {
  let github: GitHub
  let relay: RelayProcess
  let url: string
  const answering = publishedWorkflows({ 'orders.yml': LISTENING })
  const settings = () => ({
    HOOKLINE_DATA: relay.data,
    HOOKLINE_API_URL: github.url,
    HOOKLINE_GITHUB_TOKEN: TOKEN,
  })
  const run = (name: string, args: readonly string[]) =>
    runCommand(name, { arguments: args, env: settings() })
  beforeAll(async () => {
    github = await startGitHub({ listsRunsByRule: true })
    relay = await startRelayProcess({
      HOOKLINE_API_URL: github.url,
      HOOKLINE_GITHUB_TOKEN: TOKEN,
    })
    github.always(answering)
    const place = ['--repository', 'octo/shop', '--workflow', 'orders']
    url = (await run('endpoint', ['create', 'orders', ...place])).output.trim()
    // GitHub is unavailable, so that every event waits.
    github.always((call, response) =>
      call.method === 'POST' ? { status: 503 } : answering(call, response),
    )
  })
  afterAll(() => Promise.all([relay.close(), github.close()]))

  const post = async (body: string) => {
    const response = await fetch(url, { method: 'POST', body })
    return response.headers.get('x-hookline-delivery') ?? ''
  }

  test('shows the deliveries of a relay, each with its request and its stages', async () => {
    const first = await post('{"order":7}')
    const command = new RunningCommand(['deliveries', '--open', '--endpoint', 'orders'], {
      env: settings(),
    })
    const [, address = ''] = await command.printed(/^Inspector of \S+: (http:\S+)\n/)
    rememberKey(address)
    const base = new URL(address).origin
    const reader = new EventReader(base)
    expect(await reader.summaries(1)).toMatchObject([
      { id: first, outcome: 'waiting', relay: { endpoint: 'octo/orders', canReplay: true } },
    ])
    const second = await post('{"order":8}')
    // An attempt for the first one may be told before.
    for (let told = 2; ; told++) {
      if ((await reader.summaries(told)).some(({ id }) => id === second)) break
    }
    const detail = JSON.parse((await ask(base, `/inspector/requests/${first}`)).body)
    expect(detail).toMatchObject({ request: { method: 'POST', body: '{"order":7}' } })
    const stages = detail.stages.map(({ stage, state }: { stage: string; state: string }) => [
      stage,
      state,
    ])
    expect(stages).toEqual([
      ['received', 'ok'],
      ['verified', 'skipped'],
      ['filtered', 'skipped'],
      ['sent', 'waiting'],
    ])
    const replay = await ask(base, '/inspector/replay', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ids: [first] }),
    })
    expect(JSON.parse(replay.body)).toEqual({ ids: [first], failures: [], failed: 0 })
    // Another page, and a browser without the key, get nothing.
    for (const headers of [{ Origin: 'http://evil.example' }, { Cookie: '' }]) {
      expect((await ask(base, `/inspector/requests/${first}`, { headers })).status).toBe(403)
    }
    expect((await ask(base, '/elsewhere')).status).toBe(404)
    await reader.close()
    await command.stop()
  })

  test.each(['--watch', '--json'])('with %s it is refused', async (flag) => {
    expect(await run('deliveries', ['--open', flag])).toMatchObject({
      code: 2,
      errors: expect.stringContaining('--open cannot be combined'),
    })
  })
})
