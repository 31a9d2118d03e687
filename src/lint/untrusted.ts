import type { Scalar } from 'yaml'
import { scriptOf } from '../shell/script.ts'
import { FROM_GITHUB, FROM_WEBHOOK, type Taint } from '../shell/taint-level.ts'
import type { Position, Problem, Source } from '../wire/errors.ts'
import { childOf, entriesOf, type Place, type TextPlace, textsBelow } from '../workflow/nodes.ts'
import { ScalarText, type Span } from '../workflow/spans.ts'
import { HOOKLINE_ACTION, localPathOf, REPLY_ACTION, usesOf } from '../workflow/steps.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import { calleesOf, type Flow, type JobFlow, type StepFlow } from './flow/data-flow.ts'
import { isPrompt, isRunningInput, isTextInput } from './flow/sink-names.ts'
import type { TaintScope } from './flow/taint.ts'

/** Untrusted input at a position where it is executed, or where it decides something. */
export interface UntrustedFinding {
  readonly source: Source
  /** The key of the value: `run`, `script`. */
  readonly key: string
  readonly text: TextPlace
  /** In the value: the inside of a `${{ }}`, or a part of a script that reads a variable. */
  readonly at: Span
  readonly isExpression: boolean
  readonly step: StepFlow | undefined
  readonly job: JobFlow
  readonly problem: Problem & { readonly code: UntrustedCode }
}

type UntrustedCode = 'script-injection' | 'untrusted-input' | 'untrusted-prompt'

/** The number of findings of one file that are reported. */
const MAX_REPORTED = 100

/** The findings of a file and of the files that it calls, each in the order of its file. */
export function untrustedFindings(flow: Flow): UntrustedFinding[] {
  const flows = new Set([flow])
  // A set iterates over entries that are added during the iteration.
  for (const { jobs } of flows) for (const callee of calleesOf(jobs)) flows.add(callee)
  return [...flows].flatMap((one) => {
    const findings = flowFindings(one)
    const reported = findings.slice(0, MAX_REPORTED)
    const last = reported.at(-1)
    if (!last || findings.length === reported.length) return reported
    const notes = [`and ${findings.length - reported.length} more in this file`]
    return reported.with(-1, { ...last, problem: { ...last.problem, notes } })
  })
}

function flowFindings(flow: Flow): UntrustedFinding[] {
  const positions = new Positions(flow.source)
  // Through aliases, the same string occurs at several places; it is reported once for each key.
  const found = new Map(
    flow.jobs
      .flatMap((job) =>
        [undefined, ...job.steps].flatMap((step) => sinksOf(flow.source, job, step)),
      )
      .flatMap((sink) => findingsAt(flow, positions, sink))
      .map((finding) => [
        `${startOffset(finding.text)}:${finding.at.start}:${finding.key}`,
        finding,
      ]),
  )
  const order = ({ text, at }: UntrustedFinding) => startOffset(text) + at.start
  return [...found.values()].sort((one, other) => order(one) - order(other))
}

function startOffset({ alias, node }: TextPlace): number {
  return rangeOf(alias ?? node)[0]
}

/** A value that is executed, or that decides where an action sends data. */
interface Sink {
  readonly key: string
  readonly place: Place | undefined
  readonly scope: TaintScope
  readonly kind: SinkKind
  readonly job: JobFlow
  readonly step: StepFlow | undefined
}

interface SinkKind {
  readonly code: UntrustedCode
  readonly message: (key: string) => string
  readonly hint: string
  /** The lowest taint that is reported. */
  readonly least: Taint
}

const inKey = (controls: string) => (key: string) =>
  `untrusted input in "${key}": the sender controls ${controls}`

const SCRIPT: SinkKind = {
  code: 'script-injection',
  message: inKey('what runs'),
  hint: 'set a variable under "env:", and read the variable here',
  least: FROM_GITHUB,
}
const CMD: SinkKind = {
  ...SCRIPT,
  hint: 'use "shell: pwsh" and $env:NAME: cmd also executes the values of variables',
}
const WRITTEN: SinkKind = {
  ...SCRIPT,
  message: () => 'untrusted input is written to a file that changes all later steps',
  hint: 'set it under "env:" of the step that reads it: a line break in it sets any variable',
}
const PROGRAM: SinkKind = {
  ...SCRIPT,
  message: () => 'untrusted input in a program that another interpreter executes',
  hint: 'pass it as an argument, or in a file that the program reads as data',
}
const PROMPT: SinkKind = {
  code: 'untrusted-prompt',
  message: inKey('what the agent does'),
  hint: 'write it to a file, and tell the agent in the prompt that the file is data',
  least: FROM_GITHUB,
}
const INPUT: SinkKind = {
  code: 'untrusted-input',
  message: inKey('where secrets are sent, or what is read'),
  hint: 'choose one of your own values with a condition',
  least: FROM_WEBHOOK,
}

/** The script and the inputs of a step, or the inputs of a job that calls a workflow. */
function sinksOf(source: Source, job: JobFlow, step?: StepFlow): Sink[] {
  const { place, scope } = step ?? job
  const uses = usesOf(place, source)
  const inputs = entriesOf(childOf(place, 'with')).flatMap(({ name, value }): Sink[] => {
    const kind = kindOfInput(uses, name.toLowerCase())
    return kind ? [{ key: name, place: value, scope, kind, job, step }] : []
  })
  if (!step) return inputs
  const kind = step.shell === 'cmd' ? CMD : SCRIPT
  return [{ key: 'run', place: childOf(place, 'run'), scope, kind, job, step }, ...inputs]
}

/**
 * An input that is not known to accept text may be the address to which an action of another
 * repository, or one of Hookline's own, sends its secrets.
 */
function kindOfInput(uses: string, input: string): SinkKind | undefined {
  if (isPrompt(uses, input)) return PROMPT
  if (isRunningInput(uses, input)) return SCRIPT
  const isOwn = HOOKLINE_ACTION.test(uses) || REPLY_ACTION.test(uses)
  const isOther = uses !== '' && (isOwn || localPathOf(uses) === undefined)
  return isOther && !isTextInput(uses, input) ? INPUT : undefined
}

function findingsAt({ expressions, source }: Flow, positions: Positions, sink: Sink) {
  const { key, place, scope, kind, step, job } = sink
  const texts = textsBelow(place)
  const found = texts.flatMap((text) =>
    expressions
      .untrusted(text.node.value, scope, kind.least)
      .map((at) => finding(text, at, kind, true)),
  )
  const [text] = texts
  const isScript = key === 'run' || key === 'script'
  if (!isScript || !step || !text || found.length > 0) return found
  const script = scriptOf(text.node.value, expressions.spansOf(text.node.value))
  const { unbounded, executed } = step.writes
  return [
    ...unbounded.map((span) => [span, WRITTEN] as const),
    ...executed.map((span) => [span, span.kind === 'prompt' ? PROMPT : PROGRAM] as const),
  ].map(([{ start, end }, own]) => {
    return finding(text, { start: script.toValue(start), end: script.toValue(end) }, own, false)
  })

  function finding(
    text: TextPlace,
    at: Span,
    { code, message, hint }: SinkKind,
    isExpression: boolean,
  ): UntrustedFinding {
    return {
      source,
      key,
      text,
      at,
      isExpression,
      step,
      job,
      // Positions are computed only for findings that are reported.
      get problem() {
        return { code, message: message(key), position: positions.of(text, at), hint }
      },
    }
  }
}

/** Positions in the strings of a file; each string is mapped to its source once. */
class Positions {
  readonly #source: Source
  readonly #written = new Map<Scalar, ScalarText>()

  constructor(source: Source) {
    this.#source = source
  }

  /** The position of an alias is that of the alias itself. */
  of({ alias, node }: TextPlace, { start, end }: Span): Position {
    if (alias) return positionAt(this.#source, ...rangeOf(alias))
    const written = this.#written.get(node) ?? new ScalarText(this.#source.text, node)
    this.#written.set(node, written)
    const inside = node.value.slice(start, end)
    const from = start + inside.length - inside.trimStart().length
    const span = written.span(from, Math.max(from + 1, start + inside.trimEnd().length))
    return positionAt(this.#source, span.start, span.end)
  }
}
