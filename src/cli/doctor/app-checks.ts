import { systemClock } from '../../relay/config.ts'
import { RelayError } from '../../relay/errors.ts'
import { App, readAppKey } from '../../relay/github/github-app.ts'
import { parseRepository } from '../../wire/path.ts'
import { type DispatchMode, dispatchEvent } from '../../wire/payload.ts'
import type { Secret } from '../../wire/secret.ts'
import { platformCall } from '../github-client.ts'
import { type DoctorFinding, failedFinding, passedFinding } from './findings.ts'

interface AppTarget {
  readonly id: string
  /** The private key, in PEM. */
  readonly pem: string
  /** `owner/name` */
  readonly repository: string
  readonly dispatch: DispatchMode
  readonly apiUrl: URL
}

const BUDGET = 15_000

/** Requests a token as the relay does. */
export async function checkApp({
  id,
  pem,
  repository,
  dispatch,
  apiUrl,
}: AppTarget): Promise<{ readonly findings: readonly DoctorFinding[]; readonly token?: Secret }> {
  const key = await readAppKey(pem).catch(() => undefined)
  if (!key) {
    const message = 'HOOKLINE_APP_KEY is not a private key in PEM format'
    const hint = 'Set it to the content of the .pem file of the App, from -----BEGIN to END-----.'
    return { findings: [failedFinding('app', 'app_key_invalid', message, hint)] }
  }
  const call = platformCall(apiUrl)
  const app = new App({ id, key, apiUrl, budget: BUDGET, clock: systemClock, call })
  const event = dispatchEvent(dispatch)
  try {
    const token = await app.token({ repository: parseRepository(repository), event })
    const permission = dispatch === 'workflow' ? 'actions' : 'contents'
    const message = `the App is installed on ${repository}, with the permission "${permission}: write"`
    return { findings: [passedFinding('app', message)], token }
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    return { findings: [failedFinding('app', error.code, error.message, error.hint)] }
  }
}
