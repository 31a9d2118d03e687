import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { ENDPOINT_RUNTIMES, endpointsOf } from '../support/endpoint-relays.ts'
import { type GitHub, type RecordedCall, startGitHub } from '../support/github.ts'
import { type RawRequest, send } from '../support/raw-http.ts'
import type { RelayUnderTest } from '../support/relays.ts'
import { withToken } from '../support/scene.ts'

const TOKEN = 'ghp_0123456789abcdefghij'
const RUN = 'https://github.com/o/r/actions/runs/42'

const CURRENT = '2026-03-10'
const OLDER = '2022-11-28'

/** The version of a call, and whether its body requests the run. */
const shown = ({ headers, body }: RecordedCall) => [
  headers['x-github-api-version'],
  'return_run_details' in JSON.parse(body || '{}'),
]

const [[, startOnNode] = []] = ENDPOINT_RUNTIMES

/** Calls of GitHub for the first event and for each later one, and the run in the response. */
const SERVERS = [
  {
    server: 'github.com',
    event: { first: [[CURRENT, false]], later: [[CURRENT, false]] },
    workflow: { first: [[CURRENT, false]], later: [[CURRENT, false]] },
    run: RUN,
  },
  {
    server: 'ghes',
    event: {
      first: [
        [CURRENT, false],
        [OLDER, false],
      ],
      later: [[OLDER, false]],
    },
    workflow: {
      first: [
        [CURRENT, false],
        [OLDER, true],
      ],
      later: [[OLDER, true]],
    },
    run: RUN,
  },
  {
    server: 'ghes-3.20',
    event: {
      first: [
        [CURRENT, false],
        [OLDER, false],
      ],
      later: [[OLDER, false]],
    },
    workflow: {
      first: [
        [CURRENT, false],
        [OLDER, true],
        [CURRENT, false],
        [OLDER, false],
      ],
      later: [[OLDER, false]],
    },
    run: undefined,
  },
] as const

describe.each(SERVERS)('on $server', ({ server, event, workflow, run }) => {
  let github: GitHub
  let relay: RelayUnderTest
  beforeAll(async () => {
    github = await startGitHub({ server })
  })
  afterEach(async () => {
    github.reset()
    await relay.close()
  })
  afterAll(() => github.close())

  async function begin(): Promise<void> {
    if (!startOnNode) throw new Error('there is no runtime')
    relay = await startOnNode({ env: { HOOKLINE_API_URL: github.url } })
  }

  /** The calls of each of three events. */
  async function callsOfThree(request: RawRequest) {
    const calls = []
    for (let count = 0; count < 3; count++) {
      const before = github.calls.length
      const response = await send(relay.url, request)
      expect([response.status, response.headers['x-hookline-run']]).toEqual([
        200,
        request.target?.startsWith('/-/') ? run : undefined,
      ])
      calls.push(github.calls.slice(before).map(shown))
    }
    return calls
  }

  test('repository_dispatch: what the server refuses is learned once', async () => {
    await begin()
    const target = '/o/r/hook/webhook'
    const calls = await callsOfThree(withToken({ method: 'POST', target, body: '{}' }))
    expect(calls).toEqual([event.first, event.later, event.later])
  })

  test('workflow_dispatch: what the server refuses is learned once', async () => {
    await begin()
    const to = endpointsOf(() => relay, { dispatch: 'workflow', token: TOKEN, ref: 'main' })
    const target = await to('/o/r/hook/webhook')
    const calls = await callsOfThree({ method: 'POST', target, body: '{}' })
    expect(calls).toEqual([workflow.first, workflow.later, workflow.later])
  })
})
