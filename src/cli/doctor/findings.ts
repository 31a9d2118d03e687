import type { Timer } from '../../relay/clock.ts'
import type { HttpReply } from '../../wire/http.ts'
import type { DispatchMode } from '../../wire/payload.ts'
import type { Secret } from '../../wire/secret.ts'
import type { AskGitHub } from '../github.ts'

/** What is to be looked at. */
export interface Target {
  readonly repository: string
  /** File name without its extension; `undefined` to look at every workflow. */
  readonly workflow: string | undefined
  readonly trigger: string
  /** What the relay starts workflows by; `repository_dispatch` when left out. */
  readonly dispatch?: DispatchMode | undefined
  /** What was found of the App; `undefined` where there is none. */
  readonly app?: readonly Finding[] | undefined
  /** For GitHub. */
  readonly token: Secret | undefined
  /** For the relay: the same, or a key of a relay that holds the token itself. */
  readonly relayToken: Secret | undefined
  /** Address of the relay; `undefined` when there is none to look at. */
  readonly relay: string | undefined
  /** Of HOOKLINE_SCHEDULE, those of this repository. */
  readonly timers?: readonly Timer[]
  /** Seconds to wait for a run of an event that is sent; `undefined` to send none. */
  readonly deliver: number | undefined
}

export interface DoctorPorts {
  readonly askGitHub: AskGitHub
  /** Calls the relay, without the token unless it is given. @throws HttpFailure */
  callRelay(url: string, options?: RelayCall): Promise<HttpReply>
  now(): Date
  sleep(milliseconds: number): Promise<void>
}

interface RelayCall {
  /** Makes it a POST. */
  readonly json: string
  readonly token: Secret | undefined
}

/** What one check came to. */
export interface Finding {
  readonly check: CheckName
  /** `unknown` where it cannot be told from outside. */
  readonly status: 'ok' | 'warning' | 'failed' | 'unknown'
  /** For programs: `token_missing`. */
  readonly code: string
  readonly message: string
  /** What to do about it; there unless all is well. */
  readonly mend?: string
}

type CheckName =
  | 'app'
  | 'installation'
  | 'permission'
  | 'token'
  | 'repository'
  | 'workflow'
  | 'clock'
  | 'relay'
  | 'delivery'

export function ok(check: CheckName, message: string): Finding {
  return { check, status: 'ok', code: 'ok', message }
}

export function failed(check: CheckName, code: string, message: string, mend: string): Finding {
  return { check, status: 'failed', code, message, mend }
}

export function warning(check: CheckName, code: string, message: string, mend: string): Finding {
  return { check, status: 'warning', code, message, mend }
}

export function unknown(check: CheckName, code: string, message: string, mend: string): Finding {
  return { check, status: 'unknown', code, message, mend }
}
