import type { HandshakeRequest } from '../../triggers/sender.ts'
import { forwardedHeaders, headerValue, type RawHeaders } from '../../wire/headers.ts'
import type { RelayResponse } from '../../wire/http.ts'
import { isWorkflowName, lacksTrigger } from '../../wire/path.ts'
import { HEADER } from '../../wire/payload.ts'
import { isReceiptId } from '../delivery/receipt.ts'
import {
  type Attempts,
  invalidWorkflow,
  isAmbiguous,
  missingToken,
  missingTrigger,
  RelayError,
} from '../errors.ts'
import { type Credential, presentedToken } from '../github/credentials.ts'
import type { Dispatch, DispatchTarget } from '../github/dispatch.ts'
import type { RelayPorts, RelayRequest } from '../relay-ports.ts'
import type { BodyRequest, BodyUpload } from '../store/bodies.ts'
import type { Endpoint } from '../store/endpoint-settings.ts'
import { batchPeriod } from './batch-period.ts'
import { receiveBody, writeEvent } from './body.ts'
import type { CheckClaims, RequestChecks } from './checks.ts'
import { findEndpoint } from './endpoint-request.ts'
import {
  eventHandshakeHeaders,
  handshakeResponse,
  probeResponse,
  refuseUnsupportedHandshake,
  unsignedHandshakeResponse,
} from './handshake.ts'
import { LIMIT_OF } from './payload.ts'
import { checkedResponse, redactEvent, scrub } from './redaction.ts'
import type { RequestLog } from './request-log.ts'
import { ACCEPTED, customResponse, QUEUED, withResponseHeaders } from './responses.ts'
import { routeWebhook, urlFormOf, type Webhook } from './url.ts'
import { verifiedChecks } from './verified-checks.ts'

/**
 * Handles one webhook request: forwards it as an event, or responds to it at the relay.
 *
 * @throws RelayError for a request that is refused, by the relay or by GitHub
 */
export async function handleWebhook(
  request: RelayRequest,
  ports: RelayPorts,
  log: RequestLog,
): Promise<RelayResponse> {
  // 1. Read the URL: repository, path, and the relay's own parameters. The URL of an endpoint,
  //    /-/<owner>/<id>, contains none of them: they are stored, together with the credential.
  const stored = await findEndpoint(request, ports.endpoints, ports.credentials)
  const webhook = stored?.webhook ?? routeWebhook(request.target, ports.repository)
  log.usedEndpoint(stored?.endpoint)
  const custom = customResponse(webhook.reserved)
  const period = stored && batchPeriod(stored.endpoint)

  // 2. Open the credential before the body is read, so that callers without one cost no memory.
  const opened = stored?.credential ?? (await openCredential(request, webhook, ports))
  if ('handshake' in opened) return opened.handshake
  const credential = opened
  const { secrets, checks: claims } = credential
  log.addressed(webhook.repository, scrub(webhook.path, secrets))

  const memory = ports.bodies?.hold()
  let upload: BodyUpload | undefined
  try {
    // 3. Read the body, within the memory of all bodies together. An endpoint may store
    //    one that is too large for an event.
    const largeBodies = stored && ports.largeBodies
    const bodyRequest: BodyRequest = {
      request: log.delivery,
      owner: webhook.repository.owner.toLowerCase(),
      endpoint: stored?.endpoint.name ?? null,
      mayStore: async () => stored !== undefined,
    }
    const received = await receiveBody(request, { memory, largeBodies, bodyRequest })
    const { body } = received
    upload = received.upload
    log.received(received.size)
    const asked = { ...webhookRequest(request, webhook), body: body.text }

    // 4. Respond to requests that only test whether the URL exists, and to unsigned handshakes.
    const isVerified = claims?.verify !== undefined
    const unsigned =
      probeResponse(asked) ?? (isVerified ? unsignedHandshakeResponse(asked) : undefined)
    if (unsigned) return checkedResponse(unsigned, secrets)

    const event = {
      path: webhook.path,
      method: request.method,
      headers: forwardedHeaders(request.headers),
      body,
      delivery: log.delivery,
      receivedAt: log.receivedAt,
    }

    ports.eventReceived?.(event)

    // 5. Verify the signature, if the endpoint asks for it.
    const checked = { target: request.target, event }
    const checks = await verifiedChecks(checked, credential, upload, ports, log)

    // 6. Respond to handshakes; a sender may expect a response that only its secret can produce.
    const handshake = handshakeResponse(asked) ?? (await checks?.handshake())
    if (handshake) return checkedResponse(handshake, secrets)
    refuseUnsupportedHandshake(asked)

    // 7. Drop events for which the condition of the endpoint is not true.
    const filtered = filterReason(checks, claims, log)
    if (filtered) {
      log.filtered(filtered)
      log.explained(checks?.unmet())
      return checkedResponse(
        withResponseHeaders(custom ?? ACCEPTED, { [HEADER.filtered]: filtered }),
        secrets,
      )
    }

    // 8. Build the event, and the response to an accepted one, before anything is sent.
    const target = targetOf(webhook, stored?.endpoint, ports)
    const hint = lacksTrigger(webhook.path) ? NO_TRIGGER : undefined
    log.hinted(hint)
    const senderReply = checks?.accepted()
    const extra = {
      ...eventHandshakeHeaders(asked),
      ...(hint !== undefined && { [HEADER.hint]: hint }),
    }
    const accepted = checkedResponse(
      withResponseHeaders(senderReply ?? custom ?? ACCEPTED, extra),
      secrets,
    )
    const redacted = redactEvent(event, secrets, credential.githubToken)
    const written = await writeEvent(redacted, LIMIT_OF[target.event], {
      packers: ports.packers,
      largeBodies,
      bodyRequest,
    })
    upload ??= written.upload
    const { clientPayload } = written
    const { repository } = webhook
    const dispatch = {
      repository,
      target,
      delivery: log.delivery,
      clientPayload,
      credential,
      request: { path: redacted.path, method: request.method, receivedAt: log.receivedAt },
      ...(isReceiptId(headerValue(request.headers, 'webhook-id')) && { isReceipt: true }),
    }

    // 9. Put the event into a batch, if the endpoint has one. An event with a stored body joins none.
    const batch = period && !upload ? await ports.collect?.(dispatch, period) : undefined
    // 10. Otherwise send it to GitHub. With a database, this step may store it, and does so first if the
    //     sender of the endpoint does not wait for GitHub.
    const storesFirst = stored?.endpoint.respond === 'stored'
    const attempts: Attempts =
      batch === undefined
        ? await sendToGitHub(dispatch, ports, upload, storesFirst)
        : { tries: 0, queued: 'batch', batch }
    log.attempted(attempts)
    if (stored) await ports.endpoints?.accepted(stored.endpoint)
    if (attempts.queued === undefined) return acceptedResponse(accepted, attempts, hint)
    const standard = senderReply
      ? withResponseHeaders(accepted, QUEUED.headers)
      : withResponseHeaders(customResponse(webhook.reserved, QUEUED) ?? QUEUED, extra)
    return queuedResponse(standard, attempts)
  } finally {
    memory?.release()
    await upload?.discard()
  }
}

/**
 * Opens the GitHub token in the headers or the URL of a request.
 *
 * @returns the response instead, for a handshake: senders also make them with a token that this relay
 *   cannot open yet
 * @throws RelayError 401
 */
async function openCredential(
  request: RelayRequest,
  webhook: Webhook,
  { credentials }: RelayPorts,
): Promise<Credential | { readonly handshake: RelayResponse }> {
  const presented = presentedToken(request.headers, webhook.reserved)
  if (!presented && credentials.required) {
    throw missingToken(headerValue(request.headers, 'authorization') !== undefined)
  }
  try {
    return await credentials.open(presented)
  } catch (error) {
    const reply = error instanceof RelayError && presented && bodilessHandshake(request, webhook)
    if (reply) return { handshake: checkedResponse(reply, [presented]) }
    throw error
  }
}

/**
 * Sends an event, records the outcome for `/readyz`, and keeps the stored body of an event that GitHub or
 * the outbox has, or may have. A run may ask for the body before GitHub's response arrives.
 *
 * @throws RelayError if GitHub does not accept the event, and no outbox stores it
 */
async function sendToGitHub(
  event: Dispatch,
  ports: RelayPorts,
  upload: BodyUpload | undefined,
  storesFirst: boolean,
): Promise<Attempts> {
  await upload?.publish()
  try {
    const stored = storesFirst ? await ports.store?.(event) : undefined
    const attempts = stored ?? (await ports.dispatch(event))
    ports.readiness?.accepted()
    upload?.keep()
    return attempts
  } catch (error) {
    ports.readiness?.refused(error, event.credential)
    if (error instanceof RelayError && isAmbiguous(error)) upload?.keep()
    throw error
  }
}

function webhookRequest({ method, headers }: RelayRequest, { path }: Webhook) {
  return { method, headers, path } satisfies Partial<HandshakeRequest>
}

/** The response to a handshake whose request has no body, before a body is read. */
function bodilessHandshake(request: RelayRequest, webhook: Webhook): RelayResponse | undefined {
  const body = announcesBody(request.headers) ? undefined : ''
  return handshakeResponse({ ...webhookRequest(request, webhook), body })
}

function announcesBody(headers: RawHeaders): boolean {
  const length = headerValue(headers, 'content-length') ?? '0'
  return length.trim() !== '0' || headerValue(headers, 'transfer-encoding') !== undefined
}

/** Why the event is dropped, as the value of `X-Hookline-Filtered`; `undefined` if it is not. */
function filterReason(
  checks: RequestChecks | undefined,
  claims: CheckClaims | undefined,
  log: RequestLog,
): 'true' | 'error' | undefined {
  const result = checks?.if() ?? 'true'
  if (result === 'true') return undefined
  if (result === 'false') return 'true'
  log.conditionFailed()
  return claims?.ifError === 'allow' ? undefined : 'error'
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

function queuedResponse(reply: RelayResponse, { queued = '', batch }: Attempts): RelayResponse {
  return withResponseHeaders(reply, {
    [HEADER.reason]: queued,
    ...(batch !== undefined && { [HEADER.batch]: batch }),
  })
}

const REPOSITORY_DISPATCH: DispatchTarget = { event: 'repository_dispatch' }

/** @throws RelayError 400 if the first segment of the path must name a file, and cannot */
function targetOf(
  { path }: Webhook,
  endpoint: Endpoint | undefined,
  ports: RelayPorts,
): DispatchTarget {
  if ((endpoint?.dispatch ?? ports.dispatchMode) !== 'workflow') return REPOSITORY_DISPATCH
  const [workflow = ''] = path.split(/[/?]/, 1)
  if (!isWorkflowName(workflow)) throw invalidWorkflow()
  // The path has an extension or no trigger: GitHub would be asked for hook.yml.yml, or the workflow
  // would find no trigger in the path.
  if (lacksTrigger(path)) throw missingTrigger(urlFormOf(ports.repository))
  return { event: 'workflow_dispatch', workflow, ref: endpoint?.ref }
}
