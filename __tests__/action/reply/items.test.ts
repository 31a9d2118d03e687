import { expect, test } from '@jest/globals'
import { renderMarkdown, type Style } from '../../../src/action/reply/markdown.ts'
import { splitText } from '../../../src/action/reply/split.ts'
import { fired, replyWith } from '../../support/chats.ts'
import { scaled } from '../../support/effort.ts'
import { fc } from '../../support/properties.ts'
import { BOT_TOKEN } from '../../support/telegram.ts'

test.each([
  ['an item of a trigger without a way back', fired('webhook', { body: {} }), /cannot be answered/],
  ['an update without a chat', fired('messaging_bot', { update_id: 1 }), /without a chat/],
  ['a list of items', fired('messaging_bot', [{ message_id: 1 }]), /combine/],
  ['nothing that fired', '{"webhook":{"outcome":"skipped","outputs":{}}}', /nothing fired/],
  ['nothing at all', '', /no "on" context/],
])('%s is told, with what can be answered', async (_, to, message) => {
  await expect(replyWith({ to, text: 'done', token: BOT_TOKEN })).rejects.toThrow(message)
})

const LETTERS = fc.string({ unit: fc.constantFrom(...'ab *_`[]()\\\n-1.<&>é🚀'), maxLength: 300 })

test('a text that is split loses nothing but the breaks at which it was cut', () => {
  const measure = { longest: 40, length: (text: string) => text.length, hasFences: false }
  fc.assert(
    fc.property(LETTERS, (text) => {
      const parts = splitText(text, measure)
      expect(parts.every((part) => part.length <= 40)).toBe(true)
      expect(parts.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
      expect(parts.join('')).not.toMatch(/\p{Cs}/u)
    }),
    { numRuns: scaled(2_000, 300) },
  )
})

test('what Markdown does not mean is handed on as text, all of it', () => {
  const same = (text: string) => text
  const style: Style = {
    text: same,
    code: same,
    bold: same,
    italic: same,
    link: (_, t) => t,
    block: same,
  }
  const marks = /[\s*_`[\]()\\\-+•.]/g
  fc.assert(
    fc.property(LETTERS, (text) => {
      const told = renderMarkdown(text, style).replace(marks, '')
      expect(told).toBe(text.replace(marks, ''))
    }),
    { numRuns: scaled(2_000, 300) },
  )
})

test('a line of marks that never close is read in time that grows with its length', () => {
  const same = (text: string) => text
  const style: Style = {
    text: same,
    code: same,
    bold: same,
    italic: same,
    link: (_, t) => t,
    block: same,
  }
  for (const mark of ['*', '_', '`', '[', '**a ', '_a ', '[a](', '*a_b']) {
    expect(renderMarkdown(mark.repeat(20_000), style)).not.toBe('')
  }
}, 60_000)
