import { data } from '@actions/expressions'
import {
  Binary,
  ContextAccess,
  type Expr,
  FunctionCall,
  Grouping,
  IndexAccess,
  Literal,
  Logical,
  Unary,
} from '@actions/expressions/ast'
import type { Token } from '@actions/expressions/lexer'
import { spanOf } from './file-expressions.ts'
import {
  ANY,
  BOOLEAN,
  type NameFault,
  NULL,
  NUMBER,
  type Shape,
  shapeOfJson,
  TEXT,
  unionOf,
} from './shapes.ts'
import type { Span } from './spans.ts'

export interface PlacedFault extends NameFault {
  /** Offsets in the expression. */
  readonly span: Span
}

/** The type of an expression, and the faults in it. */
export interface Typed {
  readonly shape: Shape
  readonly faults: readonly PlacedFault[]
}

/**
 * Finds the type of an expression, as GitHub evaluates it.
 *
 * Source: https://docs.github.com/actions/reference/workflows-and-actions/expressions
 *
 * @param text the source of the tree
 * @param contexts the shape of each context by its name in lower case; a missing context can have
 * any shape
 */
export function typed(tree: Expr, text: string, contexts: ReadonlyMap<string, Shape>): Typed {
  const checker = new Checker(text, contexts)
  const shape = checker.shapeOf(tree)
  return { shape, faults: checker.faults }
}

const WORD: Readonly<Record<Shape['kind'], string>> = {
  any: 'a value',
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  null: 'nothing',
  list: 'a list',
  object: 'an object',
}

const TEXTS = new Set(['format', 'join', 'tojson', 'hashfiles'])
const BOOLEANS = new Set('contains startswith endswith success failure always cancelled'.split(' '))

class Checker {
  readonly faults: PlacedFault[] = []
  readonly #text: string
  readonly #contexts: ReadonlyMap<string, Shape>

  constructor(text: string, contexts: ReadonlyMap<string, Shape>) {
    this.#text = text
    this.#contexts = contexts
  }

  shapeOf(part: Expr): Shape {
    if (part instanceof Grouping) return this.shapeOf(part.group)
    if (part instanceof Literal) return ofLiteral(part)
    if (part instanceof ContextAccess) {
      return this.#contexts.get(part.name.lexeme.toLowerCase()) ?? ANY
    }
    if (part instanceof IndexAccess) return this.#ofIndex(part)
    if (part instanceof FunctionCall) return this.#ofCall(part)
    if (part instanceof Unary) {
      this.shapeOf(part.expr)
      return BOOLEAN
    }
    if (part instanceof Binary) {
      this.#compare(part)
      return BOOLEAN
    }
    return part instanceof Logical ? this.#ofLogical(part) : ANY
  }

  /** `matrix.os || 'ubuntu-latest'` provides for a missing key, unless the key is misspelled. */
  #ofLogical({ operator, args }: Logical): Shape {
    const shapes = args.map((arg, at) => {
      const before = this.faults.length
      const shape = this.shapeOf(arg)
      if (operator.lexeme === '||' && at < args.length - 1 && this.#isPath(arg)) {
        const found = this.faults.splice(before)
        const isMistake = ({ code, hint }: NameFault) => code !== 'unknown-matrix-key' || hint
        this.faults.push(...found.filter(isMistake))
      }
      return shape
    })
    return unionOf(shapes)
  }

  #ofIndex({ expr, index }: IndexAccess): Shape {
    const whole = this.shapeOf(expr)
    if (!(index instanceof Literal)) {
      // A `*`, behind which is a list, or a name that only the run knows.
      if (isPart(index)) this.shapeOf(index)
      return ANY
    }
    const span = spanOf(index.token)
    const name = index.literal.coerceString()
    const isNumber = ofLiteral(index).kind === 'number'
    if (whole.kind === 'list') return isNumber ? whole.item : this.#inside(expr, whole, name, span)
    if (whole.kind === 'object') {
      return isNumber ? ANY : this.#member(whole, name, span)
    }
    return whole.kind === 'any' || whole.kind === 'null'
      ? ANY
      : this.#inside(expr, whole, name, span)
  }

  #member(whole: Shape & { readonly kind: 'object' }, name: string, span: Span): Shape {
    const known = whole.names.get(name.toLowerCase())
    const fault = known ? undefined : whole.unknown?.(name)
    if (fault) this.#tell(span, fault)
    return known?.shape ?? whole.rest ?? ANY
  }

  /** A property of a string, such as `github.repository.owner`, does not exist. */
  #inside(expr: Expr, { kind }: Shape, name: string, span: Span): Shape {
    const { start, end } = this.#spanOf(expr)
    const whole = this.#text.slice(start, end)
    const isPath = expr instanceof IndexAccess && kind === 'text' && !/^github\b/i.test(whole)
    const message = `"${whole}" is ${WORD[kind]}: "${name}" is not in it`
    const hint = isPath ? { hint: `write fromJSON(${whole}).${name}` } : {}
    this.#tell(span, { code: 'string-as-object', message, ...hint })
    return ANY
  }

  #compare({ left, operator, right }: Binary): void {
    const [one, other] = [this.shapeOf(left), this.shapeOf(right)]
    const { lexeme } = operator
    const isEquality = lexeme === '==' || lexeme === '!='
    if (isEquality) this.#comparesText(left, one, right, other, lexeme)
  }

  /** A text beside `true`, or a boolean beside `'true'`: GitHub makes numbers of both. */
  #comparesText(left: Expr, one: Shape, right: Expr, other: Shape, operator: string): void {
    for (const [value, shape, literal] of [
      [left, one, right],
      [right, other, left],
    ] as const) {
      const token = literalOf(literal)?.token
      const written = token?.lexeme.toLowerCase()
      if (!token || !this.#isPath(value)) continue
      const isText = shape.kind === 'text' && written === 'true'
      const isBoolean = shape.kind === 'boolean' && (written === "'true'" || written === "'false'")
      if (!isText && !isBoolean) continue
      const so = operator === '==' ? 'never' : 'always'
      this.#tell(spanOf(token), {
        code: 'string-as-boolean',
        message: isText
          ? `${this.#textOf(value)} is a text, and no text equals true: this is ${so} so`
          : `${this.#textOf(value)} is true or false, and equals no text: this is ${so} so`,
        hint: `write ${operator} ${isText ? "'true'" : written?.slice(1, -1)}`,
      })
      return
    }
  }

  #ofCall({ functionName, args }: FunctionCall): Shape {
    const name = functionName.lexeme.toLowerCase()
    for (const arg of args) this.shapeOf(arg)
    if (name === 'fromjson') return this.#ofJson(args[0])
    if (TEXTS.has(name)) return TEXT
    return BOOLEANS.has(name) ? BOOLEAN : ANY
  }

  #ofJson(arg: Expr | undefined): Shape {
    const literal = arg && literalOf(arg)
    if (!literal || ofLiteral(literal).kind !== 'text') return ANY
    try {
      return shapeOfJson(JSON.parse(literal.literal.coerceString()))
    } catch {
      return ANY // GitHub fails the run
    }
  }

  #isPath(part: Expr): boolean {
    return part instanceof Grouping ? this.#isPath(part.group) : part instanceof IndexAccess
  }

  #textOf(part: Expr): string {
    const { start, end } = this.#spanOf(part)
    return `"${this.#text.slice(start, end)}"`
  }

  #spanOf(part: Expr): Span {
    const spans = tokensOfPart(part).map(spanOf)
    const start = Math.min(...spans.map((span) => span.start))
    const end = Math.max(...spans.map((span) => span.end))
    // The tree lacks the closing parenthesis of a call, and the bracket after a name.
    const behind = /^\s*[\])]/.exec(this.#text.slice(end))?.[0] ?? ''
    const isOpen = part instanceof FunctionCall || this.#text.slice(start, end).includes('[')
    return { start, end: isOpen ? end + behind.length : end }
  }

  #tell(span: Span, fault: NameFault): void {
    this.faults.push({ ...fault, span })
  }
}

function isPart(index: Expr): boolean {
  return [ContextAccess, IndexAccess, FunctionCall, Grouping, Logical, Binary, Unary].some(
    (kind) => index instanceof kind,
  )
}

/** The tokens that a part of an expression contains, in no order. */
function tokensOfPart(part: Expr): Token[] {
  if (part instanceof Grouping) return tokensOfPart(part.group)
  if (part instanceof Literal) return [part.token]
  if (part instanceof ContextAccess) return [part.name]
  if (part instanceof IndexAccess) return [...tokensOfPart(part.expr), ...tokensOfPart(part.index)]
  if (part instanceof FunctionCall) return [part.functionName, ...part.args.flatMap(tokensOfPart)]
  if (part instanceof Unary) return [part.operator, ...tokensOfPart(part.expr)]
  if (part instanceof Binary) return [part.left, part.right].flatMap(tokensOfPart)
  return part instanceof Logical ? part.args.flatMap(tokensOfPart) : []
}

function literalOf(part: Expr): Literal | undefined {
  if (part instanceof Grouping) return literalOf(part.group)
  return part instanceof Literal ? part : undefined
}

function ofLiteral({ literal }: Literal): Shape {
  if (literal.kind === data.Kind.String) return TEXT
  if (literal.kind === data.Kind.Number) return NUMBER
  return literal.kind === data.Kind.Boolean ? BOOLEAN : NULL
}
