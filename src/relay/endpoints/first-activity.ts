import { isObject, parsePlainJson } from '../../wire/json.ts'
import type { FirstActivity } from './endpoint.ts'
import type { EndpointStore } from './store.ts'

interface FirstActivityPorts {
  readonly store: Pick<EndpointStore, 'claimSession'>
  /** Sends a request to the API of Linear, within two seconds and without following a redirect. */
  post(body: string, headers: Readonly<Record<string, string>>): Promise<{ status: number }>
  /** Milliseconds since 1970. */
  now(): number
  log(line: { readonly activity: 'sent' | 'failed'; readonly status?: number }): void
  report(error: unknown): void
}

const MUTATION =
  'mutation ($input: AgentActivityCreateInput!) { agentActivityCreate(input: $input) { success } }'

/**
 * Sends the first activity of an agent session, once for each session. Linear shows an agent as unresponsive
 * that sends none within 10 seconds, and a runner starts later. The activity disappears with the next one.
 *
 * Never rejects, because the event was accepted, whatever becomes of the activity.
 *
 * @param body of a verified event that was accepted
 * @see https://linear.app/developers/agent-best-practices
 */
export async function sendFirstActivity(
  { text, token }: FirstActivity,
  body: string | undefined,
  { store, post, now, log, report }: FirstActivityPorts,
): Promise<void> {
  const session = createdSession(body)
  if (session === undefined) return
  try {
    if (!(await store.claimSession(session, now()))) return
    const content = { type: 'thought', body: text }
    const input = { agentSessionId: session, content, ephemeral: true }
    const request = JSON.stringify({ query: MUTATION, variables: { input } })
    // OAuth tokens are bearer tokens; API keys are sent as they are.
    const authorization = token.startsWith('lin_api_') ? token : `Bearer ${token}`
    const { status } = await post(request, { 'content-type': 'application/json', authorization })
    log(status === 200 ? { activity: 'sent' } : { activity: 'failed', status })
  } catch (error) {
    log({ activity: 'failed' })
    if (!isNetworkFailure(error)) report(error)
  }
}

/** A timeout, or no connection: the log line is enough. */
function isNetworkFailure(error: unknown): boolean {
  return error instanceof Error && /^(?:TimeoutError|AbortError|TypeError)$/.test(error.name)
}

/** The id of the session that the event created; `undefined` for any other event. */
function createdSession(body: string | undefined): string | undefined {
  if (body === undefined) return undefined
  let event: unknown
  try {
    event = parsePlainJson(body)
  } catch {
    return undefined
  }
  if (!isObject(event) || event.type !== 'AgentSessionEvent' || event.action !== 'created') {
    return undefined
  }
  const session = isObject(event.agentSession) ? event.agentSession.id : undefined
  return typeof session === 'string' && /^[\w-]{1,64}$/.test(session) ? session : undefined
}
