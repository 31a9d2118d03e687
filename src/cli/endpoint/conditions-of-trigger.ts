import type { FoundTrigger } from '../../engine/all-workflows.ts'
import { schemeNamed } from '../../triggers/verify/schemes.ts'
import type { JsonObject } from '../../wire/json.ts'
import { isStandIn } from '../workflows-here.ts'
import { type ConditionUse, type EndpointClaims, relayRefusal } from './conditions.ts'

/** The conditions of a trigger's file, divided between the relay and the workflow. */
interface TriggerConditions {
  /** The conditions that the relay can check; `undefined` if there are none. */
  readonly conditions: EndpointClaims | undefined
  /** The conditions that only the workflow can check, with the reason: one line each. */
  readonly inWorkflow: readonly string[]
}

/** Why only the workflow verifies the signature, although the relay could. */
export const VERIFIABLE_LATER =
  'the signature. To verify it at the relay too, export its secret here, or add --secret-env <name>.'

/** One entry of the claim `verify`. */
type VerifyClaim = JsonObject & { readonly scheme: readonly string[] }

/**
 * The conditions of a trigger that an endpoint has too: `verify`, if the secret is set.
 *
 * @param secret in place of the secret that the file names
 */
export function conditionsOfTrigger(
  { signatures }: FoundTrigger,
  secret: string | undefined,
  use: ConditionUse,
): TriggerConditions {
  if (signatures.length === 0) return { conditions: undefined, inWorkflow: [] }
  const entries: VerifyClaim[] = signatures.map(({ scheme, secret: own, options = {} }) => ({
    ...options,
    scheme: [scheme],
    secret: [secret ?? own.reveal()],
  }))
  const onlyInWorkflow = (line: string) => ({ conditions: undefined, inWorkflow: [line] })
  for (const { scheme, ...options } of entries) {
    const [name = ''] = scheme
    const refusal = relayRefusal(name, schemeNamed(name)?.needs ?? [], use)
    if (refusal) return onlyInWorkflow(`verify: ${refusal}`)
    const signedPayload = String('signedPayload' in options ? options.signedPayload : '')
    if (use !== 'endpoint' && signedPayload.includes('{url}')) {
      return onlyInWorkflow(
        'verify: its signedPayload contains {url}, which only the workflow knows',
      )
    }
  }
  if (secret === undefined && signatures.some(({ secret: own }) => isStandIn(own.reveal()))) {
    return onlyInWorkflow(VERIFIABLE_LATER)
  }
  return { conditions: { verify: entries }, inWorkflow: [] }
}
