/** Inline content of a line. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'bold' | 'italic'; readonly spans: readonly Inline[] }
  | { readonly kind: 'link'; readonly url: string; readonly spans: readonly Inline[] }

/** A line of text, one of a list, or a block of code. */
export type Block =
  | { readonly kind: 'line'; readonly spans: readonly Inline[] }
  /** `indent`: the spaces before it; `bullet`: `•`, or `1.`. */
  | {
      readonly kind: 'entry'
      readonly indent: string
      readonly bullet: string
      readonly spans: readonly Inline[]
    }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }

/** Matches a line without its trailing spaces. */
const FENCE = /^ {0,3}```\s*([\w+#-]*)$/

const ENTRY = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/s

/**
 * Parses basic Markdown: bold, italic, code, links and lists. Everything else is text, so that untrusted
 * input can at worst be bold. A block of code without an end extends to the end of the text.
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

/** True if a line closes a block of code. */
export function isFenceEnd(line: string | undefined): boolean {
  return /^ {0,3}```\s*$/.test(line ?? '')
}

/** True if a line opens a block of code. */
export function isFence(line: string): boolean {
  return FENCE.test(line.trimEnd())
}

/** Maximum nesting of bold and italic; deeper marks are text. */
const DEEPEST = 4

/** Parses one line in linear time: the end of an unclosed mark is searched only once. */
function parseSpans(line: string, depth = 0): Inline[] {
  const spans: Inline[] = []
  const closed = new Map<string, number>()
  let plain = ''
  const close = (mark: string, from: number) => {
    const known = closed.get(mark)
    // The closing mark of an earlier search is the next one for this mark, too.
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
    if (end > at + 1) return { span: inlineCode(line.slice(at + 1, end)), end: end + 1 }
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

function inlineCode(text: string): Inline {
  return { kind: 'code', text }
}

/** `[text](https://…)`; other schemes are no links. */
function linkAt(line: string, at: number, close: Close, depth: number) {
  const end = close('](', at + 1)
  if (end <= at + 1) return undefined
  const [, url] =
    /^\((https?:\/\/[^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)\)/i.exec(
      line.slice(end + 1, end + 2100),
    ) ?? []
  if (url === undefined) return undefined
  const spans = parseSpans(line.slice(at + 1, end), depth + 1)
  const span: Inline = { kind: 'link', url, spans }
  return { span, end: end + 1 + url.length + 2 }
}

/** Position of the closing mark: not after a space, and `_` not within a word. */
function closing(line: string, mark: string, from: number): number {
  for (let end = line.indexOf(mark, from); end >= 0; end = line.indexOf(mark, end + 1)) {
    if (mark === '`' || mark === '](') return end
    const before = line[end - 1] ?? ' '
    const after = line[end + mark.length] ?? ''
    if (/\s|\\/.test(before)) continue
    // A single mark next to the same mark is half of a double mark.
    if (mark.length === 1 && (after === mark || before === mark)) continue
    if (mark[0] === '_' && /[\p{L}\p{N}]/u.test(after)) continue
    return end
  }
  return -1
}

/** The markup of one chat for each Markdown construct. */
export interface MarkupStyle {
  text(text: string): string
  code(text: string): string
  bold(inner: string): string
  italic(inner: string): string
  link(url: string, inner: string): string
  block(text: string, language: string): string
}

/** Renders Markdown in the markup of a chat. */
export function renderMarkdown(text: string, style: MarkupStyle): string {
  return parseMarkdown(text)
    .map((block) => {
      if (block.kind === 'code') return style.block(block.text, block.language)
      const line = renderSpans(block.spans, style)
      return block.kind === 'entry' ? `${block.indent}${block.bullet} ${line}` : line
    })
    .join('\n')
}

function renderSpans(spans: readonly Inline[], style: MarkupStyle): string {
  return spans
    .map((span) => {
      if ('text' in span)
        return span.kind === 'code' ? style.code(span.text) : style.text(span.text)
      const inner = renderSpans(span.spans, style)
      if (span.kind === 'link') {
        const host = misleadingHost(span.url, plainText(span.spans))
        const shown = host === undefined ? inner : `${inner}${style.text(` (${host})`)}`
        return style.link(span.url, shown)
      }
      return span.kind === 'bold' ? style.bold(inner) : style.italic(inner)
    })
    .join('')
}

function plainText(spans: readonly Inline[]): string {
  return spans.map((span) => ('text' in span ? span.text : plainText(span.spans))).join('')
}

/** A part of a text that looks like a host name; the last group is its top-level domain. */
const HOST = /(?:[\p{L}\p{N}-]+\.)+(\p{L}[\p{L}\p{N}-]+)/gu

/** Endings of files that are no top-level domains: `Node.js` is no address. */
const FILE_ENDING =
  /^(?:js|ts|tsx|jsx|mjs|cjs|json|ya?ml|toml|txt|html?|css|xml|csv|log|lock|png|jpe?g|gif|svg|pdf)$/i

/**
 * The host of a link whose text looks like another address, so that the reader sees where
 * `[github.com](https://example.com)` leads; `undefined` for any other link.
 */
export function misleadingHost(url: string, text: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { hostname } = new URL(url)
  const bare = (host: string) => host.toLowerCase().replace(/^www\./, '')
  const shown = text.normalize('NFKC').replace(/[\u3002\uff0e\uff61]/g, '.')
  const hosts = [...shown.matchAll(HOST)].filter(([, ending = '']) => !FILE_ENDING.test(ending))
  return hosts.some(([host]) => bare(host) !== bare(hostname)) ? hostname : undefined
}

/** Changes a text and its addresses separately, because an escaped mark would break an address. */
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

/** Percent-encodes the characters of an address that the chat would read as markup. */
export function percentEncoded(address: string, marks: RegExp): string {
  const code = (mark: string) => mark.charCodeAt(0).toString(16).toUpperCase()
  return address.replace(marks, (mark) => `%${code(mark)}`)
}

/** Code without three backticks in a row, because they would end the block. */
export function withoutFences(code: string): string {
  return code.replace(/`(?=``)/g, '`\u200b')
}
