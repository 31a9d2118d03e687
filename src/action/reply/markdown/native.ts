import { withoutFences } from './escapes.ts'
import { type InlineStyle, renderSpans, type Surroundings } from './inline.ts'
import type { Alignment, Block, Blocks, Inline, ListBlock, ListEntry, Spans } from './tree.ts'

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
export function renderNativeMarkdown(blocks: Blocks, escapes: MarkdownEscapes): string {
  return new NativeMarkdown(escapes).blocks(blocks)
}

class NativeMarkdown {
  readonly #escapes: MarkdownEscapes
  readonly #style: InlineStyle

  constructor(escapes: MarkdownEscapes) {
    this.#escapes = escapes
    this.#style = {
      text: (text) => escapes.text(text),
      code: (text) => escapes.code(text),
      bold: (inner) => `**${inner}**`,
      italic: (inner) => `*${inner}*`,
      strike: (inner) => `~~${inner}~~`,
      link: (url, inner) => `[${inner}](${escapes.address(url)})`,
      border: betweenMarks,
      canMark,
    }
  }

  /** A blank line, because otherwise a block could continue the one before. */
  blocks(blocks: Blocks): string {
    const second = secondLists(blocks)
    return blocks.map((block) => this.#block(block, second.has(block))).join('\n\n')
  }

  /** @param isSecond whether the list before has the first marks, which would continue it */
  #block(block: Block, isSecond: boolean): string {
    switch (block.kind) {
      case 'paragraph':
        return this.#paragraph(block.spans)
      case 'heading':
        // Marks at the end would close the heading.
        return `${'#'.repeat(block.level)} ${this.#line(block.spans).replace(/#+$/, '\\$&')}`
      case 'quote':
        return this.blocks(block.blocks).replace(/^(.)?/gm, (first) => (first ? `> ${first}` : '>'))
      case 'code':
        return `\`\`\`${word(block.language)}\n${withoutFences(this.#escapes.block(block.text))}\n\`\`\``
      case 'rule':
        return '---'
      case 'image':
        return `![${this.#escapes.text(block.alt)}](${this.#escapes.address(block.url)})`
      case 'table': {
        const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
        // A bar in code would end its cell.
        const cell = (spans: Spans) => this.#line(spans).replace(/(?<!\\)\|/g, '\\|')
        const [head = [], ...others] = block.rows.map((row) => row.map(cell))
        return [head, block.align.map((each) => MARKS[each]), ...others].map(row).join('\n')
      }
      case 'list':
        return this.#list(block, isSecond)
    }
  }

  /** Two spaces keep a line break within a paragraph; an indented line could be code. */
  #paragraph(spans: Spans): string {
    return renderSpans(outsidePunctuation(spans), this.#style)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('  \n')
  }

  #line(spans: Spans): string {
    return this.#paragraph(spans).replaceAll('  \n', ' ')
  }

  #list({ first, entries }: ListBlock, isSecond: boolean): string {
    return entries
      .map((entry, at) => {
        const separator = at === 0 ? '' : entry.isApart ? '\n\n' : '\n'
        const [bullet, ending] = isSecond ? ['*', ')'] : ['-', '.']
        const mark = first === undefined ? bullet : `${first + at}${ending}`
        return `${separator}${this.#entry(entry, mark)}`
      })
      .join('')
  }

  #entry({ blocks, done, isContinued }: ListEntry, mark: string): string {
    const second = secondLists(blocks)
    const content = blocks
      .map((block, at) => {
        const before = blocks[at - 1]
        const separator = at === 0 ? '' : canFollow(block, before) ? '\n' : '\n\n'
        return `${separator}${this.#block(block, second.has(block))}`
      })
      .join('')
    if (isContinued) return content
    const box = done === undefined ? '' : `[${done ? 'x' : ' '}] `
    const indent = ' '.repeat(mark.length + 1)
    return `${mark} ${box}${content.replace(/\n(?=.)/g, `\n${indent}`)}`.trimEnd()
  }
}

/** Every second one of the lists in a row. */
function secondLists(blocks: Blocks): ReadonlySet<Block> {
  let isSecond = true
  return new Set(
    blocks.filter(({ kind }) => {
      isSecond = kind !== 'list' || !isSecond
      return kind === 'list' && isSecond
    }),
  )
}

/** Whether a block interrupts the paragraph before it, without a blank line. */
function canFollow(block: Block, before: Block | undefined): boolean {
  if (before?.kind !== 'paragraph' || block.isApart) return false
  if (block.kind === 'code') return true
  if (block.kind !== 'list') return false
  const isFromOne = block.first === undefined || block.first === 1
  return isFromOne && (block.entries[0]?.blocks.length ?? 0) > 0
}

/** An info string of one word: anything else could end the line, or the block. */
function word(language: string): string {
  return /^[\w+#.-]+$/.test(language) ? language : ''
}

const MARKS: Readonly<Record<Alignment, string>> = {
  left: ':--',
  center: ':-:',
  right: '--:',
  '': '---',
}

/** A zero-width space between the marks of two neighbors, which would be read as one mark. */
export function betweenMarks(left: string, right: string): string {
  return /[*_~`]/.test(left) && /[*_~`]/.test(right) ? '\u200b' : ''
}

/** https://spec.commonmark.org/0.31.2/#left-flanking-delimiter-run */
function canMark({ before, first, last, after }: Surroundings): boolean {
  return flanks(before, first) && flanks(after, last)
}

function flanks(outer: string, inner: string): boolean {
  return !PUNCTUATION.test(inner) || /\s/.test(outer) || PUNCTUATION.test(outer)
}

const PUNCTUATION = /[\p{P}\p{S}]/u

/**
 * Moves punctuation at the edges of marked text out of the marks, if a letter follows: not every parser of
 * Markdown reads `**注意：**请看` as bold, but each reads `**注意**：请看` so.
 */
function outsidePunctuation(spans: Spans): Spans {
  return spans.flatMap((span, at): Spans => {
    if (!('spans' in span) || span.kind === 'link') return [span]
    const [before, after] = [spans[at - 1], spans[at + 1]]
    const inner = outsidePunctuation(span.spans)
    const left = isLetter(before?.kind === 'text' ? before.text.slice(-2) : '', -1)
    const right = isLetter(after?.kind === 'text' ? after.text.slice(0, 2) : '', 0)
    const [start, rest] = left ? cutEdge(inner, 0, /^[\p{P}\p{S}]+/u) : ['', inner]
    const [end, core] = right ? cutEdge(rest, -1, /[\p{P}\p{S}]+$/u) : ['', rest]
    const moved: Inline = { ...span, spans: core }
    return [
      ...(start ? [{ kind: 'text', text: start } as const] : []),
      moved,
      ...(end ? [{ kind: 'text', text: end } as const] : []),
    ]
  })
}

function isLetter(text: string, at: 0 | -1): boolean {
  const character = [...text].at(at)
  return character !== undefined && !/[\s\p{P}\p{S}]/u.test(character)
}

function cutEdge(spans: Spans, at: 0 | -1, edge: RegExp): readonly [string, Spans] {
  const span = spans.at(at)
  const [found = ''] = span?.kind === 'text' ? (edge.exec(span.text) ?? []) : []
  if (span?.kind !== 'text' || found === '' || found === span.text) return ['', spans]
  return [found, spans.with(at, { kind: 'text', text: span.text.replace(edge, '') })]
}
