import type { ObjectReader } from '@actions/workflow-parser/templates/object-reader'
import {
  BooleanToken,
  type LiteralToken,
  MappingToken,
  NullToken,
  NumberToken,
  SequenceToken,
  StringToken,
} from '@actions/workflow-parser/templates/tokens/index'
import type { TokenRange } from '@actions/workflow-parser/templates/tokens/token-range'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Scalar } from 'yaml'

type Start = { readonly sequence: SequenceToken } | { readonly mapping: MappingToken }
type Event = { readonly literal: LiteralToken } | Start | { readonly end: 'sequence' | 'mapping' }

/**
 * Gives a parsed file to the reader of GitHub's parser, whose own `YamlObjectReader` would parse the
 * text a second time.
 */
export class DocumentReader implements ObjectReader {
  readonly #file: number
  readonly #document: Document.Parsed
  readonly #lines = new LineCounter()
  readonly #events: Event[] = []
  #at = 0

  constructor(file: number, text: string, document: Document.Parsed) {
    this.#file = file
    this.#document = document
    this.#lines.addNewLine(0)
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
      this.#lines.addNewLine(at + 1)
    }
    this.#add(document.contents, [])
  }

  /** @param around the anchors whose aliases are being replaced, because an anchor may contain itself */
  #add(node: unknown, around: readonly unknown[]): void {
    if (isAlias(node)) {
      const anchor = node.resolve(this.#document)
      if (anchor && !around.includes(anchor)) this.#add(anchor, [...around, anchor])
    } else if (isSeq(node)) {
      this.#events.push({ sequence: new SequenceToken(this.#file, this.#rangeOf(node), undefined) })
      for (const item of node.items) this.#add(item, around)
      this.#events.push({ end: 'sequence' })
    } else if (isMap(node)) {
      this.#events.push({ mapping: new MappingToken(this.#file, this.#rangeOf(node), undefined) })
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : String(key)
        const range = this.#rangeOf(isScalar(key) ? key : {})
        this.#events.push({ literal: new StringToken(this.#file, range, name, undefined) })
        this.#add(value, around)
      }
      this.#events.push({ end: 'mapping' })
    } else if (isScalar(node)) this.#events.push({ literal: this.#literalOf(node) })
  }

  #literalOf(scalar: Scalar): LiteralToken {
    const { value, srcToken } = scalar
    const [file, range] = [this.#file, this.#rangeOf(scalar)]
    if (typeof value === 'number') return new NumberToken(file, range, value, undefined)
    if (typeof value === 'boolean') return new BooleanToken(file, range, value, undefined)
    if (typeof value !== 'string') return new NullToken(file, range, undefined)
    const source = srcToken && 'source' in srcToken ? srcToken.source : undefined
    const props = srcToken?.type === 'block-scalar' ? srcToken.props : []
    const header = props.find(({ type }) => type === 'block-scalar-header')
    return new StringToken(
      file,
      range,
      value,
      undefined,
      source,
      header && 'source' in header ? header.source : undefined,
    )
  }

  #rangeOf({ range }: Pick<Scalar, 'range'>): TokenRange | undefined {
    if (!range) return undefined
    const [start, end] = [this.#lines.linePos(range[0]), this.#lines.linePos(range[1])]
    return {
      start: { line: start.line, column: start.col },
      end: { line: end.line, column: end.col },
    }
  }

  allowLiteral(): LiteralToken | undefined {
    const event = this.#events[this.#at]
    if (!event || !('literal' in event)) return undefined
    this.#at++
    return event.literal
  }

  allowSequenceStart(): SequenceToken | undefined {
    const event = this.#events[this.#at]
    if (!event || !('sequence' in event)) return undefined
    this.#at++
    return event.sequence
  }

  allowSequenceEnd(): boolean {
    return this.#allowEnd('sequence')
  }

  allowMappingStart(): MappingToken | undefined {
    const event = this.#events[this.#at]
    if (!event || !('mapping' in event)) return undefined
    this.#at++
    return event.mapping
  }

  allowMappingEnd(): boolean {
    return this.#allowEnd('mapping')
  }

  #allowEnd(kind: 'sequence' | 'mapping'): boolean {
    const event = this.#events[this.#at]
    const isEnd = event !== undefined && 'end' in event && event.end === kind
    if (isEnd) this.#at++
    return isEnd
  }

  validateStart(): void {}

  validateEnd(): void {}
}
