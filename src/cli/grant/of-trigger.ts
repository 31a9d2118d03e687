import type { FoundTrigger } from '../../engine/all-workflows.ts'
import { SCHEMES } from '../../triggers/verify/schemes.ts'
import type { JsonObject } from '../../wire/json.ts'
import { checkCondition } from '../../workflow/condition.ts'
import { PAIRED } from '../send/signatures.ts'
import { isStandIn } from '../workflows-here.ts'
import { filterExpression } from './filter-expression.ts'
import { type ConditionUse, type GrantConditions, relayRefusal } from './grant-conditions.ts'

/** The conditions of a trigger's file, divided between the relay and the workflow. */
export interface TriggerConditions {
  /** The conditions that the relay can check; `undefined` if there are none. */
  readonly conditions: GrantConditions | undefined
  /** The conditions that only the workflow can check, with the reason: one line each. */
  readonly inWorkflow: readonly string[]
}

/** Characters. A longer expression would make the grant, and the URL with it, too long. */
const MAX_EXPRESSION = 1500

/**
 * Translates the conditions of a trigger into those of a grant: `verify`, if the secret is set, and
 * `config.filter`, as far as GitHub's expression language can express it.
 *
 * @param secret in place of the secret that the file names
 * @param use schemes that sign the URL can be verified for an endpoint whose URL stays
 */
export function conditionsOfTrigger(
  { signatures, filter, trigger }: FoundTrigger,
  secret?: string,
  use: ConditionUse = 'grant',
): TriggerConditions {
  const verified = verifyOf(signatures, secret, use)
  const filtered = filter === undefined ? { left: [] } : ifOf(filter, trigger)
  const { claims } = verified
  const condition = 'condition' in filtered ? filtered.condition : undefined
  const left = [...verified.left, ...filtered.left]
  if (claims === undefined && condition === undefined)
    return { conditions: undefined, inWorkflow: left }
  const shown = {
    ...(condition !== undefined && { if: condition }),
    ...(claims && { verify: claims.flatMap(({ scheme }) => scheme) }),
  }
  const isSecret = claims?.some(({ scheme }) => !scheme.every((name) => PAIRED.includes(name)))
  const made = {
    ...(condition !== undefined && { if: condition }),
    ...(claims && { verify: claims }),
  }
  return { conditions: { claims: made, isSecret: isSecret ?? false, shown }, inWorkflow: left }
}

/** Why only the workflow verifies the signature, although the relay could. */
export const VERIFIABLE_LATER =
  'the signature. To verify it at the relay too, export its secret here, or add --secret-env <name>.'

/** One entry of the claim `verify`. */
type VerifyClaim = JsonObject & { readonly scheme: readonly string[] }

function verifyOf(
  signatures: FoundTrigger['signatures'],
  secret: string | undefined,
  use: ConditionUse,
): { readonly claims?: readonly VerifyClaim[]; readonly left: readonly string[] } {
  if (signatures.length === 0) return { left: [] }
  const entries = signatures.map(({ scheme, secret: own, options = {} }) => ({
    ...options,
    scheme: [scheme],
    secret: [secret ?? own.reveal()],
  }))
  for (const {
    scheme: [name = ''],
    ...options
  } of entries) {
    const refusal = relayRefusal(name, SCHEMES.get(name)?.needs ?? [], use)
    if (refusal) return { left: [`verify: ${refusal}`] }
    const signedPayload = String('signedPayload' in options ? options.signedPayload : '')
    if (use !== 'endpoint' && signedPayload.includes('{url}')) {
      return {
        left: ['verify: its signedPayload contains {url}, which only the workflow knows'],
      }
    }
  }
  if (secret === undefined && signatures.some(({ secret: own }) => isStandIn(own.reveal()))) {
    return { left: [VERIFIABLE_LATER] }
  }
  return { claims: entries, left: [] }
}

function ifOf(
  filter: JsonObject,
  trigger: string,
): { readonly condition?: string; readonly left: readonly string[] } {
  if (trigger !== 'webhook')
    return {
      left: [`config.filter: it reads the items of ${trigger}, which the relay does not have`],
    }
  const { expression, untranslated } = filterExpression(filter)
  const left = untranslated.map(
    (part) => `config.filter: ${part} cannot be written as an expression`,
  )
  if (expression === undefined) return { left }
  if (expression.length > MAX_EXPRESSION)
    return { left: ['config.filter: its expression is too long for a URL'] }
  checkCondition(expression)
  return { condition: expression, left }
}

/** The conditions without signature verification; `undefined` if no condition remains. */
export function withoutVerify({ claims, shown }: GrantConditions): GrantConditions | undefined {
  if (claims.if === undefined) return undefined
  return { claims: { if: claims.if }, isSecret: false, shown: { if: shown.if } }
}
