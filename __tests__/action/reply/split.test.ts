import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import type { Content } from '../../../src/action/reply/chat.ts'
import { parseMarkdown } from '../../../src/action/reply/markdown/parse.ts'
import { type MarkupStyle, renderMarkdown } from '../../../src/action/reply/markdown/render.ts'
import { cutShort, splitContent } from '../../../src/action/reply/split.ts'

/** A text, and its parts of at most 20 characters; with a note, its start and the note in 24. */
interface Split {
  readonly text: string
  readonly markdown?: boolean
  readonly fences?: boolean
  readonly tags?: boolean
  readonly note?: string
  /** The most parts. */
  readonly most?: number
  readonly parts: readonly string[]
}

const SPLITS: readonly Split[] = parse(readFileSync(new URL('split.yml', import.meta.url), 'utf8'))

const same = (text: string) => text

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

const shown = (content: Content) =>
  typeof content === 'string' ? content : renderMarkdown(content, MARKED)

test.each(SPLITS)('$text', ({ text, markdown, fences = true, tags, note, most, parts }) => {
  const content = markdown ? parseMarkdown(text) : text
  const measure = {
    ...{ maxLength: note === undefined ? 20 : 24, hasFences: fences && !tags },
    length: (part: Content) => shown(part).length,
    ...(tags && { hasTags: true }),
  }
  const found =
    note === undefined
      ? splitContent(content, measure, most ?? Number.POSITIVE_INFINITY)
      : [cutShort(content, note, measure)]
  expect(found.map(shown)).toEqual(parts)
})
