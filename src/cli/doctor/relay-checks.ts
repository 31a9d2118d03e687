import { DISCOVERY_PATH } from '../../relay/pages.ts'
import { listOf } from '../../wire/github-api.ts'
import { DEV_HEADER } from '../../wire/headers.ts'
import { HttpFailure } from '../../wire/http.ts'
import { isObject, jsonOf } from '../../wire/json.ts'
import { DISPATCH_MODES } from '../../wire/payload.ts'
import { namedEndpoint, storedSettings } from '../endpoint/named-endpoint.ts'
import { type RelayClient, RelayRefusal } from '../relay-client.ts'
import {
  type DoctorFinding,
  type DoctorPorts,
  type DoctorTarget,
  failedFinding,
  passedFinding,
  warningFinding,
} from './findings.ts'

/**
 * Reads the endpoint, whose workflow is checked next, unless the endpoint is for any workflow.
 *
 * @throws UserError if there is none, or the relay does not respond
 */
export async function readCheckedEndpoint(
  client: RelayClient,
  text: string,
  repository: string | undefined,
): Promise<{ readonly target?: Partial<DoctorTarget>; readonly finding: DoctorFinding }> {
  const place = await namedEndpoint(text, repository, client)
  const endpoint = await storedSettings(client, place)
  const name = `${place.owner}/${place.name}`
  const { repository: of, workflow, trigger, dispatch, anyWorkflow, verify } = endpoint
  const isVerified = Array.isArray(verify) && verify.length > 0
  if (anyWorkflow) {
    const finding = passedFinding('endpoint', `${name} starts any workflow of ${of}`)
    return { finding }
  }
  const target = {
    repository: String(of),
    workflow: String(workflow),
    trigger: String(trigger),
    dispatch: DISPATCH_MODES.find((mode) => mode === dispatch),
  }
  const verified = isVerified ? `, verified by ${verify.join(', ')}` : ''
  const message = `${name} starts ${of} ${workflow}/${trigger} by ${dispatch}_dispatch${verified}`
  return { target, finding: passedFinding('endpoint', message) }
}

/** What the status of a relay says: its credential, its alarms and warnings. */
export async function checkStatus(client: RelayClient): Promise<readonly DoctorFinding[]> {
  let status: Readonly<Record<string, unknown>>
  try {
    status = await client.ask({ method: 'GET', path: '/status' })
  } catch (error) {
    if (!(error instanceof RelayRefusal)) throw error
    // On Workers each owner has a database of its own, and a token sees no status.
    if (error.code !== 'invalid_key') return []
    const [problem] = error.problems
    const { message = '', hint = '' } = problem ?? {}
    return [failedFinding('relay', 'relay_key_refused', message, hint)]
  }
  const { credential, alarms, warnings, imbalance } = status
  return [
    ...credentialFindings(credential),
    ...listOf(alarms).map(({ alarm, subject, since }) =>
      warningFinding(
        'relay',
        'relay_alarm',
        `alarm ${alarm} since ${since}: ${subject}`,
        'See the deliveries: hookline deliveries',
      ),
    ),
    ...(Array.isArray(warnings) ? warnings : []).map((text) =>
      warningFinding('relay', 'relay_warning', String(text), 'Change the setup of the relay.'),
    ),
    ...(Number(imbalance ?? 0) === 0
      ? []
      : [
          failedFinding(
            'relay',
            'relay_imbalance',
            `the relay cannot account for ${imbalance} events`,
            'Report this as a bug: https://github.com/hookline/hookline/issues',
          ),
        ]),
  ]
}

function credentialFindings(credential: unknown): DoctorFinding[] {
  if (!isObject(credential) || credential.failing === undefined) return []
  const message = `GitHub refuses the relay's own credential (${credential.failing})`
  const hint = 'Replace HOOKLINE_GITHUB_TOKEN or the key of the App, and restart the relay.'
  return [failedFinding('relay', 'relay_credential', message, hint)]
}

/** Reads the public description of a relay. */
export async function checkRelay(
  relay: string,
  { callRelay }: Pick<DoctorPorts, 'callRelay'>,
): Promise<DoctorFinding> {
  try {
    const { status, text } = await callRelay(relay + DISCOVERY_PATH)
    if (status === 200 && isObject(jsonOf(text))) {
      return passedFinding('relay', `the relay at ${relay} is up`)
    }
    const front = await callRelay(`${relay}/`)
    if (front.headers[DEV_HEADER] !== undefined) {
      const message = `the server at ${relay} is hookline dev, which never calls GitHub`
      return failedFinding('relay', 'relay_is_dev', message, 'Start a relay: hookline relay')
    }
    const found = status === 200 ? 'no description of a relay' : status
    const message = `the server at ${relay} is not a Hookline relay (${found} at ${DISCOVERY_PATH})`
    const hint =
      status >= 500
        ? 'See the logs of the relay and of the proxy in front of it.'
        : 'Check the address and the port. A proxy must forward every path.'
    return failedFinding('relay', 'relay_not_hookline', message, hint)
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const hint =
      'Start the relay (hookline relay), or check address, port, firewall and certificate.'
    return failedFinding('relay', 'relay_unreachable', `${relay}: ${error.message}`, hint)
  }
}
