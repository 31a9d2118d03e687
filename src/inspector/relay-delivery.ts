import * as v from 'valibot'
import { TRIGGERS } from '../triggers/index.ts'
import { fromBase64 } from '../wire/bytes.ts'
import { UserError } from '../wire/errors.ts'
import type { JsonObject } from '../wire/json.ts'
import { printable } from '../wire/printable.ts'
import { UUID } from '../wire/uuid.ts'
import { readWebhookRequest } from '../wire/webhook-request.ts'
import type {
  Detail,
  JobsResult,
  OutputReader,
  ShownRequest,
  ShownStage,
  ShownValue,
  Summary,
} from './api.ts'

/** A string for people. Control characters are replaced, because a relay is another machine. */
const words = v.pipe(v.string(), v.maxLength(20_000), v.transform(printable))
const optionalWords = v.nullish(words, null)
const count = v.nullish(v.number(), null)

/** Ids and owners are parts of addresses of the admin API. */
const id = v.pipe(v.string(), v.regex(new RegExp(`^${UUID}$`)))
const owner = v.pipe(v.string(), v.regex(/^[\w-]{1,100}$/))

const STATES = ['delivered', 'waiting', 'uncertain', 'dead', 'filtered', 'refused'] as const

const deliverySchema = v.object({
  id,
  owner,
  endpoint: optionalWords,
  repository: words,
  path: words,
  method: optionalWords,
  state: v.picklist(STATES),
  reason: optionalWords,
  explanation: optionalWords,
  receivedAt: words,
  changedAt: optionalWords,
  attempts: count,
  nextAttemptAt: optionalWords,
  size: count,
  githubMs: count,
  outcome: optionalWords,
  outcomeReason: optionalWords,
  replayOf: v.nullish(id, null),
  batch: v.nullish(id, null),
})

export type ListedDelivery = v.InferOutput<typeof deliverySchema>

const pageSchema = v.object({
  deliveries: v.array(deliverySchema),
  next: v.nullish(v.pipe(v.string(), v.maxLength(100)), null),
})

const stageSchema = v.object({
  stage: words,
  state: v.picklist(['ok', 'failed', 'waiting', 'skipped', 'unknown']),
  at: optionalWords,
  found: optionalWords,
  wanted: optionalWords,
  cure: optionalWords,
})

const requestSchema = v.object({
  method: v.pipe(v.string(), v.regex(/^[A-Z]{1,20}$/)),
  path: v.pipe(v.string(), v.maxLength(8192)),
  query: v.pipe(v.string(), v.maxLength(65_536)),
  headers: v.record(v.string(), v.nullable(v.string())),
  body: v.nullable(v.string()),
  bodyEncoding: v.optional(v.literal('base64')),
  isCut: v.optional(v.boolean()),
  bodyUrl: v.optional(words),
})

const shownSchema = v.object({
  delivery: deliverySchema,
  request: v.nullish(requestSchema, null),
  stages: v.array(stageSchema),
})

/** A delivery with its request and its stages. */
type ShownDelivery = v.InferOutput<typeof shownSchema>

/** A page of the list. @throws UserError if it is not the response of a relay */
export function readDeliveries(answer: unknown): v.InferOutput<typeof pageSchema> {
  const page = v.safeParse(pageSchema, answer)
  if (!page.success) throw new UserError(NOT_A_RELAY)
  return page.output
}

/** @throws UserError if it is not the response of a relay */
export function readShown(answer: unknown): ShownDelivery {
  const shown = v.safeParse(shownSchema, answer)
  if (!shown.success) throw new UserError(NOT_A_RELAY)
  return shown.output
}

const NOT_A_RELAY = {
  message: 'the relay sent deliveries that this version does not know',
  hint: 'Install the version of Hookline that the relay has.',
}

/** The line of the list. Its number is the time of receipt, by which the list is sorted. */
export function deliverySummary(delivery: ListedDelivery): Summary {
  const { id, receivedAt, replayOf, method, path, state, githubMs, repository } = delivery
  const [workflow = '', trigger = ''] = path.split('/')
  return {
    ...{ id, number: Date.parse(receivedAt), time: receivedAt, delivery: id },
    ...{ method: method ?? '', path, workflow, trigger, event: null, count: 0 },
    origin: replayOf === null ? 'request' : 'replay',
    outcome: state,
    reason: reasonOf(delivery),
    milliseconds: githubMs,
    jobsResult: jobsResult(delivery),
    relay: {
      endpoint: delivery.endpoint === null ? '' : `${delivery.owner}/${delivery.endpoint}`,
      repository,
      outcome: delivery.outcome ?? '',
      canReplay: state !== 'refused',
    },
  }
}

/** Why GitHub does not have the event, or why nothing came of it. */
function reasonOf({
  state,
  reason,
  explanation,
  attempts,
  outcome,
  outcomeReason,
}: ListedDelivery): string | null {
  if (state === 'delivered') {
    // A code of the relay, or words of the action.
    const code = /^[a-z_]+$/.exec(outcomeReason ?? '')?.[0].replaceAll('_', ' ')
    return outcome === 'success' ? null : (code ?? outcomeReason)
  }
  const tries = (attempts ?? 0) > 1 ? `, ${attempts} attempts` : ''
  const why = [reason, explanation].filter((text) => text !== null && text !== 'if').join(': ')
  return why === '' ? null : why + tries
}

const OPEN = new Set(['pending', 'running', 'waiting_for_approval', 'unknown'])

/** The result of the run, which stands beside the state. */
function jobsResult({ outcome }: ListedDelivery): JobsResult | null {
  if (outcome === null) return null
  const text = outcome.replaceAll('_', ' ')
  return { text, kind: outcome === 'success' ? 'good' : OPEN.has(outcome) ? 'open' : 'bad' }
}

/**
 * Everything about a delivery, as the page shows it.
 *
 * @param readers positions of workflow files that can read the outputs of the delivery's trigger
 */
export async function deliveryDetail(
  shown: ShownDelivery,
  readers: readonly OutputReader[],
): Promise<Detail> {
  const { delivery, stages } = shown
  const summary = deliverySummary(delivery)
  const { request, missing } = requestOf(shown)
  const outputs =
    request && missing === null ? await outputsOf(request, summary.trigger) : undefined
  const success = { outcome: 'success', conclusion: 'success' } as const
  const items = outputs ? [{ [summary.trigger]: { ...success, outputs } }] : []
  return {
    ...summary,
    count: items.length,
    of: delivery.replayOf,
    request,
    missing,
    stages: stages satisfies readonly ShownStage[],
    values: valuesOf(delivery),
    ...{ decisions: [], problems: [], messages: [], found: [], jobs: [] },
    items,
    fields: Object.keys(outputs ?? {}),
    readers,
  }
}

function requestOf({ request }: ShownDelivery): Pick<Detail, 'request' | 'missing'> {
  if (request === null) {
    return { request: null, missing: 'The relay stores no request of this delivery.' }
  }
  const { method, path, query, body, bodyEncoding, isCut, bodyUrl } = request
  const isNamesOnly = Object.values(request.headers).includes(null)
  const headers = Object.entries(request.headers).map(([name, value]) => [name, value ?? ''])
  const shown: ShownRequest = {
    method,
    path: query === '' ? path : `${path}?${query}`,
    headers: Object.fromEntries(headers),
    body: body ?? '',
    encoding: bodyEncoding ?? 'text',
  }
  if (bodyUrl !== undefined) {
    return { request: shown, missing: `The body is too large for an event: ${bodyUrl}` }
  }
  if (!isNamesOnly && !isCut && body !== null) return { request: shown, missing: null }
  return { request: shown, missing: PARTLY }
}

const PARTLY =
  'The relay stores only the names of the headers and the beginning of the body of a refused request.'

/** The values that no stage shows. */
function valuesOf(delivery: ListedDelivery): ShownValue[] {
  const { attempts, nextAttemptAt, size, batch, replayOf } = delivery
  const { endpoint, owner, repository } = delivery
  const known = (name: string, value: string | number | null): ShownValue[] =>
    value === null || value === '' ? [] : [{ name, value: String(value) }]
  return [
    ...known('attempts', attempts),
    ...known('next attempt', nextAttemptAt),
    ...known('endpoint', endpoint === null ? 'none (a token URL)' : `${owner}/${endpoint}`),
    ...known('repository', repository),
    ...known('size', size === null ? null : `${size} bytes`),
    ...known('batch', batch),
    ...known('replays', replayOf),
  ]
}

/**
 * The outputs of the trigger for a request, as if every condition were met, so that a value can be copied as
 * the expression that reads it. The relay has verified the request, and omits the signature.
 *
 * @returns `undefined` for an unknown trigger, and for a request that it cannot read
 */
async function outputsOf(request: ShownRequest, name: string): Promise<JsonObject | undefined> {
  const trigger = TRIGGERS.get(name)
  const bound = trigger?.bind(trigger.minimalOptions)
  if (!bound || 'issues' in bound || !bound.receive) return undefined
  try {
    const { method, path, headers, body, encoding } = request
    const bytes = encoding === 'base64' ? fromBase64(body) : new TextEncoder().encode(body)
    const payload = { method, path, headers, body: null, bytes }
    const { items } = await bound.receive(await readWebhookRequest(payload), NO_PORTS)
    return items[0]
  } catch {
    // A body that is not what its content type says has no outputs.
    return undefined
  }
}

/** Reading a request calls no service. */
const NO_PORTS = {
  http: () => Promise.reject(new Error('no service is called')),
  now: () => 0,
  sleep: async () => {},
  messagingApiUrl: '',
  mask: () => {},
}
