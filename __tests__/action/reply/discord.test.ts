import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import {
  type APIApplicationCommandInteraction,
  ButtonStyle,
  ComponentType,
  InteractionType,
  MessageFlags,
  type RESTPatchAPIWebhookWithTokenMessageJSONBody,
  type RESTPostAPIWebhookWithTokenJSONBody,
  Routes,
} from 'discord-api-types/v10'
import {
  type ChatStandIn,
  discordStandIn,
  dispatched,
  fired,
  replyWith,
} from '../../support/chats.ts'

let api: ChatStandIn
beforeEach(async () => {
  api = await discordStandIn().start()
})
afterEach(() => api.stop())

const TOKEN = 'aW50ZXJhY3Rpb246MTIz.abc-DEF_456'

/** The fields of every interaction, without its token. */
const ITEM = {
  id: '846462639134605312',
  application_id: '845027738276462632',
  type: InteractionType.ApplicationCommand,
  channel_id: '772908445358620702',
  guild_id: '290926798626357999',
  data: { id: '1', name: 'deploy', type: 1 },
  version: 1,
} satisfies Partial<APIApplicationCommandInteraction>

const event = (more = {}) =>
  dispatched('discord', JSON.stringify({ ...ITEM, token: TOKEN, ...more }))

function answer(
  more: Record<string, string>,
  { item = ITEM as object, own = event(), files = {} } = {},
) {
  const given = { to: fired('discord', item), 'discord-url': api.url, text: 'done', ...more }
  return replyWith(given, { event: own, files })
}

const webhook = `/webhooks/${ITEM.application_id}/${TOKEN}`

test('a command is answered by the webhook of its own event, whose token is masked', async () => {
  expect(await answer({})).toEqual({ id: '1001', masked: [TOKEN], warnings: [], slept: [] })
  expect(api.calls).toMatchObject([{ method: 'POST', path: `${webhook}?wait=true` }])
  expect(api.body(0)).toEqual({ content: 'done', allowed_mentions: { parse: [] } })
})

describe('an answer is changed', () => {
  test.each([
    ['by its id', { edit: '1001' }, ITEM, '1001'],
    ['as the original', { edit: '@original' }, ITEM, '@original'],
    [
      'where the button stood',
      { edit: '77' },
      { ...ITEM, type: InteractionType.MessageComponent, message: { id: '77' } },
      '@original',
    ],
  ])('%s', async (_, more, item, id) => {
    await answer(more, { item })
    expect(api.calls).toMatchObject([{ method: 'PATCH', path: `${webhook}/messages/${id}` }])
    // An edit must state that it has no buttons.
    expect(api.body(0)).toEqual({
      content: 'done',
      allowed_mentions: { parse: [] },
      components: [],
    })
  })

  test('another message than the one of the button by its own id', async () => {
    const item = { ...ITEM, type: InteractionType.MessageComponent, message: { id: '77' } }
    await answer({ edit: '78' }, { item })
    expect(api.calls).toMatchObject([{ method: 'PATCH', path: `${webhook}/messages/78` }])
  })

  test('by nothing that leads elsewhere', async () => {
    await expect(answer({ edit: '../../channels/1', 'fail-on-error': 'true' })).rejects.toThrow(
      /not a message id/,
    )
    expect(api.calls).toEqual([])
  })
})

describe('ephemeral replies', () => {
  test('does not take the public place of "thinking…"', async () => {
    await answer({ ephemeral: 'true' })
    expect(api.calls.map(({ method }) => method)).toEqual(['GET', 'DELETE', 'POST'])
    expect(api.body(2)).toMatchObject({ flags: MessageFlags.Ephemeral })
  })

  test('leaves an earlier answer where it is', async () => {
    await api.stop()
    api = await discordStandIn({ flags: 0 }).start()
    await answer({ ephemeral: 'true' })
    expect(api.calls.map(({ method }) => method)).toEqual(['GET', 'POST'])
  })
})

describe('how a text is written', () => {
  test.each([
    [
      'plain',
      'a *b* _c_ `d` ~e~ ||f|| <@1>\n# g\n> h\n- i\n1. j',
      'a \\*b\\* \\_c\\_ \\`d\\` \\~e\\~ \\|\\|f\\|\\| \\<@1>\n\\# g\n\\> h\n\\- i\n1\\. j',
    ],
    ['plain', 'see https://x.example/a_b_c', 'see https://x.example/a_b_c'],
    [
      'markdown',
      '**bold** *it* `x` [a](https://x.example) ~no~\n- one',
      '**bold** *it* `x` [a](https://x.example) \\~no\\~\n• one',
    ],
    ['raw', '||x||', '||x||'],
    [
      'markdown',
      '```\na ``` [x](https://e.example) <@1> ````\n```',
      '```\na `\u200b`` [x](https://e.example) <@1> `\u200b`\u200b``\n```',
    ],
    ['plain', 'http://[x](https://e.example)', 'http://%5Bx%5D(https://e.example)'],
    ['plain', 'http://a\\<@1>', 'http://a%5C\\<@1>'],
    ['markdown', '[a](https://x.example/`])', '[a](https://x.example/%60%5D)'],
  ])('%s: %s', async (format, text, content) => {
    await answer({ format, text })
    expect(api.body(0).content).toBe(content)
  })

  test('mentions notify nobody by default', async () => {
    await answer({
      text: '@everyone <@80351110224678912>',
      'allow-mentions': 'true',
      silent: 'true',
    })
    expect(api.body(0)).toEqual({
      content: '@everyone <@80351110224678912>',
      allowed_mentions: { parse: ['users', 'roles', 'everyone'] },
      flags: MessageFlags.SuppressNotifications,
    })
  })

  test('a block of code that is cut is closed and opened again', async () => {
    const code = 'const a = 1 // *\n'.repeat(200)
    await answer({ format: 'markdown', text: `\`\`\`js\n${code}\`\`\`` })
    const said = api.calls.map((_, at) => String(api.body(at).content))
    expect(said).toHaveLength(2)
    for (const content of said) {
      expect(content).toMatch(/^```js\n[^`]*\n```$/)
      expect(content.length).toBeLessThanOrEqual(2_000)
    }
    expect(said.join('').match(/const/g)).toHaveLength(200)
  })

  test('a line that is indented too far ends no block, where it is cut either', async () => {
    const code = `${'x\n'.repeat(900)}     \`\`\`\n${'y\n'.repeat(200)}[x](https://e.example)\n`
    await answer({ format: 'markdown', text: `\`\`\`\n${code}\`\`\`` })
    expect(String(api.body(1).content)).toMatch(/^```\n[\s\S]*\[x\]\(https:\/\/e\.example\)\n```$/)
  })

  test('a text longer than five messages becomes a file', async () => {
    const text = 'word '.repeat(3_000)
    await answer({ text })
    expect(api.calls).toHaveLength(1)
    expect(api.body(0)['files[0]']).toBe(`reply.txt: ${text}`)
    const { attachments } = JSON.parse(String(api.body(0).payload_json))
    expect(attachments).toEqual([{ id: 0, filename: 'reply.txt' }])
  })
})

test('buttons are rows of components', async () => {
  await answer({ buttons: '[Approve](approve:42)\n[Open](https://x.example)' })
  const wanted: RESTPostAPIWebhookWithTokenJSONBody['components'] = [
    {
      type: ComponentType.ActionRow,
      components: [
        {
          type: ComponentType.Button,
          style: ButtonStyle.Secondary,
          label: 'Approve',
          custom_id: 'approve:42',
        },
      ],
    },
    {
      type: ComponentType.ActionRow,
      components: [
        {
          type: ComponentType.Button,
          style: ButtonStyle.Link,
          label: 'Open',
          url: 'https://x.example',
        },
      ],
    },
  ]
  expect(api.body(0).components).toEqual(wanted)
})

describe('rejected replies', () => {
  test.each([
    ['an interaction that is over', { status: 404, body: { code: 10_015 } }, /15 minutes/],
    ['a token that is over', { status: 401, body: { code: 50_027 } }, /15 minutes/],
    ['an edit of nothing', { status: 404, body: { code: 10_008 } }, /"edit" to the output "id"/],
  ])('%s', async (_, fault, words) => {
    api.faults.push(fault, fault)
    const { warnings } = await answer({})
    expect(warnings).toEqual([expect.stringMatching(words)])
    expect(warnings.join()).not.toContain(TOKEN)
    await expect(answer({ 'fail-on-error': 'true' })).rejects.toThrow(/Discord rejected/)
  })

  test.each([
    ['another interaction', { ...ITEM, id: '1' }, event()],
    ['an event that a stranger made of another', ITEM, event({ application_id: '9' })],
    ['a run that was started otherwise', ITEM, { action: 'webhook' }],
  ])('%s is answered nowhere', async (_, item, own) => {
    const { warnings } = await answer({}, { item, own })
    expect(warnings).toHaveLength(1)
    expect(api.calls).toEqual([])
  })

  test('429 is obeyed, in fractions of a second', async () => {
    api.faults.push({ status: 429, headers: { 'retry-after': '0.3' }, body: {} })
    expect(await answer({})).toMatchObject({ id: '1001', slept: [300] })
  })

  test.each([
    ['a value of 101 characters', { buttons: `[a](${'x'.repeat(101)})` }, /the limit is 100/],
    ['six buttons in a row', { buttons: '[a](b) '.repeat(6) }, /the limit is 5/],
    ['html', { format: 'html' }, /not support html/],
  ])('%s is an error of the step', async (_, more, words) => {
    await expect(answer({ ...more, 'fail-on-error': 'true' })).rejects.toThrow(words)
  })
})

describe('the API gets the bodies that its types declare', () => {
  const body: RESTPostAPIWebhookWithTokenJSONBody = {
    content: 'done',
    allowed_mentions: { parse: [] },
    flags: MessageFlags.SuppressNotifications,
  }
  const changed: RESTPatchAPIWebhookWithTokenMessageJSONBody = {
    content: 'done',
    allowed_mentions: { parse: [] },
    components: [],
  }
  const { application_id } = ITEM

  test.each([
    ['POST', `${Routes.webhook(application_id, TOKEN)}?wait=true`, { silent: 'true' }, body],
    ['PATCH', Routes.webhookMessage(application_id, TOKEN, '1001'), { edit: '1001' }, changed],
  ])('%s %s', async (method, path, more, expected) => {
    await answer({ ...more, 'discord-url': `${api.url}/v10` })
    expect(api.calls).toMatchObject([{ method, path: `/v10${path}` }])
    expect(api.body(0)).toEqual(expected)
  })
})
