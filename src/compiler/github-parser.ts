import type { Position, Problem } from '../wire/errors.ts'
import { LIMITS } from '../wire/limits.ts'
import type { Mistake, MistakeCode } from '../workflow/mistakes.ts'
import { type Edit, placeBefore } from '../workflow/spans.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import type { CompiledFile } from './compiled-files.ts'
import type { SourceFile } from './source-file.ts'

/** A compiled file with the edits that turned the source into it, for GitHub's parser to read. */
export interface EditedFile extends CompiledFile {
  /** `undefined` for a file that copies no lines of the source. */
  readonly edits: readonly Edit[] | undefined
  readonly head: string
}

/** What GitHub's parser says of a made file, in the words and at the places of the source. */
export async function parserProblems(file: SourceFile, compiled: EditedFile): Promise<Mistake[]> {
  const { source } = file
  const messages = await githubMessages(compiled)
  return messages.slice(0, LIMITS.problems).map((found) => {
    // What the compiler wrote around an expression is not in the source.
    const message = found.message
      .replace(/\.? Located at position \d+ within expression: .*/s, '')
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

/** Where a value of the file that listens stands in the source: as an event's, or as a trigger's time. */
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

/** What GitHub's own parser says of a workflow file. */
interface ParserMessage {
  readonly message: string
  readonly code: MistakeCode
  /** The value, or the name. */
  readonly subject?: string
  /** Where, in characters of the text. */
  readonly start: number
  readonly end: number
}

/** Parses a workflow file as GitHub does. The parser is large, so it is loaded only here. */
export async function githubMessages({ name, text }: CompiledFile): Promise<ParserMessage[]> {
  const { parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter } = await import(
    '@actions/workflow-parser'
  )
  const { FeatureFlags } = await import('@actions/expressions/features')
  const { TemplateContext, TemplateValidationErrors } = await import(
    '@actions/workflow-parser/templates/template-context'
  )
  const { getWorkflowSchema } = await import('@actions/workflow-parser/workflows/workflow-schema')
  const [errors, trace] = [new TemplateValidationErrors(), new NoOperationTraceWriter()]
  const context = new TemplateContext(errors, getWorkflowSchema(), trace)
  // What GitHub has released counts, whatever its parser still calls an experiment: it looks while it
  // reads, before it is given its options.
  const featureFlags = new FeatureFlags({ all: true })
  context.state.featureFlags = featureFlags
  const { value } = parseWorkflow({ name, content: text }, context)
  if (value) await convertWorkflowTemplate(context, value, undefined, { featureFlags })
  const messages = errors.getErrors()
  if (messages.length === 0) return []
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  const offset = ({ line, column }: { readonly line: number; readonly column: number }) =>
    (starts[line - 1] ?? text.length) + column - 1
  const found = messages.map(({ rawMessage, range }) => ({
    message: rawMessage,
    ...kindOf(rawMessage),
    start: range ? offset(range.start) : 0,
    end: range ? offset(range.end) : 0,
  }))
  return found.filter((one) => !isTaken(one, text))
}

/** A value that the schema takes, and this parser's own conversion does not. */
const NOT_CONVERTED =
  /^Unexpected type '(?:BasicExpressionToken' encountered|(?:Boolean|Number)Token' encountered while reading 'input default')/
const EMPTY_OPTIONS = /^A (?:mapping|sequence) was not expected$/
/** One type of `repository_dispatch` that is no list. */
const ONE_TYPE = /\brepository_dispatch:(?:\s*\{|\s*\n(?:\s*#.*\n)*)\s*types:\s*["']?$/

/**
 * What GitHub takes though its parser here does not: workflows of many repositories run with `env: ${{
 * matrix.env }}`, `default: true` of an input without type, `status: {}` and `types: deploy`.
 */
function isTaken({ message, code, start, end }: ParserMessage, text: string): boolean {
  if (NOT_CONVERTED.test(message)) return true
  if (EMPTY_OPTIONS.test(message)) return /^(?:\{\s*\}|\[\s*\])/.test(text.slice(start, end + 1))
  return code === 'unexpected-value' && ONE_TYPE.test(text.slice(0, start))
}

/** GitHub's parser says what it found in words only; they are read here and nowhere else. */
function kindOf(message: string): Pick<ParserMessage, 'code' | 'subject'> {
  const [, value] = /^Unexpected value '([\w-]+)'$/.exec(message) ?? []
  if (value !== undefined) return { code: 'unexpected-value', subject: value }
  const [, name] = /^Unrecognized [\w-]+: '([\w-]+)'/.exec(message) ?? []
  return name === undefined
    ? { code: 'refused-by-github' }
    : { code: 'unknown-name', subject: name }
}
