import { systemClock } from '../../relay/config.ts'
import { RelayError } from '../../relay/errors.ts'
import { App, readAppKey } from '../../relay/github/github-app.ts'
import { parseRepository } from '../../wire/path.ts'
import { type DispatchMode, dispatchEvent } from '../../wire/payload.ts'
import type { Secret } from '../../wire/secret.ts'
import { platformCall } from '../github-client.ts'
import { type DoctorFinding, failedFinding, passedFinding } from './findings.ts'

interface AppCheck {
  readonly findings: readonly DoctorFinding[]
  /** A token of the App for the repository, with the permission of the dispatch mode. */
  readonly token?: Secret
}

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

/** The steps from the App to a token, in this order. */
const STEPS = ['app', 'installation', 'permission'] as const

/** The step in which each error of the App occurs. */
const STEP_OF: ReadonlyMap<string, number> = new Map([
  ['app_clock_skew', 0],
  ['app_key_rejected', 0],
  ['app_not_installed', 1],
  ['app_permission_missing', 2],
])

/** Requests a token as the relay does, and reports each step. */
export async function checkApp({
  id,
  pem,
  repository,
  dispatch,
  apiUrl,
}: AppTarget): Promise<AppCheck> {
  const permission = dispatch === 'workflow' ? 'actions' : 'contents'
  const messages = [
    'GitHub accepts the key of the App',
    `the App is installed on ${repository}`,
    `the App has the permission "${permission}: write"`,
  ]
  const passed = (count: number) =>
    STEPS.slice(0, count).map((check, at) => passedFinding(check, messages[at] ?? ''))
  const key = await readAppKey(pem).catch(() => undefined)
  if (!key) {
    const hint = 'Set it to the content of the .pem file of the App, from -----BEGIN to END-----.'
    return {
      findings: [
        failedFinding(
          'app',
          'app_key_invalid',
          'HOOKLINE_APP_KEY is not a private key in PEM format',
          hint,
        ),
      ],
    }
  }
  const app = new App({
    id,
    key,
    apiUrl,
    budget: BUDGET,
    clock: systemClock,
    call: platformCall(apiUrl),
  })
  try {
    const token = await app.token({
      repository: parseRepository(repository),
      event: dispatchEvent(dispatch),
    })
    return { findings: passed(STEPS.length), token }
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    const step = STEP_OF.get(error.code) ?? 0
    const check = STEPS[step] ?? 'app'
    return {
      findings: [...passed(step), failedFinding(check, error.code, error.message, error.hint)],
    }
  }
}
