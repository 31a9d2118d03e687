import type { Decision, Evaluation } from '../engine/evaluation.ts'

/** The job summary of a run, as HTML: what fired, and why the rest did not. No payload text. */
export function summaryHtml(evaluation: Evaluation): string {
  const { items, workflow, trigger, delivery, warnings, notices } = evaluation
  const title =
    items.length > 0
      ? `${escapeHtml(workflow)} / ${escapeHtml(trigger)} fired: ${itemCount(items.length)}`
      : 'No trigger fired'
  return [
    `<h3>Hookline: ${title}</h3>`,
    ...optional(evaluation.reason, (reason) => `<p>${escapeHtml(reason)}.</p>`),
    ...warnings.map((warning) => `<p><b>Warning:</b> ${escapeHtml(warning)}.</p>`),
    ...notices.map((notice) => `<p>${escapeHtml(notice)}.</p>`),
    ...decisionTable(evaluation.decisions),
    ...optional(rerunNote(evaluation), (note) => `<p>${escapeHtml(note)}</p>`),
    ...optional(delivery, (id) => `<p>Delivery <code>${escapeHtml(id)}</code></p>`),
    '',
  ].join('\n')
}

/** The five characters that HTML gives a meaning, the pipe for Markdown, and line breaks. */
export function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"'|`]/g, (char) => `&#${char.charCodeAt(0)};`)
    .replace(/[\r\n\u2028\u2029]+/g, ' ')
}

function decisionTable(decisions: readonly Decision[]): string[] {
  if (decisions.length === 0) return []
  const rows = decisions.map(
    ({ trigger, fired, reason }) =>
      `<tr><td><code>${escapeHtml(trigger)}</code></td><td>${fired ? 'fired' : 'skipped'}</td><td>${escapeHtml(reason)}</td></tr>`,
  )
  return ['<table>', '<tr><th>Trigger</th><th>Outcome</th><th>Why</th></tr>', ...rows, '</table>']
}

/** What polled items are left with once this job has succeeded, and the service has forgotten them. */
function rerunNote({ items, effects }: Evaluation): string {
  const forgets = effects.some(({ kind }) => kind === 'acknowledge')
  if (items.length === 0 || !forgets) return ''
  return '"Re-run failed jobs" gives the same items to the jobs again. "Re-run all jobs" polls anew: items of this run do not come back once this job has succeeded.'
}

function optional(text: string | undefined, render: (text: string) => string): string[] {
  return text === undefined || text === '' ? [] : [render(text)]
}

function itemCount(count: number): string {
  return count === 1 ? '1 item' : `${count} items`
}
