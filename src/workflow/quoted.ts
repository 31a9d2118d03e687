const LONGEST_SHOWN = 60

/** A text of a workflow file as a message shows it: on one line, and cut where it is long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text)
}
