/**
 * What HTML gives a meaning, the pipe for Markdown, line breaks, and control characters. A line of
 * the summary is never empty, so no Markdown can begin in it.
 */
export function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"'|`]/g, (char) => `&#${char.charCodeAt(0)};`)
    .replace(/[\r\n\u2028\u2029]+/g, ' ')
    .replace(CONTROL, '\ufffd')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be replaced
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g

/** A text that is too long, with its length. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  // Half of a surrogate pair is no character.
  const start = text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
  return `${start}… (${text.length} characters)`
}

/** As code: there GitHub makes no link of an address, and notifies nobody who is named. */
export function code(text: string, most: number): string {
  return `<code>${escapeHtml(cut(text, most))}</code>`
}

/** A trigger, with its workflow where there are several: `hook / webhook`. */
export function triggerName(of: {
  readonly workflow?: string | undefined
  trigger: string
}): string {
  const trigger = code(of.trigger, SUMMARY.name)
  return of.workflow === undefined ? trigger : `${code(of.workflow, SUMMARY.name)} / ${trigger}`
}

export function paragraph(html: string): string {
  return `<p>${html}</p>`
}

/** @param rows cells of HTML */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const line = (tag: 'th' | 'td', cells: readonly string[]) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`
  return ['<table>', line('th', head), ...rows.map((cells) => line('td', cells)), '</table>']
}

/**
 * Bounds of a job summary. GitHub shows at most 1 MiB of a step and drops a larger one whole. A
 * character takes five bytes when it is escaped, so these stay below in the worst case.
 *
 * Source: https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export const SUMMARY = {
  /** Rows of items, those of all triggers together. */
  items: 20,
  columns: 6,
  /** Characters of a value in such a row. */
  value: 160,
  /** Names of fields that have no column. */
  names: 40,
  /** Characters of a name. */
  name: 80,
  decisions: 40,
  checks: 10,
  /** Characters of what a check found. */
  found: 200,
  /** Warnings, and notices. */
  notes: 10,
  /** Characters of why a trigger did not fire, or of what became of its items. */
  why: 500,
  /** Characters of a paragraph. */
  text: 2000,
} as const
