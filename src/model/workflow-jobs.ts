import { type Document, isMap, isScalar, isSeq, type Node } from 'yaml'
import type { Source } from '../wire/errors.ts'
import { isObject, type Json, type JsonObject } from '../wire/json.ts'
import { expressionSpans } from '../workflow/expressions.ts'
import { nodeBelow, pairOf, parseYaml, positionAt, rangeOf, resolved } from '../workflow/yaml.ts'
import { type JobShape, readCondition } from './job-schedule.ts'

/** A string of a workflow that GitHub evaluates, and its position. */
export interface WrittenText {
  /** Keys and indexes below its job: `['steps', 1, 'env', 'TITLE']`. */
  readonly path: readonly (string | number)[]
  readonly text: string
  /** 1-based line of its first `${{`, or of the string. */
  readonly line: number
}

export interface WorkflowJob extends JobShape {
  readonly line: number
  /** The job as YAML parses it. */
  readonly body: JsonObject
  readonly texts: readonly WrittenText[]
}

export interface WorkflowJobs {
  readonly source: Source
  readonly jobs: readonly WorkflowJob[]
  readonly env: JsonObject
  /** The workflow's `on`, as written. */
  readonly on: Json
}

/** The jobs of a workflow, for the model. @throws UserError with the syntax errors of the file */
export function readWorkflowJobs(source: Source): WorkflowJobs {
  const document = parseYaml(source)
  const whole: unknown = document.toJS({ maxAliasCount: -1 })
  const workflow = isObject(whole) ? (whole as JsonObject) : {} // YAML with string keys is JSON
  const jobs = isObject(workflow.jobs) ? (workflow.jobs as JsonObject) : {}
  const read = Object.entries(jobs).flatMap(([id, body]): WorkflowJob[] => {
    if (!isObject(body)) return []
    const pair = pairOf(nodeBelow(document, document.contents, 'jobs'), id)
    const texts = pair?.value ? [...evaluatedTexts(document, source, pair.value, [])] : []
    const line = pair ? positionAt(source, ...rangeOf(pair.key)).line : 1
    const condition = readCondition(body.if === undefined ? '' : String(body.if ?? ''))
    return [{ id, needs: neededJobs(body.needs), condition, line, body: body as JsonObject, texts }]
  })
  const env = isObject(workflow.env) ? (workflow.env as JsonObject) : {}
  return { source, jobs: read, env, on: workflow.on ?? null }
}

function neededJobs(needs: unknown): string[] {
  if (typeof needs === 'string') return [needs]
  return Array.isArray(needs) ? needs.filter((need) => typeof need === 'string') : []
}

/** All texts below a node in which GitHub evaluates something: those with `${{`, and every `if`. */
function* evaluatedTexts(
  document: Document.Parsed,
  source: Source,
  found: Node,
  path: readonly (string | number)[],
): Generator<WrittenText> {
  const node = resolved(document, found)
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? String(key.value) : ''
      if (value) yield* evaluatedTexts(document, source, value as Node, [...path, name])
    }
  } else if (isSeq(node)) {
    for (const [at, item] of node.items.entries()) {
      yield* evaluatedTexts(document, source, item as Node, [...path, at])
    }
  } else if (isScalar(node)) {
    const text = String(node.value ?? '')
    // GitHub takes an empty `if` for none.
    const isCondition = path.at(-1) === 'if' && text.trim() !== ''
    if (expressionSpans(text).length === 0 && !isCondition) return
    const [start, end] = rangeOf(node)
    const open = source.text.slice(start, end).indexOf('${{')
    const at = open < 0 ? start + blockHeaderLength(source.text, start) : start + open
    yield { path, text, line: positionAt(source, at, end).line }
  }
}

/** A block scalar begins at its `|`; its text, a line below. */
function blockHeaderLength(text: string, start: number): number {
  const [header = ''] = /^[|>][^\n]*\n\s*/.exec(text.slice(start, start + 1_000)) ?? []
  return header.length
}
