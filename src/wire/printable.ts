/**
 * Makes untrusted input safe to print on a terminal or in a log of GitHub Actions. Control
 * characters could move the cursor or change colors, bidirectional marks reorder text, and the
 * runner executes a line that begins with `::`, and `##[` anywhere. A space prevents that and keeps
 * the text readable.
 */
export function printable(text: string): string {
  return text
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => line.replace(/^([\s\u0085]*):(?=:)/, '$1: ').replaceAll('##[', '## ['))
    .join('\n')
    .replace(UNSEEN, '\ufffd')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the function replaces control characters
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** The same for JSON, without changing its value: unsafe characters become escapes. */
export function printableJson(json: string): string {
  return json
    .replaceAll('##[', '##\\u005b')
    .replace(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    })
}

/** `1 item`, `2 items`. */
export function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}
