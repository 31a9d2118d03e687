import { describe, expect, test } from '@jest/globals'
import { RelayError } from '../../../src/relay/errors.ts'
import {
  type DispatchOptions,
  type DispatchTarget,
  dispatchTo,
  relayError,
} from '../../../src/relay/github/send.ts'
import { RelayMetrics } from '../../../src/relay/metrics.ts'
import type {
  GitHubCallRequest,
  GitHubRefusal,
  GitHubResponse,
} from '../../../src/wire/github-api.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { tokenCredential } from '../../support/credentials.ts'
import { FakeTime, MINUTE } from '../../support/fake-time.ts'

const facts = ({ code, message, hint, retryAfter }: RelayError) => ({
  ...{ code, message, hint },
  ...(retryAfter !== undefined && { retryAfter }),
})

const LATER = 'Send the request again later.'
const ACCESS = 'the repository does not exist, or the token cannot start its workflows'
const needs = (permission: string) =>
  `Check the name of the repository, and that the token has the permission \`${permission}\` on it (classic: \`repo\`).`

describe('the error for a refusal of GitHub', () => {
  const CONTENT = 'Check the content of the event: GitHub accepts the token.'
  const cause = new Error('cut')
  const rejected = (message: string) => ({ code: 'event_rejected', message, hint: CONTENT })
  const unavailable = (message: string, hint: string) => ({
    ...{ code: 'github_unavailable', message, hint },
  })
  test.each<[GitHubRefusal, string | undefined, object]>([
    [
      { kind: 'unauthorized' },
      undefined,
      {
        ...{ code: 'invalid_token', message: 'the token was not accepted' },
        hint: 'Check that the token is complete and not expired, and that it covers this repository.',
      },
    ],
    [
      { kind: 'limited' },
      undefined,
      {
        ...{ code: 'rate_limited', message: "GitHub's rate limit is exceeded", retryAfter: 60 },
        hint: 'Send the request again in 60 seconds.',
      },
    ],
    [
      { kind: 'limited', wait: 1000 },
      undefined,
      {
        ...{ code: 'rate_limited', message: "GitHub's rate limit is exceeded", retryAfter: 1 },
        hint: 'Send the request again in 1 second.',
      },
    ],
    ...(['sso', 'forbidden', 'missing'] as const).map(
      (kind): [GitHubRefusal, undefined, object] => [
        { kind },
        undefined,
        { code: 'repository_not_accessible', message: ACCESS, hint: needs('contents: write') },
      ],
    ),
    [{ kind: 'conflict' }, undefined, unavailable('GitHub did not accept the event', LATER)],
    [
      { kind: 'unavailable', wait: 7000 },
      undefined,
      {
        ...unavailable('GitHub did not accept the event', 'Send the request again in 7 seconds.'),
        retryAfter: 7,
      },
    ],
    [
      { kind: 'failed', status: 500 },
      undefined,
      unavailable(
        'GitHub failed while it processed the event',
        'GitHub may have accepted the event. Send it again, and let the workflow drop duplicates.',
      ),
    ],
    [
      { kind: 'strange', status: 201 },
      undefined,
      unavailable(
        'unexpected response from the GitHub API (status 201)',
        'Check HOOKLINE_API_URL, and that no proxy responds in place of GitHub. If it was GitHub, it may have accepted the event.',
      ),
    ],
    [
      { kind: 'redirected', status: 302 },
      undefined,
      unavailable(
        'unexpected redirect by GitHub (status 302)',
        'Check the name of the repository, HOOKLINE_API_URL, and that no proxy responds in place of GitHub.',
      ),
    ],
    [
      { kind: 'unreachable', cause },
      undefined,
      unavailable('the relay cannot reach GitHub', LATER),
    ],
    [
      { kind: 'unanswered', cause },
      undefined,
      {
        ...{ code: 'github_timeout', message: 'GitHub did not respond in time' },
        hint: 'GitHub may have accepted the event. Send it again, and let the workflow drop duplicates.',
      },
    ],
    [{ kind: 'unasked', cause }, undefined, unavailable('GitHub did not accept the event', LATER)],
    [
      { kind: 'rejected', status: 422 },
      '{"message":"client_payload is TOO large"}',
      {
        ...{ code: 'payload_too_large', message: 'the event is larger than GitHub accepts' },
        hint: 'Send less data, or an address from which the workflow fetches the rest.',
      },
    ],
    [
      { kind: 'rejected', status: 400 },
      '{"message":"too large {x"}',
      rejected('GitHub rejected the event with status 400: too large '),
    ],
    [
      { kind: 'rejected', status: 422 },
      `{"message":"${'z'.repeat(201)}"}`,
      rejected(`GitHub rejected the event with status 422: ${'z'.repeat(200)}`),
    ],
    [
      { kind: 'rejected', status: 422 },
      '{"message":"{"}',
      rejected('GitHub rejected the event with status 422'),
    ],
    [
      { kind: 'rejected', status: 410 },
      '{"message":["x"]}',
      rejected('GitHub rejected the event with status 410'),
    ],
    [
      { kind: 'rejected', status: 410 },
      undefined,
      rejected('GitHub rejected the event with status 410'),
    ],
  ])('%j, %j', (refusal, text, expected) => {
    const answer = text === undefined ? undefined : { status: 0, header: () => undefined, text }
    const error = relayError(refusal, answer)
    expect(facts(error)).toEqual(expected)
    const hasCause = refusal.cause !== undefined
    expect(error.cause).toBe(hasCause ? cause : undefined)
  })

  test.each([
    ['repository_dispatch', 'contents: write'],
    ['workflow_dispatch', 'actions: write'],
    ['run_lookup', 'actions: read'],
  ] as const)('names the permission for %s', (event, permission) => {
    expect(relayError({ kind: 'forbidden' }, undefined, event).hint).toBe(needs(permission))
  })

  test('is the error of the credential, if that asked for no token', () => {
    const own = new RelayError('app_clock_skew')
    expect(relayError({ kind: 'unasked', cause: own }, undefined)).toBe(own)
  })
})

const RUN = 'https://github.com/o/r/actions/runs/42'
const TARGET = { event: 'workflow_dispatch', workflow: 'hook', ref: 'main' } as const

const problem = (status: number, message: string): Answer => ({ status, json: { message } })

interface Answer {
  readonly status: number
  readonly json?: object
}

const started = (json: object, status = 200): Answer => ({ status, json })
const ACCEPTED: Answer = { status: 204 }

/** A relay whose GitHub responds in this order, and the calls that it makes. */
function relayTo(answers: readonly Answer[], options: Partial<DispatchOptions> = {}) {
  const time = new FakeTime()
  const calls: string[] = []
  const requests: GitHubCallRequest[] = []
  const call = async (request: GitHubCallRequest): Promise<GitHubResponse> => {
    const { status, json } = answers[requests.length] ?? ACCEPTED
    requests.push(request)
    calls.push(`${request.method ?? 'POST'} ${request.path}`)
    const text = json === undefined ? '' : JSON.stringify(json)
    return { status, header: () => undefined, text }
  }
  const clock = {
    now: () => new Date(time.now),
    sleep: (milliseconds: number) => time.sleep(milliseconds),
    random: () => 0.5,
  }
  const metrics = new RelayMetrics()
  const api = { call, apiUrl: new URL('https://api.test'), budget: 8000, clock }
  const forward = dispatchTo({ ...api, ...options }, metrics)
  const send = (
    target: DispatchTarget = TARGET,
    { isOwn = false, name = 'r' }: { isOwn?: boolean; name?: string } = {},
  ) =>
    time.run(
      forward({
        ...{ target, clientPayload: '{"path":"p"}', delivery: 'd' },
        repository: { owner: 'O', name },
        credential: { ...tokenCredential(new Secret('token')), isOwn },
      }).catch((error: RelayError) => ({ ...facts(error), attempts: error.attempts })),
    )
  return { send, calls, requests, time, metrics }
}

const POST = (file: string) => `POST /repos/O/r/actions/workflows/${file}/dispatches`
const BRANCH = 'GET /repos/O/r'
const branch = (name: unknown): Answer => ({ status: 200, json: { default_branch: name } })
const NOT_FOUND = problem(404, 'Not Found')
const NO_REF = problem(422, 'No ref found for: main')

describe('a workflow', () => {
  test.each<[string, Answer, string | undefined]>([
    ['its page', started({ html_url: RUN }), RUN],
    ['its number', started({ workflow_run_id: 42 }), undefined],
    ['its number only, with 201', started({ id: 42 }, 201), undefined],
    ['nothing, with 204', ACCEPTED, undefined],
    ['a page with more behind it', started({ html_url: `${RUN}/x` }), undefined],
    ['a page with something before it', started({ html_url: `x${RUN}` }), undefined],
    ['a page without a number', started({ html_url: RUN.slice(0, -2) }), undefined],
    [
      'a page with 500 characters',
      started({ html_url: `https://${'x'.repeat(500)}/actions/runs/1` }),
      `https://${'x'.repeat(500)}/actions/runs/1`,
    ],
    [
      'a page with 501 characters',
      started({ html_url: `https://${'x'.repeat(501)}/actions/runs/1` }),
      undefined,
    ],
    ['a page by http', started({ html_url: 'http://x/actions/runs/1' }), 'http://x/actions/runs/1'],
  ])('is started, and GitHub names %s', async (_name, answer, run) => {
    const { send, calls, requests } = relayTo([answer])
    expect(await send()).toEqual({
      ...{ tries: 1, githubStatus: answer.status },
      ...(run !== undefined && { run }),
    })
    expect(calls).toEqual([POST('hook.yml')])
    expect(requests[0]?.reads).toBe(true)
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      ref: 'main',
      inputs: { hookline: '{"path":"p"}' },
    })
  })

  test.each([
    started({ id: 42 }),
    started({ id: '42' }, 201),
    started({}, 201),
    started({ workflow_run_id: '42', html_url: 7 }),
    started({ html_url: RUN }, 202),
  ])('was perhaps not started by a response that names no run: %j', async (answer) => {
    expect(await relayTo([answer]).send()).toMatchObject({
      message: `unexpected response from the GitHub API (status ${answer.status})`,
      attempts: { tries: 1, githubStatus: answer.status },
    })
  })

  test.each<[Answer[], object]>([
    [
      [NOT_FOUND, NOT_FOUND],
      {
        ...{ code: 'workflow_not_accessible' },
        message: 'the token cannot start a workflow hook.yml',
        hint: 'Check that the file is on the default branch, and that the token has the permission actions: write (classic: repo).',
      },
    ],
    [
      [NO_REF],
      {
        ...{ code: 'ref_not_found', message: 'there is no branch or tag "main"' },
        hint: 'Check the "ref" of the endpoint.',
      },
    ],
    ...[
      "Workflow does not have 'workflow_dispatch' trigger",
      'Unexpected inputs provided: ["hookline"]',
      "Required input 'level' not provided",
    ].map((text): [Answer[], object] => [
      [problem(422, text)],
      {
        code: 'workflow_not_listening',
        message: 'the workflow hook has no workflow_dispatch trigger with the input hookline',
        hint: 'Add on: workflow_dispatch: inputs: hookline: {type: string}, without other required inputs, on the ref that the relay starts.',
      },
    ]),
    ...['inputs are too large.', 'input is larger', 'inputs are longer', 'x is too long'].map(
      (text): [Answer[], object] => [
        [problem(422, text)],
        {
          ...{ code: 'payload_too_large', message: 'the event is larger than GitHub accepts' },
          hint: 'Send less data, or an address from which the workflow fetches the rest.',
        },
      ],
    ),
    [
      [problem(422, 'Something else')],
      {
        ...{ code: 'event_rejected' },
        message: 'GitHub rejected the event with status 422: Something else',
        hint: 'Check the content of the event: GitHub accepts the token.',
      },
    ],
    [
      [problem(403, 'No ref found')],
      { code: 'repository_not_accessible', message: ACCESS, hint: needs('actions: write') },
    ],
  ])('is refused by %j', async (answers, error) => {
    const { send, calls } = relayTo(answers)
    const { status: githubStatus } = answers[0] as Answer
    expect(await send()).toEqual({ ...error, attempts: { tries: answers.length, githubStatus } })
    expect(calls).toHaveLength(answers.length)
  })

  test('that ends in .yaml is remembered, until it ends in .yml', async () => {
    const { send, calls } = relayTo([
      ...[NOT_FOUND, ACCEPTED],
      ...[ACCEPTED],
      ...[NOT_FOUND, ACCEPTED],
      ...[ACCEPTED],
    ])
    for (let n = 0; n < 4; n++) expect(await send()).toMatchObject({ githubStatus: 204 })
    expect(calls).toEqual(
      ['hook.yml', 'hook.yaml', 'hook.yaml', 'hook.yaml', 'hook.yml', 'hook.yml'].map(POST),
    )
  })

  test('that is refused with the other extension has the reason of the other one', async () => {
    const { send, calls } = relayTo([NOT_FOUND, NO_REF, NOT_FOUND, NOT_FOUND])
    expect(await send()).toMatchObject({ code: 'ref_not_found' })
    expect(await send()).toMatchObject({ code: 'workflow_not_accessible' })
    expect(calls).toEqual(['hook.yml', 'hook.yaml', 'hook.yaml', 'hook.yml'].map(POST))
  })

  const NO_BRANCH = { event: 'workflow_dispatch', workflow: 'hook' } as const

  test('without a ref is started on the default branch, which is cached for 10 minutes', async () => {
    const { send, calls, requests, time } = relayTo([
      ...[branch('trunk'), ACCEPTED],
      ...[ACCEPTED],
      ...[branch('main'), ACCEPTED],
    ])
    await send(NO_BRANCH)
    await time.pass(10 * MINUTE - 1)
    await send(NO_BRANCH)
    await time.pass(1)
    await send(NO_BRANCH)
    expect(calls).toEqual([BRANCH, POST('hook.yml'), POST('hook.yml'), BRANCH, POST('hook.yml')])
    const refs = requests.flatMap(({ body }) => (body ? [JSON.parse(body).ref] : []))
    expect(refs).toEqual(['trunk', 'trunk', 'main'])
    expect(requests[0]?.reads).toBe(true)
  })

  test('looks the branch up again if the cached one is gone, but not a second time', async () => {
    const { send, calls } = relayTo([
      ...[branch('trunk'), NO_REF],
      ...[NO_REF, branch('main'), NO_REF],
      ...[NO_REF, branch('next'), ACCEPTED],
    ])
    const gone = { code: 'ref_not_found', message: 'there is no branch or tag ""' }
    expect(await send(NO_BRANCH)).toMatchObject(gone)
    expect(await send(NO_BRANCH)).toMatchObject(gone)
    expect(await send(NO_BRANCH)).toEqual({ tries: 2, githubStatus: 204 })
    const [LOOK, START_IT] = [BRANCH, POST('hook.yml')]
    expect(calls).toEqual([LOOK, START_IT, START_IT, LOOK, START_IT, START_IT, LOOK, START_IT])
  })

  test.each([
    [
      { status: 200, json: {} },
      'github_unavailable',
      'GitHub did not report the default branch',
      'Use an endpoint with --ref <branch>.',
    ],
    [
      branch(''),
      'github_unavailable',
      'GitHub did not report the default branch',
      'Use an endpoint with --ref <branch>.',
    ],
    [NOT_FOUND, 'repository_not_accessible', ACCESS, needs('actions: write')],
  ])('is not started without a default branch: %j', async (answer, code, message, hint) => {
    const { send } = relayTo([answer])
    const attempts = { tries: 0, githubStatus: answer.status }
    expect(await send(NO_BRANCH)).toEqual({ code, message, hint, attempts })
  })
})

describe('Forgejo and Gitea', () => {
  const API = { apiUrl: new URL('https://git.test/api/v1') }
  const at = (call: string) => call.replace(' /', ' /api/v1/')

  test.each([
    ['forgejo', '9.0.3+gitea-1.22.0'],
    ['forgejo', 'Forgejo 12'],
    ['gitea', '1.24.2'],
  ] as const)('%s, version %s, is detected once', async (forge, version) => {
    const answer =
      forge === 'gitea'
        ? started({ workflow_run_id: 9, html_url: 'https://git.test/O/r/actions/runs/4' })
        : started({ id: 9, run_number: 4 }, 201)
    const { send, calls, requests } = relayTo(
      [{ status: 200, json: { version } }, answer, answer],
      API,
    )
    const run = 'https://git.test/O/r/actions/runs/4'
    expect(await send()).toMatchObject({ run })
    expect(await send()).toMatchObject({ run })
    const query = forge === 'gitea' ? '?return_run_details=true' : ''
    const post = `${at(POST('hook.yml'))}${query}`
    expect(calls).toEqual(['GET /api/v1/version', post, post])
    const { return_run_info: isRunWanted } = JSON.parse(requests[1]?.body ?? '')
    expect(isRunWanted).toBe(forge === 'forgejo' ? true : undefined)
    expect(await send({ event: 'repository_dispatch' })).toMatchObject({
      code: 'dispatch_not_supported',
    })
    expect(calls).toHaveLength(3)
  })

  test('name the page of the run themselves, if they can', async () => {
    const answer = started({ id: 9, run_number: 4, html_url: RUN }, 201)
    const { send } = relayTo([answer], { ...API, forge: 'forgejo' })
    expect(await send()).toEqual({ tries: 1, githubStatus: 201, run: RUN })
  })

  test('whose version cannot be read', async () => {
    const { send } = relayTo([NOT_FOUND], API)
    expect(await send()).toEqual({
      ...{ code: 'repository_not_accessible', message: ACCESS, hint: needs('actions: write') },
      attempts: { tries: 0, githubStatus: 404 },
    })
  })

  test.each([
    [problem(400, 'bad json'), true],
    [problem(422, '"return_run_details" is not a permitted key'), true],
    [problem(422, '"return_run_info" is not a permitted key'), true],
    [problem(422, '"ref" is not a permitted key'), false],
    [problem(500, 'return_run_info is not a permitted key'), false],
  ])('that refuse the field for the run: %j', async (refusal, isRetried) => {
    const { send, requests } = relayTo([refusal, ACCEPTED, ACCEPTED], { ...API, forge: 'forgejo' })
    const first = await send()
    if (!isRetried) return expect(first).not.toMatchObject({ githubStatus: 204 })
    expect(first).toMatchObject({ tries: 2, githubStatus: 204 })
    await send()
    const asked = requests.map(({ body = '' }) => body.includes('return_run_info'))
    expect(asked).toEqual([true, false, false])
  })

  test('that refuse the call without the field, too, are asked with it again', async () => {
    const bad = problem(400, 'bad')
    const { send, requests } = relayTo([bad, bad, ACCEPTED], { ...API, forge: 'forgejo' })
    expect(await send()).toMatchObject({ code: 'event_rejected' })
    await send()
    const asked = requests.map(({ body = '' }) => body.includes('return_run_info'))
    expect(asked).toEqual([true, false, true])
  })
})

describe('an event whose credential gives no token', () => {
  /** Sends with a credential whose token is refused so often. */
  async function sendAfter(refusal: RelayError, times: number) {
    const time = new FakeTime()
    let asked = 0
    const token = async () => {
      if (asked++ < times) throw refusal
      return new Secret('token')
    }
    const sleeps: number[] = []
    const sleep = (milliseconds: number) => {
      sleeps.push(milliseconds)
      return time.sleep(milliseconds)
    }
    const clock = { now: () => new Date(time.now), sleep, random: () => 0.5 }
    const call = async () => ({ status: 204, header: () => undefined, text: '' })
    const options = { call, apiUrl: new URL('https://api.test'), budget: 8000, clock }
    const outcome = await time.run(
      dispatchTo(
        options,
        new RelayMetrics(),
      )({
        ...{ target: { event: 'repository_dispatch' }, clientPayload: '{}', delivery: 'd' },
        repository: { owner: 'o', name: 'r' },
        credential: { ...tokenCredential(new Secret('token')), token },
      }).then(
        ({ githubStatus }) => githubStatus,
        ({ code }: RelayError) => code,
      ),
    )
    return { outcome, asked, sleeps }
  }

  test.each([
    [new RelayError('github_unavailable'), 204, 2, [125]],
    [new RelayError('overloaded'), 204, 2, [1000]],
    [new RelayError('rate_limited', { retryAfter: 2 }), 204, 2, [2000]],
    [new RelayError('invalid_token'), 'invalid_token', 1, []],
    [new RelayError('github_timeout'), 'github_timeout', 1, []],
    [new RelayError('app_not_installed'), 'app_not_installed', 1, []],
  ])('is sent when the refusal is over: %s', async (refusal, outcome, asked, sleeps) => {
    expect(await sendAfter(refusal, 1)).toEqual({ outcome, asked, sleeps })
  })
})

test('metrics name the repositories that refuse the own credential', async () => {
  const answers = [problem(401, 'x'), problem(404, 'x'), problem(422, 'x'), ACCEPTED, NOT_FOUND]
  const { send, metrics } = relayTo(answers)
  const event = { event: 'repository_dispatch' } as const
  const reasons: string[][] = []
  for (const [isOwn, name] of [
    [true, 'a'],
    [true, 'b'],
    [true, 'A'],
    [true, 'A'],
    [false, 'c'],
  ] as const) {
    await send(event, { isOwn, name })
    reasons.push([...metrics.failingReasons()])
  }
  const both = ['invalid_token', 'repository_not_accessible']
  const one = ['repository_not_accessible']
  expect(reasons).toEqual([['invalid_token'], both, both, one, one])
})
