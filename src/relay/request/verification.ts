import { RELAY_VERIFICATION } from '../../triggers/lists/relay-verification.ts'
import type { TriggerPorts } from '../../triggers/trigger.ts'
import type { Scheme, Settings } from '../../triggers/verify/scheme.ts'
import { SCHEMES } from '../../triggers/verify/schemes.ts'
import { settingsFrom } from '../../triggers/verify/settings.ts'
import { toBase64 } from '../../wire/bytes.ts'
import { forwardedHeaders } from '../../wire/headers.ts'
import type { Reply } from '../../wire/http.ts'
import { isObject, type JsonObject } from '../../wire/json.ts'
import { PARAMETER } from '../../wire/path.ts'
import { HEADER } from '../../wire/payload.ts'
import { readWebhookRequest, visibleHeaders, type WebhookRequest } from '../../wire/request.ts'
import { Secret } from '../../wire/secret.ts'
import { holds } from '../../workflow/condition.ts'
import { splitTarget } from '../target.ts'
import type { CheckClaims, CheckedRequest, RequestChecks } from './verification-claims.ts'

/**
 * Judges a request by what a grant asks, with the very code of the triggers. A module of its own,
 * which is loaded at the first such grant.
 *
 * @throws TypeError for claims that nobody makes
 */
export async function openChecks(
  { if: condition, verify }: CheckClaims,
  asked: CheckedRequest,
  publicUrl?: string,
): Promise<RequestChecks> {
  const request = await readWebhookRequest(payloadOf(asked))
  const { body } = request
  const entries = verify === undefined ? [] : entriesOf(verify)
  const doors = entries.flatMap(({ scheme, settings }) => {
    const door = Object.hasOwn(RELAY_VERIFICATION, scheme.name)
      ? RELAY_VERIFICATION[scheme.name]
      : undefined
    return door ? [{ door, secret: settings.secrets[0]?.reveal() }] : []
  })
  const url = publicUrl === undefined ? undefined : new Secret(calledUrl(publicUrl, asked.target))
  return {
    async verify() {
      if (verify === undefined) return true
      for (const { scheme, settings } of entries) {
        // Others mean another URL by it, or none.
        const called = settings.signedPayload?.includes('{url}') ? url : undefined
        const own = { ...settings, url: called }
        const refusal = await scheme.check(request, own, portsAt(request))
        if (refusal === undefined) return true
      }
      return false
    },
    async answer() {
      for (const { door, secret } of doors) {
        const reply = await door.answer?.(body, secret)
        if (reply) return reply
      }
      return undefined
    },
    passes: () => (condition === undefined ? true : judged(condition, request)),
    accepted: () =>
      doors.map(({ door }) => door.accepted?.(body)).find((reply): reply is Reply => !!reply),
  }
}

/** The event as it would travel. */
function payloadOf({ path, method, headers, bytes, text, receivedAt }: CheckedRequest) {
  return {
    path,
    method,
    headers: {
      ...Object.fromEntries(forwardedHeaders(headers)),
      [HEADER.receivedAt]: receivedAt,
      ...(text === undefined && { [HEADER.bodyEncoding]: 'base64' }),
    },
    body: text ?? toBase64(bytes),
  }
}

/** @throws TypeError */
function entriesOf(verify: unknown): { scheme: Scheme; settings: Settings }[] {
  // What is signed is JSON throughout.
  const isList = Array.isArray(verify) && verify.every(isObject)
  if (!isList) throw new TypeError('no entries of verify')
  return (verify as JsonObject[]).flatMap((entry) => {
    const settings = settingsFrom(entry)
    // One that is empty proves nobody, and is no key.
    if (settings.secrets.some((secret) => secret.reveal() === '')) return []
    return [entry.scheme ?? []].flat().flatMap((name) => {
      const scheme = SCHEMES.get(String(name))
      return scheme ? [{ scheme, settings }] : []
    })
  })
}

const CREDENTIALS: ReadonlySet<string> = new Set([PARAMETER.token])

/**
 * The URL that a sender called, on the address that it knows the relay by: without the credential,
 * which may stand in a header as well.
 */
function calledUrl(publicUrl: string, target: string): string {
  const [path, query] = splitTarget(target)
  const kept = query?.split('&').filter((pair) => {
    const [name] = new URLSearchParams(`&${pair}`).keys()
    return name === undefined || !CREDENTIALS.has(name)
  })
  const rest = kept && kept.length > 0 ? `?${kept.join('&')}` : ''
  return publicUrl.replace(/\/+$/, '') + path + rest
}

/** Nothing but the time of receipt: what asks others for more is refused when the grant is made. */
function portsAt({ receivedAt = '' }: WebhookRequest): TriggerPorts {
  const refuse = () => Promise.reject(new TypeError('the relay asks nobody'))
  const now = () => Date.parse(receivedAt)
  return { http: refuse, now, sleep: refuse, messagingApiUrl: '', mask: () => {} }
}

function judged(condition: unknown, request: WebhookRequest): boolean | undefined {
  const { method, workflow, trigger, path, query, body } = request
  const suffix = path === '/' ? '' : path
  const headers = visibleHeaders(request)
  const contexts = { method, path: `${workflow}/${trigger}${suffix}`, query, headers, body }
  try {
    return holds(String(condition), contexts)
  } catch {
    return undefined
  }
}
