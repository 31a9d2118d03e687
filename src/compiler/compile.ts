import { type Problem, UserError } from '../wire/errors.ts'
import type { Json } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import { fileNotices, fileProblems } from './findings.ts'
import { firstLine, isSameText, type MadeFile } from './made-files.ts'
import { ONE_FILE_PLACES, oneFile } from './one-file.ts'
import { planOf, type StartingEvent } from './plan.ts'
import { expressionProblems, expressionsOf, IN_JOBS_FILE } from './rewrite.ts'
import type { SourceFile } from './source-file.ts'
import { applyEdits, type Edit, placeBefore } from './spans.ts'
import { twoFiles } from './two-files.ts'

/** The action of this package, at its first major version: what compiled files run. */
export const ACTION = 'hookline/hookline@v1'

export interface CompileOptions {
  /** The action that the job `on` runs: `hookline/hookline@v1`. */
  readonly uses: string
  /** `none`, `file:<path>` or `branch:<name>`. */
  readonly state: string
  /** What a webhook starts the workflow by; `repository_dispatch` where nothing is said. */
  readonly event?: StartingEvent
  /** What the job `on` runs on, where the file itself does not say. */
  readonly runsOn?: Json
  /** Made files as they were written before, by name: GitHub's parser has read these already. */
  readonly standing?: ReadonlyMap<string, string>
}

/** What a workflow file became. */
export interface Compiled {
  readonly files: readonly MadeFile[]
  /** What the user should hear of, though it is no error. */
  readonly notices: readonly Problem[]
}

/**
 * Compiles a workflow into native ones, and reads these with GitHub's own parser.
 *
 * @throws UserError with all problems of the file
 */
export async function compile(file: SourceFile, options: CompileOptions): Promise<Compiled> {
  const plan = planOf(file, options.event ?? 'repository_dispatch')
  const isOne = plan.polled.length === 0
  const expressions = expressionsOf(file)
  const made = isOne ? makeOne : makeTwo
  const {
    files,
    problems: impossible,
    notices,
  } = made(file, plan, expressions, {
    uses: options.uses,
    state: options.state,
    runsOn: file.runsOn ?? options.runsOn ?? 'ubuntu-latest',
  })
  const own = [
    ...expressionProblems(file, expressions, isOne ? ONE_FILE_PLACES : IN_JOBS_FILE.places),
    ...fileProblems(file, plan, options.state),
    ...impossible,
  ]
  const texts = impossible.length > 0 ? [] : files()
  const unread = texts.filter(({ name, text }) => !isSameText(options.standing?.get(name), text))
  const parsed = (await Promise.all(unread.map((one) => parserProblems(file, one)))).flat()
  const problems = [...own, ...newProblems(parsed, own)]
  if (problems.length > 0) throw new UserError(problems)
  return {
    files: texts.map(({ name, text }) => ({ name, text })),
    notices: [...fileNotices(file, plan, options.state), ...notices],
  }
}

/** A made file, and what made it of the source; `undefined` where it was written from nothing. */
interface Made extends MadeFile {
  readonly edits: readonly Edit[] | undefined
  readonly head: string
}

type Parts = Parameters<typeof oneFile>
type Making = (...parts: Parts) => {
  readonly files: () => readonly Made[]
  readonly problems: readonly Problem[]
  readonly notices: readonly Problem[]
}

const makeOne: Making = (file, plan, expressions, options) => {
  const { edits, problems, notices } = oneFile(file, plan, expressions, options)
  return { files: () => [edited(file, `${file.name}.yml`, edits)], problems, notices }
}

const makeTwo: Making = (file, plan, expressions, options) => {
  const { listening, edits, problems, notices } = twoFiles(file, plan, expressions, options)
  const head = `${firstLine(file.source.file)}\n`
  const listens = { name: `${file.name}.yml`, text: head + listening, edits: undefined, head }
  return {
    files: () => [listens, edited(file, `${file.name}.jobs.yml`, edits)],
    problems,
    notices,
  }
}

function edited({ source }: SourceFile, name: string, edits: readonly Edit[]): Made {
  const head = `${firstLine(source.file)}\n`
  return { name, text: head + applyEdits(source.text, edits), edits, head }
}

/** What GitHub's parser says of a made file, in the words and at the places of the source. */
async function parserProblems({ source, on }: SourceFile, made: Made): Promise<Problem[]> {
  const messages = await githubMessages(made)
  return messages.slice(0, LIMITS.problems).map((found) => {
    // What the compiler wrote around an expression is not in the source.
    const message = found.message
      .replace(/\.? Located at position \d+ within expression: .*/s, '')
      .replaceAll(/fromJSON\((?:needs\.on\.outputs\.on(?: \|\| '[^']*')?|inputs\.on)\)/g, 'on')
    const { edits, head } = made
    if (!edits) return { message, position: positionAt(source, ...rangeOf(on.key)) }
    const start = placeBefore(edits, Math.max(0, found.start - head.length))
    const end = Math.max(start, placeBefore(edits, Math.max(0, found.end - head.length)))
    const [, name] = /^Unrecognized [\w-]+: '([\w-]+)'/.exec(found.message) ?? []
    const lineEnd = source.text.indexOf('\n', end)
    const at = name === undefined ? -1 : source.text.indexOf(name, start)
    if (name === undefined || at < 0 || at > (lineEnd < 0 ? source.text.length : lineEnd)) {
      return { message, position: positionAt(source, start, end) }
    }
    return { message, position: positionAt(source, at, at + name.length) }
  })
}

/** What was said already, of the same line or in the same words, is not said twice. */
function newProblems(parsed: readonly Problem[], own: readonly Problem[]): Problem[] {
  const lines = new Set(own.map(({ position }) => position?.line))
  const said = new Set<string>()
  return parsed.filter(({ message, position }) => {
    const key = `${position?.line}:${position?.column} ${message}`
    const isNew = !lines.has(position?.line) && !said.has(key)
    said.add(key)
    return isNew
  })
}

/** What GitHub's own parser says of a workflow file. */
export interface ParserMessage {
  readonly message: string
  /** Where, in characters of the text. */
  readonly start: number
  readonly end: number
}

/** Parses a workflow file as GitHub does. The parser is large, so it is loaded only here. */
export async function githubMessages({ name, text }: MadeFile): Promise<ParserMessage[]> {
  const { parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter } = await import(
    '@actions/workflow-parser'
  )
  const { context, value } = parseWorkflow({ name, content: text }, new NoOperationTraceWriter())
  if (value) await convertWorkflowTemplate(context, value)
  const errors = context.errors.getErrors()
  if (errors.length === 0) return []
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  const offset = ({ line, column }: { readonly line: number; readonly column: number }) =>
    (starts[line - 1] ?? text.length) + column - 1
  return errors.map(({ rawMessage, range }) => ({
    message: rawMessage,
    start: range ? offset(range.start) : 0,
    end: range ? offset(range.end) : 0,
  }))
}
