import { type Alignment, type Block, parseMarkdown, plainText, type Spans } from './markdown.ts'

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
