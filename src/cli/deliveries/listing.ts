import type { AdminAnswer } from '../relay-client.ts'
import { textTable } from '../terminal.ts'

const HEAD = ['RECEIVED', 'STATE', 'REPOSITORY', 'ENDPOINT', 'DELIVERY', 'RUN']

export function deliveriesText(deliveries: readonly AdminAnswer[], now: number): string {
  if (deliveries.length === 0) return 'no deliveries'
  return textTable([HEAD, ...deliveries.map((delivery) => cellsOf(delivery, now))])
}

/** The explanation of an event that the relay stored first, because its sender does not wait. */
const HUNG_UP = 'the sender hung up before the response'

/** Advice about the listed deliveries: one line for each endpoint whose sender does not wait for GitHub. */
export function listAdvice(deliveries: readonly AdminAnswer[]): readonly string[] {
  const impatient = deliveries.filter(({ explanation }) => explanation === HUNG_UP)
  const names = new Set(impatient.map(({ owner, endpoint }) => `${owner}/${endpoint}`))
  return [...names].map(
    (name) =>
      `the sender of ${name} does not wait for GitHub: hookline endpoint update ${name} --respond stored`,
  )
}

function cellsOf(delivery: AdminAnswer, now: number): readonly string[] {
  const { receivedAt, repository, endpoint, id, run, outcome, conclusion } = delivery
  const ended = text(outcome) || text(conclusion)
  const age = now - Date.parse(String(receivedAt))
  return [
    Number.isNaN(age) ? '' : `${rounded(age)} ago`,
    stateText(delivery, now),
    text(repository),
    text(endpoint) || '-',
    text(id),
    [ended, text(run)].filter(Boolean).join(' '),
  ]
}

/** `waiting: rate_limited, 3 attempts, next in 20 s`, or `waiting: queued behind invalid_token, next in 60 s` */
function stateText(delivery: AdminAnswer, now: number): string {
  const { state, reason, waitsFor, attempts, nextAttemptAt } = delivery
  const why = text(reason) && text(reason) !== text(state) ? `: ${text(reason)}` : ''
  const behind = text(waitsFor) && waitsFor !== reason ? ` behind ${text(waitsFor)}` : ''
  const tries = Number(attempts) > 1 ? `, ${Number(attempts)} attempts` : ''
  const wait = Date.parse(text(nextAttemptAt)) - now
  const soon = wait > 0 ? `next in ${rounded(wait)}` : 'next as soon as possible'
  return text(state) + why + behind + tries + (text(nextAttemptAt) && `, ${soon}`)
}

function rounded(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} d`
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
