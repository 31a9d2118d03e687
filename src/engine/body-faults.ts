import type { Config } from '../triggers/config-options.ts'
import type { Check } from '../triggers/trigger.ts'
import { parseDataPath } from '../wire/data-path.ts'
import { isObject, type Json, tryParseJson } from '../wire/json.ts'
import type { Message } from '../wire/messages.ts'
import type { Found } from './deduplication-keys.ts'

/**
 * The faults of a body for the reason of a trigger that did not fire: none, unless a filter or the trigger
 * itself read the body.
 *
 * @param log the steps that dropped items
 */
export function faultsOfDrop(
  { filter }: Config,
  checks: readonly Check[],
  found: readonly Found[],
  faults: readonly Message[],
  log: readonly string[],
): string[] {
  const dropped = (step: string) => log.some((line) => line.startsWith(`${step} dropped`))
  const isScript = dropped('filterScript')
  const isRefused = checks.some(({ option, held }) => option === 'body' && !held)
  if (!dropped('filter') && !isScript && !isRefused) return []
  const readsBelow = isScript || pathsOf(filter).some(isInPayload)
  const isPayloadForm = readsBelow && found.some(({ item }) => isFormOfPayload(item.body))
  return [...faults.map(({ text }) => text), ...(isPayloadForm ? [PAYLOAD_FORM] : [])]
}

const PAYLOAD_FORM = 'the body is a form whose field `payload` contains JSON'

/** Whether a path names something in the JSON of the field, as if the body were this JSON, or the field were. */
function isInPayload(path: string): boolean {
  const [first, second, third] = parseDataPath(path).steps
  if (first?.name !== 'body' || second === undefined) return false
  return second.name !== 'payload' || third !== undefined
}

function pathsOf(filter: Json | undefined): string[] {
  if (Array.isArray(filter)) return filter.flatMap(pathsOf)
  if (!isObject(filter)) return []
  return Object.entries(filter).flatMap(
    (
      [path, wanted], // parsed from YAML
    ) => (path.startsWith('$') ? pathsOf(wanted) : path),
  )
}

function isFormOfPayload(body: Json | undefined): boolean {
  if (!isObject(body) || Object.keys(body).join() !== 'payload') return false
  return typeof body.payload === 'string' && isObject(tryParseJson(body.payload))
}
