import type { Expr } from '@actions/expressions/ast'
import { type NativeWorkflow, nativeTriggers } from '../compiler/native.ts'
import { FileContexts } from '../model/types/contexts.ts'
import { type Typed, typed } from '../model/types/typed.ts'
import { type Level, type Problem, UserError } from '../wire/errors.ts'
import { type FileExpression, fileExpressions } from '../workflow/file-expressions.ts'
import {
  childOf,
  type Entry,
  entriesOf,
  type ParsedFile,
  type Place,
  type TextPlace,
  textsAt,
  topOf,
} from '../workflow/nodes.ts'
import { type EventName, eventNames, type SourceTrigger } from '../workflow/on.ts'
import type { Operation } from '../workflow/operations.ts'
import type { Span } from '../workflow/spans.ts'
import { positionAt } from '../workflow/yaml.ts'

/** One kind of mistake: the check that finds it, its page, and its fix. One file in `rules/` each. */
export interface Rule {
  readonly id: string
  /**
   * `error`: GitHub fails, or does nothing. `warning`: the author may have intended it.
   * `strict`: a warning that `--strict` turns into an error.
   */
  readonly level: Level | 'strict'
  readonly page: RulePage
  check(file: RuleFile): readonly Problem[]
  /** Changes that are certain to keep the meaning of the file, so none of a place that `isShared`; only findings with such a fix change. */
  fix?(file: RuleFile): readonly Operation[]
}

/** The section of docs/reference/rules.md about a rule, in Markdown. */
export interface RulePage {
  /** The mistake in one line, without a period. */
  readonly title: string
  /** Why it is a mistake, and what an attacker or a bug does with it. */
  readonly reason: string
  readonly remedy: string
  /** A part of a workflow in which the rule finds something, and the same part without the mistake. */
  readonly before: string
  readonly after: string
  /** Makes a workflow in `.github/workflows/` of such a part. */
  workflow(part: string): string
}

/** The level of a finding without `--strict`. */
export function levelWithoutStrict({ level }: Rule): Level {
  return level === 'error' ? 'error' : 'warning'
}

/** An expression of a file that parses, together with its type. */
export interface TypedExpression extends Typed {
  readonly expression: FileExpression
  readonly tree: Expr
}

/** Files of the repository that rules read in addition to the file that they check. */
export interface RepositoryFiles {
  readonly read: (path: string) => ParsedFile | undefined
  /** Whether the repository has workflow files that the action reads if its input `on` is empty. */
  readonly hasSources: boolean
}

/** For a file whose repository is not on this machine. */
export const NO_OTHER_FILES: RepositoryFiles = {
  read: () => undefined,
  hasSources: true,
}

/** A file that rules check. Each part is computed once, when a rule reads it for the first time. */
export class RuleFile {
  readonly file: ParsedFile
  readonly repository: RepositoryFiles
  /** Set for a workflow in `.github/workflows/` in which a step uses the action. */
  readonly native: NativeWorkflow | undefined
  readonly isSource: boolean
  /** The workflow's name in URLs: its file name without the extension. */
  readonly name: string
  readonly top: Place
  readonly #sourceTriggers: readonly SourceTrigger[] | undefined
  readonly #nativeTriggers: readonly SourceTrigger[] | undefined
  #triggers: readonly SourceTrigger[] | undefined
  #jobs: readonly Entry[] | undefined
  #contexts: FileContexts | undefined
  #expressions: readonly FileExpression[] | undefined
  #typed: readonly TypedExpression[] | undefined

  constructor(
    file: ParsedFile,
    repository: RepositoryFiles,
    kind: {
      readonly native?: NativeWorkflow | undefined
      /** The triggers that its steps declare, if they were read already. */
      readonly nativeTriggers?: readonly SourceTrigger[] | undefined
      /** The triggers that a source declares under `on:`; absent for a workflow of GitHub. */
      readonly sourceTriggers?: readonly SourceTrigger[]
    } = {},
  ) {
    this.file = file
    this.repository = repository
    this.native = kind.native
    this.isSource = kind.sourceTriggers !== undefined
    this.name = file.source.file.replace(/^.*\/|\.ya?ml$/g, '')
    this.top = topOf(file.document)
    this.#sourceTriggers = kind.sourceTriggers
    this.#nativeTriggers = kind.nativeTriggers
  }

  get contexts(): FileContexts {
    this.#contexts ??= new FileContexts(this.file, this.isSource, this.triggers)
    return this.#contexts
  }

  /** Every expression of the file, at the position where it is written. */
  get expressions(): readonly FileExpression[] {
    const { text } = this.file.source
    this.#expressions ??= entriesOf(this.top).flatMap(({ name, value }) =>
      fileExpressions(text, value.node, [name]),
    )
    return this.#expressions
  }

  /** The declared triggers; none if one of them has mistakes, or if another file declares them. */
  get triggers(): readonly SourceTrigger[] {
    this.#triggers ??=
      this.#sourceTriggers ?? (this.native ? inlineTriggers(this.native, this.#nativeTriggers) : [])
    return this.#triggers
  }

  /** The events under `on:`, each where it is written. */
  get events(): readonly EventName[] {
    return eventNames(this.top)
  }

  hasEvent(name: string): boolean {
    return this.events.some((event) => event.name === name)
  }

  /** The types of `repository_dispatch`; none means all of them. */
  get dispatchTypes(): readonly TextPlace[] {
    return textsAt(childOf(this.top, 'on', 'repository_dispatch', 'types'))
  }

  get jobs(): readonly Entry[] {
    this.#jobs ??= entriesOf(childOf(this.top, 'jobs'))
    return this.#jobs
  }

  /** Every expression that may read the event, with its type. */
  get typed(): readonly TypedExpression[] {
    this.#typed ??= this.expressions.flatMap((expression) => {
      const { text } = expression
      const tree = READS_EVENT.test(text) ? expression.tree : undefined
      return tree ? [{ expression, tree, ...typed(tree, text, this.contexts.at(expression)) }] : []
    })
    return this.#typed
  }

  /** The faults of one kind that the type checker finds in the expressions. */
  faults(code: string): readonly Problem[] {
    return this.typed.flatMap(({ expression, faults }) =>
      faults
        .filter((fault) => fault.code === code)
        .map(({ span, ...fault }) => this.problemAt(expression, span, fault)),
    )
  }

  /** A problem at a part of an expression. */
  problemAt(expression: FileExpression, { start, end }: Span, problem: Problem): Problem {
    const span = expression.span(start, end)
    return { ...problem, position: positionAt(this.file.source, span.start, span.end) }
  }
}

/** The contexts that can hold a value of the event; of `github`, only `event` and `event_name` do. */
const READS_EVENT =
  /\b(?:env|inputs|jobs|matrix|needs|on|steps)\b|\bgithub\b(?!\s*\.\s*(?!event)\w)/i

/** The triggers that the steps of a workflow declare; none if not all of them are known. */
function inlineTriggers(
  native: NativeWorkflow,
  declared: readonly SourceTrigger[] | undefined,
): readonly SourceTrigger[] {
  if (native.uses.some(({ on }) => /^\s*(?:\$\{\{|$)/.test(on ?? ''))) return []
  try {
    return declared ?? nativeTriggers(native)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return [] // file-findings.ts reports its problems
  }
}
