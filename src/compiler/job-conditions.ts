import { type Expr, FunctionCall, Logical } from '@actions/expressions/ast'
import { TokenType } from '@actions/expressions/lexer'
import {
  expressionTokens,
  isFault,
  parseExpression,
  partsOf,
  spanOf,
} from '../workflow/file-expressions.ts'
import { applyEdits, type Edit } from '../workflow/spans.ts'

/** The parts of a source's job that decide whether it runs. */
export interface SourceCondition {
  readonly needs: readonly string[]
  /** Its `if:` without `${{ }}`; `undefined` if it has none. */
  readonly condition: string | undefined
  /** Whether any part of the job reads the context `on`. */
  readonly readsOn: boolean
}

/** The condition of a job after the job `on` is added before it. */
export interface JobCondition {
  readonly needs: readonly string[]
  /** The parts, which must all be true; `undefined` if `if:` remains unchanged. */
  readonly parts: readonly string[] | undefined
}

/** Makes a condition native, for a job whose `needs` are replaced by these. */
type Rewrite = (condition: string, job: SourceCondition, needs: readonly string[]) => string

const TRIGGERED = `needs.on.outputs.triggered == 'true'`
const ON_SUCCEEDED = `needs.on.result == 'success'`
const STATUS_FUNCTIONS = ['success', 'failure', 'always', 'cancelled']

/**
 * The condition of each job, so that it runs exactly when it would run in the source.
 *
 * GitHub adds `success()` to an `if` without a status function, and `success()` is false if any job
 * in the whole chain of `needs` failed, was cancelled or was skipped. A condition with a status
 * function is used as written. So if the job `on` is skipped for a native event, every job behind
 * it must state the meaning of `success()` itself.
 *
 * @param jobs by lower-case id
 * @param native the condition that is true for a native event; `undefined` if there is none
 */
export function jobConditions(
  jobs: ReadonlyMap<string, SourceCondition>,
  native: string | undefined,
  rewrite: Rewrite,
): Map<string, JobCondition> {
  const parsed = new Map(
    [...jobs].map(([id, job]): [string, ParsedCondition] => {
      const read = job.condition === undefined ? undefined : parseExpression(job.condition)
      const tree = read && !isFault(read) ? read : undefined
      const callsStatus = tree !== undefined && calls(tree, STATUS_FUNCTIONS)
      return [id, { ...job, tree, callsStatus }]
    }),
  )
  const runs = native === undefined ? behindOn : besideNative(native)
  return new Map([...parsed].map(([id, job]) => [id, runs(job, parsed, rewrite)]))
}

interface ParsedCondition extends SourceCondition {
  readonly tree: Expr | undefined
  readonly callsStatus: boolean
}

type ParsedJobs = ReadonlyMap<string, ParsedCondition>

function calls(tree: Expr, names: readonly string[]): boolean {
  return partsOf(tree).some(
    (part) =>
      part instanceof FunctionCall && names.includes(part.functionName.lexeme.toLowerCase()),
  )
}

/** Without native events the job `on` always runs, so GitHub's own rules are enough. */
function behindOn(job: ParsedCondition, _jobs: ParsedJobs, rewrite: Rewrite): JobCondition {
  if (job.needs.length > 0 && !job.callsStatus) {
    return { needs: job.readsOn ? ['on', ...job.needs] : job.needs, parts: undefined }
  }
  const guard = job.callsStatus ? [ON_SUCCEEDED, TRIGGERED] : [TRIGGERED]
  const needs = ['on', ...job.needs]
  const native = (condition: string) => rewrite(condition, job, needs)
  return { needs, parts: [...guard, ...own(job, native)] }
}

/** The job `on` is skipped for native events, so `success()` is false behind it. */
function besideNative(native: string) {
  const guard = `(${native} ||\n${ON_SUCCEEDED} && ${TRIGGERED})`
  return (job: ParsedCondition, jobs: ParsedJobs, rewrite: Rewrite): JobCondition => {
    const succeeded = successOf(job, jobs)
    if (!job.callsStatus) {
      const isFirst = job.needs.length === 0
      const needs = isFirst || job.readsOn ? ['on', ...succeeded] : succeeded
      const before = isFirst ? [guard] : succeeded.map(resultIsSuccess)
      const native = (condition: string) => rewrite(condition, job, needs)
      return { needs, parts: ['!cancelled()', ...before, ...own(job, native)] }
    }
    const callsSuccess = job.tree !== undefined && calls(job.tree, ['success'])
    const needs = ['on', ...(callsSuccess ? succeeded : job.needs)]
    const native = (condition: string) =>
      rewrite(withoutSuccess(condition, job.tree, succeeded), job, needs)
    return { needs, parts: [guard, ...own(job, native)] }
  }
}

/**
 * The jobs whose success together equals `success()`. The success of a job without a status
 * function implies that all jobs before it succeeded; for any other job, its `needs` are added.
 */
function successOf(job: ParsedCondition, jobs: ParsedJobs): string[] {
  const found = new Set(job.needs)
  for (const id of found) {
    const before = jobs.get(id.toLowerCase())
    if (before?.callsStatus) for (const further of before.needs) found.add(further)
  }
  return [...found]
}

function resultIsSuccess(job: string): string {
  return `needs.${job}.result == 'success'`
}

/** Replaces `success()` in the user's condition by its meaning. */
function withoutSuccess(
  condition: string,
  tree: Expr | undefined,
  succeeded: readonly string[],
): string {
  const parts = ['!cancelled()', ...succeeded.map(resultIsSuccess)]
  const tokens = expressionTokens(condition)
  const isAnd = tree instanceof Logical && tree.operator.type === TokenType.AND
  const top = isAnd ? tree.args : [tree]
  const alone = top.flatMap((part) => (part instanceof FunctionCall ? [part.functionName] : []))
  const edits = tokens.flatMap((token, at): Edit[] => {
    const [open, close] = tokens.slice(at + 1, at + 3)
    const isCall = open?.type === TokenType.LEFT_PAREN && close?.type === TokenType.RIGHT_PAREN
    if (token.type !== TokenType.IDENTIFIER || token.lexeme.toLowerCase() !== 'success') return []
    if (!isCall || !close) return []
    const isAlone =
      parts.length === 1 ||
      alone.some(({ range }) => range.start.column === token.range.start.column)
    const text = isAlone ? parts.join(' && ') : `(${parts.join(' && ')})`
    return [{ start: spanOf(token).start, end: spanOf(close).end, text }]
  })
  return applyEdits(condition, edits)
}

/** The user's condition as a part of a larger one. */
function own({ condition, tree }: ParsedCondition, rewrite: (condition: string) => string) {
  if (condition === undefined) return []
  const text = rewrite(condition).trim()
  const isChoice = tree instanceof Logical && tree.operator.type === TokenType.OR
  return [isChoice ? `(${text})` : text]
}
