import { diffArrays } from 'diff'
import { withUnixLines } from '../workflow/source-text.ts'

/**
 * A changed text in the form of the file that it replaces: with its byte order mark, with the line
 * break of each line that is still there, and with or without a line break at its end. A new line
 * gets the line break of the line before it.
 *
 * @param text with Unix line breaks
 */
export function inFormOf(original: string, text: string): string {
  if (original === '') return text
  const mark = original.startsWith('\uFEFF') ? '\uFEFF' : ''
  const breaks = original.match(/\r\n?|\n/g) ?? []
  const kinds = new Set(breaks)
  const isEnded = /[\r\n]$/.test(original)
  const whole = text.replace(/\n$/, '') + (isEnded ? '\n' : '')
  if (kinds.size === 0) return mark + whole
  const [first = '\n'] = kinds
  const broken = kinds.size === 1 ? whole.replaceAll('\n', first) : mixed(original, breaks, whole)
  return mark + broken
}

function mixed(original: string, breaks: readonly string[], text: string): string {
  const lines = text.split('\n')
  const parts: string[] = []
  let [before, after] = [0, 0]
  let current = breaks[0] ?? '\n'
  for (const { added, removed, count } of diffArrays(withUnixLines(original).split('\n'), lines)) {
    if (removed) {
      before += count
      continue
    }
    for (let at = 0; at < count; at++) {
      if (!added) current = breaks[before++] ?? current
      const isLast = after === lines.length - 1
      parts.push(lines[after++] ?? '', isLast ? '' : current)
    }
  }
  return parts.join('')
}
