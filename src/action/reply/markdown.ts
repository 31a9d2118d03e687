/** A stretch of a line. */
export type Span =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'bold' | 'italic'; readonly spans: readonly Span[] }
  | { readonly kind: 'link'; readonly url: string; readonly spans: readonly Span[] }

/** A line of text, one of a list, or a block of code. */
export type Block =
  | { readonly kind: 'line'; readonly spans: readonly Span[] }
  /** `indent`: the spaces before it; `bullet`: `•`, or `1.`. */
  | {
      readonly kind: 'entry'
      readonly indent: string
      readonly bullet: string
      readonly spans: readonly Span[]
    }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }

/** Of a line without the spaces at its end. */
const FENCE = /^ {0,3}```\s*([\w+#-]*)$/

const ENTRY = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/s

/**
 * A little Markdown: bold, italic, code, links and lists. All else is text, so that what a stranger
 * wrote into it can at worst be bold. A block of code that is not closed reaches to the end.
 */
export function parseMarkdown(text: string): Block[] {
  const blocks: Block[] = []
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const fence = FENCE.exec(line.trimEnd())
    if (fence) {
      const code: string[] = []
      for (at++; at < lines.length && !isFenceEnd(lines[at]); at++) code.push(lines[at] ?? '')
      blocks.push({ kind: 'code', language: fence[1] ?? '', text: code.join('\n') })
      continue
    }
    const [, indent = '', number, content = ''] = ENTRY.exec(line) ?? []
    if (ENTRY.test(line)) {
      const bullet = number === undefined ? '•' : `${number}.`
      blocks.push({ kind: 'entry', indent, bullet, spans: parseSpans(content) })
    } else blocks.push({ kind: 'line', spans: parseSpans(line) })
  }
  return blocks
}

/** True where a line closes a block of code: for those who cut a text into parts, too. */
export function isFenceEnd(line: string | undefined): boolean {
  return /^ {0,3}```\s*$/.test(line ?? '')
}

/** True where a line opens a block of code. */
export function isFence(line: string): boolean {
  return FENCE.test(line.trimEnd())
}

/** Levels of bold and italic within each other; deeper ones are text. */
const DEEPEST = 4

/** Parses one line in time that grows with its length: a mark that is never closed is looked for once. */
function parseSpans(line: string, depth = 0): Span[] {
  const spans: Span[] = []
  const closed = new Map<string, number>()
  let plain = ''
  const close = (mark: string, from: number) => {
    const known = closed.get(mark)
    // What closed an earlier mark is the next one for this, too.
    if (known !== undefined && (known < 0 || known >= from)) return known
    const end = closing(line, mark, from)
    closed.set(mark, end)
    return end
  }
  for (let at = 0; at < line.length; ) {
    const found = depth < DEEPEST ? spanAt(line, at, close, depth) : undefined
    if (!found) {
      const isEscape = line[at] === '\\' && /[!-/:-@[-`{-~]/.test(line[at + 1] ?? '')
      plain += line[isEscape ? at + 1 : at]
      at += isEscape ? 2 : 1
      continue
    }
    if (plain !== '') spans.push({ kind: 'text', text: plain })
    plain = ''
    spans.push(found.span)
    at = found.end
  }
  if (plain !== '') spans.push({ kind: 'text', text: plain })
  return spans
}

type Close = (mark: string, from: number) => number

function spanAt(line: string, at: number, close: Close, depth: number) {
  const char = line[at]
  if (char === '`') {
    const end = close('`', at + 1)
    if (end > at + 1) return { span: code(line.slice(at + 1, end)), end: end + 1 }
    return undefined
  }
  if (char === '[') return linkAt(line, at, close, depth)
  if (char !== '*' && char !== '_') return undefined
  const mark = line[at + 1] === char ? char + char : char
  const isWithinWord = char === '_' && /[\p{L}\p{N}]/u.test(line[at - 1] ?? '')
  if (isWithinWord || !/\S/.test(line[at + mark.length] ?? '')) return undefined
  const end = close(mark, at + mark.length)
  if (end <= at + mark.length) return undefined
  const spans = parseSpans(line.slice(at + mark.length, end), depth + 1)
  const kind: 'bold' | 'italic' = mark.length === 2 ? 'bold' : 'italic'
  return { span: { kind, spans }, end: end + mark.length }
}

function code(text: string): Span {
  return { kind: 'code', text }
}

/** `[text](https://…)`; what leads elsewhere is no link. */
function linkAt(line: string, at: number, close: Close, depth: number) {
  const end = close('](', at + 1)
  if (end <= at + 1) return undefined
  const [, url] =
    /^\((https?:\/\/[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)\)/i.exec(
      line.slice(end + 1, end + 2100),
    ) ?? []
  if (url === undefined) return undefined
  const spans = parseSpans(line.slice(at + 1, end), depth + 1)
  const span: Span = { kind: 'link', url, spans }
  return { span, end: end + 1 + url.length + 2 }
}

/** Where a mark closes what it opened: not behind a space, and `_` not within a word. */
function closing(line: string, mark: string, from: number): number {
  for (let end = line.indexOf(mark, from); end >= 0; end = line.indexOf(mark, end + 1)) {
    if (mark === '`' || mark === '](') return end
    const before = line[end - 1] ?? ' '
    const after = line[end + mark.length] ?? ''
    if (/\s|\\/.test(before)) continue
    // A single mark beside another is half of a double one.
    if (mark.length === 1 && (after === mark || before === mark)) continue
    if (mark[0] === '_' && /[\p{L}\p{N}]/u.test(after)) continue
    return end
  }
  return -1
}

/** How one chat writes what Markdown has. */
export interface Style {
  text(text: string): string
  code(text: string): string
  bold(inner: string): string
  italic(inner: string): string
  link(url: string, inner: string): string
  block(text: string, language: string): string
}

/** Markdown in a chat's own form. */
export function renderMarkdown(text: string, style: Style): string {
  return parseMarkdown(text)
    .map((block) => {
      if (block.kind === 'code') return style.block(block.text, block.language)
      const line = renderSpans(block.spans, style)
      return block.kind === 'entry' ? `${block.indent}${block.bullet} ${line}` : line
    })
    .join('\n')
}

function renderSpans(spans: readonly Span[], style: Style): string {
  return spans
    .map((span) => {
      if ('text' in span)
        return span.kind === 'code' ? style.code(span.text) : style.text(span.text)
      const inner = renderSpans(span.spans, style)
      if (span.kind === 'link') return style.link(span.url, inner)
      return span.kind === 'bold' ? style.bold(inner) : style.italic(inner)
    })
    .join('')
}

/** A text of which addresses are changed in a way of their own, since a mark in one would break it. */
export function outsideAddresses(
  text: string,
  change: (piece: string) => string,
  ofAddress: (address: string) => string,
): string {
  return text
    .split(/(https?:\/\/[^\s<>]+)/)
    .map((piece, at) => (at % 2 === 1 ? ofAddress(piece) : change(piece)))
    .join('')
}

/** An address of which no chat takes a part for a mark of its own. */
export function percentEncoded(address: string, marks: RegExp): string {
  const code = (mark: string) => mark.charCodeAt(0).toString(16).toUpperCase()
  return address.replace(marks, (mark) => `%${code(mark)}`)
}

/** Code without the three backticks in a row that would end its block wherever they stand. */
export function withoutFences(code: string): string {
  return code.replace(/`(?=``)/g, '`\u200b')
}
