import type { TemplateContext } from '@actions/workflow-parser/templates/template-context'
import type { Document } from 'yaml'
import type { Position, Problem } from '../wire/errors.ts'
import { LIMITS } from '../wire/limits.ts'
import { withoutYaml11 } from '../workflow/github-yaml.ts'
import type { Mistake, MistakeCode } from '../workflow/mistakes.ts'
import { type Edit, placeBefore } from '../workflow/spans.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import type { CompiledFile } from './compiled-files.ts'
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
  const messages = await githubMessages(compiled)
  return messages.slice(0, LIMITS.problems).map((found) => {
    // The source does not contain the text that the compiler wrote around an expression.
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

/** An error of GitHub's own parser about a workflow file. */
interface ParserMessage {
  readonly message: string
  readonly code: MistakeCode
  /** The value or the name in the message. */
  readonly subject?: string
  /** Offset in the file. */
  readonly start: number
  readonly end: number
}

/**
 * Reads a workflow file as GitHub does. The parser is large, so it is loaded only here.
 *
 * @param document the file, if it is parsed already
 */
export async function githubMessages(
  { name, text }: CompiledFile,
  document?: Document.Parsed,
): Promise<ParserMessage[]> {
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
  // Enables released features that the parser still calls experiments. The parser reads the flags
  // while it is constructed, before it gets its options.
  const featureFlags = new FeatureFlags({ all: true })
  context.state.featureFlags = featureFlags
  const value = document
    ? await readDocument(context, { name, text }, document)
    : parseWorkflow({ name, content: withoutYaml11(text) }, context).value
  if (value) await convertWorkflowTemplate(context, value, undefined, { featureFlags })
  const messages = errors.getErrors()
  if (messages.length === 0) return []
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  const offset = ({ line, column }: { readonly line: number; readonly column: number }) =>
    (starts[line - 1] ?? text.length) + column - 1
  const found = messages.map(({ rawMessage, range }) => ({
    message: rawMessage,
    ...messageKind(rawMessage),
    start: range ? offset(range.start) : 0,
    end: range ? offset(range.end) : 0,
  }))
  return found.filter((one) => !isTaken(one, text))
}

/** The same as `parseWorkflow`, which would parse the text again. */
async function readDocument(
  context: TemplateContext,
  { name, text }: CompiledFile,
  document: Document.Parsed,
) {
  const { readTemplate } = await import('@actions/workflow-parser/templates/template-reader')
  const { WORKFLOW_ROOT } = await import('@actions/workflow-parser/workflows/workflow-constants')
  const { DocumentReader } = await import('./document-reader.ts')
  const file = context.getFileId(name)
  return readTemplate(context, WORKFLOW_ROOT, new DocumentReader(file, text, document), file)
}

/** A value that the schema accepts, but this parser's own conversion does not. */
const NOT_CONVERTED =
  /^Unexpected type '(?:BasicExpressionToken' encountered|(?:Boolean|Number)Token' encountered while reading 'input default')/
const EMPTY_OPTIONS = /^A (?:mapping|sequence) was not expected$/
/** One type of `repository_dispatch`, not in a list. */
const ONE_TYPE = /\brepository_dispatch:(?:\s*\{|\s*\n(?:\s*#.*\n)*)\s*types:\s*["']?$/

/**
 * Syntax that GitHub accepts, but not its parser here: workflows of many repositories run with
 * `env: ${{ matrix.env }}`, `default: true` of an input without type, `status: {}` and `types:
 * deploy`.
 */
function isTaken({ message, code, start, end }: ParserMessage, text: string): boolean {
  if (NOT_CONVERTED.test(message)) return true
  if (EMPTY_OPTIONS.test(message)) return /^(?:\{\s*\}|\[\s*\])/.test(text.slice(start, end + 1))
  return code === 'unexpected-value' && ONE_TYPE.test(text.slice(0, start))
}

/** Parses a message, because GitHub's parser has no codes for its errors. */
function messageKind(message: string): Pick<ParserMessage, 'code' | 'subject'> {
  const [, value] = /^Unexpected value '([\w-]+)'$/.exec(message) ?? []
  if (value !== undefined) return { code: 'unexpected-value', subject: value }
  const [, name] = /^Unrecognized [\w-]+: '([\w-]+)'/.exec(message) ?? []
  return name === undefined
    ? { code: 'refused-by-github' }
    : { code: 'unknown-name', subject: name }
}
