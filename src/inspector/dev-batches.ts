import type { CollectPort } from '../relay/request/batch-period.ts'
import { PACK } from '../relay/request/client-payload.ts'
import { batchEnvelope, joinBatch, writeBatchPayload } from '../wire/batch-payload.ts'
import { LIMITS } from '../wire/limits.ts'
import { parseWebhookPath } from '../wire/path.ts'

interface DevBatchPorts {
  /** Calls back after so many milliseconds; the returned function cancels the call. */
  after(milliseconds: number, back: () => void): () => void
  /** Evaluates the `client_payload` of a batch, as JSON text. */
  hand(clientPayload: string): Promise<unknown>
  report(error: unknown): void
}

interface DevBatch {
  readonly id: string
  readonly events: string[]
  length: number
  readonly cancel: () => void
  /** Cancels the wait for further events. */
  cancelQuiet: () => void
}

/**
 * Batches as a relay's outbox collects them, in memory: a stop forgets them. They are full by their
 * number or their length; how large they are when they are packed matters to GitHub alone.
 *
 * @returns `collect`, and what ends it
 */
export function devBatches({ after, hand, report }: DevBatchPorts): {
  readonly collect: CollectPort
  close(): void
} {
  const open = new Map<string, DevBatch>()
  const end = (group: string) => {
    const batch = open.get(group)
    open.delete(group)
    if (!batch) return
    batch.cancel()
    batch.cancelQuiet()
    deliverBatch(batch, hand).catch(report)
  }
  const collect: CollectPort = async ({ clientPayload }, { most, quiet }) => {
    const { path } = JSON.parse(clientPayload) as { path: string } // what the relay wrote
    const { workflow, trigger } = parseWebhookPath(path)
    const group = JSON.stringify([workflow, trigger])
    const length = clientPayload.length + LIMITS.batchEventOverhead
    const known = open.get(group)
    if (known && known.length + length > LIMITS.batchUnpackedLength) end(group)
    const batch = open.get(group) ?? {
      id: crypto.randomUUID(),
      events: [],
      length: 0,
      cancel: after(most, () => end(group)),
      cancelQuiet: () => {},
    }
    open.set(group, batch)
    batch.events.push(clientPayload)
    batch.length += length
    batch.cancelQuiet()
    if (quiet !== undefined) batch.cancelQuiet = after(quiet, () => end(group))
    if (batch.events.length >= LIMITS.batchEvents) end(group)
    return batch.id
  }
  const close = () => {
    for (const { cancel, cancelQuiet } of open.values()) {
      cancel()
      cancelQuiet()
    }
    open.clear()
  }
  return { collect, close }
}

async function deliverBatch({ id, events }: DevBatch, hand: DevBatchPorts['hand']): Promise<void> {
  const packed = await PACK(new TextEncoder().encode(joinBatch(events)))
  const [first = ''] = events
  await hand(writeBatchPayload(batchEnvelope(first, events.length, id), packed))
}
