import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { batchDispatch } from '../../support/batches.ts'
import {
  type ChatStandIn,
  dispatched,
  fired,
  replyWith,
  slackStandIn,
} from '../../support/chats.ts'
import { bound, receive } from '../../support/receive.ts'

let api: ChatStandIn
beforeEach(async () => {
  api = await slackStandIn().start()
})
afterEach(() => api.stop())

const IDS = { team_id: 'T1', channel_id: 'C1', user_id: 'U1', trigger_id: '13.8.8d' }
const COMMAND = { kind: 'command', command: '/deploy', text: 'now', ...IDS }
const TOKEN = 'xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy'

const url = (path = '/commands/T1/2/x') => `${api.url}${path}`

/** The event of a slash command. */
function command(fields: Record<string, string> = {}) {
  const form = { token: 'old', command: '/deploy', text: 'now', ...IDS, response_url: url() }
  const body = new URLSearchParams({ ...form, ...fields }).toString()
  return dispatched('slack', body, 'application/x-www-form-urlencoded')
}

const EVENT = {
  kind: 'event',
  channel_id: 'C1',
  user_id: 'U1',
  event: { type: 'app_mention', channel: 'C1', user: 'U1', ts: '1763712000.000800' },
}

function answer(
  more: Record<string, string>,
  { item = COMMAND as object, event = command(), files = {} } = {},
) {
  const own = { 'slack-response-url': api.url, 'slack-api-url': `${api.url}/api`, text: 'done' }
  return replyWith({ to: fired('slack', item), ...own, ...more }, { event, files })
}

const byBot = (more: Record<string, string>, item: object = EVENT, files = {}) =>
  answer({ token: TOKEN, ...more }, { item, files })

describe('a command', () => {
  test('is answered by the response_url of its own event, which is masked', async () => {
    expect(await answer({})).toEqual({ id: '', masked: [url()], warnings: [], slept: [] })
    expect(api.paths).toEqual(['POST /commands/T1/2/x'])
    expect(api.body(0)).toEqual({ text: 'done', link_names: false, mrkdwn: false })
  })

  test.each([
    ['in the channel', { ephemeral: 'false' }, { response_type: 'in_channel' }],
    ['to the sender', { ephemeral: 'true' }, { response_type: 'ephemeral' }],
    ['in place of what was there', { edit: 'yes' }, { replace_original: true, blocks: [] }],
  ])('%s', async (_, more, body) => {
    await answer(more)
    expect(api.body(0)).toMatchObject(body)
  })

  test('that is longer than three messages is cut with a note', async () => {
    await answer({ text: 'a line of text\n'.repeat(20_000) })
    expect(api.calls).toHaveLength(3)
    expect(String(api.body(2).text)).toMatch(/\n… \(cut: 300000 characters in all\)$/)
    expect(String(api.body(2).text).length).toBeLessThanOrEqual(40_000)
  })

  test('an interaction is one too', async () => {
    const interaction = {
      type: 'block_actions',
      ...{ trigger_id: '13.8.8d', response_url: url('/actions/T1/2/x') },
      ...{ team: { id: 'T1' }, user: { id: 'U1' }, channel: { id: 'C1' } },
    }
    const form = new URLSearchParams({ payload: JSON.stringify(interaction) }).toString()
    const event = dispatched('slack', form, 'application/x-www-form-urlencoded')
    await answer({}, { item: { ...IDS, kind: 'interaction' }, event })
    expect(api.paths).toEqual(['POST /actions/T1/2/x'])
  })
})

describe('a response_url is used only', () => {
  test.each([
    ['under its host', 'http://localhost:1/commands/x'],
    ['with its scheme', 'https://127.0.0.1/commands/x'],
    ['without a user name', 'http://hooks.slack.com@127.0.0.1/commands/x'],
    ['outside of this network', 'http://169.254.169.254/commands/meta-data'],
  ])('%s', async (_, response_url) => {
    const refused = answer({ 'fail-on-error': 'true' }, { event: command({ response_url }) })
    await expect(refused).rejects.toThrow(/nothing was sent/)
    expect(api.calls).toEqual([])
  })

  test('under the paths that Slack gives out', async () => {
    const event = command({ response_url: url('/services/T1/B1/x') })
    await expect(answer({ 'fail-on-error': 'true' }, { event })).rejects.toThrow(/nothing was sent/)
  })

  test.each([
    ['of the same item', { ...COMMAND, trigger_id: '14.8.8d' }],
    ['of the same channel', { ...COMMAND, channel_id: 'C2' }],
    ['of an item that kept an id', { kind: 'command', text: 'now' }],
  ])('%s', async (_, item) => {
    const { warnings } = await answer({}, { item })
    expect(warnings).toEqual([expect.stringMatching(/does not belong to the event/)])
    expect(api.calls).toEqual([])
  })

  test('of the same item, in a batch with events of another sender', async () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const sent = (fields: Record<string, string>) => ({
      ...{ path: 'hook/slack', headers: type, body: new URLSearchParams(fields).toString() },
    })
    const forged = { command: '/deploy', response_url: url('/commands/T9/9/y') }
    const own = { ...IDS, command: '/deploy', response_url: url() }
    const { payload } = await batchDispatch([
      sent(forged),
      sent({ ...forged, team_id: 'T1', channel_id: 'C1', user_id: 'U1' }),
      { path: 'hook/slack', headers: { 'x-hookline-body-encoding': 'gzip' }, body: 'no gzip' },
      sent(own),
    ])
    await answer({}, { event: payload as never })
    expect(api.paths).toEqual(['POST /commands/T1/2/x'])
    await answer({}, { item: { ...COMMAND, trigger_id: '' }, event: payload as never })
    expect(api.calls).toHaveLength(1)
  })

  test('of the same trigger', async () => {
    const event = dispatched(
      'webhook',
      JSON.stringify({ ...IDS, command: '/x', response_url: url() }),
    )
    expect((await answer({}, { event })).warnings).toEqual([
      expect.stringMatching(/no response_url/),
    ])
  })

  test('never from the item itself', async () => {
    const item = { ...COMMAND, response_url: url() }
    const { warnings } = await answer({}, { item, event: { action: 'webhook' } as never })
    expect(warnings).toHaveLength(1)
    expect(api.calls).toEqual([])
  })
})

test('nothing that lets its holder write is an output of the trigger', async () => {
  const payload = {
    ...{ type: 'view_submission', token: 'old', trigger_id: '1.2.3', bot_access_token: 'xwfp-1' },
    ...{ response_url: url(), response_urls: [{ response_url: url() }], user: { id: 'U1' } },
  }
  const { items } = await receive(bound('slack', {}), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString(),
  })
  expect(items).toHaveLength(1)
  expect(items[0]).toMatchObject({ kind: 'interaction', trigger_id: '1.2.3', user_id: 'U1' })
  expect(JSON.stringify(items)).not.toMatch(/response_url|xwfp|"token"/)
})

describe('an event, by the token of a bot', () => {
  test.each([
    ['begins a thread', EVENT, '1763712000.000800'],
    [
      'goes on in its thread',
      { ...EVENT, event: { ...EVENT.event, thread_ts: '1763711999.000100' } },
      '1763711999.000100',
    ],
    [
      'a reaction, at its message',
      { ...EVENT, channel_id: null, event: { item: { channel: 'C1', ts: '1763711998.1' } } },
      '1763711998.1',
    ],
  ])('%s', async (_, item, thread_ts) => {
    expect(await byBot({}, item)).toMatchObject({ id: '1763712001.000100', masked: [TOKEN] })
    expect(api.paths).toEqual(['POST /api/chat.postMessage'])
    expect(api.body(0)).toMatchObject({ channel: 'C1', thread_ts, text: 'done' })
    expect(api.calls[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
  })

  test('is changed by its id', async () => {
    expect((await byBot({ edit: '1763712001.000100' })).id).toBe('1763712001.000100')
    expect(api.body(0)).toMatchObject({ channel: 'C1', ts: '1763712001.000100', text: 'done' })
  })

  test('goes to the sender alone', async () => {
    expect((await byBot({ ephemeral: 'true' })).id).toBe('')
    expect(api.paths).toEqual(['POST /api/chat.postEphemeral'])
    expect(api.body(0)).toMatchObject({ channel: 'C1', user: 'U1' })
  })

  test('brings a file', async () => {
    await byBot({ file: 'a.txt' }, EVENT, { 'a.txt': 'bytes' })
    expect(api.paths).toEqual([
      'POST /api/chat.postMessage',
      'POST /api/files.getUploadURLExternal',
      'POST /upload',
      'POST /api/files.completeUploadExternal',
    ])
    expect(api.body(1)).toEqual({ filename: 'a.txt', length: '5' })
    expect(api.calls[2]?.body).toBe('bytes')
    expect(api.calls[2]?.headers.authorization).toBeUndefined()
    expect(api.body(3)).toMatchObject({ files: [{ id: 'F1', title: 'a.txt' }], channel_id: 'C1' })
  })

  test('never takes a file elsewhere', async () => {
    api.faults.push({ body: { ok: true, ts: '1.1' } })
    api.faults.push({
      body: { ok: true, upload_url: 'https://evil.example/slack.com', file_id: 'F' },
    })
    const { warnings } = await byBot({ file: 'a.txt' }, EVENT, { 'a.txt': 'bytes' })
    expect(warnings).toEqual([expect.stringMatching(/not its own/)])
  })

  test.each([
    ['not_in_channel', /Invite the bot/],
    ['missing_scope', /the scope chat:write/],
    ['message_not_found', /output "id"/],
  ])('%s is an error with its cure', async (error, words) => {
    api.faults.push({ body: { ok: false, error } })
    expect((await byBot({})).warnings).toEqual([expect.stringMatching(words)])
  })

  test('429 is obeyed for up to a minute', async () => {
    const busy = (seconds: string) => ({ status: 429, headers: { 'retry-after': seconds } })
    api.faults.push(busy('20'), busy('30'))
    expect(await byBot({})).toMatchObject({ id: '1763712001.000100', slept: [20_000, 30_000] })
    api.faults.push(busy('40'), busy('30'))
    expect((await byBot({})).warnings).toEqual([expect.stringMatching(/rate limited for 30 s/)])
  })

  test('without a token it says so', async () => {
    await expect(answer({ 'fail-on-error': 'true' }, { item: EVENT })).rejects.toThrow(
      /"token" is empty/,
    )
  })
})

describe('how a text is written', () => {
  const said = async (more: Record<string, string>) => {
    await byBot(more)
    return api.body(0)
  }

  test.each([
    ['plain', '<!here> *a* & b', '&lt;!here&gt; *a* &amp; b'],
    [
      'markdown',
      '**bold** *it* `x<y` [a](https://x.example/?a=1&b=2) <@U1>\n- one',
      '*bold* _it_ `x&lt;y` <https://x.example/?a=1&amp;b=2|a> &lt;@U1&gt;\n• one',
    ],
    [
      'raw',
      '*b* <!here> <@U1> <https://x.example|x>',
      '*b* &lt;!here&gt; &lt;@U1&gt; <https://x.example|x>',
    ],
    ['markdown', '```sh\n*a* <b>\n```', '```\n*a* &lt;b&gt;\n```'],
    ['markdown', '```\na ``` *b* ````\n```', '```\na `\u200b`` *b* `\u200b`\u200b``\n```'],
    ['markdown', '`a```b`', 'a\u200b`\u200b\u200b`\u200b\u200b`\u200bb'],
    ['markdown', 'https://x.example/?a=1&b=`', '<https://x.example/?a=1&amp;b=%60>'],
  ])('%s', async (format, text, wanted) => {
    expect(await said({ format, text })).toMatchObject({ text: wanted })
  })

  test('a broadcast is disarmed in every form, unless it is wanted', async () => {
    for (const format of ['plain', 'markdown', 'raw']) {
      api.calls.length = 0
      const { text } = await said({
        format,
        text: `@channel @here <!everyone> <!subteam^S1> <!here|${'x'.repeat(99)}>`,
      })
      expect(text).not.toMatch(/@channel|@here|<!/)
    }
    api.calls.length = 0
    const loud = await said({ text: '@channel <@U1> <!here> <b>', 'allow-mentions': 'true' })
    expect(loud.text).toBe('<!channel> <@U1> <!here> &lt;b&gt;')
  })

  test('buttons follow sections of at most 3,000 characters', async () => {
    const text = 'a line & more\n'.repeat(500).trim()
    const { blocks } = await said({
      text,
      buttons: '[Approve](approve:42) [Open](https://x.example)',
    })
    const list = blocks as { type: string; text: { text: string }; elements: unknown[] }[]
    expect(list.map(({ type }) => type)).toEqual([
      ...Array(list.length - 1).fill('section'),
      'actions',
    ])
    expect(list.slice(0, -1).every((block) => block.text.text.length <= 3_000)).toBe(true)
    expect(
      list
        .slice(0, -1)
        .map((block) => block.text.text)
        .join('\n'),
    ).toBe(text)
    expect(list.at(-1)?.elements).toMatchObject([
      { type: 'button', action_id: 'reply-1-1', value: 'approve:42' },
      { type: 'button', action_id: 'reply-1-2', url: 'https://x.example' },
    ])
  })

  test('html is none of its own', async () => {
    await expect(byBot({ format: 'html', 'fail-on-error': 'true' })).rejects.toThrow(
      /not support html/,
    )
  })
})

describe('each method of the Web API gets its documented fields', () => {
  const thread_ts = '1763712000.000800'
  const common = { channel: 'C1', text: 'done', mrkdwn: false, link_names: false }

  test.each([
    ['chat.postMessage', {}, { ...common, thread_ts }],
    ['chat.update', { edit: '1.1' }, { ...common, ts: '1.1', blocks: [] }],
    ['chat.postEphemeral', { ephemeral: 'true' }, { ...common, user: 'U1', thread_ts }],
  ])('%s', async (method, more, body) => {
    await byBot(more)
    expect(api.paths[0]).toBe(`POST /api/${method}`)
    expect(api.calls[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
    expect(api.body(0)).toEqual(body)
  })
})
