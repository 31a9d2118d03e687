import type { Asking } from '../../triggers/sender.ts'
import { utf8Text } from '../../wire/bytes.ts'
import { forwardedHeaders, headerValue, type RawHeaders } from '../../wire/headers.ts'
import type { Reply } from '../../wire/http.ts'
import { LIMITS } from '../../wire/limits.ts'
import { isWorkflowName, lacksTrigger } from '../../wire/path.ts'
import { HEADER } from '../../wire/payload.ts'
import type { Secret } from '../../wire/secret.ts'
import type { Scope } from '../credentials/claims.ts'
import { type Credential, presentedToken } from '../credentials/credentials.ts'
import {
  type Attempts,
  batchRequiresOutbox,
  bodyTooLarge,
  incompleteBody,
  invalidResponseOption,
  invalidSignature,
  invalidWorkflow,
  missingToken,
  missingTrigger,
  RelayError,
} from '../errors.ts'
import type { Dispatch, DispatchTarget } from '../github/dispatch.ts'
import type { RequestLog } from '../http/request-log.ts'
import type { HeldBody, RelayPorts, RelayRequest } from '../ports.ts'
import { type BatchPeriod, batchPeriod } from './batch-period.ts'
import {
  isAnyIn,
  LIMIT_OF,
  type ReceivedBody,
  redactRequest,
  scrub,
  writePayload,
} from './client-payload.ts'
import {
  ACCEPTED,
  customReply,
  echoedHeaders,
  FILTERED,
  handshake,
  QUEUED,
  unsignedHandshake,
} from './responses.ts'
import { routeWebhook, urlFormOf, type Webhook } from './route.ts'
import type { CheckClaims, RequestChecks } from './verification-claims.ts'

/**
 * What a webhook passes, in this order; the first step that answers ends it. A credential is judged
 * with its scope, and before the body is read. A handshake that nobody signs comes before the proof
 * of the sender; one that is answered with a secret is a part of the door, behind it.
 */
export const STEPS = [
  'credential',
  'body',
  'unsignedHandshake',
  'verify',
  'handshake',
  'if',
  'batch',
  'dispatch',
] as const

type Step = (typeof STEPS)[number]

/** Of a step; the next one follows where there is none. */
type Answer = Reply | undefined

/** What can be handed on, and how it is answered then. */
interface Ready {
  readonly event: Dispatch
  readonly answer: (attempts: Attempts) => Reply
}

/** One webhook on its way through the steps. */
export class Passage implements Record<Step, () => Answer | Promise<Answer>> {
  readonly #request: RelayRequest
  readonly #ports: RelayPorts
  readonly #log: RequestLog
  readonly #webhook: Webhook
  readonly #custom: Reply | undefined
  readonly #period: BatchPeriod | undefined
  #credential: Credential = { kind: 'none', secrets: [], token: async () => undefined }
  #held: HeldBody | undefined
  #body: ReceivedBody = { bytes: new Uint8Array(), text: '' }
  /** There where the grant asks for something. */
  #door: RequestChecks | undefined
  #ready: Ready | undefined

  /** @throws RelayError for an address, an answer or a batch asked for, that cannot be */
  constructor(request: RelayRequest, ports: RelayPorts, log: RequestLog) {
    this.#request = request
    this.#ports = ports
    this.#log = log
    this.#webhook = routeWebhook(request.target, ports.repository)
    this.#custom = customReply(this.#webhook.reserved)
    this.#period = batchPeriod(this.#webhook.reserved)
    if (this.#period && !ports.collect) throw batchRequiresOutbox()
  }

  /** @throws RelayError */
  async run(): Promise<Reply> {
    try {
      for (const step of STEPS) {
        const answer = this[step]()
        // Most have it at once: to wait for each of them would cost as much as all that they do.
        const reply = answer instanceof Promise ? await answer : answer
        if (reply) return reply
      }
    } finally {
      this.#held?.release()
    }
    throw new TypeError('no answer')
  }

  /** What the relay can judge by itself it refuses before it holds a stranger's body. */
  async credential(): Promise<Answer> {
    const { credentials } = this.#ports
    const webhook = this.#webhook
    const presented = presentedToken(this.#request.headers, webhook.reserved)
    if (!presented && credentials.required) {
      throw missingToken(headerValue(this.#request.headers, 'authorization') !== undefined)
    }
    try {
      this.#credential = await credentials.open(presented, webhook)
    } catch (error) {
      if (!(error instanceof RelayError)) throw error
      // In a handshake no token is checked; but for one that stands in a body, that would be read.
      const body = announcesBody(this.#request.headers) ? undefined : ''
      const bodiless = handshake({ ...this.#request, path: webhook.path, body })
      if (bodiless && presented) return redactReply(bodiless, [presented])
      throw error
    }
    // Before the body, so that one that cannot be taken is told with its address too.
    this.#log.addressed(webhook.repository, scrub(webhook.path, this.#credential.secrets))
    return undefined
  }

  async body(): Promise<undefined> {
    this.#held = this.#ports.bodies?.hold()
    this.#body = await readBody(this.#request, this.#held)
    this.#log.received(this.#body.bytes.length)
  }

  unsignedHandshake(): Answer {
    if (this.#credential.door?.verify === undefined) return undefined
    return this.#redacted(unsignedHandshake(this.#asking()))
  }

  /** @throws RelayError 401 */
  verify(): undefined | Promise<undefined> {
    const claims = this.#credential.door
    return claims && this.#openChecks(claims)
  }

  async #openChecks(claims: CheckClaims): Promise<undefined> {
    const { door: load, publicUrl } = this.#ports
    if (!load) throw new TypeError('no door')
    const { openChecks } = await load()
    const { receivedAt } = this.#log
    const { path } = this.#webhook
    const { method, target, headers } = this.#request
    const request = { method, target, path, headers, receivedAt, ...this.#body }
    this.#door = await openChecks(claims, request, publicUrl)
    if (!(await this.#door.verify())) throw invalidSignature()
  }

  handshake(): Answer | Promise<Answer> {
    const reply = handshake(this.#asking())
    if (reply || !this.#door) return this.#redacted(reply)
    return this.#door.answer().then((own) => this.#redacted(own))
  }

  /** The condition of a grant: what it declines makes no call. */
  if(): Answer {
    const passes = this.#door?.passes()
    if (passes === undefined && this.#door) this.#log.unjudged('could not be evaluated')
    if (passes !== false) return undefined
    this.#log.filtered()
    if (this.#ports.metrics) this.#ports.metrics.filtered++
    return redactReply(withHeaders(this.#custom ?? ACCEPTED, FILTERED), this.#credential.secrets)
  }

  /** Where the URL asks for one, and the credential may be kept. */
  batch(): Answer | Promise<Answer> {
    return this.#period && this.#collected(this.#period)
  }

  async #collected(period: BatchPeriod): Promise<Answer> {
    this.#ready ??= await this.#made()
    const { event, answer } = this.#ready
    const batch = await this.#ports.collect?.(event, period)
    return batch === undefined ? undefined : answer({ tries: 0, queued: 'batch', batch })
  }

  async dispatch(): Promise<Reply> {
    const { event, answer } = this.#ready ?? (await this.#made())
    const { dispatch, readiness } = this.#ports
    try {
      const attempts = await dispatch(event)
      readiness?.accepted()
      return answer(attempts)
    } catch (error) {
      readiness?.refused(error, event.credential)
      throw error
    }
  }

  /** @throws RelayError for an event that cannot be handed on, or not be answered as is asked */
  async #made(): Promise<Ready> {
    const credential = this.#credential
    const { secrets, githubToken, scope } = credential
    const { repository, path } = this.#webhook
    const { method, headers: raw } = this.#request
    const { delivery, receivedAt } = this.#log
    const target = targetOf(this.#webhook, scope, this.#ports)
    const answer = this.#answer()
    const headers = forwardedHeaders(raw)
    const received = { path, method, headers, body: this.#body, delivery, receivedAt }
    const forwardable = redactRequest(received, secrets, githubToken)
    const limit = LIMIT_OF[target.event]
    const clientPayload = await writePayload(forwardable, limit, this.#ports.packers)
    return { event: { repository, target, delivery, clientPayload, credential }, answer }
  }

  /** @throws RelayError for an answer that cannot be */
  #answer(): Ready['answer'] {
    const { path, reserved } = this.#webhook
    const hint = lacksTrigger(path) ? NO_TRIGGER : undefined
    this.#log.hinted(hint)
    const echo = echoedHeaders(this.#asking())
    const echoed = hint === undefined ? echo : { ...echo, [HEADER.hint]: hint }
    const own = this.#door?.accepted()
    const accepted = withHeaders(own ?? this.#custom ?? ACCEPTED, echoed)
    const reply = redactReply(accepted, this.#credential.secrets)
    return (attempts) => {
      this.#log.attempted(attempts)
      const { run, queued, batch, isIdle } = attempts
      if (isIdle && !hint) return withHeaders(reply, { [HEADER.hint]: NOTHING_FIRED })
      if (!queued) return withHeaders(reply, run === undefined ? run : { [HEADER.run]: run })
      const why = { [HEADER.reason]: queued, ...(batch && { [HEADER.batch]: batch }) }
      if (own) return withHeaders(reply, { ...QUEUED.headers, ...why })
      return withHeaders(customReply(reserved, QUEUED) ?? QUEUED, { ...echoed, ...why })
    }
  }

  #redacted(reply: Answer): Answer {
    return reply && redactReply(reply, this.#credential.secrets)
  }

  #asking(): Asking {
    const { method, headers } = this.#request
    return { method, headers, path: this.#webhook.path, body: this.#body.text }
  }
}

/** The event starts nothing but what reads the path by itself. */
const NO_TRIGGER = 'no_trigger'

/** The local engine has looked, and its triggers wanted something else. */
const NOTHING_FIRED = 'nothing_fired'

const REPOSITORY_DISPATCH: DispatchTarget = { event: 'repository_dispatch' }

/** @throws RelayError 400 where the first part of the path must name a file, and cannot */
function targetOf({ path }: Webhook, scope: Scope | undefined, ports: RelayPorts): DispatchTarget {
  if ((scope?.dispatch ?? ports.dispatchMode) !== 'workflow') return REPOSITORY_DISPATCH
  const [workflow = ''] = path.split(/[/?]/, 1)
  if (!isWorkflowName(workflow)) throw invalidWorkflow()
  // Of GitHub it would be asked as hook.yml.yml, or with a trigger that nobody has.
  if (lacksTrigger(path)) throw missingTrigger(urlFormOf(ports.repository))
  return { event: 'workflow_dispatch', workflow, ref: scope?.ref ?? ports.ref }
}

function announcesBody(headers: RawHeaders): boolean {
  const length = headerValue(headers, 'content-length') ?? '0'
  return length.trim() !== '0' || headerValue(headers, 'transfer-encoding') !== undefined
}

async function readBody(request: RelayRequest, held?: HeldBody): Promise<ReceivedBody> {
  try {
    const bytes = await request.readBody(LIMITS.requestBodyBytes, (count) => held?.add(count))
    return { bytes, text: utf8Text(bytes) }
  } catch (error) {
    if (error instanceof RelayError) throw error
    throw error instanceof RangeError ? bodyTooLarge() : incompleteBody(error)
  }
}

function withHeaders(reply: Reply, headers: Reply['headers'] | undefined): Reply {
  return headers ? { ...reply, headers: { ...reply.headers, ...headers } } : reply
}

/** @throws RelayError 400 for a reply, made of what the caller sent, that would show a token */
function redactReply(reply: Reply, tokens: readonly Secret[]): Reply {
  if (reply === ACCEPTED) return reply
  const shown = [reply.body, ...Object.values(reply.headers)].join('\n')
  if (!isAnyIn(tokens, shown)) return reply
  throw invalidResponseOption('an answer that contains the token', 'leave the token out of it')
}
