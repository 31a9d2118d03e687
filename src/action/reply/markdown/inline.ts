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
  return new Writer(style).write(spans, new Set(), ' ', ' ')
}

class Writer {
  readonly #style: InlineStyle

  constructor(style: InlineStyle) {
    this.#style = style
  }

  /** @param within marks that are open; the same mark again would end them */
  write(spans: Spans, within: ReadonlySet<Mark>, before: string, after: string): string {
    let written = ''
    let wasMarked = false
    for (const [at, span] of spans.entries()) {
      const next = spans[at + 1]
      const follows = next ? firstOf(this.#start(next)) : after
      const piece = this.#span(span, within, lastOf(written) || before, follows)
      if (piece === '') continue
      const isMarked = span.kind !== 'text'
      if (written !== '' && (isMarked || wasMarked)) {
        written += this.#style.border?.(lastOf(written), firstOf(piece)) ?? ''
      }
      written += piece
      wasMarked = isMarked
    }
    return written
  }

  /** The beginning of a span, as far as its neighbor needs it. */
  #start(span: Inline): string {
    return span.kind === 'text' ? span.text : this.#span(span, new Set(), ' ', ' ')
  }

  #span(span: Inline, within: ReadonlySet<Mark>, before: string, after: string): string {
    const style = this.#style
    switch (span.kind) {
      case 'text':
        return style.text(span.text)
      case 'code':
        return style.code(span.text)
      case 'link': {
        const shown = plainText(span.spans)
        // `https://a.example` and `www.a.example` link to themselves.
        const isSame = span.url === shown || span.url === `http://${shown}`
        if (style.address && isSame) return style.address(span.url, shown)
        const host = misleadingHost(span.url, shown)
        const inner = this.write(span.spans, within, ' ', ' ')
        return style.link(
          span.url,
          host === undefined ? inner : `${inner}${style.text(` (${host})`)}`,
        )
      }
      default:
        return this.#marked(span.kind, span.spans, within, before, after)
    }
  }

  /** Spaces go outside of the marks, because no chat reads `** bold **` as bold. */
  #marked(
    kind: Mark,
    spans: Spans,
    within: ReadonlySet<Mark>,
    before: string,
    after: string,
  ): string {
    if (within.has(kind)) return this.write(spans, within, before, after)
    const inner = this.write(spans, new Set([...within, kind]), ' ', ' ')
    const [, left = '', core = '', right = ''] = /^(\s*)(.*?)(\s*)$/s.exec(inner) ?? []
    if (core === '') return inner
    const surroundings = {
      before: lastOf(left) || before,
      first: firstOf(core),
      last: lastOf(core),
      after: firstOf(right) || after,
    }
    if (this.#style.canMark && !this.#style.canMark(surroundings)) {
      return this.write(spans, within, before, after)
    }
    return `${left}${this.#style[kind](core)}${right}`
  }
}

function firstOf(text: string): string {
  return [...text.slice(0, 2)][0] ?? ''
}

function lastOf(text: string): string {
  return [...text.slice(-2)].at(-1) ?? ''
}
