import type { FoundTrigger } from '../engine/all-workflows.ts'
import type { OnContext } from '../engine/evaluation.ts'
import { MESSAGE_LEVELS, textsAtLevel } from '../wire/messages.ts'
import { counted, printable } from '../wire/printable.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import type { OutputReader, ShownJobs } from './api.ts'
import { formatJobs } from './jobs.ts'
import type { DevEvent } from './local-engine.ts'
import { type OutputPath, offers, onExpression } from './page/expression.ts'

/** An event as `--json` prints it, on one line. */
export function eventJson(event: DevEvent, jobs: readonly ShownJobs[]): string {
  const { delivery, workflow, trigger, count, items, reason = null } = event
  const { messages, explanations } = event
  const problems = event.problems.map(({ message, position, hint }) => ({
    message,
    ...(position && {
      file: position.source.file,
      line: position.line,
      column: position.column,
    }),
    ...(hint && { hint }),
  }))
  const summary = { delivery, workflow, trigger, triggered: count > 0, count, items, reason }
  const decided = jobs.map(({ file, jobs: all }) => {
    return { file, jobs: all.map(({ id, verdict, why }) => ({ id, verdict, why })) }
  })
  const given = Object.entries({ messages, problems, explanations, jobs: decided })
  const some = given.filter(([, list]) => list.length > 0)
  return JSON.stringify({ ...summary, ...Object.fromEntries(some) })
}

/** A trigger in a list: its method and address. */
export function listLine({ url, example }: FoundTrigger): string {
  return `${(example?.method ?? 'signed').padEnd(7)} ${url}${example?.path ?? ''}`
}

/** Number of characters of a value that are printed. */
const SHOWN_LENGTH = 500

/**
 * An event for the terminal: the request, the trigger or the reason why nothing fired, and each output
 * after the expression that reads it.
 *
 * @param readers the files and jobs that can read the outputs
 * @param jobs the explained jobs of the workflow
 */
export function formatEvent(
  event: DevEvent,
  readers: readonly OutputReader[],
  jobs: readonly ShownJobs[],
): string {
  const { method, path, workflow, trigger, count, reason, problems, milliseconds } = event
  const place =
    path === '' ? [workflow, trigger].filter(Boolean).join('/') : `/webhook/${visibleLine(path)}`
  const outcome =
    count > 0 ? `fired, ${counted(count, 'item')}` : problems.length > 0 ? 'failed' : 'skipped'
  return [
    `${method} ${place}  ${outcome}  ${milliseconds.toFixed(0)} ms`,
    ...(problems[0]?.message === reason ? [] : [`  ${reason}`]),
    ...event.decisions.flatMap(({ tally }) =>
      (tally?.steps ?? [])
        .filter((step) => reason?.includes(step) !== true)
        .map((step) => `  ${visibleLine(step)}`),
    ),
    ...MESSAGE_LEVELS.flatMap((level) =>
      textsAtLevel(event.messages, level).map((text) => `  ${level}: ${visibleLine(text)}`),
    ),
    ...problems.map((problem) => renderProblem(problem).replace(/^/gm, '  ')),
    ...event.items.flatMap((context, at) => outputLines(context, at, event.fields, readers)),
    formatJobs(jobs),
  ].join('\n')
}

function outputLines(
  context: OnContext,
  item: number,
  fields: readonly string[],
  readers: readonly OutputReader[],
): string[] {
  return Object.entries(context).flatMap(([trigger, { outputs }]) =>
    // Only a trigger that fired has outputs.
    Object.entries(outputs).flatMap(([name, value]) => {
      const isStructure = typeof value === 'object' && value !== null
      const place = { trigger, path: [name], value: isStructure ? '' : value, item, fields }
      const text = visibleLine(JSON.stringify(value))
      const shown =
        text.length <= SHOWN_LENGTH
          ? text
          : `${text.slice(0, SHOWN_LENGTH)}… (${text.length} characters)`
      const line = `  ${visibleLine(expressionIn(place, readers))} = ${shown}`
      return [line, ...laterJobLines(place, readers)]
    }),
  )
}

/** The expression in a source; in a native workflow, the expression of later steps of the same job. */
function expressionIn(place: OutputPath, readers: readonly OutputReader[]): string {
  const kinds = ['source', 'steps'] as const
  const reader = kinds.flatMap((kind) => readers.find((one) => one.kind === kind) ?? [])[0]
  const offer = reader && offers(place, [reader])[0]
  return unwrapped(offer?.expression ?? onExpression(place))
}

/** The expressions of later jobs of a native workflow: through job outputs, or in their matrix. */
function laterJobLines(place: OutputPath, readers: readonly OutputReader[]): string[] {
  if (readers.some(({ kind }) => kind === 'source')) return []
  const jobs = new Map<string, string[]>()
  const later = readers.filter(({ kind }) => kind === 'needs' || kind === 'matrix')
  for (const { expression, where, missing } of offers(place, later)) {
    if (!missing) jobs.set(expression, [...(jobs.get(expression) ?? []), where])
  }
  return [...jobs].map(
    ([expression, where]) => `    ${visibleLine(`${where.join(', ')}: ${unwrapped(expression)}`)}`,
  )
}

/** An expression without the `${{ }}` around it. */
function unwrapped(expression: string): string {
  return expression.slice('${{ '.length, -' }}'.length)
}

function visibleLine(text: string): string {
  return printable(text.replace(/[\t\r\n\u2028\u2029]/g, '\ufffd'))
}
