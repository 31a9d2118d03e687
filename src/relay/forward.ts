import { writeDispatch } from '../protocol/dispatch.ts'
import type { Secret } from '../protocol/secret.ts'
import type { Attempts } from './errors.ts'
import type { PlatformPost } from './platform.ts'
import type { Dispatch, DispatchPort } from './relay.ts'
import type { Repository } from './route.ts'
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
  return async (dispatch) => {
    const deadline = clock.now().getTime() + budget
    const first = dispatchUrl(apiUrl, dispatch.repository)
    let url = first
    for (let tries = 1; ; tries++) {
      const { verdict, attempts } = await attempt(url, tries, dispatch, deadline, options)
      if (verdict.kind === 'accepted') return attempts
      if (verdict.kind !== 'moved') await pause(verdict, attempts, deadline, clock)
      else if (url === first) url = redirected(url, verdict.location, attempts, apiUrl)
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
  url: URL,
  tries: number,
  { token, clientPayload }: Dispatch,
  deadline: number,
  { post, clock }: ForwardOptions,
): Promise<Attempted> {
  const timeout = Math.max(1, deadline - clock.now().getTime())
  try {
    const body = writeDispatch(clientPayload)
    const answer = await post({ url, headers: platformHeaders(token), body, timeout })
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

function dispatchUrl(apiUrl: URL, { owner, name }: Repository): URL {
  return new URL(`${basePath(apiUrl)}/repos/${owner}/${name}/dispatches`, apiUrl)
}

/** GitHub answers so for a repository that was renamed or moved. */
const DISPATCHES = /^\/(?:repos\/[\w-]+\/[\w.-]+|repositories\/\d+)\/dispatches$/

/**
 * Where to send the event instead.
 *
 * @throws RelayError unless it is within the same API: a token must not follow any other redirect
 */
function redirected(from: URL, location: string, attempts: Attempts, apiUrl: URL): URL {
  const url = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  const base = basePath(apiUrl)
  const literal = url && `${apiUrl.origin}${url.pathname}` === url.href
  const within = literal && url.pathname.startsWith(base)
  const allowed = within && attempts.tries < MOST_TRIES
  if (allowed && DISPATCHES.test(url.pathname.slice(base.length))) return url
  throw platformUnavailable().after(attempts)
}

function basePath(apiUrl: URL): string {
  return apiUrl.pathname.replace(/\/+$/, '')
}
