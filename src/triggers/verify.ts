import type { WebhookRequest } from '../wire/request.ts'
import type { Check, TriggerPorts } from './trigger.ts'
import type { Verification } from './verify/options.ts'
import type { Credentials } from './verify/scheme.ts'

/** Whether a request is who it says it is, and what the user should hear when it is not. */
export interface Verdict {
  readonly held: boolean
  /** None when nothing was asked for. */
  readonly checks: readonly Check[]
  readonly warnings: readonly string[]
}

/** Holds a request against what `verify` asks for: of all its schemes one must hold. */
export async function verifyRequest(
  request: WebhookRequest,
  verifications: readonly Verification[] | undefined,
  ports: TriggerPorts,
): Promise<Verdict> {
  if (!verifications) return { held: true, checks: [], warnings: [] }
  const notes = asked(verifications).some(({ settings }) =>
    settings.secrets.some((secret) => /[\r\n]$/.test(secret.reveal())),
  )
    ? [LINE_BREAK]
    : []
  const refusals: string[] = []
  for (const { scheme, settings } of asked(verifications)) {
    const refusal = await scheme.check(request, settings, ports)
    if (refusal === undefined) return verdict(true, scheme.name, notes)
    refusals.push(`${scheme.name}: ${refusal}`)
  }
  return verdict(false, refusals.join('; '), notes)
}

/** Hardly ever meant: it comes with a file that was pasted, or with a block of YAML that begins with `|`. */
const LINE_BREAK =
  'a "secret" of "verify" ends in a line break, which is a part of it like any other character: paste it without, or write "|-" for "|"'

function verdict(held: boolean, found: string, notes: readonly string[]): Verdict {
  const checks = [{ option: 'verify', held, found }]
  const warning = `a request was not verified, so it fires nothing (${found})`
  return { held, checks, warnings: held ? notes : [warning, ...notes] }
}

/** All places in which a request carries what proves its sender. */
export function credentialsOf(verifications: readonly Verification[] = []): Required<Credentials> {
  const all = asked(verifications).map(({ scheme, settings }) => scheme.credentials(settings))
  return {
    headers: all.flatMap(({ headers = [] }) => headers),
    query: all.flatMap(({ query = [] }) => query),
    fields: all.flatMap(({ fields = [] }) => fields),
  }
}

function asked(verifications: readonly Verification[]) {
  return verifications.flatMap(({ schemes, settings }) =>
    schemes.map((scheme) => ({ scheme, settings })),
  )
}
