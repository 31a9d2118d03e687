import type { WebhookRequest } from '../../wire/request.ts'
import type { TriggerPorts } from '../trigger.ts'
import { type Algorithm, anyHolds, hmacHolds, keyBytes } from './algorithms.ts'
import { ENCODINGS, type Encoding } from './encodings.ts'
import { MISMATCH, missing, type Refusal, type Settings } from './scheme.ts'
import { signedBytes, type Template } from './template.ts'
import { DEFAULT_TOLERANCE, timeRefusal } from './timestamp.ts'

/** How a sender signs: an HMAC over a text made of the request, in one header. */
export interface HmacRule {
  readonly header: string
  /** What stands before the signature: `sha256=`. */
  readonly prefix: string
  readonly algorithm: Algorithm
  readonly encoding: Encoding
  readonly template: Template
  /** The header whose value is `{timestamp}`. */
  readonly timestampHeader?: string | undefined
}

/** Signature before time: so a refusal for its time says that the secret is right. */
export async function ruleRefusal(
  rule: HmacRule,
  request: WebhookRequest,
  settings: Settings,
  ports: TriggerPorts,
): Promise<Refusal> {
  const presented = request.headers[rule.header]
  if (!presented) return missing(rule.header)
  const timestamp = rule.timestampHeader && request.headers[rule.timestampHeader]
  if (rule.timestampHeader && !timestamp) return missing(rule.timestampHeader)
  const parts = { timestamp, url: settings.url?.reveal() }
  const signed = signedBytes(rule.template, request, parts)
  const holds = await anyHolds(signatures(rule, presented), (signature) =>
    anyHolds(settings.secrets, (secret) =>
      hmacHolds(rule.algorithm, keyBytes(secret), signed, signature),
    ),
  )
  if (!holds) return MISMATCH
  const { tolerance = DEFAULT_TOLERANCE } = settings
  return timestamp ? timeRefusal(timestamp, tolerance, request, ports) : undefined
}

/** A header may carry several, as while its sender rotates a secret; or one, with blanks in it. */
function signatures({ prefix, encoding }: HmacRule, presented: string) {
  return [presented, ...presented.split(/[\s,]+/)]
    .filter((part) => part.startsWith(prefix))
    .flatMap((part) => ENCODINGS[encoding](part.slice(prefix.length)) ?? [])
}
