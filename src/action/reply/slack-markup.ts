import type { Content, Reply } from './chat.ts'
import {
  escapeMarkdown,
  inBackticks,
  markdownAddress,
  outsideAddresses,
  percentEncoded,
  withEntities,
  withoutFences,
} from './markdown/escapes.ts'
import { type MarkdownEscapes, renderNativeMarkdown } from './markdown/native.ts'
import { type MarkupStyle, renderMarkdown } from './markdown/render.ts'
import { type Blocks, hasMarksWithin, hasRichBlocks } from './markdown/tree.ts'

/**
 * Whether mrkdwn cannot show a content: it has no headings and tables, and shows the stars of bold text beside
 * letters, as Chinese, Japanese and Korean are written.
 */
export function needsMarkdown(content: Content): boolean {
  return (
    typeof content !== 'string' && (hasRichBlocks(content) || hasMarksWithin(content, isBorder))
  )
}

/** A character beside which Slack reads a mark. */
function isBorder(character: string): boolean {
  return /[\s!-/:-@[-^{-~]/.test(character)
}

/** A content in Slack's markup; mentions notify nobody unless the inputs allow it. */
export function slackText(content: Content, reply: Reply): string {
  if (typeof content !== 'string') return renderMarkdown(content, mrkdwn(reply))
  const quiet = withoutBroadcasts(content, reply)
  if (reply.format === 'raw') return quiet
  return reply.allowMentions ? withMentions(quiet) : withEntities(quiet)
}

/** Markdown for Slack's block of Markdown. */
export function slackMarkdown(content: Blocks, reply: Reply): string {
  const { allowMentions } = reply
  // Entities have no meaning in code, but a mention might have one.
  const silent = (code: string) =>
    allowMentions ? code : withoutBroadcasts(code, reply).replace(/<(?=[!@#])/g, '<\u200b')
  const escapes: MarkdownEscapes = {
    text: (piece) =>
      escapeMarkdown(withoutBroadcasts(piece, reply), allowMentions ? withMentions : withEntities),
    code: (code) => inBackticks(silent(code)),
    block: silent,
    address: (url) => markdownAddress(url, withEntities),
  }
  return renderNativeMarkdown(content, escapes)
}

const BROADCAST = /(?<![\w.])@(channel|here|everyone)\b/g

const NAMED = /<([!@][^<>]+|#C[^<>]+)>/g

export function withoutBroadcasts(text: string, { allowMentions, format }: Reply): string {
  if (allowMentions) return text
  // Clients of some workspaces turn the plain word into a broadcast.
  const quiet = text.replace(BROADCAST, '@\u200b$1')
  return format === 'raw' ? quiet.replace(NAMED, '&lt;$1&gt;') : quiet
}

/** Leaves Slack's own mentions in place, and turns `@channel` into `<!channel>`. */
function withMentions(text: string): string {
  return withEntities(text)
    .replace(/&lt;([!@][^&<>\n]{1,80}|#C[^&<>\n]{1,80})&gt;/g, '<$1>')
    .replace(BROADCAST, '<!$1>')
}

/** Marks at the start or the end of a word; Slack ignores marks within a word or between spaces. */
const MARK = /`|(?<=^|[^\p{L}\p{N}])[*_~](?=\S)|(?<=\S)[*_~](?=$|[^\p{L}\p{N}])/gu

function addressOf(url: string): string {
  return withEntities(percentEncoded(url, /[`|]/g))
}

/** https://docs.slack.dev/messaging/formatting-message-text */
function mrkdwn(reply: Reply): MarkupStyle {
  const escaped = (text: string) => withEntities(withoutBroadcasts(text, reply))
  // Slack has no escape character; a zero-width space next to a mark disables the mark.
  const withoutMarks = (piece: string) => withEntities(piece).replace(MARK, '\u200b$&\u200b')
  // A mark ends at the end of its line.
  const each = (inner: string, mark: string) =>
    inner.replace(/^(\s*)(\S.*?)(\s*)$/gm, `$1${mark}$2${mark}$3`)
  return {
    text: (text) =>
      reply.allowMentions
        ? withMentions(text)
        : outsideAddresses(withoutBroadcasts(text, reply), withoutMarks, addressOf),
    // Code cannot contain a backtick.
    code: (text) =>
      text.includes('`') ? withoutMarks(withoutBroadcasts(text, reply)) : `\`${escaped(text)}\``,
    bold: (inner) => each(inner, '*'),
    italic: (inner) => each(inner, '_'),
    strike: (inner) => each(inner, '~'),
    border,
    quote: (content) => content.replace(/^/gm, '>'),
    quotesCode: false,
    link: (url, inner) => `<${addressOf(url)}|${inner.replaceAll('|', '¦').replaceAll('\n', ' ')}>`,
    address: (url) => `<${addressOf(url)}>`,
    block: (text) => `\`\`\`\n${withoutFences(escaped(text))}\n\`\`\``,
  }
}

/** A zero-width space between a mark and a letter, or between two marks. */
function border(left: string, right: string): string {
  const marks = [left, right].filter((character) => /[*_~`]/.test(character))
  const others = [left, right].filter((character) => !marks.includes(character))
  return marks.length === 2 || !others.every(isBorder) ? '\u200b' : ''
}
