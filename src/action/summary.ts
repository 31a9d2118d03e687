import type { Evaluation } from '../engine/result.ts'
import { type Arrival, arrivalTable } from './summary/arrival.ts'
import { counted, cut, escapeHtml, paragraph } from './summary/html.ts'
import { itemTables } from './summary/item-tables.ts'
import { SUMMARY } from './summary/limits.ts'
import { nextStep } from './summary/next-step.ts'
import { decisionTable } from './summary/trace.ts'
import type { Readers } from './summary/withheld.ts'

/** What a summary tells of besides what the event came to. */
export interface Circumstances extends Readers {
  readonly arrival: Arrival | undefined
  /** Name of the workflow that suggested commands are about. */
  readonly workflow: string
}

/**
 * The job summary of a run, as HTML: what arrived, which conditions held, which items were handed
 * on, and what to do when nothing fired.
 */
export function summaryHtml(evaluation: Evaluation, circumstances: Circumstances): string {
  const { reason = '', warnings, notices, decisions } = evaluation
  const next = nextStep(evaluation, circumstances.workflow)
  return [
    `<h3>Hookline: ${title(evaluation)}</h3>`,
    ...(reason === '' || isSaid(reason, warnings) ? [] : [paragraph(sentence(reason))]),
    ...some(warnings, (warning) => `<b>Warning:</b> ${sentence(warning)}`),
    ...some(notices, sentence),
    ...(next === '' ? [] : [paragraph(`<b>Next:</b> ${next}`)]),
    ...arrivalTable(circumstances.arrival, circumstances),
    ...decisionTable(decisions),
    ...itemTables(evaluation, circumstances),
    ...rerunNote(evaluation),
    '',
  ].join('\n')
}

function title({ items, workflow, trigger }: Evaluation): string {
  if (items.length === 0) return 'No trigger fired'
  const [where, what] = [workflow, trigger].map((name) => escapeHtml(cut(name, SUMMARY.name)))
  return `${where} / ${what} fired: ${counted(items.length, 'item')}`
}

/** Whether a warning says the same, in other punctuation or at its end: once is enough. */
function isSaid(reason: string, warnings: readonly string[]): boolean {
  const words = (text: string) => ['', ...(text.match(/[\p{L}\p{N}]+/gu) ?? [])].join(' ')
  const shown = warnings.slice(0, SUMMARY.notes)
  return shown.some((warning) => words(warning).endsWith(words(reason)))
}

function some(texts: readonly string[], html: (text: string) => string): string[] {
  const left = texts.length - SUMMARY.notes
  return [
    ...texts.slice(0, SUMMARY.notes).map((text) => paragraph(html(text))),
    ...(left > 0 ? [paragraph(`And ${left} more like these.`)] : []),
  ]
}

function sentence(text: string): string {
  return `${escapeHtml(cut(text, SUMMARY.text))}.`
}

/** What polled items are left with once this job has succeeded, and the service has forgotten them. */
function rerunNote({ items, effects }: Evaluation): string[] {
  const forgets = effects.some(({ kind }) => kind === 'acknowledge')
  if (items.length === 0 || !forgets) return []
  const note =
    '"Re-run failed jobs" gives the same items to the jobs again. "Re-run all jobs" polls anew: items of this run do not come back once this job has succeeded.'
  return [paragraph(escapeHtml(note))]
}
