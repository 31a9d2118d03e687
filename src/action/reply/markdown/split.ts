import { cellText } from './render.ts'
import {
  type Block,
  type Blocks,
  type Inline,
  imageLink,
  type ListBlock,
  type ListEntry,
  plainText,
  type Spans,
  textSpans,
} from './tree.ts'

interface TreeMeasure {
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
export function splitMarkdown(blocks: Blocks, measure: TreeMeasure, most: number): Blocks[] {
  const fits = (part: Blocks) => measure.length(part) <= measure.maxLength
  const room = { fits, fitsAlone: fits }
  const parts: Blocks[] = []
  let rest = blocks
  while (parts.length + 1 < most && !fits(rest)) {
    const cut = cutBlocks(rest, room) ?? cutBlocks(asText(rest), room)
    if (!cut) break
    parts.push(cut[0])
    rest = cut[1]
  }
  return rest.length > 0 ? [...parts, rest] : parts
}

/** Whether a part fits; it stands where the whole stands, in the same quotes and lists. */
interface Room<Part> {
  /** After the text before it. */
  readonly fits: (part: Part) => boolean
  /** Into the next message. */
  readonly fitsAlone: (part: Part) => boolean
}

/** The part that fits, which is never empty, and the rest; `undefined` if nothing fits, or everything does. */
type Cut<Part> = readonly [Part, Part] | undefined

/**
 * @param whole the whole with a part of it
 * @param alone the same in the next message
 */
function roomWithin<Part, Whole>(
  { fits, fitsAlone }: Room<Whole>,
  whole: (part: Part) => Whole,
  alone = whole,
): Room<Part> {
  return { fits: (part) => fits(whole(part)), fitsAlone: (part) => fitsAlone(alone(part)) }
}

function cutPart<Part, Whole>(
  part: Part,
  cut: (part: Part, room: Room<Part>) => Cut<Part>,
  whole: (part: Part) => Whole,
  room: Room<Whole>,
): Cut<Whole> {
  const found = cut(part, roomWithin(room, whole))
  return found && [whole(found[0]), whole(found[1])]
}

/**
 * Cuts a list between its elements, or within the first one that does not fit.
 *
 * @param mayWait whether an element that fits into the next message is left whole for it
 */
function cutBetween<One>(
  all: readonly One[],
  room: Room<readonly One[]>,
  cut: (one: One, room: Room<One>) => Cut<One>,
  mayWait: (one: One) => boolean = () => true,
): Cut<readonly One[]> {
  const count = mostThat(all.length, (many) => room.fits(all.slice(0, many)))
  const [kept, [next, ...others]] = [all.slice(0, count), all.slice(count)]
  if (!next) return undefined
  const isWhole = count > 0 && mayWait(next) && room.fitsAlone([next])
  const ofNext = roomWithin(
    room,
    (part: One) => [...kept, part],
    (part) => [part],
  )
  const [start, end] = (isWhole ? undefined : cut(next, ofNext)) ?? []
  if (start !== undefined && end !== undefined)
    return [
      [...kept, start],
      [end, ...others],
    ]
  return count > 0 ? [kept, [next, ...others]] : undefined
}

function cutBlocks(blocks: Blocks, room: Room<Blocks>): Cut<Blocks> {
  return cutBetween(blocks, room, cutBlock)
}

function cutBlock(block: Block, room: Room<Block>): Cut<Block> {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return cutPart(block.spans, cutSpans, (spans): Block => ({ ...block, spans }), room)
    case 'code':
      return cutPart(block.text, cutText('\n'), (text): Block => ({ ...block, text }), room)
    case 'quote':
      return cutPart(block.blocks, cutBlocks, (blocks): Block => ({ ...block, blocks }), room)
    case 'list':
      return cutList(block, room)
    case 'table': {
      const [head = [], ...rows] = block.rows
      const of = (some: typeof rows): Block => ({ ...block, rows: [head, ...some] })
      const count = mostThat(rows.length, (many) => room.fits(of(rows.slice(0, many))))
      if (count > 0) return [of(rows.slice(0, count)), of(rows.slice(count))]
      // A row that fits into the next message waits for it.
      if (rows[0] && room.fitsAlone(of(rows.slice(0, 1)))) return undefined
      return cutBlock(textBlock(block), room)
    }
    case 'image':
      return cutBlock(textBlock(block), room)
    case 'rule':
      return undefined
  }
}

function cutList(list: Block & ListBlock, room: Room<Block>): Cut<Block> {
  const { entries, first } = list
  const [start, end] =
    cutBetween(
      entries,
      roomWithin(room, (entries): Block => ({ ...list, entries })),
      cutEntry,
    ) ?? []
  if (!start || !end) return undefined
  const next = first === undefined ? undefined : first + entries.length - end.length
  return [
    { ...list, entries: start },
    { ...list, first: next, entries: end },
  ]
}

function cutEntry(entry: ListEntry, room: Room<ListEntry>): Cut<ListEntry> {
  const [start, end] =
    cutPart(entry.blocks, cutBlocks, (blocks) => ({ ...entry, blocks }), room) ?? []
  return start && end && [start, { ...end, done: undefined, isContinued: true }]
}

function cutSpans(spans: Spans, room: Room<Spans>): Cut<Spans> {
  return cutBetween(spans, room, cutSpan, ({ kind }) => kind !== 'text')
}

function cutSpan(span: Inline, room: Room<Inline>): Cut<Inline> {
  if ('text' in span) {
    return cutPart(span.text, cutText(/[\n ]/), (text): Inline => ({ ...span, text }), room)
  }
  const cut = cutPart(span.spans, cutSpans, (spans): Inline => ({ ...span, spans }), room)
  if (cut || span.kind !== 'link' || room.fitsAlone({ ...span, spans: textSpans('x') })) return cut
  // An address that is longer than a message is text.
  const [text] = textSpans(`[${plainText(span.spans)}](${span.url})`)
  return text && cutSpan(text, room)
}

/**
 * The longest start that fits, without its last line or word if that would be cut; a line or a word that is
 * longer than a message is cut between characters. The border is dropped.
 */
function cutText(border: string | RegExp) {
  return (text: string, { fits, fitsAlone }: Room<string>): Cut<string> => {
    const most = mostThat(text.length, (many) => fits(text.slice(0, many)))
    if (most === 0 || most === text.length) return undefined
    const pieces = text.slice(0, most + 1).split(border)
    const at = most + 1 - (pieces.at(-1)?.length ?? 0) - 1
    const [piece = ''] = text.slice(at + 1).split(border, 1)
    if (at > most / 2 || fitsAlone(piece)) {
      return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : undefined
    }
    const end = beforePair(text, most)
    return end === 0 ? undefined : [text.slice(0, end), text.slice(end)]
  }
}

/** An offset that does not cut a surrogate pair. */
export function beforePair(text: string, at: number): number {
  return /[\ud800-\udbff]/.test(text[at - 1] ?? '') ? at - 1 : at
}

/** The largest count up to `all` that fits, if each smaller count fits too; does not try counts far beyond it. */
export function mostThat(all: number, fits: (count: number) => boolean): number {
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
