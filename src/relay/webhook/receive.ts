import { forwardedHeaders, type RawHeaders } from '../../wire/headers.ts'
import type { RelayRequest, RelayResponse } from '../../wire/http.ts'
import { isWorkflowName, lacksTrigger, type Repository } from '../../wire/path.ts'
import { type DispatchMode, HEADER } from '../../wire/payload.ts'
import type { RelayStore } from '../delivery/accept.ts'
import { type Attempts, isAmbiguous, notFound, RelayError } from '../errors.ts'
import { type Credential, type Credentials, presentedToken } from '../github/credential.ts'
import { LIMIT_OF, type Packer, type ReceivedEvent, redactEvent, scrub } from '../github/payload.ts'
import type { Dispatch, DispatchPort, DispatchTarget } from '../github/send.ts'
import type { BodyStorage, BodyUpload } from '../store/bodies.ts'
import type { CheckClaims, Endpoint } from '../store/endpoint-settings.ts'
import { type BodyMemory, receiveBody, writeEvent } from './body.ts'
import { type ChecksOfRelay, verifiedChecks } from './checks.ts'
import {
  eventHandshakeHeaders,
  handshakeResponse,
  probeResponse,
  refuseUnsupportedHandshake,
  unsignedHandshakeResponse,
} from './handshake.ts'
import type { RequestLog } from './request-log.ts'
import {
  ACCEPTED,
  checkedResponse,
  customResponse,
  QUEUED,
  withResponseHeaders,
} from './responses.ts'
import {
  type Destination,
  type Destinations,
  destinationsOf,
  type EndpointUrl,
  readEndpointUrl,
  readTokenUrl,
} from './url.ts'
import type { IfResult } from './verification.ts'

export interface WebhookRelay extends ChecksOfRelay {
  /** Sends one event to GitHub, or to the local engine of `hookline dev`. */
  readonly send: DispatchPort
  /** `undefined`: the relay is stateless. */
  readonly store: RelayStore | undefined
  readonly credentials: Pick<Credentials, 'open' | 'ofEndpoint'>
  /** Set for the self-hosted form, where the URL names no repository. */
  readonly repository: Repository | undefined
  /** How a token URL starts a workflow. */
  readonly dispatchMode: DispatchMode
  readonly bodyMemory: BodyMemory
  /** Ways to gzip, the next of them for what the one before packs too little. */
  readonly packers: readonly Packer[]
  /** Is told how each event ended. */
  readonly readiness: {
    /** True after an event that was neither accepted nor stored. */
    readonly isLost: boolean
    accepted(): void
    refused(error: unknown, credential: Credential): void
  }
  newDelivery(): string
}

/** A request whose events can be built. */
interface CheckedEvent {
  /** `undefined` for a token URL. */
  readonly endpoint: Endpoint | undefined
  /** One for each target of the endpoint. */
  readonly destinations: Destinations
  readonly credential: Credential
  readonly event: ReceivedEvent
  /** Bytes of the received body. */
  readonly size: number
}

/**
 * Handles one webhook request: forwards it as an event, or responds to it at the relay.
 *
 * @throws RelayError for a request that is refused, by the relay or by GitHub
 */
export async function handleWebhook(
  request: RelayRequest,
  relay: WebhookRelay,
  log: RequestLog,
): Promise<RelayResponse> {
  const { method, target, headers } = request
  const { delivery, receivedAt } = log
  const memory = relay.bodyMemory.hold()
  let upload: BodyUpload | undefined
  try {
    // 1. Read the URL. The URL of an endpoint, /-/<owner>/<id>, contains neither a repository nor a token:
    //    the relay stores them.
    const endpointUrl = readEndpointUrl(target)
    const found = endpointUrl && (await findEndpoint(endpointUrl, headers, relay))
    const endpoint = found?.endpoint
    log.endpoint = endpoint
    const { destinations, reserved } = found ?? readTokenUrl(target, relay.repository)
    const [{ repository, path }] = destinations
    const custom = customResponse(reserved)

    // 2. Open the credential before the body is read, so that callers without one cost no memory.
    const credential =
      found?.credential ?? (await relay.credentials.open(presentedToken(headers, reserved)))
    const { secrets, checks: claims } = credential
    log.repository = repository
    log.path = scrub(path, secrets)
    log.credential = credential

    // 3. Read the body, within the memory of all bodies together. With a database, one that is too large
    //    for an event can be stored.
    const storage = bodyStorage({ delivery, repository, endpoint, credential }, relay)
    const received = await receiveBody(request, { memory, storage })
    const { body, size } = received
    upload = received.upload
    log.body = body
    log.bytes = size
    const event = { path, method, headers: forwardedHeaders(headers), body, delivery, receivedAt }

    // 4. Respond to requests that only test whether the URL exists, and to unsigned handshakes.
    const asked = { method, headers, path, body: body.text }
    const isVerified = claims?.verify !== undefined
    const unsigned =
      probeResponse(asked) ?? (isVerified ? unsignedHandshakeResponse(asked) : undefined)
    if (unsigned) return checkedResponse(unsigned, secrets)

    // 5. Verify the signature, if the endpoint asks for it.
    const isChecked = claims !== undefined || upload !== undefined
    const checks = isChecked
      ? await verifiedChecks({ target, event }, credential, upload, relay, log)
      : undefined

    // 6. Respond to handshakes; a sender may expect a response that only its secret can produce.
    const handshake = handshakeResponse(asked) ?? (checks && (await checks.handshake()))
    if (handshake) return checkedResponse(handshake, secrets)
    refuseUnsupportedHandshake(asked)

    // 7. Drop events for which the condition of the endpoint is not true.
    const condition = checks?.if()
    if (condition === 'error') log.condition = condition
    const filtered = condition && filterReason(condition, claims)
    if (filtered) {
      log.filtered = filtered
      log.reason = checks?.unmet()
      const reply = withResponseHeaders(custom ?? ACCEPTED, { [HEADER.filtered]: filtered })
      return checkedResponse(reply, secrets)
    }

    // 8. Build the events, and the response to accepted ones, before anything is sent.
    const hint = lacksTrigger(path) ? NO_TRIGGER : undefined
    log.hint = hint
    const senderReply = checks?.accepted()
    const handshakeHeaders = eventHandshakeHeaders(asked)
    const extra =
      hint === undefined ? handshakeHeaders : { ...handshakeHeaders, [HEADER.hint]: hint }
    const accepted = checkedResponse(
      withResponseHeaders(senderReply ?? custom ?? ACCEPTED, extra),
      secrets,
    )
    const built = await buildEvents({ endpoint, destinations, credential, event, size }, relay)
    upload ??= built.upload

    // 9. Send them to GitHub. With a database, this step may store them.
    if (endpoint?.respond === 'github') {
      request.whenGone?.(() => {
        log.clientGone = true
        relay.store?.clientGone(endpoint)
      })
    }
    const attempts = await send(built.events, endpoint, upload, relay)
    log.attempts = attempts

    // 10. Respond as the URL, or the sender, asks for.
    if (attempts.queued === undefined) return acceptedResponse(accepted, attempts, hint)
    const queued = { ...extra, [HEADER.reason]: attempts.queued }
    return senderReply
      ? withResponseHeaders(accepted, { ...QUEUED.headers, ...queued })
      : withResponseHeaders(customResponse(reserved, QUEUED) ?? QUEUED, queued)
  } finally {
    memory.release()
    if (upload) await upload.discard()
  }
}

/** @throws RelayError 401 for an unknown id, 404 without a database */
async function findEndpoint(
  url: EndpointUrl,
  headers: RawHeaders,
  { store, credentials }: WebhookRelay,
) {
  if (!store) throw notFound('/<owner>/<repo>/<workflow>/<trigger>: this relay has no endpoints')
  const endpoint = await store.endpoints.find(url)
  const credential = await credentials.ofEndpoint(endpoint)
  const destinations = destinationsOf(endpoint, url)
  // A sender may send a token as well, which must not travel either.
  const other = presentedToken(headers, url.reserved)
  const secrets = other ? [...credential.secrets, other] : credential.secrets
  const { reserved } = url
  return { endpoint, destinations, reserved, credential: { ...credential, secrets } }
}

/** Stores a large body of a request: of an endpoint, or of a token that GitHub has accepted. */
function bodyStorage(
  {
    delivery,
    repository,
    endpoint,
    credential,
  }: Pick<Dispatch, 'delivery' | 'repository' | 'credential'> & Pick<CheckedEvent, 'endpoint'>,
  { store }: WebhookRelay,
): BodyStorage | undefined {
  return store?.largeBodies?.storageFor({
    request: delivery,
    owner: repository.owner.toLowerCase(),
    endpoint: endpoint?.name ?? null,
    hasToken: !credential.isOwn,
    mayStore: async () => endpoint !== undefined || store.wasAccepted({ repository, credential }),
  })
}

/** Why the event is dropped, as the value of `X-Hookline-Filtered`; `undefined` if it is not. */
export function filterReason(
  condition: IfResult,
  claims: CheckClaims | undefined,
): 'true' | 'error' | undefined {
  if (condition === 'true') return undefined
  if (condition === 'false') return 'true'
  return claims?.ifError === 'allow' ? undefined : 'error'
}

/**
 * Builds one event for each destination.
 *
 * @returns with the upload of a body that fits into no event, and was stored
 * @throws RelayError 400 for a path that names no workflow, or a body with the token; 413
 */
export async function buildEvents(
  { endpoint, destinations, credential, event, size }: CheckedEvent,
  relay: WebhookRelay,
): Promise<{ events: [Dispatch, ...Dispatch[]]; upload?: BodyUpload | undefined }> {
  const { store, packers, newDelivery } = relay
  const { method, receivedAt } = event
  const [{ repository: shown }] = destinations
  const place = { delivery: event.delivery, repository: shown, endpoint, credential }
  const storage = bodyStorage(place, relay)
  const isNotification =
    endpoint !== undefined &&
    event.headers.has('webhook-id') &&
    (await store?.isNotification({ headers: event.headers, body: event.body.bytes })) === true
  let { body } = event
  let upload: BodyUpload | undefined
  const build = async ({ repository, path }: Destination): Promise<Dispatch> => {
    const target = targetOf(path, endpoint, relay)
    const delivery = destinations.length === 1 ? event.delivery : newDelivery()
    // Copies of objects are a good part of what an event costs, so they are written out.
    const { headers } = event
    const own: ReceivedEvent = { path, method, headers, body, delivery, receivedAt }
    const redacted = redactEvent(own, credential)
    const written = await writeEvent(redacted, LIMIT_OF[target.event], storage, packers)
    upload ??= written.upload
    body = written.body
    return {
      repository,
      target,
      clientPayload: written.clientPayload,
      delivery,
      credential,
      request: { id: event.delivery, path: redacted.path, method, receivedAt, size },
      isNotification,
      hasStoredBody: body.stored !== undefined,
    }
  }
  const [first, ...others] = destinations
  const events: [Dispatch, ...Dispatch[]] = [await build(first)]
  for (const other of others) events.push(await build(other))
  return { events, upload }
}

const REPOSITORY_DISPATCH: DispatchTarget = { event: 'repository_dispatch' }

/** @throws RelayError 400 if the first segment of the path must name a file, and cannot */
function targetOf(
  path: string,
  endpoint: Endpoint | undefined,
  { dispatchMode }: WebhookRelay,
): DispatchTarget {
  if ((endpoint?.dispatch ?? dispatchMode) !== 'workflow') return REPOSITORY_DISPATCH
  const [workflow = ''] = path.split(/[/?]/, 1)
  if (!isWorkflowName(workflow)) {
    const message = 'the workflow in the path is not the name of a file'
    throw new RelayError('invalid_workflow', { message })
  }
  // The path has an extension or no trigger: GitHub would be asked for hook.yml.yml, or the workflow
  // would find no trigger in the path.
  if (lacksTrigger(path)) throw new RelayError('invalid_workflow')
  return { event: 'workflow_dispatch', workflow, ref: endpoint?.ref }
}

/**
 * Sends the events of a request, records the outcome for `/readyz`, and keeps the stored body of events that
 * GitHub or the database has, or may have. A run may ask for the body before GitHub's response arrives.
 *
 * @throws RelayError if GitHub does not accept the event, and no database stores it
 */
async function send(
  events: readonly [Dispatch, ...Dispatch[]],
  endpoint: Endpoint | undefined,
  upload: BodyUpload | undefined,
  relay: WebhookRelay,
): Promise<Attempts> {
  const { store, readiness } = relay
  if (upload) await upload.publish()
  try {
    const attempts = await (store ? store.deliver(events, endpoint) : relay.send(events[0]))
    if (readiness.isLost) readiness.accepted()
    upload?.keep()
    return attempts
  } catch (error) {
    readiness.refused(error, events[0].credential)
    if (error instanceof RelayError && isAmbiguous(error)) upload?.keep()
    throw error
  }
}

/** The event may start nothing, because its path names no trigger. */
const NO_TRIGGER = 'no_trigger'

/** The local engine evaluated the event, and no trigger fired. */
const NOTHING_FIRED = 'nothing_fired'

function acceptedResponse(
  reply: RelayResponse,
  { run, isIdle, idleReason }: Attempts,
  hint: string | undefined,
): RelayResponse {
  if (isIdle && !hint) {
    const reason = idleReason && { [HEADER.reason]: idleReason }
    return withResponseHeaders(reply, { [HEADER.hint]: NOTHING_FIRED, ...reason })
  }
  return run === undefined ? reply : withResponseHeaders(reply, { [HEADER.run]: run })
}
