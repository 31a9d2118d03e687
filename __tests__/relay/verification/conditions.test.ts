import { describe, expect, test } from '@jest/globals'
import { conditionsFrom } from '../../../src/cli/endpoint/conditions.ts'
import { UserError } from '../../../src/wire/errors.ts'
import { holds } from '../../../src/workflow/condition.ts'
import { ENDPOINT_RUNTIMES as RUNTIMES } from '../../support/endpoint-relays.ts'
import type { RawRequest } from '../../support/raw-http.ts'
import { checksOf, type VerificationScene, verificationScene } from './scene.ts'

const BODY = {
  action: 'opened',
  number: 42,
  ratio: 1.5,
  draft: false,
  title: "It's a Bug",
  empty: '',
  nothing: null,
  labels: [{ name: 'bug' }, { name: 'urgent' }],
  list: ['a', 'b'],
  big: 'x',
  version: '10',
}
const POST: RawRequest = {
  method: 'POST',
  target: '/octo/repo/hook/webhook/user/5?tag=v1&tag=v2&name=ada',
  headers: [
    ['Content-Type', 'application/json'],
    ['X-GitHub-Event', 'issues'],
    ['X-Gitlab-Token', 'a token'],
  ],
  body: JSON.stringify(BODY),
}

/**
 * Expressions with their result by GitHub's rules:
 * https://docs.github.com/actions/reference/workflows-and-actions/expressions
 */
const EXPRESSIONS: readonly (readonly [expression: string, holds: boolean])[] = [
  ['true', true],
  ['false', false],
  ["body.action == 'opened'", true],
  ["body.action == 'OPENED'", true], // GitHub ignores case
  ["body.action != 'opened'", false],
  ["body.action == 'closed'", false],
  ['body.number == 42', true],
  ["body.number == '42'", true], // a string becomes a number
  ['body.number > 41 && body.number < 43', true],
  ['body.number >= 43', false],
  ['body.ratio == 1.5', true],
  ['body.draft', false],
  ['!body.draft', true],
  ['body.draft == false', true],
  ["body.title == 'It''s a Bug'", true],
  ["body.empty == ''", true],
  ['body.empty', false],
  ['body.nothing == null', true],
  ["body.nothing == ''", true], // null becomes 0, and so does an empty string
  ['body.absent == null', true],
  ['body.absent.deeper == null', true],
  ['!body.absent', true],
  ["body['action'] == 'opened'", true],
  ["body.labels[1].name == 'urgent'", true],
  ["contains(body.labels.*.name, 'bug')", true],
  ["contains(body.labels.*.name, 'help')", false],
  ["contains(body.list, 'b')", true],
  ["contains(body.title, 'bug')", true],
  ["startsWith(body.title, 'it')", true],
  ["endsWith(body.title, 'Bug')", true],
  ["format('{0}-{1}', body.action, body.number) == 'opened-42'", true],
  ["join(body.list, '-') == 'a-b'", true],
  ["fromJSON('[1,2]')[1] == 2", true],
  ["contains(toJSON(body), 'urgent')", true],
  ["method == 'post'", true],
  ["path == 'hook/webhook/user/5'", true],
  ["query.name == 'ada' && query.tag[1] == 'v2'", true],
  ["headers['x-github-event'] == 'issues'", true],
  ["headers['x-gitlab-token'] == null", true], // headers that authenticate a sender cannot be read
  ["(body.action == 'closed' || body.number == 42) && !(method == 'get')", true],
  ["body.version > '9'", false], // two strings are compared as strings
  ["body.labels == 'bug'", false],
]

test.each([
  ['a list of 200,000 entries', Array<number>(200_000).fill(1)],
  ['200,000 names', Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [at, at]))],
  ['a thousand lists in each other', JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`)],
])('%s hide no condition', (_, body) => {
  const contexts = { method: 'post', path: 'hook/webhook', query: {}, headers: {}, body }
  expect(holds("method == 'get' || body.draft == true", contexts)).toBe(false)
})

/** The first line about a webhook request; the admin API writes lines too. */
function eventLine({ relay }: VerificationScene, from: number): unknown {
  const line = relay.log.slice(from).find((each) => each.includes('"status"'))
  return JSON.parse(line ?? '{}')
}

describe.each(RUNTIMES)('the condition of an endpoint on %s', (_, start) => {
  const here = verificationScene(start)

  test.each(EXPRESSIONS)('%s: %s', async (expression, holds) => {
    const answer = await here.send(checksOf({ if: expression }), POST)
    expect([answer.status, answer.body]).toEqual([200, '{"success":true}'])
    expect(answer.headers['x-hookline-filtered']).toBe(holds ? undefined : 'true')
    expect(here.github.calls).toHaveLength(holds ? 1 : 0)
  })

  test('a filtered event is in the log, and gets the custom response', async () => {
    const lines = here.relay.log.length
    const target = '/octo/repo/hook/webhook?__response_code=299&__response_body=hi'
    const condition = "method == 'post' && (body.x == '&&' || body.title == 'none')"
    const answer = await here.send(checksOf({ if: condition }), { ...POST, target })
    expect([answer.status, answer.body]).toEqual([299, 'hi'])
    expect(eventLine(here, lines)).toMatchObject({
      ...{ status: 299, filtered: true },
      reason: "if: (body.x == '&&' || body.title == 'none') is not true",
    })
  })

  test('drops an event for which the condition cannot be evaluated, with a line in the log', async () => {
    const lines = here.relay.log.length
    const settings = { if: 'fromJSON(body.title)' }
    const answer = await here.send(settings, POST)
    expect([answer.status, answer.headers['x-hookline-filtered']]).toEqual([200, 'error'])
    expect(here.github.calls).toHaveLength(0)
    expect(eventLine(here, lines)).toMatchObject({
      filtered: 'error',
      condition: 'error',
    })
  })

  test('forwards such an event if the endpoint says so, with a line in the log', async () => {
    const lines = here.relay.log.length
    const settings = checksOf({ if: 'fromJSON(body.title)', ifError: 'allow' })
    const answer = await here.send(settings, POST)
    expect([answer.status, answer.headers['x-hookline-filtered']]).toEqual([200, undefined])
    expect(here.github.calls).toHaveLength(1)
    expect(eventLine(here, lines)).toHaveProperty('condition', 'error')
  })

  test('a condition that needs a field drops a form and an empty body', async () => {
    const settings = { if: "fromJSON(body.payload).action == 'opened'" }
    const bodies = ['payload=x', 'a=1', '{}', '']
    for (const body of bodies) {
      const answer = await here.send(settings, { ...POST, body })
      expect(answer.headers['x-hookline-filtered']).toBe('error')
    }
    expect(here.github.calls).toHaveLength(0)
  })

  test('verifies the signature before it evaluates the condition', async () => {
    const settings = checksOf({ sender: 'github', if: 'false' }, 'a secret of GitHub')
    expect((await here.send(settings, POST)).status).toBe(401)
  })

  test('a secret shows nowhere', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const settings = checksOf({ sender: 'standard-webhooks' }, secret)
    const answer = await here.send(settings, POST)
    const shown = JSON.stringify(answer) + here.relay.log.join('\n')
    for (const hidden of [secret, secret.slice(6)]) expect(shown).not.toContain(hidden)
  })
})

describe('hookline endpoint refuses', () => {
  const env = { SENDER: 'a secret', EMPTY: '' }

  test.each([
    [{ if: "body.action == 'opened" }, /--if is not a valid expression/],
    [{ if: '  ' }, /--if is empty/],
    [{ if: 'github.actor' }, /'github'.*names: method, path, query, headers, body/],
    [{ if: 'bdy.action' }, /'bdy'.*did you mean "body"\?/],
    [{ if: "contians(body.a, 'b')" }, /'contians'.*did you mean "contains"\?.*functions: contains/],
    [{ if: "body.action = 'opened'" }, /position 13 .*==/],
    [{ if: 'body.action == "opened"' }, /single quotes/],
    [{ if: '${{ true }}' }, /\$\{\{ and \}\}/],
    [{ if: "fromJSON(body.payload).action == 'opened'" }, /--if-error/],
    [{ if: 'true', ifError: 'deny' }, /--if-error/],
    [{ ifError: 'allow' }, /--if-error.*--if/],
    [{ sender: 'strype', secretEnv: 'SENDER' }, /unknown sender "strype"/],
    [{ verify: 'stripe' }, /needs "secret"/],
    [{ verify: 'stripe', secretEnv: 'NOT_SET' }, /NOT_SET is not set/],
    [{ verify: 'stripe', secretEnv: 'EMPTY' }, /EMPTY is not set/],
    [{ verify: 'stripe', secretEnv: 'whsec_a/b+c=' }, /is not the name of a variable/],
    [{ secretEnv: 'SENDER' }, /--secret-env needs/],
    [{ sender: 'discord', publicKey: 'zz' }, /not a public key/],
    [{ verify: '{"scheme":"hmac","heder":"x"}', secretEnv: 'SENDER' }, /"heder".*mean "header"\?/],
    [{ verify: 'stripe', secretEnv: 'SENDER', publicKey: 'x' }, /cannot be combined/],
    [{ verify: '{"scheme":"github","secret":"s"}' }, /contains a secret/],
    [{ verify: '{"scheme":' }, /is not JSON/],
    [{ verify: '{"scheme":"hmac"}', secretEnv: 'SENDER' }, /hmac needs "header"/],
  ] as const)('%j', (asked, message) => {
    let error: unknown
    try {
      conditionsFrom(asked, env)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(UserError)
    const [problem] = (error as UserError).problems
    const { message: text, hint = '', notes = [] } = problem ?? { message: '' }
    expect([text, hint, ...notes].join(' ')).toMatch(message)
  })
})
