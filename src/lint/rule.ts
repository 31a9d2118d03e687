import type { NativeWorkflow } from '../compiler/native.ts'
import type { Level, Problem } from '../wire/errors.ts'
import { type Typed, typed } from '../workflow/expression-types.ts'
import { type FileExpression, fileExpressions } from '../workflow/file-expressions.ts'
import { entriesOf, type ParsedFile, type Place, topOf } from '../workflow/nodes.ts'
import type { SourceTrigger } from '../workflow/on.ts'
import type { Span } from '../workflow/spans.ts'
import { positionAt } from '../workflow/yaml.ts'
import { Contexts, type ReadCalled } from './contexts.ts'
import { type Callees, type Flow, flowOf } from './flow/flow.ts'
import { inlineTriggers } from './native-problems.ts'
import { fieldsOf, inputProblems, untrustedProblems } from './untrusted.ts'

/** One kind of mistake: what finds it, and what its part of docs/reference/rules.md says. */
export interface Rule {
  readonly id: string
  /** How its findings count: what cannot mean anything is an error, what may be meant a warning. */
  readonly level: Level
  /** True where `--strict` makes an error of a warning. */
  readonly isStrict: boolean
  /** What it finds, in a line. */
  readonly finds: string
  /** Why that is a mistake, and what would do: Markdown, as docs/reference/rules.md has it. */
  readonly why: string
  readonly fix: string
  /** A part of a workflow that it finds something in, and one where it does not. */
  readonly red: string
  readonly green: string
  /** Makes a workflow in `.github/workflows/` of such a part. */
  around(part: string): string
  check(file: RuleFile): readonly Problem[]
}

/** An expression of a file, and what it is. */
interface TypedExpression extends Typed {
  readonly expression: FileExpression
}

/** What rules look at: each part is made once, when the first of them asks. */
export class RuleFile {
  readonly file: ParsedFile
  readonly callees: Callees
  /** The workflow of GitHub's own that it is; `undefined` for a source, and where no step uses the action. */
  readonly native: NativeWorkflow | undefined
  readonly isSource: boolean
  /** What URLs name it by: its file's name without the extension. */
  readonly name: string
  /** Whether there are workflow files that the action reads where its input `on` is empty. */
  readonly hasSources: boolean
  readonly #read: ReadCalled
  readonly #ofSource: readonly SourceTrigger[] | undefined
  #triggers: readonly SourceTrigger[] | undefined
  #top: Place | undefined
  #contexts: Contexts | undefined
  #expressions: readonly FileExpression[] | undefined
  #flow: Flow | undefined
  #untrusted: readonly Problem[] | undefined
  #typed: readonly TypedExpression[] | undefined

  constructor(
    file: ParsedFile,
    given: {
      readonly callees: Callees
      readonly native?: NativeWorkflow | undefined
      readonly isSource: boolean
      readonly hasSources: boolean
      /** What a source declares under `on:`. */
      readonly triggers?: readonly SourceTrigger[]
      readonly read: ReadCalled
    },
  ) {
    this.file = file
    this.callees = given.callees
    this.native = given.native
    this.isSource = given.isSource
    this.hasSources = given.hasSources
    this.name = file.source.file.replace(/^.*\/|\.ya?ml$/g, '')
    this.#ofSource = given.triggers
    this.#read = given.read
  }

  get top(): Place {
    this.#top ??= topOf(this.file.document)
    return this.#top
  }

  get contexts(): Contexts {
    this.#contexts ??= new Contexts(
      this.file,
      this.isSource,
      this.#read,
      this.isSource ? undefined : this.triggers,
    )
    return this.#contexts
  }

  /** Every expression of the file, where it is written. */
  get expressions(): readonly FileExpression[] {
    const { text } = this.file.source
    this.#expressions ??= entriesOf(this.top).flatMap(({ name, value }) =>
      fileExpressions(text, value.node, [name]),
    )
    return this.#expressions
  }

  /** The triggers that it declares; none where one of them has mistakes, or they stand elsewhere. */
  get triggers(): readonly SourceTrigger[] {
    this.#triggers ??= this.#ofSource ?? (this.native ? inlineTriggers(this.native) : [])
    return this.#triggers
  }

  /** Every expression that can be read, and what it is. */
  get typed(): readonly TypedExpression[] {
    this.#typed ??= this.expressions.flatMap((expression) => {
      const { tree, text } = expression
      return tree ? [{ expression, ...typed(tree, text, this.contexts.at(expression)) }] : []
    })
    return this.#typed
  }

  /** What expressions name that is not there, or use as it cannot be. */
  faults(code: string): readonly Problem[] {
    return this.typed.flatMap(({ expression, faults }) =>
      faults
        .filter((fault) => fault.code === code)
        .map(({ span, ...fault }) => this.problemAt(expression, span, fault)),
    )
  }

  /** Where text from outside is run, or decides something. */
  get untrusted(): readonly Problem[] {
    this.#untrusted ??= [
      ...untrustedProblems(this.flow, () => fieldsOf(this.file, this.callees)),
      ...(this.isSource || this.native ? inputProblems(this.file) : []),
    ]
    return this.#untrusted
  }

  get flow(): Flow {
    this.#flow ??= flowOf(this.file, this.callees)
    return this.#flow
  }

  /** A problem at a part of an expression. */
  problemAt(expression: FileExpression, { start, end }: Span, problem: Problem): Problem {
    const place = expression.span(start, end)
    return { ...problem, position: positionAt(this.file.source, place.start, place.end) }
  }
}
