import { tryParseJson, valueAt } from '../../wire/json.ts'
import { dispatchEvent } from '../../wire/payload.ts'
import { cureOfFailure, cureOfNothingFired } from '../../wire/run-reasons.ts'
import { runNameLine } from '../../workflow/run-name.ts'
import { STARTING_TIME } from '../delivery/follow-runs.ts'
import type { Delivery, RunOutcome } from '../store/delivery-rows.ts'
import { isDeleted } from '../store/delivery-sql.ts'
import type { Endpoint } from '../store/endpoint-settings.ts'
import { isoTime } from './query.ts'

/** The stages of a delivery in order, from the request to the end of its run. */
const STAGES = ['received', 'verified', 'filtered', 'sent', 'run found', 'run ended'] as const

/**
 * - `ok`: the delivery passed the stage
 * - `failed`: the delivery ended in this stage
 * - `waiting`: the delivery is in this stage, and goes on later
 * - `skipped`: the endpoint has no such check
 * - `unknown`: the relay does not know the result
 */
type StageState = 'ok' | 'failed' | 'waiting' | 'skipped' | 'unknown'

/** One stage of a delivery. Values that are unknown or do not apply are `null`. */
interface Stage {
  readonly stage: (typeof STAGES)[number]
  readonly state: StageState
  /** ISO 8601, UTC. */
  readonly at: string | null
  /** What the relay found, for a person. */
  readonly found: string | null
  /** The condition or signature that the stage checks. */
  readonly wanted: string | null
  /** The command or the step that fixes the cause. */
  readonly cure: string | null
}

export interface Resting {
  /** Error code of the attempt after which the queue rests; absent if the queue does not rest. */
  readonly waitsFor?: string
}

/** A stage without its name; an absent value is `null`. */
type StageResult = Partial<Pick<Stage, 'at' | 'found' | 'wanted' | 'cure'>> & Pick<Stage, 'state'>

/**
 * Explains a delivery stage by stage. The stage that failed or waits is the last one. A delivery does not store
 * the endpoint's settings, so a stage describes the current settings, even if the request came before a change.
 *
 * @param endpoint current settings; `undefined` for a token URL, and for an endpoint that was deleted
 * @param body of the request, if the relay stores it; completes the reason that a trigger did not fire
 */
export function stagesOf(
  delivery: Delivery & Resting,
  endpoint: Endpoint | undefined,
  body: string | null = null,
): readonly Stage[] {
  const results: StageResult[] = [
    receivedStage(delivery, endpoint),
    verifiedStage(delivery, endpoint),
    filteredStage(delivery, endpoint),
    sentStage(delivery, endpoint),
    foundStage(delivery, endpoint),
    endedStage(delivery, body),
  ]
  const last = results.findIndex(({ state }) => state === 'failed' || state === 'waiting')
  const shown = last < 0 ? results : results.slice(0, last + 1)
  return shown.flatMap((one, index): Stage[] => {
    const stage = STAGES[index]
    const { state, at = null, found = null, wanted = null, cure = null } = one
    return stage ? [{ stage, state, at, found, wanted, cure }] : []
  })
}

/**
 * Error codes of requests that GitHub refused: they failed in the stage `sent`. With any other code, the relay
 * itself refused the request.
 */
const BY_GITHUB: ReadonlySet<string> = new Set([
  'invalid_token',
  'credential_revoked',
  'repository_not_accessible',
  'workflow_not_accessible',
  'workflow_not_listening',
  'ref_not_found',
  'event_rejected',
  'dispatch_not_supported',
  'rate_limited',
  'app_not_installed',
  'app_permission_missing',
])

function receivedStage(delivery: Delivery, endpoint: Endpoint | undefined): StageResult {
  const { received, method, path, size, state, reason, explanation } = delivery
  const at = isoTime(received)
  const found = `${method || 'a request'} ${path}, ${size} bytes`
  const isRefused = state === 'refused' && reason !== UNVERIFIED && !BY_GITHUB.has(reason)
  if (!isRefused) return { state: 'ok', at, found }
  return {
    state: 'failed',
    at,
    found: `${found}: ${explanation ?? reason}`,
    cure: cureOf(reason, delivery, endpoint),
  }
}

/** The error code of a signature that is not valid. */
const UNVERIFIED = 'invalid_signature'

function verifiedStage(
  { state, reason, received, explanation }: Delivery,
  endpoint: Endpoint | undefined,
): StageResult {
  const at = isoTime(received)
  if (state === 'refused' && reason === UNVERIFIED) {
    return {
      state: 'failed',
      at,
      found: explanation ?? 'the signature is not valid',
      wanted: `a signature by ${schemesOf(endpoint)} with the endpoint's secret`,
      cure: `Enter the same secret at the sender, or here: ${updateCommand(endpoint)} ${senderFlag(endpoint)} --secret-env <NAME>`,
    }
  }
  if (!endpoint?.verify) return { state: 'skipped' }
  return { state: 'ok', at, found: `verified by ${schemesOf(endpoint)}` }
}

/** The flag that names the scheme of the endpoint, unless it needs further settings. */
function senderFlag(endpoint: Endpoint | undefined): string {
  const [entry, ...others] = endpoint?.verify ?? []
  const { scheme, secret: _, ...settings } = entry ?? {}
  const [name, ...alternatives] = [scheme ?? []].flat().map(String)
  const isWhole = others.length + alternatives.length + Object.keys(settings).length === 0
  return isWhole && name !== undefined ? `--verify ${name}` : '--sender <name>'
}

function schemesOf(endpoint: Endpoint | undefined): string {
  const names = endpoint?.verify?.flatMap(({ scheme }) => [scheme ?? []].flat().map(String)) ?? []
  return names.join(' or ') || 'the scheme of the endpoint'
}

function filteredStage(delivery: Delivery, endpoint: Endpoint | undefined): StageResult {
  const { state, received, explanation } = delivery
  const at = isoTime(received)
  if (state === 'filtered') {
    return {
      state: 'failed',
      at,
      found: explanation ?? 'the condition of the endpoint is not true',
      wanted: endpoint?.if ?? null,
      cure: `Change the condition: ${updateCommand(endpoint)} --if '<condition>'${isReplayable(delivery) ? ' && ' : ', then '}${again(delivery)}`,
    }
  }
  if (endpoint?.if === undefined) return { state: 'skipped' }
  return { state: 'ok', at, found: 'the condition is true', wanted: endpoint.if }
}

function sentStage(delivery: Delivery & Resting, endpoint: Endpoint | undefined): StageResult {
  const { state, reason, githubMs, attempts, since, next, explanation } = delivery
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const why = explanation === null ? reason : `${reason}: ${explanation}`
  switch (state) {
    case 'delivered': {
      const time = githubMs === null ? '' : ` in ${githubMs} ms`
      return {
        state: 'ok',
        at: acceptedAt(delivery),
        found: `accepted by GitHub${time}${attempts > 1 ? `, ${tries}` : ''}`,
      }
    }
    case 'refused':
    case 'dead':
      return {
        state: 'failed',
        at: isoTime(since),
        found: state === 'dead' ? `given up after ${tries}: ${why}` : why,
        cure: cureOf(reason, delivery, endpoint),
      }
    default: {
      const when = next === null ? '' : `, next attempt ${isoTime(next)}`
      const { waitsFor = reason } = delivery
      const behind = waitsFor === reason ? '' : ` behind ${waitsFor}`
      const doubt = state === 'uncertain' ? 'GitHub may have the event, ' : ''
      return {
        state: 'waiting',
        at: isoTime(since),
        found: `${doubt}${why}${behind} (${tries}${when})`,
        cure: cureOf(waitsFor, delivery, endpoint),
      }
    }
  }
}

/** When GitHub accepted the event. GitHub's time has whole seconds, so it can be before the receipt. */
export function acceptedAt({ accepted, received }: Delivery): string | null {
  return accepted === null ? null : isoTime(Math.max(accepted, received))
}

function foundStage(
  { outcome, outcomeReason, run, accepted, repository, path }: Delivery,
  endpoint: Endpoint | undefined,
): StageResult {
  const [workflow = ''] = path.split('/')
  switch (outcome) {
    case null:
      return run === null
        ? { state: 'unknown', found: 'the relay did not look for the run of this event' }
        : { state: 'ok', found: run }
    case 'pending':
      return { state: 'waiting', found: 'no run yet' }
    case 'no_run': {
      const other = outcomeReason === 'other_workflow' ? ', but a run of another workflow' : ''
      return {
        state: 'failed',
        at: accepted === null ? null : isoTime(accepted + STARTING_TIME),
        found: `no run of the workflow ${workflow} within 2 minutes${other}`,
        cure: `Find the reason: hookline doctor --repository ${repository} --workflow ${workflow}`,
      }
    }
    case 'unknown':
      return {
        state: run === null ? 'unknown' : 'ok',
        found: outcomeReason ?? 'GitHub did not tell',
        cure:
          outcomeReason === 'no_delivery_id'
            ? `Add to the workflow: ${runNameLine(workflow, endpoint && dispatchEvent(endpoint.dispatch))}`
            : (UNKNOWN_CURES.get(outcomeReason ?? '') ?? null),
      }
    default:
      return { state: 'ok', found: run }
  }
}

const UNKNOWN_CURES: ReadonlyMap<string, string> = new Map([
  ['repository_not_accessible', 'Give the GitHub credential the permission Actions: Read.'],
  ['app_permission_missing', 'Give the GitHub App the permission Actions: Read.'],
])

const ENDED: ReadonlySet<RunOutcome> = new Set([
  'success',
  'failure',
  'nothing_fired',
  'skipped',
  'startup_failure',
])

function endedStage(delivery: Delivery, body: string | null): StageResult {
  const { outcome, outcomeReason, conclusion, run, details } = delivery
  if (outcome === null || outcome === 'unknown') return { state: 'unknown' }
  if (outcome === 'waiting_for_approval') {
    return {
      state: 'waiting',
      found: 'the run waits for an approval',
      cure: `Approve the run: ${run}`,
    }
  }
  if (!ENDED.has(outcome)) return { state: 'waiting', found: 'the run has not ended' }
  if (outcome === 'success') {
    const unread = details === 'not_read' ? ' (its steps were not read)' : ''
    return { state: 'ok', found: `${conclusion ?? 'success'}${unread}` }
  }
  const failed = (found: string, cure: string): StageResult => {
    return { state: 'failed', found, cure: `${cure}, then: ${again(delivery)}` }
  }
  const reason = outcomeReason ?? ''
  switch (outcome) {
    case 'nothing_fired':
      return failed(withValues(reason, body) || 'no trigger fired', cureOfNothingFired(reason))
    case 'skipped':
      return failed(
        'every job was skipped: no condition (if:) is true for this event',
        'Find the condition: hookline check',
      )
    case 'startup_failure':
      return failed(
        outcomeReason ?? 'the run failed before a job began',
        'Correct the error that the run shows',
      )
    default:
      return failed(
        outcomeReason ?? conclusion ?? 'failure',
        cureOfFailure(reason) ?? `Read the log of the run: ${run}`,
      )
  }
}

/** The command that replays the delivery, or the step at the sender if the relay cannot. */
function again(delivery: Delivery): string {
  return isReplayable(delivery)
    ? `hookline deliveries replay ${delivery.id}`
    : 'let the sender send the event again'
}

/** False if the payload is not stored, or the endpoint was deleted. */
function isReplayable({ key, endpoint }: Delivery): boolean {
  return key !== null && !isDeleted({ endpoint })
}

/** Adds values to a reason: in a public repository the action omits them, so read them from the stored body. */
function withValues(reason: string, body: string | null): string {
  const content = tryParseJson(body ?? '')
  return reason.replace(/(body[\w.-]*) is another value/g, (text, path: string) => {
    const found = valueAt(content, path.split('.').slice(1))
    if (found === undefined) return text
    return `${path} is ${JSON.stringify(found).slice(0, VALUE_LENGTH)}`
  })
}

/** The most characters of a value in a reason. */
const VALUE_LENGTH = 160

/**
 * The cure of an error code, or of the reason that an event waits or is dead. `null` if time helps, as with
 * `rate_limited`.
 */
function cureOf(reason: string, delivery: Delivery, endpoint: Endpoint | undefined): string | null {
  const update = updateCommand(endpoint)
  const replay = delivery.state === 'dead' ? `, then: ${again(delivery)}` : ''
  const workflow = endpoint?.workflow ?? delivery.path.split('/')[0]
  switch (reason) {
    case 'invalid_token':
    case 'repository_not_accessible':
    case 'credential_revoked':
      return endpoint?.token
        ? `Store a token that may write to the repository: HOOKLINE_GITHUB_TOKEN=… ${update} --credential token${replay}`
        : `Give the relay's GitHub credential access to the repository (HOOKLINE_GITHUB_TOKEN), restart the relay${replay}`
    case 'app_not_installed':
    case 'app_permission_missing':
      return `Install the GitHub App for the repository, with its permissions${replay}`
    case 'workflow_not_accessible':
      return `Push the workflow to the default branch; see: hookline doctor --workflow ${workflow}${replay}`
    case 'workflow_not_listening':
      return `Let GitHub start the workflow as it declares: ${update} --dispatch repository${replay}`
    case 'dispatch_not_supported':
      return endpoint
        ? `Let the relay start the workflow by workflow_dispatch: ${update} --dispatch workflow${replay}`
        : `Set HOOKLINE_FORGE=forgejo or HOOKLINE_FORGE=gitea on the relay, and restart the relay${replay}`
    case 'ref_not_found':
      return `Name a branch or tag that exists: ${update} --ref <branch>, or ${update} --remove ref${replay}`
    case 'event_rejected':
      return `Correct the event or the workflow as GitHub's reason says${replay}`
    case 'payload_too_large':
      return 'Send less data, or let the relay store large bodies: set HOOKLINE_PUBLIC_URL.'
    case 'token_in_body':
      return 'Do not send the GitHub token in the body: everyone who can read the run can read it.'
    case 'endpoint_deleted':
      return 'Create the endpoint again, and let the sender send the event again: hookline endpoint create'
    case 'too_old':
    case 'maybe_accepted':
    case 'internal_error':
      return `Send it again: ${again(delivery)}`
    case 'unreadable':
      return 'Add the missing relay key behind the first one, separated by a comma.'
    case 'stored':
      return delivery.explanation
        ? `The sender waits only briefly, so make this permanent: ${update} --respond stored`
        : null
    default:
      return null
  }
}

/** `hookline endpoint update octo/orders` */
function updateCommand(endpoint: Endpoint | undefined): string {
  const name = endpoint ? `${endpoint.owner}/${endpoint.name}` : '<name>'
  return `hookline endpoint update ${name}`
}
