import { HttpFailure, type HttpReply } from '../../wire/http.ts'
import { EVENT_TYPE, writeClientPayload, writeDispatch } from '../../wire/payload.ts'
import { type Answer, readAnswer } from '../send.ts'
import { type DoctorPorts, type Finding, failed, ok, type Target, unknown } from './findings.ts'
import { fields, list, refusalOf } from './repository.ts'

/** What a test event carries, so that it is known for what it is. */
const BODY = '{"hookline":"doctor"}'

const PAUSE = 2000

/** Sends one real event, through the relay where there is one, and waits for the run that it starts. */
export async function checkDelivery(patient: Target, ports: DoctorPorts): Promise<Finding> {
  const since = ports.now()
  const refused = await refusedEvent(patient, ports)
  return refused ?? (await checkRun(patient, since, ports))
}

async function refusedEvent(patient: Target, ports: DoctorPorts): Promise<Finding | undefined> {
  try {
    return patient.relay === undefined
      ? judgeDispatch(await dispatch(patient, ports))
      : judgeAnswer(await sendEvent(patient, patient.relay, ports))
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

function dispatch({ repository, workflow, trigger }: Target, { askGitHub }: DoctorPorts) {
  const headers = { 'content-type': 'application/json' }
  const payload = { path: `${workflow}/${trigger}`, method: 'POST', headers, body: BODY }
  return askGitHub(`/repos/${repository}/dispatches`, {
    json: writeDispatch(writeClientPayload(payload)),
  })
}

/** A relay that serves one repository knows only the shorter form of the URL. */
async function sendEvent(
  { repository, workflow, trigger, relayToken: token }: Target,
  relay: string,
  { callRelay }: DoctorPorts,
): Promise<Answer> {
  const forms = [
    `${relay}/${repository}/${workflow}/${trigger}`,
    `${relay}/webhook/${workflow}/${trigger}`,
  ] as const
  const answer = readAnswer(await callRelay(forms[0], { json: BODY, token }))
  if (answer.status !== 404) return answer
  return readAnswer(await callRelay(forms[1], { json: BODY, token }))
}

function judgeDispatch(reply: HttpReply): Finding | undefined {
  const refusal = refusalOf(reply)
  if (!refusal) return undefined
  const mend =
    refusal.status === 403 || refusal.status === 404
      ? 'give the token "Contents: Read and write" on this repository (classic: the scope "repo")'
      : 'see what the other checks say'
  return failed(
    'delivery',
    'dispatch_refused',
    `GitHub refused the event (${refusal.status})`,
    mend,
  )
}

function judgeAnswer({ accepted, status, code, message, hint }: Answer): Finding | undefined {
  if (accepted) return undefined
  return failed(
    'delivery',
    code ?? 'delivery_refused',
    `the relay refused the event (${status}): ${message ?? 'without a reason'}`,
    hint ?? 'is it a relay of Hookline?',
  )
}

/** GitHub accepts an event that nobody listens for, so only a run shows that it was heard. */
async function checkRun(patient: Target, since: Date, ports: DoctorPorts): Promise<Finding> {
  const { deliver = 0 } = patient
  const deadline = since.getTime() + deliver * 1000
  for (;;) {
    const run = await startedRun(patient, since, ports)
    if (run) return run
    if (ports.now().getTime() + PAUSE > deadline) return silence(deliver)
    await ports.sleep(PAUSE)
  }
}

async function startedRun(
  { repository, workflow }: Target,
  since: Date,
  { askGitHub }: DoctorPorts,
): Promise<Finding | undefined> {
  const reply = await askGitHub(
    `/repos/${repository}/actions/runs?event=repository_dispatch&per_page=20`,
  )
  if (refusalOf(reply)) {
    return unknown(
      'delivery',
      'runs_unreadable',
      'GitHub accepted the event; the token may not look for the run',
      'look at the page "Actions", or give the token "Actions: Read"',
    )
  }
  // Clocks differ, and GitHub tells whole seconds.
  const earliest = since.getTime() - 5000
  const run = list(fields(reply.text).workflow_runs).find(({ path, created_at }) => {
    const file = String(path).replace(/@.*$/, '')
    return (
      Date.parse(String(created_at)) >= earliest && /([^/]+)\.ya?ml$/.exec(file)?.[1] === workflow
    )
  })
  return run && ok('delivery', `the event was delivered and started a run: ${run.html_url}`)
}

function silence(seconds: number): Finding {
  const message = `GitHub accepted the event, and no run started within ${seconds} s`
  return failed(
    'delivery',
    'run_missing',
    message,
    `the workflow must be on the default branch and listen for "${EVENT_TYPE}"; queues can take longer, too`,
  )
}

/** Whether a relay answers at the address. */
export async function checkRelay(relay: string, { callRelay }: DoctorPorts): Promise<Finding> {
  try {
    const { status, text } = await callRelay(`${relay}/healthz`)
    if (status === 200 && text.trim() === 'ok') return ok('relay', `the relay at ${relay} is up`)
    const message = `what answers at ${relay} is no relay of Hookline (${status} for /healthz)`
    const mend =
      status >= 500
        ? 'see the log of the relay, and of what stands before it'
        : 'check address and port; a proxy must hand on every path'
    return failed('relay', 'relay_not_hookline', message, mend)
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const mend = 'start it with: hookline relay. Check address, port, firewall and certificate'
    return failed('relay', 'relay_unreachable', `${relay}: ${error.message}`, mend)
  }
}
