import { type Position, type Problem, type Source, UserError } from '../wire/errors.ts'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { LIMITS } from '../wire/limits.ts'
import {
  expressionTokens,
  type FileExpression,
  fileExpressions,
  isFault,
  positionIn,
  spanOf,
} from '../workflow/file-expressions.ts'
import type { Mistake } from '../workflow/mistakes.ts'
import type { ParsedFile } from '../workflow/nodes.ts'
import { type Edit, placeBefore } from '../workflow/spans.ts'
import { offsetOf, parseYaml, positionAt, rangeOf } from '../workflow/yaml.ts'
import type { CompiledFile } from './compiled-files.ts'
import type { ParserMessage } from './github-messages.ts'
import type { SourceFile } from './source-file.ts'

/** A compiled file for GitHub's parser, with the edits that created it from the source. */
export interface EditedFile extends CompiledFile {
  /** `undefined` for a file that copies no lines of the source. */
  readonly edits: readonly Edit[] | undefined
  readonly head: string
}

/** The errors of GitHub's parser for a compiled file, with names and positions of the source. */
export async function parserProblems(file: SourceFile, compiled: EditedFile): Promise<Mistake[]> {
  const { source } = file
  const messages = await messagesAbout(compiled)
  return messages.slice(0, LIMITS.problems).map((found) => {
    // The source does not contain the text that the compiler wrote around an expression.
    const message = found.message
      .replace(LOCATED, '')
      .replaceAll(/fromJSON\((?:needs\.on\.outputs\.on(?: \|\| '[^']*')?|inputs\.on)\)/g, 'on')
    const { edits, head, text } = compiled
    const { code, subject: name } = found
    const problem = { message, code, ...(name !== undefined && { subject: name }) }
    if (!edits) return { ...problem, position: placeInOn(file, text.slice(found.start, found.end)) }
    const start = placeBefore(edits, Math.max(0, found.start - head.length))
    const end = Math.max(start, placeBefore(edits, Math.max(0, found.end - head.length)))
    const lineEnd = source.text.indexOf('\n', end)
    const at = code !== 'unknown-name' || name === undefined ? -1 : source.text.indexOf(name, start)
    if (name === undefined || at < 0 || at > (lineEnd < 0 ? source.text.length : lineEnd)) {
      return { ...problem, position: positionAt(source, start, end) }
    }
    return { ...problem, position: positionAt(source, at, at + name.length) }
  })
}

/** The position in the words of GitHub's parser, which a problem has anyway. */
const LOCATED = /\.? Located at position \d+ within expression: .*/s

/**
 * The position in the source of a value in `on:` of the listening file: an event, or a trigger's
 * schedule.
 */
function placeInOn({ source, on, triggers }: SourceFile, written: string): Position {
  const cron = written.replace(/^(['"])(.*)\1$/, '$2')
  const polled = triggers.find(({ config }) => config.every?.cron === cron)
  if (polled) return polled.positionOf(['config', 'every'])
  const [, end] = on.value ? rangeOf(on.value) : [0, 0]
  const at = written.length > 1 ? source.text.indexOf(written, rangeOf(on.key)[1]) : -1
  if (at >= 0 && at < end) return positionAt(source, at, at + written.length)
  return positionAt(source, ...rangeOf(on.key))
}

/** Removes problems on lines that have one, and duplicates. */
export function newProblems<Found extends Problem>(
  parsed: readonly Found[],
  own: readonly Problem[],
): Found[] {
  const lines = new Set(own.map(({ position }) => position?.line))
  const reported = new Set<string>()
  return parsed.filter(({ message, position }) => {
    const key = `${position?.line}:${position?.column} ${message}`
    const isNew = !lines.has(position?.line) && !reported.has(key)
    reported.add(key)
    return isNew
  })
}

/** The errors of GitHub's parser for a workflow of GitHub. The parser is large, so it is loaded only here. */
export async function githubProblems({ source, document }: ParsedFile): Promise<Mistake[]> {
  const { githubMessages } = await import('./github-messages.ts')
  const messages = await githubMessages(source.text, document)
  // The parser knows some events only as keys, not as `on: repository_dispatch`.
  const reported = messages.filter(
    ({ code, subject = '' }) => code !== 'unexpected-value' || !NATIVE_EVENTS.has(subject),
  )
  const expressions = reported.length > 0 ? fileExpressions(source.text, document.contents, []) : []
  return reported.slice(0, LIMITS.problems).map(({ start, end, ...problem }) => ({
    ...problem,
    message: problem.message.replace(LOCATED, ''),
    position:
      positionWithin(source, expressions, start, problem.subject) ?? positionAt(source, start, end),
  }))
}

/** The position of a fault or a name in an expression; GitHub's parser tells only where the expression begins. */
function positionWithin(
  source: Source,
  expressions: readonly FileExpression[],
  start: number,
  name: string | undefined,
): Position | undefined {
  // The text begins behind the braces, and perhaps a quotation mark.
  const most = start + '"${{'.length
  const expression = expressions.find((one) => {
    // An expression without text may end its scalar, so it has no first character.
    if (one.text === '') return false
    const { start: first } = one.span(0, 1)
    return first >= start && first <= most
  })
  if (!expression) return undefined
  const { text, parsed } = expression
  if (isFault(parsed)) return positionIn(source, expression, parsed)
  const tokens = expressionTokens(text)
  // A property may have the name of an unknown context.
  const token = tokens.find(({ lexeme }, at) => lexeme === name && tokens[at - 1]?.lexeme !== '.')
  return token && positionIn(source, expression, spanOf(token))
}

async function messagesAbout({ name, text }: CompiledFile): Promise<ParserMessage[]> {
  const { githubMessages } = await import('./github-messages.ts')
  try {
    return await githubMessages(text, parseYaml({ name, file: name, text }))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.problems.map(({ message, position }) => {
      const start = position ? offsetOf(position) : 0
      return { message, code: 'refused-by-github', start, end: start + (position?.length ?? 0) }
    })
  }
}
