/** Lines of YAML, without line breaks. */
export type Lines = readonly string[]

/** Moves lines to the right; empty ones stay empty. */
export function indent(lines: Lines, by: number): string[] {
  return lines.map((line) => (line.trim() === '' ? '' : ' '.repeat(by) + line))
}

/** Moves lines to the left by up to so many columns. */
export function dedent(lines: Lines, by: number): string[] {
  return lines.map((line) => {
    const own = line.length - line.trimStart().length
    return line.slice(Math.min(by, own))
  })
}

/** A text as a scalar that YAML reads back as the same string. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
