/**
 * Text from elsewhere that is safe to print, on a terminal as in a log of GitHub Actions: control
 * characters could move the cursor or recolour it, marks of direction reorder what is read, and the
 * runner takes a line that begins with `::`, and `##[` anywhere, for a command. A space takes the
 * meaning away and leaves the text readable.
 */
export function printable(text: string): string {
  return text
    .split(/\r\n|[\r\n\u2028\u2029]/)
    .map((line) => line.replace(/^([\s\u0085]*):(?=:)/, '$1: ').replaceAll('##[', '## ['))
    .join('\n')
    .replace(UNSEEN, '\ufffd')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to be replaced
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** The same for JSON text, which stays the same value: what is unsafe is written as an escape. */
export function printableJson(json: string): string {
  return json
    .replaceAll('##[', '##\\u005b')
    .replace(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** `1 item`, `2 items`. */
export function counted(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}
