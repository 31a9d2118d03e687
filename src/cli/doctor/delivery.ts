import { DISCOVERY_PATH } from '../../relay/discovery.ts'
import { fieldsOf, jsonOf } from '../../wire/github-api.ts'
import { DEV_HEADER } from '../../wire/headers.ts'
import { HttpFailure } from '../../wire/http.ts'
import { isObject } from '../../wire/json.ts'
import {
  DISPATCH_MODES,
  type DispatchMode,
  dispatchEvent,
  EVENT_TYPE,
  HEADER,
  writeClientPayload,
  writeDispatch,
  writeWorkflowDispatch,
} from '../../wire/payload.ts'
import type { WorkflowRun } from '../../wire/run-lookup.ts'
import {
  endOfRun,
  findRun,
  followRun,
  NOT_ALLOWED,
  type RunEnd,
  type RunPorts,
  RunsError,
  runAt,
} from '../follow-runs.ts'
import type { Asked } from '../github-client.ts'
import { readResponse } from '../send/response.ts'
import {
  type DoctorFinding,
  type DoctorPorts,
  type DoctorTarget,
  failedFinding,
  passedFinding,
  unknownFinding,
} from './findings.ts'

/** The body of a test event. */
const BODY = '{"hookline":"doctor"}'

/**
 * Sends one test event, through the relay if there is one, and waits for the run that it starts.
 *
 * @param file name of the workflow file, if it was found: `hook.yaml`
 */
export async function checkDelivery(
  target: DoctorTarget,
  file: string | undefined,
  ports: DoctorPorts,
): Promise<DoctorFinding> {
  const since = ports.now()
  try {
    const sent =
      target.relay === undefined
        ? await sendTestToGitHub(target, file ?? `${target.workflow}.yml`, ports)
        : await sendToRelay(target, target.relay, ports)
    return 'check' in sent ? sent : await checkRun(target, sent, since, ports)
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    return failedFinding(
      'delivery',
      'delivery_unanswered',
      `the test event got no response: ${error.message}`,
      'Run the command again. The event may have arrived.',
    )
  }
}

/** How an accepted event is identified. */
interface AcceptedEvent {
  readonly delivery: string | null
  /** Address of the run, if GitHub returned it. */
  readonly run: string | null
  /** True if the event waits at the relay. */
  readonly queued?: boolean
}

async function sendTestToGitHub(
  target: DoctorTarget,
  file: string,
  ports: DoctorPorts,
): Promise<AcceptedEvent | DoctorFinding> {
  const { repository, workflow, trigger, dispatch } = target
  const delivery = crypto.randomUUID()
  const headers = { 'content-type': 'application/json', [HEADER.delivery]: delivery }
  const payload = writeClientPayload({
    path: `${workflow}/${trigger}`,
    method: 'POST',
    headers,
    body: BODY,
  })
  if (dispatch !== 'workflow') {
    const json = writeDispatch(payload)
    const reply = await ports.askGitHub(`/repos/${repository}/dispatches`, { json })
    return refusedBy(reply, target) ?? { delivery, run: null }
  }
  const { answer: known } = await ports.askGitHub(`/repos/${repository}`)
  const { default_branch } = fieldsOf(known)
  const json = writeWorkflowDispatch(payload, String(default_branch))
  const path = `/repos/${repository}/actions/workflows/${encodeURIComponent(file)}/dispatches`
  const reply = await ports.askGitHub(path, { json })
  const { html_url: run } = fieldsOf(reply.answer)
  return refusedBy(reply, target) ?? { delivery, run: typeof run === 'string' ? run : null }
}

/** A relay that serves one repository has only the shorter form of the URL. */
async function sendToRelay(
  { repository, workflow, trigger, relayToken, endpointUrl }: DoctorTarget,
  relay: string,
  { callRelay }: DoctorPorts,
): Promise<AcceptedEvent | DoctorFinding> {
  // An endpoint has its own credential.
  const token = endpointUrl === undefined ? relayToken : undefined
  const forms = [
    endpointUrl ?? `${relay}/${repository}/${workflow}/${trigger}`,
    `${relay}/webhook/${workflow}/${trigger}`,
  ] as const
  let answer = readResponse(await callRelay(forms[0], { json: BODY, token }))
  if (answer.status === 404 && endpointUrl === undefined) {
    answer = readResponse(await callRelay(forms[1], { json: BODY, token }))
  }
  const { accepted, status, delivery, code, message, hint } = answer
  if (accepted && delivery !== null) return answer
  if (accepted) {
    const text = `the server at ${relay} is not a Hookline relay (status ${status} without a delivery id)`
    return failedFinding('delivery', 'relay_not_hookline', text, 'Check --relay.')
  }
  return failedFinding(
    'delivery',
    code ?? 'delivery_refused',
    `the relay rejected the test event (status ${status}): ${message ?? 'no reason given'}`,
    hint ?? 'Check that --relay is the address of a Hookline relay.',
  )
}

function refusedBy({ refusal }: Asked, { dispatch }: DoctorTarget): DoctorFinding | undefined {
  if (!refusal) return undefined
  const permission =
    dispatch === 'workflow'
      ? '"Actions: Read and write"'
      : '"Contents: Read and write" on this repository (classic: the scope "repo")'
  const hint =
    refusal.status === 403 || refusal.status === 404
      ? `Give the token ${permission}.`
      : 'Fix the faults that the other checks report.'
  return failedFinding(
    'delivery',
    'dispatch_refused',
    `GitHub rejected the test event (status ${refusal.status})`,
    hint,
  )
}

/** GitHub accepts an event even if no workflow listens, so only a successful run confirms the delivery. */
async function checkRun(
  target: DoctorTarget,
  sent: AcceptedEvent,
  since: Date,
  ports: DoctorPorts,
): Promise<DoctorFinding> {
  const { testEventTimeout = 0, repository, workflow = '', dispatch = 'repository' } = target
  if (sent.queued) {
    const message = 'the relay stored the event, because GitHub has not accepted it yet'
    const hint = 'See https://www.githubstatus.com, and run: hookline deliveries'
    return unknownFinding('delivery', 'delivery_queued', message, hint)
  }
  const github: RunPorts = { ...ports, repository, ask: ports.askGitHub }
  const deadline = since.getTime() + testEventTimeout * 1000
  const left = () => Math.max(0, deadline - ports.now().getTime())
  try {
    const wanted = {
      delivery: sent.delivery ?? '',
      workflow,
      begun: { event: dispatchEvent(dispatch), since },
    }
    const run = sent.run ? await runAt(sent.run, github) : await findRun(wanted, github, left())
    if (!run) return runMissing(target, testEventTimeout)
    const ended = await followRun(run, github, () => {}, deadline)
    return runFinding(ended, testEventTimeout, await endOfRun(ended, github))
  } catch (error) {
    if (!(error instanceof RunsError)) throw error
    return runsUnreadable(error, sent.run)
  }
}

function runMissing({ dispatch }: DoctorTarget, testEventTimeout: number): DoctorFinding {
  return failedFinding(
    'delivery',
    'run_missing',
    `GitHub accepted the event, but no run started within ${testEventTimeout} s`,
    dispatch === 'workflow'
      ? 'Create an endpoint with --dispatch workflow. If runs are queued, use a longer --timeout.'
      : `Check that the workflow is on the default branch and listens for "${EVENT_TYPE}". If runs are queued, use a longer --timeout.`,
  )
}

/** Only the end of the run shows whether the event was processed. */
function runFinding(
  { conclusion, state, url }: WorkflowRun,
  testEventTimeout: number,
  { outcome, reason, isFailure }: RunEnd,
): DoctorFinding {
  if (conclusion === null) {
    const message = `the event started a run that has not ended within ${testEventTimeout} s (${state}): ${url}`
    const hint = 'Use a longer --timeout. A queued run waits for a runner.'
    return unknownFinding('delivery', 'run_not_ended', message, hint)
  }
  if (outcome === 'skipped') {
    const message = `the event started a run in which every job was skipped: ${url}`
    const hint = 'Compare the job condition (`if:`) with the workflow and the trigger in the URL.'
    return failedFinding('delivery', 'run_skipped', message, hint)
  }
  // The test event has no signature, and nothing else that a trigger may ask for.
  if (isFailure && outcome !== 'nothing_fired') {
    const message = `the event started a run that ended with ${outcome}: ${url}`
    return reason === NOT_ALLOWED
      ? failedFinding('delivery', 'run_not_allowed', message, NOT_ALLOWED)
      : failedFinding('delivery', 'run_failed', message, FAILED_RUN)
  }
  const end = outcome === 'nothing_fired' ? `fired no trigger (${reason})` : 'succeeded'
  return passedFinding('delivery', `the event was delivered, and its run ${end}: ${url}`)
}

/** https://docs.github.com/actions/concepts/security/workflow-execution-protections */
const FAILED_RUN =
  'Open the run. If no job started, a policy of the repository or organization may forbid the event or its actor.'

function runsUnreadable({ kind }: RunsError, run: string | null): DoctorFinding {
  const started = run === null ? '' : `: ${run}`
  const isForbidden = ['unauthorized', 'sso', 'forbidden', 'missing'].includes(kind)
  const message = isForbidden
    ? `GitHub accepted the event, but the token may not read runs${started}`
    : `GitHub accepted the event, but does not list runs right now${started}`
  const hint = isForbidden
    ? 'Give the token "Actions: Read", or open the page "Actions".'
    : 'Open the page "Actions", and see https://www.githubstatus.com.'
  return unknownFinding('delivery', 'runs_unreadable', message, hint)
}

/** The state of a relay, as far as it is visible from outside. */
interface RelayCheck {
  readonly findings: readonly DoctorFinding[]
  /** Its dispatch mode, unless a credential names one; absent if the relay does not publish it. */
  readonly dispatch?: DispatchMode
}

/** Whether a relay responds at the address, and its dispatch mode. */
export async function checkRelay(relay: string, ports: DoctorPorts): Promise<RelayCheck> {
  const finding = await checkAnswer(relay, ports)
  if (finding.status !== 'ok') return { findings: [finding] }
  const { status, text } = await ports.callRelay(relay + DISCOVERY_PATH).catch((error: unknown) => {
    if (!(error instanceof HttpFailure)) throw error
    return { status: error.message, text: '' }
  })
  // An older relay rejects that address; no relay responds with a page.
  if (status === 200 && !isObject(jsonOf(text))) {
    const found = `no description of a relay at ${DISCOVERY_PATH}`
    return { findings: [notHookline(relay, found, 'Check the address and the port.')] }
  }
  const { dispatch } = status === 200 ? fieldsOf({ text }) : {}
  const known = DISPATCH_MODES.find((each) => each === dispatch)
  if (known) {
    const message = `the relay at ${relay} is up (dispatch mode ${known})`
    return { findings: [passedFinding('relay', message)], dispatch: known }
  }
  const message = `the relay does not publish its dispatch mode (status ${status} for ${DISCOVERY_PATH})`
  const hint =
    'Upgrade the relay; or, if its endpoint has the dispatch mode workflow, add --dispatch workflow.'
  return { findings: [finding, unknownFinding('relay', 'relay_mode_unknown', message, hint)] }
}

async function checkAnswer(relay: string, { callRelay }: DoctorPorts): Promise<DoctorFinding> {
  try {
    const { status, text } = await callRelay(`${relay}/healthz`)
    if (status === 200 && text.trim() === 'ok') {
      const front = await callRelay(`${relay}/`)
      // `hookline dev` responds too, but never calls GitHub. Its front page is the inspector.
      if (front.headers[DEV_HEADER] === undefined) {
        // A relay has no HTML front page.
        const isPage = /text\/html/.test(front.headers['content-type'] ?? '')
        return front.status === 200 && !isPage
          ? passedFinding('relay', `the relay at ${relay} is up`)
          : notHookline(relay, `${front.status} for /`, 'Check the address and the port.')
      }
      const message = `the server at ${relay} is hookline dev, which never calls GitHub`
      return failedFinding('relay', 'relay_is_dev', message, 'Start a relay: hookline relay')
    }
    const hint =
      status >= 500
        ? 'See the logs of the relay and of the proxy in front of it.'
        : 'Check the address and the port. A proxy must forward every path.'
    return notHookline(relay, `${status} for /healthz`, hint)
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const hint =
      'Start the relay (hookline relay), or check address, port, firewall and certificate.'
    return failedFinding('relay', 'relay_unreachable', `${relay}: ${error.message}`, hint)
  }
}

function notHookline(relay: string, found: string, hint: string): DoctorFinding {
  const message = `the server at ${relay} is not a Hookline relay (${found})`
  return failedFinding('relay', 'relay_not_hookline', message, hint)
}
