import { FeatureFlags } from '@actions/expressions/features'
import { convertWorkflowTemplate, NoOperationTraceWriter } from '@actions/workflow-parser'
import type { ObjectReader } from '@actions/workflow-parser/templates/object-reader'
import {
  TemplateContext,
  TemplateValidationErrors,
} from '@actions/workflow-parser/templates/template-context'
import { readTemplate } from '@actions/workflow-parser/templates/template-reader'
import {
  BooleanToken,
  LiteralToken,
  MappingToken,
  NullToken,
  NumberToken,
  SequenceToken,
  StringToken,
} from '@actions/workflow-parser/templates/tokens/index'
import type { TokenRange } from '@actions/workflow-parser/templates/tokens/token-range'
import { WORKFLOW_ROOT } from '@actions/workflow-parser/workflows/workflow-constants'
import { getWorkflowSchema } from '@actions/workflow-parser/workflows/workflow-schema'
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml'
import type { MistakeCode } from '../workflow/mistakes.ts'
import { ScalarText, type Span } from '../workflow/spans.ts'

/** An error of GitHub's own parser about a workflow file. */
export interface ParserMessage {
  readonly message: string
  readonly code: MistakeCode
  /** The value or the name in the message. */
  readonly subject?: string
  /** Offset in the file. */
  readonly start: number
  readonly end: number
}

/** Reads a workflow file as GitHub does. */
export async function githubMessages(
  text: string,
  document: Document.Parsed,
): Promise<ParserMessage[]> {
  const [errors, trace] = [new TemplateValidationErrors(), new NoOperationTraceWriter()]
  const context = new TemplateContext(errors, getWorkflowSchema(), trace)
  // Enables released features that the parser still calls experiments. The parser reads the flags
  // while it is constructed, before it gets its options.
  const featureFlags = new FeatureFlags({ all: true })
  context.state.featureFlags = featureFlags
  const file = context.getFileId('the workflow')
  const reader = new DocumentReader(file, text, document)
  const value = readTemplate(context, WORKFLOW_ROOT, reader, file)
  if (value) await convertWorkflowTemplate(context, value, undefined, { featureFlags })
  const found = errors.getErrors().map(({ rawMessage, range }) => ({
    message: rawMessage,
    ...messageKind(rawMessage),
    ...reader.spanOf(range),
  }))
  return found.filter((one) => !isTaken(one, text))
}

/** A value that the schema accepts, but this parser's own conversion does not. */
const NOT_CONVERTED =
  /^Unexpected type '(?:BasicExpressionToken' encountered|(?:Boolean|Number)Token' encountered while reading 'input default')/
const EMPTY_OPTIONS = /^A (?:mapping|sequence) was not expected$/
/** One type of `repository_dispatch`, not in a list. */
const ONE_TYPE = /\brepository_dispatch:(?:\s*\{|\s*\n(?:\s*#.*\n)*)\s*types:\s*["']?$/

/**
 * Syntax that GitHub accepts, but not its parser here: workflows of many repositories run with
 * `env: ${{ matrix.env }}`, `default: true` of an input without type, `status: {}` and `types:
 * deploy`.
 */
function isTaken({ message, code, start, end }: ParserMessage, text: string): boolean {
  if (NOT_CONVERTED.test(message)) return true
  if (EMPTY_OPTIONS.test(message)) return /^(?:\{\s*\}|\[\s*\])/.test(text.slice(start, end + 1))
  return code === 'unexpected-value' && ONE_TYPE.test(text.slice(0, start))
}

/** Parses a message, because GitHub's parser has no codes for its errors. */
function messageKind(message: string): Pick<ParserMessage, 'code' | 'subject'> {
  const [, value] = /^Unexpected value '([\w-]+)'$/.exec(message) ?? []
  if (value !== undefined) return { code: 'unexpected-value', subject: value }
  const [, name] = /^Unrecognized [\w-]+: '([\w-]+)'/.exec(message) ?? []
  return name === undefined
    ? { code: 'refused-by-github' }
    : { code: 'unknown-name', subject: name }
}

/** A value, or the start or the end of one that has parts. */
type Event = LiteralToken | SequenceToken | MappingToken | 'end of sequence' | 'end of mapping'

/**
 * Gives a parsed file to the reader of GitHub's parser, whose own `YamlObjectReader` would parse the
 * text a second time.
 */
class DocumentReader implements ObjectReader {
  readonly #file: number
  readonly #text: string
  readonly #document: Document.Parsed
  /** The nodes of the events, and how scalars are written; an anchor is here for each alias again. */
  readonly #nodes: { readonly node: Node; readonly written: ScalarText | undefined }[] = []
  readonly #events: Event[] = []
  #at = 0

  constructor(file: number, text: string, document: Document.Parsed) {
    this.#file = file
    this.#text = text
    this.#document = document
    this.#add(document.contents, [])
  }

  /** @param around the anchors whose aliases are being replaced, because an anchor may contain itself */
  #add(node: unknown, around: readonly unknown[]): void {
    if (isAlias(node)) {
      const anchor = node.resolve(this.#document)
      if (anchor && !around.includes(anchor)) this.#add(anchor, [...around, anchor])
    } else if (isSeq(node)) {
      this.#events.push(new SequenceToken(this.#file, this.#rangeOf(node), undefined))
      for (const item of node.items) this.#add(item, around)
      this.#events.push('end of sequence')
    } else if (isMap(node)) {
      this.#events.push(new MappingToken(this.#file, this.#rangeOf(node), undefined))
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : String(key)
        const range = this.#rangeOf(isScalar(key) ? key : node)
        this.#events.push(new StringToken(this.#file, range, name, undefined))
        this.#add(value, around)
      }
      this.#events.push('end of mapping')
    } else if (isScalar(node)) this.#events.push(this.#literalOf(node))
  }

  #literalOf(scalar: Scalar): LiteralToken {
    const { value } = scalar
    const [file, range] = [this.#file, this.#rangeOf(scalar)]
    if (typeof value === 'number') return new NumberToken(file, range, value, undefined)
    if (typeof value === 'boolean') return new BooleanToken(file, range, value, undefined)
    if (typeof value !== 'string') return new NullToken(file, range, undefined)
    return new StringToken(file, range, value, undefined)
  }

  /**
   * Each node is a line of its own: in a string on several lines, the parser would look for
   * expressions in the written form, whose quotes and escapes GitHub does not see.
   */
  #rangeOf(node: Node): TokenRange {
    const written = isScalar(node) ? new ScalarText(this.#text, node) : undefined
    const start = { line: this.#nodes.push({ node, written }), column: 1 }
    return { start, end: start }
  }

  /** The part of the file; the columns of an expression are those of its scalar's value. */
  spanOf(range: TokenRange | undefined): Span {
    const found = range && this.#nodes[range.start.line - 1]
    if (!range || !found?.node.range) return { start: 0, end: 0 }
    const [from, to] = [range.start.column - 1, range.end.column - 1]
    if (from < to && found.written) return found.written.span(from, to)
    const [start, end] = found.node.range
    return { start, end }
  }

  allowLiteral(): LiteralToken | undefined {
    return this.#next(LiteralToken)
  }

  allowSequenceStart(): SequenceToken | undefined {
    return this.#next(SequenceToken)
  }

  allowSequenceEnd(): boolean {
    return this.#allowEnd('end of sequence')
  }

  allowMappingStart(): MappingToken | undefined {
    return this.#next(MappingToken)
  }

  allowMappingEnd(): boolean {
    return this.#allowEnd('end of mapping')
  }

  #next<Kind extends LiteralToken | SequenceToken | MappingToken>(
    kind: abstract new (...parts: never[]) => Kind,
  ): Kind | undefined {
    const event = this.#events[this.#at]
    if (!(event instanceof kind)) return undefined
    this.#at++
    return event
  }

  #allowEnd(kind: 'end of sequence' | 'end of mapping'): boolean {
    const isEnd = this.#events[this.#at] === kind
    if (isEnd) this.#at++
    return isEnd
  }

  validateStart(): void {}

  validateEnd(): void {}
}
