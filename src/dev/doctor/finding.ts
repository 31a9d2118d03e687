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

export type CheckName = 'token' | 'repository' | 'workflow' | 'relay' | 'delivery'

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
