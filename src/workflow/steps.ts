import type { Source } from '../wire/errors.ts'
import { Refusal } from './mistakes.ts'
import { childOf, entriesOf, itemsOf, type Place, textOf, textsOf } from './nodes.ts'

/** Far more than a workflow of a person has; aliases can make many of a few. */
export const MOST_STEPS = 20_000

/** How long the path of a step may be: far beyond groups in groups, and met at once by one that holds itself. */
const LONGEST_PATH = 100

/**
 * The steps of a job, or of an action's `runs`, in their order; those in `parallel:` are some of them.
 *
 * @throws UserError when there are more than a job can have
 */
export function stepsOf(job: Place | undefined): Place[] {
  const steps: Place[] = []
  const waiting = itemsOf(childOf(job, 'steps')).reverse()
  let count = 0
  for (let step = waiting.pop(); step; step = waiting.pop()) {
    count++
    if (count > MOST_STEPS || step.path.length > LONGEST_PATH) {
      throw new Refusal({ code: 'too-large', message: `a job has more than ${MOST_STEPS} steps` })
    }
    const group = itemsOf(childOf(step, 'parallel'))
    if (group.length > 0) waiting.push(...group.reverse())
    else steps.push(step)
  }
  return steps
}

/** The action by its name, of whatever owner and version, or the one of the same repository. */
export const HOOKLINE_ACTION: RegExp = /^(?:[^@]*\/hookline\/*(?:@.*)?|[.$]\/)$/i

/** Whether what a step of a file has under `uses` is the action. */
export function isAction(uses: unknown, source: Source): boolean {
  return typeof uses === 'string' && HOOKLINE_ACTION.test(judged(uses, source))
}

/** Inputs by which the action is known from others that are bundled alike. */
const OWN_INPUTS = ['on', 'workflow', 'state']

/** Whether an `action.yml` is the action's own: it runs its bundle, and has its inputs. */
export function isOwnAction(action: Place): boolean {
  const main = textOf(childOf(action, 'runs', 'main')) ?? ''
  const inputs = entriesOf(childOf(action, 'inputs')).map(({ name }) => name)
  return (
    main.replace(/^(?:\.\/)+/, '') === 'dist/action/index.js' &&
    OWN_INPUTS.every((name) => inputs.includes(name))
  )
}

/**
 * What a step, or a job, of a file uses; empty where it uses nothing. `./`, where that is another
 * action than ours, is given as the path `././`, which no name of ours matches.
 */
export function usesOf(user: Place, source: Source): string {
  return judged(textOf(childOf(user, 'uses')) ?? '', source)
}

/** As `./` names the action of the repository, and `./reply` the one beside it. */
const OWN_ACTION = /^[.$]\/(?=(?:reply\/*)?$)/i

function judged(uses: string, { hasOtherAction }: Source): string {
  return hasOtherAction ? uses.replace(OWN_ACTION, '././') : uses
}

/** The action that answers, likewise. */
export const REPLY_ACTION: RegExp = /^(?:[^@]*\/hookline\/reply\/*(?:@.*)?|[.$]\/reply\/*)$/i

/** `Actions/Checkout@v5` as `actions/checkout`. */
export function actionOf(uses: string): string {
  return uses.split('@', 1)[0]?.toLowerCase() ?? ''
}

/** Where a workflow or an action of the same repository stands: `./a` and `$/a` as `a`. */
export function localPathOf(uses: string): string | undefined {
  return /^[.$]\/(.+)$/.exec(uses)?.[1]
}

/** A shell that reads the script as it stands: `bash -c` and the like would read it twice. */
const POSIX_SHELL =
  /^(?:\/(?:usr\/)?bin\/)?(?:bash|sh)(?: +(?:-[eux]+|-eo|-o|pipefail|--noprofile|--norc|\{0\}))*$/

/** What runs a script: bash or sh, another shell, or whichever is the runner's own. */
export type Shell = 'posix' | 'cmd' | 'other' | 'unknown'

/** The nearest shell that is named; otherwise GitHub takes bash, but not on Windows. */
export function shellOf(top: Place, job: Place, step: Place): Shell {
  const named = [
    childOf(step, 'shell'),
    childOf(job, 'defaults', 'run', 'shell'),
    childOf(top, 'defaults', 'run', 'shell'),
  ].find((place) => place !== undefined)
  if (named) {
    const text = textOf(named) ?? ''
    return POSIX_SHELL.test(text) ? 'posix' : /^cmd\b/i.test(text) ? 'cmd' : 'other'
  }
  const runner = childOf(job, 'runs-on')
  const [, key] = /^\s*\$\{\{\s*matrix\.([\w-]+)\s*\}\}\s*$/.exec(textOf(runner) ?? '') ?? []
  if (key === undefined) return shellOn([runner])
  const matrix = childOf(job, 'strategy', 'matrix')
  // A list, or an item of it, may be an expression, whose labels nobody knows.
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

/** By the labels of a runner: those of GitHub say what system it has, others may. */
function shellOn(labels: readonly (Place | undefined)[]): Shell {
  const words = labels.flatMap((label) => textsOf(label).map(({ node }) => node.value))
  if (words.some((word) => /win/i.test(word) && !/darwin/i.test(word))) return 'other'
  const isKnown = words.some((word) => /(?:^|-)(?:ubuntu|macos|linux)(?:-|$)/i.test(word))
  return isKnown && !words.some((word) => word.includes('${{')) ? 'posix' : 'unknown'
}
