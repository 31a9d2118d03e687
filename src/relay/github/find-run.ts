import { fieldsOf } from '../../wire/github-api.ts'
import { isRunOf, recentRuns, runsPath } from '../../wire/run-lookup.ts'
import type { Dispatch, DispatchOptions } from './dispatch.ts'
import { GitHubSession } from './session.ts'

/** Which of some deliveries have a run; `undefined` if the credential may not read runs. */
export type FindRuns = (
  dispatch: Dispatch,
  deliveries: readonly string[],
  since: number,
) => Promise<ReadonlySet<string> | undefined>

/** Bytes of a page of runs; a run takes about 10 KB. */
const PAGE_BYTES = 8 * 1024 * 1024

/** Clocks differ, and GitHub names whole seconds. */
const CLOCK_TOLERANCE = 5000

/** Looks for runs with the credential of a dispatch, in its repository. */
export function runFinder(options: DispatchOptions): FindRuns {
  return async (dispatch, deliveries, since) => {
    const { owner, name } = dispatch.repository
    const repository = `${owner}/${name}`
    const limited = await options.govern?.(dispatch)
    const call = limited ? limited(options.call) : options.call
    const session = new GitHubSession(options, call, dispatch.target.event, dispatch)
    let isReadable = true
    const readPage = async (page: number) => {
      const path = runsPath(repository, page).slice(`/repos/${repository}`.length)
      const question = { method: 'GET', path, reads: true, responseBytes: PAGE_BYTES } as const
      const outcome = await session.ask(question)
      isReadable = outcome.accepted
      return outcome.accepted ? fieldsOf(outcome.answer).workflow_runs : undefined
    }
    const from = new Date(since - CLOCK_TOLERANCE)
    const runs = await recentRuns(readPage, { since: from })
    const found = deliveries.filter((delivery) => runs.some((run) => isRunOf(run, delivery)))
    return isReadable || found.length > 0 ? new Set(found) : undefined
  }
}
