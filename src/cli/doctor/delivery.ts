import { DISCOVERY_PATH } from '../../relay/endpoints/discovery.ts'
import { fieldsOf, jsonOf } from '../../wire/github.ts'
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
import type { Asked } from '../github.ts'
import {
  findRun,
  followRun,
  hasNoJob,
  hasSucceeded,
  NOT_ALLOWED,
  type Run,
  type RunPorts,
  RunsError,
  runAt,
} from '../runs.ts'
import { readResponse } from '../send/response.ts'
import { type DoctorPorts, type Finding, failed, ok, type Target, unknown } from './findings.ts'

/** What a test event carries, so that it is known for what it is. */
const BODY = '{"hookline":"doctor"}'

/**
 * Sends one real event, through the relay where there is one, and waits for the run that it starts.
 *
 * @param file of the workflow, where one was found: `hook.yaml`
 */
export async function checkDelivery(
  target: Target,
  file: string | undefined,
  ports: DoctorPorts,
): Promise<Finding> {
  const since = ports.now()
  try {
    const sent =
      target.relay === undefined
        ? await sendToGitHub(target, file ?? `${target.workflow}.yml`, ports)
        : await sendToRelay(target, target.relay, ports)
    return 'check' in sent ? sent : await checkRun(target, sent, since, ports)
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    return failed(
      'delivery',
      'delivery_unanswered',
      `the event got no answer: ${error.message}`,
      'try again; it may have arrived',
    )
  }
}

/** What an accepted event is known by. */
interface Sent {
  readonly delivery: string | null
  /** Page of the run, where GitHub told it. */
  readonly run: string | null
  /** True when GitHub has not taken it yet: it waits in the relay's outbox. */
  readonly queued?: boolean
}

async function sendToGitHub(
  target: Target,
  file: string,
  ports: DoctorPorts,
): Promise<Sent | Finding> {
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
  const json = writeWorkflowDispatch(payload, String(default_branch), true)
  const path = `/repos/${repository}/actions/workflows/${encodeURIComponent(file)}/dispatches`
  const reply = await ports.askGitHub(path, { json })
  const { html_url: run } = fieldsOf(reply.answer)
  return refusedBy(reply, target) ?? { delivery, run: typeof run === 'string' ? run : null }
}

/** A relay that serves one repository knows only the shorter form of the URL. */
async function sendToRelay(
  { repository, workflow, trigger, relayToken: token }: Target,
  relay: string,
  { callRelay }: DoctorPorts,
): Promise<Sent | Finding> {
  const forms = [
    `${relay}/${repository}/${workflow}/${trigger}`,
    `${relay}/webhook/${workflow}/${trigger}`,
  ] as const
  let answer = readResponse(await callRelay(forms[0], { json: BODY, token }))
  if (answer.status === 404) {
    answer = readResponse(await callRelay(forms[1], { json: BODY, token }))
  }
  const { accepted, status, delivery, code, message, hint } = answer
  if (accepted && delivery !== null) return answer
  if (accepted) {
    const text = `what answers there is not a relay of Hookline (${status} without a delivery id)`
    return failed('delivery', 'relay_not_hookline', text, 'check the address of the relay')
  }
  return failed(
    'delivery',
    code ?? 'delivery_refused',
    `the relay refused the event (${status}): ${message ?? 'without a reason'}`,
    hint ?? 'is it a relay of Hookline?',
  )
}

function refusedBy({ refusal }: Asked, { dispatch }: Target): Finding | undefined {
  if (!refusal) return undefined
  const permission =
    dispatch === 'workflow'
      ? '"Actions: Read and write"'
      : '"Contents: Read and write" on this repository (classic: the scope "repo")'
  const mend =
    refusal.status === 403 || refusal.status === 404
      ? `give the token ${permission}`
      : 'see what the other checks say'
  return failed(
    'delivery',
    'dispatch_refused',
    `GitHub refused the event (${refusal.status})`,
    mend,
  )
}

/** GitHub accepts an event that nobody listens for, so only a run that ends well shows that it was heard. */
async function checkRun(
  target: Target,
  sent: Sent,
  since: Date,
  ports: DoctorPorts,
): Promise<Finding> {
  const { deliver = 0, repository, workflow = '', dispatch = 'repository' } = target
  if (sent.queued) {
    const message = "the relay's outbox has the event: GitHub has not taken it yet"
    const mend = 'see https://www.githubstatus.com, and what waits with: hookline outbox list'
    return unknown('delivery', 'delivery_queued', message, mend)
  }
  const github: RunPorts = { ...ports, repository, ask: ports.askGitHub }
  const deadline = since.getTime() + deliver * 1000
  const left = () => Math.max(0, deadline - ports.now().getTime())
  try {
    const wanted = {
      delivery: sent.delivery ?? '',
      begun: { workflow, event: dispatchEvent(dispatch), since },
    }
    const run = sent.run ? await runAt(sent.run, github) : await findRun(wanted, github, left())
    if (!run) return runMissing(target, deliver)
    const ended = await followRun(run, github, () => {}, deadline)
    return judgeRun(ended, deliver, await hasNoJob(ended, github))
  } catch (error) {
    if (!(error instanceof RunsError)) throw error
    return runsUnreadable(error, sent.run)
  }
}

function runMissing({ dispatch }: Target, deliver: number): Finding {
  return failed(
    'delivery',
    'run_missing',
    `GitHub accepted the event, and no run started within ${deliver} s`,
    dispatch === 'workflow'
      ? 'the relay named no run: is HOOKLINE_DISPATCH=workflow set there, too? Queues can take longer'
      : `the workflow must be on the default branch and listen for "${EVENT_TYPE}"; queues can take longer, too`,
  )
}

/** A run says that the event was heard; that all is well only its end says. */
function judgeRun(run: Run, deliver: number, isEmpty: boolean): Finding {
  const { conclusion, state, url } = run
  if (conclusion === null) {
    const message = `the event started a run, which has not ended within ${deliver} s (${state}): ${url}`
    const mend = 'give --wait more seconds; a run that stays queued waits for a runner'
    return unknown('delivery', 'run_not_ended', message, mend)
  }
  if (conclusion === 'skipped') {
    const message = `the event started a run in which nothing ran: ${url}`
    const mend = 'does the guard in `if:` name another workflow or trigger than the URL?'
    return failed('delivery', 'run_skipped', message, mend)
  }
  if (!hasSucceeded(run)) {
    const message = `the event started a run, which ended with ${conclusion}: ${url}`
    return isEmpty
      ? failed('delivery', 'run_not_allowed', message, NOT_ALLOWED)
      : failed('delivery', 'run_failed', message, FAILED_RUN)
  }
  return ok('delivery', `the event was delivered, and its run succeeded: ${url}`)
}

/** https://docs.github.com/actions/concepts/security/workflow-execution-protections */
const FAILED_RUN =
  'its page says why; where no job began, a policy of the repository or organization may not allow this event, or who started it'

function runsUnreadable({ kind }: RunsError, run: string | null): Finding {
  const started = run === null ? '' : `: ${run}`
  const mayNot = ['unauthorized', 'sso', 'forbidden', 'missing'].includes(kind)
  const message = mayNot
    ? `GitHub accepted the event; the token may not look for the run${started}`
    : `GitHub accepted the event, and does not tell of its runs now${started}`
  const mend = mayNot
    ? 'look at the page "Actions", or give the token "Actions: Read"'
    : 'look at the page "Actions"; see https://www.githubstatus.com'
  return unknown('delivery', 'runs_unreadable', message, mend)
}

/** What is known of a relay from outside. */
interface RelayCheck {
  readonly findings: readonly Finding[]
  /** What it starts workflows by, unless a credential says otherwise; absent where it does not tell. */
  readonly dispatch?: DispatchMode
}

/** Whether a relay answers at the address, and what it starts workflows by. */
export async function checkRelay(relay: string, ports: DoctorPorts): Promise<RelayCheck> {
  const finding = await checkAnswer(relay, ports)
  if (finding.status !== 'ok') return { findings: [finding] }
  const { status, text } = await ports.callRelay(relay + DISCOVERY_PATH).catch((error: unknown) => {
    if (!(error instanceof HttpFailure)) throw error
    return { status: error.message, text: '' }
  })
  // An older relay refuses that address; none answers it with a page.
  if (status === 200 && !isObject(jsonOf(text))) {
    const found = `no description of a relay at ${DISCOVERY_PATH}`
    return { findings: [notHookline(relay, found, 'check address and port')] }
  }
  const { dispatch } = status === 200 ? fieldsOf({ text }) : {}
  const known = DISPATCH_MODES.find((each) => each === dispatch)
  if (known) {
    const message = `the relay at ${relay} is up, and starts workflows by ${known}`
    return { findings: [ok('relay', message)], dispatch: known }
  }
  const message = `the relay does not tell which event it starts workflows by (${status} for ${DISCOVERY_PATH})`
  const mend =
    'an older version does not; where it runs with HOOKLINE_DISPATCH=workflow, give --dispatch workflow'
  return { findings: [finding, unknown('relay', 'relay_mode_unknown', message, mend)] }
}

async function checkAnswer(relay: string, { callRelay }: DoctorPorts): Promise<Finding> {
  try {
    const { status, text } = await callRelay(`${relay}/healthz`)
    if (status === 200 && text.trim() === 'ok') {
      const front = await callRelay(`${relay}/`)
      // `hookline dev` is healthy too, but tells GitHub nothing: it has its inspector at the front.
      if (front.headers[DEV_HEADER] === undefined) {
        // A relay has no page there.
        const isPage = /text\/html/.test(front.headers['content-type'] ?? '')
        return front.status === 200 && !isPage
          ? ok('relay', `the relay at ${relay} is up`)
          : notHookline(relay, `${front.status} for /`, 'check address and port')
      }
      const message = `what answers at ${relay} is hookline dev, which sends nothing to GitHub`
      return failed('relay', 'relay_is_dev', message, 'start a relay with: hookline relay')
    }
    const mend =
      status >= 500
        ? 'see the log of the relay, and of what stands before it'
        : 'check address and port; a proxy must hand on every path'
    return notHookline(relay, `${status} for /healthz`, mend)
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const mend = 'start it with: hookline relay. Check address, port, firewall and certificate'
    return failed('relay', 'relay_unreachable', `${relay}: ${error.message}`, mend)
  }
}

function notHookline(relay: string, found: string, mend: string): Finding {
  const message = `what answers at ${relay} is not a relay of Hookline (${found})`
  return failed('relay', 'relay_not_hookline', message, mend)
}
