import type { Scalar } from 'yaml'
import { TRIGGERS } from '../triggers/index.ts'
import type { Position, Source } from '../wire/errors.ts'
import { record } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import { ExpressionMistake } from '../workflow/expression-text.ts'
import * as expressions from '../workflow/expressions.ts'
import { type Contexts, expressionSpans, fillIn } from '../workflow/expressions.ts'
import { FatalMistake, type Mistake } from '../workflow/mistakes.ts'
import {
  childOf,
  entriesOf,
  type MappingEntry,
  type ParsedFile,
  type TextPlace,
  textAt,
  textOf,
  textsAt,
  topOf,
} from '../workflow/nodes.ts'
import { readOn, type SourceTrigger } from '../workflow/on.ts'
import type { Reading } from '../workflow/options.ts'
import { onSectionOf } from '../workflow/section.ts'
import { ScalarText } from '../workflow/spans.ts'
import { actionSteps, type Job, jobsIn, type Step } from '../workflow/steps.ts'
import { contextsWithEnv, type Workflow } from '../workflow/workflow.ts'
import { offsetOf, parseYaml, positionAt, rangeOf } from '../workflow/yaml.ts'
import { placeholderContexts } from './source-file.ts'

/** A step of a workflow in `.github/workflows/` that uses the action, and the jobs that read it. */
interface NativeUse {
  readonly job: string
  /** Its own id, for `steps.<id>.outputs.…` within the job. */
  readonly step: string | undefined
  /** The input `on` as written, with `${{ }}`. */
  readonly on: string | undefined
  /** The outputs of the job, as written. */
  readonly outputs: Readonly<Record<string, string>>
  readonly neededBy: readonly string[]
  /** The jobs with its items as a matrix; `matrix.<key>` is one item there. */
  readonly matrices: readonly { readonly job: string; readonly key: string }[]
}

/** A workflow in `.github/workflows/` that uses the action. */
export interface NativeWorkflow extends ParsedFile {
  readonly name: string
  readonly jobs: readonly Job[]
  readonly uses: readonly NativeUse[]
}

/** False for a file that certainly does not use the action, so that it need not be parsed. */
export function mayUseAction(text: string): boolean {
  return /\/hookline\b|uses['"]?\s*:\s*['"]?[.$]\/['"]?\s*(?:[#,}\]]|$)/im.test(text)
}

/**
 * Reads a native workflow.
 *
 * @returns `undefined` if no step uses the action
 * @throws UserError with the syntax errors of the file
 */
export function readNativeWorkflow(name: string, source: Source): NativeWorkflow | undefined {
  const document = parseYaml(source)
  const jobs = jobsIn(topOf(document), source)
  const uses = jobs.flatMap((job) => actionSteps(job).map((step) => useOf(jobs, job, step)))
  return uses.length > 0 ? { name, source, document, jobs, uses } : undefined
}

const STEP_ITEMS = /^\s*\$\{\{\s*steps\.([\w-]+)\.outputs\.items\s*\}\}\s*$/i
const NEEDED_ITEMS = /^\s*\$\{\{\s*fromJSON\(\s*needs\.([\w-]+)\.outputs\.([\w-]+)\s*\)\s*\}\}\s*$/i

function useOf(
  jobs: readonly MappingEntry[],
  job: MappingEntry,
  { place: step, id }: Step,
): NativeUse {
  const outputs = entriesOf(childOf(job.value, 'outputs')).flatMap(({ name, value }) => {
    const text = textOf(value)
    return text === undefined ? [] : [[name, text] as const]
  })
  const passedOn = outputs.filter(([, text]) => isSameName(STEP_ITEMS.exec(text)?.[1], id))
  const needing = jobs.filter(({ value }) => {
    return textsAt(childOf(value, 'needs')).some(({ node }) => node.value === job.name)
  })
  const matrices = jobs.flatMap((other) =>
    entriesOf(childOf(other.value, 'strategy', 'matrix')).flatMap(({ name: key, value }) => {
      const [, needed, output] = NEEDED_ITEMS.exec(textOf(value) ?? '') ?? []
      const areItems =
        isSameName(needed, job.name) && passedOn.some(([name]) => isSameName(name, output))
      return areItems ? [{ job: other.name, key }] : []
    }),
  )
  return {
    job: job.name,
    step: id,
    on: textOf(childOf(step, 'with', 'on')),
    outputs: record(outputs),
    neededBy: needing.map(({ name }) => name),
    matrices,
  }
}

/** Names in expressions are case-insensitive. */
function isSameName(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one.toLowerCase() === other?.toLowerCase()
}

/**
 * The triggers in the inputs `on` of a native workflow's steps. All positions are in the workflow
 * file.
 *
 * @param contexts the contexts that expressions can read; without them, values count as unknown
 * @throws UserError with the mistakes of all these inputs
 */
export function nativeTriggers(
  { source, jobs }: NativeWorkflow,
  contexts?: Contexts,
): SourceTrigger[] {
  const texts = jobs
    .flatMap(actionSteps)
    .flatMap(({ place }) => textAt(childOf(place, 'with', 'on')) ?? [])
    .filter(({ node }) => node.value.trim() !== '')
  const triggers: SourceTrigger[] = []
  const problems: Mistake[] = []
  for (const text of texts) {
    try {
      triggers.push(...new InlineOn(source, text, contexts).triggers())
    } catch (error) {
      if (!(error instanceof FatalMistake)) throw error
      problems.push(...error.problems)
    }
  }
  if (problems.length > 0) throw new FatalMistake(problems.slice(0, LIMITS.problems))
  return triggers
}

/**
 * The workflow of a native file's inline `on:` section, under its name in URLs.
 *
 * @returns `undefined` if no step has an input `on`
 * @throws UserError with the problems of the file
 */
export function readInlineOn(
  name: string,
  source: Source,
  contexts: Contexts,
): Workflow | undefined {
  const native = readNativeWorkflow(name, source)
  const isInline = native?.uses.some(({ on }) => on !== undefined && on.trim() !== '')
  if (!native || !isInline) return undefined
  const node = childOf(topOf(native.document), 'env')?.node
  const env: unknown = node?.toJS(native.document, { maxAliasCount: -1 })
  return { name, triggers: nativeTriggers(native, contextsWithEnv(contexts, env)) }
}

/** Replaces an expression whose value only GitHub knows. */
const UNKNOWN = '${{ vars.filled_in_by_GitHub }}'

/** One input `on`: a source within the workflow file, whose positions are those of the file. */
class InlineOn {
  readonly #file: Source
  readonly #scalar: Scalar<string>
  readonly #alias: TextPlace['alias']
  readonly #contexts: Contexts | undefined
  /** The string that the action gets, and for each part its offset in the input. */
  readonly #source: Source
  readonly #parts: readonly {
    readonly at: number
    readonly from: number
    readonly isWritten: boolean
  }[]
  readonly #written: ScalarText

  constructor(file: Source, { node, alias }: TextPlace, contexts: Contexts | undefined) {
    this.#file = file
    this.#scalar = node
    this.#alias = alias
    this.#contexts = contexts
    this.#written = new ScalarText(file.text, node)
    const { text, parts } = this.#filledIn(node.value)
    this.#source = { name: file.name, file: file.file, text }
    this.#parts = parts
  }

  triggers(): SourceTrigger[] {
    if (this.#source.text === UNKNOWN) return []
    try {
      return this.#read()
    } catch (error) {
      if (!(error instanceof FatalMistake)) throw error
      throw new FatalMistake(
        error.problems.map((problem) => this.#inFile(problem)),
        { cause: error },
      )
    }
  }

  #read(): SourceTrigger[] {
    const document = parseYaml(this.#source)
    const on = onSectionOf(document)
    const contexts = this.#contexts ?? placeholderContexts(this.#source.text, on)
    const reading: Reading = {
      source: this.#source,
      document,
      contexts,
      expressions,
      triggers: TRIGGERS,
      placeholders: !this.#contexts,
    }
    const { triggers, problems } = readOn(reading, on)
    if (problems.length > 0) throw new FatalMistake(problems.slice(0, LIMITS.problems))
    return triggers.map((trigger) => ({
      ...trigger,
      positionOf: (option) => this.#positionInFile(trigger.positionOf(option)),
    }))
  }

  /** GitHub evaluates the `${{ }}` of an input before the action reads it. */
  #filledIn(value: string) {
    const parts: { at: number; from: number; isWritten: boolean }[] = []
    const texts: string[] = []
    let [from, at] = [0, 0]
    const add = (text: string, start: number, isWritten: boolean) => {
      parts.push({ at, from: start, isWritten })
      texts.push(text)
      at += text.length
    }
    for (const { start, end } of expressionSpans(value)) {
      const open = start - '${{'.length
      add(value.slice(from, open), from, true)
      from = Math.min(value.length, end + '}}'.length)
      add(this.#valueOf(value.slice(open, from), open), open, false)
    }
    add(value.slice(from), from, true)
    return { text: texts.join(''), parts }
  }

  #valueOf(braces: string, at: number): string {
    try {
      return String(fillIn(braces, this.#contexts ?? {}))
    } catch (error) {
      if (!(error instanceof ExpressionMistake)) throw error
      if (!this.#contexts && braces.endsWith('}}')) return UNKNOWN
      const position = this.#placeOf(at, at + braces.length)
      throw new FatalMistake(
        { code: 'bad-expression', message: `input "on": ${error.message}`, position },
        { cause: error },
      )
    }
  }

  #inFile(problem: Mistake): Mistake {
    const position = problem.position ? this.#positionInFile(problem.position) : this.#start()
    return { ...problem, position }
  }

  #start(): Position {
    return positionAt(this.#file, ...rangeOf(this.#alias ?? this.#scalar))
  }

  #positionInFile(position: Position): Position {
    const start = offsetOf(position)
    return this.#placeOf(this.#toValue(start), this.#toValue(start + position.length - 1) + 1)
  }

  /** For an offset within an evaluated expression, the start of that expression. */
  #toValue(place: number): number {
    const part = this.#parts.findLast(({ at }) => at <= place)
    if (!part) return place
    return part.isWritten ? part.from + place - part.at : part.from
  }

  #placeOf(start: number, end: number): Position {
    const { length } = this.#scalar.value
    if (this.#alias || length === 0) return this.#start()
    const from = Math.min(start, length - 1)
    const { start: first, end: last } = this.#written.span(
      from,
      Math.min(length, Math.max(from + 1, end)),
    )
    return positionAt(this.#file, first, last)
  }
}
