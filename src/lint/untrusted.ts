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
  textsOf,
  topOf,
} from '../workflow/nodes.ts'
import { ScalarText, type Span } from '../workflow/spans.ts'
import { actionOf, localPathOf, stepsOf, usesOf } from '../workflow/steps.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import {
  type Callees,
  calledBy,
  type Flow,
  flowOf,
  type JobFlow,
  type StepFlow,
} from './flow/flow.ts'
import { NOTHING, taints } from './flow/scope.ts'
import { scriptOf } from './flow/script.ts'
import {
  isAnswered,
  isChoosingInput,
  isGoverning,
  isOurs,
  isPrompt,
  isRunningInput,
  isTextInput,
} from './flow/sink-names.ts'
import type { Scope } from './flow/taint.ts'

/** Text from outside that is pasted into something that is run, or written where it is obeyed. */
export interface Finding {
  /** The key whose value it stands in: `run`, `container.image`. */
  readonly key: string
  /** The text in which it stands. */
  readonly text: TextPlace
  /** Where in the value: the inside of one `${{ }}`, unless a variable of the script brings it. */
  readonly at: Span
  /** True for a `${{ }}` whose value is such text. */
  readonly isExpression: boolean
  readonly step: StepFlow | undefined
  readonly job: JobFlow | undefined
  readonly problem: Problem
}

/**
 * Every place of a file where the sender of an event could choose what is run, in the file's order.
 *
 * @param callees what it calls of its own repository; without them, nobody knows what these do
 * @throws UserError when the file has more steps than a workflow can have
 */
export function findUntrusted(file: ParsedFile, callees?: Callees): Finding[] {
  return inFlow(flowOf(file, callees), () => [fieldsOf(file, callees)])
}

/** The flow of a file in which an item counts as soon as it is taken apart. */
export function fieldsOf(file: ParsedFile, callees?: Callees): Flow {
  return flowOf(file, callees, undefined, 'fields')
}

/** @param fields the same file, by `fieldsOf`, for each of those that call it */
function inFlow(flow: Flow, fields: () => readonly Flow[]): Finding[] {
  const texts = new Texts(flow.source)
  const all = sinksOf(flow)
  const isMet = all.some((one) => one.advice === ADVICE.chat && inSink(flow, texts, one).length > 0)
  const open = new Set(isMet ? fields().flatMap(forgeable) : [])
  const sinks = all.filter(({ advice, place }) => advice !== ADVICE.chat || open.has(place?.node))
  // An alias shows the same text in several places; it is found once for each of them.
  const found = new Map(
    sinks
      .flatMap((sink) => inSink(flow, texts, sink))
      .map((one) => [`${offsetIn(one.text)}:${one.at.start}:${one.key}`, one]),
  )
  return [...found.values()].sort((one, other) => offsetOf(one) - offsetOf(other))
}

function sinksOf({ top, scope, jobs }: Flow): Sink[] {
  return [
    ...defaultsOf(top, scope),
    ...environment(childOf(top, 'env'), scope),
    ...chosenIn([childOf(top, 'env')], scope),
    ...jobs.flatMap(sinksOfJob),
  ]
}

/** Where something else than an item, whole and unchanged, says which chat is answered. */
function forgeable(fields: Flow): unknown[] {
  const chats = sinksOf(fields).filter(({ advice }) => advice === ADVICE.chat)
  const open = chats.filter(({ place, scope }) => taints(place, scope, fields.expressions))
  return open.map(({ place }) => place?.node)
}

/** A step or a job that calls a file: of all that its caller calls, which. */
interface Calls {
  readonly caller: Flow
  readonly at: number
}

/** Problems of one file that are shown; of a file that has more, that it has. */
const MOST_SHOWN = 100

/**
 * What `findUntrusted` finds, in a file and in what it calls, for people to read.
 *
 * @param fields the same file, by `fieldsOf`
 */
export function untrustedProblems(flow: Flow, fields: () => Flow): Problem[] {
  const flows = new Map<Flow, Calls[]>([[flow, []]])
  // A map hands out what is added on the way, too.
  for (const [caller] of flows) {
    for (const [at, callee] of calledBy(caller.jobs).entries()) {
      flows.set(callee, [...(flows.get(callee) ?? []), { caller, at }])
    }
  }
  // Both ways the same files are read, which call the same in the same order.
  const known = new Map<Flow, readonly Flow[]>()
  const sameOf = (one: Flow): readonly Flow[] => {
    const called = () =>
      (flows.get(one) ?? []).flatMap(({ caller, at }) =>
        sameOf(caller).flatMap(({ jobs }) => calledBy(jobs)[at] ?? []),
      )
    const same = known.get(one) ?? (one === flow ? [fields()] : [...new Set(called())])
    known.set(one, same)
    return same
  }
  return [...flows.keys()].flatMap((flow) => {
    const findings = inFlow(flow, () => sameOf(flow))
    const shown = findings.slice(0, MOST_SHOWN).map(({ problem }) => problem)
    const last = shown.at(-1)
    if (!last || findings.length === shown.length) return shown
    const notes = [`and ${findings.length - shown.length} more in this file`]
    return shown.with(-1, { ...last, notes })
  })
}

/**
 * Where text that Hookline brings stands in an input of an action, or of a workflow, of others that is
 * not known to take text: it may say where they go with what tokens they have.
 */
export function inputProblems(file: ParsedFile): Problem[] {
  const jobs = entriesOf(childOf(topOf(file.document), 'jobs')).map(({ value }) => value)
  const given = [...jobs, ...jobs.flatMap(stepsOf)].flatMap((user) =>
    foreignInputs(file.source, user, NOTHING),
  )
  const isComputed = ({ node }: TextPlace) => hasExpression(node.value)
  if (!given.some(({ place }) => textsOf(place).some(isComputed))) return []
  // What a local action does with its inputs is looked into there.
  const flow = flowOf(file, undefined, undefined, hearsWebhooks(file) ? 'webhooks' : 'calls')
  const texts = new Texts(flow.source)
  const sinks = flow.jobs.flatMap((job) => [
    ...foreignInputs(flow.source, job.place, job.scope),
    ...job.steps.flatMap((step) => foreignInputs(flow.source, step.place, step.scope)),
  ])
  return sinks.flatMap((sink) => inSink(flow, texts, sink)).map(({ problem }) => problem)
}

/** False where `repository_dispatch` is for events of other types alone, which no relay sends. */
function hearsWebhooks({ document }: ParsedFile): boolean {
  const types = childOf(topOf(document), 'on', 'repository_dispatch', 'types')
  const named = [types, ...itemsOf(types)].flatMap((place) => textOf(place) ?? [])
  return named.length === 0 || named.includes(EVENT_TYPE)
}

function foreignInputs(source: Source, user: Place, scope: Scope): Sink[] {
  const uses = usesOf(user, source)
  if (uses === '' || localPathOf(uses) !== undefined || isOurs(uses)) return []
  return entriesOf(childOf(user, 'with')).flatMap(({ name, value }) => {
    const input = name.toLowerCase()
    if (isTextInput(uses, input) || adviceOn(uses, input)) return []
    return [{ key: name, place: value, scope, advice: ADVICE.input }]
  })
}

function offsetIn({ alias, node }: TextPlace): number {
  return rangeOf(alias ?? node)[0]
}

function offsetOf({ text, at }: Finding): number {
  return offsetIn(text) + at.start
}

/** A value that is run, or decides what is. */
interface Sink {
  readonly key: string
  readonly place: Place | undefined
  readonly scope: Scope
  readonly advice: Advice
  /** A context: what counts is text that says which of its values is read. */
  readonly chosen?: string
  readonly step?: StepFlow
  readonly job?: JobFlow
}

interface Advice {
  readonly hint: string
  /** The rule whose finding it is; `script-injection` where none is said. */
  readonly code?: 'untrusted-input' | 'untrusted-prompt'
  /** What a sender could choose here, where it is not what runs. */
  readonly choice?: string
}

const ADVICE = {
  script: { hint: 'put it into "env:", and read the variable here' },
  cmd: { hint: 'take "shell: pwsh" and read $env:NAME: cmd runs what stands in a variable, too' },
  shell: { hint: 'name the shell itself here' },
  folder: { hint: 'choose among folders of your own, with a condition' },
  image: { hint: 'choose among images of your own, with a condition' },
  runner: { hint: 'choose among runners of your own, with a condition' },
  arguments: { hint: 'hand it on in "env:", and let the program read it there' },
  checkout: {
    hint: 'check out what this repository names; code that a sender chose runs as yours',
  },
  variable: { hint: 'give it a name of your own: this one decides what programs do' },
  written: {
    hint: 'read it from "env:" in the step that needs it: a line break in it sets any variable',
  },
  program: { hint: 'hand it over as an argument, or in a file that the program reads as data' },
  environment: {
    choice: 'whose secrets the job gets',
    hint: 'choose among environments of your own, with a condition',
  },
  lookup: {
    choice: 'which one is read',
    hint: 'name it here; choose among several with a condition',
  },
  value: {
    choice: 'what is fetched, or where it goes',
    hint: 'choose among values of your own, with a condition',
  },
  input: {
    code: 'untrusted-input',
    choice: 'where secrets go, or what is read',
    hint: 'choose among values of your own, with a condition',
  },
  chat: {
    code: 'untrusted-input',
    choice: 'which chat is answered',
    hint: 'give the item as it is: to: ${{ toJSON(matrix.on) }}, or: to: ${{ steps.hookline.outputs.on }}',
  },
  prompt: {
    code: 'untrusted-prompt',
    choice: 'what the agent does',
    hint: 'write it to a file that the prompt names as data',
  },
} as const satisfies Readonly<Record<string, Advice>>

/** Where text that a sender worded says which secret or variable is read. */
function chosenIn(places: readonly (Place | undefined)[], scope: Scope): Sink[] {
  return ['secrets', 'vars'].flatMap((context) =>
    places.map((place) => ({
      ...{ key: `${context}[…]`, place, scope },
      ...{ advice: ADVICE.lookup, chosen: context },
    })),
  )
}

function defaultsOf(place: Place, scope: Scope): Sink[] {
  const run = childOf(place, 'defaults', 'run')
  return [
    { key: 'shell', place: childOf(run, 'shell'), scope, advice: ADVICE.shell },
    {
      key: 'working-directory',
      place: childOf(run, 'working-directory'),
      scope,
      advice: ADVICE.folder,
    },
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
  const named = childOf(place, 'environment')
  const environmentName = textOf(named) === undefined ? childOf(named, 'name') : named
  const others = entriesOf(place).flatMap(({ name, value }) => (name === 'steps' ? [] : [value]))
  const sinks = [
    ...defaultsOf(place, scope),
    ...environment(childOf(place, 'env'), scope),
    { key: 'runs-on', place: childOf(place, 'runs-on'), scope, advice: ADVICE.runner },
    ...containers.flatMap(([key, container]) => inContainer(key, container, scope)),
    ...inDockerAction(place, scope),
    { key: 'environment', place: environmentName, scope, advice: ADVICE.environment },
    ...chosenIn(others, scope),
  ]
  return [
    ...sinks.map((sink) => ({ ...sink, job })),
    ...job.steps.flatMap((step) => sinksOfStep(job, step)),
  ]
}

/** Parts of a container that choose what runs in it, and what of the machine it gets. */
const OF_CONTAINERS = ['image', 'options', 'volumes', 'entrypoint', 'command']

function inContainer(key: string, container: Place | undefined, scope: Scope): Sink[] {
  if (textOf(container) !== undefined)
    return [{ key, place: container, scope, advice: ADVICE.image }]
  const parts = OF_CONTAINERS.map((part) => ({
    key: `${key}.${part}`,
    place: childOf(container, part),
    scope,
    advice: ADVICE.image,
  }))
  return [...parts, ...environment(childOf(container, 'env'), scope)]
}

/** A program that runs a text among its arguments: the one behind `-c`, or `-e`. */
const INTERPRETER = /(?:^|\/)(?:\w*sh|python[\d.]*|node|deno|bun|perl|ruby|php)$/

/** The parts of an action's `runs` that say what is run in its container. */
function inDockerAction(runs: Place, scope: Scope): Sink[] {
  const programs = ['pre-entrypoint', 'entrypoint', 'post-entrypoint'].map((key) => ({
    ...{ key, place: childOf(runs, key), scope, advice: ADVICE.arguments },
  }))
  const given = itemsOf(childOf(runs, 'args'))
  const words = [childOf(runs, 'entrypoint'), ...given].map((word) => textOf(word) ?? '')
  const isInterpreter = words.some((word) => INTERPRETER.test(word))
  const at = given.findIndex((word) => /^-\w*[ce]$/.test(textOf(word) ?? ''))
  // `-c` alone may name a configuration; a text with more than a value in it is a command.
  const scripts = (at < 0 ? [] : given.slice(at + 1)).filter(
    (word) => isInterpreter || !/^\s*\$\{\{[^}]*\}\}\s*$/.test(textOf(word) ?? ''),
  )
  const args = scripts.map((place) => ({ key: 'args', place, scope, advice: ADVICE.arguments }))
  return [...programs, ...args]
}

function environment(env: Place | undefined, scope: Scope, step?: StepFlow): Sink[] {
  const governing = entriesOf(env).filter(({ name }) => isGoverning(name))
  // A whole mapping from outside may hold any name.
  const places = textOf(env) === undefined ? governing.map(({ value }) => value) : [env]
  return places.map((place) => ({
    key: 'env',
    place,
    scope,
    advice: ADVICE.variable,
    ...(step && { step }),
  }))
}

function sinksOfStep(job: JobFlow, step: StepFlow): Sink[] {
  const { place, scope, uses, shell } = step
  const inputs = entriesOf(childOf(place, 'with'))
  const sinks = [
    {
      key: 'run',
      place: childOf(place, 'run'),
      scope,
      advice: shell === 'cmd' ? ADVICE.cmd : ADVICE.script,
    },
    { key: 'shell', place: childOf(place, 'shell'), scope, advice: ADVICE.shell },
    {
      key: 'working-directory',
      place: childOf(place, 'working-directory'),
      scope,
      advice: ADVICE.folder,
    },
    ...environment(childOf(place, 'env'), scope),
    ...inputs.flatMap(({ name, value }) => {
      const advice = adviceOn(uses, name.toLowerCase())
      if (!advice) return []
      // Without secrets of the repository, GitHub checks out what a pull request brings anyway.
      const isHarmless = advice === ADVICE.checkout && !isPrivileged(job.top)
      const own = isHarmless ? { ...scope, events: 'webhooks' as const } : scope
      return [{ key: name, place: value, scope: own, advice }]
    }),
    ...chosenIn([place], scope),
  ]
  return sinks.map((sink) => ({ ...sink, job, step }))
}

/** Events that whoever opens an issue or a pull request starts, with the secrets of the repository. */
const PRIVILEGED = new Set(
  `discussion discussion_comment issue_comment issues pull_request_target workflow_call
  workflow_run`.split(/\s+/),
)

function isPrivileged(top: Place): boolean {
  const on = childOf(top, 'on')
  const named = [on, ...itemsOf(on)].flatMap((place) => textOf(place) ?? [])
  const events = [...entriesOf(on).map(({ name }) => name), ...named]
  return events.length === 0 || events.some((event) => PRIVILEGED.has(event))
}

function adviceOn(uses: string, input: string): Advice | undefined {
  if (isRunningInput(uses, input)) return ADVICE.script
  if (isPrompt(uses, input)) return ADVICE.prompt
  if (input === 'args' || input === 'entrypoint') return ADVICE.arguments
  if (isAnswered(uses, input)) return ADVICE.chat
  const isCheckout = actionOf(uses) === 'actions/checkout'
  if (isCheckout && ['ref', 'repository'].includes(input)) return ADVICE.checkout
  return isChoosingInput(uses, input) ? ADVICE.value : undefined
}

function inSink({ expressions }: Flow, texts: Texts, sink: Sink): Finding[] {
  const { key, scope, chosen, advice } = sink
  const choice = `whoever sends the event could choose ${advice.choice ?? 'what runs'}`
  const message = `untrusted text in "${key}": ${choice}`
  const below = textsOf(sink.place)
  const isExpression = chosen === undefined
  const found = below.flatMap((text) => {
    const { value } = text.node
    const spans = isExpression
      ? expressions.untrusted(value, scope)
      : expressions.chosen(chosen, value, scope)
    const pasted = key === 'run' && sink.step?.shell === 'cmd' ? pastedByCmd(value, scope) : []
    return [
      ...spans.map((at) => finding(texts, sink, { text, at, isExpression, message })),
      ...pasted.map((at) => finding(texts, sink, { text, at, isExpression: false, message })),
    ]
  })
  const [text] = below
  const isScript = key === 'run' || key === 'script'
  if (!isScript || !sink.step || !text || found.length > 0) return found
  const script = scriptOf(text.node.value, expressions.spansOf(text.node.value))
  const { unbounded, assigned, obeyed } = sink.step.writes
  const governing = assigned.filter(({ name }) => isGoverning(name))
  const written = 'untrusted text is written where every later step obeys it'
  return [
    ...unbounded.map((place) => ({ place, advice: ADVICE.written, message: written })),
    ...governing.map((place) => ({ place, advice: ADVICE.variable, message: written })),
    ...obeyed.map((place) =>
      place.kind === 'prompt'
        ? { place, advice: ADVICE.prompt, message: 'untrusted text in the prompt of an agent' }
        : { place, advice: ADVICE.program, message: 'untrusted text in a program that is run' },
    ),
  ].map(({ place: { start, end }, advice, message }) => {
    const at = { start: script.toValue(start), end: script.toValue(end) }
    return finding(texts, { ...sink, advice }, { text, at, isExpression: false, message })
  })
}

/** `%NAME%` is filled in before cmd reads the line, as `${{ }}` is. */
function pastedByCmd(script: string, scope: Scope): Span[] {
  return [...script.matchAll(/%(\w+)(?::[^%\n]*)?%/g)].flatMap(({ 0: found, 1: name, index }) =>
    scope.env(name?.toLowerCase()) ? [{ start: index, end: index + found.length }] : [],
  )
}

function finding(
  texts: Texts,
  { key, advice, step, job }: Sink,
  found: Pick<Finding, 'text' | 'at' | 'isExpression'> & { readonly message: string },
): Finding {
  const { text, at, isExpression, message } = found
  return {
    ...{ key, text, at, isExpression, step, job },
    // Only of those that are shown the place is looked up.
    get problem() {
      const { code = 'script-injection', hint } = advice
      return { code, message, position: texts.positionOf(text, at), hint }
    },
  }
}

/** The texts of a file; each is held against its source once. */
class Texts {
  readonly #source: Source
  readonly #written = new Map<Scalar, ScalarText>()

  constructor(source: Source) {
    this.#source = source
  }

  /** Of an alias, the alias itself. */
  positionOf({ alias, node }: TextPlace, { start, end }: Span): Position {
    if (alias) return positionAt(this.#source, ...rangeOf(alias))
    const written = this.#written.get(node) ?? new ScalarText(this.#source.text, node)
    this.#written.set(node, written)
    const inside = node.value.slice(start, end)
    const from = start + inside.length - inside.trimStart().length
    const span = written.span(from, Math.max(from + 1, start + inside.trimEnd().length))
    return positionAt(this.#source, span.start, span.end)
  }
}
