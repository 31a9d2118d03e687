/**
 * Parses a GITHUB_OUTPUT file as the runner does on Linux: only LF ends a line, the first of `=`
 * and `<<` decides, and names are not trimmed.
 *
 * Source: actions/runner, FileCommandManager.EnvFileKeyValuePairs
 */
export function readOutputFile(text: string): Record<string, string> {
  const outputs: Record<string, string> = Object.create(null)
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line === '') continue
    const equals = line.indexOf('=')
    const heredoc = line.indexOf('<<')
    if (heredoc < 0 || (equals >= 0 && equals < heredoc)) {
      if (equals <= 0) throw new Error(`Invalid format '${line}'`)
      outputs[line.slice(0, equals)] = line.slice(equals + 1)
      continue
    }
    const delimiter = line.slice(heredoc + 2)
    if (heredoc === 0 || delimiter === '') throw new Error(`Invalid format '${line}'`)
    const end = lines.indexOf(delimiter, at + 1)
    if (end < 0) throw new Error(`Matching delimiter not found '${delimiter}'`)
    outputs[line.slice(0, heredoc)] = lines.slice(at + 1, end).join('\n')
    at = end
  }
  return outputs
}
