/** What sets variables in a shell, but for those that it cannot name. */
export function exporting(variables: Readonly<Record<string, string>>): string {
  const named = Object.entries(variables).filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
  return named.map(([name, value]) => `export ${name}=${quoted(value)}\n`).join('')
}

/** A text as one word of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
