import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { cjkFriendlyExtension } from 'micromark-extension-cjk-friendly'
import { gfmStrikethroughCjkFriendly } from 'micromark-extension-cjk-friendly-gfm-strikethrough'
import { gfm } from 'micromark-extension-gfm'
import {
  type Block,
  type Blocks,
  type Inline,
  type ListEntry,
  plainText,
  type Spans,
  textSpans,
} from './tree.ts'

type Root = ReturnType<typeof fromMarkdown>
type RootContent = Root['children'][number]
type Nodes = Root | RootContent
type NodeOf<Type extends RootContent['type']> = Extract<RootContent, { readonly type: Type }>
type PhrasingContent = NodeOf<'paragraph'>['children'][number]
type Definition = NodeOf<'definition'>

/** `~one~` is no strikethrough, because people write `~` for "about". */
const OPTIONS = {
  extensions: [
    gfm({ singleTilde: false }),
    cjkFriendlyExtension(),
    gfmStrikethroughCjkFriendly({ singleTilde: false }),
  ],
  mdastExtensions: [gfmFromMarkdown()],
}

/**
 * Parses the Markdown of GitHub. Everything that no chat can show stays text: HTML, mentions, footnotes,
 * and links with other schemes than http and https.
 */
export function parseMarkdown(source: string): Blocks {
  const asWritten: Blocks = [{ kind: 'paragraph', isApart: false, spans: textSpans(source) }]
  if (isTooComplex(source)) return asWritten
  const root = fromMarkdown(source, OPTIONS)
  const blocks = new Reader(source, root).blocks(root.children)
  // A chat accepts no message that shows nothing, such as an empty block of code.
  return isVisible(blocks) ? blocks : asWritten
}

/**
 * Limits within which a text is parsed in seconds, since the parser is not linear. No chat shows more in the
 * messages of one reply.
 */
const MOST_CHARACTERS = 60_000
const MOST_LINES = 5_000
const MOST_ENTRIES = 3_000

/** Per paragraph. The parser compares each closing mark with all marks before it. */
const MOST_MARKS = 3_000
const MOST_BRACKETS = 6_000

/** The maximum of Telegram; a wider table is text. https://core.telegram.org/bots/api#rich-messages */
const MOST_COLUMNS = 20

const ENTRY = /^[ \t]*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/gm
const MARK = /\*+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])|~~+/gu

/** Twenty quotes or lists within each other. */
const DEEP = /^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)])){20}/m

function isTooComplex(source: string): boolean {
  const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0
  return (
    source.length > MOST_CHARACTERS ||
    count(source, /\n/g) > MOST_LINES ||
    DEEP.test(source) ||
    count(source, ENTRY) > MOST_ENTRIES ||
    source
      .split(/\n[ \t]*\n/)
      .some((part) => count(part, MARK) > MOST_MARKS || count(part, /[[\]]/g) > MOST_BRACKETS)
  )
}

function isVisible(blocks: Blocks): boolean {
  return blocks.some((block) => {
    if (block.kind === 'quote') return isVisible(block.blocks)
    if (block.kind === 'code') return block.text.trim() !== ''
    return !('spans' in block) || plainText(block.spans).trim() !== ''
  })
}

/** Turns the nodes of the parser into the blocks that chats show. */
class Reader {
  readonly #source: string
  readonly #definitions: ReadonlyMap<string, Definition>
  /** The definitions that a link or an image refers to. */
  readonly #used: ReadonlySet<Definition>

  constructor(source: string, root: Nodes) {
    this.#source = source
    const definitions = new Map<string, Definition>()
    const references = new Set<string>()
    for (const node of everyNode(root)) {
      // The first definition of a name counts.
      if (node.type === 'definition' && !definitions.has(node.identifier)) {
        definitions.set(node.identifier, node)
      }
      if (node.type === 'linkReference' || node.type === 'imageReference') {
        references.add(node.identifier)
      }
    }
    this.#definitions = definitions
    this.#used = new Set([...definitions.values()].filter((one) => references.has(one.identifier)))
  }

  blocks(nodes: readonly RootContent[]): Blocks {
    const blocks: Block[] = []
    for (const [at, node] of nodes.entries()) {
      const isApart = isAfterBlankLine(nodes[at - 1], node)
      const [first, ...others] = this.#block(node)
      if (first) blocks.push({ ...first, isApart }, ...others)
    }
    return blocks
  }

  #block(node: RootContent): Blocks {
    const isApart = false
    switch (node.type) {
      case 'paragraph': {
        const [only, ...others] = node.children
        const image = others.length === 0 && only ? this.#image(only) : undefined
        if (image) return [{ kind: 'image', isApart, ...image }]
        return [{ kind: 'paragraph', isApart, spans: this.#spans(node.children) }]
      }
      case 'heading': {
        const spans = this.#spans(node.children)
        return [{ kind: 'heading', isApart, level: node.depth, spans }]
      }
      case 'blockquote':
        return [{ kind: 'quote', isApart, blocks: this.blocks(node.children) }]
      case 'list': {
        const { ordered, start, children } = node
        const entries = children.map((child, at): ListEntry => {
          const blocks = this.blocks(child.children)
          const done = child.checked ?? undefined
          return {
            isApart: isAfterBlankLine(children[at - 1], child),
            done,
            isContinued: false,
            blocks,
          }
        })
        return [{ kind: 'list', isApart, first: ordered ? (start ?? 1) : undefined, entries }]
      }
      case 'code':
        return [{ kind: 'code', isApart, language: node.lang ?? '', text: node.value }]
      case 'thematicBreak':
        return [{ kind: 'rule', isApart }]
      case 'table':
        return [this.#table(node)]
      case 'definition':
        return this.#used.has(node) ? [] : [this.#asWritten(node)]
      case 'footnoteDefinition':
        return this.#footnote(node.label ?? node.identifier, this.blocks(node.children))
      default:
        return [this.#asWritten(node)]
    }
  }

  /** A row with more cells than the header keeps them, although GitHub drops them. */
  #table(node: NodeOf<'table'>): Block {
    const { align, children } = node
    const width = Math.max(...children.map((row) => row.children.length))
    if (width > MOST_COLUMNS) return this.#asWritten(node)
    const columns = Array.from({ length: width }, (_, column) => column)
    return {
      kind: 'table',
      isApart: false,
      align: columns.map((column) => align?.[column] ?? ''),
      rows: children.map((row) =>
        columns.map((column) => this.#spans(row.children[column]?.children ?? [])),
      ),
    }
  }

  /** The label stands before the first paragraph, as it does where the text refers to it. */
  #footnote(label: string, blocks: Blocks): Blocks {
    const mark: Inline = { kind: 'text', text: `[${label}]: ` }
    const [first, ...others] = blocks
    if (first?.kind !== 'paragraph') {
      return [{ kind: 'paragraph', isApart: false, spans: [mark] }, ...blocks]
    }
    return [{ ...first, spans: joined([mark, ...first.spans]) }, ...others]
  }

  #asWritten(node: RootContent): Block {
    const text = node.type === 'html' ? node.value : this.#textOf(node)
    return { kind: 'paragraph', isApart: false, spans: textSpans(text) }
  }

  #textOf({ position }: Nodes): string {
    return this.#source.slice(position?.start.offset, position?.end.offset)
  }

  #spans(nodes: readonly PhrasingContent[]): Spans {
    return joined(nodes.flatMap((node) => this.#span(node)))
  }

  #span(node: PhrasingContent): Spans {
    switch (node.type) {
      case 'text':
      case 'html':
        return textSpans(node.value)
      case 'break':
        return textSpans('\n')
      case 'inlineCode':
        return [{ kind: 'code', text: node.value }]
      case 'strong':
      case 'emphasis':
      case 'delete':
        return [{ kind: KINDS[node.type], spans: this.#spans(node.children) }]
      case 'link':
        return linkOf(node.url, this.#spans(node.children))
      case 'linkReference': {
        return linkOf(this.#addressOf(node), this.#spans(node.children))
      }
      case 'footnoteReference':
        return textSpans(`[${node.label ?? node.identifier}]`)
      case 'image':
      case 'imageReference': {
        const image = this.#image(node)
        if (image) return linkOf(image.url, textSpans(image.alt))
        return textSpans(`![${node.alt ?? ''}](${this.#addressOf(node)})`)
      }
      default:
        return textSpans(this.#textOf(node))
    }
  }

  #addressOf(node: NodeOf<'image' | 'imageReference' | 'linkReference'>): string {
    return node.type === 'image' ? node.url : (this.#definitions.get(node.identifier)?.url ?? '')
  }

  /** `undefined` for another node, and for an image with another scheme. */
  #image(node: PhrasingContent): { readonly url: string; readonly alt: string } | undefined {
    if (node.type !== 'image' && node.type !== 'imageReference') return undefined
    const url = this.#addressOf(node)
    return isWebAddress(url) ? { url: encoded(url), alt: node.alt || 'image' } : undefined
  }
}

const KINDS = { strong: 'bold', emphasis: 'italic', delete: 'strike' } as const

/** A link that chats cannot open is text: `[x](javascript:…)`. An address that shows itself is its text. */
function linkOf(url: string, spans: Spans): Spans {
  const text = plainText(spans)
  if (isWebAddress(url)) {
    // A link without text shows nothing, so its address is its text.
    const shown = text.trim() === '' ? textSpans(url) : withoutLinks(spans)
    return [{ kind: 'link', url: encoded(url), spans: shown }]
  }
  if (url === text || url === `mailto:${text}`) return spans
  return [...textSpans('['), ...spans, ...textSpans(`](${url})`)]
}

/** An image within a link is a link within a link, which no chat has. */
function withoutLinks(spans: Spans): Spans {
  return spans.flatMap((span) => {
    if (span.kind === 'link') return withoutLinks(span.spans)
    return 'text' in span ? [span] : [{ ...span, spans: withoutLinks(span.spans) }]
  })
}

function isWebAddress(url: string): boolean {
  return /^https?:\/\/\S/i.test(url)
}

/** Characters that end an address in the markup of a chat. */
function encoded(url: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it replaces
  return url.replace(/[\s\u0000-\u001f<>"|]/g, encodeURIComponent)
}

/** Adjacent texts as one, because the escapes of chats depend on the neighboring characters. */
function joined(spans: Spans): Spans {
  const found: Inline[] = []
  for (const span of spans) {
    const last = found.at(-1)
    if (span.kind === 'text' && last?.kind === 'text') {
      found[found.length - 1] = { kind: 'text', text: last.text + span.text }
    } else found.push(span)
  }
  return found
}

function isAfterBlankLine(before: Nodes | undefined, node: Nodes): boolean {
  if (!before?.position || !node.position) return false
  return node.position.start.line - before.position.end.line > 1
}

function* everyNode(node: Nodes): Generator<Nodes> {
  yield node
  if ('children' in node) for (const child of node.children) yield* everyNode(child)
}
