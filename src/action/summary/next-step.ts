import type { Decision, Evaluation, Miss } from '../../engine/result.ts'
import { TRIGGERS } from '../../triggers/index.ts'
import { EVENT_TYPE } from '../../wire/payload.ts'
import { code } from './html.ts'
import { SUMMARY } from './limits.ts'

/**
 * What would help when nothing fired, as HTML; empty where nothing is wrong.
 *
 * @param workflow name of the one that the commands are to be about
 */
export function nextStep(evaluation: Evaluation, workflow: string): string {
  return evaluation.miss ? STEPS[evaluation.miss](evaluation, workflow) : ''
}

const STEPS: Readonly<Record<Miss, (evaluation: Evaluation, workflow: string) => string>> = {
  payload: () =>
    `Send the request by way of a relay, which writes the event in the right form: ${command('hookline send')}.`,
  workflow: (_, workflow) =>
    `If it was meant for this workflow, change the URL at the sender: ${command(`hookline url ${workflow}`)} prints the right one. If not, an ${shown('if')} at the job, as ${command('hookline init')} writes it, spares this run.`,
  trigger: ({ decisions }, workflow) =>
    `Change the URL at the sender, or declare the trigger under ${shown('on')}: ${command(`hookline url ${workflow}${triggerFlag(decisions)}`)} prints the right one.`,
  condition: conditionStep,
  type: () =>
    `Dispatch with the event type ${shown(EVENT_TYPE)} to fire a trigger. With ${shown(`repository_dispatch: types: [${EVENT_TYPE}]`)} in the workflow, other types start no run.`,
  event: () => '',
  poll: (_, workflow) =>
    `Nothing to do, unless something is missing: then ${command(`hookline doctor --workflow ${workflow}`)} looks for what is in its way.`,
}

function triggerFlag(decisions: readonly Decision[]): string {
  const [first] = decisions
  return first && first.trigger !== EVENT_TYPE ? ` --trigger ${first.trigger}` : ''
}

/** The trigger that looked at the event is the one with conditions, or with items. */
function conditionStep({ decisions, warnings }: Evaluation, workflow: string): string {
  const looked = decisions.find(({ checks, tally }) => checks.length > 0 || tally)
  if (looked) return lookedStep(looked, workflow)
  if (warnings.length > 0) return `${command('hookline dev')} shows the same on your machine.`
  return `Set ${shown('config.active')} to true, or leave it out, for the trigger to fire.`
}

function lookedStep({ trigger, checks }: Decision, workflow: string): string {
  const send = command(`hookline send http://localhost:3000/webhook/${workflow}/${trigger}`)
  const tryOut = `To try it on your machine, run ${command('hookline dev')} and then ${send}.`
  const missed = checks.find(({ held }) => !held)?.option
  if (missed === undefined) {
    return `If an item was to be handed on, change ${shown('config')} of ${shown(trigger)}. ${tryOut}`
  }
  if (missed === 'verify' || missed === 'secretToken') {
    return `Compare the secret at the sender with the one of ${shown(missed)}. ${command('hookline send --sign')} sends a request that is signed with yours.`
  }
  if (!TRIGGERS.get(trigger)?.optionNames.includes(missed)) {
    return `Nothing to do, if the service only tried or confirmed the URL. ${tryOut}`
  }
  return `If it was to fire, change ${shown(missed)} of ${shown(trigger)}, or what the sender sends. ${tryOut}`
}

function command(line: string): string {
  return shown(`npx ${line}`)
}

function shown(text: string): string {
  return code(text, SUMMARY.text)
}
