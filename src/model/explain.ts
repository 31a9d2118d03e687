import { isObject, type Json, type JsonObject } from '../wire/json.ts'
import { expressionSpans } from '../workflow/expressions.ts'
import {
  asText,
  conditionText,
  type ExpressionResult,
  evaluateText,
  fillInKnown,
  forContext,
  hasUnknown,
  type PartialContexts,
  parseForEvaluation,
  RESULTS,
  type Status,
  SUCCESS_STATUS,
  truthOf,
  UNKNOWN_OF_GITHUB,
  unknownValue,
} from './evaluate-expression.ts'
import { type JobDecision, scheduleJobs } from './job-schedule.ts'
import type { WorkflowJob, WorkflowJobs, WrittenText } from './workflow-jobs.ts'

/** A string of a workflow and its outcome for one event. */
interface Fact {
  readonly line: number
  /** `if`, `env.TITLE`, `strategy.matrix.on`, or of a step `step 2 (Deploy): with.path`. */
  readonly place: string
  readonly text: string
  readonly outcome: ExpressionResult
}

export interface JobExplanation extends Pick<JobDecision, 'id' | 'verdict' | 'why'> {
  readonly line: number
  /** The number of jobs that its matrix creates; `undefined` without a matrix, or if only a run can know. */
  readonly combinations?: number
  readonly facts: readonly Fact[]
}

export interface ModelEvent {
  /** The known part of the context `github`. */
  readonly github: JsonObject
  readonly inputs?: JsonObject
  /** The context `on`, for a source. */
  readonly on?: Json
  /** The reason why no job of a source runs, if none does. */
  readonly unfired?: string | undefined
  /** The outputs of a step that runs the action; `undefined` for any other step. */
  outputsOf(step: JsonObject): Readonly<Record<string, string>> | undefined
}

/** Explains which jobs of a workflow run for an event, and the values in them that are known without a run. */
export function explainWorkflow(workflow: WorkflowJobs, event: ModelEvent): JobExplanation[] {
  const github = { ...UNKNOWN_OF_GITHUB, ...event.github }
  const contexts: PartialContexts = {
    github,
    ...(event.inputs && { inputs: event.inputs }),
    ...(event.on !== undefined && { on: event.on }),
  }
  if (event.unfired !== undefined) {
    const why = event.unfired
    return workflow.jobs.map(({ id, line }) => ({ id, line, verdict: 'skipped', why, facts: [] }))
  }
  const walked = (job: WorkflowJob, given: PartialContexts) =>
    new JobWalk(job, workflow.env, event).walk(given)
  const decisions = scheduleJobs(workflow.jobs, {
    contexts,
    outputs: (job, given) => walked(job, given).outputs,
    failure(job, given) {
      const matrix = matrixCombinations(job, given)
      return typeof matrix === 'object' && 'fails' in matrix ? matrix.fails : undefined
    },
  })
  return workflow.jobs.flatMap((job) => {
    const decision = decisions.find(({ id }) => id === job.id)
    if (!decision) return []
    const { id, verdict, why, contexts: own, status } = decision
    const condition = conditionFact(job, own, status)
    const base = { id, line: job.line, verdict, why }
    if (verdict === 'skipped' || verdict === 'fails') return { ...base, facts: condition }
    const { combinations, facts } = walked(job, own)
    const count = combinations === undefined ? {} : { combinations }
    return { ...base, ...count, facts: [...condition, ...facts] }
  })
}

function conditionFact({ texts }: WorkflowJob, contexts: PartialContexts, status: Status): Fact[] {
  return texts
    .filter(({ path }) => path.length === 1 && path[0] === 'if')
    .map(({ line, text }) => {
      const outcome = evaluateText(conditionText(text), contexts, status)
      return { line, place: 'if', text, outcome }
    })
}

/** The combinations of a matrix, the reason why the job fails, or `undefined` without a matrix. */
function matrixCombinations({ body }: WorkflowJob, contexts: PartialContexts) {
  const { strategy } = body
  if (!isObject(strategy) || strategy.matrix === undefined) return undefined
  const matrix = deepFill(strategy.matrix as Json, contexts)
  if (!isObject(matrix)) return 'unknown'
  const hasRules = 'include' in matrix || 'exclude' in matrix
  // A list that is unknown, or an entry with an unknown value, can add or exclude combinations.
  const isOpen = Object.entries(matrix).some(([name, list]) => {
    const isVector = name !== 'include' && name !== 'exclude'
    return isVector && Array.isArray(list) && !hasRules ? false : hasUnknown(list)
  })
  return isOpen ? 'unknown' : combinationsOf(matrix as JsonObject)
}

/**
 * The context `env` for the steps after this one. A script that writes to `$GITHUB_ENV` changes variables:
 * those that it assigns by name, or any variable if the names are not in the script.
 */
function envAfter(step: JsonObject, env: Json | undefined): Json {
  const script = typeof step.run === 'string' ? step.run : ''
  const lines = script.split('\n').filter((line) => /GITHUB_ENV/.test(line))
  if (lines.length === 0) return env ?? {}
  const names = lines.map((line) => /\b(?:echo|printf)\s+["']?([A-Za-z_]\w*)=/.exec(line)?.[1])
  if (names.some((name) => name === undefined) || !isObject(env)) {
    return unknownValue('a variable that a step writes to $GITHUB_ENV')
  }
  const written = names.map((name) => [
    name,
    unknownValue(`${name}, which a step writes to $GITHUB_ENV`),
  ])
  return { ...(env as JsonObject), ...Object.fromEntries(written) }
}

/** Goes through one job from top to bottom, as its runner does. */
class JobWalk {
  readonly #job: WorkflowJob
  readonly #workflowEnv: JsonObject
  readonly #event: ModelEvent
  readonly #facts: Fact[] = []
  /** The combinations of the matrix after the first one. */
  #others: readonly JsonObject[] = []

  constructor(job: WorkflowJob, workflowEnv: JsonObject, event: ModelEvent) {
    this.#job = job
    this.#workflowEnv = workflowEnv
    this.#event = event
  }

  walk(given: PartialContexts) {
    const { body } = this.#job
    const combinations = this.#combinations(given)
    // Values are shown for the first combination; a condition must have one result for all of them.
    const [first] = combinations ?? [unknownValue('the matrix')]
    this.#others = combinations?.slice(1) ?? []
    let contexts: PartialContexts = { ...given, ...(first !== undefined && { matrix: first }) }
    this.#note((path) => path[0] === 'strategy', contexts)
    contexts = { ...contexts, env: this.#env(this.#workflowEnv, body.env, contexts) }
    this.#note(
      (path) => !['if', 'steps', 'outputs', 'strategy'].includes(String(path[0])),
      contexts,
    )
    const steps: JsonObject = {}
    const list = Array.isArray(body.steps) ? body.steps : []
    for (const [at, step] of list.entries()) {
      if (!isObject(step)) continue
      const done = this.#step(step as JsonObject, at, { ...contexts, steps: { ...steps } })
      if (typeof step.id === 'string') steps[step.id] = done
      if (done.outcome !== 'skipped') contexts = { ...contexts, env: envAfter(step, contexts.env) }
    }
    const outputs = isObject(body.outputs) ? (body.outputs as JsonObject) : {}
    const after = { ...contexts, steps }
    this.#note((path) => path[0] === 'outputs', after)
    const values = Object.entries(outputs).map(([name, text]): [string, Json] => {
      const outcome = fillInKnown(String(text), after)
      return [name, 'value' in outcome ? asText(outcome.value) : forContext(outcome)]
    })
    const isCall = typeof body.uses === 'string'
    const all: Json = isCall
      ? unknownValue('an output of a called workflow')
      : Object.fromEntries(values)
    const count = first === undefined ? undefined : combinations?.length
    return { facts: this.#facts, combinations: count, outputs: all }
  }

  /** The combinations of its matrix; none without a matrix, `undefined` if only a run can know. */
  #combinations(contexts: PartialContexts): readonly JsonObject[] | undefined {
    const matrix = matrixCombinations(this.#job, contexts)
    if (matrix === undefined) return []
    return Array.isArray(matrix) ? (matrix as readonly JsonObject[]) : undefined
  }

  #env(outer: JsonObject, own: Json | undefined, contexts: PartialContexts): JsonObject {
    const values = Object.entries({ ...outer, ...(isObject(own) ? (own as JsonObject) : {}) })
    return Object.fromEntries(
      values.map(([name, value]) => {
        const outcome = fillInKnown(asText(value), contexts)
        return [name, 'value' in outcome ? asText(outcome.value) : forContext(outcome)]
      }),
    )
  }

  /** @returns the step in the context `steps` of later steps */
  #step(step: JsonObject, at: number, contexts: PartialContexts): JsonObject {
    const own = (path: WrittenText['path']) => path[0] === 'steps' && path[1] === at
    const env = isObject(contexts.env)
      ? this.#env(contexts.env as JsonObject, step.env, contexts)
      : (contexts.env ?? {})
    const inner = { ...contexts, env }
    const condition = step.if === undefined ? '' : conditionText(asText(step.if))
    const holds = condition === '' ? true : truthOf(this.#condition(condition, inner))
    this.#note((path) => own(path) && path[2] === 'if', inner)
    if (holds === false) return { outputs: {}, outcome: 'skipped', conclusion: 'skipped' }
    this.#note((path) => own(path) && path[2] !== 'if', inner)
    const outputs = this.#event.outputsOf(step)
    const result = holds === undefined ? unknownValue('whether the step runs', RESULTS) : 'success'
    return {
      outputs: outputs && holds ? { ...outputs } : unknownValue('an output of a step'),
      outcome: result,
      conclusion: result,
    }
  }

  /** Evaluates a condition for every combination of the matrix. */
  #condition(text: string, contexts: PartialContexts): ExpressionResult {
    const outcome = evaluateText(text, contexts, SUCCESS_STATUS)
    const truth = truthOf(outcome)
    const isSame = this.#others.every((matrix) => {
      return truthOf(evaluateText(text, { ...contexts, matrix }, SUCCESS_STATUS)) === truth
    })
    return isSame ? outcome : { unknown: 'the matrix', values: [true, false] }
  }

  /** Records the outcome of each condition, and of each string that depends on the event. */
  #note(isHere: (path: WrittenText['path']) => boolean, contexts: PartialContexts): void {
    for (const { path, text, line } of this.#job.texts) {
      if (!isHere(path) || !(path.at(-1) === 'if' || dependsOnEvent(text))) continue
      const isCondition = path.at(-1) === 'if'
      const outcome = isCondition
        ? this.#condition(conditionText(text), contexts)
        : fillInKnown(text, contexts)
      this.#facts.push({ line, place: this.#placeOf(path), text, outcome })
    }
  }

  #placeOf(path: WrittenText['path']): string {
    if (path[0] !== 'steps') return path.join('.')
    const [, at, ...rest] = path
    const steps = Array.isArray(this.#job.body.steps) ? this.#job.body.steps : []
    const step = steps[Number(at)]
    const named = isObject(step) ? (step.name ?? step.id) : undefined
    const name = typeof named === 'string' && !named.includes('${{') ? ` (${named})` : ''
    return `step ${Number(at) + 1}${name}: ${rest.join('.')}`
  }
}

const EVENTFUL = ['on', 'matrix', 'needs', 'inputs', 'steps', 'env', 'github.event']

function dependsOnEvent(text: string): boolean {
  return expressionSpans(text).some(({ start, end }) => {
    const parsed = parseForEvaluation(text.slice(start, end))
    return 'fails' in parsed || EVENTFUL.some((name) => parsed.contexts.has(name))
  })
}

function deepFill(value: Json, contexts: PartialContexts): Json {
  if (typeof value === 'string') {
    return value.includes('${{') ? forContext(fillInKnown(value, contexts)) : value
  }
  if (Array.isArray(value)) return value.map((one) => deepFill(one, contexts))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, deepFill(one as Json, contexts)]),
  )
}

/**
 * Returns the combinations of a matrix whose values are known, in GitHub's order, or the reason why the
 * job fails. Source: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstrategymatrixinclude
 */
function combinationsOf(matrix: JsonObject): readonly JsonObject[] | { readonly fails: string } {
  const { include = [], exclude = [], ...vectors } = matrix
  const lists = Object.entries(vectors)
  for (const [name, list] of lists) {
    if (!Array.isArray(list)) return { fails: `its matrix: "${name}" is not a list` }
    if (list.length === 0) return { fails: `its matrix: "${name}" is empty` }
  }
  const excluded = listedObjects(exclude)
  const product = lists.reduce<JsonObject[]>(
    (all, [name, list]) =>
      all.flatMap((one) => (list as Json[]).map((value) => ({ ...one, [name]: value }))),
    lists.length > 0 ? [{}] : [],
  )
  const original = product.filter(
    (one) =>
      !excluded.some((entry) =>
        Object.entries(entry).every(([name, value]) => isEqualJson(one[name], value)),
      ),
  )
  const extended = original.map((one) => ({ ...one }))
  const added: JsonObject[] = []
  for (const entry of listedObjects(include)) {
    // An entry extends each combination that it does not contradict; otherwise it is one of its own.
    const names = Object.keys(entry)
    const fitting = original.flatMap((one, at) => {
      return names.every((name) => !(name in one) || isEqualJson(one[name], entry[name])) ? at : []
    })
    for (const at of fitting) Object.assign(extended[at] ?? {}, entry)
    if (fitting.length === 0) added.push(entry)
  }
  const combinations = [...extended, ...added]
  return combinations.length > 0 ? combinations : { fails: 'its matrix has no combination' }
}

function listedObjects(list: Json): JsonObject[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((entry) => (isObject(entry) ? [entry as JsonObject] : []))
}

function isEqualJson(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
