import { type Entry, entriesOf, type Place, textOf, textsOf } from '../../workflow/nodes.ts'
import type { Expressions, Scope } from './taint.ts'

/** Names of what a sender worded, in lower case. */
export type Names = ReadonlySet<string> | 'any'

export const NO_NAMES: ReadonlySet<string> = new Set()

/** Which outputs of a step or job a sender worded; `undefined` asks for any of them. */
export type Outputs = (name: string | undefined) => boolean

export const NONE: Outputs = () => false
export const ALL: Outputs = () => true

export function named(names: Names): Outputs {
  if (names === 'any') return ALL
  return (name) => (name === undefined ? names.size > 0 : names.has(name))
}

export function outputsNamed(entries: readonly Entry[]): Outputs {
  return named(new Set(entries.map(({ name }) => name.toLowerCase())))
}

/** Those that are true. */
export function namesOf(names: ReadonlyMap<string, boolean>): ReadonlySet<string> {
  return new Set([...names].filter(([, isTainted]) => isTainted).map(([name]) => name))
}

export function outputOf(outputs: ReadonlyMap<string, Outputs>): Scope['needs'] {
  const any = new Map<string | undefined, boolean>()
  return (id, name) => {
    if (id !== undefined) return outputs.get(id)?.(name) ?? false
    const known = any.get(name) ?? [...outputs.values()].some((one) => one(name))
    any.set(name, known)
    return known
  }
}

export const NOTHING: Scope = {
  events: 'all',
  env: () => false,
  inputs: () => false,
  jobs: () => false,
  matrix: () => false,
  needs: () => false,
  secrets: () => false,
  steps: () => false,
}

/** A scope and the variables in it, to which those of a nearer `env:` can be added. */
export interface Surroundings {
  readonly scope: Scope
  readonly env: Variables | undefined
}

/** Variables of one `env:`, or what a step wrote into `$GITHUB_ENV`; a nearer one hides a farther. */
interface Variables {
  readonly own: ReadonlyMap<string, boolean>
  /** True when any name may be among them. */
  readonly isAny: boolean
  readonly outer: Variables | undefined
}

export function withEnv(
  around: Surroundings,
  expressions: Expressions,
  env: Place | undefined,
): Surroundings {
  const isTainted = (place: Place | undefined) => taints(place, around.scope, expressions)
  if (textOf(env) !== undefined) return withVariables(around, new Map(), isTainted(env))
  const own = entriesOf(env).map(
    ({ name, value }) => [name.toLowerCase(), isTainted(value)] as const,
  )
  return withVariables(around, new Map(own), false)
}

function withVariables(
  { scope, env: outer }: Surroundings,
  own: ReadonlyMap<string, boolean>,
  isAny: boolean,
): Surroundings {
  const env = own.size > 0 || isAny ? { own, isAny, outer } : outer
  return { env, scope: { ...scope, env: (name) => isTaintedVariable(env, name) } }
}

/** With variables that a sender worded. */
export function withNames(around: Surroundings, names: Names): Surroundings {
  if (names === 'any') return withVariables(around, new Map(), true)
  return withVariables(around, new Map([...names].map((name) => [name, true])), false)
}

/** The names of those that a sender worded. */
export function variableNames(env: Variables | undefined): Names {
  const known = new Map<string, boolean>()
  for (let at = env; at; at = at.outer) {
    if (at.isAny) return 'any'
    for (const [name, isTainted] of at.own) known.set(name, known.get(name) ?? isTainted)
  }
  return namesOf(known)
}

function isTaintedVariable(env: Variables | undefined, name: string | undefined): boolean {
  for (let at = env; at; at = at.outer) {
    if (at.isAny || (name === undefined && [...at.own.values()].includes(true))) return true
    const own = name === undefined ? undefined : at.own.get(name)
    if (own !== undefined) return own
  }
  return false
}

/** True when a text at or below a place holds an untrusted expression. */
export function taints(place: Place | undefined, scope: Scope, expressions: Expressions): boolean {
  return textsOf(place).some(({ node }) => expressions.untrusted(node.value, scope).length > 0)
}
