import {
  type Decision,
  type Evaluation,
  type FailedItemReport,
  type Miss,
  runOfDecision,
  type TriggerRun,
} from '../engine/evaluation.ts'
import { type Explanation, metConditions } from '../engine/explanation.ts'
import { ANY_REQUEST, sendLine } from '../triggers/example-line.ts'
import { type Message, textsAtLevel } from '../wire/messages.ts'
import { EVENT_TYPE } from '../wire/payload.ts'
import { counted } from '../wire/printable.ts'
import {
  arrivalTable,
  cut,
  escapeHtml,
  htmlCode,
  htmlTable,
  itemTables,
  paragraph,
  type Readers,
  SUMMARY,
  triggerName,
  type WebhookArrival,
} from './summary-tables.ts'

/** The facts around an event that the summary shows. */
export interface Circumstances extends Readers {
  readonly arrival: WebhookArrival | undefined
  /** The conditions that the event did not meet. */
  readonly explanations?: readonly Explanation[]
  /** The workflow that suggested commands are about. */
  readonly workflow: string
}

/**
 * The job summary of a run, as HTML: the request, the conditions, the items for the jobs, and the
 * next step if nothing fired.
 */
export function summaryHtml(evaluation: Evaluation, circumstances: Circumstances): string {
  const { reason = '', messages, decisions, items, effects, runs } = evaluation
  const next = nextStep(evaluation, circumstances.workflow)
  const [where, what] = [evaluation.workflow, evaluation.trigger].map((name) =>
    escapeHtml(cut(name, SUMMARY.name)),
  )
  const title = `${where} / ${what} fired: ${counted(items.length, 'item')}`
  // For polled items: after this job has succeeded, the next poll begins behind them.
  const forgets = items.length > 0 && effects.some(({ cursor }) => cursor !== undefined)
  return [
    `<h3>Hookline: ${items.length === 0 ? 'No trigger fired' : title}</h3>`,
    ...(reason === '' || isSaid(messages) ? [] : [paragraph(shortSentence(reason))]),
    ...some(textsAtLevel(messages, 'error'), (error) => `<b>Error:</b> ${shortSentence(error)}`),
    ...some(
      textsAtLevel(messages, 'warning'),
      (warning) => `<b>Warning:</b> ${shortSentence(warning)}`,
    ),
    ...some(textsAtLevel(messages, 'notice'), shortSentence),
    ...(next === '' ? [] : [paragraph(`<b>Next:</b> ${next}`)]),
    ...arrivalTable(circumstances.arrival, circumstances),
    ...decisionTable(decisions, runs),
    ...explanationList(circumstances.explanations ?? []),
    ...itemTables(evaluation, circumstances),
    ...failedTable(evaluation.failed),
    ...(forgets ? [paragraph(RERUN)] : []),
    '',
  ].join('\n')
}

/** The failed items, with the ids that the service or the relay uses. */
function failedTable(failed: readonly FailedItemReport[]): string[] {
  const rows = failed.slice(0, SUMMARY.items).map((report) => {
    const [[name = '', id = ''] = []] = Object.entries(report)
    const { step, reason } = report
    const option = step === 'size' ? 'size' : `config.${step}`
    return [
      `${escapeHtml(name)} ${htmlCode(String(id), SUMMARY.name)}`,
      htmlCode(option, SUMMARY.name),
      summaryText(reason, SUMMARY.found),
    ]
  })
  const left = failed.length - rows.length
  if (rows.length === 0) return []
  return [
    ...htmlTable(['Failed item', 'Option', 'Reason'], rows),
    ...(left > 0 ? [paragraph(`${counted(left, 'more item')}: see the output failed.`)] : []),
    paragraph(FAILED_ADVICE),
  ]
}

const FAILED_ADVICE =
  'These items were not passed to the jobs. Look them up at the service by their ids, fix the option, and send them again.'

const RERUN = escapeHtml(
  '"Re-run failed jobs" gives the same items to the jobs again. "Re-run all jobs" polls anew: items of this run do not come back once this job has succeeded.',
)

/** Messages that repeat why nothing fired, so the list of messages leaves them out. */
const REASONS: ReadonlySet<string> = new Set(['failed', 'unreadable-event', 'unverified'])

function isSaid(messages: readonly Message[]): boolean {
  const shown = messages.filter(({ level }) => level === 'warning').slice(0, SUMMARY.notes)
  return shown.some(({ code }) => REASONS.has(code))
}

function some(texts: readonly string[], html: (text: string) => string): string[] {
  const left = texts.length - SUMMARY.notes
  return [
    ...texts.slice(0, SUMMARY.notes).map((text) => paragraph(html(text))),
    ...(left > 0 ? [paragraph(`And ${left} more like these.`)] : []),
  ]
}

function shortSentence(text: string): string {
  return `${escapeHtml(cut(text, SUMMARY.text))}.`
}

/** The conditions of filters that were not met; the table already shows method, path and signature. */
function explanationList(explanations: readonly Explanation[]): string[] {
  const sentences = explanations
    .filter(({ condition }) => condition === 'filter')
    .map(({ trigger, sentence }) => `${trigger}: ${sentence}`)
  if (sentences.length === 0) return []
  const items = sentences.map((each) => `<li>${summaryText(each, SUMMARY.why)}</li>`)
  return [`<ul>${items.join('')}</ul>`]
}

/**
 * One row for each declared trigger: whether it fired, its conditions, and the result of `config`.
 * If there are too many rows, triggers that fired come first.
 */
function decisionTable(decisions: readonly Decision[], runs: readonly TriggerRun[]): string[] {
  const isLong = decisions.length > SUMMARY.decisions
  const sorted = isLong
    ? decisions.toSorted((one, other) => Number(other.fired) - Number(one.fired))
    : decisions
  const rows = sorted
    .slice(0, SUMMARY.decisions)
    .map((decision) => [
      triggerName(decision),
      decision.fired ? 'fired' : 'skipped',
      why(decision, metFilter(decision, runs)).join('<br>'),
    ])
  const left = decisions.length - rows.length
  return [
    ...htmlTable(['Trigger', 'Outcome', 'Why'], rows),
    ...(left > 0 ? [paragraph(`${counted(left, 'more trigger')}, not shown.`)] : []),
  ]
}

/** The conditions of the filter that every item met; of an unmet condition, the list below tells. */
function metFilter(decision: Decision, runs: readonly TriggerRun[]): string[] {
  const { filter } = runOfDecision(runs, decision)?.trigger.config ?? {}
  const hasDropped = decision.tally?.steps.some((step) => step.startsWith('filter dropped'))
  if (filter === undefined || !decision.fired || hasDropped) return []
  return metConditions(filter)
}

/** @param met the conditions of the filter */
function why({ reason, checks, tally }: Decision, met: readonly string[]): string[] {
  if (checks.length === 0 && !tally) return [summaryText(reason, SUMMARY.why)]
  const shown = checks.map(({ option, held, found }) =>
    held ? `✓ ${option}: ${found}` : `✗ ${option} ${found}`,
  )
  const lines = [...shown, ...met.map((condition) => `✓ ${condition}`)]
    .slice(0, SUMMARY.checks)
    .map((line) => summaryText(line, SUMMARY.found))
  if (!tally) return lines
  const { events } = tally
  if (!events && tally.found === 1 && tally.steps.length === 0) return lines
  // `9 events came, 4 of them dropped; 5 items found, 2 passed on: filter dropped 3`
  const dropped =
    events && events.came > events.held ? `, ${events.came - events.held} dropped` : ''
  const came = events ? `${counted(events.came, 'event')} came${dropped}; ` : ''
  const counts = `${came}${counted(tally.found, 'item')} found, ${tally.passedOn} passed on`
  const account = tally.steps.length > 0 ? `: ${tally.steps.join('; ')}` : ''
  return [...lines, summaryText(`${counts}${account}`, SUMMARY.why)]
}

function summaryText(content: string, most: number): string {
  return escapeHtml(cut(content, most))
}

/**
 * The next step if nothing fired, as HTML; empty if nothing is wrong.
 *
 * @param workflow the workflow that suggested commands are about; empty if unknown
 */
export function nextStep(evaluation: Evaluation, workflow: string): string {
  // Some runners do not tell the name of the workflow; the reader replaces the placeholder.
  return evaluation.miss ? STEPS[evaluation.miss](evaluation, workflow || '<workflow>') : ''
}

const STEPS: Readonly<Record<Miss, (evaluation: Evaluation, workflow: string) => string>> = {
  payload: () =>
    `Give ${shownCode('client_payload')} a ${shownCode('path')} of workflow and trigger, ${shownCode('{"path": "hook/webhook", "body": …}')}, or send the request by way of a relay, which writes it: ${shownCode('hookline send')}.`,
  workflow: (_, workflow) =>
    `If it was meant for this workflow, change the URL at the sender: the path ends in ${shownCode(`${workflow}/<trigger>`)}. If not, an ${shownCode('if')} at the job, as ${shownCode('hookline init')} writes it, spares this run.`,
  trigger: () => `Change the URL at the sender, or declare the trigger under ${shownCode('on')}.`,
  condition: conditionStep,
  type: () =>
    `Dispatch with the event type ${shownCode(EVENT_TYPE)} to fire a trigger. With ${shownCode(`repository_dispatch: types: [${EVENT_TYPE}]`)} in the workflow, other types start no run.`,
  event: () => '',
  poll: () =>
    `If a message is missing, another run or ${shownCode('hookline dev --poll')} has received it, because the bot API gives each message to the poll that asks first.`,
}

function conditionStep({ decisions, messages, runs }: Evaluation, workflow: string): string {
  // The trigger that looked at the event is the one with conditions or with items.
  const looked = decisions.find(({ checks, tally }) => checks.length > 0 || tally)
  if (!looked) {
    if (textsAtLevel(messages, 'warning').length > 0)
      return `${shownCode('hookline dev')} shows the same on your machine.`
    return `Set ${shownCode('config.active')} to true, or leave it out, for the trigger to fire.`
  }
  const { trigger, checks } = looked
  const declared = runOfDecision(runs, looked)?.trigger
  const { example = ANY_REQUEST } = declared ?? {}
  const send = shownCode(sendLine(`http://localhost:3000/webhook/${workflow}/${trigger}`, example))
  const tryOut = `To try it on your machine, run ${shownCode('hookline dev')} and then ${send}.`
  const { option: missed, isAbsent } = checks.find(({ held }) => !held) ?? {}
  if (missed === undefined) {
    return `If an item was to be passed on, change ${shownCode('config')} of ${shownCode(trigger)}. ${tryOut}`
  }
  if (missed === 'verify' || missed === 'secretToken') {
    // The request has no signature at all, so none is wrong.
    const cure = isAbsent
      ? `The request has no signature or token. Set the secret at the sender, too, or check whether the sender signs as ${shownCode(missed)} expects.`
      : `Compare the secret at the sender with the one of ${shownCode(missed)}.`
    return `${cure} ${shownCode('hookline send --sender')} sends a request that is signed with yours.`
  }
  if (!declared?.definition.optionNames.includes(missed)) {
    return `Nothing to do, if the service only tried or confirmed the URL. ${tryOut}`
  }
  return `If it was to fire, change ${shownCode(missed)} of ${shownCode(trigger)}, or what the sender sends. ${tryOut}`
}

function shownCode(text: string): string {
  return htmlCode(text, SUMMARY.text)
}
