import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { parseMarkdown } from '../../../src/action/reply/markdown/parse.ts'
import { hasRichBlocks } from '../../../src/action/reply/markdown/tree.ts'
import {
  ChatStandIn,
  discordStandIn,
  dispatched,
  fired,
  replyWith,
  slackStandIn,
} from '../../support/chats.ts'
import { BOT_TOKEN } from '../../support/telegram.ts'

type Root = ReturnType<typeof fromMarkdown>
type Nodes = Root | Root['children'][number]

let telegram: ChatStandIn
let slack: ChatStandIn
let discord: ChatStandIn
beforeEach(async () => {
  telegram = await new ChatStandIn(() => ({
    body: { ok: true, result: { message_id: 7 } },
  })).start()
  slack = await slackStandIn().start()
  discord = await discordStandIn().start()
})
afterEach(() => Promise.all([telegram.stop(), slack.stop(), discord.stop()]))

const MESSAGE = { message_id: 5, chat: { id: 1, type: 'private' } }
const EVENT = {
  kind: 'event',
  channel_id: 'C1',
  user_id: 'U1',
  event: { channel: 'C1', ts: '1.1' },
}
const COMMAND = { command: '/x', team_id: 'T1', channel_id: 'C1', user_id: 'U1', trigger_id: '1.2' }
const INTERACTION = { id: '1', application_id: '2', type: 2, channel_id: '3' }

/** One after the other, because each of the first replies loads its own chat. */
async function toEveryChat(text: string): Promise<void> {
  await toTelegram(text)
  await toSlack(text)
  await toDiscord(text)
}

type Inputs = Readonly<Record<string, string>>

const toTelegram = (text: string, more: Inputs = {}) =>
  replyWith({
    ...{ to: fired('messaging_bot', MESSAGE), token: BOT_TOKEN, 'telegram-api-url': telegram.url },
    ...{ format: 'markdown', text, ...more },
  })

const toSlack = (text: string, more: Inputs = {}) =>
  replyWith({
    ...{ to: fired('slack', EVENT), token: 'xoxb-1', 'slack-api-url': `${slack.url}/api` },
    ...{ format: 'markdown', text, ...more },
  })

/** By the response_url of a command. */
const toCommand = (text: string) => {
  const form = { ...COMMAND, response_url: `${slack.url}/commands/T1/2/x` }
  const body = new URLSearchParams(form).toString()
  return replyWith(
    {
      ...{ to: fired('slack', { kind: 'command', ...COMMAND }), 'slack-response-url': slack.url },
      ...{ format: 'markdown', text },
    },
    { event: dispatched('slack', body, 'application/x-www-form-urlencoded') },
  )
}

const toDiscord = (text: string) =>
  replyWith(
    {
      ...{ to: fired('discord', INTERACTION), 'discord-url': discord.url },
      ...{ format: 'markdown', text },
    },
    { event: dispatched('discord', JSON.stringify({ ...INTERACTION, token: 'a.b' })) },
  )

/** The Markdown that Telegram and Slack render; the HTML and mrkdwn of an ordinary message; Discord's Markdown. */
interface Shown {
  readonly native: string
  readonly html: string
  readonly mrkdwn: string
  readonly discord: string
}

const TABLE = '| a | b |\n|:-:|--:|\n| 1 | **2** |\n| `x` | \\| |'

const CONSTRUCTS: readonly (readonly [name: string, text: string, shown: Partial<Shown>])[] = [
  [
    'a heading',
    '## Result of *it* ##\ntext',
    {
      native: '## Result of *it*\n\ntext',
      html: '<b>Result of <i>it</i></b>\ntext',
      mrkdwn: '*Result of _it_*\ntext',
      discord: '## Result of *it*\ntext',
    },
  ],
  [
    'a heading of the fifth level',
    '##### Small',
    { native: '##### Small', html: '<b>Small</b>', mrkdwn: '*Small*', discord: '**Small**' },
  ],
  [
    'a table',
    TABLE,
    {
      native: '| a | b |\n| :-: | --: |\n| 1 | **2** |\n| `x` | \\| |',
      html: '<pre>a  b\n-  -\n1  2\nx  |</pre>',
      mrkdwn: '```\na  b\n-  -\n1  2\nx  |\n```',
      discord: '```\na  b\n-  -\n1  2\nx  |\n```',
    },
  ],
  [
    'tasks',
    '- [ ] open\n- [x] done\n  1. [X] inner',
    {
      native: '- [ ] open\n- [x] done\n  1. [x] inner',
      html: '☐ open\n☑ done\n  ☑ inner',
      mrkdwn: '☐ open\n☑ done\n  ☑ inner',
      discord: '☐ open\n☑ done\n  ☑ inner',
    },
  ],
  [
    'a rule',
    'a\n***\nb',
    { native: 'a\n\n---\n\nb', html: 'a\n———\nb', mrkdwn: 'a\n———\nb', discord: 'a\n———\nb' },
  ],
  [
    'an image',
    '![the chart](https://x.example/a.png)',
    {
      native: '![the chart](https://x.example/a.png)',
      html: '<a href="https://x.example/a.png">the chart</a>',
      mrkdwn: '<https://x.example/a.png|the chart>',
      discord: '[the chart](https://x.example/a.png)',
    },
  ],
]

test.each(CONSTRUCTS)('%s', async (_, text, shown) => {
  await toEveryChat(text)
  expect(telegram.paths[0]).toMatch(/\/sendRichMessage$/)
  const markdown = shown.native?.replace('`x`', '<code>x</code>')
  expect(telegram.body(0).rich_message).toEqual({ markdown })
  const blocks = [{ type: 'markdown', text: shown.native }]
  expect(slack.body(0)).toMatchObject({ text: shown.mrkdwn, blocks })
  expect(discord.body(-1).content).toBe(shown.discord)
})

test.each(CONSTRUCTS)('%s, for a server that refuses it', async (_, text, shown) => {
  telegram.faults.push({
    status: 404,
    body: { ok: false, error_code: 404, description: 'Not Found' },
  })
  slack.faults.push({ body: { ok: false, error: 'invalid_blocks' } })
  const sent = [await toTelegram(text), await toSlack(text)]
  expect(sent.map(({ id, warnings }) => ({ id, warnings }))).toEqual([
    { id: '7', warnings: [] },
    { id: '1763712001.000100', warnings: [] },
  ])
  expect(telegram.paths[1]).toMatch(/\/sendMessage$/)
  expect(telegram.body(1)).toMatchObject({ text: shown.html, parse_mode: 'HTML' })
  expect(slack.body(1).text).toBe(shown.mrkdwn)
  expect(slack.body(1).blocks).toBeUndefined()
})

test('quotes, strikes and links in a line need no rich message', async () => {
  const text = '> one\n> ~~two~~\n\nsee ![chart](https://x.example/c) ~no~'
  await toEveryChat(text)
  expect(telegram.paths[0]).toMatch(/\/sendMessage$/)
  expect(telegram.body(0).text).toBe(
    '<blockquote>one\n<s>two</s></blockquote>\n\nsee <a href="https://x.example/c">chart</a> ~no~',
  )
  expect(slack.body(0).text).toMatch(/^>one\n>~two~\n\nsee <https:\/\/x\.example\/c\|chart> /)
  expect(slack.body(0).blocks).toBeUndefined()
  expect(discord.body(-1).content).toBe(
    '> one\n> ~~two~~\n\nsee [chart](https://x.example/c) \\~no\\~',
  )
})

test('a fault that is no refusal sends nothing twice', async () => {
  telegram.faults.push({ status: 502, body: 'Bad Gateway' })
  expect((await toTelegram('# a')).warnings).toHaveLength(1)
  expect(telegram.calls).toHaveLength(1)
  slack.faults.push({ body: { ok: false, error: 'not_in_channel' } })
  expect((await toSlack('# a')).warnings).toHaveLength(1)
  expect(slack.calls).toHaveLength(1)
})

test('a reply by a response_url has Markdown too, and mrkdwn if Slack refuses that', async () => {
  await toCommand('# a')
  expect(slack.body(0).blocks).toEqual([{ type: 'markdown', text: '# a' }])
  slack.faults.push({ status: 400, body: 'invalid_blocks' })
  expect((await toCommand('# a')).warnings).toEqual([])
  expect(slack.body(2)).toMatchObject({ text: '*a*' })
  expect(slack.body(2).blocks).toBeUndefined()
})

test('an edit and its buttons', async () => {
  const more = { edit: '42', buttons: '[Yes](yes)' }
  await toTelegram('# a', more)
  expect(telegram.paths[0]).toMatch(/\/editMessageText$/)
  expect(telegram.body(0)).toMatchObject({
    ...{ message_id: '42', rich_message: { markdown: '# a' } },
    reply_markup: { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] },
  })
  await toSlack('# a', more)
  expect(slack.paths[0]).toBe('POST /api/chat.update')
  expect(slack.body(0).blocks).toMatchObject([{ type: 'markdown' }, { type: 'actions' }])
})

/** Text of unknown authors between rich blocks: each of these stays text, in both kinds of Markdown. */
test.each([
  ['<b>x</b> <tg-button type="url" url="https://e.example">y</tg-button>', '&lt;b&gt;x&lt;/b&gt; '],
  ['&lt;b&gt;', '&lt;b&gt;'],
  ['&amp;lt;', '&amp;lt;'],
  ['a | b', 'a \\| b'],
  ['[x](javascript:alert(1))', '\\[x\\](javascript:alert(1))'],
  ['\\# no heading', '\\# no heading'],
  ['1\\. no list', '1\\. no list'],
  ['> quote <!channel>', '> quote &lt;'],
  ['    <b>', '```'],
  ['``<b>```', '\\`'],
])('%s stays text', async (text, start) => {
  await Promise.all([toTelegram(`# a\n${text}`), toSlack(`# a\n${text}`)])
  const { rich_message: rich } = telegram.body(0)
  const [block] = slack.body(0).blocks as { text: string }[]
  for (const shown of [(rich as { markdown: string }).markdown, block?.text ?? '']) {
    expect(shown.replaceAll('\u200b', '').slice('# a\n\n'.length)).toMatch(
      new RegExp(`^${start.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`),
    )
    expect(shown.replace(/<\/?code>/g, '').replace(/`<b>`|^<b>$/gm, '')).not.toMatch(/<[!@a-z/]/i)
  }
})

test('a mention notifies nobody, also in code', async () => {
  await toSlack('# a\n@channel <!here> `<!here>` <@U1>\n```\n<!here>\n```')
  expect(JSON.stringify(slack.body(0))).not.toMatch(/<[!@]|@channel/)
  await toSlack('# a\n<@U1> @here', { 'allow-mentions': 'true' })
  expect(slack.body(1).blocks).toEqual([{ type: 'markdown', text: '# a\n\n<@U1> <!here>' }])
})

test('a link whose text is another host shows its host', async () => {
  const text = '# a\n[github.com](https://evil.example/x)'
  await toEveryChat(text)
  const shown = '[github.com (evil.example)](https://evil.example/x)'
  expect(telegram.body(0).rich_message).toEqual({ markdown: `# a\n\n${shown}` })
  expect(slack.body(0).blocks).toMatchObject([{ text: `# a\n\n${shown}` }])
  expect(discord.body(-1).content).toBe(`# a\n${shown}`)
})

test.each([
  ['a row without a line below it', '| a | b |'],
  ['a line with another number of cells', '| a | b |\n|---|'],
  ['more columns than Telegram shows', `${'| a '.repeat(21)}|\n${'|---'.repeat(21)}|`],
  ['seven marks', '####### a'],
  ['a mark without a space', '#a'],
  ['a box without a list', '[ ] a'],
  ['an image of another scheme', '![a](data:image/png;base64,x)'],
])('%s is text', (_, text) => {
  expect(hasRichBlocks(parseMarkdown(text))).toBe(false)
})

test.each([
  ...['|', '| - ', '#', '# ', '> ', '~~', '![', '- [ ] ', '---\n', '|\n-|\n', '<', '``a', '`a` '],
  ...['*a', '*a_', '](', '[a](', 'a@b.c ', '[^a]:', '[^a]: b\n\n', '1. ', '- a\n  - b\n', '> a\n'],
])('60,000 and 120,000 characters of %j take no longer than 5 s of CPU time', (piece) => {
  const before = process.cpuUsage()
  for (const length of [60_000, 120_000]) parseMarkdown(piece.repeat(length / piece.length))
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5)
})

/** The text and the marked texts that a parser without extensions reads in the Markdown for Slack. */
function read(markdown: string) {
  const options = {
    extensions: [gfm({ singleTilde: false })],
    mdastExtensions: [gfmFromMarkdown()],
  }
  const marks: string[] = []
  const walk = (node: Nodes): string => {
    const text =
      'children' in node ? node.children.map(walk).join('') : 'value' in node ? node.value : ''
    if (['strong', 'emphasis', 'delete', 'inlineCode'].includes(node.type))
      marks.push(`${node.type} ${text}`)
    return text
  }
  const text = walk(fromMarkdown(markdown, options)).replaceAll('\u200b', '')
  return { text, marks: marks.map((mark) => mark.replaceAll('\u200b', '')).sort() }
}

test.each([
  ['這是**粗體**文字', ['strong 粗體']],
  ['**注意：**请看', ['strong 注意']],
  ['看**（注意）**请', ['strong 注意']],
  ['foo**bar**baz and un*frigging*real', ['emphasis frigging', 'strong bar']],
  ['***both***', ['emphasis both', 'strong both']],
  ['**a**_b_', ['emphasis b', 'strong a']],
  ['_a_**b**', ['emphasis a', 'strong b']],
  ['*a **b***', ['emphasis a b', 'strong b']],
  ['*foo**bar**baz*', ['emphasis foobarbaz', 'strong bar']],
  ['**a*b*c**', ['emphasis b', 'strong abc']],
  ['ひらがな`code`ひらがな', ['inlineCode code']],
  ['~~削除~~です', ['delete 削除']],
])('%s: a parser without extensions reads the same marks', async (text, marks) => {
  await toSlack(`# x\n\n${text}`)
  const [block] = slack.body(0).blocks as { text: string }[]
  const found = read(block?.text ?? '')
  expect(found.marks).toEqual([...marks].sort())
  expect(found.text).toBe(`x${text.replace(/[*_~`]/g, '')}`)
})

test.each([
  '這是**粗體**文字',
  '**안녕**하세요',
  'ひらがな`code`ひらがな',
  'foo**bar**baz',
  '`` a ` b ``',
])('%s needs a block of Markdown in Slack, because mrkdwn would show the marks', async (text) => {
  await toSlack(text)
  expect(slack.body(0).blocks).toEqual([{ type: 'markdown', text }])
})

test.each(['a **bold** text', '(**bold**), `code`.', '**a**: _b_', 'plain'])(
  '%s is ordinary mrkdwn',
  async (text) => {
    await toSlack(text)
    expect(slack.body(0).blocks).toBeUndefined()
  },
)

test('marks that touch have a zero-width space between them, since parsers differ there', async () => {
  await toSlack('# x\n\n**a**_b_')
  expect(slack.body(0).blocks).toMatchObject([{ text: '# x\n\n**a**\u200b*b*' }])
  await toDiscord('**a**_b_ `c`**d**')
  expect(discord.body(-1).content).toBe('**a**\u200b*b* `c`\u200b**d**')
})

test('an address that no link refers to is text; another one is not', async () => {
  const text = '[a][1]\n\n[1]: https://x.example/1\n[2]: https://x.example/2\n[3]: ./file.md'
  await toTelegram(text)
  expect(telegram.body(0).text).toBe(
    '<a href="https://x.example/1">a</a>\n[2]: https://x.example/2\n[3]: ./file.md',
  )
})

test.each([
  ['[^1] a\n\n[^1]: b', '[1] a\n\n[1]: b'],
  ['a[^x]', 'a[^x]'],
  ['<br> a<sup>2</sup>', '&lt;br&gt; a&lt;sup&gt;2&lt;/sup&gt;'],
  ['$a_1$ and $$x^2$$', '$a_1$ and $$x^2$$'],
  ['```ts title="src/a.ts"\nx\n```\nafter', '<pre><code class="language-ts">x</code></pre>\nafter'],
  ['~~~\nx\n~~~\nafter', '<pre>x</pre>\nafter'],
  ['- a\n  ```\n  x\n  ```\n- b', '• a\n<pre>x</pre>\n• b'],
  ['> a\n> > b', '<blockquote>a\n&gt; b</blockquote>'],
  ['1. a\n\n   b\n2. c', '1. a\n\n  b\n2. c'],
  ['~~~\n\n~~~', '~~~\n\n~~~'],
])('%j in Telegram', async (text, shown) => {
  await toTelegram(text)
  expect(telegram.body(0)).toMatchObject({ text: shown, parse_mode: 'HTML' })
})

test('a link without text shows its address, in every chat', async () => {
  await toEveryChat('[](https://x.example/a)')
  expect(telegram.body(0).text).toBe('<a href="https://x.example/a">https://x.example/a</a>')
  expect(slack.body(0).text).toBe('<https://x.example/a>')
  expect(discord.body(-1).content).toContain('https://x.example/a')
})
