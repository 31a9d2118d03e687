import type { Document } from 'yaml'
import { type Source, UserError } from '../../wire/errors.ts'
import {
  childOf,
  type Entry,
  entriesOf,
  itemsOf,
  type Place,
  textOf,
  textsOf,
  topOf,
} from './nodes.ts'
import { scriptOf } from './script.ts'
import { Expressions, type Scope } from './taint.ts'
import { githubScriptWrites, NO_WRITES, scriptWrites, type Writes } from './writes.ts'

/** A workflow file, of ours or of GitHub's own, as it was parsed. */
export interface LintedFile {
  readonly source: Source
  readonly document: Document.Parsed
}

/** A workflow file with what a sender worded in each part of it. */
export interface Flow {
  readonly top: Place
  readonly scope: Scope
  readonly jobs: readonly JobFlow[]
  readonly expressions: Expressions
}

export interface JobFlow {
  /** The file in which it stands. */
  readonly top: Place
  readonly place: Place
  readonly scope: Scope
  readonly steps: readonly StepFlow[]
}

export interface StepFlow {
  readonly place: Place
  readonly scope: Scope
  /** What the step runs: `actions/checkout@v5`. */
  readonly uses: string
  /** Whether bash or sh runs its script for sure. */
  readonly isPosixShell: boolean
  readonly writes: Writes
}

/** Far more than a workflow of a person has; aliases can make many of a few. */
const MOST_STEPS = 20_000

/**
 * Follows untrusted text through a file: the jobs in the order of their `needs`, the steps of each
 * in theirs, every one once.
 *
 * @param inputs the inputs of this workflow that a sender worded, in lower case
 * @throws UserError when the file has more steps than a workflow can have
 */
export function flowOf({ source, document }: LintedFile, inputs: ReadonlySet<string>): Flow {
  const top = topOf(document)
  const isComposite = textOf(childOf(top, 'runs', 'using')) === 'composite'
  // The steps of a composite action are those of a job that is called.
  const jobs = isComposite
    ? entriesOf(top).filter(({ name }) => name === 'runs')
    : entriesOf(childOf(top, 'jobs'))
  const count = jobs.reduce((sum, { value }) => sum + itemsOf(childOf(value, 'steps')).length, 0)
  if (count > MOST_STEPS) {
    throw new UserError({ message: `${source.name} has ${count} steps, more than ${MOST_STEPS}` })
  }
  const expressions = new Expressions()
  const outer = withEnv(
    { scope: { ...NOTHING, inputs: named(inputs) }, env: undefined },
    expressions,
    childOf(top, 'env'),
  )
  const outputs = new Map<string, Outputs>()
  const flows = inOrderOfNeeds(jobs).map((job) => {
    const flow = jobFlow(top, job, outer, outputs, expressions)
    outputs.set(job.entry.name.toLowerCase(), outputsOfJob(flow, expressions))
    return flow
  })
  return { top, scope: outer.scope, jobs: flows, expressions }
}

/** Which outputs of a step or job a sender worded; `undefined` asks for any of them. */
type Outputs = (name: string | undefined) => boolean

const NONE: Outputs = () => false
const ALL: Outputs = () => true

function named(names: ReadonlySet<string>): Outputs {
  return (name) => (name === undefined ? names.size > 0 : names.has(name))
}

function outputOf(outputs: ReadonlyMap<string, Outputs>): Scope['needs'] {
  const any = new Map<string | undefined, boolean>()
  return (id, name) => {
    if (id !== undefined) return outputs.get(id)?.(name) ?? false
    const known = any.get(name) ?? [...outputs.values()].some((one) => one(name))
    any.set(name, known)
    return known
  }
}

const NOTHING: Scope = {
  env: () => false,
  inputs: () => false,
  matrix: () => false,
  needs: () => false,
  steps: () => false,
}

/** A scope and the variables in it, to which those of a nearer `env:` can be added. */
interface Surroundings {
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

function withEnv(
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

/** The jobs, each behind those it needs; a circle, which GitHub refuses, is cut somewhere. */
function inOrderOfNeeds(entries: readonly Entry[]): OrderedJob[] {
  const byName = new Map(
    entries.map((entry) => {
      const list = childOf(entry.value, 'needs')
      const needs = [list, ...itemsOf(list)].flatMap((one) => textOf(one)?.toLowerCase() ?? [])
      return [entry.name.toLowerCase(), { entry, needs }]
    }),
  )
  const ordered = new Set<OrderedJob>()
  const entered = new Set<OrderedJob>()
  const waiting = [...byName.values()].reverse()
  for (let job = waiting.at(-1); job; job = waiting.at(-1)) {
    const before = job.needs
      .flatMap((name) => byName.get(name) ?? [])
      .filter((one) => !entered.has(one))
    if (entered.has(job) || before.length === 0) {
      ordered.add(job)
      waiting.pop()
    } else waiting.push(...before)
    entered.add(job)
  }
  return [...ordered]
}

interface OrderedJob {
  readonly entry: Entry
  readonly needs: readonly string[]
}

function jobFlow(
  top: Place,
  { entry, needs }: OrderedJob,
  outer: Surroundings,
  outputs: ReadonlyMap<string, Outputs>,
  expressions: Expressions,
): JobFlow {
  const place = entry.value
  const own = new Map(needs.map((name) => [name, outputs.get(name) ?? NONE]))
  const needed = { ...outer.scope, needs: outputOf(own) }
  const ofSteps = new Map<string, Outputs>()
  const scope: Scope = {
    ...needed,
    matrix: matrixOf(childOf(place, 'strategy', 'matrix'), needed, expressions),
    steps: (id, name) => outputOf(ofSteps)(id, name),
  }
  const job = withEnv({ scope, env: outer.env }, expressions, childOf(place, 'env'))
  let around = job
  const steps = itemsOf(childOf(place, 'steps')).map((step): StepFlow => {
    const { scope } = withEnv(around, expressions, childOf(step, 'env'))
    const flow = stepFlow(top, place, step, scope, expressions)
    const id = textOf(childOf(step, 'id'))?.toLowerCase()
    if (id !== undefined) ofSteps.set(id, outputsOfStep(flow, expressions))
    const { variables } = flow.writes
    const written = variables === 'any' ? [] : variables.map((name) => [name, true] as const)
    around = withVariables(around, new Map(written), variables === 'any')
    return flow
  })
  return { top, place, scope: job.scope, steps }
}

/** Keys of the matrix by their values, those of `include` too. */
function matrixOf(matrix: Place | undefined, scope: Scope, expressions: Expressions): Outputs {
  const include = childOf(matrix, 'include')
  const whole = [matrix, include].filter((place) => textOf(place) !== undefined)
  if (whole.some((place) => taints(place, scope, expressions))) return ALL
  const rows = [matrix, ...itemsOf(include)].flatMap((row) => entriesOf(row))
  const tainted = rows.filter(
    ({ name, value }) => name !== 'include' && taints(value, scope, expressions),
  )
  return named(new Set(tainted.map(({ name }) => name.toLowerCase())))
}

function stepFlow(
  top: Place,
  job: Place,
  place: Place,
  scope: Scope,
  expressions: Expressions,
): StepFlow {
  const uses = textOf(childOf(place, 'uses')) ?? ''
  const isPosix = isPosixShell(top, job, place)
  const step = { place, scope, uses, isPosixShell: isPosix }
  const isGithubScript = /^actions\/github-script@/i.test(uses)
  const text = textOf(isGithubScript ? childOf(place, 'with', 'script') : childOf(place, 'run'))
  if (text === undefined) return { ...step, writes: NO_WRITES }
  const script = scriptOf(text, expressions.spansOf(text))
  const tainted = {
    isTainted: (expression: string) => expressions.isUntrusted(expression, scope),
    isTaintedVariable: (name: string | undefined) => scope.env(name?.toLowerCase()),
  }
  if (isGithubScript) return { ...step, writes: githubScriptWrites(script, tainted) }
  return { ...step, writes: scriptWrites(script, isPosix, tainted) }
}

/** A shell that reads the script as it stands: `bash -c` and the like would read it twice. */
const POSIX_SHELL =
  /^(?:\/(?:usr\/)?bin\/)?(?:bash|sh)(?: +(?:-[eux]+|-eo|-o|pipefail|--noprofile|--norc|\{0\}))*$/

/** The nearest shell that is named; otherwise GitHub takes bash, but not on Windows. */
function isPosixShell(top: Place, job: Place, step: Place): boolean {
  const named = [
    childOf(step, 'shell'),
    childOf(job, 'defaults', 'run', 'shell'),
    childOf(top, 'defaults', 'run', 'shell'),
  ].find((place) => place !== undefined)
  if (named) return POSIX_SHELL.test(textOf(named) ?? '')
  const wordsOf = (key: string) =>
    textsOf(childOf(job, key))
      .map(({ node }) => node.value)
      .join('\n')
  const [runner, strategy] = [wordsOf('runs-on'), wordsOf('strategy')]
  if (/win|self-hosted/i.test(runner)) return false
  if (!runner.includes('${{')) return true
  return /\$\{\{\s*matrix\./.test(runner) && !/win|\$\{\{/i.test(strategy)
}

/** The action by its name, of whatever owner and version, or the one of the same repository. */
export const HOOKLINE_ACTION: RegExp = /^(?:[^@]*\/hookline(?:@.*)?|\.\/)$/i

/** What the action says of its own accord. */
const OWN_WORDS = new Set(['triggered', 'count', 'trigger', 'workflow'])

/** Actions whose outputs are their inputs in another shape; those of this repository may be. */
const PASSING: readonly string[] = [
  'actions-ecosystem/action-regex-match',
  'ashley-taylor/read-json-property-action',
  'ashley-taylor/regex-property-action',
  'aszc/change-string-case-action',
  'bhowell2/github-substring-action',
  'cardinalby/js-eval-action',
  'devorbitus/yq-action-output',
  'dsfx3d/action-extract-unique-matches',
  'frabert/replace-string-action',
  'haya14busa/action-cond',
  'jsdaniell/create-json',
  'kaisugi/action-regex-match',
  'mad9000/actions-find-and-replace-string',
  'meilcli/regex-match',
  'mikefarah/yq',
  'sergeysova/jq-action',
]

function outputsOfStep(
  { place, scope, uses, writes }: StepFlow,
  expressions: Expressions,
): Outputs {
  if (HOOKLINE_ACTION.test(uses)) return (name) => name === undefined || !OWN_WORDS.has(name)
  if (writes.outputs) return ALL
  const isPassing = uses.startsWith('./') || PASSING.includes(actionOf(uses))
  return isPassing && taints(childOf(place, 'with'), scope, expressions) ? ALL : NONE
}

/** `Actions/Checkout@v5` as `actions/checkout`. */
export function actionOf(uses: string): string {
  return uses.split('@', 1)[0]?.toLowerCase() ?? ''
}

/** What a called workflow of the same repository was given may come back. */
function outputsOfJob({ place, scope }: JobFlow, expressions: Expressions): Outputs {
  const isLocalCall = textOf(childOf(place, 'uses'))?.startsWith('./') ?? false
  if (isLocalCall) return taints(childOf(place, 'with'), scope, expressions) ? ALL : NONE
  const outputs = entriesOf(childOf(place, 'outputs'))
  const tainted = outputs.filter(({ value }) => taints(value, scope, expressions))
  return named(new Set(tainted.map(({ name }) => name.toLowerCase())))
}
