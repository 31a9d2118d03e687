import { data, Evaluator, Parser } from '@actions/expressions'
import {
  Binary,
  type Expr,
  FunctionCall,
  Grouping,
  IndexAccess,
  Logical,
  Unary,
} from '@actions/expressions/ast'
import { parse } from 'yaml'
import { lex } from '../../../src/workflow/expressions.ts'

/** How a job ended, as `needs.<id>.result` says it. */
export type Result = 'success' | 'failure' | 'cancelled' | 'skipped'

/** What happens in a run, beside what its workflow says. */
export interface Run {
  /** Contexts that do not change: `github`, `inputs`, and for a source `on`. */
  readonly contexts: Readonly<Record<string, unknown>>
  /** How a job ends if it runs, and its outputs; success and none where nothing is said. */
  readonly ends?: Readonly<Record<string, Result>>
  readonly outputs?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Jobs that are looked at after the run was cancelled. */
  readonly afterCancel?: readonly string[]
}

interface Job {
  readonly needs?: string | readonly string[] | null
  readonly if?: unknown
}

interface Done {
  readonly result: Result
  readonly ancestors: ReadonlySet<string>
}

/**
 * Runs the jobs of a workflow as GitHub decides about them, without their steps. Source: its
 * documentation of status functions, and actions/runner#491 on jobs behind a skipped one.
 */
export function schedule(workflow: string, run: Run): Record<string, Result> {
  const jobs = remembered(PARSED, workflow, (text): Record<string, Job> => parse(text).jobs)
  const done = new Map<string, Done>()
  const waiting = new Map(Object.entries(jobs))
  while (waiting.size > 0) {
    const ready = [...waiting].filter(([, job]) => needsOf(job).every((id) => done.has(id)))
    if (ready.length === 0)
      throw new Error('jobs wait for each other, or for one that is not there')
    for (const [id, job] of ready) {
      waiting.delete(id)
      done.set(id, decide(id, job, done, run))
    }
  }
  return Object.fromEntries([...done].map(([id, { result }]) => [id, result]))
}

/** The same few texts are asked for in many runs, and parsing takes most of the time. */
const PARSED = new Map<string, Record<string, Job>>()
const TREES = new Map<string, { readonly tree: Expr; readonly callsStatus: boolean }>()

function remembered<Value>(known: Map<string, Value>, text: string, read: (text: string) => Value) {
  const value = known.get(text) ?? read(text)
  known.set(text, value)
  return value
}

function needsOf({ needs }: Job): readonly string[] {
  return typeof needs === 'string' ? [needs] : (needs ?? [])
}

function decide(id: string, job: Job, done: ReadonlyMap<string, Done>, run: Run): Done {
  const needs = needsOf(job)
  const ancestors = new Set(needs.flatMap((need) => [need, ...(done.get(need)?.ancestors ?? [])]))
  const results = [...ancestors].map((ancestor) => done.get(ancestor)?.result)
  const isCancelled = run.afterCancel?.includes(id) ?? false
  const status = {
    always: true,
    cancelled: isCancelled,
    failure: results.includes('failure'),
    success: !isCancelled && results.every((result) => result === 'success'),
  }
  const context = needs.map((need) => [
    need,
    { result: done.get(need)?.result, outputs: outputsOf(need, done, run) },
  ])
  const contexts = { ...run.contexts, needs: Object.fromEntries(context) }
  const runs = holds(conditionOf(job.if), contexts, status)
  return { ancestors, result: runs ? (run.ends?.[id] ?? 'success') : 'skipped' }
}

function outputsOf(id: string, done: ReadonlyMap<string, Done>, run: Run) {
  return done.get(id)?.result === 'skipped' ? {} : (run.outputs?.[id] ?? {})
}

/** GitHub makes a text around an expression part of it. */
function conditionOf(written: unknown): string {
  const text = String(written ?? '').trim()
  const parts: string[] = []
  const pattern = text.replaceAll(/\$\{\{((?:'[^']*'|[^'])*?)\}\}|[{}']/gs, (found, inner) =>
    inner === undefined ? `${found}${found}` : `{${parts.push(inner) - 1}}`,
  )
  if (parts.length === 0) return text
  return pattern === '{0}' ? (parts[0] ?? '') : `format('${pattern}', ${parts.join(', ')})`
}

const NO_VARS = {}

/** Most contexts are the same in many runs. */
const REVIVED = new WeakMap<object, data.ExpressionData>()

function revived(context: unknown): data.ExpressionData {
  const key = Object(context)
  const known = REVIVED.get(key)
  if (known) return known
  const value: data.ExpressionData = JSON.parse(JSON.stringify(context), data.reviver)
  REVIVED.set(key, value)
  return value
}

type Status = Readonly<Record<string, boolean>>

/** With a status function a condition is taken as written, else `success()` must hold, too. */
function holds(condition: string, contexts: Readonly<Record<string, unknown>>, status: Status) {
  if (condition === '') return status.success
  const functions = Object.entries(status).map(([name, value]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(value),
  }))
  const names = [...Object.keys(contexts), 'vars']
  const { tree, callsStatus } = remembered(TREES, `${names} ${condition}`, () => {
    const tree = new Parser(lex(condition), names, functions).parse()
    const callsStatus = all(tree).some(
      (part) => part instanceof FunctionCall && part.functionName.lexeme.toLowerCase() in status,
    )
    return { tree, callsStatus }
  })
  if (!callsStatus && !status.success) return false
  const values = new data.Dictionary(
    ...Object.entries({ vars: NO_VARS, ...contexts }).map(([key, context]) => ({
      key,
      value: revived(context),
    })),
  )
  const byName = new Map(functions.map((one) => [one.name, one]))
  const value = new Evaluator(tree, values, byName).evaluate()
  return Boolean(JSON.parse(JSON.stringify(value, data.replacer)))
}

function all(tree: Expr): Expr[] {
  const parts =
    tree instanceof FunctionCall || tree instanceof Logical
      ? tree.args
      : tree instanceof Binary
        ? [tree.left, tree.right]
        : tree instanceof Unary
          ? [tree.expr]
          : tree instanceof Grouping
            ? [tree.group]
            : tree instanceof IndexAccess
              ? [tree.expr, tree.index]
              : []
  return [tree, ...parts.flatMap(all)]
}
