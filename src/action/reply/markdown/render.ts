import { type InlineStyle, renderSpans } from './inline.ts'
import {
  type Block,
  type Blocks,
  imageLink,
  type ListBlock,
  plainText,
  type Spans,
} from './tree.ts'

/** The markup of a chat that has no lists, tables, rules and images of its own. */
export interface MarkupStyle extends InlineStyle {
  block(text: string, language: string): string
  /** @param content one or more lines */
  quote(content: string): string
  /** False if a quote ends at a block of code. */
  readonly quotesCode: boolean
  /** `undefined` for a level that is bold text. Default: every level is. */
  heading?(inner: string, level: number): string | undefined
}

/** Position of a block: what its lines begin with, and whether it is within a quote. */
interface Within {
  readonly indent: string
  readonly isQuoted: boolean
}

const TOP: Within = { indent: '', isQuoted: false }

/** Deeper lists are indented like this one, because a line of spaces shows nothing. */
const DEEPEST_INDENT = 20

/** Renders Markdown in the markup of a chat, line by line as it was written. */
export function renderMarkdown(blocks: Blocks, style: MarkupStyle): string {
  return renderBlocks(blocks, style, TOP)
}

function renderBlocks(blocks: Blocks, style: MarkupStyle, within: Within): string {
  return together(blocks.map((block) => [block.isApart, renderBlock(block, style, within)]))
}

function together(pieces: readonly (readonly [isApart: boolean, text: string])[]): string {
  return pieces
    .map(([isApart, text], at) => (at === 0 ? text : `${isApart ? '\n\n' : '\n'}${text}`))
    .join('')
}

function renderBlock(block: Block, style: MarkupStyle, within: Within): string {
  const lines = (text: string) => text.replace(/^(?=.)/gm, within.indent)
  switch (block.kind) {
    case 'paragraph':
      return lines(renderSpans(block.spans, style))
    case 'heading': {
      const { level, spans } = block
      const marked = style.heading?.(renderSpans(spans, style), level)
      return lines(marked ?? renderSpans([{ kind: 'bold', spans }], style))
    }
    case 'image':
      return lines(renderSpans([imageLink(block)], style))
    case 'rule':
      return lines('———')
    case 'list':
      return renderList(block, style, within)
    case 'quote':
      return renderQuote(block.blocks, style, within)
    // Indented marks of code would be part of the code.
    case 'code':
      return style.block(block.text, block.language)
    case 'table':
      return style.block(alignedTable(block.rows.map((row) => row.map(cellText))), '')
  }
}

function renderList({ first, entries }: ListBlock, style: MarkupStyle, within: Within): string {
  const { indent } = within
  const inner = { ...within, indent: indent.length < DEEPEST_INDENT ? `${indent}  ` : indent }
  return together(
    entries.map(({ isApart, done, isContinued, blocks }, at) => {
      const content = renderBlocks(blocks, style, inner)
      if (isContinued) return [isApart, content]
      const unmarked = first === undefined ? '•' : `${first + at}.`
      const bullet = done === undefined ? unmarked : done ? '☑' : '☐'
      const [start] = blocks
      if (start?.kind === 'code' || start?.kind === 'table' || start?.kind === 'quote') {
        return [isApart, `${indent}${bullet}\n${content}`]
      }
      return [isApart, `${indent}${bullet} ${content.slice(inner.indent.length)}`.trimEnd()]
    }),
  )
}

/** No chat has a quote within a quote, so its lines begin with `>` there. */
function renderQuote(blocks: Blocks, style: MarkupStyle, within: Within): string {
  if (within.isQuoted) {
    return renderBlocks(blocks, style, { ...within, indent: `${within.indent}${style.text('> ')}` })
  }
  const inner = { indent: '', isQuoted: true }
  if (style.quotesCode) return style.quote(renderBlocks(blocks, style, inner))
  const groups: { readonly isCode: boolean; readonly blocks: Block[] }[] = []
  for (const block of blocks) {
    const isCode = hasCode(block)
    const last = groups.at(-1)
    if (last?.isCode === isCode) last.blocks.push(block)
    else groups.push({ isCode, blocks: [block] })
  }
  return together(
    groups.map(({ isCode, blocks }) => {
      const content = renderBlocks(blocks, style, inner)
      return [blocks[0]?.isApart ?? false, isCode ? content : style.quote(content)]
    }),
  )
}

function hasCode(block: Block): boolean {
  if (block.kind === 'quote') return block.blocks.some(hasCode)
  if (block.kind === 'list') return block.entries.some(({ blocks }) => blocks.some(hasCode))
  return block.kind === 'code' || block.kind === 'table'
}

/** A cell without markup, but with the addresses of its links. */
export function cellText(spans: Spans): string {
  return spans
    .map((span) => {
      if (span.kind !== 'link') return 'text' in span ? span.text : cellText(span.spans)
      const text = plainText(span.spans)
      return span.url === text || span.url === `http://${text}` ? text : `${text} (${span.url})`
    })
    .join('')
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
