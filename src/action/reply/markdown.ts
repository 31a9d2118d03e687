/** Inline content of a line. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'bold' | 'italic' | 'strike'; readonly spans: readonly Inline[] }
  | { readonly kind: 'link'; readonly url: string; readonly spans: readonly Inline[] }

export type Spans = readonly Inline[]

export type Alignment = 'left' | 'center' | 'right' | ''

/** A line of text, or another block. */
export type Block =
  | { readonly kind: 'line'; readonly spans: Spans }
  /** `level`: 1 to 6. */
  | { readonly kind: 'heading'; readonly level: number; readonly spans: Spans }
  /** Consecutive lines of one quote. */
  | { readonly kind: 'quote'; readonly lines: readonly Spans[] }
  /** `indent`: the spaces before it; `bullet`: `•`, or `1.`; `done`: the box of a task. */
  | {
      readonly kind: 'entry'
      readonly indent: string
      readonly bullet: string
      readonly done: boolean | undefined
      readonly spans: Spans
    }
  | { readonly kind: 'rule' }
  | { readonly kind: 'image'; readonly url: string; readonly alt: string }
  /** The first row is the header; every row has as many cells as `align`. */
  | {
      readonly kind: 'table'
      readonly align: readonly Alignment[]
      readonly rows: readonly (readonly Spans[])[]
    }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }

/** Matches a line without its trailing spaces. */
const FENCE = /^ {0,3}```\s*([\w+#-]*)$/

const ENTRY = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/s
const TASK = /^\[([ xX])\]\s+(.*)$/s
const HEADING = /^ {0,3}(#{1,6})\s+(.*)$/s
const QUOTE = /^ {0,3}> ?(.*)$/s
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/

/** The maximum of Telegram; a wider table is text. https://core.telegram.org/bots/api#rich-messages */
const MOST_COLUMNS = 20

/**
 * Parses the Markdown of GitHub as far as chats show it. Everything else is text: HTML, mentions, and links
 * with other schemes than http and https. A block of code without an end extends to the end of the text.
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
    const table = tableAt(lines, at)
    if (table) {
      blocks.push(table.block)
      at = table.last
      continue
    }
    const quoted: Spans[] = []
    for (let text = quoteOf(line); text !== undefined; text = quoteOf(lines[++at])) {
      quoted.push(parseSpans(text))
    }
    if (quoted.length > 0) {
      blocks.push({ kind: 'quote', lines: quoted })
      at--
      continue
    }
    blocks.push(blockOf(line))
  }
  return blocks
}

/** The text of a line in a quote; `undefined` for any other line. */
function quoteOf(line: string | undefined): string | undefined {
  return QUOTE.exec(line ?? '')?.[1]
}

/** The block of a line that does not depend on its neighbors. */
function blockOf(line: string): Block {
  if (RULE.test(line)) return { kind: 'rule' }
  const [, marks, title] = HEADING.exec(line) ?? []
  if (marks !== undefined && title !== undefined) {
    const spans = parseSpans(title.trimEnd().replace(/\s#+$/, ''))
    return { kind: 'heading', level: marks.length, spans }
  }
  const image = imageOf(line.trim())
  if (image) return image
  const [, indent = '', number, content] = ENTRY.exec(line) ?? []
  if (content === undefined) return { kind: 'line', spans: parseSpans(line) }
  const bullet = number === undefined ? '•' : `${number}.`
  const [, box, task] = TASK.exec(content) ?? []
  const done = box === undefined ? undefined : box !== ' '
  return { kind: 'entry', indent, bullet, done, spans: parseSpans(task ?? content) }
}

/** An image that is alone in its line; within a line it is a link. */
function imageOf(line: string): Block | undefined {
  if (!line.startsWith('![')) return undefined
  // An image without a description is parsed like one that has it.
  const [link, ...others] = parseSpans(line.startsWith('![](') ? `[image]${line.slice(3)}` : line)
  if (link?.kind !== 'link' || others.length > 0) return undefined
  return { kind: 'image', url: link.url, alt: plainText(link.spans) }
}

function tableAt(lines: readonly string[], at: number) {
  const [head = '', marks = ''] = lines.slice(at, at + 2)
  if (!head.includes('|') || !/^[\s|:-]+$/.test(marks) || !marks.includes('-')) return undefined
  const align = cellsOf(marks).map(alignmentOf)
  const width = align.length
  if (width > MOST_COLUMNS || align.includes(undefined)) return undefined
  if (cellsOf(head).length !== width) return undefined
  let last = at + 1
  while (lines[last + 1]?.includes('|') && !isFence(lines[last + 1] ?? '')) last++
  const rows = [head, ...lines.slice(at + 2, last + 1)].map((row) => {
    const cells = cellsOf(row)
    return Array.from({ length: width }, (_, column) => parseSpans(cells[column] ?? ''))
  })
  const block: Block = { kind: 'table', align: align.map((each) => each ?? ''), rows }
  return { block, last }
}

/** The cells of a row; `\\|` is no border. */
function cellsOf(row: string): string[] {
  const cells = ['']
  for (const piece of row.trim().split(/(\\.|\|)/)) {
    if (piece === '|') cells.push('')
    else cells[cells.length - 1] += piece
  }
  if (cells[0]?.trim() === '') cells.shift()
  if (cells.at(-1)?.trim() === '') cells.pop()
  return cells.map((cell) => cell.trim())
}

/** `undefined` if the cell is not part of the line below a header. */
function alignmentOf(cell: string): Alignment | undefined {
  if (!/^:?-+:?$/.test(cell)) return undefined
  const [left, right] = [cell.startsWith(':'), cell.endsWith(':')]
  return left && right ? 'center' : right ? 'right' : left ? 'left' : ''
}

/** Whether a text has blocks that a chat can show only in its richest kind of message. */
export function hasRichBlocks(text: string): boolean {
  return parseMarkdown(text).some(
    (block) =>
      ['heading', 'rule', 'image', 'table'].includes(block.kind) ||
      (block.kind === 'entry' && block.done !== undefined),
  )
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
  if (char === '!' && line[at + 1] === '[') return linkAt(line, at + 1, close, depth)
  if (char !== '*' && char !== '_' && char !== '~') return undefined
  const mark = line[at + 1] === char ? char + char : char
  if (mark === '~') return undefined
  const isWithinWord = char === '_' && /[\p{L}\p{N}]/u.test(line[at - 1] ?? '')
  if (isWithinWord || !/\S/.test(line[at + mark.length] ?? '')) return undefined
  const end = close(mark, at + mark.length)
  if (end <= at + mark.length) return undefined
  const spans = parseSpans(line.slice(at + mark.length, end), depth + 1)
  const span: Inline = { kind: kindOf(mark), spans }
  return { span, end: end + mark.length }
}

function kindOf(mark: string): 'bold' | 'italic' | 'strike' {
  if (mark === '~~') return 'strike'
  return mark.length === 2 ? 'bold' : 'italic'
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

/** The text without its markup. */
export function plainText(spans: Spans): string {
  return spans.map((span) => ('text' in span ? span.text : plainText(span.spans))).join('')
}
