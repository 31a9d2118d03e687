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
  Star,
  Unary,
} from '@actions/expressions/ast'
import type { Token } from '@actions/expressions/lexer'
import { accessTo, stringOf } from '../../workflow/expression-paths.ts'
import { partsOf, spanOf } from '../../workflow/file-expressions.ts'
import type { Span } from '../../workflow/spans.ts'
import { nearestName } from '../../workflow/suggestion.ts'
import {
  ANY,
  BOOLEAN,
  EVENT_TEXT,
  EVENT_VALUE,
  hasUntrusted,
  type NameFault,
  NUMBER,
  objectShape,
  type Shape,
  shapeOfJson,
  TEXT,
  textOfShape,
  unionOf,
} from './shapes.ts'

interface PlacedFault extends NameFault {
  /** Offsets in the expression. */
  readonly span: Span
}

export interface Typed {
  readonly shape: Shape
  readonly faults: readonly PlacedFault[]
  readonly shapeOf: (part: Expr) => Shape
  readonly spanOf: (part: Expr) => Span
}

/** The shape of each context by its name in lower case; a missing context is `any`. */
export interface ContextShapes {
  get(name: string): Shape | undefined
}

/**
 * Finds the type of an expression, as GitHub evaluates it.
 *
 * Source: https://docs.github.com/actions/reference/workflows-and-actions/expressions
 *
 * @param text the source of the tree
 */
export function typed(tree: Expr, text: string, contexts: ContextShapes): Typed {
  const checker = new Checker(text, contexts)
  const shape = checker.shapeOf(tree)
  return {
    shape,
    faults: checker.faults,
    shapeOf: (part) => checker.shapes.get(part) ?? ANY,
    spanOf: (part) => checker.spanOf(part),
  }
}

const TEXTS = new Set(['format', 'join', 'tojson', 'hashfiles'])
const SEARCHES = new Set(['contains', 'startswith', 'endswith', 'join'])
const BOOLEANS = new Set('contains startswith endswith success failure always cancelled'.split(' '))

/** The path of an output of a step or a job. */
const IS_OUTPUT = /^\s*(?:needs|steps)\.[\w-]+\.outputs\.[\w-]+\s*$/i

class Checker {
  readonly faults: PlacedFault[] = []
  readonly shapes = new Map<Expr, Shape>()
  readonly #text: string
  readonly #contexts: ContextShapes

  constructor(text: string, contexts: ContextShapes) {
    this.#text = text
    this.#contexts = contexts
  }

  shapeOf(part: Expr): Shape {
    const shape = this.#find(part)
    this.shapes.set(part, shape)
    return shape
  }

  #find(part: Expr): Shape {
    if (part instanceof Grouping) return this.shapeOf(part.group)
    if (part instanceof Literal) return ofLiteral(part)
    if (part instanceof ContextAccess) {
      return this.#contexts.get(part.name.lexeme.toLowerCase()) ?? ANY
    }
    if (part instanceof FunctionCall) return this.#ofCall(part)
    if (part instanceof Logical) return this.#ofLogical(part)
    if (part instanceof Unary) {
      this.shapeOf(part.expr)
      return BOOLEAN
    }
    if (part instanceof Binary) {
      this.#compare(part)
      return BOOLEAN
    }
    return this.#ofAccess(part)
  }

  /** `a && b` is `b` if `a` is true; `a || '{}'` has the type of `a`, for a default in JSON. */
  #ofLogical({ operator, args }: Logical): Shape {
    const shapes = args.map((arg) => this.shapeOf(arg))
    if (operator.lexeme === '&&') return shapes.at(-1) ?? ANY
    const results = shapes.filter((_, at) => at === 0 || !isJsonDefault(args[at]))
    return unionOf(results)
  }

  #ofAccess(part: Expr): Shape {
    const { root, indices } = accessTo(part)
    // The compiler reports the names after `on` itself.
    const isCompiled =
      root instanceof ContextAccess &&
      root.name.lexeme.toLowerCase() === 'on' &&
      indices.every((index) => index instanceof Literal)
    let shape = this.shapeOf(root)
    let isFiltered = false
    for (const [at, index] of indices.entries()) {
      if (!(index instanceof Literal)) {
        if (!(index instanceof Star)) this.shapeOf(index)
        if (shape.kind === 'text' && shape.isHookline) {
          this.#report(this.spanOf(part), this.#noMember(part, shape, index))
          return ANY
        }
        const item = itemOf(isFiltered ? itemOf(shape) : shape)
        if (index instanceof Star) isFiltered = true
        shape = isFiltered ? { kind: 'list', item } : item
      } else if (isFiltered && shape.kind === 'list') {
        // GitHub looks into each item; a number finds nothing in an object.
        const { item } = shape
        const isAbsent = ofLiteral(index).kind === 'number' && item.kind === 'object'
        const inItem = isAbsent ? ANY : this.#member(part, item, index, isCompiled)
        shape = { kind: 'list', item: inItem }
      } else shape = this.#member(part, shape, index, isCompiled)
      if (shape.kind === 'any' && !shape.isUntrusted && !isFiltered) {
        for (const other of indices.slice(at + 1)) {
          if (!(other instanceof Star)) this.shapeOf(other)
        }
        return shape
      }
    }
    return shape
  }

  #member(part: Expr, whole: Shape, index: Literal, isCompiled: boolean): Shape {
    const name = index.literal.coerceString()
    const isNumber = ofLiteral(index).kind === 'number'
    if (whole.kind === 'any') return whole.isUntrusted ? EVENT_VALUE : ANY
    if (whole.kind === 'list' && isNumber) return whole.item
    if (whole.kind === 'object' && !isNumber) {
      const known = whole.names.get(name.toLowerCase())
      const fault = known ? undefined : whole.unknown?.(name)
      const isReported = !isCompiled || fault?.code !== 'unknown-output'
      if (fault && isReported) this.#reportName(part, index, fault)
      return known?.shape ?? (fault ? ANY : (whole.rest ?? ANY))
    }
    if (whole.isHookline) this.#report(this.spanOf(part), this.#noMember(part, whole, index))
    return ANY
  }

  #reportName(part: Expr, { token }: Literal, { whole, ...fault }: NameFault): void {
    const at = spanOf(token)
    const span = this.spanOf(part)
    const rest = this.#text.slice(at.end, span.end).replace(/^\s*\]/, '')
    const quotes = token.lexeme.startsWith("'") ? 1 : 0
    if (whole) this.#report(span, { ...fault, hint: `write ${whole(rest)}` })
    else this.#report({ start: at.start + quotes, end: at.end - quotes }, fault)
  }

  /** The fault of a property of a string or a list, and of an item of an object. */
  #noMember(part: Expr, whole: Shape, index: Expr | Star): NameFault {
    const { start, end } = this.spanOf(part)
    // The tree has no position of `*`.
    const accessed =
      index instanceof Star ? this.#text.indexOf('*', start) : this.spanOf(index).start
    const before = this.#text.slice(start, accessed).replace(/[\s.[]+$/, '')
    const path = this.#text.slice(start + before.length, end).trim()
    const kind = whole.kind === 'text' ? 'string' : whole.kind
    const code = 'string-as-object'
    const article = kind === 'object' ? 'an' : 'a'
    const name = index instanceof Literal ? index.literal.coerceString() : path
    const message = `"${before}" is ${article} ${kind}, which has no "${name}"`
    if (name.toLowerCase() === 'length') {
      return { code, message, hint: 'read the output "count"' }
    }
    if (whole.kind === 'list') return { code, message, hint: `write ${before}[0]${path}` }
    if (whole.kind === 'object') {
      return { code, message, hint: `write ${before}${path.replace(/^\[[^\]]*\]/, '')}` }
    }
    if (whole.kind !== 'text') return { code, message }
    // `toJSON(outputs.body)` is JSON of a string, which has no properties either.
    const inner = /^tojson\s*\(/i.test(before) ? whole.json : undefined
    const output = whole.output ?? (inner?.kind === 'text' ? inner.output : undefined)
    if (output) {
      const { hint, ...rest } = output.safe(path)
      return { code, message, hint: `write ${hint}`, ...rest }
    }
    const empty = whole.json?.kind === 'list' ? '[]' : '{}'
    const hint = whole.json ? { hint: `write fromJSON(${before} || '${empty}')${path}` } : {}
    return { code, message, ...hint }
  }

  #compare({ left, operator, right }: Binary): void {
    const [one, other] = [this.shapeOf(left), this.shapeOf(right)]
    if (operator.lexeme !== '==' && operator.lexeme !== '!=') return
    const so = operator.lexeme === '==' ? 'never' : 'always'
    this.#compareText(left, one, right, so)
    this.#compareText(right, other, left, so)
    this.#compareOther(left, one, right, so)
    this.#compareOther(right, other, left, so)
  }

  /** A boolean with `'true'`, or an object with a string: GitHub converts both to numbers, which differ. */
  #compareOther(value: Expr, shape: Shape, other: Expr, so: string): void {
    const literal = literalOf(other)
    const found = stringOf(literal)
    if (!literal || found === undefined || !shape.isHookline) return
    if (shape.kind === 'boolean' && /^(?:true|false)$/i.test(found)) {
      this.#report(spanOf(literal.token), {
        code: 'string-as-boolean',
        message: `"${this.#textOf(value)}" is a boolean, and no boolean equals a string: this is ${so} true`,
        hint: `write ${found.toLowerCase()}`,
      })
    } else if (isStructure(shape)) {
      this.#reportObject(
        value,
        `"${this.#textOf(value)}" is ${kindOf(shape)}, and equals no string: this is ${so} true`,
      )
    }
  }

  /** A string of Hookline with `true`, or with a string that it never is. */
  #compareText(value: Expr, shape: Shape, other: Expr, so: string): void {
    const literal = literalOf(other)
    if (!literal || shape.kind !== 'text') return
    const span = spanOf(literal.token)
    if (shape.isHookline && ofLiteral(literal).kind === 'boolean') {
      const text = this.#textOf(value)
      const written = literal.token.lexeme.toLowerCase()
      const outcome = written === 'true' ? 'success' : 'failure'
      const isOther = shape.json ? isStructure(shape.json) : !shape.isUntrusted
      const possible = shape.values ?? (isOther ? [] : [written])
      const meant = [outcome, written].find((one) => possible.includes(one))
      this.#report(span, {
        code: 'string-as-boolean',
        message: `"${text}" is a string, and no string equals ${written}: this is ${so} true`,
        ...(meant !== undefined && { hint: `write '${meant}'` }),
      })
    }
    // GitHub compares a number with the number that a string spells, and with 0 if the string is empty.
    const isNumber = ofLiteral(literal).kind === 'number' && literal.literal.coerceString() !== '0'
    const found = isNumber ? literal.literal.coerceString() : stringOf(literal)
    const { values } = shape
    const isPossible = (one: string) => one.toLowerCase() === found?.toLowerCase()
    if (found === undefined || !values || values.some(isPossible)) return
    const named = values.filter((one) => one !== '')
    const near = nearestName(found, named)
    this.#report(span, {
      code: 'never-true',
      message: `the value is never ${JSON.stringify(found)}, so this comparison is ${so} true`,
      ...(near !== undefined && { hint: `write '${near}'` }),
      ...(named.length < 10 && { notes: [`possible values: ${named.join(', ')}`] }),
    })
  }

  #ofCall(call: FunctionCall): Shape {
    const { functionName, args } = call
    const name = functionName.lexeme.toLowerCase()
    const shapes = args.map((arg) => this.shapeOf(arg))
    const [first = ANY] = shapes
    if (name === 'fromjson') return this.#ofJson(call, first)
    if (name === 'tojson') {
      const isUntrusted = hasUntrusted(first)
      const isHookline = first.isHookline === true || isUntrusted
      return { kind: 'text', json: first, isHookline, isUntrusted }
    }
    if (name === 'format') for (const [at, arg] of args.entries()) this.#asText(arg, shapes[at])
    if (args[0] && SEARCHES.has(name)) this.#asSearched(args[0], first, functionName.lexeme)
    if (name === 'format' && args.length === 2 && stringOf(literalOf(args[0] ?? call)) === '{0}') {
      return textOfShape(shapes[1] ?? ANY)
    }
    if (TEXTS.has(name)) return shapes.some(isUntrustedText) ? EVENT_TEXT : TEXT
    if (name === 'case')
      return unionOf(shapes.filter((_, at) => at % 2 === 1 || at === args.length - 1))
    return BOOLEANS.has(name) ? BOOLEAN : ANY
  }

  #ofJson(call: FunctionCall, shape: Shape): Shape {
    const [arg] = call.args
    if (!arg) return ANY
    const code = 'string-as-object'
    const literal = stringOf(literalOf(arg))
    if (literal !== undefined) {
      if (IS_OUTPUT.test(literal)) {
        const path = literal.trim()
        const message = `'${path}' is this string itself, which is no JSON: fromJSON fails`
        this.#report(this.spanOf(arg), { code, message, hint: `write ${path} || '{}'` })
      }
      return shapeOfText(literal)
    }
    if (shape.kind === 'text') {
      if (!shape.json && shape.values) {
        // A result or a method, which never is JSON.
        const text = this.#textOf(arg)
        const message = `"${text}" is a word, which is no JSON: fromJSON fails`
        this.#report(this.spanOf(call), { code, message, hint: `write ${text}` })
      }
      return shape.json ?? (shape.isUntrusted ? EVENT_VALUE : ANY)
    }
    const isOfEvent = shape.isHookline || hasUntrusted(shape)
    if (!isStructure(shape) || !isOfEvent) return isOfEvent ? EVENT_VALUE : ANY
    const parsed = this.#textOf(arg instanceof Logical ? (arg.args[0] ?? arg) : arg)
    this.#report(this.spanOf(call), {
      code: 'object-as-string',
      message: `"${parsed}" is parsed already: GitHub passes the word "${wordOf(shape)}" to fromJSON, which fails`,
      hint: `write ${parsed}`,
    })
    return shape
  }

  /** An argument of `format`, which GitHub converts to a string. */
  #asText(arg: Expr, shape: Shape = ANY): void {
    if (!shape.isHookline || !isStructure(shape)) return
    this.#reportObject(arg, `GitHub writes "${wordOf(shape)}" for "${this.#textOf(arg)}"`)
  }

  /** The first argument of a function to which an object is like nothing. */
  #asSearched(arg: Expr, shape: Shape, written: string): void {
    if (!isStructure(shape)) return
    const name = written.toLowerCase()
    const takesLists = name === 'contains' || name === 'join'
    const text = this.#textOf(arg)
    const item = shape.kind === 'list' ? shape.item : undefined
    if (name === 'join' && item?.kind === 'object' && item.isHookline) {
      this.#reportObject(arg, `GitHub writes "Object" for each item of "${text}"`)
    }
    if (!shape.isHookline || (item && takesLists)) return
    const kinds = takesLists ? 'strings and lists' : 'strings'
    const result = name === 'join' ? 'empty' : 'false'
    this.#reportObject(
      arg,
      `"${text}" is ${kindOf(shape)}, and ${written} reads only ${kinds}: the result is always ${result}`,
    )
  }

  /** An object or a list where GitHub reads a string. */
  #reportObject(part: Expr, message: string): void {
    const hint = `write toJSON(${this.#textOf(part)})`
    this.#report(this.spanOf(part), { code: 'object-as-string', message, hint })
  }

  #textOf(part: Expr): string {
    const { start, end } = this.spanOf(part)
    return this.#text.slice(start, end)
  }

  /** The tree lacks the closing parentheses of calls and groups, and the brackets after names. */
  spanOf(part: Expr): Span {
    const spans = tokensOf(part).map(spanOf)
    const start = Math.min(...spans.map((span) => span.start))
    let begin = start
    for (let at = part; at instanceof Grouping || at instanceof IndexAccess; ) {
      if (at instanceof Grouping) begin = this.#text.lastIndexOf('(', begin - 1)
      at = at instanceof Grouping ? at.group : at.expr
    }
    let end = Math.max(...spans.map((span) => span.end))
    for (let open = openIn(this.#text.slice(begin, end)); open > 0; open--) {
      end += /^\s*[)\]]/.exec(this.#text.slice(end))?.[0].length ?? 0
    }
    if (part instanceof IndexAccess && part.index instanceof Star) {
      end += /^\s*\.\s*\*/.exec(this.#text.slice(end))?.[0].length ?? 0
    }
    return { start: begin, end }
  }

  #report(span: Span, fault: NameFault): void {
    this.faults.push({ ...fault, span })
  }
}

/** Whether a value has parts, so that GitHub does not convert it to a useful string. */
export function isStructure({ kind }: Shape): boolean {
  return kind === 'object' || kind === 'list'
}

function kindOf({ kind }: Shape): string {
  return kind === 'list' ? 'a list' : 'an object'
}

export function wordOf({ kind }: Shape): 'Object' | 'Array' {
  return kind === 'list' ? 'Array' : 'Object'
}

/** The number of parentheses and brackets that a text leaves open; strings do not count. */
function openIn(text: string): number {
  const bare = text.replaceAll(/'(?:[^']|'')*'/g, '')
  return (bare.match(/[([]/g)?.length ?? 0) - (bare.match(/[)\]]/g)?.length ?? 0)
}

/** `join` and `format` write the words `Object` and `Array`, and nothing that is in them. */
function isUntrustedText(shape: Shape): boolean {
  if (shape.kind === 'list') return isUntrustedText(shape.item)
  return shape.isUntrusted === true && shape.kind !== 'object'
}

/** The items of a list, or the values of an object. */
function itemOf(shape: Shape): Shape {
  if (shape.kind === 'list') return shape.item
  const [only, ...others] = shape.kind === 'object' ? [...shape.names.values()] : []
  if (only && others.length === 0 && shape.isHookline) return only.shape
  const rest = hasUntrusted(shape) ? EVENT_VALUE : ANY
  if (shape.kind !== 'object' || shape.isUntrusted) return rest
  // The results of `needs.*` are not untrusted, although its outputs are.
  const values = [...shape.names.values()].map((one) => one.shape)
  const names = values.flatMap((one) => (one.kind === 'object' ? [...one.names.keys()] : []))
  if (names.length === 0) return rest
  const inAll = (name: string) =>
    values.map((one) => (one.kind === 'object' ? (one.names.get(name)?.shape ?? one.rest) : one))
  const shapes = names.map((name) => [name, unionOf(inAll(name).map((one) => one ?? ANY))] as const)
  return objectShape(shapes, undefined, rest)
}

/** `'{}'`, `'[]'`, `'null'`, or the event of a run in which nothing fired: the default of a value in JSON. */
function isJsonDefault(part: Expr | undefined): boolean {
  const text = stringOf(part && literalOf(part))?.trim() ?? ''
  return text === 'null' || (/^[[{]/.test(text) && shapeOfText(text) !== ANY)
}

function shapeOfText(text: string): Shape {
  try {
    return shapeOfJson(JSON.parse(text))
  } catch {
    return ANY // GitHub fails the run
  }
}

function tokensOf(tree: Expr): Token[] {
  return partsOf(tree).flatMap((part): Token[] => {
    if (part instanceof Literal) return [part.token]
    if (part instanceof ContextAccess) return [part.name]
    if (part instanceof FunctionCall) return [part.functionName]
    return part instanceof Unary ? [part.operator] : []
  })
}

function literalOf(part: Expr): Literal | undefined {
  if (part instanceof Grouping) return literalOf(part.group)
  return part instanceof Literal ? part : undefined
}

function ofLiteral({ literal }: Literal): Shape {
  if (literal.kind === data.Kind.String) return TEXT
  if (literal.kind === data.Kind.Number) return NUMBER
  return literal.kind === data.Kind.Boolean ? BOOLEAN : ANY
}
