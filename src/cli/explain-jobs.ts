import type { SourceFile } from '../compiler/source-file.ts'
import { unknownValue } from '../model/evaluate-expression.ts'
import { explainWorkflow, type JobExplanation, type ModelEvent } from '../model/explain.ts'
import { readWorkflowJobs } from '../model/workflow-jobs.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import { EVENT_TYPE } from '../wire/payload.ts'
import { textTable } from './terminal.ts'

/** Which jobs of a workflow file run for which of the events that it names. */
interface ExplainedFile {
  readonly file: string
  readonly events: readonly {
    /** As the file names it: `webhook`, `push`. */
    readonly event: string
    readonly jobs: readonly Pick<JobExplanation, 'id' | 'verdict' | 'why'>[]
  }[]
}

/** The jobs of a source for each event, by the model that `dev` goes by. */
export function explainFile(file: SourceFile): ExplainedFile {
  const workflow = readWorkflowJobs(file.source)
  const started = [
    ...file.triggers.map(({ name }): [string, ModelEvent] => [name, firedBy(name, file)]),
    ...file.native.map(({ name }): [string, ModelEvent] => [name, startText(name, file)]),
  ]
  const events = started.map(([event, given]) => {
    const jobs = explainWorkflow(workflow, given).map(({ id, verdict, why }) => {
      return { id, verdict, why }
    })
    return { event, jobs: [jobOn(event, file), ...jobs] }
  })
  return { file: file.source.file, events }
}

/** The job that the compiler puts before those of the source. */
function jobOn(event: string, { triggers }: SourceFile) {
  const isOurs = triggers.some(({ name }) => name === event)
  return {
    id: 'on',
    verdict: isOurs ? 'runs' : 'skipped',
    why: isOurs ? 'it runs the action' : 'the event is none of Hookline',
  } as const
}

const SKIPPED: Json = { outcome: 'skipped', conclusion: 'skipped', outputs: {} }

/** A trigger fired: what it brings, only an event can tell. */
function firedBy(trigger: string, { triggers }: SourceFile): ModelEvent {
  const outputs = unknownValue('the event')
  const fired: Json = { outcome: 'success', conclusion: 'success', outputs }
  const on = triggers.map(({ name }): [string, Json] => [name, name === trigger ? fired : SKIPPED])
  const event: JsonObject = { action: EVENT_TYPE, client_payload: unknownValue('the event') }
  // It may have been polled, or have come directly.
  const github = { event_name: unknownValue('how the event came'), event }
  return { github, on: Object.fromEntries(on), outputsOf: () => undefined }
}

/** An event of GitHub's own: no trigger of ours fires. */
function startText(event: string, { triggers }: SourceFile): ModelEvent {
  const on = triggers.map(({ name }): [string, Json] => [name, SKIPPED])
  const github = { event_name: event, event: unknownValue('the event') }
  return { github, on: Object.fromEntries(on), outputsOf: () => undefined }
}

const CELLS = { runs: 'runs', skipped: 'skipped', unknown: 'depends', fails: 'fails' } as const

/** A table of job × event, and below it why a job does not simply run. */
export function formatExplained({ file, events }: ExplainedFile): string {
  const ids = events[0]?.jobs.map(({ id }) => id) ?? []
  const cell = (at: number, id: string) => events[at]?.jobs.find((job) => job.id === id)
  const rows = [
    ['job', ...events.map(({ event }) => event)],
    ...ids.map((id) => {
      return [id, ...events.map((_, at) => CELLS[cell(at, id)?.verdict ?? 'unknown'])]
    }),
  ]
  const reasons = events.flatMap(({ event, jobs }) =>
    jobs
      .filter(({ verdict, id }) => verdict !== 'runs' && id !== 'on')
      .map(({ id, why }) => `  ${id}, ${event}: ${why.replace(/\s+/g, ' ')}`),
  )
  return [file, textTable(rows).replace(/^/gm, '  '), ...reasons].join('\n')
}
