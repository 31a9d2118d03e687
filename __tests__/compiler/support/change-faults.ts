import { isDeepStrictEqual } from 'node:util'
import { parseDocument } from 'yaml'
import { compile, passResults, planParts } from '../../../src/compiler/compile.ts'
import { mergedSettings, NO_SETTINGS } from '../../../src/compiler/compiler-settings.ts'
import { planOf } from '../../../src/compiler/plan.ts'
import { ofLevel } from '../../../src/wire/errors.ts'
import { DocumentLines } from '../../../src/workflow/document.ts'
import type { Operation } from '../../../src/workflow/operations.ts'
import { linesOf } from '../../../src/workflow/spans.ts'
import { sourceFile } from './compiled.ts'
import { type Added, withReader, withTrigger } from './many.ts'
import { changedValue } from './named-changes.ts'
import { type OwnedComment, ownedComments, said } from './owners.ts'

const OPTIONS = mergedSettings({ source: NO_SETTINGS, repository: NO_SETTINGS }, {})

/** What is lost, moved or changed beyond what the passes name; empty where all is as it should be. */
export async function changeFaults(workflow: string, trigger: Added): Promise<string[]> {
  const text = withReader(withTrigger(workflow, trigger), trigger)
  const file = sourceFile(text)
  const { files, findings } = await compile(file, {})
  const errors = ofLevel(findings, 'error')
  if (errors.length > 0) return errors.map(({ message }) => `mistake: ${message}`)
  const plan = planOf(file, OPTIONS)
  const parts = planParts(plan).map((part, at) => ({
    part,
    text: (files[at]?.text ?? '').replace(/^.*\n/, ''),
    operations: passResults(plan, part).flatMap(({ operations = [] }) => operations),
  }))
  return [
    ...commentFaults(text, parts, trigger),
    ...parts.flatMap((one) => {
      const before = one.part === 'listening' ? '' : text
      return [
        ...valueFaults(before, one.text, one.operations),
        ...lineFaults(before, one.text, one.operations),
      ]
    }),
  ]
}

interface Made {
  readonly part: string
  readonly text: string
  readonly operations: readonly Operation[]
}

/** A trigger goes into an input of the action, with all that is said of it; a moved setting into the jobs. */
function commentFaults(text: string, parts: readonly Made[], trigger: Added): string[] {
  const [first] = parts
  const made = parts.map((one) => ownedComments(one.text))
  const input = String(
    parseDocument(first?.text ?? '').getIn(['jobs', 'on', 'steps', 0, 'with', 'on']),
  )
  const left = made.flatMap((all) => all.map(said))
  const faults: string[] = []
  const take = (comment: OwnedComment) => {
    // Within the braces of `on` a comment has no line of its own to stay on.
    const { owner, role } = comment
    const moved =
      owner.join() === 'on' && role === 'beside' ? { ...comment, role: 'below' } : comment
    const at = [comment, moved].map((one) => left.indexOf(said(one))).find((one) => one >= 0) ?? -1
    if (at >= 0) left.splice(at, 1)
    else faults.push(`lost: ${said(comment)}`)
  }
  for (const comment of ownedComments(text)) {
    const { owner } = comment
    if (owner[0] === 'on' && owner[1] === trigger.name) {
      if (!input.includes(comment.text)) faults.push(`lost from the input: ${said(comment)}`)
    } else if (first?.part === 'whole' && owner[0] === 'env' && owner[1] === 'MOVED') {
      const jobs = Object.keys(
        (parseDocument(parts.at(-1)?.text ?? '').toJS() as { jobs: object }).jobs,
      )
      const moved = jobs.flatMap((job) => {
        const place = ['jobs', job, ...owner].join('.')
        const at = left.indexOf(`${comment.role} ${place}: ${comment.text}`)
        return at < 0 ? [] : left.splice(at, 1)
      })
      if (moved.length === 0) faults.push(`lost on the way into the jobs: ${said(comment)}`)
    } else take(comment)
  }
  return [...faults, ...left.map((one) => `came from nowhere: ${one}`)]
}

/** As plain values, the made file is the source with the named changes. */
function valueFaults(before: string, after: string, operations: readonly Operation[]): string[] {
  // What an alias stands for is a value of its own here: a change of one shows in no other.
  const value = (text: string): unknown =>
    JSON.parse(JSON.stringify(parseDocument(text, { version: '1.2' }).toJS()))
  const wanted = changedValue(value(before), operations)
  const found = value(after)
  return isDeepStrictEqual(found, wanted) ? [] : differences(wanted, found, '')
}

function differences(wanted: unknown, found: unknown, place: string): string[] {
  if (isDeepStrictEqual(wanted, found)) return []
  const isPair = [wanted, found].every((one) => typeof one === 'object' && one !== null)
  if (!isPair) {
    return [`${place} is ${JSON.stringify(found)}, and ${JSON.stringify(wanted)} was named`]
  }
  const [one, other] = [wanted as Record<string, unknown>, found as Record<string, unknown>]
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].flatMap((key) => differences(one[key], other[key], `${place}.${key}`))
}

/** Every line of the source that is of nothing named stands in the made file, in its order. */
function lineFaults(before: string, after: string, operations: readonly Operation[]): string[] {
  if (before === '') return []
  const lines = DocumentLines.of({ name: 'a.yml', file: 'a.yml', text: before })
  const named = operations.flatMap(({ op, path }) => {
    for (let length = path.length; length > 0; length--) {
      const entry = lines.entry(path.slice(0, length))
      if (!entry) continue
      // What comes among lines changes none of them.
      if (op === 'insert' && length === path.length && !isInFlow(entry.value)) return []
      if (op === 'wrap' && !isInFlow(entry.value) && isMapping(entry.value)) return []
      return [op === 'remove' ? lines.linesOf(entry) : linesOf(before, entry.start, entry.end)]
    }
    return []
  })
  let from = 0
  let place = 0
  const faults: string[] = []
  for (const line of before.split('\n')) {
    const [start, end] = [place, place + line.length]
    place = end + 1
    if (line.trim() === '' || named.some((span) => start < span.end && end >= span.start)) continue
    const at = `\n${after}\n`.indexOf(`\n${line}\n`, from)
    if (at < 0) faults.push(`line is gone: ${line}`)
    else from = at + 1
  }
  return faults
}

function isInFlow(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'flow' in value && value.flow === true
}

function isMapping(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'items' in value
}
