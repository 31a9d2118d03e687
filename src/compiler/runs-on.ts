import { isObject, type Json } from '../wire/json.ts'

/** What `runs-on` of a job may be: a label, a list of labels, or a group. */
export function readRunsOn(value: unknown): Json | undefined {
  if (typeof value === 'string' && value.trim() !== '') return value
  if (Array.isArray(value)) {
    const labels = value.filter((label) => typeof label === 'string' && label !== '')
    return labels.length > 0 && labels.length === value.length ? labels : undefined
  }
  if (!isObject(value)) return undefined
  const { group, labels, ...others } = value
  const isGroup = typeof group === 'string' || group === undefined
  const known = labels === undefined ? undefined : readRunsOn(labels)
  if (!isGroup || Object.keys(others).length > 0 || (labels !== undefined && !known))
    return undefined
  if (group === undefined && known === undefined) return undefined
  return { ...(group !== undefined && { group }), ...(known !== undefined && { labels: known }) }
}
