import { batchEnvelope, joinBatch, writeBatchPayload } from '../../wire/batch-payload.ts'
import { RelayError } from '../errors.ts'
import type { Credentials } from '../github/credential.ts'
import { LIMIT_OF, type Packer } from '../github/payload-limit.ts'
import type { Dispatch } from '../github/send.ts'
import type { Encryption } from '../store/encryption.ts'
import type { StoredEvent } from './event.ts'
import { decryptEvent } from './event-record.ts'
import type { NotAccepted } from './outcome.ts'

export interface OpenPorts {
  readonly encryption: Encryption
  readonly credentials: Pick<Credentials, 'restore'>
}

/** The dispatch of a stored event, or why there is none. */
export type OpenedDispatch =
  | { readonly dispatch: Dispatch; readonly outcome?: undefined }
  | { readonly dispatch?: undefined; readonly outcome: NotAccepted }

export async function openDispatch(
  record: Pick<StoredEvent, 'key' | 'content'>,
  { encryption, credentials }: OpenPorts,
): Promise<OpenedDispatch> {
  // The event waits until its key is back.
  if (!encryption.keyIds.includes(record.key)) return failure('isolated', 'unreadable')
  const content = await decryptEvent(record, encryption).catch(() => undefined)
  if (!content) return failure('refused', 'unreadable')
  try {
    const credential = await credentials.restore(content.credential)
    return { dispatch: { ...content.event, credential } }
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    return failure(error.code === 'endpoint_deleted' ? 'refused' : 'isolated', error.code)
  }
}

/**
 * The events of a batch as one dispatch, without those that cannot be sent. A single event that is too
 * large for a batch is its own dispatch, with its own delivery id.
 *
 * @param id of the batch
 */
export async function openBatch(
  id: string,
  events: readonly StoredEvent[],
  ports: OpenPorts & { readonly pack: Packer },
): Promise<
  OpenedDispatch & { readonly failed: readonly { event: StoredEvent; outcome: NotAccepted }[] }
> {
  const opened = await Promise.all(
    events.map(async (event) => ({ event, ...(await openDispatch(event, ports)) })),
  )
  const dispatches = opened.flatMap(({ dispatch }) => (dispatch ? [dispatch] : []))
  const failed = opened.flatMap(({ event, outcome }) => (outcome ? [{ event, outcome }] : []))
  if (dispatches.length === 0) {
    // The key of some may come back, and then they go together.
    const refused = failed.filter(({ outcome }) => outcome.kind === 'refused')
    const isolated = failed.find(({ outcome }) => outcome.kind !== 'refused')
    if (isolated) return { outcome: isolated.outcome, failed: refused }
    if (refused[0]) return { outcome: refused[0].outcome, failed: [] }
  }
  return { ...(await batchDispatch(dispatches, id, ports.pack)), failed }
}

/** As GitHub's own refusal. */
const TOO_LARGE = 'payload_too_large'

/** Refusals of the content of a batch: GitHub may accept it in parts. */
export const OF_CONTENT: ReadonlySet<string> = new Set([TOO_LARGE, 'rejected', 'event_rejected'])

async function batchDispatch(
  events: readonly Dispatch[],
  id: string,
  pack: Packer,
): Promise<OpenedDispatch> {
  const [first] = events
  if (!first) return failure('refused', 'empty')
  const { repository, target, credential, request } = first
  const texts = events.map(({ clientPayload }) => clientPayload)
  const packed = await pack(new TextEncoder().encode(joinBatch(texts)))
  const envelope = batchEnvelope(first.clientPayload, events.length, id)
  const clientPayload = writeBatchPayload(envelope, packed)
  const { most, sizeOf } = LIMIT_OF[target.event]
  const isNotification = events.every((event) => event.isNotification)
  const dispatch = {
    ...{ repository, target, credential, delivery: id, isNotification },
    ...(request && { request }),
  }
  const size = sizeOf(clientPayload)
  if (size <= most) return { dispatch: { ...dispatch, clientPayload } }
  if (events.length > 1) {
    return { outcome: { kind: 'refused', reason: TOO_LARGE, parts: Math.ceil(size / most) } }
  }
  // The body of the event may be gzipped already, and gzip makes it larger.
  return { dispatch: first }
}

function failure(kind: 'refused' | 'isolated', reason: string): OpenedDispatch {
  return { outcome: { kind, reason } }
}
