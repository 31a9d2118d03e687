import * as signedResponses from '../../triggers/lists/signed-responses.ts'
import { bySenderName, type SignedResponses } from '../../triggers/sender.ts'
import type { TriggerPorts } from '../../triggers/trigger.ts'
import { ENCODINGS, HASHES } from '../../triggers/verify/algorithms.ts'
import {
  type CredentialLocations,
  checkEncodings,
  type Scheme,
  schemeMistakes,
  settingsFrom,
  TIMESTAMP_FORMATS,
  type VerifySettings,
} from '../../triggers/verify/scheme.ts'
import { SCHEME_NAMES, schemeNamed } from '../../triggers/verify/schemes.ts'
import { pathMistake } from '../../wire/data-path.ts'
import type { RelayResponse } from '../../wire/http.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'
import { LIMITS } from '../../wire/limits.ts'
import { PARAMETER } from '../../wire/path.ts'
import type { BodyContent } from '../../wire/read-body.ts'
import { Secret } from '../../wire/secret.ts'
import {
  openBody,
  readWebhookRequest,
  UNDECODED_BODY,
  visibleHeaders,
  type WebhookRequest,
} from '../../wire/webhook-request.ts'
import { checkCondition, type EventContexts, holds, unmetParts } from '../../workflow/condition.ts'
import { buildPayload, type ReceivedEvent } from '../github/payload.ts'
import type { CheckClaims, GivenClaims } from '../store/endpoint-settings.ts'
import { splitTarget } from './url.ts'

/** Handshakes whose response needs a secret, which the endpoint contains. */
const SIGNED_RESPONSES: Readonly<Record<string, SignedResponses>> =
  bySenderName<SignedResponses>(signedResponses)

export interface CheckedRequest {
  /** The raw request target, for schemes that sign the URL. */
  readonly target: string
  readonly event: ReceivedEvent
}

/** The result of the claim `if`: `error` if the expression cannot be evaluated for this event. */
export type IfResult = 'true' | 'false' | 'error'

export interface RequestChecks {
  /** Whether the signature of the request is valid, or no signature is required. */
  verify(): Promise<boolean>
  /** The response to a handshake of the sender. Call it only after `verify`. */
  handshake(): Promise<RelayResponse | undefined>
  if(): IfResult
  /**
   * Why `verify` or `if` did not let the request pass, for the log: a sentence that names the condition,
   * and contains no value of the event.
   */
  unmet(): string | undefined
  /** The response that the sender expects to an accepted event, in place of the default. */
  accepted(): RelayResponse | undefined
}

/**
 * Prepares the checks of an endpoint for one request. They run the code of the triggers on the payload
 * that GitHub would receive, so that relay and workflow come to the same result.
 *
 * This file is a bundle of its own, because a worker loads it only for the first endpoint with checks.
 */
export async function openChecks(
  { if: condition, verify }: CheckClaims,
  { target, event }: CheckedRequest,
  publicUrl?: string,
): Promise<RequestChecks> {
  const request = await readRequest(event)
  const entries = verify === undefined ? [] : claimedSchemes(verify)
  const senders = entries.flatMap(({ scheme, settings }) => {
    const sender = SIGNED_RESPONSES[scheme.name]
    return sender ? [{ sender, secret: settings.secrets[0]?.reveal() }] : []
  })
  const url = publicUrl === undefined ? undefined : new Secret(calledUrl(publicUrl, target))
  let unmet: string | undefined
  return {
    unmet: () => unmet,
    async verify() {
      if (verify === undefined) return true
      const refusals: string[] = []
      for (const { scheme, settings } of entries) {
        // Only schemes that sign the URL may see it.
        const signed = signsUrl(scheme, settings) ? url : undefined
        const options = { ...settings, url: signed }
        const refusal = await checkEncodings(scheme, request, options, portsAt(request))
        if (refusal === undefined) return true
        refusals.push(`${scheme.name}: ${refusal}`)
      }
      unmet = `verify: ${refusals.join('; ')}`
      return false
    },
    async handshake() {
      for (const { sender, secret } of senders) {
        const reply = await sender.answer?.(request.body, secret)
        if (reply) return reply
      }
      return undefined
    },
    if() {
      if (condition === undefined) return 'true'
      const readsBody = /\bbody\b/.test(condition)
      if (event.body.stored && readsBody) {
        unmet = `if: reads the body, which has more than ${LIMITS.requestBodyBytes} bytes`
        return 'error'
      }
      const faults = readsBody ? request.faults : []
      const undecoded = faults.find(({ code }) => code === UNDECODED_BODY)
      if (undecoded) {
        unmet = `if: cannot be evaluated, because ${undecoded.text}`
        return 'error'
      }
      const contexts = contextsOf(request)
      const result = conditionResult(condition, contexts)
      if (result === 'true') return result
      const parts = unmetParts(condition, contexts).join(' && ')
      const how = result === 'error' ? 'cannot be evaluated' : 'is not true'
      unmet = [`if: ${parts} ${how}`, ...faults.map(({ text }) => text)].join('; ')
      return result
    },
    accepted: () =>
      senders
        .map(({ sender }) => sender.accepted?.(request.body))
        .find((reply): reply is RelayResponse => reply !== undefined),
  }
}

const NO_BODY = { bytes: new Uint8Array(), text: '' }

/** Only the signature depends on a stored body, so it is parsed only for a scheme that reads its content. */
async function readRequest(event: ReceivedEvent): Promise<WebhookRequest> {
  const { bytes, stored } = event.body
  if (!stored) return readWebhookRequest(buildPayload(event))
  const request = await readWebhookRequest(buildPayload({ ...event, body: NO_BODY }))
  const { read, ...decoded } = await openBody(bytes, request.headers)
  let content: BodyContent | undefined
  return {
    ...request,
    ...decoded,
    bytes,
    get body() {
      content ??= read()
      return content.body
    },
  }
}

/**
 * Why the relay cannot use conditions that an admin gives to an endpoint; `undefined` if it can.
 *
 * @param publicUrl the relay's address as senders call it, which some schemes sign
 */
export function claimsMistake(
  { if: condition, verify }: GivenClaims,
  publicUrl?: string,
): string | undefined {
  if (condition !== undefined) {
    try {
      checkCondition(condition)
    } catch (error) {
      return `"if" is not a valid expression: ${error instanceof Error ? error.message : ''}`
    }
  }
  if (verify === undefined) return undefined
  if (!isObjectList(verify)) return '"verify" is not a list of objects'
  const names = verify.flatMap(({ scheme }) => [scheme ?? []].flat().map(String))
  const unknown = names.find((name) => !SCHEME_NAMES.includes(name))
  if (unknown !== undefined) return `"verify" names an unknown scheme: ${unknown}`
  if (names.includes('aws-sns')) {
    return '"verify" names aws-sns, which needs a certificate that the relay does not download'
  }
  const secrets = verify.flatMap(({ secret }) => secret ?? [])
  if (secrets.some((one) => typeof one !== 'string')) {
    return '"secret" of "verify" must be a string, or a list of strings'
  }
  const entries = claimedSchemes(verify)
  if (entries.length === 0) return '"verify" has no scheme with a secret'
  for (const { scheme, settings } of entries) {
    if (scheme.needs.includes('secret') && settings.secrets.length === 0) {
      return `"verify" has no secret for ${scheme.name}`
    }
    const wrong = optionsMistake(scheme, settings)
    if (wrong !== undefined) return wrong
    const mistake = settings.field === undefined ? undefined : pathMistake(settings.field)
    if (mistake !== undefined) return `"field" of "verify" ${mistake}`
    if (signsUrl(scheme, settings) && publicUrl === undefined) {
      return `${scheme.name} signs the URL, so the relay needs HOOKLINE_PUBLIC_URL`
    }
  }
  return undefined
}

/** The values of options that have a choice. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  algorithm: Object.keys(HASHES),
  secretEncoding: ['text', 'base64', 'hex'],
  signatureEncoding: Object.keys(ENCODINGS),
  timestampFormat: Object.keys(TIMESTAMP_FORMATS),
}

/** The first option of a scheme that is wrong. The relay knows the URL itself, so `url` is not read. */
function optionsMistake(scheme: Scheme, settings: VerifySettings): string | undefined {
  const { secrets: _, url: __, ...options } = settings
  const used: readonly string[] = [...scheme.needs, ...(scheme.takes ?? [])]
  for (const [option, value] of Object.entries(options)) {
    if (!used.includes(option)) continue
    const choice = CHOICES[option]
    if (choice && !choice.includes(String(value))) {
      return `"${option}" of "verify" must be one of ${choice.join(', ')}`
    }
    const isNumber = option === 'tolerance'
    if (isNumber ? !(Number.isInteger(value) && Number(value) >= 1) : typeof value !== 'string') {
      return `"${option}" of "verify" must be ${isNumber ? 'a whole number of seconds' : 'a string'}`
    }
  }
  const url = signsUrl(scheme, settings) ? new Secret('https://relay.example') : undefined
  const [mistake] = schemeMistakes(scheme, { ...settings, url })
  return mistake && `"verify": ${mistake.message}`
}

/** Where a verified request has its signature or token. */
export function signatureLocations(
  verify: readonly JsonObject[],
): Required<Pick<CredentialLocations, 'headers' | 'query'>> {
  const entries = claimedSchemes(verify)
  const all = entries.map(({ scheme, settings }) => scheme.credentials(settings))
  return {
    headers: all.flatMap(({ headers = [] }) => headers),
    query: all.flatMap(({ query = [] }) => query),
  }
}

function signsUrl({ needs }: Scheme, { signedPayload }: VerifySettings): boolean {
  return needs.includes('url') || signedPayload?.includes('{url}') === true
}

function claimedSchemes(
  verify: readonly JsonObject[],
): { scheme: Scheme; settings: VerifySettings }[] {
  return verify.flatMap((entry) => {
    const settings = settingsFrom(entry)
    // With an empty secret, no signature is valid.
    if (settings.secrets.some((secret) => secret.reveal() === '')) return []
    return [entry.scheme ?? []].flat().flatMap((name) => {
      const scheme = schemeNamed(String(name))
      return scheme ? [{ scheme, settings }] : []
    })
  })
}

/** The claims of an endpoint are parsed JSON. */
function isObjectList(verify: unknown): verify is readonly JsonObject[] {
  return Array.isArray(verify) && verify.every(isObject)
}

/**
 * The URL that the sender called and signed, without `__token`: senders that pass the credential in a
 * header sign a URL without it.
 */
function calledUrl(publicUrl: string, target: string): string {
  const [path, query] = splitTarget(target)
  const parameters = query?.split('&').filter((pair) => {
    const [name] = new URLSearchParams(`&${pair}`).keys()
    return name !== PARAMETER.token
  })
  const rest = parameters && parameters.length > 0 ? `?${parameters.join('&')}` : ''
  return publicUrl.replace(/\/+$/, '') + path + rest
}

/** `hookline endpoint` refuses schemes that need more than the time, such as a download. */
function portsAt({ receivedAt = '' }: WebhookRequest): TriggerPorts {
  const refuse = () => Promise.reject(new TypeError('the relay makes no requests for a check'))
  const now = () => Date.parse(receivedAt)
  return { http: refuse, now, sleep: refuse, messagingApiUrl: '', mask: () => {} }
}

function contextsOf(request: WebhookRequest): EventContexts {
  const { method, workflow, trigger, path, query, body } = request
  const suffix = path === '/' ? '' : path
  const headers = visibleHeaders(request)
  return { method, path: `${workflow}/${trigger}${suffix}`, query, headers, body }
}

function conditionResult(condition: string, contexts: EventContexts): IfResult {
  try {
    return holds(condition, contexts) ? 'true' : 'false'
  } catch {
    return 'error'
  }
}
