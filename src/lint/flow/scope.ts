import { type Entry, entriesOf, type Place, textOf, textsBelow } from '../../workflow/nodes.ts'
import {
  checkedBy,
  type Expressions,
  highest,
  type OutputLookup,
  type Taint,
  type TaintLookup,
  type TaintScope,
  TRUSTED,
  UNTRUSTED,
} from './taint.ts'

/** The taints of names in lower case; `any` if every name may hold untrusted input. */
export type NameTaints = ReadonlyMap<string, Taint> | 'any'

export const NO_NAMES: ReadonlyMap<string, Taint> = new Map()

export const NONE: TaintLookup = () => TRUSTED
export const ALL: TaintLookup = () => UNTRUSTED

export function lookupIn(names: NameTaints): TaintLookup {
  if (names === 'any') return ALL
  const any = highest(names.values())
  return (name) => (name === undefined ? any : (names.get(name) ?? TRUSTED))
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

/** A scope in which nothing but the event is untrusted. */
export const OUTER_SCOPE: TaintScope = {
  events: 'all',
  checked: new Set(),
  env: NONE,
  inputs: NONE,
  jobs: NONE,
  matrix: NONE,
  needs: NONE,
  secrets: NONE,
  steps: NONE,
}

/** A scope with its variables, to which an inner `env:` can add variables. */
export interface EnvScope {
  readonly scope: TaintScope
  readonly variables: Variables | undefined
}

/** The variables of one `env:`, or of a step that writes to `$GITHUB_ENV`. Inner ones come first. */
interface Variables {
  readonly own: NameTaints
  readonly outer: Variables | undefined
}

export function scopeWithEnv(around: EnvScope, expressions: Expressions, env: Place | undefined) {
  const whole = textOf(env)
  if (whole !== undefined) {
    const taint = expressions.taintOfText(whole, around.scope, true)
    return taint === TRUSTED ? around : withNames(around, 'any')
  }
  return withNames(around, taintsOf(entriesOf(env), around.scope, expressions))
}

export function withNames({ scope, variables: outer }: EnvScope, own: NameTaints): EnvScope {
  const isEmpty = own !== 'any' && own.size === 0
  const variables = isEmpty ? outer : { own, outer }
  return { variables, scope: { ...scope, env: (name) => taintOfVariable(variables, name) } }
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

/** The taint of every variable, for an action that sees the variables of its caller. */
export function allVariables(variables: Variables | undefined): NameTaints {
  const known = new Map<string, Taint>()
  for (let at = variables; at; at = at.outer) {
    if (at.own === 'any') return 'any'
    for (const [name, taint] of at.own) if (!known.has(name)) known.set(name, taint)
  }
  return known
}

function taintOfVariable(variables: Variables | undefined, name: string | undefined): Taint {
  let max: Taint = TRUSTED
  for (let at = variables; at; at = at.outer) {
    if (at.own === 'any') return UNTRUSTED
    if (name === undefined) max = highest([max, ...at.own.values()])
    else {
      const own = at.own.get(name)
      if (own !== undefined) return own
    }
  }
  return max
}

/** The taints of the values of a mapping, by the names of its keys. */
export function taintsOf(
  entries: readonly Entry[],
  scope: TaintScope,
  expressions: Expressions,
  keepsObjects = false,
): ReadonlyMap<string, Taint> {
  return new Map(
    entries.map(({ name, value }) => {
      return [name.toLowerCase(), taintAt(value, scope, expressions, keepsObjects)] as const
    }),
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
