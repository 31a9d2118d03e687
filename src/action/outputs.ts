import { combineRuns, type Evaluation, FailedRun, jsonFields } from '../engine/evaluation.ts'
import type { JsonObject } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import type { ReservedOutput } from '../wire/output-names.ts'
import { base64Forms } from '../wire/secret.ts'

/**
 * The step outputs of an evaluation, in the order they are written. Strings are unchanged, everything
 * else is JSON. The fixed names come last, so that they take precedence over a field of the same name.
 * If nothing fired, every field that can hold JSON is `null`, and the lists are `[]`: the runner evaluates
 * `env` of a step before its `if`, and `fromJSON('')` would fail the step.
 */
export function writtenOutputs(evaluation: Evaluation): Map<string, string> {
  const { items, contexts, fields } = evaluation
  const [first] = items
  const own = fields.map((field) => {
    const value = first?.[field] ?? null
    return [field, typeof value === 'string' ? value : JSON.stringify(value)] as const
  })
  const unfired = evaluation.unfiredFields.map((field) => [field, 'null'] as const)
  const fixed: Record<ReservedOutput, string> = {
    triggered: String(items.length > 0),
    trigger: evaluation.trigger,
    workflow: evaluation.workflow,
    count: String(items.length),
    on: JSON.stringify(contexts[0] ?? evaluation.unfired),
    items: JSON.stringify(contexts),
    delivery: evaluation.delivery ?? '',
    'received-at': evaluation.receivedAt ?? '',
    deliveries: JSON.stringify(evaluation.deliveries),
    failed: JSON.stringify(evaluation.failed),
  }
  return new Map([...unfired, ...own, ...Object.entries(fixed)])
}

/**
 * The step outputs of a step that failed: nothing fired. The `on:` section itself may be invalid,
 * so its declared triggers are the ones whose names occur in the string.
 *
 * @param on the input `on`; if it is empty, workflow files are read and any trigger may be declared
 * @param error why the step failed
 */
export async function failedOutputs(on: string, error: unknown): Promise<Map<string, string>> {
  const { TRIGGERS } = await import('./workflow-files.ts')
  const declared = [...TRIGGERS].filter(([name]) => on.trim() === '' || on.includes(name))
  const unfiredFields = jsonFields(declared.map(([, trigger]) => trigger))
  const outputs = writtenOutputs(combineRuns([], { unfiredFields }))
  if (error instanceof FailedRun) outputs.set('failed', JSON.stringify(error.failed))
  return outputs
}

/**
 * A warning if a job that maps all of these outputs would exceed GitHub's limit: it names the
 * outputs to leave out. `items` is the last of them, because it alone contains every item.
 */
export function sizeWarning(outputs: ReadonlyMap<string, string>): string | undefined {
  const sizes = [...outputs].map(([name, text]) => ({ name, size: name.length + text.length }))
  const total = sum(sizes)
  if (total <= LIMITS.jobOutputsUnits) return undefined
  const largest = sizes.filter(({ name }) => name !== 'items').sort((a, b) => b.size - a.size)
  const leave = largest.filter(
    (_, at) => total - sum(largest.slice(0, at)) > LIMITS.jobOutputsUnits,
  )
  const names = leave.map(({ name }) => name).join(', ')
  return `all outputs together have ${total} characters, and GitHub limits those of a job to ${LIMITS.jobOutputsUnits}: remove ${names} from the job's "outputs", because items contains their values too`
}

function sum(sizes: readonly { readonly size: number }[]): number {
  return sizes.reduce((total, { size }) => total + size, 0)
}

/**
 * The outputs in which the runner's masking would find a secret: any line of it, as it is or in its
 * base64, JSON or URI form. A secret of one character counts, too. GitHub drops these outputs from
 * a job without an error.
 *
 * Source: actions/runner, SecretMasker and JobExtension ("Skip output … since it may contain
 * secret").
 */
export function maskedOutputs(
  outputs: ReadonlyMap<string, string>,
  secrets: JsonObject,
): { readonly secret: string; readonly names: readonly string[] }[] {
  return Object.entries(secrets).flatMap(([secret, value]) => {
    const masked = forms(value)
    const holding = [...outputs].filter(([, text]) => masked.some((form) => text.includes(form)))
    return holding.length > 0 ? [{ secret, names: holding.map(([name]) => name) }] : []
  })
}

/** Shorter base64 occurs in any string by chance. */
const SHORTEST_BASE64 = 4

function forms(value: unknown): string[] {
  if (typeof value !== 'string') return []
  const parts = [value, ...value.split(/\r?\n/)].filter((part) => part.trim() !== '')
  return [...new Set(parts)].flatMap((part) => [
    part,
    ...base64Forms(part).filter((form) => form.length >= SHORTEST_BASE64),
    JSON.stringify(part).slice(1, -1),
    ...uriForm(part),
  ])
}

function uriForm(text: string): string[] {
  try {
    return [encodeURIComponent(text)]
  } catch {
    return [] // half of a surrogate pair cannot be URI-encoded
  }
}
