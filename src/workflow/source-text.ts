import { utf8Text } from '../wire/bytes.ts'
import type { Source } from '../wire/errors.ts'
import { LIMITS } from '../wire/limits.ts'
import type { Mistake } from './mistakes.ts'
import { positionAt } from './yaml.ts'

/**
 * The text of a file as GitHub reads it: without a byte order mark, and with Unix line breaks. A
 * carriage return alone is a line break, too.
 */
export function withUnixLines(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
}

/**
 * Decodes a workflow file as GitHub does: as UTF-8. Other bytes would be lost when the file is
 * copied, so each such line is a problem as soon as the file is parsed.
 *
 * @param file its path
 */
export function sourceOf(file: string, bytes: Uint8Array): Source {
  const wide = wideEncoding(bytes)
  if (wide) {
    const text = new TextDecoder(wide).decode(bytes)
    return { name: file, file, text, misread: [wideProblem(file, text)] }
  }
  const text = utf8Text(bytes)
  if (text !== undefined) return { name: file, file, text: withUnixLines(text) }
  const misread = narrowProblems(file, bytes)
  return { name: file, file, text: new TextDecoder().decode(bytes), misread }
}

/** Detects UTF-16 by its byte order mark, or by a zero in every second byte. */
function wideEncoding([a, b, c, d]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if ((a === 0xff && b === 0xfe) || (a && b === 0 && c && d === 0)) return 'utf-16le'
  return (a === 0xfe && b === 0xff) || (a === 0 && b && c === 0 && d) ? 'utf-16be' : undefined
}

function wideProblem(file: string, decoded: string): Mistake {
  const text = decoded.replaceAll('\r\n', '\n')
  return {
    code: 'not-utf8',
    message: 'this file is written in UTF-16, and GitHub reads UTF-8',
    position: positionAt({ name: file, file, text }, 0, text.split('\n', 1)[0]?.length ?? 0),
    hint: 'save it as UTF-8',
  }
}

const LF = 0x0a
const LATIN1 = new TextDecoder('latin1')

/** One problem for each line with invalid UTF-8, at its first invalid byte. */
function narrowProblems(file: string, bytes: Uint8Array): Mistake[] {
  const text = new TextDecoder().decode(bytes).replaceAll('\r\n', '\n')
  const source: Source = { name: file, file, text }
  const problems: Mistake[] = []
  let lineStart = 0
  for (let from = 0; from < bytes.length && problems.length < LIMITS.problems; ) {
    const next = bytes.indexOf(LF, from)
    const end = next < 0 ? bytes.length : next
    const line = bytes.subarray(from, end)
    if (utf8Text(line) === undefined) problems.push(lineProblem(source, lineStart, line))
    const textEnd = text.indexOf('\n', lineStart)
    lineStart = textEnd < 0 ? text.length : textEnd + 1
    from = end + 1
  }
  return problems
}

/** @param lineStart offset of the line in the decoded source */
function lineProblem(source: Source, lineStart: number, line: Uint8Array): Mistake {
  const { column, byte } = firstBad(line, source.text.slice(lineStart))
  const meant = LATIN1.decode(line.subarray(byte, byte + 1))
  const at = lineStart + column
  return {
    code: 'not-utf8',
    message: 'a byte that is no UTF-8, which GitHub reads',
    position: positionAt(source, at, at + 1),
    hint: `is this "${meant}" in Latin-1? Save the file as UTF-8`,
  }
}

/** The position of the first U+FFFD in a decoded line that its bytes do not contain. */
function firstBad(line: Uint8Array, text: string): { column: number; byte: number } {
  let [column, byte] = [0, 0]
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code === 0xfffd && !(line[byte] === 0xef && line[byte + 1] === 0xbf)) break
    byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4
    column += character.length
  }
  return { column, byte }
}
