import type { Source } from '../wire/errors.ts'
import { isObject } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import { parseYaml } from '../workflow/yaml.ts'
import type { Reader } from './api.ts'

/** The action by its name, of whatever owner and version, or the one of the same repository. */
const ACTION = /^(?:[^@]*\/hookline(?:@.*)?|\.\/)$/

/**
 * Where a native workflow file can read what the action hands on: later steps of its job, later jobs
 * as far as the job hands it on, and a matrix over the items.
 *
 * @param reads only steps that give the action its triggers `inline`, or that have it read `files`
 * @returns none for a file with mistakes, which are told elsewhere
 */
export function nativeReaders(source: Source, reads: 'inline' | 'files'): Reader[] {
  const jobs = readJobs(source)
  return jobs.flatMap((job) => {
    const ids = job.steps.flatMap((step) => actionId(step, reads))
    return ids.flatMap((id) => [
      { kind: 'steps', file: source.name, job: job.name, step: { id } } as const,
      ...jobs
        .filter(({ needs }) => needs.includes(job.name))
        .flatMap((reader) => laterJob(source.name, job, id, reader)),
    ])
  })
}

/** A later job: each item by itself where its matrix goes over them, else what was handed on. */
function laterJob(file: string, job: Job, id: string | null, { name, matrix }: Job): Reader[] {
  const items = `\${{ steps.${id ?? ''}.outputs.items }}`
  const handedOn = Object.keys(job.outputs).find((output) => same(job.outputs[output], items))
  const over = `\${{ fromJSON(needs.${job.name}.outputs.${handedOn}) }}`
  const dimension = Object.keys(matrix).find((key) => same(matrix[key], over))
  if (handedOn !== undefined && dimension !== undefined) {
    return [{ kind: 'matrix', file, reader: name, name: dimension }]
  }
  const { outputs } = job
  return [{ kind: 'needs', file, job: job.name, step: { id }, reader: name, outputs }]
}

function same(written: unknown, expression: string): boolean {
  const plain = (text: string) => text.replace(/\s+/g, '').toLowerCase()
  return typeof written === 'string' && plain(written) === plain(expression)
}

/** What of a job matters here. */
interface Job {
  readonly name: string
  readonly steps: readonly unknown[]
  readonly needs: readonly unknown[]
  /** As written. */
  readonly outputs: Readonly<Record<string, string>>
  readonly matrix: Readonly<Record<string, unknown>>
}

function readJobs(source: Source): Job[] {
  const workflow = parsed(source)
  const jobs = isObject(workflow) && isObject(workflow.jobs) ? Object.entries(workflow.jobs) : []
  return jobs.flatMap(([name, job]) => {
    if (!isObject(job)) return []
    const { steps, needs = [], outputs, strategy } = job
    const texts = Object.entries(isObject(outputs) ? outputs : {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    )
    return {
      name,
      steps: Array.isArray(steps) ? steps : [],
      needs: Array.isArray(needs) ? needs : [needs],
      outputs: Object.fromEntries(texts),
      matrix: isObject(strategy) && isObject(strategy.matrix) ? strategy.matrix : {},
    }
  })
}

function parsed(source: Source): unknown {
  try {
    return parseYaml(source).toJS({ maxAliasCount: LIMITS.yamlAliases })
  } catch {
    return undefined
  }
}

/** The id of a step that uses the action; `null` where it has none. */
function actionId(step: unknown, reads: 'inline' | 'files'): (string | null)[] {
  if (!isObject(step) || typeof step.uses !== 'string' || !ACTION.test(step.uses)) return []
  const on = isObject(step.with) ? step.with.on : undefined
  const isInline = typeof on === 'string' && on.trim() !== ''
  if (isInline !== (reads === 'inline')) return []
  return [typeof step.id === 'string' ? step.id : null]
}
