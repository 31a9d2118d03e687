import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Json } from '../../../src/wire/json.ts'
import { ChatStandIn, fired, replyWith } from '../../support/chats.ts'

let api: ChatStandIn

beforeEach(async () => {
  api = await new ChatStandIn(({ path, method }) => {
    if (path === '/graphql') {
      return { body: { data: { result: { success: true, comment: { id: 'c-1' } } } } }
    }
    const id = path.startsWith('/rest/') ? '10042' : 42
    return { status: method === 'POST' ? 201 : 200, body: { id } }
  }).start()
})
afterEach(() => api.stop())

const item = (headers: Json, body: Json) => fired('webhook', { headers, body })

const GITHUB = { 'x-github-event': 'issues' }
const ISSUE = { repository: { full_name: 'octo/shop' }, issue: { number: 7 } }

const send = (to: string, more: Record<string, string> = {}) =>
  replyWith({
    to,
    text: 'done',
    token: 'the-token-of-the-workflow',
    'fail-on-error': 'true',
    'github-api-url': api.url,
    repository: 'octo/shop',
    'linear-api-url': api.url,
    'jira-url': api.url,
    ...more,
  })

describe('GitHub', () => {
  test.each([
    ['an issue', ISSUE],
    ['a pull request', { repository: { full_name: 'octo/shop' }, pull_request: { number: 7 } }],
  ])('a comment on %s', async (_, body) => {
    const { id, masked } = await send(item(GITHUB, body))
    expect([id, masked]).toEqual(['42', ['the-token-of-the-workflow']])
    expect(api.paths).toEqual(['POST /repos/octo/shop/issues/7/comments'])
    expect(api.body(0)).toEqual({ body: 'done' })
    expect(api.calls[0]?.headers.authorization).toBe('Bearer the-token-of-the-workflow')
  })

  test('an earlier comment is edited', async () => {
    await send(item(GITHUB, ISSUE), { edit: '42' })
    expect(api.paths).toEqual(['PATCH /repos/octo/shop/issues/comments/42'])
  })

  test('a server that refuses the version of the API gets the older one', async () => {
    api.faults.push({ status: 400, body: { message: 'unsupported version' } })
    const { id } = await send(item(GITHUB, ISSUE))
    const versions = api.calls.map(({ headers }) => headers['x-github-api-version'])
    expect([id, versions]).toEqual(['42', ['2026-03-10', '2022-11-28']])
  })

  test('plain text shows no markup, and a mention notifies only with allow-mentions', async () => {
    const text = '# a *b* <img> @octo'
    await send(item(GITHUB, ISSUE), { text })
    await send(item(GITHUB, ISSUE), { text, format: 'markdown' })
    await send(item(GITHUB, ISSUE), { text, format: 'markdown', 'allow-mentions': 'true' })
    expect(api.calls.map((_, at) => api.body(at).body)).toEqual([
      '\\# a \\*b\\* &lt;img&gt; @\u200bocto',
      '# a *b* <img> @\u200bocto',
      text,
    ])
  })

  test.each([
    ['no issue', { repository: { full_name: 'octo/shop' } }],
    [
      'a number that is none',
      { repository: { full_name: 'octo/shop' }, issue: { number: '7/../8' } },
    ],
  ])('%s: nothing is called', async (_, body) => {
    await expect(send(item(GITHUB, body))).rejects.toThrow(/without an issue/)
    expect(api.calls).toEqual([])
  })

  test.each([
    ['another repository', 'octo/other', 'octo/shop'],
    ['the repository of another owner', 'evil/shop', 'octo/shop'],
    ['a name that only begins alike', 'octo/shop2', 'octo/shop'],
  ])('of %s gets no comment, unless the step names it', async (_, full_name, repository) => {
    const to = item(GITHUB, { repository: { full_name }, issue: { number: 7 } })
    await expect(send(to, { repository })).rejects.toThrow(/of another repository than octo\/shop/)
    expect(api.calls).toEqual([])
    await send(to, { repository: full_name })
    expect(api.paths).toEqual([`POST /repos/${full_name}/issues/7/comments`])
  })

  test.each(['../../user', 'octo/..', ''])('%j is no repository', async (repository) => {
    const to = item(GITHUB, { repository: { full_name: repository }, issue: { number: 7 } })
    await expect(send(to, { repository })).rejects.toThrow(/without an issue/)
    await expect(send(to)).rejects.toThrow(/of another repository/)
    expect(api.calls).toEqual([])
  })

  test('names of repositories ignore case', async () => {
    await send(item(GITHUB, ISSUE), { repository: 'Octo/Shop' })
    expect(api.paths).toEqual(['POST /repos/Octo/Shop/issues/7/comments'])
  })

  test('a refusal names the status and nothing of the response', async () => {
    api.faults.push({ status: 403, body: { message: 'secret text' } })
    const failure = send(item(GITHUB, ISSUE))
    await expect(failure).rejects.toThrow('GitHub rejected the comment (403)')
    await expect(failure).rejects.not.toThrow('secret text')
  })
})

describe('Linear', () => {
  const linear = (body: Json) => item({ 'linear-delivery': 'd' }, body)

  test.each<[string, Json, object]>([
    ['an issue', { type: 'Issue', data: { id: 'i-1' } }, { issueId: 'i-1', body: 'done' }],
    [
      'a comment, in its thread',
      { type: 'Comment', data: { id: 'c-9', issueId: 'i-1' } },
      { issueId: 'i-1', parentId: 'c-9', body: 'done' },
    ],
    [
      'a comment in a thread',
      { type: 'Comment', data: { id: 'c-9', issueId: 'i-1', parentId: 'c-8' } },
      { issueId: 'i-1', parentId: 'c-8', body: 'done' },
    ],
    [
      'an agent session, which it ends',
      { type: 'AgentSessionEvent', agentSession: { id: 's-1' } },
      { agentSessionId: 's-1', content: { type: 'response', body: 'done' } },
    ],
  ])('%s', async (_, body, input) => {
    await send(linear(body))
    expect(api.body(0)).toMatchObject({ variables: { input } })
    expect(api.calls[0]?.headers.authorization).toBe('Bearer the-token-of-the-workflow')
  })

  test('an API key is sent as it is; the id serves to edit the comment', async () => {
    const issue = linear({ type: 'Issue', data: { id: 'i-1' } })
    const token = 'lin_api_1234567890'
    const { id } = await send(issue, { token })
    await send(issue, { token, edit: id, text: 'changed' })
    expect(api.calls[0]?.headers.authorization).toBe(token)
    expect(api.body(1)).toMatchObject({ variables: { id: 'c-1', input: { body: 'changed' } } })
  })

  test('errors of GraphQL, which come with 200, are an error', async () => {
    api.faults.push({ body: { errors: [{ message: 'no' }], data: null } })
    await expect(send(linear({ type: 'Issue', data: { id: 'i-1' } }))).rejects.toThrow(/rejected/)
  })
})

describe('Jira', () => {
  const jira = (key: string) => item({ 'x-atlassian-webhook-identifier': 'w' }, { issue: { key } })

  test('a comment, and its edit, with e-mail address and API token', async () => {
    const token = 'ada@example.com:secret'
    const { id } = await send(jira('SHOP-7'), { token, text: 'a *b* [~ada]' })
    await send(jira('SHOP-7'), { token, edit: id })
    expect(api.paths).toEqual([
      'POST /rest/api/2/issue/SHOP-7/comment',
      'PUT /rest/api/2/issue/SHOP-7/comment/10042',
    ])
    expect(api.body(0)).toEqual({ body: 'a \\*b\\* \\[\\~ada\\]' })
    expect(api.calls[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from(token).toString('base64')}`,
    )
  })

  test.each([
    ['no address', jira('SHOP-7'), { 'jira-url': '' }, /"jira-url" is not the address .*: ""/],
    [
      'an address without https',
      jira('SHOP-7'),
      { 'jira-url': 'shop.atlassian.net' },
      /"jira-url" is not the address .*: "shop.atlassian.net"/,
    ],
    ['no issue', jira('../x'), {}, /without an issue/],
    ['Markdown', jira('SHOP-7'), { format: 'markdown' }, /does not read Markdown/],
    ['no token', jira('SHOP-7'), { token: '' }, /"token" is missing/],
    ['buttons', jira('SHOP-7'), { buttons: '[a](b)' }, /does not support "buttons"/],
  ])('%s is an error, and nothing is called', async (_, to, more, message) => {
    await expect(send(to, more)).rejects.toThrow(message)
    expect(api.calls).toEqual([])
  })
})

test('another webhook has no comments', async () => {
  await expect(send(item({ 'user-agent': 'curl' }, {}))).rejects.toThrow(/cannot reply/)
})
