import { isMap, isScalar, Scalar } from 'yaml'
import { TRIGGERS } from '../triggers/index.ts'
import { modernPattern } from '../triggers/path-pattern.ts'
import { type Source, UserError } from '../wire/errors.ts'
import { LIMITS } from '../wire/limits.ts'
import { DocumentLines } from '../workflow/document.ts'
import { expressionSpans } from '../workflow/expressions.ts'
import {
  contextReferences,
  type FileExpression,
  fileExpressions,
  INPUTS_PLACES,
  isFault,
  isWithin,
  NEEDS_PLACES,
  positionIn,
  type Reference,
  referencesIn,
} from '../workflow/file-expressions.ts'
import type { Mistake } from '../workflow/mistakes.ts'
import { hasPlainOutputs, type SourceTrigger } from '../workflow/on.ts'
import type { Operation } from '../workflow/operations.ts'
import { patch } from '../workflow/patch.ts'
import { applyEdits, type Edit, type Span, singleQuoted } from '../workflow/spans.ts'
import { didYouMean } from '../workflow/suggestion.ts'
import { type NodePair, type Path, pairKey, pairOf, pairsOf } from '../workflow/yaml.ts'
import { skippedContext } from './on-job.ts'
import type { SourceFile } from './source-file.ts'

/** The native form of the context `on`. */
export interface RewriteTarget {
  /** Paths of a workflow where it can be read. */
  readonly places: readonly string[]
  /** The native expression for a reference; everything else in the expression remains unchanged. */
  name(reference: Reference): string
  further?(text: string): readonly Edit[]
}

/** In the jobs file, the context `on` is the input with one item, as JSON. */
export const IN_JOBS_FILE: RewriteTarget = {
  places: [...INPUTS_PLACES, 'defaults.run'], // moved into the jobs
  name: () => 'fromJSON(inputs.on)',
}

/**
 * Paths where `on` can be read in the one-file form; settings that GitHub reads earlier move into
 * the jobs.
 */
export const ONE_FILE_PLACES: readonly string[] = [...NEEDS_PLACES, 'env', 'defaults.run']

/**
 * The native forms of `on` and of `needs` in a job of the one-file form.
 *
 * @param own the jobs of the source
 * @param needs the jobs of the compiled file
 */
export function nativeTarget(
  file: SourceFile,
  native: string | undefined,
  own: readonly string[],
  needs: readonly string[],
): RewriteTarget {
  const added = needs.filter((id) => !own.includes(id))
  return {
    places: ONE_FILE_PLACES,
    name({ steps }) {
      if (native === undefined) return 'fromJSON(needs.on.outputs.on)'
      // A skipped trigger has no outputs, so the context need not contain the trigger itself.
      const [trigger, field, output] = steps
      const isOfTrigger = trigger?.name !== undefined && field?.name?.toLowerCase() === 'outputs'
      const readsOutput = isOfTrigger && output?.name !== undefined
      const skipped = readsOutput ? '{}' : skippedContext(file.triggers)
      return `fromJSON(needs.on.outputs.on || ${singleQuoted(skipped)})`
    },
    further: (text) => (added.length > 0 ? wholeNeedsEdits(text, own, added) : []),
  }
}

const NEEDS_RESULT = /^needs\s*\.\s*\*\s*\.\s*result\b/i

/**
 * Limits `needs` and `needs.*` to the jobs of the source, so that a job that checks all of them
 * sees the same as in the source. Whether one of them failed or was cancelled is unaffected by the
 * job `on`.
 */
function wholeNeedsEdits(text: string, own: readonly string[], added: readonly string[]): Edit[] {
  const whole = referencesIn(text, 'needs').filter(({ steps }) => steps[0]?.name === undefined)
  return whole.flatMap(({ start, end }): Edit[] => {
    const found = NEEDS_RESULT.exec(text.slice(start))?.[0]
    if (found === undefined) return [{ start, end, text: needsObject(own) }]
    const after = start + found.length
    const isHarmless =
      added.every((id) => id === 'on') &&
      /contains\(\s*$/i.test(text.slice(0, start)) &&
      /^\s*,\s*'(failure|cancelled)'\s*\)/i.test(text.slice(after))
    if (isHarmless) return []
    const places = own.map((_, at) => `"{${at}}"`).join(', ')
    const results = own.map((id) => `needs.${id}.result`)
    const list = own.length > 0 ? `format('[${places}]', ${results.join(', ')})` : `'[]'`
    return [{ start, end: after, text: `fromJSON(${list})` }]
  })
}

/** The object that `needs` would be with only these jobs. */
function needsObject(ids: readonly string[]): string {
  if (ids.length === 0) return `fromJSON('{}')`
  const entries = ids.map((id, at) => `"${id}":{${at}}`).join(',')
  return `fromJSON(format('{{${entries}}}', ${ids.map((id) => `toJSON(needs.${id})`).join(', ')}))`
}

/** Rewrites every `on` that is a context in an expression. */
export function rewriteExpression(text: string, target: RewriteTarget): string {
  return applyEdits(text, editsOf(text, target))
}

/** Rewrites every `on` in the `${{ }}` of a string. */
export function rewriteText(text: string, target: RewriteTarget): string {
  const edits = expressionSpans(text).map(({ start, end }) => ({
    start,
    end,
    text: rewriteExpression(text.slice(start, end), target),
  }))
  return applyEdits(text, edits)
}

function editsOf(text: string, target: RewriteTarget): Edit[] {
  const names = referencesIn(text, 'on').map((reference) => ({
    start: reference.start,
    end: reference.end,
    text: target.name(reference),
  }))
  return [...names, ...(target.further?.(text) ?? [])]
}

/**
 * The operations that make expressions of a file native.
 *
 * @param targetOf the native form at the position of an expression
 */
export function referenceOperations(
  expressions: readonly FileExpression[],
  targetOf: (expression: FileExpression) => RewriteTarget,
): Operation[] {
  return textOperations(expressions, (one) => editsOf(one.text, targetOf(one)))
}

function textOperations(
  expressions: readonly FileExpression[],
  edited: (expression: FileExpression) => readonly Edit[],
): Operation[] {
  const texts = new Map<Scalar, { readonly path: Path; readonly edits: Edit[] }>()
  for (const expression of expressions) {
    const { start, scalar, path } = expression
    const own = texts.get(scalar) ?? { path, edits: [] }
    for (const edit of edited(expression)) {
      own.edits.push({ start: start + edit.start, end: start + edit.end, text: edit.text })
    }
    texts.set(scalar, own)
  }
  return [...texts.values()]
    .filter(({ edits }) => edits.length > 0)
    .map(({ path, edits }) => ({ op: 'rewriteText', path, edits }))
}

/**
 * The problems of a file's expressions, up to the number that is shown of one file.
 *
 * @param places paths where the context `on` can be read
 */
export function expressionProblems(
  file: SourceFile,
  expressions: readonly FileExpression[],
  places: readonly string[],
): Mistake[] {
  let count = 0
  return expressions.flatMap((expression) => {
    const problems = count < LIMITS.problems ? problemsOfExpression(file, expression, places) : []
    count += problems.length
    return problems
  })
}

function problemsOfExpression(
  file: SourceFile,
  expression: FileExpression,
  places: readonly string[],
): Mistake[] {
  const { text, path, parsed } = expression
  if (text.trim() === '') return []
  return faultsIn().map(({ start, end, ...problem }) => ({
    ...problem,
    position: positionIn(file.source, expression, { start, end }),
  }))

  function faultsIn(): Fault[] {
    const slips = slipsOf(text).slice(0, LIMITS.problems)
    if (slips.length > 0) return slips.map(({ replacement: _, ...slip }) => slip)
    if (isFault(parsed)) {
      const { start, end, message } = parsed
      return [{ code: 'bad-expression', start, end, message: `expression: ${message}` }]
    }
    const found = contextReferences(text, 'on')
    if (found.length > 0 && !isWithin(path, places)) {
      return found.map(({ start, end }) => ({ ...notHere(expression), start, end }))
    }
    return [...neverTrue(text), ...found.flatMap((one) => checkReference(file, one) ?? [])]
  }
}

/** The problem at a path that GitHub reads before jobs run, so no job can pass the event. */
function notHere({ path }: FileExpression): Mistake {
  const place = path.filter((key) => typeof key === 'string').join('.')
  const note =
    READ_EARLY.get(path[0]) ?? 'GitHub reads this text before the run, so it can hold no expression'
  const message = `the context "on" is not available in "${place}"`
  return { code: 'context-not-here', subject: place, message, notes: [note] }
}

const READ_EARLY: ReadonlyMap<unknown, string> = new Map([
  [
    'run-name',
    'a run is named before the action has read the event; github.event.client_payload is there',
  ],
  [
    'concurrency',
    'GitHub reads it before any job: give the job its own "concurrency", which may read it',
  ],
])

/** A mistake, and its offsets in the expression. */
type Fault = Mistake & Span

/**
 * `github.event_name == 'webhook'` is never true, because the run has the name of GitHub's event.
 */
function neverTrue(text: string): Fault[] {
  if (!/event_name/i.test(text)) return []
  const pattern =
    /\bgithub\s*(?:\.\s*event_name|\[\s*'event_name'\s*\])\s*[!=]=\s*'(?<after>\w+)'|'(?<before>\w+)'\s*[!=]=\s*github\s*\.\s*event_name\b/gi
  return [...text.matchAll(pattern)].flatMap(({ 0: found, index, groups }): Fault | [] => {
    const name = groups?.after ?? groups?.before ?? ''
    if (!TRIGGERS.has(name)) return []
    return {
      start: index,
      end: index + found.length,
      code: 'event-name',
      message: `github.event_name is never "${name}": GitHub does not know this trigger`,
      hint: `write on.${name}.outcome == 'success'`,
    }
  })
}

const FIELDS = ['outcome', 'conclusion', 'outputs']

/** Checks the names in `on.<trigger>.outputs.<field>`, as far as they are literal. */
function checkReference({ triggers }: SourceFile, { steps }: Reference): Fault | undefined {
  const [first, second, third] = steps
  if (first?.name === undefined) return undefined
  const trigger = triggers.find(({ name }) => same(name, first.name))
  if (!trigger) {
    const declared = triggers.map(({ name }) => name)
    const hint = TRIGGERS.has(first.name)
      ? 'declare it under "on:"'
      : (didYouMean(first.name, declared) ?? 'no trigger of this workflow')
    const message = `"on" has no trigger "${first.name}"`
    const notes = [`declared here: ${declared.join(', ') || 'none'}`]
    return { ...spanOfStep(first), code: 'unknown-trigger', message, hint, notes }
  }
  if (second?.name === undefined) return undefined
  if (!FIELDS.some((field) => same(field, second.name))) {
    const message = `"on.${trigger.name}" has no "${second.name}"`
    const hint = didYouMean(second.name, FIELDS) ?? meantField(trigger, second.name)
    const notes = [`it has: ${FIELDS.join(', ')}`]
    return {
      ...spanOfStep(second),
      code: 'unknown-field',
      message,
      ...(hint && { hint }),
      notes,
    }
  }
  // The user's own `config` may change the outputs.
  if (!same('outputs', second.name) || !hasPlainOutputs(trigger)) return undefined
  const known = Object.keys(trigger.definition.outputs)
  if (third?.name === undefined || known.some((name) => same(name, third.name))) return undefined
  const inBody = known.includes('body') ? `outputs.body.${third.name}?` : undefined
  const hint = didYouMean(third.name, known) ?? inBody
  return {
    ...spanOfStep(third),
    code: 'unknown-output',
    subject: trigger.name,
    message: `trigger "${trigger.name}" has no output "${third.name}"`,
    ...(hint && { hint }),
    notes: [`outputs: ${known.join(', ')}`],
  }
}

/** The field that `on.<trigger>.<name>` means: an output, or the step's output `triggered`. */
function meantField(trigger: SourceTrigger, name: string): string | undefined {
  if (same('triggered', name)) return `compare the outcome: on.${trigger.name}.outcome == 'success'`
  const known = Object.keys(trigger.definition.outputs)
  if (!hasPlainOutputs(trigger) || known.some((one) => same(one, name))) {
    return `on.${trigger.name}.outputs.${name}?`
  }
  return known.includes('body') ? `on.${trigger.name}.outputs.body.${name}?` : undefined
}

function spanOfStep({ start, end }: Span): Span {
  return { start, end }
}

function same(one: string, other: string | undefined): boolean {
  return one.toLowerCase() === other?.toLowerCase()
}

/** `===`, `!==`, `=` and strings in double quotes, outside of strings in single quotes, each with GitHub's form. */
function slipsOf(expression: string): (Fault & { readonly replacement: string })[] {
  if (!/["=]/.test(expression)) return []
  const parts = expression.matchAll(
    /'(?:[^']|'')*'|(?<operator>[!=]==|(?<![!<=>])=(?!=))|"(?<text>[^"]*)"/g,
  )
  return [...parts].flatMap(({ 0: found, index, groups }) => {
    const slip = { start: index, end: index + found.length, code: 'bad-expression' } as const
    if (groups?.operator !== undefined) {
      const replacement = found === '=' ? '==' : found.slice(0, 2)
      const message = `expression: "${found}" is not an operator here`
      return [{ ...slip, message, hint: `write ${replacement}`, replacement }]
    }
    if (groups?.text === undefined) return []
    const replacement = singleQuoted(groups.text)
    const message = 'expression: text in double quotes'
    return [{ ...slip, message, hint: `use single quotes: ${replacement}`, replacement }]
  })
}

/** Replaces such operators and strings, and old path patterns, in a file. */
export function spelled(source: Source): { readonly source: Source; readonly count: number } {
  try {
    const lines = DocumentLines.of(source)
    const { contents } = lines.yaml
    const pairs = isMap(contents) ? pairsOf(contents) : []
    const operations = pairs.flatMap((pair) =>
      pairKey(pair) === 'on'
        ? patternOperations(pair)
        : textOperations(fileExpressions(source.text, pair.value, [pairKey(pair)]), ({ text }) =>
            slipsOf(text).map((slip) => ({ ...slip, text: slip.replacement })),
          ),
    )
    const counts = operations.map((one) => (one.op === 'rewriteText' ? one.edits.length : 1))
    const count = counts.reduce((sum, one) => sum + one, 0)
    const text = applyEdits(source.text, patch(lines, operations))
    return { source: { ...source, text }, count }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { source, count: 0 } // the next reader of the file reports its problems
  }
}

/** Converts `path: /a/:b?` to `path: /a{/:b}`. */
function patternOperations({ value: on }: NodePair): Operation[] {
  const triggers = isMap(on) ? pairsOf(on) : []
  return triggers.flatMap((trigger): Operation[] => {
    const path = pairOf(trigger.value, 'path')?.value
    const modern =
      isScalar(path) && typeof path.value === 'string' ? modernPattern(path.value) : undefined
    if (!isScalar(path) || modern === undefined) return []
    const isPlain = path.type === Scalar.PLAIN && /^\/[^,#]*$/.test(modern)
    const lines = [isPlain ? modern : singleQuoted(modern)]
    return [{ op: 'set', path: ['on', pairKey(trigger), 'path'], lines }]
  })
}
