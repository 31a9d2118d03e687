import type { Source } from '../wire/errors.ts'
import { FatalMistake } from './mistakes.ts'
import {
  childOf,
  entriesOf,
  itemsOf,
  type MappingEntry,
  type Place,
  textOf,
  textsBelow,
} from './nodes.ts'

/** Far more steps than a workflow has; aliases could multiply a few steps to many. */
const MOST_STEPS = 20_000

/**
 * The longest path of a step: far more than nested groups need, and a limit for an alias that
 * contains itself.
 */
const LONGEST_PATH = 100

/** A step of a job. */
export interface Step {
  readonly place: Place
  readonly id: string | undefined
  /** The action; empty if it runs none. See `usesOf`. */
  readonly uses: string
  /** Whether it runs Hookline's action. */
  readonly isAction: boolean
}

/** A job, with its steps in order, including those in `parallel:`. */
export interface Job extends MappingEntry {
  readonly steps: readonly Step[]
}

/**
 * The jobs of a workflow.
 *
 * @throws UserError if one has more steps than a job can have
 */
export function jobsIn(top: Place, source: Source): Job[] {
  return entriesOf(childOf(top, 'jobs')).map((job) => {
    const steps = stepsOf(job.value).map((place): Step => {
      const uses = usesOf(place, source)
      return { place, id: textOf(childOf(place, 'id')), uses, isAction: HOOKLINE_ACTION.test(uses) }
    })
    return { ...job, steps }
  })
}

/** The steps of a job that use the action. */
export function actionSteps({ steps }: Job): Step[] {
  return steps.filter(({ isAction }) => isAction)
}

function stepsOf(job: Place): Place[] {
  const steps: Place[] = []
  const waiting = itemsOf(childOf(job, 'steps')).reverse()
  let count = 0
  for (let step = waiting.pop(); step; step = waiting.pop()) {
    count++
    if (count > MOST_STEPS || step.path.length > LONGEST_PATH) {
      throw new FatalMistake({
        code: 'too-large',
        message: `a job has more than ${MOST_STEPS} steps`,
      })
    }
    const group = itemsOf(childOf(step, 'parallel'))
    if (group.length > 0) waiting.push(...group.reverse())
    else steps.push(step)
  }
  return steps
}

/** The action by its name, with any owner and version, or as the action of the same repository. */
const HOOKLINE_ACTION: RegExp = /^(?:[^@]*\/hookline\/*(?:@.*)?|[.$]\/)$/i

/** Whether the `uses` of a step is Hookline's action. */
export function isAction(uses: unknown, source: Source): boolean {
  return typeof uses === 'string' && HOOKLINE_ACTION.test(withoutForeignAction(uses, source))
}

/** Inputs that distinguish the action from other bundled actions. */
const OWN_INPUTS = ['on', 'workflow', 'state']

/** Whether an `action.yml` is Hookline's own: it runs the bundle, and has the inputs. */
export function isOwnAction(action: Place): boolean {
  const main = textOf(childOf(action, 'runs', 'main')) ?? ''
  const inputs = entriesOf(childOf(action, 'inputs')).map(({ name }) => name)
  return (
    main.replace(/^(?:\.\/)+/, '') === 'dist/action/index.js' &&
    OWN_INPUTS.every((name) => inputs.includes(name))
  )
}

/**
 * The `uses` of a step or a job; empty if it has none. If `./` is another action than Hookline, it
 * is returned as `././`, which matches no action of Hookline.
 */
function usesOf(user: Place, source: Source): string {
  return withoutForeignAction(textOf(childOf(user, 'uses')) ?? '', source)
}

/** `./` is the action of the repository, and `./reply` the one in that folder. */
const OWN_ACTION = /^[.$]\/(?=(?:reply\/*)?$)/i

function withoutForeignAction(uses: string, { hasOtherAction }: Source): string {
  return hasOtherAction ? uses.replace(OWN_ACTION, '././') : uses
}

/** The reply action, with any owner and version, or as the action of the same repository. */
export const REPLY_ACTION: RegExp = /^(?:[^@]*\/hookline\/reply\/*(?:@.*)?|[.$]\/reply\/*)$/i

/**
 * The action without version and in lower case: `Actions/Checkout@v5` becomes `actions/checkout`.
 */
export function actionOf(uses: string): string {
  return uses.split('@', 1)[0]?.toLowerCase() ?? ''
}

/** A shell that runs the script file directly; `bash -c` would parse the script twice. */
const POSIX_SHELL =
  /^(?:\/(?:usr\/)?bin\/)?(?:bash|sh)(?: +(?:-[eux]+|-eo|-o|pipefail|--noprofile|--norc|\{0\}))*$/

/**
 * `posix`: bash or sh. `other`: another shell. `unknown`: the runner's default.
 */
type ScriptShell = 'posix' | 'other' | 'unknown'

/** The nearest `shell`; without one GitHub uses bash, except on Windows. */
export function scriptShellOf(top: Place, job: Place, step: Place): ScriptShell {
  const named = [
    childOf(step, 'shell'),
    childOf(job, 'defaults', 'run', 'shell'),
    childOf(top, 'defaults', 'run', 'shell'),
  ].find((place) => place !== undefined)
  if (named) {
    const text = textOf(named) ?? ''
    return POSIX_SHELL.test(text) ? 'posix' : 'other'
  }
  const runner = childOf(job, 'runs-on')
  const [, key] = /^\s*\$\{\{\s*matrix\.([\w-]+)\s*\}\}\s*$/.exec(textOf(runner) ?? '') ?? []
  if (key === undefined) return shellOn([runner])
  const matrix = childOf(job, 'strategy', 'matrix')
  // A list, or an item of it, may be an expression with unknown labels.
  const listOf = (place: Place | undefined) =>
    place && textOf(place) !== undefined ? [place] : itemsOf(place)
  const included = listOf(childOf(matrix, 'include')).flatMap((row) =>
    textOf(row) === undefined ? (childOf(row, key) ?? []) : [row],
  )
  const machines = [...listOf(childOf(matrix, key)), ...included]
  const shells = new Set(machines.map((machine) => shellOn([machine])))
  if (shells.has('other')) return 'other'
  return shells.has('posix') && shells.size === 1 ? 'posix' : 'unknown'
}

/** The default shell by the labels of a runner. Only labels of GitHub's runners tell the system. */
function shellOn(labels: readonly (Place | undefined)[]): ScriptShell {
  const words = labels.flatMap((label) => textsBelow(label).map(({ node }) => node.value))
  if (words.some((word) => /win/i.test(word) && !/darwin/i.test(word))) return 'other'
  const isKnown = words.some((word) => /(?:^|-)(?:ubuntu|macos|linux)(?:-|$)/i.test(word))
  return isKnown && !words.some((word) => word.includes('${{')) ? 'posix' : 'unknown'
}
