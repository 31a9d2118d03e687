import type { DoctorFinding, DoctorTarget } from '../../../src/cli/doctor/findings.ts'
import { doctorPorts, runChecks } from '../../../src/cli/doctor.ts'
import type { ForgeHere } from '../../../src/cli/forge.ts'
import { Secret } from '../../../src/wire/secret.ts'
import type { GitHub } from '../../support/github.ts'
import { TOKEN } from '../../support/scene.ts'
import { github, type Setting } from './stand-in.ts'

/** Examines octo/repo over real sockets; responses in the stand-in's queue remain. */
export function examineAt(
  platform: GitHub,
  setting: Setting,
  target: Partial<DoctorTarget> = {},
): Promise<readonly DoctorFinding[]> {
  platform.always(github(setting))
  const token = new Secret(TOKEN)
  const whole: DoctorTarget = {
    repository: 'octo/repo',
    workflow: undefined,
    token,
    relay: undefined,
    ...target,
  }
  return runChecks(whole, doctorPorts(forgeAt(platform.url), whole.token))
}

/** A stand-in for the API of github.com. */
export function forgeAt(url: string): ForgeHere {
  const pages = { host: 'github.com', webUrl: 'https://github.com' }
  return { kind: 'github', apiUrl: new URL(url), ...pages, isConfigured: true }
}

/** Codes of the findings that are not fine. */
export function codes(findings: readonly DoctorFinding[]): string[] {
  return findings.filter(({ status }) => status !== 'ok').map(({ code }) => code)
}
