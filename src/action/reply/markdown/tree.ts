/** Inline content. Line breaks within a paragraph are `\n` in a text. */
export type Inline =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  | { readonly kind: 'bold' | 'italic' | 'strike'; readonly spans: Spans }
  | { readonly kind: 'link'; readonly url: string; readonly spans: Spans }

export type Spans = readonly Inline[]

export type Alignment = 'left' | 'center' | 'right' | ''

/** The first row is the header; every row has as many cells as `align`. */
interface Table {
  readonly kind: 'table'
  readonly align: readonly Alignment[]
  readonly rows: readonly (readonly Spans[])[]
}

export interface ListBlock {
  readonly kind: 'list'
  /** The number of the first entry; `undefined` for bullets. */
  readonly first: number | undefined
  readonly entries: readonly ListEntry[]
}

export interface ListEntry {
  /** Whether a blank line separates the entry from the previous one. */
  readonly isApart: boolean
  /** The box of a task. */
  readonly done: boolean | undefined
  /** True for the rest of an entry that was cut: the entry then has no bullet. */
  readonly isContinued: boolean
  readonly blocks: Blocks
}

/** `isApart`: whether a blank line separates the block from the previous one. */
export type Block = { readonly isApart: boolean } & (
  | { readonly kind: 'paragraph'; readonly spans: Spans }
  /** `level`: 1 to 6. */
  | { readonly kind: 'heading'; readonly level: number; readonly spans: Spans }
  | { readonly kind: 'quote'; readonly blocks: Blocks }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'image'; readonly url: string; readonly alt: string }
  | { readonly kind: 'rule' }
  | ListBlock
  | Table
)

export type Blocks = readonly Block[]

/** The text without its markup. */
export function plainText(spans: Spans): string {
  return spans.map((span) => ('text' in span ? span.text : plainText(span.spans))).join('')
}

export function textSpans(text: string): Spans {
  return [{ kind: 'text', text }]
}

/** The link of an image, for a chat or a place without images. */
export function imageLink({ url, alt }: { readonly url: string; readonly alt: string }): Inline {
  return { kind: 'link', url, spans: textSpans(alt) }
}

/** Each block of a text, also those within quotes and lists. */
function* everyBlock(blocks: Blocks): Generator<Block> {
  for (const block of blocks) {
    yield block
    if (block.kind === 'quote') yield* everyBlock(block.blocks)
    if (block.kind === 'list') for (const entry of block.entries) yield* everyBlock(entry.blocks)
  }
}

/** Whether a text has blocks that a chat can show only in its richest kind of message. */
export function hasRichBlocks(blocks: Blocks): boolean {
  for (const block of everyBlock(blocks)) {
    if (['heading', 'rule', 'image', 'table'].includes(block.kind)) return true
    if (block.kind === 'list' && block.entries.some(({ done }) => done !== undefined)) return true
  }
  return false
}

/**
 * Whether bold, italic, struck or code text stands next to a character that `isBorder` rejects, or code contains
 * a backtick.
 */
export function hasMarksWithin(blocks: Blocks, isBorder: (character: string) => boolean): boolean {
  for (const block of everyBlock(blocks)) {
    if ('spans' in block && touches(block.spans, isBorder)) return true
  }
  return false
}

function touches(spans: Spans, isBorder: (character: string) => boolean): boolean {
  return spans.some((span, at) => {
    if (span.kind === 'text') return false
    if ('text' in span ? span.text.includes('`') : touches(span.spans, isBorder)) return true
    if (span.kind === 'link') return false
    const [before, after] = [spans[at - 1], spans[at + 1]]
    const last = before && [...plainText([before]).slice(-2)].at(-1)
    const next = after && [...plainText([after]).slice(0, 2)][0]
    return [last, next].some((character) => character !== undefined && !isBorder(character))
  })
}
