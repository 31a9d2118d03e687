import { expect, test } from '@jest/globals'
import type { Content } from '../../../src/action/reply/chat.ts'
import { parseMarkdown } from '../../../src/action/reply/markdown/parse.ts'
import { type MarkupStyle, renderMarkdown } from '../../../src/action/reply/markdown/render.ts'
import { readButtons } from '../../../src/action/reply/reply-inputs.ts'
import { splitContent } from '../../../src/action/reply/split.ts'
import { UserError } from '../../../src/wire/errors.ts'
import { fired, replyWith } from '../../support/chats.ts'
import { fc } from '../../support/properties.ts'
import { firstLostWord } from '../../support/strict-chats.ts'
import { BOT_TOKEN } from '../../support/telegram.ts'

test.each([
  ['an item of a trigger without a way back', fired('webhook', { body: {} }), /cannot reply/],
  ['an update without a chat', fired('messaging_bot', { update_id: 1 }), /without a chat/],
  ['a list of items', fired('messaging_bot', [{ message_id: 1 }]), /combine/],
  ['nothing that fired', '{"webhook":{"outcome":"skipped","outputs":{}}}', /no trigger fired/],
  ['nothing at all', '', /not an "on" context/],
])('%s is an error that lists the supported items', async (_, to, message) => {
  await expect(
    replyWith({ to, text: 'done', token: BOT_TOKEN, 'fail-on-error': 'true' }),
  ).rejects.toThrow(message)
})

test.each([
  ['no text', {}],
  ['spaces', { text: ' \n' }],
  ['an empty file of text', { 'text-file': 'empty.md' }],
])('%s sends nothing, with a notice', async (_, given) => {
  const to = fired('messaging_bot', { chat: { id: 1 } })
  const files = { 'empty.md': '' }
  const { id, warnings, notices } = await replyWith(
    { to, token: BOT_TOKEN, 'fail-on-error': 'true', ...given },
    { files },
  )
  expect([id, warnings, notices]).toEqual(['', [], [expect.stringMatching(/text is empty/)]])
})

test.each<[string, Record<string, string>, RegExp]>([
  ['nothing fired', { to: '{}' }, /no trigger fired/],
  ['a wrong input', { format: 'latex' }, /unknown value "latex"/],
  ['a text given twice', { 'text-file': 'a.md' }, /cannot be combined/],
])('%s is a warning, and an error only with fail-on-error', async (_, given, words) => {
  const to = fired('messaging_bot', { chat: { id: 1 } })
  const all = { to, text: 'done', token: BOT_TOKEN, ...given }
  const files = { 'a.md': 'x' }
  const { id, warnings } = await replyWith(all, { files })
  expect([id, warnings]).toEqual(['', [expect.stringMatching(words)]])
  await expect(replyWith({ ...all, 'fail-on-error': 'true' }, { files })).rejects.toThrow(words)
})

test.each([
  ['github.com', 'https://example.com/x', 'example.com'],
  ['https://github.com/octo', 'https://github.com@example.com/', 'example.com'],
  ['the docs at github\u3002com', 'https://example.com', 'example.com'],
  ['**github.com**', 'https://example.com', 'example.com'],
  ['github.com', 'https://www.github.com/octo', undefined],
  ['Node.js', 'https://nodejs.org', undefined],
  ['v1.2.3', 'https://example.com', undefined],
  ['the docs', 'https://example.com', undefined],
])('a link %s to %s shows the host %s', (text, url, host) => {
  const shown = rendered(`[${text}](${url})`)
  expect(shown).toBe(host === undefined ? text : `${text.replaceAll('*', '')} (${host})`)
})

function rendered(text: string): string {
  return renderMarkdown(parseMarkdown(text), SAME)
}

const same = (text: string) => text
const SAME: MarkupStyle = {
  text: same,
  code: same,
  bold: same,
  italic: same,
  strike: same,
  quote: same,
  quotesCode: true,
  link: (_, t) => t,
  block: same,
}

const LETTERS = fc.string({ unit: fc.constantFrom(...'ab *_`[]()\\\n-1.<&>é🚀'), maxLength: 300 })

test('a text that is split loses nothing but the breaks at which it was cut', () => {
  const measure = { maxLength: 40, length: (content: Content) => content.length, hasFences: false }
  fc.assert(
    fc.property(LETTERS, (text) => {
      const parts = splitContent(text, measure).map(String)
      expect(parts.every((part) => part.length <= 40)).toBe(true)
      expect(parts.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
      expect(parts.join('')).not.toMatch(/\p{Cs}/u)
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['abcdefgh<b>x</b>', ['abcdefgh', '<b>x</b>']],
  ['abcdefgh&amp;x', ['abcdefgh', '&amp;x']],
  // A tag that no message has room for is cut.
  ['<abcdefghijk>', ['<abcdefghi', 'jk>']],
])('HTML is cut before a tag or an entity: %s', (text, parts) => {
  const length = (content: Content) => content.length
  const measure = { maxLength: 10, length, hasFences: false, hasTags: true }
  expect(splitContent(text, measure)).toEqual(parts)
})

/** Lines in which each construct occurs, within each other too. */
const MARKDOWN = fc
  .array(
    fc.tuple(
      fc.constantFrom('', '', '> ', '- ', '2. ', '- [x] ', '# ', '    ', '  ', '> - '),
      fc.constantFrom(
        ...[
          '```js',
          '~~~',
          'word **bold text** end',
          'a *b* `c d`',
          '| a | b |',
          '|---|---|',
          '---',
        ],
        ...[
          '[a link](https://x.example/a)',
          '粗體**注意：**請看',
          'x'.repeat(90),
          'é🚀'.repeat(30),
          '',
        ],
        ...['<b>html</b>', 'https://x.example/some/long/path', 'many words in one line '.repeat(8)],
      ),
    ),
    { maxLength: 30 },
  )
  .map((lines) => lines.map(([start, rest]) => start + rest).join('\n'))

/** Marks around everything, so that a cut has to close and open them. */
const MARKED: MarkupStyle = {
  text: same,
  code: (text) => `\`${text}\``,
  bold: (inner) => `**${inner}**`,
  italic: (inner) => `_${inner}_`,
  strike: (inner) => `~~${inner}~~`,
  quote: (content) => content.replace(/^/gm, '> '),
  quotesCode: true,
  link: (url, inner) => `[${inner}](${url})`,
  block: (text, language) => `§${language}\n${text}\n§`,
}

test('Markdown that is split fits in each part, keeps its marks, and loses nothing', () => {
  const maxLength = 100
  const show = (content: Content) =>
    typeof content === 'string' ? content : renderMarkdown(content, MARKED)
  const measure = { maxLength, length: (content: Content) => show(content).length, hasFences: true }
  fc.assert(
    fc.property(MARKDOWN, (text) => {
      const parts = splitContent(parseMarkdown(text), measure).map(show)
      expect(parts.filter((part) => part.length > maxLength)).toEqual([])
      for (const part of parts) {
        expect((part.match(/^(?:> )?§/gm) ?? []).length % 2).toBe(0)
        expect(part).not.toMatch(/\p{Cs}/u)
      }
      // A word that is longer than a part is cut, also within code.
      const shown = parts.map((part) => part.replaceAll(/§\w*/g, ''))
      expect(firstLostWord(text, shown)).toBeUndefined()
    }),
    { numRuns: 500 },
  )
})

test('a fence, a table and an entry that are cut go on in the next part', () => {
  const show = (content: Content) =>
    typeof content === 'string' ? content : renderMarkdown(content, MARKED)
  const split = (text: string) =>
    splitContent(parseMarkdown(text), {
      ...{ maxLength: 32, length: (content) => show(content).length, hasFences: true },
    }).map(show)
  expect(split('```ts\nconst a = 1\nconst b = 2\nconst c = 3\n```')).toEqual([
    '§ts\nconst a = 1\nconst b = 2\n§',
    '§ts\nconst c = 3\n§',
  ])
  expect(split('| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n| 7 | 8 |')).toEqual([
    '§\na  b\n-  -\n1  2\n3  4\n5  6\n§',
    '§\na  b\n-  -\n7  8\n§',
  ])
  expect(split('3. one two three four five six seven\n4. eight')).toEqual([
    '3. one two three four five six',
    '  seven\n4. eight',
  ])
  expect(split('one two three\n\nfour five six seven eight')).toEqual([
    'one two three',
    'four five six seven eight',
  ])
  expect(split('**one two three four five six seven eight**')).toEqual([
    '**one two three four five six**',
    '**seven eight**',
  ])
  expect(split('**a** one two three four five six seven eight')).toEqual([
    '**a** one two three four five',
    'six seven eight',
  ])
  // The mark with the name of the language alone is longer than a part.
  const fence = `${'```'}${'x'.repeat(40)}`
  const text = 'one two three four five six seven eight'
  expect(split(`- ${fence}\n  ${text}\n  ${'```'}\n- nine`)).toEqual([
    'one two three four five six',
    'seven eight\nnine',
  ])
})

test.each([
  [484, 'c', 'aligned'],
  [484, 'cc', 'as it is'],
  [485, 'c', 'as it is'],
])('a table with a cell of %i characters and the cell %s stands %s', (length, cell, how) => {
  const long = 'x'.repeat(length)
  const aligned = `name  text\n----  ${'-'.repeat(length)}\na     ${long}\nb     ${cell}`
  const plain = `name | text\na | ${long}\nb | ${cell}`
  const shown = rendered(`| name | text |\n|---|---|\n| a | ${long} |\n| b | ${cell} |`)
  expect(shown).toBe(how === 'aligned' ? aligned : plain)
})

test('a list below the tenth level is indented as the eleventh', () => {
  const levels = Array.from({ length: 14 }, (_, at) => at)
  const lines = rendered(levels.map((at) => `${'  '.repeat(at)}- ${at}`).join('\n')).split('\n')
  expect(lines).toEqual(levels.map((at) => `${'  '.repeat(Math.min(at, 10))}• ${at}`))
})

/** Texts up to a limit of the parser, and beyond it, where they are sent as they were written. */
test.each<[string, string, isParsed: boolean]>([
  ['60,000 characters', 'x'.repeat(59_995), true],
  ['60,001 characters', 'x'.repeat(59_996), false],
  ['5,001 line breaks', 'x\n'.repeat(4_999), false],
  ['3,001 entries', '- a\n'.repeat(3_001), false],
  ['3,001 numbered entries', '12) a\n'.repeat(3_001), false],
  ['3,001 empty entries', '  *\n'.repeat(3_001), false],
  ['3,001 hyphens before a word', '-a\n'.repeat(3_001), true],
  ['3,001 hyphens within lines', 'a - b\n'.repeat(3_001), true],
  ['3,000 marks', 'a *** '.repeat(3_000), true],
  ['3,001 marks', 'a ** '.repeat(3_001), false],
  [
    '3,001 marks in two paragraphs',
    `${'a ** '.repeat(1_500)}\n \t\n${'a ** '.repeat(1_501)}`,
    true,
  ],
  ['3,001 underscores before words', 'a _x '.repeat(3_001), false],
  ['3,001 underscores behind words', 'x_ '.repeat(3_001), false],
  ['3,001 underscores within words', 'a_b '.repeat(3_001), true],
  ['3,001 double tildes', 'a ~~ '.repeat(3_001), false],
  ['3,001 single tildes', '~ '.repeat(3_001), true],
  ['6,001 brackets', '[ '.repeat(3_001) + '] '.repeat(3_000), false],
  ['19 quotes within each other', `${'>'.repeat(19)}a`, true],
  ['20 quotes within each other', `${'>'.repeat(20)}a`, false],
  ['20 entries within each other', `${'- '.repeat(20)}a`, false],
  ['20 numbered entries within each other', `${'10. '.repeat(20)}a`, false],
  ['20 hyphens behind a word', `a ${'- '.repeat(20)}`, true],
])('%s', (_, text, isParsed) => {
  const [first] = parseMarkdown(`# a\n\n${text}`)
  expect(first?.kind).toBe(isParsed ? 'heading' : 'paragraph')
})

test('text without Markdown is sent unchanged', () => {
  // Quotes and lists have marks; the number of an entry follows from the first one.
  const marks = /[\s*_`[\]()\\\-+•.>—1-9]/g
  fc.assert(
    fc.property(LETTERS, (text) => {
      const told = rendered(text).replace(marks, '')
      expect(told).toBe(text.replace(marks, ''))
    }),
    { numRuns: 300 },
  )
})

/** Far more than needed; quadratic time would take far longer. */
const SECONDS = 5

test.each<[string, () => unknown]>([
  [
    'brackets in "buttons"',
    () => expect(() => readButtons('['.repeat(100_000))).toThrow(UserError),
  ],
  ['a fence that is none', () => parseMarkdown(`${'```'}${' '.repeat(90_000)}\``)],
  ['an entry that is none', () => parseMarkdown(`- ${' '.repeat(90_000)}x\u2028y`)],
  ['brackets before an address', () => parseMarkdown(`${'['.repeat(1_500_000)}](x`)],
  [
    'a line of many parts',
    () =>
      splitContent(
        parseMarkdown('**a** '.repeat(1_400)),
        { maxLength: 1_000, length: marked, hasFences: true },
        6,
      ),
  ],
])('%s: time grows with the length', (_, read) => {
  const before = process.cpuUsage()
  read()
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(SECONDS)
})

function marked(content: Content): number {
  return typeof content === 'string' ? content.length : renderMarkdown(content, SAME).length
}

test('a line of marks that never close is read in time that grows with its length', () => {
  for (const mark of ['*', '_', '`', '[', '**a ', '_a ', '[a](', '*a_b']) {
    expect(rendered(mark.repeat(20_000))).not.toBe('')
  }
})
