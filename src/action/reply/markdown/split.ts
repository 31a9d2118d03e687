import { cellText } from './render.ts'
import {
  type Block,
  type Blocks,
  type Entry,
  type Inline,
  imageLink,
  type List,
  plainText,
  type Spans,
  textSpans,
} from './tree.ts'

/** How a tree is measured. */
export interface TreeMeasure {
  readonly maxLength: number
  /** The length of blocks after rendering. */
  length(blocks: Blocks): number
}

/**
 * Splits a text into parts that fit, without losing any of it: between blocks; a block that is too long between
 * its lines, entries or rows, so that the rest of code is code again, and the rest of a table has its header; a
 * text at a space; a word that is too long between characters.
 *
 * @param most the number of parts; the last part holds the rest, of any length
 */
export function splitMarkdown(blocks: Blocks, measure: TreeMeasure, most = Infinity): Blocks[] {
  const fits = (part: Blocks) => measure.length(part) <= measure.maxLength
  const parts: Blocks[] = []
  let rest = blocks
  while (rest.length > 0 && parts.length + 1 < most) {
    const [part, others] = cutBlocks(rest, fits, fits) ??
      cutBlocks(asText(rest), fits, fits) ?? [rest, []]
    parts.push(part)
    rest = others
  }
  return rest.length > 0 ? [...parts, rest] : parts
}

/** Whether a part fits; it stands where the whole stands, in the same quotes and lists. */
type Fits<Part> = (part: Part) => boolean

/** The part that fits, which is never empty, and the rest; `undefined` if nothing fits. */
type Cut<Part> = readonly [Part, Part] | undefined

/**
 * @param fits whether blocks fit after the text before them
 * @param fitsAlone whether blocks fit into the next message
 */
function cutBlocks(blocks: Blocks, fits: Fits<Blocks>, fitsAlone: Fits<Blocks>): Cut<Blocks> {
  const count = mostThat(blocks.length, (many) => fits(blocks.slice(0, many)))
  const [kept, [next, ...others]] = [blocks.slice(0, count), blocks.slice(count)]
  if (!next) return [kept, []]
  const isWhole = count > 0 && fitsAlone([next])
  const cut = isWhole
    ? undefined
    : cutBlock(
        next,
        (part) => fits([...kept, part]),
        (part) => fitsAlone([part]),
      )
  if (cut)
    return [
      [...kept, cut[0]],
      [cut[1], ...others],
    ]
  return count > 0 ? [kept, [next, ...others]] : undefined
}

function cutBlock(block: Block, fits: Fits<Block>, fitsAlone: Fits<Block>): Cut<Block> {
  switch (block.kind) {
    case 'paragraph':
    case 'heading': {
      const cut = cutSpans(
        block.spans,
        (spans) => fits({ ...block, spans }),
        (spans) => fitsAlone({ ...block, spans }),
      )
      return (
        cut && [
          { ...block, spans: cut[0] },
          { ...block, spans: cut[1] },
        ]
      )
    }
    case 'code': {
      const cut = cutText(
        block.text,
        '\n',
        (text) => fits({ ...block, text }),
        (text) => fitsAlone({ ...block, text }),
      )
      return (
        cut && [
          { ...block, text: cut[0] },
          { ...block, text: cut[1] },
        ]
      )
    }
    case 'quote': {
      const cut = cutBlocks(
        block.blocks,
        (blocks) => fits({ ...block, blocks }),
        (blocks) => fitsAlone({ ...block, blocks }),
      )
      return (
        cut && [
          { ...block, blocks: cut[0] },
          { ...block, blocks: cut[1] },
        ]
      )
    }
    case 'list':
      return cutList(block, fits, fitsAlone)
    case 'table': {
      const [head = [], ...rows] = block.rows
      const of = (some: typeof rows): Block => ({ ...block, rows: [head, ...some] })
      const count = mostThat(rows.length, (many) => fits(of(rows.slice(0, many))))
      if (count > 0) return [of(rows.slice(0, count)), of(rows.slice(count))]
      // A row that fits into the next message waits for it.
      if (rows[0] && fitsAlone(of(rows.slice(0, 1)))) return undefined
      return cutBlock(textBlock(block), fits, fitsAlone)
    }
    case 'image':
      return cutBlock(textBlock(block), fits, fitsAlone)
    case 'rule':
      return undefined
  }
}

function cutList(list: Block & List, fits: Fits<Block>, fitsAlone: Fits<Block>): Cut<Block> {
  const { entries, first } = list
  const count = mostThat(entries.length, (many) =>
    fits({ ...list, entries: entries.slice(0, many) }),
  )
  const [kept, [next, ...others]] = [entries.slice(0, count), entries.slice(count)]
  if (!next) return undefined
  const rest = (entry: Entry): Block => ({
    ...list,
    first: first === undefined ? undefined : first + count,
    entries: [entry, ...others],
  })
  const isWhole = count > 0 && fitsAlone({ ...list, entries: [next] })
  const cut = isWhole
    ? undefined
    : cutBlocks(
        next.blocks,
        (blocks) => fits({ ...list, entries: [...kept, { ...next, blocks }] }),
        (blocks) => fitsAlone({ ...list, entries: [{ ...next, blocks }] }),
      )
  if (cut) {
    const [blocks, others] = cut
    const continued = { ...next, done: undefined, isContinued: true, blocks: others }
    return [{ ...list, entries: [...kept, { ...next, blocks }] }, rest(continued)]
  }
  return count > 0 ? [{ ...list, entries: kept }, rest(next)] : undefined
}

function cutSpans(spans: Spans, fits: Fits<Spans>, fitsAlone: Fits<Spans>): Cut<Spans> {
  const count = mostThat(spans.length, (many) => fits(spans.slice(0, many)))
  const [kept, [next, ...others]] = [spans.slice(0, count), spans.slice(count)]
  if (!next) return undefined
  const isWhole = count > 0 && next.kind !== 'text' && fitsAlone([next])
  const cut = isWhole
    ? undefined
    : cutSpan(
        next,
        (span) => fits([...kept, span]),
        (span) => fitsAlone([span]),
      )
  if (cut)
    return [
      [...kept, cut[0]],
      [cut[1], ...others],
    ]
  return count > 0 ? [kept, [next, ...others]] : undefined
}

function cutSpan(span: Inline, fits: Fits<Inline>, fitsAlone: Fits<Inline>): Cut<Inline> {
  if ('text' in span) {
    const cut = cutText(
      span.text,
      /[\n ]/,
      (text) => fits({ ...span, text }),
      (text) => fitsAlone({ ...span, text }),
    )
    return (
      cut && [
        { ...span, text: cut[0] },
        { ...span, text: cut[1] },
      ]
    )
  }
  const cut = cutSpans(
    span.spans,
    (spans) => fits({ ...span, spans }),
    (spans) => fitsAlone({ ...span, spans }),
  )
  if (cut)
    return [
      { ...span, spans: cut[0] },
      { ...span, spans: cut[1] },
    ]
  if (span.kind !== 'link' || fitsAlone({ ...span, spans: textSpans('x') })) return undefined
  // An address that is longer than a message is text.
  const [text] = textSpans(`[${plainText(span.spans)}](${span.url})`)
  return text && cutSpan(text, fits, fitsAlone)
}

/**
 * The longest start that fits, without its last line or word if that would be cut; a line or a word that is
 * longer than a message is cut between characters. The border is dropped.
 */
function cutText(
  text: string,
  border: string | RegExp,
  fits: Fits<string>,
  fitsAlone: Fits<string>,
): Cut<string> {
  const most = mostThat(text.length, (many) => fits(text.slice(0, many)))
  if (most === 0 || most === text.length) return undefined
  const pieces = text.slice(0, most + 1).split(border)
  const at = most + 1 - (pieces.at(-1)?.length ?? 0) - 1
  const [piece = ''] = text.slice(at + 1).split(border, 1)
  if (at > most / 2 || fitsAlone(piece)) {
    return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : undefined
  }
  // Do not cut a surrogate pair.
  const end = /[\ud800-\udbff]/.test(text[most - 1] ?? '') ? most - 1 : most
  return end === 0 ? undefined : [text.slice(0, end), text.slice(end)]
}

/** The largest count up to `all` that fits, if each smaller count fits too; does not try counts far beyond it. */
function mostThat(all: number, fits: (count: number) => boolean): number {
  let [low, high] = [0, 1]
  while (high < all && fits(high)) [low, high] = [high, high * 2]
  high = Math.min(high, all)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/** The first block as text, because its markup alone is longer than a message. */
function asText([block, ...others]: Blocks): Blocks {
  return block ? [textBlock(block), ...others] : []
}

function textBlock(block: Block): Block {
  return { kind: 'paragraph', isApart: block.isApart, spans: textSpans(blockText(block)) }
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return plainText(block.spans)
    case 'code':
      return block.text
    case 'quote':
      return block.blocks.map(blockText).join('\n')
    case 'list':
      return block.entries.map(({ blocks }) => blocks.map(blockText).join('\n')).join('\n')
    case 'table':
      return block.rows.map((row) => row.map(cellText).join(' | ')).join('\n')
    case 'image':
      return cellText([imageLink(block)])
    case 'rule':
      return '———'
  }
}
