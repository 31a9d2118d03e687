import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { DispatchMode } from '../../../src/wire/payload.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { startOnNode } from '../../support/relays.ts'
import { TOKEN } from '../../support/scene.ts'
import { codes, examineAt } from './examination.ts'
import { json, PUSH, type Setting, STARTED_DIRECTLY } from './stand-in.ts'

let platform: GitHub

beforeAll(async () => {
  platform = await startGitHub({ listsRunsByRule: true })
})
beforeEach(() => platform.reset())
afterAll(() => platform.close())

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** The address of a server that is closed after the test. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A relay of an older version, without `/.well-known/hookline`. */
function answersAsRelay(post: RequestListener): RequestListener {
  return (request, response) => {
    if (request.method !== 'GET') return post(request, response)
    if (request.url === '/') return response.end('This is a Hookline relay.')
    if (request.url === '/healthz') return response.end('ok\n')
    return response.writeHead(404).end()
  }
}

describe('the relay', () => {
  test('is up', async () => {
    const relay = await startOnNode({ env: { HOOKLINE_API_URL: platform.url } })
    const findings = await examineAt(platform, { scopes: 'repo' }, { relay: relay.url })
    await relay.close()
    expect(findings.at(-1)).toMatchObject({ check: 'relay', status: 'ok' })
  })

  const DIRECTLY = { workflows: { 'hook.yml': STARTED_DIRECTLY } }
  const MODES: readonly (readonly [
    string,
    Setting,
    DispatchMode,
    DispatchMode | undefined,
    string[],
  ])[] = [
    ['a listening workflow', {}, 'repository', undefined, []],
    ['the other listener', {}, 'workflow', undefined, ['workflow_not_listening']],
    ['a workflow started directly', DIRECTLY, 'workflow', undefined, []],
    ['no listener', DIRECTLY, 'repository', undefined, ['workflow_not_listening']],
    ['another --dispatch', {}, 'workflow', 'repository', ['relay_other_dispatch']],
  ]
  test.each(MODES)(
    'publishes its dispatch mode: %s',
    async (_, setting, ofRelay, dispatch, expected) => {
      const env = {
        HOOKLINE_API_URL: platform.url,
        HOOKLINE_FORGE: ofRelay === 'workflow' ? 'gitea' : 'github',
      }
      const relay = await startOnNode({ env })
      for (const workflow of ['hook', undefined]) {
        const target = { relay: relay.url, dispatch, workflow }
        const findings = await examineAt(platform, { scopes: 'repo', ...setting }, target)
        expect(codes(findings)).toEqual(expected)
        const missing = findings.find(({ code }) => code === 'workflow_not_listening')
        if (missing) expect(missing.hint).toContain('--dispatch')
      }
      await relay.close()
    },
  )

  test('of an older version does not publish its dispatch mode, which is no failure', async () => {
    const relay = await serve(answersAsRelay(() => {}))
    const findings = await examineAt(platform, { scopes: 'repo' }, { relay })
    expect(findings.filter(({ check }) => check === 'relay')).toMatchObject([
      { status: 'ok' },
      { status: 'unknown', code: 'relay_mode_unknown' },
    ])
  })

  test('is unreachable', async () => {
    const findings = await examineAt(platform, { scopes: 'repo' }, { relay: 'http://127.0.0.1:9' })
    expect(codes(findings)).toEqual(['relay_unreachable'])
  })

  test.each([
    ['another page', 200, '<html>Welcome</html>'],
    ['an error of a proxy', 502, 'Bad Gateway'],
  ])('is hidden by %s', async (_, status, text) => {
    const relay = await serve((_, response) => response.writeHead(status).end(text))
    const findings = await examineAt(platform, { scopes: 'repo' }, { relay })
    expect(codes(findings)).toEqual(['relay_not_hookline'])
  })
})

describe('a real event', () => {
  const SEND = { workflow: 'hook', testEventTimeout: 1 }

  test('sends one event by way of the relay, and finds its run', async () => {
    const relay = await startOnNode({ env: { HOOKLINE_API_URL: platform.url } })
    const setting = { scopes: 'repo', starts: 'hook.yml' }
    const findings = await examineAt(platform, setting, { ...SEND, relay: relay.url })
    await relay.close()
    expect(findings.at(-1)).toMatchObject({
      check: 'delivery',
      status: 'ok',
      message: expect.stringContaining('/actions/runs/7'),
    })
    const events = platform.calls.filter(({ url }) => url.endsWith('/dispatches'))
    expect(events.map(({ body }) => JSON.parse(body).client_payload)).toMatchObject([
      { path: 'hook/webhook', method: 'POST', body: '{"hookline":"doctor"}' },
    ])
  })

  test('is sent to the shorter URL of a relay for one repository', async () => {
    const relay = await startOnNode({
      env: { HOOKLINE_API_URL: platform.url },
      repository: 'octo/repo',
    })
    const setting = { scopes: 'repo', starts: 'hook.yml' }
    const findings = await examineAt(platform, setting, { ...SEND, relay: relay.url })
    await relay.close()
    expect(codes(findings)).toEqual([])
  })

  test('a relay with its own token accepts another one only with --allow-tokens', async () => {
    const own = { HOOKLINE_API_URL: platform.url, HOOKLINE_GITHUB_TOKEN: TOKEN }
    const setting = { scopes: 'repo', starts: 'hook.yml' }
    const found = []
    for (const env of [own, { ...own, HOOKLINE_ALLOW_TOKENS: 'true' }]) {
      const relay = await startOnNode({ env })
      found.push(codes(await examineAt(platform, setting, { ...SEND, relay: relay.url })))
      await relay.close()
    }
    expect(found).toEqual([['invalid_token'], []])
  })

  const DIRECT: readonly (readonly [string, Setting, string])[] = [
    [
      'a token that may not dispatch',
      { dispatch: json(403, { message: 'Resource not accessible' }) },
      'dispatch_refused',
    ],
    ['an event that starts nothing', {}, 'run_missing'],
    ['a run of another workflow', { starts: 'other.yml' }, 'run_missing'],
    ['runs that the token may not see', { runs: json(403, {}) }, 'runs_unreadable'],
  ]
  test.each(DIRECT)('without a relay, finds %s', async (_, setting, code) => {
    const findings = await examineAt(platform, { scopes: 'repo', ...setting }, SEND)
    expect(codes(findings)).toEqual([code])
  })

  test.each([
    ['begun a second before, by the clock of GitHub', -1_000, []],
    ['begun a minute before', -60_000, ['run_missing']],
  ])('without a relay, a run that was %s', async (_, milliseconds, expected) => {
    const created_at = new Date(Date.now() + milliseconds).toISOString()
    const run = {
      ...{ id: 7, path: '.github/workflows/hook.yml', created_at, html_url: 'https://x/7' },
      ...{ event: 'repository_dispatch', status: 'completed', conclusion: 'success' },
    }
    const setting = { scopes: 'repo', runs: json(200, { workflow_runs: [run] }) }
    expect(codes(await examineAt(platform, setting, SEND))).toEqual(expected)
  })

  test.each([
    ['a 502', json(502, {})],
    ['a limit', json(429, {}, { 'retry-after': '1' })],
  ])('is found after %s while doctor looks for the run', async (_, fault) => {
    const setting = { scopes: 'repo', starts: 'hook.yml' }
    const findings = await examineAt(
      platform,
      { ...setting, runFaults: [fault] },
      { ...SEND, testEventTimeout: 20 },
    )
    expect(codes(findings)).toEqual([])
    expect(findings.at(-1)).toMatchObject({ check: 'delivery', status: 'ok' })
  })

  test.each([
    ['failure', 1, 'run_failed'],
    ['startup_failure', 1, 'run_failed'],
    // GitHub gives this if a policy does not allow the event.
    ['failure', 0, 'run_not_allowed'],
    ['skipped', 1, 'run_skipped'],
    [null, 1, 'run_not_ended'],
  ])(
    'takes a run that ended with %s, with %i jobs, for what it is',
    async (conclusion, jobs, code) => {
      const setting = { scopes: 'repo', starts: 'hook.yml', conclusion, jobs }
      expect(codes(await examineAt(platform, setting, SEND))).toEqual([code])
    },
  )

  test.each(['hook.yml', 'hook.yaml'])('starts %s directly by its own name', async (file) => {
    const workflows = { [file]: STARTED_DIRECTLY }
    const findings = await examineAt(
      platform,
      { scopes: 'repo', workflows },
      { ...SEND, dispatch: 'workflow' },
    )
    expect(codes(findings)).toEqual([])
    expect(findings.at(-1)).toMatchObject({ check: 'delivery', status: 'ok' })
  })

  test('that a relay does not answer may have arrived', async () => {
    const relay = await serve(answersAsRelay(({ socket }) => socket.destroy()))
    const findings = await examineAt(platform, { scopes: 'repo' }, { ...SEND, relay })
    expect(codes(findings)).toEqual(['relay_mode_unknown', 'delivery_unanswered'])
  })

  test('may be stored by the relay', async () => {
    const headers = {
      'x-hookline-queued': 'true',
      'x-hookline-delivery': '0b6c5a3e-7d1f-4c58-9a55-2f6f0e9a1c11',
    }
    const queues = answersAsRelay((_, response) => response.writeHead(202, headers).end('{}'))
    const target = { ...SEND, relay: await serve(queues) }
    const findings = await examineAt(platform, { scopes: 'repo' }, target)
    expect(codes(findings)).toEqual(['relay_mode_unknown', 'delivery_queued'])
  })

  test('sends nothing while something else is broken', async () => {
    const broken = { scopes: 'repo', workflows: { 'hook.yml': PUSH } }
    const findings = await examineAt(platform, broken, SEND)
    expect(codes(findings)).toEqual(['workflow_not_listening'])
    expect(platform.calls.filter(({ method }) => method === 'POST')).toEqual([])
  })
})
