import { isObject, type JsonObject } from '../../wire/json.ts'
import { Secret } from '../../wire/secret.ts'
import type { VerifySettings } from './scheme.ts'

/** Checked options of `verify`, without defaults. */
export type GivenSettings = Partial<Omit<VerifySettings, 'secrets'>> & {
  readonly secret?: readonly Secret[] | undefined
}

export function filledSettings({ secret: secrets = [], ...given }: GivenSettings): VerifySettings {
  return {
    secrets,
    tolerance: given.tolerance,
    header: given.header,
    query: given.query,
    field: given.field,
    algorithm: given.algorithm,
    secretEncoding: given.secretEncoding,
    signatureEncoding: given.signatureEncoding,
    signaturePrefix: given.signaturePrefix,
    signedPayload: given.signedPayload,
    timestampHeader: given.timestampHeader,
    timestampFormat: given.timestampFormat,
    timestampField: given.timestampField,
    signatureField: given.signatureField,
    separator: given.separator,
    url: given.url,
    topic: given.topic,
  }
}

/** Settings in the form of an endpoint's setting, for `settingsFrom`. They include the secrets. */
export function settingsJson({ secrets, url: _, topic, ...given }: VerifySettings): JsonObject {
  const named = Object.entries({ ...given, topic }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  const secret = secrets.map((one) => one.reveal())
  return JSON.parse(JSON.stringify({ ...Object.fromEntries(named), secret }))
}

/** Reads the result of `settingsJson`, which the relay's own key has signed. */
export function settingsFrom({ secret, scheme: _, ...given }: JsonObject): VerifySettings {
  const secrets = [secret ?? []].flat().map((text) => new Secret(String(text)))
  // The schema of the option checked it when the endpoint was created.
  const checked = isObject(given) ? (given as unknown as GivenSettings) : {}
  return filledSettings({ ...checked, secret: secrets })
}
