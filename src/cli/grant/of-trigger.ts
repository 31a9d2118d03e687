import type { FoundTrigger } from '../../engine/all-workflows.ts'
import { SCHEMES } from '../../triggers/verify/schemes.ts'
import type { JsonObject } from '../../wire/json.ts'
import { checkCondition } from '../../workflow/condition.ts'
import { PAIRED } from '../send/signatures.ts'
import { isStandIn } from '../workflows-here.ts'
import { type MadeDoor, refusalAtDoor } from './door.ts'
import { saidFilter } from './filter.ts'

/** What a trigger's own file asks of events that the relay can ask already. */
export interface TriggerDoor {
  /** `undefined` where there is nothing. */
  readonly door: MadeDoor | undefined
  /** What is left to the workflow, and why: a line each. */
  readonly left: readonly string[]
}

/** An expression of more characters would fill the grant, and with it the URL. */
const LONGEST_IF = 1500

/**
 * What a grant for a trigger can ask: its `verify`, where the secret is at hand, and its
 * `config.filter`, as far as it can be said as an expression.
 *
 * @param secret in place of the one that the file names
 */
export function doorOfTrigger(
  { proofs, filter, trigger }: FoundTrigger,
  secret?: string,
): TriggerDoor {
  const verified = verifyOf(proofs, secret)
  const filtered = filter === undefined ? { left: [] } : ifOf(filter, trigger)
  const { claims } = verified
  const condition = 'condition' in filtered ? filtered.condition : undefined
  const left = [...verified.left, ...filtered.left]
  if (claims === undefined && condition === undefined) return { door: undefined, left }
  const shown = {
    ...(condition !== undefined && { if: condition }),
    ...(claims && { verify: claims.flatMap(({ scheme }) => scheme) }),
  }
  const isSecret = claims?.some(({ scheme }) => !scheme.every((name) => PAIRED.includes(name)))
  const made = {
    ...(condition !== undefined && { if: condition }),
    ...(claims && { verify: claims }),
  }
  return { door: { claims: made, isSecret: isSecret ?? false, shown }, left }
}

/** An entry of the claim `verify`. */
type Entry = JsonObject & { readonly scheme: readonly string[] }

function verifyOf(
  proofs: FoundTrigger['proofs'],
  secret: string | undefined,
): { readonly claims?: readonly Entry[]; readonly left: readonly string[] } {
  if (proofs.length === 0) return { left: [] }
  const entries = proofs.map(({ scheme, secret: own, options = {} }) => ({
    ...options,
    scheme: [scheme],
    secret: [secret ?? own.reveal()],
  }))
  for (const {
    scheme: [name = ''],
    ...options
  } of entries) {
    const refusal = refusalAtDoor(name, SCHEMES.get(name)?.needs ?? [])
    if (refusal) return { left: [`verify: ${refusal}`] }
    if (String('template' in options ? options.template : '').includes('{url}')) {
      return {
        left: ['verify: its template names {url}; give --verify where HOOKLINE_PUBLIC_URL is set'],
      }
    }
  }
  if (secret === undefined && proofs.some(({ secret: own }) => isStandIn(own.reveal()))) {
    return {
      left: ['verify: its secret is not set here: export it, or name its variable by --secret-env'],
    }
  }
  return { claims: entries, left: [] }
}

function ifOf(
  filter: JsonObject,
  trigger: string,
): { readonly condition?: string; readonly left: readonly string[] } {
  if (trigger !== 'webhook')
    return { left: [`config.filter: the items of ${trigger} are not what the relay sees`] }
  const { expression, unsaid } = saidFilter(filter)
  const left = unsaid.map((what) => `config.filter: ${what} cannot be said as an expression`)
  if (expression === undefined) return { left }
  if (expression.length > LONGEST_IF) return { left: ['config.filter: it is too long for a URL'] }
  checkCondition(expression)
  return { condition: expression, left }
}

/** The same without what takes a secret; `undefined` where nothing is left. */
export function withoutVerify({ claims, shown }: MadeDoor): MadeDoor | undefined {
  if (claims.if === undefined) return undefined
  return { claims: { if: claims.if }, isSecret: false, shown: { if: shown.if } }
}
