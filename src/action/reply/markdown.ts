/** Inline content of a line. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'bold' | 'italic' | 'strike'; readonly spans: readonly Inline[] }
  | { readonly kind: 'link'; readonly url: string; readonly spans: readonly Inline[] }

type Spans = readonly Inline[]

type Alignment = 'left' | 'center' | 'right' | ''

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

/** The markup of one chat for each Markdown construct. A chat without the last ones gets a replacement. */
export interface MarkupStyle {
  text(text: string): string
  code(text: string): string
  bold(inner: string): string
  italic(inner: string): string
  strike(inner: string): string
  link(url: string, inner: string): string
  block(text: string, language: string): string
  quote(lines: readonly string[]): string
  /** Default: bold. */
  heading?(inner: string, level: number): string
  /** The mark before an entry of a list. Default: the bullet, or a box. */
  bullet?(bullet: string, done: boolean | undefined): string
  /** Default: a line of dashes. */
  readonly rule?: string
  /** Default: a link. */
  image?(url: string, alt: string): string
  /** Default: a block of code with aligned columns. */
  table?(rows: readonly (readonly string[])[], align: readonly Alignment[]): string
}

/** Renders Markdown in the markup of a chat. */
export function renderMarkdown(text: string, style: MarkupStyle): string {
  return parseMarkdown(text)
    .map((block) => renderBlock(block, style))
    .join('\n')
}

function renderBlock(block: Block, style: MarkupStyle): string {
  const inline = (spans: Spans) => renderSpans(spans, style)
  switch (block.kind) {
    case 'code':
      return style.block(block.text, block.language)
    case 'line':
      return inline(block.spans)
    case 'heading': {
      const title = inline(block.spans)
      return style.heading?.(title, block.level) ?? style.bold(title)
    }
    case 'quote':
      return style.quote(block.lines.map(inline))
    case 'entry': {
      const { indent, bullet, done, spans } = block
      const mark = style.bullet?.(bullet, done) ?? boxOf(done) ?? bullet
      return `${indent}${mark} ${inline(spans)}`
    }
    case 'rule':
      return style.rule ?? '———'
    case 'image':
      return style.image?.(block.url, block.alt) ?? imageLink(block, style)
    case 'table': {
      const { rows, align } = block
      if (style.table)
        return style.table(
          rows.map((row) => row.map(inline)),
          align,
        )
      return style.block(alignedTable(rows.map((row) => row.map(plainText))), '')
    }
  }
}

function boxOf(done: boolean | undefined): string | undefined {
  return done === undefined ? undefined : done ? '☑' : '☐'
}

function imageLink({ url, alt }: { url: string; alt: string }, style: MarkupStyle): string {
  return renderSpans([{ kind: 'link', url, spans: [{ kind: 'text', text: alt }] }], style)
}

/** Characters. A table that aligned columns would make longer stays as it is. */
const MOST_ALIGNED = 1_000

/** A table in a font whose characters have the same width. */
function alignedTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0),
  )
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const [head = '', ...others] = lines
  const aligned = [head, widths.map((width) => '-'.repeat(width)).join('  '), ...others].join('\n')
  return aligned.length <= MOST_ALIGNED ? aligned : rows.map((row) => row.join(' | ')).join('\n')
}

/** How a chat that reads Markdown itself escapes it. */
export interface MarkdownEscapes {
  /** Text in which no character is markup. */
  text(text: string): string
  /** Code within a line. */
  code(text: string): string
  /** The content of a block of code. */
  block(text: string): string
  address(url: string): string
}

/**
 * Renders Markdown for a chat that reads the Markdown of GitHub itself: writes what was parsed again, so that
 * only known constructs remain.
 */
export function renderNativeMarkdown(text: string, escapes: MarkdownEscapes): string {
  const style = nativeStyle(escapes)
  let [written, last] = ['', '']
  let before: Block | undefined
  for (const block of parseMarkdown(text)) {
    const continues = before?.kind === block.kind
    // An indented line would be code, and so would be an indented entry without an entry before it.
    const rendered =
      block.kind === 'entry' && !continues
        ? renderBlock({ ...block, indent: '' }, style)
        : renderBlock(block, style)
    const line = block.kind === 'line' ? rendered.trimStart() : rendered
    if (before) written += separator(block, continues, last !== '' && line !== '')
    written += line
    last = line
    before = block
  }
  return written
}

/** Two spaces keep a line break within a paragraph; without a blank line, a block would continue the one before. */
function separator({ kind }: Block, continues: boolean, areFull: boolean): string {
  if (!continues) return '\n\n'
  return kind === 'line' && areFull ? '  \n' : '\n'
}

function nativeStyle({ text, code, block, address }: MarkdownEscapes): MarkupStyle {
  return {
    text,
    code,
    bold: (inner) => `**${inner}**`,
    italic: (inner) => `*${inner}*`,
    strike: (inner) => `~~${inner}~~`,
    link: (url, inner) => `[${inner}](${address(url)})`,
    block: (content, language) => `\`\`\`${language}\n${withoutFences(block(content))}\n\`\`\``,
    quote: (lines) => lines.map((line) => `> ${line}`).join('  \n'),
    heading: (inner, level) => `${'#'.repeat(level)} ${inner}`,
    bullet: (bullet, done) => {
      const mark = bullet === '•' ? '-' : bullet
      return done === undefined ? mark : `${mark} [${done ? 'x' : ' '}]`
    },
    rule: '---',
    image: (url, alt) => `![${text(alt)}](${address(url)})`,
    table: (rows, align) => {
      const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
      const [head = [], ...others] = rows
      return [head, align.map((each) => MARKS[each]), ...others].map(row).join('\n')
    },
  }
}

const MARKS: Readonly<Record<Alignment, string>> = {
  left: ':--',
  center: ':-:',
  right: '--:',
  '': '---',
}

/** Code that contains backticks needs more of them around it. */
export function inBackticks(code: string): string {
  return code.includes('`') ? `\`\` ${code} \`\`` : `\`${code}\``
}

/**
 * Escapes the characters that are markup in a line of Markdown, or at its start.
 *
 * @param entities replaces `<`, `>` and `&` outside and inside of addresses
 */
export function escapeMarkdown(
  text: string,
  entities: (text: string) => string,
  marks = /[\\*_~`|[\]]/g,
): string {
  const escaped = (piece: string) => entities(piece.replace(marks, '\\$&'))
  return outsideAddresses(text, escaped, (url) => markdownAddress(url, entities)).replace(
    /^(\s*)(#{1,6}(?=\s|$)|-+|\++|=+|\d+(?=[.)](?:\s|$)))/,
    (_, space: string, mark: string) =>
      /^\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`,
  )
}

/** An address that cannot end a link, a cell or code. */
export function markdownAddress(url: string, entities: (text: string) => string): string {
  return entities(percentEncoded(url, /[\\`[\]()*|"]/g))
}

function renderSpans(spans: Spans, style: MarkupStyle): string {
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
      return style[span.kind](inner)
    })
    .join('')
}

function plainText(spans: Spans): string {
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
