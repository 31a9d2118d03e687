import { isMap, isScalar, isSeq, type Node } from 'yaml'
import { repeatWarning, storeNeeds } from '../state/index.ts'
import { IGNORED_KEYS } from '../triggers/config.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import type { Json } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import { type DispatchEvent, EVENT_TYPE, WORKFLOW_INPUT } from '../wire/payload.ts'
import { resolved } from '../workflow/document.ts'
import {
  type FileExpression,
  fileExpressions,
  isFault,
  keyOf,
  parseExpression,
  references,
} from '../workflow/file-expressions.ts'
import type { SourceTrigger } from '../workflow/on.ts'
import { applyEdits, type Edit, placeBefore } from '../workflow/spans.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import { concurrencyNotices, concurrencyProblems } from './concurrency.ts'
import { DEFAULT_EVERY, type Plan, type PolledTrigger, planOf } from './events.ts'
import { aheadOfParser } from './key-hints.ts'
import { firstLine, isSameText, type MadeFile } from './made-files.ts'
import { ONE_FILE_PLACES, oneFile } from './one-file.ts'
import { expressionProblems, expressionsOf, IN_JOBS_FILE } from './rewrite.ts'
import type { SourceFile } from './source-file.ts'
import { inputPairs, twoFiles } from './two-files.ts'

/** The action of this package, at its first major version: what compiled files run. */
export const ACTION = 'hookline/hookline@v1'

export interface CompileOptions {
  /** The action that the job `on` runs: `hookline/hookline@v1`. */
  readonly uses: string
  /** `none`, `file:<path>` or `branch:<name>`. */
  readonly state: string
  /** What a webhook starts the workflow by; `repository_dispatch` where nothing is said. */
  readonly event?: DispatchEvent
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
  if (!file.isWhole) throw new UserError(file.problems)
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
    ...file.problems,
    ...expressionProblems(file, expressions, isOne ? ONE_FILE_PLACES : IN_JOBS_FILE.places),
    ...fileProblems(file, plan, options.state),
    ...impossible,
  ]
  const texts = impossible.length > 0 ? [] : files()
  const unread = texts.filter(({ name, text }) => !isSameText(options.standing?.get(name), text))
  const parsed = (await Promise.all(unread.map((one) => parserProblems(file, one)))).flat()
  const { errors, warnings } = aheadOfParser(file.document, newProblems(parsed, own))
  const problems = [...own, ...errors]
  if (problems.length > 0) throw new UserError(problems)
  return {
    files: texts.map(({ name, text }) => ({ name, text })),
    notices: [...fileNotices(file, plan, options.state), ...notices, ...warnings],
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
    const { code, subject: name } = found
    const problem = { message, code, ...(name !== undefined && { subject: name }) }
    if (!edits) return { ...problem, position: positionAt(source, ...rangeOf(on.key)) }
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

/** What was said already, of the same line or in the same words, is not said twice. */
export function newProblems(parsed: readonly Problem[], own: readonly Problem[]): Problem[] {
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
interface ParserMessage {
  readonly message: string
  readonly code: 'unexpected-value' | 'unknown-name' | 'github'
  /** The value, or the name. */
  readonly subject?: string
  /** Where, in characters of the text. */
  readonly start: number
  readonly end: number
}

/** Parses a workflow file as GitHub does. The parser is large, so it is loaded only here. */
export async function githubMessages({ name, text }: MadeFile): Promise<ParserMessage[]> {
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
  const found = errors.getErrors()
  if (found.length === 0) return []
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  const offset = ({ line, column }: { readonly line: number; readonly column: number }) =>
    (starts[line - 1] ?? text.length) + column - 1
  return found.map(({ rawMessage, range }) => ({
    message: rawMessage,
    ...kindOf(rawMessage),
    start: range ? offset(range.start) : 0,
    end: range ? offset(range.end) : 0,
  }))
}

/** GitHub's parser says what it found in words only; they are read here and nowhere else. */
function kindOf(message: string): Pick<ParserMessage, 'code' | 'subject'> {
  const [, value] = /^Unexpected value '([\w-]+)'$/.exec(message) ?? []
  if (value !== undefined) return { code: 'unexpected-value', subject: value }
  const [, name] = /^Unrecognized [\w-]+: '([\w-]+)'/.exec(message) ?? []
  return name === undefined ? { code: 'github' } : { code: 'unknown-name', subject: name }
}

/** What a file asks for that cannot be, whatever it is compiled into. */
function fileProblems(file: SourceFile, plan: Plan, state: string): Problem[] {
  return [
    ...onProblems(file),
    ...collisionProblems(file, plan.starting),
    ...configProblems(plan, state),
    ...concurrencyProblems(file),
  ]
}

/** What a person should know of the compiled files, though nothing is wrong. */
function fileNotices(file: SourceFile, plan: Plan, state: string): Problem[] {
  const { polled } = plan
  return [
    ...polled.flatMap(({ trigger }) => repeatNotices(file, trigger, state)),
    ...file.triggers.flatMap(ignoredNotices),
    ...polled.flatMap((one) => scheduleNotices(file, one)),
    ...concurrencyNotices(file, plan),
  ]
}

/** Expressions of the `on:` section that can mean nothing: GitHub, or the action, reads it first. */
function onProblems(file: SourceFile): Problem[] {
  const expressions = fileExpressions(file.source.text, file.on.value, ['on'])
  return expressions.flatMap((expression) => {
    if (!expression.closed) {
      const found = { start: -'${{'.length, end: expression.text.trimEnd().length }
      return [problemAt(file, expression, found, 'expression is not closed with }}')]
    }
    const parsed = parseExpression(expression.text)
    if (isFault(parsed)) {
      return [problemAt(file, expression, parsed, `expression: ${parsed.message}`)]
    }
    return [
      ...references(expression.text, 'on').map((found) =>
        problemAt(file, expression, found, 'the context "on" is not available in "on:" itself'),
      ),
      // Secrets are handed on by name, so a name that only the run knows cannot be among them.
      ...['secrets', 'vars'].flatMap((context) =>
        references(expression.text, context)
          .filter(({ steps }) => steps[0]?.name === undefined)
          .map((found) => ({
            ...problemAt(file, expression, found, `"${context}" is read here without a name`),
            hint: `write ${context}.NAME`,
            notes: [`only what the "on:" section names is given to the action`],
          })),
      ),
    ]
  })
}

function problemAt(
  { source }: SourceFile,
  expression: FileExpression,
  found: { readonly start: number; readonly end: number },
  message: string,
): Problem {
  const { start, end } = expression.span(found.start, found.end)
  return { message, position: positionAt(source, start, end) }
}

/** Events of the source's own that could not be told from a webhook. */
function collisionProblems(file: SourceFile, starting: DispatchEvent | undefined): Problem[] {
  const place = (node: Node) => positionAt(file.source, ...rangeOf(node))
  if (starting === 'workflow_dispatch') {
    return inputPairs(file)
      .filter((pair) => keyOf(pair).toLowerCase() === WORKFLOW_INPUT)
      .map(({ key }) => ({
        message: `an input cannot be named "${WORKFLOW_INPUT}": the webhook comes by this name`,
        position: place(key),
        hint: 'give it another name',
      }))
  }
  const own = file.native.find(({ name }) => name === 'repository_dispatch')
  if (starting === undefined || !own) return []
  const { key, options } = own.nodes
  const types = isMap(options) ? resolved(file.document, options.get('types', true)) : undefined
  const items = isSeq(types) ? types.items.map((item) => resolved(file.document, item)) : [types]
  const taken = items.find((item) => isScalar(item) && item.value === EVENT_TYPE)
  const isEmpty = !items.some((item) => isScalar(item) && item.value !== null)
  if (!taken && !isEmpty) return []
  return [
    {
      message: taken
        ? `the type "${EVENT_TYPE}" is what webhooks come as`
        : `"repository_dispatch" without types listens to every webhook, too`,
      position: place(taken ?? key),
      hint: taken ? 'choose another type' : 'name its types',
    },
  ]
}

/** What `config` asks for and the compiled files cannot give. */
function configProblems({ webhooks, polled }: Plan, state: string): Problem[] {
  const triggers = [...new Set([...webhooks, ...polled.map(({ trigger }) => trigger)])]
  const schedules = new Map(polled.map(({ trigger, schedule }) => [trigger, schedule]))
  const exported = triggers.flatMap(({ config, positionOf }): Problem[] => {
    if (!config.exportOutputs) return []
    const position = positionOf(['config', 'exportOutputs'])
    const hint = 'leave it out: jobs get their outputs as "on"'
    return [{ message: '"exportOutputs" writes a file that no other job sees', position, hint }]
  })
  const lacking = triggers.flatMap((trigger) =>
    storeNeeds(trigger, {
      hasStore: state !== 'none',
      isPolled: trigger.poll !== undefined,
      isEveryExact: schedules.get(trigger)?.isExact !== false,
    }).map(({ option, needs }): Problem => {
      const position = trigger.positionOf(['config', option])
      if (needs === 'shouldDeduplicate') {
        return { message: `"${option}" with a sort order needs "shouldDeduplicate"`, position }
      }
      const notes = [
        'build with --state branch:hookline-state',
        ...(option === 'every' ? ['or choose minutes that divide an hour or a day'] : []),
      ]
      return { message: `"${option}" needs a store`, position, notes }
    }),
  )
  return [...exported, ...lacking]
}

/** Of a service that forgets nothing, every entry comes again where nothing is remembered. */
function repeatNotices({ source }: SourceFile, trigger: SourceTrigger, state: string): Problem[] {
  const message = repeatWarning(trigger, { hasStore: state !== 'none', isPolled: true })
  if (message === undefined) return []
  const position = positionAt(source, ...rangeOf(trigger.nodes.key))
  return [{ message, position, hint: 'build with --state branch:hookline-state' }]
}

/** Keys of another program, which mean nothing here. */
function ignoredNotices({ config, positionOf }: SourceTrigger): Problem[] {
  return [...IGNORED_KEYS].flatMap(([key, advice]) =>
    key in config
      ? [
          {
            message: `"config.${key}" does nothing here`,
            position: positionOf(['config', key]),
            notes: [advice],
          },
        ]
      : [],
  )
}

/** Where the schedule is none that the user wrote. */
function scheduleNotices({ source }: SourceFile, { trigger, schedule }: PolledTrigger): Problem[] {
  const minutes = trigger.config.every?.minutes
  if (!schedule || (minutes && schedule.isExact) || trigger.config.every?.cron) return []
  const position = positionAt(source, ...rangeOf(trigger.nodes.key))
  const message = minutes
    ? `cron cannot say "every ${minutes} minutes": the schedule is "${schedule.cron}"`
    : `"${trigger.name}" is polled every ${DEFAULT_EVERY} minutes`
  const hint = minutes
    ? 'the store tells which of these runs is due'
    : '"config.every" changes that'
  return [{ message, position, hint }]
}
