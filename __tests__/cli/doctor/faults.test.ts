import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { DoctorTarget } from '../../../src/cli/doctor/findings.ts'
import { DEV_HEADER } from '../../../src/wire/headers.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { codes, examineAt } from './examination.ts'
import { json, LISTENING, PUSH, type Setting, STARTED_DIRECTLY } from './stand-in.ts'

let platform: GitHub

beforeAll(async () => {
  platform = await startGitHub({ listsRunsByRule: true })
})
beforeEach(() => platform.reset())
afterAll(() => platform.close())

const sso = { 'x-github-sso': 'required; url=https://github.com/orgs/octo/sso' }
const COMMENTED = `on: repository_dispatch
# - uses: hookline/hookline@v1
jobs: { a: { steps: [{ uses: ./local }, { run: 'echo uses: hookline/hookline@v1' }] } }
`
const CONDITION_OF_ANOTHER = LISTENING.replace(
  '    runs-on',
  "    if: startsWith(github.event.client_payload.path, 'hok/webhook')\n    runs-on",
)
const wrongType = LISTENING.replace('[webhook]', '[deploy]')

const resource = { message: 'Resource not accessible' }
const abuse = { message: 'You have triggered an abuse detection mechanism.' }
const noRemaining = { 'x-ratelimit-remaining': '0' }
const unused = 'on: repository_dispatch\njobs: {}'

type Fault = readonly [name: string, setting: Setting, code: string, cure: RegExp]

const OF_TOKEN_AND_REPOSITORY: readonly Fault[] = [
  ['a token unknown to GitHub', { repository: json(401, {}) }, 'token_rejected', /new/],
  ['an invisible repository', { repository: json(404, {}) }, 'repository_not_visible', /Contents/],
  ['SAML', { repository: json(403, {}, sso) }, 'token_not_authorized', /SSO/],
  ['a rate limit', { repository: json(403, {}, noRemaining) }, 'rate_limited', /again/],
  ['calls that are too fast', { repository: json(403, abuse) }, 'rate_limited', /again/],
  ['a token without read', { repository: json(403, resource) }, 'token_cannot_read', /Contents/],
  ['status 503', { repository: { status: 503, body: '<html>' } }, 'github_unavailable', /status/],
  ['a missing scope', { scopes: 'gist, workflow' }, 'token_scope_missing', /"repo"/],
  [
    'public_repo on a private repository',
    { scopes: 'public_repo', repository: { private: true } },
    'token_scope_missing',
    /"repo"/,
  ],
  [
    'an owner without write access',
    { repository: { permissions: { push: false } } },
    'token_cannot_write',
    /write access/,
  ],
  ['an archived one', { repository: { archived: true } }, 'repository_archived', /Unarchive/],
  ['a disabled one', { repository: { disabled: true } }, 'repository_disabled', /support/],
  ['a renamed one', { repository: { full_name: 'octo/new' } }, 'repository_renamed', /octo\/new/],
]

const OF_WORKFLOWS: readonly Fault[] = [
  ['no workflow', { workflows: json(404, {}) }, 'workflows_missing', /trunk/],
  ['unreadable workflows', { workflows: json(403, {}) }, 'workflow_unreadable', /Contents/],
  ['no listener', { workflows: { 'ci.yml': PUSH } }, 'workflow_not_listening', /init/],
  ['another type', { workflows: { 'hook.yml': wrongType } }, 'workflow_not_listening', /webhook/],
  ['no action', { workflows: { 'hook.yml': unused } }, 'workflow_without_action', /uses/],
  [
    'the action in a comment only',
    { workflows: { 'hook.yml': COMMENTED } },
    'workflow_without_action',
    /uses/,
  ],
  [
    'a disabled workflow',
    { states: { 'hook.yml': 'disabled_inactivity' } },
    'workflow_disabled',
    /enable/,
  ],
  [
    'a job condition for another file',
    { workflows: { 'hook.yml': CONDITION_OF_ANOTHER } },
    'workflow_condition_misses',
    /hook/,
  ],
]

describe('each fault is found, with its cure:', () => {
  test.each([...OF_TOKEN_AND_REPOSITORY, ...OF_WORKFLOWS])('%s', async (_, setting, code, cure) => {
    const findings = await examineAt(platform, { scopes: 'repo', ...setting })
    expect(codes(findings)).toEqual([code])
    expect(findings.find((one) => one.code === code)?.hint).toMatch(cure)
  })

  const NAMED: readonly (readonly [string, Record<string, string>, string, RegExp])[] = [
    ['is not on the default branch', { 'hok.yml': LISTENING }, 'workflow_missing', /"hok"/],
    ['does not listen', { 'hook.yml': PUSH }, 'workflow_not_listening', /hook\.yml/],
    ['is no YAML', { 'hook.yml': 'on: [' }, 'workflow_invalid', /hook\.yml/],
  ]
  test.each(NAMED)('the workflow that is asked for %s', async (_, workflows, code, message) => {
    const findings = await examineAt(platform, { scopes: 'repo', workflows }, { workflow: 'hook' })
    expect(codes(findings)).toEqual([code])
    expect(findings.at(-1)?.message).toMatch(message)
  })

  test('a workflow that polls on a schedule needs no dispatch', async () => {
    const polling = LISTENING.replace(
      /repository_dispatch:\n.*\n/,
      "schedule: [{ cron: '*/5 * * * *' }]\n",
    )
    const workflows = { 'bot.yml': polling, 'nightly.yml': 'on: { schedule: [] }' }
    const at = (workflow: string) =>
      examineAt(platform, { scopes: 'repo', workflows }, { workflow })
    expect(codes(await at('bot'))).toEqual([])
    expect(codes(await at('nightly'))).toEqual(['workflow_not_listening'])
  })

  test.each([
    ['repository', STARTED_DIRECTLY, 'workflow'],
    ['workflow', LISTENING, 'repository'],
  ] as const)(
    'an endpoint in the mode %s, but a workflow in the other',
    async (dispatch, text, other) => {
      const workflows = { 'hook.yml': text }
      const target = { dispatch, workflow: 'hook' }
      const findings = await examineAt(platform, { scopes: 'repo', workflows }, target)
      expect(codes(findings)).toEqual(['workflow_not_listening'])
      expect(findings.at(-1)?.hint).toContain(`endpoint update <name> --dispatch ${other}`)
    },
  )

  test.each([undefined, 'hook'])(
    'a workflow in either mode is right without an endpoint',
    async (workflow) => {
      for (const text of [LISTENING, STARTED_DIRECTLY]) {
        const setting = { scopes: 'repo', workflows: { 'hook.yml': text } }
        expect(codes(await examineAt(platform, setting, { workflow }))).toEqual([])
      }
    },
  )

  test('a source for the compiler in .github/workflows', async () => {
    const workflows = { 'hook.yml': LISTENING.replace('on:\n', 'on:\n  webhook:\n') }
    const findings = await examineAt(platform, { scopes: 'repo', workflows }, { workflow: 'hook' })
    expect(codes(findings)).toEqual(['workflow_is_source'])
  })

  test.each([
    ['webhok', ['trigger_not_declared']],
    ['webhook', []],
  ])('an endpoint for the trigger %s', async (trigger, expected) => {
    const target = { workflow: 'hook', trigger }
    expect(codes(await examineAt(platform, { scopes: 'repo' }, target))).toEqual(expected)
  })

  test.each([
    ['no token', {}, { token: undefined }],
    ['one that cannot see the repository', { repository: json(404, {}) }, {}],
    ['one that may not read it', { repository: json(403, {}) }, {}],
  ])(
    '%s, in workflow_dispatch mode: no permission to push code is required',
    async (_, setting, target) => {
      const direct = { ...target, dispatch: 'workflow' } as const
      const [finding] = await examineAt(platform, setting, direct)
      expect(finding?.hint).toContain('Actions: Read and write')
      expect(finding?.hint).not.toContain('Contents')
    },
  )

  test('no token', async () => {
    const findings = await examineAt(platform, {}, { token: undefined })
    expect(codes(findings)).toEqual(['token_missing'])
    expect(findings[0]?.hint).toMatch(/tokens\/new\?name=hookline\S+&contents=write&actions=read, /)
    expect(findings[0]?.hint).toMatch(/gh auth token.* hookline doctor --repository \S+\/\S+$/)
    expect(platform.calls).toEqual([])
  })

  test('no token, and a workflow is named: the command to run again names the workflow', async () => {
    const [found] = await examineAt(platform, {}, { token: undefined, workflow: 'orders' })
    expect(found?.hint).toMatch(/ hookline doctor --repository \S+\/\S+ --workflow orders$/)
  })

  test('a renamed repository, by way of a redirect within GitHub', async () => {
    const moved = { status: 301, headers: { location: `${platform.url}/repositories/1` } }
    platform.next(moved, json(200, { full_name: 'octo/new', default_branch: 'trunk' }))
    const findings = await examineAt(platform, { scopes: 'repo' })
    expect(codes(findings)).toContain('repository_renamed')
  })

  test('the token is not sent to another host by a redirect', async () => {
    const elsewhere = await startGitHub()
    platform.next({ status: 301, headers: { location: `${elsewhere.url}/repositories/1` } })
    const findings = await examineAt(platform, {})
    await elsewhere.close()
    expect(elsewhere.calls).toEqual([])
    expect(codes(findings)).toEqual(['github_unavailable'])
  })
})

describe('a fault behind a good response is found:', () => {
  const codesOf = async (setting: Setting, target: Partial<DoctorTarget> = {}) =>
    codes(await examineAt(platform, { scopes: 'repo', ...setting }, target))

  test('a page of HTML in place of GitHub', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Hello</h1>' }
    expect(await codesOf({ repository: page })).toEqual(['not_github'])
  })

  test('an unknown trigger', async () => {
    const workflows = { 'hook.yml': LISTENING.replace('on: webhook }', 'on: webhok }') }
    expect(await codesOf({ workflows })).toEqual(['workflow_on_invalid'])
  })

  test('hookline dev in place of a relay', async () => {
    const page = '<title>It has no name in it</title>'
    const dev = createServer(({ url }, response) => {
      response.setHeader('content-type', url === '/' ? 'text/html' : 'text/plain')
      if (url === '/') response.setHeader(DEV_HEADER, 'true')
      response.end(url === '/' ? page : 'ok')
    }).listen(0, '127.0.0.1')
    await once(dev, 'listening')
    const { port } = dev.address() as AddressInfo
    const found = await codesOf({}, { relay: `http://127.0.0.1:${port}` })
    dev.close()
    expect(found).toEqual(['relay_is_dev'])
  })

  test.each([
    ['what it needs', STARTED_DIRECTLY, []],
    ['no trigger', LISTENING, ['workflow_not_listening']],
    ['no input', STARTED_DIRECTLY.replace('hookline: {', 'other: {'), ['workflow_not_listening']],
    [
      'a required input',
      STARTED_DIRECTLY.replace('inputs: {', 'inputs: { who: { required: true },'),
      ['workflow_input_required'],
    ],
  ])('workflow_dispatch mode, with %s', async (_, text, expected) => {
    const target = { dispatch: 'workflow', workflow: 'hook' } as const
    expect(await codesOf({ workflows: { 'hook.yml': text } }, target)).toEqual(expected)
  })
})

describe('a token that ends', () => {
  const at = (days: number) => new Date(Date.now() + days * 86_400_000 + 60_000).toISOString()
  const utc = (days: number) => `${at(days).slice(0, 10)} ${at(days).slice(11, 19)} UTC`
  test.each([
    [utc(0), /within a day/],
    [utc(1), /in a day/],
    [utc(13).replace('UTC', '+0000'), /in 13 days, on \d{4}-\d\d-\d\d/],
    [utc(-2), /within a day/],
    [utc(15), undefined],
    ['never', undefined],
    [undefined, undefined],
  ])('at %s is warned of: %s', async (ends, message) => {
    const findings = await examineAt(platform, { scopes: 'repo', ...(ends && { ends }) })
    const found = findings.filter(({ status }) => status !== 'ok')
    expect(found).toMatchObject(
      message ? [{ check: 'token', status: 'warning', code: 'token_ends_soon' }] : [],
    )
    if (message) expect(found[0]?.message).toMatch(message)
  })
})
