import { isObject, type Json, type JsonObject } from '../wire/json.ts'
import { expressionSpans } from '../workflow/expressions.ts'
import {
  asText,
  type Contexts,
  conditionText,
  evaluateText,
  fillInKnown,
  forContext,
  type Outcome,
  parseExpression,
  type Status,
  truthOf,
  unknown,
} from './evaluate.ts'
import { type JobDecision, scheduleJobs } from './schedule.ts'
import type { WorkflowJob, WorkflowJobs, WrittenText } from './workflow-jobs.ts'

/** A text of a workflow with what it comes to for one event. */
export interface Fact {
  readonly line: number
  /** `if`, `env.TITLE`, `strategy.matrix.on`, or of a step `step 2 (Deploy): with.path`. */
  readonly place: string
  readonly text: string
  readonly outcome: Outcome
}

export interface JobExplanation extends Pick<JobDecision, 'id' | 'verdict' | 'why'> {
  readonly line: number
  /** Jobs that its matrix makes; `undefined` without one, or where only a run can tell. */
  readonly combinations?: number
  readonly facts: readonly Fact[]
}

/** An event, as a workflow meets it. */
export interface ModelEvent {
  /** What of `github` is known; the rest only a run can know. */
  readonly github: JsonObject
  readonly inputs?: JsonObject
  /** For a file that is compiled: its context `on`. */
  readonly on?: Json
  /** Why no job of such a file runs, where none does. */
  readonly unfired?: string | undefined
  /** The outputs of a step that runs the action; `undefined` for any other step. */
  outputsOf(step: JsonObject): Readonly<Record<string, string>> | undefined
}

/** What a workflow does with an event, job by job, as far as it can be known without a run. */
export function explainWorkflow(workflow: WorkflowJobs, event: ModelEvent): JobExplanation[] {
  const jobs = new Map(workflow.jobs.map((job) => [job.id, job]))
  const github = { ...UNKNOWN_OF_GITHUB, ...event.github }
  const contexts: Contexts = {
    github,
    ...(event.inputs && { inputs: event.inputs }),
    ...(event.on !== undefined && { on: event.on }),
  }
  const explain = (id: string, given: Contexts) => {
    const job = jobs.get(id)
    return job ? new JobWalk(job, workflow.env, event).walk(given) : undefined
  }
  if (event.unfired !== undefined) {
    const why = event.unfired
    return workflow.jobs.map(({ id, line }) => ({ id, line, verdict: 'skipped', why, facts: [] }))
  }
  const outputs = (id: string, given: Contexts) => explain(id, given)?.outputs ?? {}
  const decisions = new Map(
    scheduleJobs(workflow.jobs, { contexts, outputs }).map((decision) => [decision.id, decision]),
  )
  return workflow.jobs.flatMap((job): JobExplanation[] => {
    const decision = decisions.get(job.id)
    if (!decision) return []
    const { id, verdict, why, contexts: own } = decision
    const condition = conditionFact(job, own)
    const base = { id, line: job.line, verdict, why }
    if (verdict === 'skipped' || verdict === 'fails') return [{ ...base, facts: condition }]
    const walked = explain(id, own)
    const { combinations } = walked ?? {}
    return [
      {
        ...base,
        ...(combinations !== undefined && { combinations }),
        facts: [...condition, ...(walked?.facts ?? [])],
      },
    ]
  })
}

/** Known only to a run; the names are those of GitHub's documentation of the context. */
const UNKNOWN_OF_GITHUB: JsonObject = Object.fromEntries(
  `action action_path action_ref action_repository action_status actor actor_id api_url base_ref env
  event_path graphql_url head_ref job path ref ref_name ref_protected ref_type repository
  repository_id repository_owner repository_owner_id repositoryUrl retention_days run_id run_number
  run_attempt secret_source server_url sha token triggering_actor workflow workflow_ref workflow_sha
  workspace`
    .split(/\s+/)
    .map((name) => [name, unknown(`github.${name}`)]),
)

const RUNNING: Status = { success: true, failure: false, cancelled: false }

function conditionFact({ texts }: WorkflowJob, contexts: Contexts): Fact[] {
  return texts
    .filter(({ path }) => path.length === 1 && path[0] === 'if')
    .map(({ line, text }) => {
      const outcome = evaluateText(conditionText(text), contexts, RUNNING)
      return { line, place: 'if', text, outcome }
    })
}

/** Goes through one job from top to bottom, as its runner would. */
class JobWalk {
  readonly #job: WorkflowJob
  readonly #workflowEnv: JsonObject
  readonly #event: ModelEvent
  readonly #facts: Fact[] = []

  constructor(job: WorkflowJob, workflowEnv: JsonObject, event: ModelEvent) {
    this.#job = job
    this.#workflowEnv = workflowEnv
    this.#event = event
  }

  walk(given: Contexts) {
    const { body } = this.#job
    const { combinations, matrix } = this.#matrix(given)
    let contexts: Contexts = { ...given, ...(matrix !== undefined && { matrix }) }
    this.#tell((path) => path[0] === 'strategy', contexts)
    contexts = { ...contexts, env: this.#env(this.#workflowEnv, body.env, contexts) }
    this.#tell(
      (path) => !['if', 'steps', 'outputs', 'strategy'].includes(String(path[0])),
      contexts,
    )
    const steps: JsonObject = {}
    const list = Array.isArray(body.steps) ? body.steps : []
    for (const [at, step] of list.entries()) {
      if (!isObject(step)) continue
      const done = this.#step(step as JsonObject, at, { ...contexts, steps: { ...steps } })
      if (typeof step.id === 'string') steps[step.id] = done
    }
    const outputs = isObject(body.outputs) ? (body.outputs as JsonObject) : {}
    const after = { ...contexts, steps }
    this.#tell((path) => path[0] === 'outputs', after)
    const values = Object.entries(outputs).map(([name, text]): [string, Json] => {
      const outcome = fillInKnown(String(text), after, RUNNING)
      return [name, 'value' in outcome ? asText(outcome.value) : forContext(outcome)]
    })
    // What a called workflow gives, nobody knows before it ran.
    const isCall = typeof body.uses === 'string'
    const all: Json = isCall
      ? unknown('an output of a called workflow')
      : Object.fromEntries(values)
    return { facts: this.#facts, combinations, outputs: all }
  }

  /** The first combination stands for all of them. */
  #matrix(contexts: Contexts): { combinations?: number; matrix?: Json } {
    const { strategy } = this.#job.body
    if (!isObject(strategy) || strategy.matrix === undefined) return {}
    const filled = deepFill(strategy.matrix as Json, contexts)
    if (!isObject(filled)) return { matrix: unknown('the matrix') }
    const { include, exclude, ...vectors } = filled as JsonObject
    const lists = Object.entries(vectors)
    const first = lists.map(([name, list]): [string, Json] => {
      return [name, Array.isArray(list) ? (list[0] ?? null) : unknown('the matrix')]
    })
    const isKnown = lists.every(([, list]) => Array.isArray(list)) && exclude === undefined
    if (lists.length === 0 && Array.isArray(include)) {
      return { combinations: include.length, matrix: include[0] ?? {} }
    }
    const combinations = lists.reduce(
      (all, [, list]) => all * (Array.isArray(list) ? list.length : 1),
      1,
    )
    return {
      ...(isKnown && include === undefined && { combinations }),
      matrix: Object.fromEntries(first),
    }
  }

  #env(outer: JsonObject, own: Json | undefined, contexts: Contexts): JsonObject {
    const values = Object.entries({ ...outer, ...(isObject(own) ? (own as JsonObject) : {}) })
    return Object.fromEntries(
      values.map(([name, value]) => {
        const outcome = fillInKnown(asText(value), contexts, RUNNING)
        return [name, 'value' in outcome ? asText(outcome.value) : forContext(outcome)]
      }),
    )
  }

  /** @returns what later steps see of it */
  #step(step: JsonObject, at: number, contexts: Contexts): JsonObject {
    const own = (path: WrittenText['path']) => path[0] === 'steps' && path[1] === at
    const env = this.#env(
      isObject(contexts.env) ? (contexts.env as JsonObject) : {},
      step.env,
      contexts,
    )
    const inner = { ...contexts, env }
    const condition = step.if === undefined ? '' : conditionText(asText(step.if))
    const holds = condition === '' ? true : truthOf(evaluateText(condition, inner, RUNNING))
    this.#tell((path) => own(path) && path[2] === 'if', inner)
    if (holds === false) return { outputs: {}, outcome: 'skipped', conclusion: 'skipped' }
    this.#tell((path) => own(path) && path[2] !== 'if', inner)
    const outputs = this.#event.outputsOf(step)
    return {
      outputs: outputs ? { ...outputs } : unknown('an output of a step'),
      outcome: 'success',
      conclusion: 'success',
    }
  }

  /** Notes what the texts of a place come to: every condition, and what the event has a say in. */
  #tell(isHere: (path: WrittenText['path']) => boolean, contexts: Contexts): void {
    for (const { path, text, line } of this.#job.texts) {
      if (!isHere(path) || !(path.at(-1) === 'if' || readsEvent(text))) continue
      const isCondition = path.at(-1) === 'if'
      const outcome = isCondition
        ? evaluateText(conditionText(text), contexts, RUNNING)
        : fillInKnown(text, contexts, RUNNING)
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

function readsEvent(text: string): boolean {
  return expressionSpans(text).some(({ start, end }) => {
    const parsed = parseExpression(text.slice(start, end))
    return 'fails' in parsed || EVENTFUL.some((name) => parsed.contexts.has(name))
  })
}

function deepFill(value: Json, contexts: Contexts): Json {
  if (typeof value === 'string') {
    return value.includes('${{') ? forContext(fillInKnown(value, contexts, RUNNING)) : value
  }
  if (Array.isArray(value)) return value.map((one) => deepFill(one, contexts))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, deepFill(one as Json, contexts)]),
  )
}
