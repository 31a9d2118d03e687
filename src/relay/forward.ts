import { writeDispatch } from '../wire/payload.ts'
import type { Secret } from '../wire/secret.ts'
import type { Attempts } from './errors.ts'
import type { PlatformPost } from './platform.ts'
import type { Dispatch, DispatchPort } from './relay.ts'
import {
  type Again,
  judgeAnswer,
  judgeFault,
  platformUnavailable,
  type Refused,
  type Verdict,
} from './verdict.ts'

export interface Clock {
  now(): Date
  sleep(milliseconds: number): Promise<void>
  /** From 0, less than 1. */
  random(): number
}

export interface ForwardOptions {
  readonly post: PlatformPost
  /** Base address of the platform's API. */
  readonly apiUrl: URL
  /** Milliseconds for all tries of one event together. */
  readonly budget: number
  readonly clock: Clock
}

export const DEFAULT_BUDGET = 8000
const MOST_TRIES = 3

/** Makes each dispatch a call of the platform's API, with as many tries as its faults allow. */
export function forwardTo(options: ForwardOptions): DispatchPort {
  const { apiUrl, clock, budget } = options
  const base = apiUrl.pathname.replace(/\/+$/, '')
  return async (dispatch) => {
    const deadline = clock.now().getTime() + budget
    const { owner, name } = dispatch.repository
    const first = `${base}/repos/${owner}/${name}/dispatches`
    let path = first
    for (let tries = 1; ; tries++) {
      const { verdict, attempts } = await attempt(path, tries, dispatch, deadline, options)
      if (verdict.kind === 'accepted') return attempts
      if (verdict.kind !== 'moved') await pause(verdict, attempts, deadline, clock)
      else if (path === first) path = redirected(verdict.location, first, base, apiUrl, attempts)
      else throw platformUnavailable().after(attempts)
    }
  }
}

/** @throws RelayError when no other try may be made, or none is left, or no time for one */
async function pause(
  verdict: Refused | Again,
  attempts: Attempts,
  deadline: number,
  clock: Clock,
): Promise<void> {
  if (verdict.kind === 'refused') throw verdict.error.after(attempts)
  const delay = verdict.wait ?? jitter(attempts.tries - 1, clock)
  const inTime = clock.now().getTime() + delay < deadline
  if (attempts.tries === MOST_TRIES || !inTime) throw verdict.error.after(attempts)
  await clock.sleep(delay)
}

/** Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ */
function jitter(retry: number, clock: Clock): number {
  return clock.random() * Math.min(1500, 250 * 2 ** retry)
}

interface Attempted {
  readonly verdict: Verdict
  readonly attempts: Attempts
}

async function attempt(
  path: string,
  tries: number,
  { token, clientPayload }: Dispatch,
  deadline: number,
  { post, clock }: ForwardOptions,
): Promise<Attempted> {
  const timeout = Math.max(1, deadline - clock.now().getTime())
  try {
    const body = writeDispatch(clientPayload)
    const answer = await post({ path, headers: platformHeaders(token), body, timeout })
    const attempts = { tries, platformStatus: answer.status }
    return { verdict: judgeAnswer(answer, clock.now()), attempts }
  } catch (fault) {
    return { verdict: judgeFault(fault), attempts: { tries } }
  }
}

function platformHeaders(token: Secret | undefined): Record<string, string> {
  return {
    accept: 'application/vnd.github+json',
    'content-type': 'application/json',
    'user-agent': 'hookline-relay',
    'x-github-api-version': '2022-11-28',
    ...(token && { authorization: `Bearer ${token.reveal()}` }),
  }
}

/** GitHub answers so for a repository that was renamed or moved. */
const DISPATCHES = /^\/(?:repos\/[\w-]+\/[\w.-]+|repositories\/\d+)\/dispatches$/

/**
 * Where to send the event instead.
 *
 * @throws RelayError unless it is within the same API: a token must not follow any other redirect
 */
function redirected(
  location: string,
  from: string,
  base: string,
  { origin }: URL,
  attempts: Attempts,
): string {
  const current = `${origin}${from}`
  const { href } = URL.canParse(location, current) ? new URL(location, current) : { href: '' }
  const within = href.startsWith(`${origin}${base}/`) && attempts.tries < MOST_TRIES
  const path = href.slice(origin.length)
  if (within && path !== from && DISPATCHES.test(path.slice(base.length))) return path
  throw platformUnavailable().after(attempts)
}
