import type { Source } from '../../wire/errors.ts'
import { WORKFLOW_INPUT } from '../../wire/payload.ts'
import { Refusal } from '../../workflow/mistakes.ts'
import {
  childOf,
  type Entry,
  entriesOf,
  itemsOf,
  type ParsedFile,
  type Place,
  textOf,
  topOf,
} from '../../workflow/nodes.ts'
import {
  actionOf,
  HOOKLINE_ACTION,
  localPathOf,
  MOST_STEPS,
  type Shell,
  shellOf,
  stepsOf,
  usesOf,
} from '../../workflow/steps.ts'
import { mayBring, NO_PLACES, type Places, placesBehind, withoutFolder } from './places.ts'
import {
  ALL,
  type Names,
  NO_NAMES,
  NONE,
  NOTHING,
  named,
  namesOf,
  type Outputs,
  outputOf,
  outputsNamed,
  type Surroundings,
  taints,
  variableNames,
  withEnv,
  withNames,
} from './scope.ts'
import { scriptOf } from './script.ts'
import { PASSING } from './sink-names.ts'
import { type CountedEvents, Expressions, type Scope } from './taint.ts'
import { githubScriptWrites, NO_WRITES, scriptWrites, type Writes } from './writes.ts'

/** A file with what a sender worded in each part of it. */
export interface Flow {
  readonly source: Source
  readonly top: Place
  readonly scope: Scope
  readonly jobs: readonly JobFlow[]
  readonly expressions: Expressions
  /** What it hands back to those that call it. */
  readonly outputs: Outputs
  /** True when a step of it, or of what it calls, uses the action. */
  readonly usesAction: boolean
}

export interface JobFlow {
  /** The file in which it stands. */
  readonly top: Place
  readonly place: Place
  readonly scope: Scope
  readonly steps: readonly StepFlow[]
  /** The workflow of the same repository that it calls. */
  readonly callee: Flow | undefined
  readonly unread: Unread | undefined
}

export interface StepFlow {
  readonly place: Place
  readonly scope: Scope
  /** What the step runs: `actions/checkout@v5`. */
  readonly uses: string
  /** `posix` where bash or sh runs its script for sure. */
  readonly shell: Shell
  readonly writes: Writes
  /** The action of the same repository that it uses. */
  readonly callee: Flow | undefined
  readonly unread: Unread | undefined
}

/**
 * Why what a step or a job calls by a path was not read: it is `missing` in this repository (or is no
 * YAML), or something else may bring it there, as the checkout of another repository does.
 */
export type Unread = 'missing' | 'elsewhere'

/** What a caller hands to a workflow or an action; names are in lower case. */
interface Given {
  /** The inputs that it gives, and whether a sender worded them; others are as the file says. */
  readonly inputs: ReadonlyMap<string, boolean>
  /** Secrets that a sender worded. */
  readonly secrets: Names
  /** Variables that a sender worded; an action of steps reads those of its caller. */
  readonly env: Names
  /** What lies on the runner where an action's steps begin. */
  readonly places: Places
}

/** What GitHub starts gets a webhook that a relay handed on, or the events of a compiled workflow. */
const STARTED: Given = {
  inputs: new Map([
    [WORKFLOW_INPUT, true],
    ['on', true],
  ]),
  secrets: NO_NAMES,
  env: NO_NAMES,
  places: NO_PLACES,
}

/** The same, where an item is none of what counts. */
const STARTED_OF_FIELDS: Given = { ...STARTED, inputs: new Map([[WORKFLOW_INPUT, true]]) }

/** GitHub's own bounds are ten workflows and ten actions. */
const DEEPEST = 20

/** Far more steps than all that the workflows of a repository call. */
const MOST_CALLED = 100_000

/** Workflows and actions of one repository, for those of its files that call them. */
export class Callees {
  readonly #read: (path: string) => ParsedFile | undefined
  readonly #files = new Map<string, ParsedFile | undefined>()
  readonly #flows = new Map<string, Flow>()
  readonly #entered = new Set<string>()
  #steps = 0

  /** @param read finds the file of `.github/workflows/called.yml`, or of `.github/actions/made` */
  constructor(read: (path: string) => ParsedFile | undefined) {
    this.#read = read
  }

  /**
   * @param uses as a step or a job names it: `./.github/actions/made`
   * @param events whose texts count
   * @returns `undefined` for one of another repository, one that is not there, or one that calls
   * itself, which GitHub refuses
   * @throws Refusal when a file has more steps than it can have
   */
  flow(uses: string, events: CountedEvents, givenBy: () => Given): Flow | undefined {
    const path = calledPath(uses)
    const file = path === undefined ? undefined : this.#file(path)
    if (!file) return undefined
    const { name } = file.source
    if (this.#entered.has(name) || this.#entered.size === DEEPEST) return undefined
    const given = givenBy()
    const sorted = (names: Names) => (names === 'any' ? names : [...names].sort())
    const key = JSON.stringify([
      ...[name, events, [...given.inputs].sort()],
      ...[sorted(given.secrets), sorted(given.env), given.places],
    ])
    const known = this.#flows.get(key)
    if (known) return known
    this.#entered.add(name)
    try {
      const flow = flowOf(file, this, given, events)
      this.#steps += flow.jobs.reduce((sum, { steps }) => sum + 1 + steps.length, 0)
      if (this.#steps > MOST_CALLED) {
        throw new Refusal({
          code: 'too-large',
          message: `${name}: called in too many ways to follow them all`,
        })
      }
      this.#flows.set(key, flow)
      return flow
    } finally {
      this.#entered.delete(name)
    }
  }

  /** Why what a step or a job uses by a path cannot be read; `undefined` where it can. */
  unread(uses: string, { brought }: Places): Unread | undefined {
    const path = calledPath(uses)
    if (path === undefined || this.#file(path)) return undefined
    const isBrought = brought.some((one) => mayBring(one, path))
    return isBrought ? 'elsewhere' : 'missing'
  }

  #file(path: string): ParsedFile | undefined {
    if (!this.#files.has(path)) this.#files.set(path, this.#read(path))
    return this.#files.get(path)
  }
}

function calledPath(uses: string): string | undefined {
  return HOOKLINE_ACTION.test(uses) ? undefined : localPathOf(uses)
}

/**
 * Follows untrusted text through a file: the jobs in the order of their `needs`, the steps of each
 * in theirs, every one once; and through the workflows and actions that it calls.
 *
 * @param events whose texts count
 * @throws Refusal when the file has more steps than a workflow can have
 */
export function flowOf(
  { source, document }: ParsedFile,
  callees: Callees | undefined,
  given?: Given,
  events: CountedEvents = 'all',
): Flow {
  const { inputs: ofCaller, ...caller } =
    given ?? (events === 'fields' ? STARTED_OF_FIELDS : STARTED)
  const top = topOf(document)
  const runs = entriesOf(top).filter(({ name }) => name === 'runs')
  const isAction = runs.length > 0
  // The steps of an action are those of a job that is called.
  const jobs = isAction ? runs : entriesOf(childOf(top, 'jobs'))
  let count = 0
  for (const { value } of jobs) {
    count += stepsOf(value).length
    if (count <= MOST_STEPS) continue
    throw new Refusal({
      code: 'too-large',
      message: `${source.name} has more than ${MOST_STEPS} steps`,
    })
  }
  const expressions = new Expressions()
  const declared = isAction ? top : childOf(top, 'on', 'workflow_call')
  const called = { ...NOTHING, events, secrets: named(caller.secrets) }
  const inputs = new Map([
    ...entriesOf(childOf(declared, 'inputs')).map(({ name, value }) => {
      const isTainted = taints(childOf(value, 'default'), called, expressions)
      return [name.toLowerCase(), isTainted] as const
    }),
    ...ofCaller,
  ])
  const scope = { ...called, inputs: named(namesOf(inputs)) }
  const around = withNames({ scope, env: undefined }, caller.env)
  const outer = withEnv(around, expressions, childOf(top, 'env'))
  const here = { source, top, expressions, callees, places: caller.places }
  const outputs = new Map<string, Outputs>()
  let end: Scope = outer.scope
  const flows = inOrderOfNeeds(jobs).map((job) => {
    const { flow, end: behind } = jobFlow(here, job, outer, outputs)
    outputs.set(job.entry.name.toLowerCase(), outputsOfJob(flow, behind, expressions))
    end = isAction ? behind : end
    return flow
  })
  const handed = entriesOf(childOf(declared, 'outputs')).filter(({ value }) =>
    taints(childOf(value, 'value'), { ...end, jobs: outputOf(outputs) }, expressions),
  )
  const isProgram = isAction && textOf(childOf(top, 'runs', 'using')) !== 'composite'
  const uses = flows.flatMap(({ steps }) => steps.map((step) => step.uses))
  return {
    ...{ source, top, scope: outer.scope, jobs: flows, expressions },
    // What a program makes of its inputs, nobody knows.
    outputs: isProgram
      ? () => events === 'fields' || [...inputs.values()].includes(true)
      : outputsNamed(handed),
    usesAction:
      uses.some((one) => HOOKLINE_ACTION.test(one)) ||
      calledBy(flows).some((callee) => callee.usesAction),
  }
}

/** The flows of what jobs and their steps call. */
export function calledBy(jobs: readonly JobFlow[]): Flow[] {
  return jobs.flatMap((job) => [job, ...job.steps]).flatMap(({ callee }) => callee ?? [])
}

/** The jobs, each behind those it needs; a circle, which GitHub refuses, is cut somewhere. */
function inOrderOfNeeds(entries: readonly Entry[]): OrderedJob[] {
  const byName = new Map(
    entries.map((entry) => {
      const list = childOf(entry.value, 'needs')
      const needs = [list, ...itemsOf(list)].flatMap((one) => textOf(one)?.toLowerCase() ?? [])
      return [entry.name.toLowerCase(), { entry, needs }]
    }),
  )
  const ordered = new Set<OrderedJob>()
  const entered = new Set<OrderedJob>()
  const waiting = [...byName.values()].reverse()
  for (let job = waiting.at(-1); job; job = waiting.at(-1)) {
    const before = job.needs
      .flatMap((name) => byName.get(name) ?? [])
      .filter((one) => !entered.has(one))
    if (entered.has(job) || before.length === 0) {
      ordered.add(job)
      waiting.pop()
    } else waiting.push(...before)
    entered.add(job)
  }
  return [...ordered]
}

interface OrderedJob {
  readonly entry: Entry
  readonly needs: readonly string[]
}

/** The file whose jobs are followed. */
interface Here {
  readonly source: Source
  readonly top: Place
  readonly expressions: Expressions
  readonly callees: Callees | undefined
  readonly places: Places
}

/** @returns the job, and what was known behind its last step */
function jobFlow(
  here: Here,
  { entry, needs }: OrderedJob,
  outer: Surroundings,
  outputs: ReadonlyMap<string, Outputs>,
): { flow: JobFlow; end: Scope } {
  const { source, top, expressions, callees } = here
  const place = entry.value
  const own = new Map(needs.map((name) => [name, outputs.get(name) ?? NONE]))
  const needed = { ...outer.scope, needs: outputOf(own) }
  const ofSteps = new Map<string, Outputs>()
  const scope: Scope = {
    ...needed,
    matrix: matrixOf(childOf(place, 'strategy'), needed, expressions),
    steps: (id, name) => outputOf(ofSteps)(id, name),
  }
  const job = withEnv({ scope, env: outer.env }, expressions, childOf(place, 'env'))
  let around = job
  let { places } = here
  const steps = stepsOf(place).map((step): StepFlow => {
    const inStep = withEnv(around, expressions, childOf(step, 'env'))
    const flow = stepFlow({ ...here, places }, place, step, inStep)
    places = placesBehind(places, flow)
    const id = textOf(childOf(step, 'id'))?.toLowerCase()
    if (id !== undefined) ofSteps.set(id, outputsOfStep(flow, expressions))
    const { variables } = flow.writes
    around = withNames(around, variables === 'any' ? variables : new Set(variables))
    return flow
  })
  const uses = usesOf(place, source)
  const callee = callees?.flow(uses, job.scope.events, () => ({
    inputs: inputsOf(place, job.scope, expressions),
    secrets: secretsOf(childOf(place, 'secrets'), job.scope, expressions),
    env: NO_NAMES,
    places: NO_PLACES,
  }))
  const unread = callees?.unread(uses, NO_PLACES)
  return { flow: { top, place, scope: job.scope, steps, callee, unread }, end: around.scope }
}

function inputsOf(
  caller: Place,
  scope: Scope,
  expressions: Expressions,
): ReadonlyMap<string, boolean> {
  return new Map(
    entriesOf(childOf(caller, 'with')).map(({ name, value }) => [
      name.toLowerCase(),
      taints(value, scope, expressions),
    ]),
  )
}

/** Those that are handed on, by name or all of them, and that a sender worded. */
function secretsOf(place: Place | undefined, scope: Scope, expressions: Expressions): Names {
  if (textOf(place) === 'inherit') return scope.secrets(undefined) ? 'any' : NO_NAMES
  const tainted = entriesOf(place).filter(({ value }) => taints(value, scope, expressions))
  return new Set(tainted.map(({ name }) => name.toLowerCase()))
}

/** Keys of the matrix by their values, those of `include` too. */
function matrixOf(strategy: Place | undefined, scope: Scope, expressions: Expressions): Outputs {
  const matrix = childOf(strategy, 'matrix')
  const include = childOf(matrix, 'include')
  const wholes = [strategy, matrix, include, ...itemsOf(include)]
  const isText = (place: Place | undefined) => textOf(place) !== undefined
  const isAny = (place: Place) => scope.events === 'fields' || taints(place, scope, expressions)
  if (wholes.some((place) => place && isText(place) && isAny(place))) return ALL
  const rows = [matrix, ...itemsOf(include)].flatMap((row) => entriesOf(row))
  return outputsNamed(
    rows.filter(({ name, value }) => name !== 'include' && taints(value, scope, expressions)),
  )
}

function stepFlow(
  { source, top, expressions, callees, places }: Here,
  job: Place,
  place: Place,
  { scope, env }: Surroundings,
): StepFlow {
  const uses = usesOf(place, source)
  const shell = shellOf(top, job, place)
  const called = withoutFolder(uses, places)
  const callee = callees?.flow(called, scope.events, () => ({
    inputs: inputsOf(place, scope, expressions),
    secrets: NO_NAMES,
    env: variableNames(env),
    places,
  }))
  const unread = callees?.unread(called, places)
  const step = { place, scope, uses, shell, callee, unread }
  if (callee) return { ...step, writes: { ...NO_WRITES, variables: variablesOf(callee) } }
  const isGithubScript = /^actions\/github-script@/i.test(uses)
  const text = textOf(isGithubScript ? childOf(place, 'with', 'script') : childOf(place, 'run'))
  if (text === undefined) return { ...step, writes: NO_WRITES }
  if (scope.events === 'fields') {
    // What a script makes of an item is none.
    const variables = SETS_VARIABLES.test(text) ? ('any' as const) : []
    return { ...step, writes: { ...NO_WRITES, outputs: true, variables } }
  }
  const script = scriptOf(text, expressions.spansOf(text))
  const tainted = {
    isTainted: (expression: string) => expressions.isUntrusted(expression, scope),
    isTaintedVariable: (name: string | undefined) => scope.env(name?.toLowerCase()),
  }
  if (isGithubScript) {
    return { ...step, writes: githubScriptWrites(script, tainted, scope.events) }
  }
  const isPosix = shell === 'posix' || (shell === 'unknown' && !POWERSHELL.test(text))
  return { ...step, writes: scriptWrites(script, isPosix, tainted) }
}

const SETS_VARIABLES = /GITHUB_ENV|exportVariable/

/** How PowerShell names a variable of the environment. */
const POWERSHELL = /\benv:|\[(?:system\.)?environment\]/i

/** Variables that the steps of an action write for those behind it. */
function variablesOf({ jobs }: Flow): Writes['variables'] {
  const written = jobs.flatMap(({ steps }) => steps.map(({ writes }) => writes.variables))
  return written.includes('any') ? 'any' : written.flat()
}

/** What the action says of its own accord. */
const OWN_WORDS = new Set(['triggered', 'count', 'trigger', 'workflow'])

function outputsOfStep(
  { place, scope, uses, writes, callee }: StepFlow,
  expressions: Expressions,
): Outputs {
  const isOfFields = scope.events === 'fields'
  if (HOOKLINE_ACTION.test(uses)) {
    const isItem = (name: string) => isOfFields && ['on', 'items'].includes(name)
    return (name) => name === undefined || !(OWN_WORDS.has(name) || isItem(name))
  }
  if (callee) return callee.outputs
  if (isOfFields) return ALL
  if (writes.outputs) return ALL
  const isPassing = localPathOf(uses) !== undefined || PASSING.includes(actionOf(uses))
  return isPassing && taints(childOf(place, 'with'), scope, expressions) ? ALL : NONE
}

/** What was given to a called workflow that cannot be read may come back. */
function outputsOfJob(
  { place, scope, callee }: JobFlow,
  end: Scope,
  expressions: Expressions,
): Outputs {
  if (callee) return callee.outputs
  if (scope.events === 'fields' && childOf(place, 'uses')) return ALL
  if (localPathOf(textOf(childOf(place, 'uses')) ?? '') !== undefined) {
    return taints(childOf(place, 'with'), scope, expressions) ? ALL : NONE
  }
  const outputs = entriesOf(childOf(place, 'outputs'))
  return outputsNamed(outputs.filter(({ value }) => taints(value, end, expressions)))
}
