import { scriptOf } from '../../shell/script.ts'
import { NO_WRITES, type Writes } from '../../shell/shell-flow.ts'
import { FROM_WEBHOOK, highest, type Taint, TRUSTED } from '../../shell/taint-level.ts'
import { githubScriptWrites, programWrites, scriptWrites } from '../../shell/writes.ts'
import type { Source } from '../../wire/errors.ts'
import { WORKFLOW_INPUT } from '../../wire/payload.ts'
import { wordSet } from '../../wire/words.ts'
import { type EventFields, eventFields } from '../../workflow/event-fields.ts'
import { FatalMistake } from '../../workflow/mistakes.ts'
import {
  childOf,
  type Entry,
  entriesOf,
  itemsOf,
  type ParsedFile,
  type Place,
  textOf,
  textsAt,
  topOf,
} from '../../workflow/nodes.ts'
import { eventNames } from '../../workflow/on.ts'
import {
  actionOf,
  HOOKLINE_ACTION,
  localPathOf,
  MOST_STEPS,
  type ScriptShell,
  scriptShellOf,
  stepsOf,
  usesOf,
} from '../../workflow/steps.ts'
import {
  always,
  lookupByOwner,
  lookupIn,
  OUTER_SCOPE,
  scopeWithCondition,
  scopeWithEnv,
  taintAt,
  taintsOf,
  withVariables,
} from './scope.ts'
import { PASSING } from './sink-names.ts'
import { Expressions, type TaintLookup, type TaintScope } from './taint.ts'

/** A file with the untrusted input that each part of it can read. */
export interface Flow {
  readonly source: Source
  readonly jobs: readonly JobFlow[]
  readonly expressions: Expressions
  /** The outputs that callers of the file can read. */
  readonly outputs: TaintLookup
  /** Whether a step of it, or of a file that it calls, uses the action. */
  readonly usesAction: boolean
}

export interface JobFlow {
  /** The top of the job's file. */
  readonly top: Place
  readonly place: Place
  readonly scope: TaintScope
  readonly steps: readonly StepFlow[]
  /** The workflow of the same repository that the job calls. */
  readonly callee: Flow | undefined
}

export interface StepFlow {
  readonly place: Place
  readonly scope: TaintScope
  /** `actions/checkout@v5` */
  readonly uses: string
  /** `posix` if bash or sh certainly runs the script. */
  readonly shell: ScriptShell
  readonly writes: Writes
  /** The action of the same repository that the step uses. */
  readonly callee: Flow | undefined
}

/** The taints of the inputs that a caller passes, by their names in lower case. */
type TaintedInputs = ReadonlyMap<string, Taint>

/** GitHub starts a workflow with a webhook of the relay, or with the items of a compiled workflow. */
const STARTED: TaintedInputs = new Map([
  [WORKFLOW_INPUT, FROM_WEBHOOK],
  ['on', FROM_WEBHOOK],
])

/** GitHub's own limits are ten workflows and ten actions. */
const MAX_DEPTH = 20

/** Far more steps than all workflows of a repository call. */
const MAX_CALLED_STEPS = 100_000

/** The workflows and actions of one repository, for the files that call them. */
export class Callees {
  readonly #read: (path: string) => ParsedFile | undefined
  readonly #files = new Map<string, ParsedFile | undefined>()
  readonly #flows = new Map<string, Flow>()
  readonly #entered = new Set<string>()
  #steps = 0

  /** @param read finds the file of `.github/workflows/called.yml`, or of `.github/actions/build` */
  constructor(read: (path: string) => ParsedFile | undefined) {
    this.#read = read
  }

  /**
   * @param uses as a step or a job names it: `./.github/actions/build`
   * @returns `undefined` for a file of another repository, for a file that does not exist, and for a
   * file that calls itself, which GitHub rejects
   * @throws FatalMistake if a file has more steps than a workflow can have
   */
  flow(uses: string, inputs: () => TaintedInputs): Flow | undefined {
    const path = HOOKLINE_ACTION.test(uses) ? undefined : localPathOf(uses)
    const file = path === undefined ? undefined : this.#file(path)
    if (!file) return undefined
    const { name } = file.source
    if (this.#entered.has(name) || this.#entered.size === MAX_DEPTH) return undefined
    const passed = inputs()
    const key = JSON.stringify([name, [...passed].sort()])
    const known = this.#flows.get(key)
    if (known) return known
    this.#entered.add(name)
    try {
      const flow = flowOf(file, this, passed)
      this.#steps += flow.jobs.reduce((sum, { steps }) => sum + 1 + steps.length, 0)
      if (this.#steps > MAX_CALLED_STEPS) {
        throw new FatalMistake({
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

  #file(path: string): ParsedFile | undefined {
    if (!this.#files.has(path)) this.#files.set(path, this.#read(path))
    return this.#files.get(path)
  }
}

/**
 * Follows untrusted input through a file, each job after the jobs that it needs, and through the
 * workflows and actions that it calls. Every step is visited once.
 *
 * @throws FatalMistake if the file has more steps than a workflow can have
 */
export function flowOf(
  { source, document }: ParsedFile,
  callees: Callees | undefined,
  passed: TaintedInputs = STARTED,
): Flow {
  const top = topOf(document)
  const runs = entriesOf(top).filter(({ name }) => name === 'runs')
  const isAction = runs.length > 0
  // The steps of a composite action are the steps of a job.
  const jobs = isAction ? runs : entriesOf(childOf(top, 'jobs'))
  checkStepCount(source, jobs)
  const expressions = new Expressions()
  const declared = isAction ? top : childOf(top, 'on', 'workflow_call')
  const inputs = inputTaints(declared, passed, expressions)
  const scope = { ...OUTER_SCOPE, fields: fieldsOf(top), inputs: lookupIn(inputs) }
  const outer = scopeWithEnv(scope, expressions, childOf(top, 'env'))
  const context = { source, top, expressions, callees }
  const outputs = new Map<string, TaintLookup>()
  let end = outer
  const flows = inOrderOfNeeds(jobs).map((job) => {
    const { flow, end: atEnd } = jobFlow(context, job, outer, outputs)
    outputs.set(job.entry.name.toLowerCase(), outputsOfJob(flow, atEnd, expressions))
    end = isAction ? atEnd : end
    return flow
  })
  const atEnd = { ...end, jobs: lookupByOwner(outputs) }
  const returned = entriesOf(childOf(declared, 'outputs')).map(({ name, value }) => {
    const taint = taintAt(childOf(value, 'value'), atEnd, expressions)
    return [name.toLowerCase(), taint] as const
  })
  const isProgram = isAction && textOf(childOf(top, 'runs', 'using')) !== 'composite'
  const uses = flows.flatMap(({ steps }) => steps.map((step) => step.uses))
  return {
    source,
    jobs: flows,
    expressions,
    // A program can return its inputs in any form.
    outputs: isProgram ? always(highest(inputs.values())) : lookupIn(new Map(returned)),
    usesAction:
      uses.some((name) => HOOKLINE_ACTION.test(name)) ||
      calleesOf(flows).some((callee) => callee.usesAction),
  }
}

/** The event of a called workflow, and of an action, is the event of its caller. */
function fieldsOf(top: Place): EventFields {
  const events = eventNames(top).map(({ name }) => name)
  const isCalled = events.length === 0 || events.includes('workflow_call')
  return isCalled ? OUTER_SCOPE.fields : eventFields(events)
}

function checkStepCount(source: Source, jobs: readonly Entry[]): void {
  let count = 0
  for (const { value } of jobs) {
    count += stepsOf(value).length
    if (count > MOST_STEPS) {
      const message = `${source.name} has more than ${MOST_STEPS} steps`
      throw new FatalMistake({ code: 'too-large', message })
    }
  }
}

/** The inputs of a file; numbers and booleans cannot hold a string of a sender. */
function inputTaints(
  declared: Place | undefined,
  passed: TaintedInputs,
  expressions: Expressions,
): TaintedInputs {
  const inputs = new Map<string, Taint>(passed)
  for (const { name, value } of entriesOf(childOf(declared, 'inputs'))) {
    const key = name.toLowerCase()
    const isText = !/^(?:number|boolean)$/.test(textOf(childOf(value, 'type')) ?? '')
    const taint = passed.get(key) ?? taintAt(childOf(value, 'default'), OUTER_SCOPE, expressions)
    inputs.set(key, isText ? taint : TRUSTED)
  }
  return inputs
}

/** The flows of the files that jobs and their steps call. */
export function calleesOf(jobs: readonly JobFlow[]): Flow[] {
  return jobs.flatMap((job) => [job, ...job.steps]).flatMap(({ callee }) => callee ?? [])
}

/** The jobs, each after the jobs that it needs. GitHub rejects a circle; here it is cut somewhere. */
function inOrderOfNeeds(entries: readonly Entry[]): OrderedJob[] {
  const needsOf = ({ value }: Entry) =>
    textsAt(childOf(value, 'needs')).map(({ node }) => node.value.toLowerCase())
  const byName = new Map(
    entries.map((entry) => [entry.name.toLowerCase(), { entry, needs: needsOf(entry) }]),
  )
  const ordered = new Set<OrderedJob>()
  const entered = new Set<OrderedJob>()
  const add = (job: OrderedJob | undefined) => {
    if (!job || entered.has(job)) return
    entered.add(job)
    for (const name of job.needs) add(byName.get(name))
    ordered.add(job)
  }
  for (const job of byName.values()) add(job)
  return [...ordered]
}

interface OrderedJob {
  readonly entry: Entry
  readonly needs: readonly string[]
}

/** The file whose jobs are followed. */
interface FileContext {
  readonly source: Source
  readonly top: Place
  readonly expressions: Expressions
  readonly callees: Callees | undefined
}

/** @returns the job, and the scope after its last step */
function jobFlow(
  file: FileContext,
  { entry, needs }: OrderedJob,
  outer: TaintScope,
  outputs: ReadonlyMap<string, TaintLookup>,
): { flow: JobFlow; end: TaintScope } {
  const { source, top, expressions, callees } = file
  const place = entry.value
  const own = new Map(needs.map((name) => [name, outputs.get(name) ?? always(TRUSTED)]))
  const needed = scopeWithCondition(
    { ...outer, needs: lookupByOwner(own) },
    expressions,
    childOf(place, 'if'),
  )
  const ofSteps = new Map<string, TaintLookup>()
  const matrix = matrixTaints(childOf(place, 'strategy'), needed, expressions)
  const steps: TaintScope['steps'] = (id, name) => lookupByOwner(ofSteps)(id, name)
  const scope = scopeWithEnv({ ...needed, matrix, steps }, expressions, childOf(place, 'env'))
  let around = scope
  const flows = stepsOf(place).map((step): StepFlow => {
    const inStep = scopeWithEnv(around, expressions, childOf(step, 'env'))
    const flow = stepFlow(
      file,
      place,
      step,
      scopeWithCondition(inStep, expressions, childOf(step, 'if')),
    )
    const id = textOf(childOf(step, 'id'))?.toLowerCase()
    if (id !== undefined) ofSteps.set(id, outputsOfStep(flow, expressions))
    const { variables, taint } = flow.writes
    around =
      variables === 'any'
        ? { ...around, env: always(highest([taint, around.env(undefined)])) }
        : withVariables(around, new Map(variables.map((name) => [name, taint])))
    return flow
  })
  const callee = callees?.flow(usesOf(place, source), () =>
    taintsOf(entriesOf(childOf(place, 'with')), scope, expressions),
  )
  return { flow: { top, place, scope, steps: flows, callee }, end: around }
}

/** The keys of a matrix by their values, with those of `include`. */
function matrixTaints(
  strategy: Place | undefined,
  scope: TaintScope,
  expressions: Expressions,
): TaintLookup {
  const matrix = childOf(strategy, 'matrix')
  const include = childOf(matrix, 'include')
  const wholes = [strategy, matrix, include, ...itemsOf(include)]
  const whole = highest(
    wholes.map((place) =>
      textOf(place) === undefined ? TRUSTED : taintAt(place, scope, expressions, true),
    ),
  )
  if (whole > TRUSTED) return always(whole)
  const rows = [matrix, ...itemsOf(include)].flatMap((row) => entriesOf(row))
  const taints = new Map<string, Taint>()
  for (const { name, value } of rows) {
    if (name === 'include') continue
    const key = name.toLowerCase()
    const taint = taintAt(value, scope, expressions, true)
    taints.set(key, highest([taint, taints.get(key) ?? TRUSTED]))
  }
  return lookupIn(taints)
}

function stepFlow(
  { source, top, expressions, callees }: FileContext,
  job: Place,
  place: Place,
  scope: TaintScope,
): StepFlow {
  const uses = usesOf(place, source)
  const shell = scriptShellOf(top, job, place)
  const callee = callees?.flow(uses, () =>
    taintsOf(entriesOf(childOf(place, 'with')), scope, expressions),
  )
  const step = { place, scope, uses, shell, callee }
  if (callee) return { ...step, writes: writesOf(callee) }
  const isGithubScript = /^actions\/github-script@/i.test(uses)
  const text = textOf(isGithubScript ? childOf(place, 'with', 'script') : childOf(place, 'run'))
  if (text === undefined) return { ...step, writes: NO_WRITES }
  const script = scriptOf(text, expressions.spansOf(text))
  const tainted = {
    ofExpression: (expression: string) => expressions.taintOf(expression, scope),
    ofVariable: (name: string | undefined) => scope.env(name?.toLowerCase()),
    fields: scope.fields,
  }
  if (isGithubScript) return { ...step, writes: githubScriptWrites(script, tainted) }
  if (shell === 'other') return { ...step, writes: programWrites(script, tainted) }
  const isPosix = shell === 'posix' || (shell === 'unknown' && !POWERSHELL.test(text))
  return { ...step, writes: scriptWrites(script, isPosix, tainted) }
}

/** How PowerShell names a variable of the environment. */
const POWERSHELL = /\benv:|\[(?:system\.)?environment\]/i

/** The variables that the steps of an action write for steps after it. */
function writesOf({ jobs }: Flow): Writes {
  const writes = jobs.flatMap(({ steps }) => steps.map((step) => step.writes))
  const names = writes.map(({ variables }) => variables)
  const variables = names.includes('any') ? 'any' : names.flat()
  return { ...NO_WRITES, taint: highest(writes.map(({ taint }) => taint)), variables }
}

/** Outputs whose values do not come from the sender. */
const OWN_OUTPUTS = wordSet('triggered count trigger workflow')

function outputsOfStep(
  { place, scope, uses, writes, callee }: StepFlow,
  expressions: Expressions,
): TaintLookup {
  if (HOOKLINE_ACTION.test(uses)) {
    return (name) => (OWN_OUTPUTS.has(name ?? '') ? TRUSTED : FROM_WEBHOOK)
  }
  if (callee) return callee.outputs
  const { outputs, taint } = writes
  if (outputs === 'any') return always(taint)
  if (outputs.length > 0) return lookupIn(new Map(outputs.map((name) => [name, taint])))
  const isPassing = localPathOf(uses) !== undefined || PASSING.includes(actionOf(uses))
  return always(isPassing ? taintAt(childOf(place, 'with'), scope, expressions) : TRUSTED)
}

/** A called workflow that cannot be read may return its inputs. */
function outputsOfJob(
  { place, scope, callee }: JobFlow,
  end: TaintScope,
  expressions: Expressions,
): TaintLookup {
  if (callee) return callee.outputs
  if (localPathOf(textOf(childOf(place, 'uses')) ?? '') !== undefined) {
    return always(taintAt(childOf(place, 'with'), scope, expressions))
  }
  return lookupIn(taintsOf(entriesOf(childOf(place, 'outputs')), end, expressions))
}
