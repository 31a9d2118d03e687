import { isMap, isScalar, isSeq, type Node, visit, type YAMLMap, type YAMLSeq } from 'yaml'
import { isBlock } from '../../workflow/document.ts'
import { asFindings, type Mistake } from '../../workflow/mistakes.ts'
import type { Operation } from '../../workflow/operations.ts'
import { indent } from '../../workflow/spans.ts'
import { type Path, pairOf, positionAt, rangeOf } from '../../workflow/yaml.ts'
import type { Pass, PlannedJob } from '../plan.ts'
import { type SourceFile, topOfJob } from '../source-file.ts'

/** Makes each job wait for the job `on`, and run exactly when it would run in the source. */
export const conditions: Pass = {
  run({ file, jobs }, part) {
    // In the two-file form, `each` and its condition decide for all jobs.
    if (part !== 'whole') return {}
    const changed = jobs.flatMap((one) => changedJob(file, one) ?? [])
    const shared = changed.flatMap(({ problems }) => problems)
    return {
      operations: changed.flatMap(({ operations }) => operations),
      findings: asFindings(shared, 'error'),
      isBlocked: shared.length > 0,
    }
  },
}

/** A job whose `needs` or `if` change. */
interface Job {
  readonly file: SourceFile
  readonly path: Path
  readonly node: YAMLMap
}

function changedJob(file: SourceFile, { job: { id, pair, needs }, condition }: PlannedJob) {
  if (!isMap(pair.value)) return undefined
  const job: Job = { file, path: ['jobs', id], node: pair.value }
  const hasOther = condition.needs.join(' ') !== needs.join(' ')
  const { parts } = condition
  return {
    operations: [
      ...(hasOther ? needsOperations(job, condition.needs) : []),
      ...(parts ? conditionOperations(job, parts) : []),
    ],
    problems: [
      ...(hasOther ? sharedProblems(job, 'needs') : []),
      ...(parts ? sharedProblems(job, 'if') : []),
    ],
  }
}

function needsOperations(job: Job, needs: readonly string[]): Operation[] {
  const { node, file, path } = job
  const list = needs.length === 1 ? String(needs[0]) : `[${needs.join(', ')}]`
  const pair = pairOf(node, 'needs')
  if (!pair) {
    const where = !pairOf(node, 'if') ? topOfJob(job.node) : { before: 'if' }
    return [{ op: 'insert', path, lines: [`needs: ${list}`], where }]
  }
  const { value } = pair
  if (!isLongList(file.source.text, value)) {
    return [{ op: 'set', path: [...path, 'needs'], lines: [list] }]
  }
  const there = value.items.map((item) => String(isScalar(item) ? item.value : item))
  const names = needs.filter((id) => !there.includes(id))
  if (names.length === 0) return []
  const lines = names.map((name) => `- ${name}`)
  return [{ op: 'insert', path: [...path, 'needs'], lines, where: 'first' }]
}

/**
 * Whether a list has several lines, so that new names are inserted instead of rewriting the list.
 */
function isLongList(text: string, node: Node | null): node is YAMLSeq {
  if (!isSeq(node)) return false
  const written = text.slice(...rangeOf(node)).trimEnd()
  return isBlock(node) || written.includes('\n')
}

function conditionOperations(job: Job, parts: readonly string[]): Operation[] {
  const [first = '', ...more] = ifLines(parts)
  const { path } = job
  if (pairOf(job.node, 'if')) {
    return [{ op: 'set', path: [...path, 'if'], lines: [first, ...more] }]
  }
  return [
    { op: 'insert', path, lines: [`if: ${first}`, ...indent(more, 2)], where: topOfJob(job.node) },
  ]
}

/** The longest `if:` on one line, in characters. */
const LONGEST_LINE = 100

/** The value of `if:`, and its further lines if there are several. */
function ifLines(parts: readonly string[]): string[] {
  const lines = parts.map(partLines)
  const joined = lines.map((own) => own.map((line) => line.trim()).join(' ')).join(' && ')
  // YAML would fold a line break in a string literal to a space.
  const texts = parts.flatMap((part) => part.match(/'(?:[^']|'')*'/g) ?? [])
  if (texts.some((text) => text.includes('\n'))) return [JSON.stringify(parts.join(' && '))]
  const isShort = joined.length <= LONGEST_LINE && lines.every((own) => own.length === 1)
  const isPlain = /^[\w(]/.test(joined) && !/: |:$| #/.test(joined)
  if (isShort) return isPlain ? [joined] : ['>-', joined]
  return [
    '>-',
    ...lines.flatMap((own, at) =>
      at < parts.length - 1 ? [...own.slice(0, -1), `${own.at(-1)} &&`] : own,
    ),
  ]
}

/** The lines of a part as written; deeper indentation remains. */
function partLines(part: string): string[] {
  const lines = part.split('\n').filter((line) => line.trim() !== '')
  const [first = '', ...more] = lines.map((line) => line.trimEnd())
  const margin = Math.min(...more.map((line) => line.search(/\S/)))
  const indentation = margin > 0 ? '  ' : ''
  return [first.trim(), ...more.map((line) => indentation + line.slice(margin))]
}

/** A value with an anchor also has other users, so it cannot change here alone. */
function sharedProblems(job: Job, name: string): Mistake[] {
  const value = pairOf(job.node, name)?.value
  const anchor = isScalar(value) || isSeq(value) ? value.anchor : undefined
  if (!value || anchor === undefined) return []
  let isShared = false
  visit(job.file.document, {
    Alias(_, alias) {
      isShared ||= alias.source === anchor
    },
  })
  if (!isShared) return []
  return [
    {
      code: 'alias-moved',
      message: `"${name}" of a job gets another value from the compiler, and "*${anchor}" would change too`,
      position: positionAt(job.file.source, ...rangeOf(value)),
      hint: 'write the value in both places instead of the alias',
    },
  ]
}
