import { setTimeout as sleep } from 'node:timers/promises'
import { writtenOutputs } from '../action/outputs.ts'
import { readAllWorkflows } from '../engine/all-workflows.ts'
import type { EnginePorts, WorkflowSource } from '../engine/engine-ports.ts'
import { evaluate } from '../engine/evaluate-event.ts'
import { type Evaluation, runEffects } from '../engine/evaluation.ts'
import { type Explanation, explain } from '../engine/explanation.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import type { Json } from '../wire/json.ts'
import { notice, textsAtLevel, warning } from '../wire/messages.ts'
import { parseWebhookPath } from '../wire/path.ts'
import { type ClientPayload, EVENT_TYPE, type GitHubEvent, HEADER } from '../wire/payload.ts'
import { counted } from '../wire/printable.ts'
import type { ExplainedEvent } from './jobs.ts'

/** The result of one request or one poll, evaluated as the action would on GitHub. */
export interface DevEvent
  extends Pick<Evaluation, 'decisions' | 'found' | 'fields' | 'messages' | 'reason'>,
    Pick<ExplainedEvent, 'origin'> {
  /** Empty for a poll. */
  readonly delivery: string
  /** `POLL` for a poll. */
  readonly method: string
  /** Path and query as they were forwarded; empty for a poll. */
  readonly path: string
  /** Names that the path addresses, whether or not there is such a workflow or trigger. */
  readonly workflow: string
  readonly trigger: string
  /** One `on` context per item, as the action's output `items`. */
  readonly items: Evaluation['contexts']
  readonly count: number
  /** Problems that the user can fix, in the addressed workflow file or elsewhere. */
  readonly problems: readonly Problem[]
  /** Every condition that the event did not meet. */
  readonly explanations: readonly Explanation[]
  readonly milliseconds: number
}

export interface LocalEnginePorts {
  /** The workflows as they are now: a changed file takes effect with the next request. */
  readonly workflows: (event: Json) => WorkflowSource
  /** Returns the ports of one run; each run has its own id. */
  readonly engine: () => EnginePorts
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number
}

/** Evaluates a dispatched payload in this process, in place of GitHub. */
export async function runLocally(
  payload: ClientPayload,
  ports: LocalEnginePorts,
): Promise<DevEvent> {
  const { workflow, trigger } = parseWebhookPath(payload.path)
  const event = {
    action: EVENT_TYPE,
    client_payload: { ...payload, headers: { ...payload.headers } },
  }
  const open = () => ports.workflows(event)
  const result = await evaluateLocally({ name: 'repository_dispatch', payload: event }, open, ports)
  const { method, path, headers } = payload
  const batch = headers[HEADER.batch]
  const messages = [
    ...(batch === undefined
      ? []
      : [notice('batch', `a batch of ${counted(Number(batch), 'event')}`)]),
    ...result.messages,
  ]
  const named = { delivery: headers[HEADER.delivery] ?? '', method, path, workflow, trigger }
  return { ...named, ...result, messages }
}

/** Polls the triggers of a workflow that are due, as a scheduled run would. */
export async function pollLocally(workflow: string, ports: LocalEnginePorts): Promise<DevEvent> {
  const open = () => ({ ...ports.workflows({}), calling: workflow, polled: () => [workflow] })
  const result = await evaluateLocally({ name: 'schedule', payload: {} }, open, ports)
  const { decisions, problems } = result
  // The service failed, so the problem has no position in a file.
  const hasFailed = problems.length > 0 && problems.every(({ position }) => position === undefined)
  const decided = decisions.find(({ fired }) => fired) ?? decisions[0]
  return {
    delivery: '',
    method: 'POLL',
    path: '',
    workflow,
    trigger: decided?.trigger ?? '',
    ...result,
    reason: hasFailed ? 'the poll failed' : result.reason,
  }
}

async function evaluateLocally(
  event: GitHubEvent,
  open: () => WorkflowSource,
  { engine, now }: LocalEnginePorts,
): Promise<Omit<DevEvent, 'delivery' | 'method' | 'path' | 'workflow' | 'trigger'>> {
  const started = now()
  try {
    const workflows = open()
    const ports = engine()
    const evaluation = await evaluate(event, workflows, ports)
    // Every job succeeds here, so the work of the post step follows immediately.
    await runEffects(evaluation.effects, (name) => workflows.find(name), ports)
    const { contexts, items, found, fields, files, reason } = evaluation
    const explanations = await explain(evaluation, { scripts: ports.scripts, shows: () => true })
    const decisions = withExplanations(evaluation.decisions, explanations)
    const outputs = { items: contexts, count: items.length, found, fields, reason, explanations }
    const messages = [...evaluation.messages, ...(files.length > 0 ? [UNWRITTEN] : [])]
    const origin = { event, outputs: Object.fromEntries(writtenOutputs(evaluation)) }
    return { decisions, ...outputs, messages, problems: [], origin, milliseconds: now() - started }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const { problems } = error
    const nothing = { decisions: [], items: [], count: 0, found: [], fields: [], explanations: [] }
    // A problem without a position does not belong to a file.
    const hasPlace = problems.some(({ position }) => position !== undefined)
    const reason = hasPlace ? 'the workflow has mistakes' : problems[0]?.message
    return { ...nothing, messages: [], problems, reason, milliseconds: now() - started }
  }
}

/** Adds the sentences about filters to the steps of each decision. */
function withExplanations(
  decisions: DevEvent['decisions'],
  explanations: readonly Explanation[],
): DevEvent['decisions'] {
  return decisions.map((decision) => {
    if (!decision.tally) return decision
    const sentences = explanations
      .filter(({ trigger, condition }) => trigger === decision.trigger && condition === 'filter')
      .map(({ sentence }) => sentence)
    return {
      ...decision,
      tally: { ...decision.tally, steps: [...decision.tally.steps, ...sentences] },
    }
  })
}

/** No later step could read the environment. */
const UNWRITTEN = warning(
  'unwritten-file',
  'config.exportOutputs: the action writes the file at "path"; here none is written',
)

/**
 * Polls every workflow that has a trigger for it, once.
 *
 * @param tell receives polls with items or dropped messages, the first poll of a workflow, and new
 *   failures
 */
export function poller(
  ports: LocalEnginePorts,
  tell: (event: DevEvent) => void,
): () => Promise<void> {
  const before = new Map<string, string>()
  return async () => {
    const { found } = readAllWorkflows(() => ports.workflows({}))
    const polling = found.filter(({ triggers }) => triggers.some(({ poll }) => poll))
    for (const { name } of polling) {
      const event = await pollLocally(name, ports)
      const { problems, messages } = event
      const warnings = textsAtLevel(messages, 'warning')
      const failure = JSON.stringify([problems.map(({ message }) => message), warnings])
      const isLost = textsAtLevel(messages, 'error').length > 0
      const isNews = event.count > 0 || isLost || before.get(name) !== failure
      if (isNews) tell(event)
      before.set(name, failure)
    }
  }
}

/**
 * Repeats a task with a pause, until it is stopped. A failure is reported, and the task is repeated.
 *
 * @returns a function that stops the repetition and waits for the running task
 */
export function repeat(
  work: () => Promise<void>,
  pause: number,
  report: (error: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const loop = async () => {
    while (!signal.aborted) {
      await work().catch(report)
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }
  const ended = loop()
  return () => {
    stopping.abort()
    return ended
  }
}
