import { verifySettings } from '../../src/triggers/verify/scheme.ts'
import { schemeNamed } from '../../src/triggers/verify/schemes.ts'
import type { ClientPayload } from '../../src/wire/payload.ts'
import { Secret } from '../../src/wire/secret.ts'
import { readWebhookRequest } from '../../src/wire/webhook-request.ts'

/** A request, and how it is verified. */
export interface VerificationCase {
  readonly scheme: string
  readonly secret: string
  readonly url?: string
  readonly header?: string
  readonly payload: ClientPayload
}

/** The reasons that the requests are refused; `null` for a verified one, and the error if one is thrown. */
export async function refusals(cases: readonly VerificationCase[]): Promise<(string | null)[]> {
  return Promise.all(cases.map((one) => refusal(one).catch((error) => `threw ${error}`)))
}

async function refusal({ scheme, secret, url, header, payload }: VerificationCase) {
  const settings = verifySettings({
    secret: [new Secret(secret)],
    ...(url !== undefined && { url: new Secret(url) }),
    ...(header !== undefined && { header }),
  })
  const request = await readWebhookRequest(payload)
  const ports = {
    now: () => Date.now(),
    http: () => Promise.reject(new Error('nothing may be fetched here')),
    sleep: () => Promise.resolve(),
    mask: () => {},
    messagingApiUrl: '',
  }
  return (await schemeNamed(scheme)?.check(request, settings, ports)) ?? null
}
