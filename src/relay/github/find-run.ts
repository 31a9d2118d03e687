import { fieldsOf } from '../../wire/github-api.ts'
import {
  isRunOf,
  MOST_RUNS,
  recentRuns,
  runsPath,
  type WorkflowRun,
} from '../../wire/run-lookup.ts'
import type { RelayError } from '../errors.ts'
import { type DispatchOptions, type LimitedCall, openSession } from './send.ts'

/** The newest runs of a repository, newest first. */
export interface FoundRuns {
  readonly runs: readonly WorkflowRun[]
  /** True if no run since the given time is missing. */
  readonly isComplete: boolean
  /** Why a page could not be read. */
  readonly error?: RelayError
}

/** Reads the runs of a repository since a time in milliseconds since 1970. */
export type ReadRuns = (call: LimitedCall, since: number) => Promise<FoundRuns>

/** A run that GitHub started for a delivery. */
interface StartedRun {
  readonly run: string
  /** When GitHub started it, by GitHub's clock: milliseconds since 1970. */
  readonly started: number
}

/**
 * The runs of some deliveries since they were stored, in milliseconds since 1970; `undefined` if the
 * credential may not read runs. A replayed event has an older run with the same id.
 */
export type FindRuns = (
  dispatch: LimitedCall,
  stored: ReadonlyMap<string, number>,
) => Promise<ReadonlyMap<string, StartedRun> | undefined>

/** Bytes of a page of runs; a run takes about 10 KB. */
const PAGE_BYTES = 8 * 1024 * 1024

/** Milliseconds that a call of GitHub may have lasted when its event is stored. */
const CALL_TIME = 60_000

/** Milliseconds: clocks differ, and GitHub names whole seconds. */
export const CLOCK_TOLERANCE = 5000

/** Reads runs with the credential of a call, in its repository. */
export function runReader(options: DispatchOptions): ReadRuns {
  return async (asked, since) => {
    const { owner, name } = asked.repository
    const repository = `${owner}/${name}`
    const session = await openSession(options, asked, 'run_lookup')
    let error: RelayError | undefined
    const readPage = async (page: number) => {
      const path = runsPath(repository, page).slice(`/repos/${repository}`.length)
      const question = { method: 'GET', path, reads: true, responseBytes: PAGE_BYTES } as const
      const outcome = await session.ask(question)
      if (outcome.accepted) return fieldsOf(outcome.answer).workflow_runs
      error = outcome.error
      return undefined
    }
    const from = since - CLOCK_TOLERANCE
    const runs = await recentRuns(readPage, { since: new Date(from) })
    const isOlder = Date.parse(runs.at(-1)?.started ?? '') < from
    const isComplete = error === undefined && (runs.length < MOST_RUNS || isOlder)
    return { runs, isComplete, ...(error && { error }) }
  }
}

/** Looks for runs by the delivery ids in their names, of any workflow: each shows that GitHub accepted the event. */
export function runFinder(options: DispatchOptions): FindRuns {
  const read = runReader(options)
  return async (dispatch, stored) => {
    const { runs, error } = await read(dispatch, Math.min(...stored.values()) - CALL_TIME)
    const found = new Map<string, StartedRun>()
    for (const [delivery, at] of stored) {
      const from = at - CALL_TIME - CLOCK_TOLERANCE
      const run = runs.find((run) => isRunOf(run, delivery) && Date.parse(run.started) >= from)
      if (run) found.set(delivery, { run: run.url, started: Date.parse(run.started) })
    }
    return error === undefined || found.size > 0 ? found : undefined
  }
}
