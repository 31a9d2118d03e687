import { highest, type Taint, TRUSTED } from '../../shell/taint-level.ts'
import { eventFields } from '../../workflow/event-fields.ts'
import { type Entry, entriesOf, type Place, textOf, textsBelow } from '../../workflow/nodes.ts'
import {
  checkedBy,
  type Expressions,
  type OutputLookup,
  type TaintLookup,
  type TaintScope,
} from './taint.ts'

/** A lookup with one result for every name. */
export function always(taint: Taint): TaintLookup {
  return () => taint
}

export function lookupIn(taints: ReadonlyMap<string, Taint>): TaintLookup {
  const any = highest(taints.values())
  return (name) => (name === undefined ? any : (taints.get(name) ?? TRUSTED))
}

export function lookupByOwner(owners: ReadonlyMap<string, TaintLookup>): OutputLookup {
  const any = new Map<string | undefined, Taint>()
  return (owner, name) => {
    if (owner !== undefined) return owners.get(owner)?.(name) ?? TRUSTED
    const known = any.get(name) ?? highest([...owners.values()].map((lookup) => lookup(name)))
    any.set(name, known)
    return known
  }
}

const NONE: TaintLookup = always(TRUSTED)

/** A scope in which nothing but the event is untrusted. */
export const OUTER_SCOPE: TaintScope = {
  checked: new Set(),
  env: NONE,
  fields: eventFields(),
  inputs: NONE,
  jobs: NONE,
  matrix: NONE,
  needs: NONE,
  steps: NONE,
}

/** A scope with the variables of an `env:`, which may be one expression. */
export function scopeWithEnv(
  scope: TaintScope,
  expressions: Expressions,
  env: Place | undefined,
): TaintScope {
  const whole = textOf(env)
  if (whole === undefined) {
    return withVariables(scope, taintsOf(entriesOf(env), scope, expressions))
  }
  const taint = expressions.taintOfText(whole, scope, true)
  return taint === TRUSTED ? scope : { ...scope, env: always(taint) }
}

/** A scope with variables, which hide those of the same name. */
export function withVariables(scope: TaintScope, own: ReadonlyMap<string, Taint>): TaintScope {
  if (own.size === 0) return scope
  const { env: outer } = scope
  const any = highest([...own.values(), outer(undefined)])
  return {
    ...scope,
    env: (name) => (name === undefined ? any : (own.get(name) ?? outer(name))),
  }
}

/** A scope inside of a condition. */
export function scopeWithCondition(
  scope: TaintScope,
  expressions: Expressions,
  condition: Place | undefined,
): TaintScope {
  const text = textOf(condition)?.replace(/^\s*\$\{\{([\s\S]*)\}\}\s*$/, '$1')
  const checked = text === undefined ? [] : checkedBy(expressions.treeOf(text))
  return checked.length === 0
    ? scope
    : { ...scope, checked: new Set([...scope.checked, ...checked]) }
}

/** The taints of the values of a mapping, by the names of its keys in lower case. */
export function taintsOf(
  entries: readonly Entry[],
  scope: TaintScope,
  expressions: Expressions,
): ReadonlyMap<string, Taint> {
  return new Map(
    entries.map(({ name, value }) => [name.toLowerCase(), taintAt(value, scope, expressions)]),
  )
}

/** The highest taint of the strings at and below a place. */
export function taintAt(
  place: Place | undefined,
  scope: TaintScope,
  expressions: Expressions,
  keepsObjects = false,
): Taint {
  return highest(
    textsBelow(place).map(({ node }) => expressions.taintOfText(node.value, scope, keepsObjects)),
  )
}
