import type { SeenKeys } from '../state/store.ts'
import type { KeyPaths } from '../triggers/config-options.ts'
import { valueAtPath } from '../wire/data-path.ts'
import { scalarText } from '../wire/json.ts'
import type { Message } from '../wire/messages.ts'
import { counted } from '../wire/printable.ts'
import { digest, itemKey } from './deduplication-keys.ts'
import type { TriggerRef } from './engine-ports.ts'
import type { FailedItemReport } from './evaluation.ts'
import type { Candidate, FailedItem, PipelineResult } from './pipeline.ts'

/** With a store, the run after so many failures counts a failed item as seen. */
const RETRIES_OF_FAILED = 2

/**
 * Holds a failed item back, so that the next run tries it again, and records the number of
 * failures; after the last retry it counts as seen. Only for triggers with a store: without one the
 * service would send the other items again, too.
 */
export async function retryFailed(
  prepared: PipelineResult,
  keys: KeyPaths,
  { keyState }: Pick<SeenKeys, 'keyState'>,
): Promise<PipelineResult> {
  const heldBack: Candidate[] = []
  const recorded: Candidate[] = []
  for (const { candidate } of prepared.failed) {
    const { key } = await itemKey(candidate, keys)
    const marks = await Promise.all(
      Array.from({ length: RETRIES_OF_FAILED }, (_, n) => digest(`failed ${n + 1} ${key}`)),
    )
    const next = marks.find((mark) => keyState({ key: mark }).status === 'new')
    if (next !== undefined) heldBack.push(candidate)
    recorded.push({ ...candidate, key: next ?? key })
  }
  return {
    ...prepared,
    heldBack: [...prepared.heldBack, ...heldBack],
    recorded: [...prepared.recorded, ...recorded],
  }
}

export function reportFailed(
  { trigger }: TriggerRef,
  failed: readonly FailedItem[],
): FailedItemReport[] {
  const { own } = trigger.keys
  return failed.map(({ candidate: { item, index, delivery }, option: step, reason }) => {
    const value = own && valueAtPath(item, own)
    const number = scalarText(value)
    if (own && /^[\w.-]{1,64}$/.test(number)) {
      return { [own.text]: typeof value === 'number' ? value : number, step, reason }
    }
    return delivery ? { delivery: delivery.id, step, reason } : { item: index + 1, step, reason }
  })
}

/** The most ids in one message. */
const IDS_IN_MESSAGE = 10

/** One message for each option and reason, with the ids of the items. */
export function failureMessages(
  { workflow, trigger }: TriggerRef,
  reports: readonly FailedItemReport[],
  level: Message['level'],
): Message[] {
  const groups = new Map<string, FailedItemReport[]>()
  for (const report of reports) {
    const kind = JSON.stringify([report.step, report.reason])
    groups.set(kind, [...(groups.get(kind) ?? []), report])
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (!first) return []
    const { step, reason } = first
    const ids = group.slice(0, IDS_IN_MESSAGE).map((report) => {
      const [name = '', id = ''] = Object.entries(report)[0] ?? []
      return `${name} ${id}`
    })
    const more = group.length > ids.length ? `, and ${group.length - ids.length} more` : ''
    const what = step === 'size' ? reason : `config.${step} ${reason}`
    const which = `${counted(group.length, 'item')} failed (${ids.join(', ')}${more})`
    const text = `${workflow.name}/${trigger.name}: ${which}: ${what}`
    return [{ level, code: 'failed-item', text }]
  })
}
