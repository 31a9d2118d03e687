import type { OnContext } from '../engine/evaluation.ts'
import { unknownValue } from '../model/evaluate-expression.ts'
import { explainWorkflow, type JobExplanation } from '../model/explain.ts'
import { readWorkflowJobs } from '../model/workflow-jobs.ts'
import { readOrUndefined, type Source } from '../wire/errors.ts'
import { isObject, type Json, type JsonObject } from '../wire/json.ts'
import { type GitHubEvent, WORKFLOW_INPUT } from '../wire/payload.ts'
import { printable } from '../wire/printable.ts'
import { isAction } from '../workflow/steps.ts'
import type { ShownJobs } from './api.ts'

/** The part of an event that jobs read. */
export interface ExplainedEvent {
  readonly items: readonly OnContext[]
  /** `undefined` if nothing was evaluated; then no job is explained. */
  readonly origin?: {
    readonly event: GitHubEvent
    /** Outputs of the step that runs the action. */
    readonly outputs: Readonly<Record<string, string>>
  }
}

/** A workflow file whose jobs an event can start. */
export interface ConcernedFile {
  readonly source: Source
  /** `source`: a file that is compiled, which reads `on.…`; `native`: one that runs the action. */
  readonly kind: 'source' | 'native'
}

/** Explains the jobs of files for an event, by the model of GitHub's scheduling. */
export function explainEvent(event: ExplainedEvent, files: readonly ConcernedFile[]): ShownJobs[] {
  const { origin } = event
  if (!origin) return []
  return files.flatMap(({ source, kind }) => {
    const workflow = readOrUndefined(() => readWorkflowJobs(source))
    if (!workflow || workflow.jobs.length === 0) return []
    const started = startingEvent(origin.event, workflow.on)
    const outputsOf = ({ uses }: JsonObject) =>
      isAction(uses, source) ? origin.outputs : undefined
    const [first] = event.items
    const own =
      kind === 'source'
        ? {
            // Contexts are created from JSON.
            on: Object.fromEntries(
              Object.entries(first ?? {}).map(([name, state]) => [name, { ...state }]),
            ),
            unfired: first ? undefined : 'no trigger fired',
          }
        : {}
    const jobs = explainSafely(workflow, { ...started, ...own, outputsOf })
    return jobs ? [{ file: source.file, items: event.items.length, jobs }] : []
  })
}

function explainSafely(...given: Parameters<typeof explainWorkflow>): JobExplanation[] | undefined {
  try {
    return explainWorkflow(...given)
  } catch {
    return undefined // jobs that wait for each other: `check` tells of it
  }
}

/** The event that starts the file: `workflow_dispatch` if the file listens only for it. */
function startingEvent({ name, payload }: GitHubEvent, on: Json) {
  const known = isObject(payload) ? payload : {}
  const event = { ...UNKNOWN_OF_EVENT, ...known } as JsonObject // it was parsed from JSON
  const inputs = isObject(on) && isObject(on.workflow_dispatch) ? on.workflow_dispatch.inputs : null
  const isDirect =
    isObject(inputs) && WORKFLOW_INPUT in inputs && !('repository_dispatch' in Object(on))
  if (name !== 'repository_dispatch' || !isDirect) return { github: { event_name: name, event } }
  const text = JSON.stringify(known.client_payload ?? null)
  return {
    github: {
      event_name: 'workflow_dispatch',
      event: { ...UNKNOWN_OF_EVENT, inputs: { [WORKFLOW_INPUT]: text } },
    },
    inputs: { [WORKFLOW_INPUT]: text },
  }
}

const UNKNOWN_OF_EVENT: JsonObject = Object.fromEntries(
  ['repository', 'organization', 'sender', 'installation', 'enterprise', 'branch'].map((name) => {
    return [name, unknownValue(`github.event.${name}`)]
  }),
)

const VERDICTS = { runs: 'runs', skipped: 'skipped', unknown: 'not known', fails: 'fails' } as const

/** Number of characters of a value on a terminal; the page shows the whole value. */
const SHOWN_LENGTH = 100

/** The jobs as a table; below each job, its lines that read the event. */
export function formatJobs(shownJobs: readonly ShownJobs[]): string {
  return shownJobs
    .flatMap(({ file, items, jobs }) => {
      const width = Math.max(...jobs.map(({ id }) => id.length))
      const which = items > 1 ? `, for item 1 of ${items}` : ''
      return [
        `  jobs of ${file}${which}:`,
        ...jobs.flatMap((job) => {
          const times = job.combinations === undefined ? '' : `, ${job.combinations} of its matrix`
          const verdict = VERDICTS[job.verdict].padEnd(9)
          return [
            `    ${job.id.padEnd(width)}  ${verdict}  ${shortLine(job.why)}${times}`,
            ...job.facts.map((fact) => `      ${file}:${fact.line}  ${fact.place} ${came(fact)}`),
          ]
        }),
      ]
    })
    .map((line) => `${printable(line)}\n`)
    .join('')
}

function came({ outcome }: JobExplanation['facts'][number]): string {
  if ('fails' in outcome) return `fails: ${shortLine(outcome.fails)}`
  if ('unknown' in outcome) return `not known here: ${outcome.unknown}`
  return `= ${shortLine(JSON.stringify(outcome.value))}`
}

function shortLine(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length <= SHOWN_LENGTH ? line : `${line.slice(0, SHOWN_LENGTH)}…`
}
