import { HttpFailure, type HttpReply } from '../../wire/http.ts'
import {
  EVENT_TYPE,
  HEADER,
  writeClientPayload,
  writeDispatch,
  writeWorkflowDispatch,
} from '../../wire/payload.ts'
import { fields, list, refusalOf } from '../github.ts'
import { DELIVERY } from '../runs.ts'
import { readAnswer } from '../send.ts'
import { type DoctorPorts, type Finding, failed, ok, type Target, unknown } from './findings.ts'

/** What a test event carries, so that it is known for what it is. */
const BODY = '{"hookline":"doctor"}'

const PAUSE = 2000

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
}

async function sendToGitHub(
  target: Target,
  file: string,
  ports: DoctorPorts,
): Promise<Sent | Finding> {
  const { repository, workflow, trigger, event } = target
  const delivery = crypto.randomUUID()
  const headers = { 'content-type': 'application/json', [HEADER.delivery]: delivery }
  const payload = writeClientPayload({
    path: `${workflow}/${trigger}`,
    method: 'POST',
    headers,
    body: BODY,
  })
  if (event !== 'workflow_dispatch') {
    const json = writeDispatch(payload)
    const reply = await ports.askGitHub(`/repos/${repository}/dispatches`, { json })
    return refusedBy(reply, target) ?? { delivery, run: null }
  }
  const { default_branch } = fields((await ports.askGitHub(`/repos/${repository}`)).text)
  const json = writeWorkflowDispatch(payload, String(default_branch), true)
  const path = `/repos/${repository}/actions/workflows/${encodeURIComponent(file)}/dispatches`
  const reply = await ports.askGitHub(path, { json })
  const { html_url: run } = fields(reply.text)
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
  let answer = readAnswer(await callRelay(forms[0], { json: BODY, token }))
  if (answer.status === 404) {
    answer = readAnswer(await callRelay(forms[1], { json: BODY, token }))
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

function refusedBy(reply: HttpReply, { event }: Target): Finding | undefined {
  const refusal = refusalOf(reply)
  if (!refusal) return undefined
  const permission =
    event === 'workflow_dispatch'
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

/** GitHub accepts an event that nobody listens for, so only a run shows that it was heard. */
async function checkRun(
  target: Target,
  sent: Sent,
  since: Date,
  ports: DoctorPorts,
): Promise<Finding> {
  const { deliver = 0 } = target
  if (sent.run !== null) return started(sent.run)
  const deadline = since.getTime() + deliver * 1000
  for (;;) {
    const run = await startedRun(target, sent, since, ports)
    if (run) return run
    if (ports.now().getTime() + PAUSE > deadline) {
      return failed(
        'delivery',
        'run_missing',
        `GitHub accepted the event, and no run started within ${deliver} s`,
        `the workflow must be on the default branch and listen for "${EVENT_TYPE}"; queues can take longer, too`,
      )
    }
    await ports.sleep(PAUSE)
  }
}

function started(run: unknown): Finding {
  return ok('delivery', `the event was delivered and started a run: ${run}`)
}

/** By the delivery id in its name; where runs have none, by workflow and time. */
async function startedRun(
  { repository, workflow, event = 'repository_dispatch' }: Target,
  { delivery }: Sent,
  since: Date,
  { askGitHub }: DoctorPorts,
): Promise<Finding | undefined> {
  const reply = await askGitHub(`/repos/${repository}/actions/runs?event=${event}&per_page=20`)
  if (refusalOf(reply)) {
    return unknown(
      'delivery',
      'runs_unreadable',
      'GitHub accepted the event; the token may not look for the run',
      'look at the page "Actions", or give the token "Actions: Read"',
    )
  }
  const runs = list(fields(reply.text).workflow_runs).filter(({ path }) => {
    const file = String(path).replace(/@.*$/, '')
    return /([^/]+)\.ya?ml$/.exec(file)?.[1] === workflow
  })
  const named = runs.find(({ display_title: title }) => delivery && `${title}`.includes(delivery))
  // Clocks differ, and GitHub tells whole seconds.
  const earliest = since.getTime() - 5000
  const recent = runs.find(
    ({ created_at, display_title: title }) =>
      Date.parse(String(created_at)) >= earliest && !DELIVERY.test(String(title)),
  )
  const run = named ?? recent
  return run && started(run.html_url)
}

/** Whether a relay answers at the address. */
export async function checkRelay(relay: string, { callRelay }: DoctorPorts): Promise<Finding> {
  try {
    const { status, text } = await callRelay(`${relay}/healthz`)
    if (status === 200 && text.trim() === 'ok') {
      const front = await callRelay(`${relay}/`)
      if (/hookline relay/i.test(front.text)) return ok('relay', `the relay at ${relay} is up`)
      // `hookline dev` is healthy too, but tells GitHub nothing: it has its inspector at the front.
      const isPage = /text\/html/.test(front.headers['content-type'] ?? '')
      if (!isPage || !/hookline/i.test(front.text)) {
        return notHookline(relay, `${front.status} for /`, 'check address and port')
      }
      const message = `what answers at ${relay} is hookline dev, which sends nothing to GitHub`
      return failed('relay', 'relay_is_dev', message, 'start a relay with: npx hookline relay')
    }
    const mend =
      status >= 500
        ? 'see the log of the relay, and of what stands before it'
        : 'check address and port; a proxy must hand on every path'
    return notHookline(relay, `${status} for /healthz`, mend)
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const mend = 'start it with: npx hookline relay. Check address, port, firewall and certificate'
    return failed('relay', 'relay_unreachable', `${relay}: ${error.message}`, mend)
  }
}

function notHookline(relay: string, found: string, mend: string): Finding {
  const message = `what answers at ${relay} is not a relay of Hookline (${found})`
  return failed('relay', 'relay_not_hookline', message, mend)
}
