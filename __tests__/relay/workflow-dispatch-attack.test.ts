import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { ENDPOINT_RUNTIMES, endpointsOf } from '../support/endpoint-relays.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { send } from '../support/raw-http.ts'
import type { RelayUnderTest } from '../support/relays.ts'

const STARTED = { status: 200, body: '{"html_url":"https://github.com/o/r/actions/runs/42"}' }
const problem = (status: number) => ({ status, body: '{"message":"x"}' })

let github: GitHub
let relay: RelayUnderTest
beforeAll(async () => {
  github = await startGitHub()
})
afterEach(async () => {
  github.reset()
  await relay.close()
})
afterAll(() => github.close())

const [[, startOnNode] = []] = ENDPOINT_RUNTIMES
let addressOf: ReturnType<typeof endpointsOf>

async function begin(ref: string): Promise<void> {
  if (!startOnNode) throw new Error('there is no runtime')
  relay = await startOnNode({ env: { HOOKLINE_API_URL: github.url } })
  addressOf = endpointsOf(() => relay, { dispatch: 'workflow', ...(ref && { ref }) })
}

async function ask(token: string, path = '/o/r/hook/webhook') {
  return send(relay.url, { method: 'POST', target: await addressOf(path, { token }) })
}

const MINE = 'ghp_0123456789abcdefghij'
const STRANGERS = 'ghp_abcdefghij0123456789'
const asked = () => github.calls.map(({ body }) => JSON.parse(body || '{}'))

describe('a rejected request of one sender does not affect others:', () => {
  test.each([401, 403, 404, 422, 429])(
    'the version of the API and the field for the run, after 400 and %i',
    async (status) => {
      await begin('main')
      const refused = Array.from({ length: 8 }, () => problem(status))
      github.next(problem(400), ...refused)
      expect((await ask(STRANGERS)).status).toBeGreaterThanOrEqual(400)
      github.reset()
      const answer = await ask(MINE)
      expect(answer.headers['x-hookline-run']).toBe('https://github.com/o/r/actions/runs/42')
      expect(asked()).toEqual([{ ref: 'main', inputs: expect.anything() }])
      expect(github.calls[0]?.headers['x-github-api-version']).toBe('2026-03-10')
    },
  )

  test.each([401, 403, 404])('the default branch, refused by %i', async (status) => {
    await begin('')
    github.next({ status, body: '{"default_branch":"evil"}' })
    expect((await ask(STRANGERS)).status).toBeGreaterThanOrEqual(400)
    github.reset()
    github.next({ status: 200, body: '{"default_branch":"main"}' }, STARTED)
    expect((await ask(MINE)).status).toBe(200)
    expect(asked().at(-1)?.ref).toBe('main')
  })

  test('the default branch, for a repository of the same name with another owner', async () => {
    await begin('')
    github.next({ status: 200, body: '{"default_branch":"evil"}' }, STARTED)
    await ask(STRANGERS, '/stranger/r/hook/webhook')
    github.reset()
    github.next({ status: 200, body: '{"default_branch":"main"}' }, STARTED)
    expect((await ask(MINE)).status).toBe(200)
    expect(asked().at(-1)?.ref).toBe('main')
  })
})
