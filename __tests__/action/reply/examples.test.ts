import { expect, test } from '@jest/globals'
import commonmark from 'commonmark-spec'
import type { Http } from '../../../src/wire/http.ts'
import { dispatched, fired, replyWith } from '../../support/chats.ts'
import {
  discordShows,
  firstLostWord,
  slackShows,
  telegramShows,
} from '../../support/strict-chats.ts'
import { BOT_TOKEN } from '../../support/telegram.ts'

/** The JSON bodies of the messages that a reply consists of. */
async function bodies(
  given: Readonly<Record<string, string>>,
  text: string,
  event = undefined as never,
) {
  const sent: Record<string, unknown>[] = []
  const http: Http = async ({ body }) => {
    sent.push(JSON.parse(String(body)))
    const answer = { ok: true, ts: '1.1', id: '1', result: { message_id: 7 } }
    return { status: 200, headers: {}, text: JSON.stringify(answer) }
  }
  const inputs = { format: 'markdown', 'fail-on-error': 'true', text, ...given }
  await replyWith(inputs, { http, event })
  return sent
}

const INTERACTION = { id: '1', application_id: '2', type: 2, channel_id: '3' }

const CHATS: Readonly<Record<string, (text: string) => Promise<readonly string[][]>>> = {
  async Telegram(text) {
    const item = { message_id: 5, chat: { id: 1, type: 'private' } }
    const sent = await bodies({ to: fired('messaging_bot', item), token: BOT_TOKEN }, text)
    return [sent.map(telegramShows)]
  },
  async Slack(text) {
    const item = { kind: 'event', channel_id: 'C1', event: { ts: '1.1' } }
    const sent = await bodies({ to: fired('slack', item), token: 'xoxb-1' }, text)
    const shown = sent.map(slackShows)
    const blocks = shown.map(({ block }) => block).filter((block) => block !== '')
    return [shown.map((one) => one.text), ...(blocks.length > 0 ? [blocks] : [])]
  },
  async Discord(text) {
    const event = dispatched('discord', JSON.stringify({ ...INTERACTION, token: 'a.b' })) as never
    return [(await bodies({ to: fired('discord', INTERACTION) }, text, event)).map(discordShows)]
  },
}

/** Examples of https://github.github.com/gfm/, sections tables, task list items, strikethrough, autolinks. */
const GFM: readonly (readonly [name: string, text: string])[] = [
  ['a table', '| foo | bar |\n| --- | --- |\n| baz | bim |'],
  ['a table without outer pipes', '| abc | defghi |\n:-: | -----------:\nbar | baz'],
  ['escaped pipes in cells', '| f\\|oo  |\n| ------ |\n| b `\\|` az |\n| b **\\|** im |'],
  ['a table before a quote', '| abc | def |\n| --- | --- |\n| bar | baz |\n> bar'],
  ['a table before a paragraph', '| abc | def |\n| --- | --- |\n| bar | baz |\nbar\n\nbar'],
  ['a header with another number of cells', '| abc | def |\n| --- |\n| bar |'],
  [
    'rows with other numbers of cells',
    '| abc | def |\n| --- | --- |\n| bar |\n| bar | baz | boo |',
  ],
  ['a table without rows', '| abc | def |\n| --- | --- |'],
  ['tasks', '- [ ] foo\n- [x] bar'],
  ['nested tasks', '- [x] foo\n  - [ ] bar\n  - [x] baz\n- [ ] bim'],
  ['struck text', '~~Hi~~ Hello, ~there~ world!'],
  ['tildes across paragraphs', 'This ~~has a\n\nnew paragraph~~.'],
  ['three tildes', 'This will ~~~not~~~ strike.'],
  ['an address', 'www.commonmark.org'],
  ['an address in a text', 'Visit www.commonmark.org/help for more information.'],
  ['addresses before periods', 'Visit www.commonmark.org.\n\nVisit www.commonmark.org/a.b.'],
  [
    'addresses in parentheses',
    'www.google.com/search?q=Markup+(business)\n\nwww.google.com/search?q=Markup+(business)))\n\n(www.google.com/search?q=Markup+(business))',
  ],
  ['an address with parentheses inside', 'www.google.com/search?q=(business))+ok'],
  [
    'an entity after an address',
    'www.google.com/search?q=commonmark&hl=en\n\nwww.google.com/search?q=commonmark&hl;',
  ],
  ['an address before <', 'www.commonmark.org/he<lp'],
  [
    'addresses with a scheme',
    'http://commonmark.org\n\n(Visit https://encrypted.google.com/search?q=Markup+(business))',
  ],
  ['an e-mail address', 'foo@bar.baz'],
  ['e-mail addresses', "hello@mail+xyz.example isn't valid, but hello+xyz@mail.example is."],
  ['e-mail addresses before marks', 'a.b-c_d@a.b\n\na.b-c_d@a.b.\n\na.b-c_d@a.b-\n\na.b-c_d@a.b_'],
  [
    'HTML that GitHub removes',
    '<strong> <title> <style> <em>\n\n<blockquote>\n  <xmp> is disallowed.  <XMP> is also disallowed.\n</blockquote>',
  ],
  [
    'footnotes',
    'Here is a footnote[^1] and one more[^long].\n\n[^1]: The first.\n[^long]: The second\n\n    in two paragraphs.',
  ],
]

const EXAMPLES = [
  ...commonmark.tests.map(({ section, number, markdown }) => {
    return [`CommonMark ${number}, ${section}`, markdown.replaceAll('→', '\t')] as const
  }),
  ...GFM.map(([name, text]) => [`GFM, ${name}`, text] as const),
].filter(([, text]) => text.trim() !== '')

test('there are 652 examples of CommonMark, and 26 of GFM', () => {
  expect(EXAMPLES).toHaveLength(678)
})

test.each(Object.entries(CHATS))('%s shows the whole text of each example', async (_, shownBy) => {
  const lost: unknown[] = []
  for (const [name, text] of EXAMPLES) {
    for (const shown of await shownBy(text)) {
      const word = firstLostWord(text, shown)
      if (word !== undefined) lost.push({ name, text, word, shown })
    }
  }
  expect(lost).toEqual([])
})
