import type { HttpResponse } from '../../wire/http.ts'
import type { DispatchMode } from '../../wire/payload.ts'
import type { Secret } from '../../wire/secret.ts'
import type { ForgeHere } from '../forge.ts'
import type { AskGitHub } from '../github-client.ts'

export interface DoctorTarget {
  readonly repository: string
  /** File name without its extension; `undefined` to check every workflow. */
  readonly workflow: string | undefined
  /** The trigger of the endpoint; `undefined` for any. */
  readonly trigger?: string | undefined
  /** Dispatch mode of the endpoint; `undefined` for the one that each workflow listens for. */
  readonly dispatch?: DispatchMode | undefined
  /** Findings about the App; `undefined` without an App. */
  readonly app?: readonly DoctorFinding[] | undefined
  readonly token: Secret | undefined
  /** Address of the relay; `undefined` to check no relay. */
  readonly relay: string | undefined
}

export interface DoctorPorts {
  /** The forge of the repository, for pages and commands that create a token. */
  readonly forge: ForgeHere
  readonly askGitHub: AskGitHub
  /** Calls a public page of the relay. @throws HttpFailure */
  callRelay(url: string): Promise<HttpResponse>
  now(): Date
  sleep(milliseconds: number): Promise<void>
}

export interface DoctorFinding {
  readonly check: CheckName
  /** `unknown` if the check cannot be made from outside. */
  readonly status: 'ok' | 'warning' | 'failed' | 'unknown'
  /** For programs: `token_missing`. */
  readonly code: string
  readonly message: string
  /** The cure: an imperative with the exact command or key. Absent if the status is `ok`. */
  readonly hint?: string
}

type CheckName = 'app' | 'token' | 'repository' | 'workflow' | 'bot' | 'relay' | 'endpoint'

export function passedFinding(check: CheckName, message: string): DoctorFinding {
  return { check, status: 'ok', code: 'ok', message }
}

function findingOf(status: 'failed' | 'warning' | 'unknown') {
  return (check: CheckName, code: string, message: string, hint: string): DoctorFinding => {
    return { check, status, code, message, hint }
  }
}

export const failedFinding = findingOf('failed')

export const warningFinding = findingOf('warning')

export const unknownFinding = findingOf('unknown')
