import { misleadingHost } from './escapes.ts'
import { type Inline, plainText, type Spans } from './tree.ts'

/** The markup of one chat within a line. */
export interface InlineStyle {
  text(text: string): string
  code(text: string): string
  bold(inner: string): string
  italic(inner: string): string
  strike(inner: string): string
  link(url: string, inner: string): string
  /** An address that shows itself. Default: `link`. */
  address?(url: string, shown: string): string
  /**
   * A character between two neighbors, of which at least one is marked, if the chat would otherwise read
   * them wrongly. Default: none.
   *
   * @param left the character before the border
   * @param right the character behind it
   */
  border?(left: string, right: string): string
  /** Whether a chat reads a mark between these characters as a mark. Default: always. */
  readonly canMark?: (surroundings: Surroundings) => boolean
}

/** The characters outside and inside of two marks; a space at the start and at the end of a line. */
export interface Surroundings {
  readonly before: string
  readonly first: string
  readonly last: string
  readonly after: string
}

type Mark = 'bold' | 'italic' | 'strike'

export function renderSpans(spans: Spans, style: InlineStyle): string {
  return written(spans, style, new Set(), ' ', ' ')
}

/** @param within marks that are open; the same mark again would end them */
function written(
  spans: Spans,
  style: InlineStyle,
  within: ReadonlySet<Mark>,
  before: string,
  after: string,
): string {
  let text = ''
  let wasMarked = false
  for (const [at, span] of spans.entries()) {
    const next = spans[at + 1]
    const follows = next ? firstOf(startOf(next, style)) : after
    const piece = writtenSpan(span, style, within, lastOf(text) || before, follows)
    if (piece === '') continue
    const isMarked = span.kind !== 'text'
    if (text !== '' && (isMarked || wasMarked)) {
      text += style.border?.(lastOf(text), firstOf(piece)) ?? ''
    }
    text += piece
    wasMarked = isMarked
  }
  return text
}

/** The beginning of a span, as far as its neighbor needs it. */
function startOf(span: Inline, style: InlineStyle): string {
  return span.kind === 'text' ? span.text : writtenSpan(span, style, new Set(), ' ', ' ')
}

function writtenSpan(
  span: Inline,
  style: InlineStyle,
  within: ReadonlySet<Mark>,
  before: string,
  after: string,
): string {
  if ('text' in span) return style[span.kind](span.text)
  if (span.kind !== 'link') return marked(span, style, within, before, after)
  const shown = plainText(span.spans)
  // `https://a.example` and `www.a.example` link to themselves.
  const isSame = span.url === shown || span.url === `http://${shown}`
  if (style.address && isSame) return style.address(span.url, shown)
  const host = misleadingHost(span.url, shown)
  const inner = written(span.spans, style, within, ' ', ' ')
  return style.link(span.url, host === undefined ? inner : `${inner}${style.text(` (${host})`)}`)
}

/** Spaces go outside of the marks, because no chat reads `** bold **` as bold. */
function marked(
  { kind, spans }: Extract<Inline, { readonly kind: Mark }>,
  style: InlineStyle,
  within: ReadonlySet<Mark>,
  before: string,
  after: string,
): string {
  if (within.has(kind)) return written(spans, style, within, before, after)
  const inner = written(spans, style, new Set([...within, kind]), ' ', ' ')
  const [, left = '', core = '', right = ''] = /^(\s*)(.*?)(\s*)$/s.exec(inner) ?? []
  if (core === '') return inner
  const surroundings = {
    before: lastOf(left) || before,
    first: firstOf(core),
    last: lastOf(core),
    after: firstOf(right) || after,
  }
  if (style.canMark && !style.canMark(surroundings)) {
    return written(spans, style, within, before, after)
  }
  return `${left}${style[kind](core)}${right}`
}

function firstOf(text: string): string {
  return [...text.slice(0, 2)][0] ?? ''
}

function lastOf(text: string): string {
  return [...text.slice(-2)].at(-1) ?? ''
}
