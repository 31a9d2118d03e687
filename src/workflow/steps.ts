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

/**
 * The action by its name, with any owner and version, or as the action of the same repository. An image of
 * a registry has no inputs of an action.
 */
const HOOKLINE_ACTION: RegExp = /^(?:(?!docker:)[^@]*\/hookline\/*(?:@.*)?|[.$]\/)$/i

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
export const REPLY_ACTION: RegExp =
  /^(?:(?!docker:)[^@]*\/hookline\/reply\/*(?:@.*)?|[.$]\/reply\/*)$/i

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
 * True if bash or sh certainly runs the script of a step: by the nearest `shell`, or without one by the
 * labels of GitHub's runners, on which the default is bash, except on Windows.
 */
export function isPosixScript(top: Place, job: Place, step: Place): boolean {
  const named = [
    childOf(step, 'shell'),
    childOf(job, 'defaults', 'run', 'shell'),
    childOf(top, 'defaults', 'run', 'shell'),
  ].find((place) => place !== undefined)
  if (named) return POSIX_SHELL.test(textOf(named) ?? '')
  const labels = textsBelow(childOf(job, 'runs-on')).map(({ node }) => node.value)
  const isUnclear = (label: string) =>
    label.includes('${{') || (/win/i.test(label) && !/darwin/i.test(label))
  const isKnown = labels.some((label) => /(?:^|-)(?:ubuntu|macos|linux)(?:-|$)/i.test(label))
  return isKnown && !labels.some(isUnclear)
}
