import type { Scalar } from 'yaml'
import type { Position, Problem, Source } from '../wire/errors.ts'
import { EVENT_TYPE } from '../wire/payload.ts'
import { hasExpression } from '../workflow/expressions.ts'
import {
  childOf,
  entriesOf,
  itemsOf,
  type ParsedFile,
  type Place,
  type TextPlace,
  textOf,
  textsBelow,
  topOf,
} from '../workflow/nodes.ts'
import { ScalarText, type Span } from '../workflow/spans.ts'
import { actionOf, localPathOf, stepsOf, usesOf } from '../workflow/steps.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import {
  type Callees,
  calleesOf,
  type Flow,
  flowOf,
  type JobFlow,
  type StepFlow,
} from './flow/data-flow.ts'
import { OUTER_SCOPE } from './flow/scope.ts'
import { scriptOf } from './flow/script.ts'
import {
  isChoosingInput,
  isGoverning,
  isHooklineUse,
  isPrompt,
  isReplyTarget,
  isRunningInput,
  isTextInput,
} from './flow/sink-names.ts'
import { type Taint, type TaintScope, TRUSTED, UNTRUSTED, WHOLE_ITEM } from './flow/taint.ts'

/** Untrusted input at a position where it is executed, or where it decides something. */
export interface UntrustedFinding {
  readonly source: Source
  /** The key of the value: `run`, `container.image`. */
  readonly key: string
  readonly text: TextPlace
  /** In the value: the inside of a `${{ }}`, or a part of a script that reads a variable. */
  readonly at: Span
  readonly isExpression: boolean
  readonly step: StepFlow | undefined
  readonly job: JobFlow | undefined
  readonly problem: Problem & { readonly code: UntrustedCode }
}

export type UntrustedCode = 'script-injection' | 'untrusted-input' | 'untrusted-prompt'

/**
 * The findings of one file, in the order of the file.
 *
 * @param callees the files that it calls; without them, these are unknown
 * @throws FatalMistake if the file has more steps than a workflow can have
 */
export function findUntrusted(file: ParsedFile, callees?: Callees): UntrustedFinding[] {
  return flowFindings(flowOf(file, callees))
}

/** The number of findings of one file that are reported. */
const MAX_REPORTED = 100

/** The findings of a file and of the files that it calls. */
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
    sinksOf(flow)
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

/**
 * Data of Hookline in an input of an action or a workflow of another repository, unless the input is
 * known to accept text: the action may send its secrets to an address in the input.
 */
export function inputFindings(file: ParsedFile): UntrustedFinding[] {
  const jobs = entriesOf(childOf(topOf(file.document), 'jobs')).map(({ value }) => value)
  const inputs = [...jobs, ...jobs.flatMap(stepsOf)].flatMap((user) =>
    foreignInputs(file.source, user, OUTER_SCOPE),
  )
  const isComputed = ({ node }: TextPlace) => hasExpression(node.value)
  if (!inputs.some(({ place }) => textsBelow(place).some(isComputed))) return []
  // `repository_dispatch` with other types brings no webhook.
  const types = childOf(topOf(file.document), 'on', 'repository_dispatch', 'types')
  const named = [types, ...itemsOf(types)].flatMap((place) => textOf(place) ?? [])
  const receivesWebhooks = named.length === 0 || named.includes(EVENT_TYPE)
  const flow = flowOf(file, undefined, undefined, receivesWebhooks ? 'webhooks' : 'calls')
  const positions = new Positions(flow.source)
  const sinks = flow.jobs.flatMap((job) => [
    ...foreignInputs(flow.source, job.place, job.scope),
    ...job.steps.flatMap((step) => foreignInputs(flow.source, step.place, step.scope)),
  ])
  return sinks.flatMap((sink) => findingsAt(flow, positions, sink))
}

function foreignInputs(source: Source, user: Place, scope: TaintScope): Sink[] {
  const uses = usesOf(user, source)
  if (uses === '' || localPathOf(uses) !== undefined || isHooklineUse(uses)) return []
  return entriesOf(childOf(user, 'with')).flatMap(({ name, value }) => {
    const input = name.toLowerCase()
    if (isTextInput(uses, input) || sinkKindOf(uses, input)) return []
    return [{ key: name, place: value, scope, kind: SINKS.input }]
  })
}

/** A value that is executed, or that decides what is executed or read. */
interface Sink {
  readonly key: string
  readonly place: Place | undefined
  readonly scope: TaintScope
  readonly kind: SinkKind
  /** A context of which untrusted input must not choose a value: `secrets[…]`. */
  readonly context?: string
  readonly step?: StepFlow
  readonly job?: JobFlow
}

interface SinkKind {
  readonly hint: string
  /** `script-injection` by default. */
  readonly code?: UntrustedCode
  /** What the sender controls, if not the code that runs. */
  readonly controls?: string
  /** The lowest taint that is reported. */
  readonly least?: Taint
}

const SINKS = {
  script: { hint: 'set a variable under "env:", and read the variable here' },
  cmd: { hint: 'use "shell: pwsh" and $env:NAME: cmd also executes the values of variables' },
  shell: { hint: 'write the name of the shell here' },
  folder: { hint: 'choose one of your own folders with a condition' },
  image: { hint: 'choose one of your own images with a condition' },
  runner: { hint: 'choose one of your own runners with a condition' },
  arguments: { hint: 'set a variable under "env:", and let the program read the variable' },
  checkout: { hint: 'check out a ref of this repository; code of a sender runs with your secrets' },
  variable: { hint: 'use another name: programs change their behavior by this variable' },
  written: {
    hint: 'set it under "env:" of the step that reads it: a line break in it sets any variable',
  },
  program: { hint: 'pass it as an argument, or in a file that the program reads as data' },
  environment: {
    controls: 'which secrets the job gets',
    hint: 'choose one of your own environments with a condition',
  },
  lookup: {
    controls: 'which value is read',
    hint: 'write the name here, or choose one of several with a condition',
  },
  value: {
    controls: 'what is fetched, or where data is sent',
    hint: 'choose one of your own values with a condition',
  },
  input: {
    code: 'untrusted-input',
    controls: 'where secrets are sent, or what is read',
    hint: 'choose one of your own values with a condition',
  },
  chat: {
    code: 'untrusted-input',
    controls: 'which chat gets the reply',
    hint: 'pass a whole item: to: ${{ toJSON(matrix.on) }}, or: to: ${{ steps.hookline.outputs.on }}',
    least: UNTRUSTED,
  },
  prompt: {
    code: 'untrusted-prompt',
    controls: 'what the agent does',
    hint: 'write it to a file, and tell the agent in the prompt that the file is data',
  },
} as const satisfies Readonly<Record<string, SinkKind>>

function sinksOf({ top, scope, jobs }: Flow): Sink[] {
  const env = childOf(top, 'env')
  return [
    ...defaultsOf(top, scope),
    ...governingVariables(env, scope),
    ...lookupsIn([env], scope),
    ...jobs.flatMap(sinksOfJob),
  ]
}

function lookupsIn(places: readonly (Place | undefined)[], scope: TaintScope): Sink[] {
  return ['secrets', 'vars'].flatMap((context) =>
    places.map((place) => ({ key: `${context}[…]`, place, scope, kind: SINKS.lookup, context })),
  )
}

function defaultsOf(place: Place, scope: TaintScope): Sink[] {
  const run = childOf(place, 'defaults', 'run')
  const folder = childOf(run, 'working-directory')
  return [
    { key: 'shell', place: childOf(run, 'shell'), scope, kind: SINKS.shell },
    { key: 'working-directory', place: folder, scope, kind: SINKS.folder },
  ]
}

function sinksOfJob(job: JobFlow): Sink[] {
  const { place, scope } = job
  const services = childOf(place, 'services')
  const containers = [
    ['container', childOf(place, 'container')] as const,
    ...entriesOf(services).map(({ value }) => ['services', value] as const),
    ...(textOf(services) === undefined ? [] : [['services', services] as const]),
  ]
  const environment = childOf(place, 'environment')
  const name = textOf(environment) === undefined ? childOf(environment, 'name') : environment
  const others = entriesOf(place).flatMap(({ name: key, value }) =>
    key === 'steps' ? [] : [value],
  )
  const sinks: Sink[] = [
    ...defaultsOf(place, scope),
    ...governingVariables(childOf(place, 'env'), scope),
    { key: 'runs-on', place: childOf(place, 'runs-on'), scope, kind: SINKS.runner },
    ...containers.flatMap(([key, container]) => inContainer(key, container, scope)),
    ...inDockerAction(place, scope),
    { key: 'environment', place: name, scope, kind: SINKS.environment },
    ...lookupsIn(others, scope),
  ]
  return [
    ...sinks.map((sink) => ({ ...sink, job })),
    ...job.steps.flatMap((step) => sinksOfStep(job, step)),
  ]
}

/** Keys of a container that choose its program, or the files and devices that it can use. */
const CONTAINER_KEYS = ['image', 'options', 'volumes', 'entrypoint', 'command']

function inContainer(key: string, container: Place | undefined, scope: TaintScope): Sink[] {
  if (textOf(container) !== undefined) return [{ key, place: container, scope, kind: SINKS.image }]
  const parts = CONTAINER_KEYS.map((part) => ({
    key: `${key}.${part}`,
    place: childOf(container, part),
    scope,
    kind: SINKS.image,
  }))
  return [...parts, ...governingVariables(childOf(container, 'env'), scope)]
}

/** A program that executes an argument after `-c` or `-e`. */
const INTERPRETER = /(?:^|\/)(?:\w*sh|python[\d.]*|node|deno|bun|perl|ruby|php)$/

/** The programs of an action in a container, and their scripts. */
function inDockerAction(runs: Place, scope: TaintScope): Sink[] {
  const programs = ['pre-entrypoint', 'entrypoint', 'post-entrypoint'].map((key) => ({
    key,
    place: childOf(runs, key),
    scope,
    kind: SINKS.arguments,
  }))
  const args = itemsOf(childOf(runs, 'args'))
  const words = [childOf(runs, 'entrypoint'), ...args].map((word) => textOf(word) ?? '')
  const isInterpreter = words.some((word) => INTERPRETER.test(word))
  const at = args.findIndex((word) => /^-\w*[ce]$/.test(textOf(word) ?? ''))
  // `-c` alone can name a configuration; a string around an expression is a command.
  const scripts = (at < 0 ? [] : args.slice(at + 1)).filter(
    (word) => isInterpreter || !/^\s*\$\{\{[^}]*\}\}\s*$/.test(textOf(word) ?? ''),
  )
  return [
    ...programs,
    ...scripts.map((place) => ({ key: 'args', place, scope, kind: SINKS.arguments })),
  ]
}

/** Variables that change the behavior of programs. A mapping in one expression can contain any name. */
function governingVariables(env: Place | undefined, scope: TaintScope): Sink[] {
  const governing = entriesOf(env).filter(({ name }) => isGoverning(name))
  const places = textOf(env) === undefined ? governing.map(({ value }) => value) : [env]
  return places.map((place) => ({ key: 'env', place, scope, kind: SINKS.variable }))
}

function sinksOfStep(job: JobFlow, step: StepFlow): Sink[] {
  const { place, scope, uses, shell } = step
  const script = shell === 'cmd' ? SINKS.cmd : SINKS.script
  const folder = childOf(place, 'working-directory')
  const sinks: Sink[] = [
    { key: 'run', place: childOf(place, 'run'), scope, kind: script },
    { key: 'shell', place: childOf(place, 'shell'), scope, kind: SINKS.shell },
    { key: 'working-directory', place: folder, scope, kind: SINKS.folder },
    ...governingVariables(childOf(place, 'env'), scope),
    ...entriesOf(childOf(place, 'with')).flatMap(({ name, value }): Sink[] => {
      const kind = sinkKindOf(uses, name.toLowerCase())
      if (!kind) return []
      // Without secrets of the repository, GitHub itself checks out the head of a pull request.
      const isHarmless = kind === SINKS.checkout && !isPrivileged(job.top)
      const own: TaintScope = isHarmless ? { ...scope, events: 'webhooks' } : scope
      return [{ key: name, place: value, scope: own, kind }]
    }),
    ...lookupsIn([place], scope),
  ]
  return sinks.map((sink) => ({ ...sink, job, step }))
}

/** Events that anyone can cause by an issue or a pull request, and that run with secrets. */
const PRIVILEGED: ReadonlySet<string> = new Set([
  'discussion',
  'discussion_comment',
  'issue_comment',
  'issues',
  'pull_request_target',
  'workflow_call',
  'workflow_run',
])

function isPrivileged(top: Place): boolean {
  const on = childOf(top, 'on')
  const named = [on, ...itemsOf(on)].flatMap((place) => textOf(place) ?? [])
  const events = [...entriesOf(on).map(({ name }) => name), ...named]
  return events.length === 0 || events.some((event) => PRIVILEGED.has(event))
}

function sinkKindOf(uses: string, input: string): SinkKind | undefined {
  if (isRunningInput(uses, input)) return SINKS.script
  if (isPrompt(uses, input)) return SINKS.prompt
  if (input === 'args' || input === 'entrypoint') return SINKS.arguments
  if (isReplyTarget(uses, input)) return SINKS.chat
  const isCheckout = actionOf(uses) === 'actions/checkout'
  if (isCheckout && ['ref', 'repository'].includes(input)) return SINKS.checkout
  return isChoosingInput(uses, input) ? SINKS.value : undefined
}

function findingsAt({ expressions, source }: Flow, positions: Positions, sink: Sink) {
  const { key, scope, context, kind, step } = sink
  const message = `untrusted input in "${key}": the sender controls ${kind.controls ?? 'what runs'}`
  const texts = textsBelow(sink.place)
  const isExpression = context === undefined
  const found = texts.flatMap((text) => {
    const { value } = text.node
    const spans = isExpression
      ? expressions.untrusted(value, scope, kind.least ?? WHOLE_ITEM)
      : expressions.chosen(context, value, scope)
    const inCmd = key === 'run' && step?.shell === 'cmd' ? cmdVariables(value, scope) : []
    return [
      ...spans.map((at) => finding(text, at, isExpression, kind, message)),
      ...inCmd.map((at) => finding(text, at, false, kind, message)),
    ]
  })
  const [text] = texts
  if ((key !== 'run' && key !== 'script') || !step || !text || found.length > 0) return found
  return [...found, ...inScript(text, step)]

  function finding(
    place: TextPlace,
    at: Span,
    isWholeExpression: boolean,
    { code = 'script-injection', hint }: SinkKind,
    text: string,
  ): UntrustedFinding {
    return {
      source,
      key,
      text: place,
      at,
      isExpression: isWholeExpression,
      step,
      job: sink.job,
      // Positions are computed only for findings that are reported.
      get problem() {
        return { code, message: text, position: positions.of(place, at), hint }
      },
    }
  }

  /** Variables of a script that it executes, or writes for later steps. */
  function inScript(place: TextPlace, { writes }: StepFlow): UntrustedFinding[] {
    const script = scriptOf(place.node.value, expressions.spansOf(place.node.value))
    const { unbounded, assigned, executed } = writes
    const written = 'untrusted input is written to a file that changes all later steps'
    const at = ({ start, end }: Span) => ({
      start: script.toValue(start),
      end: script.toValue(end),
    })
    return [
      ...unbounded.map((span) => finding(place, at(span), false, SINKS.written, written)),
      ...assigned
        .filter(({ name }) => isGoverning(name))
        .map((span) => finding(place, at(span), false, SINKS.variable, written)),
      ...executed.map((span) => {
        const isPrompt = span.kind === 'prompt'
        const text = isPrompt
          ? 'untrusted input in the prompt of an agent'
          : 'untrusted input in a program that another interpreter executes'
        return finding(place, at(span), false, isPrompt ? SINKS.prompt : SINKS.program, text)
      }),
    ]
  }
}

/** cmd replaces `%NAME%` before it reads the line. */
function cmdVariables(script: string, scope: TaintScope): Span[] {
  return [...script.matchAll(/%(\w+)(?::[^%\n]*)?%/g)].flatMap(({ 0: found, 1: name, index }) =>
    scope.env(name?.toLowerCase()) > TRUSTED ? [{ start: index, end: index + found.length }] : [],
  )
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
