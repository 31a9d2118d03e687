import type { HttpReply } from '../../wire/http.ts'
import type { Secret } from '../../wire/secret.ts'

/** What is to be looked at. */
export interface Target {
  readonly repository: string
  /** File name without its extension; `undefined` to look at every workflow. */
  readonly workflow: string | undefined
  readonly trigger: string
  /** What was found of the App; `undefined` where there is none. */
  readonly app?: readonly Finding[] | undefined
  /** For GitHub. */
  readonly token: Secret | undefined
  /** For the relay: the same, or a key of a relay that holds the token itself. */
  readonly relayToken: Secret | undefined
  /** Address of the relay; `undefined` when there is none to look at. */
  readonly relay: string | undefined
  /** Seconds to wait for a run of an event that is sent; `undefined` to send none. */
  readonly deliver: number | undefined
}

export interface DoctorPorts {
  /**
   * Asks GitHub's API, with the token.
   *
   * @param path from the API's base address, with a leading slash
   * @throws HttpFailure when no answer came
   */
  askGitHub(path: string, options?: AskOptions): Promise<HttpReply>
  /** Calls the relay, without the token unless it is given. @throws HttpFailure */
  callRelay(url: string, options?: RelayCall): Promise<HttpReply>
  now(): Date
  sleep(milliseconds: number): Promise<void>
}

export interface AskOptions {
  /** Makes it a POST. */
  readonly json?: string
  /** The file itself instead of a description of it. */
  readonly raw?: boolean
}

export interface RelayCall {
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
