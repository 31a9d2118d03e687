import type { Expr } from '@actions/expressions/ast'
import { type NativeWorkflow, nativeTriggers } from '../compiler/native.ts'
import type { SourceFile } from '../compiler/source-file.ts'
import { FileContexts } from '../model/types/contexts.ts'
import { type Typed, typed } from '../model/types/typed.ts'
import type { Level, Problem } from '../wire/errors.ts'
import {
  type FileExpression,
  fileExpressions,
  partsOf,
  positionIn,
} from '../workflow/file-expressions.ts'
import { FatalMistake, type Mistake } from '../workflow/mistakes.ts'
import { type ParsedFile, type Place, type TextPlace, topOf } from '../workflow/nodes.ts'
import { type EventName, eventNames, type SourceTrigger, typesOfDispatch } from '../workflow/on.ts'
import type { Operation } from '../workflow/operations.ts'
import type { Span } from '../workflow/spans.ts'
import { type Job, jobsIn, type Step } from '../workflow/steps.ts'

/** One kind of mistake: the check that finds it, its page, and its fix. One file in `rules/` each. */
export interface Rule {
  readonly id: string
  /**
   * `error`: GitHub fails, or does nothing. `warning`: the author may have intended it.
   * `strict`: a warning that `--strict` turns into an error.
   */
  readonly level: Level | 'strict'
  readonly page: RulePage
  /** Finds the mistakes that the types of expressions do not show. */
  check?(file: RuleFile): readonly Problem[]
  /** Changes that are certainly what the author means, so none of a place that `isShared`; only findings with such a fix change. */
  fix?(file: RuleFile): readonly Operation[]
}

/** The section of docs/reference/rules.md about a rule, in Markdown. */
interface RulePage {
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

export function levelWithoutStrict({ level }: Rule): Level {
  return level === 'error' ? 'error' : 'warning'
}

export interface TypedExpression extends Typed {
  readonly expression: FileExpression
  readonly tree: Expr
  /** The tree and everything in it. */
  readonly parts: readonly Expr[]
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

interface Declared {
  readonly triggers: readonly SourceTrigger[]
  readonly problems: readonly Mistake[]
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
  #declared: Declared | undefined
  #events: readonly EventName[] | undefined
  #jobs: readonly Job[] | undefined
  #steps: readonly Step[] | undefined
  #contexts: FileContexts | undefined
  #expressions: readonly FileExpression[] | undefined
  #typed: readonly TypedExpression[] | undefined
  #faults: readonly Problem[] | undefined

  constructor(
    file: ParsedFile,
    repository: RepositoryFiles,
    kind: {
      readonly native?: NativeWorkflow | undefined
      readonly source?: SourceFile
    } = {},
  ) {
    this.file = file
    this.repository = repository
    this.native = kind.native
    this.isSource = kind.source !== undefined
    this.name = file.source.file.replace(/^.*\/|\.ya?ml$/g, '')
    this.top = topOf(file.document)
    this.#declared = kind.source
    this.#jobs = kind.native?.jobs
    this.#expressions = kind.source?.expressions
  }

  get contexts(): FileContexts {
    const { top, jobs, isSource, triggers, expressions } = this
    this.#contexts ??= new FileContexts(top, jobs, isSource, triggers, expressions)
    return this.#contexts
  }

  /** Every expression of the file, at the position where it is written. */
  get expressions(): readonly FileExpression[] {
    const { source, document } = this.file
    this.#expressions ??= fileExpressions(source.text, document.contents, [])
    return this.#expressions
  }

  get declared(): Declared {
    this.#declared ??= inlineTriggers(this.native)
    return this.#declared
  }

  /** The declared triggers; none if one of them has mistakes, or if another file declares them. */
  get triggers(): readonly SourceTrigger[] {
    const isElsewhere = this.native?.uses.some(({ on }) => /^\s*(?:\$\{\{|$)/.test(on ?? ''))
    return isElsewhere ? [] : this.declared.triggers
  }

  /** The events under `on:`, each where it is written. */
  get events(): readonly EventName[] {
    this.#events ??= eventNames(this.top)
    return this.#events
  }

  hasEvent(name: string): boolean {
    return this.events.some((event) => event.name === name)
  }

  get dispatchTypes(): readonly TextPlace[] {
    return typesOfDispatch(this.top)
  }

  get jobs(): readonly Job[] {
    this.#jobs ??= jobsIn(this.top, this.file.source)
    return this.#jobs
  }

  get steps(): readonly Step[] {
    this.#steps ??= this.jobs.flatMap(({ steps }) => steps)
    return this.#steps
  }

  /** Every expression that may read the event, with its type. */
  get typed(): readonly TypedExpression[] {
    this.#typed ??= this.#typedExpressions()
    return this.#typed
  }

  #typedExpressions(): TypedExpression[] {
    const inMatrices = this.expressions.filter(({ path }) => path[2] === 'strategy')
    const jobs = new Set(inMatrices.map(({ path }) => path[1]))
    return this.expressions.flatMap((expression) => {
      const { text, path } = expression
      // A matrix without an expression holds nothing of the event.
      const reads = this.isSource || jobs.has(path[1]) ? READS_EVENT_OR_MATRIX : READS_EVENT
      const tree = reads.test(text) ? expression.tree : undefined
      if (!tree) return []
      const shapes = typed(tree, text, this.contexts.at(expression))
      return [{ expression, tree, parts: partsOf(tree), ...shapes }]
    })
  }

  /** The findings of a rule: its own, and those that the type checker reports under its id. */
  findings(rule: Rule): readonly Problem[] {
    this.#faults ??= this.typed.flatMap(({ expression, faults }) =>
      faults.map(({ span, ...fault }) => this.problemAt(expression, span, fault)),
    )
    const faults = this.#faults.filter(({ code }) => code === rule.id)
    return [...faults, ...(rule.check?.(this) ?? [])]
  }

  /** A problem at a part of an expression, or at the whole one. */
  problemAt(expression: FileExpression, span: Span | undefined, problem: Problem): Problem {
    return { ...problem, position: positionIn(this.file.source, expression, span) }
  }
}

/** The contexts that can hold a value of the event; of `github`, only `event` and `event_name` do. */
const READS_EVENT = /\b(?:env|inputs|jobs|needs|on|steps)\b|\bgithub\b(?!\s*\.\s*(?!event)\w)/i
const READS_EVENT_OR_MATRIX = new RegExp(`\\bmatrix\\b|${READS_EVENT.source}`, 'i')

/** The triggers that the steps of a workflow declare; none if one cannot be read. */
function inlineTriggers(native: NativeWorkflow | undefined): Declared {
  try {
    return { triggers: native ? nativeTriggers(native) : [], problems: [] }
  } catch (error) {
    if (!(error instanceof FatalMistake)) throw error
    return { triggers: [], problems: error.problems }
  }
}
