/**
 * Text that is safe to print: the runner reads a line that begins with `::`, and `##[` anywhere, as
 * a command. A space takes the meaning away and leaves the text readable.
 */
export function logText(text: string): string {
  return text
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => line.replace(/^([\s\u0085]*):(?=:)/, '$1: ').replaceAll('##[', '## ['))
    .join('\n')
}
