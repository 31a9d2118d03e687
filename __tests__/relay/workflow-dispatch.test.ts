import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { ENDPOINT_RUNTIMES, endpointsOf } from '../support/endpoint-relays.ts'
import { type GitHub, type RecordedCall, startGitHub } from '../support/github.ts'
import { send } from '../support/raw-http.ts'
import type { RelayUnderTest } from '../support/relays.ts'

const RUN = 'https://github.com/o/r/actions/runs/42'
const STARTED = { status: 200, body: JSON.stringify({ workflow_run_id: 42, html_url: RUN }) }
const NOT_FOUND = problem(404, 'Not Found')

function problem(status: number, message: string) {
  return { status, body: JSON.stringify({ message }) }
}

/** Messages from GitHub's own responses. */
const TEXT = {
  missingTrigger: "Workflow does not have 'workflow_dispatch' trigger",
  noInput: 'Unexpected inputs provided: ["hookline"]',
  otherInput: "Required input 'level' not provided",
  noRef: 'No ref found for: main',
}

const TOKEN = 'ghp_0123456789abcdefghij'

const fieldsOf = ({ body }: RecordedCall) => JSON.parse(body)

// On workerd the relay has a database, which queues failed events.
describe.each(ENDPOINT_RUNTIMES.slice(0, 1))('workflow_dispatch by a relay on %s', (_, start) => {
  let github: GitHub
  let relay: RelayUnderTest
  let addressOf: ReturnType<typeof endpointsOf>
  beforeEach(async () => {
    github = await startGitHub()
    relay = await begin()
    addressOf = endpointsOf(() => relay, { dispatch: 'workflow', token: TOKEN })
  })
  afterEach(async () => {
    await relay.close()
    await github.close()
  })

  function begin(): Promise<RelayUnderTest> {
    return start({ env: { HOOKLINE_API_URL: github.url } })
  }
  const call = async (
    target = '/o/r/hook/webhook/x?a=1',
    body = '{"n":1}',
    ref = { ref: 'main' },
  ) => send(relay.url, { method: 'POST', target: await addressOf(target, ref), body })

  test('starts the one workflow that the URL names, and says which run', async () => {
    github.next(STARTED)
    const answer = await call()
    expect(answer.status).toBe(200)
    expect(answer.headers['x-hookline-run']).toBe(RUN)
    expect(answer.headers['access-control-expose-headers']).toContain('X-Hookline-Run')
    const [made] = github.calls
    expect(made?.violations).toEqual([])
    expect(made).toMatchObject({
      method: 'POST',
      url: '/repos/o/r/actions/workflows/hook.yml/dispatches',
    })
    const { inputs, ...others } = fieldsOf(made as RecordedCall)
    expect(others).toEqual({ ref: 'main' })
    const payload = JSON.parse(inputs.hookline)
    expect(Object.keys(payload)).toEqual(['path', 'method', 'headers', 'body'])
    expect(payload).toMatchObject({ path: 'hook/webhook/x?a=1', method: 'POST', body: '{"n":1}' })
    expect(JSON.parse(relay.log.at(-1) ?? '')).toMatchObject({ run: RUN, status: 200, tries: 1 })
  })

  test.each([
    ['not an address', 'javascript:alert(1)'],
    ['of another page', 'https://github.com/o/r/settings'],
    ['with a line end', 'https://github.com/o/r\r\nx: y/actions/runs/1'],
  ])('a run that is %s is not told', async (_, html_url) => {
    github.next({ status: 200, body: JSON.stringify({ html_url }) })
    const answer = await call()
    expect([answer.status, answer.headers['x-hookline-run']]).toEqual([200, undefined])
  })

  test.each([
    ['a login page', '<html>'],
    ['cut off', '{"workflow_run_id":42,"html_'],
    ['of something else', '{"success":true}'],
  ])('a 200 that names no run, %s: not said to be accepted', async (_, body) => {
    github.next({ status: 200, body })
    const answer = await call()
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([502, 'github_unavailable'])
    expect(github.calls).toHaveLength(1)
  })

  test('a file that ends in .yaml is found, and remembered', async () => {
    github.next(NOT_FOUND, STARTED, STARTED)
    expect((await call('/o/r/other/webhook')).status).toBe(200)
    expect((await call('/o/r/other/webhook')).status).toBe(200)
    expect(github.calls.map(({ url }) => url.split('/').at(-2))).toEqual([
      'other.yml',
      'other.yaml',
      'other.yaml',
    ])
  })

  test.each([
    [403, 'repository_not_accessible', [problem(403, 'Resource not accessible by integration')]],
    [403, 'workflow_not_accessible', [NOT_FOUND, NOT_FOUND]],
    [422, 'workflow_not_listening', [problem(422, TEXT.missingTrigger)]],
    [422, 'workflow_not_listening', [problem(422, TEXT.noInput)]],
    [422, 'workflow_not_listening', [problem(422, TEXT.otherInput)]],
    [422, 'ref_not_found', [problem(422, TEXT.noRef)]],
    [413, 'payload_too_large', [problem(422, 'inputs are too large.')]],
    [401, 'invalid_token', [problem(401, 'Bad credentials')]],
  ])('%i %s', async (status, code, answers) => {
    github.next(...answers)
    const answer = await call('/o/r/refused/webhook')
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([status, code])
    if (status === 403) expect(JSON.parse(answer.body).error.hint).toContain('actions: write')
    expect(github.calls).toHaveLength(answers.length)
  })

  test('without a ref the default branch is looked up once, and again when it was renamed', async () => {
    const asking = await begin()
    const to = endpointsOf(() => asking, { dispatch: 'workflow', token: TOKEN })
    const ask = async () =>
      send(asking.url, { method: 'POST', target: await to('/o/r/hook/webhook') })
    const branch = (name: string) => ({
      status: 200,
      body: JSON.stringify({ default_branch: name }),
    })
    github.next(branch('trunk'), STARTED, STARTED)
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
    expect(github.calls.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST'])
    expect(fieldsOf(github.calls[1] as RecordedCall).ref).toBe('trunk')
    github.next(problem(422, TEXT.noRef), branch('main'), STARTED)
    expect((await ask()).status).toBe(200)
    expect(fieldsOf(github.calls.at(-1) as RecordedCall).ref).toBe('main')
    await asking.close()
  })

  test('a renamed repository is followed, for each question of the event', async () => {
    const asking = await begin()
    const to = endpointsOf(() => asking, { dispatch: 'workflow', token: TOKEN })
    const target = await to('/o/r/hook/webhook')
    const location = `${github.url}/repositories/7`
    github.next(
      { status: 301, headers: { location } },
      { status: 200, body: '{"default_branch":"main"}' },
      STARTED,
    )
    const answer = await send(asking.url, { method: 'POST', target })
    expect(answer.status).toBe(200)
    expect(github.calls.map(({ url }) => url)).toEqual([
      '/repos/o/r',
      '/repositories/7',
      '/repositories/7/actions/workflows/hook.yml/dispatches',
    ])
    await asking.close()
  })

  test('a body that is too large for an input is packed', async () => {
    github.next(STARTED)
    expect((await call(undefined, JSON.stringify({ text: 'x'.repeat(100_000) }))).status).toBe(200)
    const { inputs } = fieldsOf(github.calls[0] as RecordedCall)
    expect(inputs.hookline.length).toBeLessThanOrEqual(65_535)
    expect(JSON.parse(inputs.hookline).headers['x-hookline-body-encoding']).toBe('gzip')
  })
})
