// Turns stored events into what GitHub is sent: one event, or a batch of several.

import { batchEnvelope, joinBatch, writeBatchPayload } from '../../wire/batch-payload.ts'
import { RelayError } from '../errors.ts'
import type { Credentials } from '../github/credential.ts'
import { LIMIT_OF, type Packer } from '../github/payload.ts'
import type { Dispatch } from '../github/send.ts'
import type { StoredDelivery } from '../store/delivery-rows.ts'
import type { Encryption } from '../store/encryption.ts'
import type { NotAccepted } from './answers.ts'
import { decryptContent } from './event-record.ts'

export interface OpenPorts {
  readonly encryption: Encryption
  readonly credentials: Pick<Credentials, 'restore'>
}

/** The dispatch of a stored event, or why there is none. */
type OpenedDispatch =
  | { readonly dispatch: Dispatch; readonly outcome?: undefined }
  | { readonly dispatch?: undefined; readonly outcome: NotAccepted }

export async function openEvent(
  row: Pick<StoredDelivery, 'key' | 'content'>,
  { encryption, credentials }: OpenPorts,
): Promise<OpenedDispatch> {
  // The event waits until its key is back.
  const isKeyMissing = row.key !== null && !encryption.keyIds.includes(row.key)
  if (isKeyMissing) return failure('isolated', 'unreadable')
  const opened = await decryptContent(row, encryption)
  if (!opened?.event) return failure('refused', 'unreadable')
  try {
    const credential = await credentials.restore(opened.credential)
    return { dispatch: { ...opened.event, credential } }
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    return failure(error.code === 'endpoint_deleted' ? 'refused' : 'isolated', error.code)
  }
}

/** The dispatch of an event or a batch, or why there is none, and the members that cannot be part of it. */
type OpenedMembers = OpenedDispatch & {
  readonly failed: readonly { readonly member: StoredDelivery; readonly outcome: NotAccepted }[]
}

/**
 * One event, or the events of a batch as one dispatch, without those that cannot be sent. A single event that is
 * too large for a batch is its own dispatch.
 *
 * @param members at least one
 */
export async function openMembers(
  members: readonly [StoredDelivery, ...StoredDelivery[]],
  ports: OpenPorts & { readonly pack: Packer },
): Promise<OpenedMembers> {
  // A batch keeps its id if its first member was deleted.
  const [{ batch: id }] = members
  if (id === null) return { ...(await openEvent(members[0], ports)), failed: [] }
  const opened = await Promise.all(
    members.map(async (member) => ({ member, ...(await openEvent(member, ports)) })),
  )
  // The key of these comes back, and then all members go together.
  const isolated = opened.find(({ outcome }) => outcome?.kind === 'isolated')
  if (isolated?.outcome) return { outcome: isolated.outcome, failed: [] }
  const dispatches = opened.flatMap(({ dispatch }) => (dispatch ? [dispatch] : []))
  const failed = opened.flatMap(({ member, outcome }) => (outcome ? [{ member, outcome }] : []))
  const [first] = failed
  if (dispatches.length === 0 && first) return { outcome: first.outcome, failed: [] }
  return { ...(await batchDispatch(dispatches, id, ports.pack)), failed }
}

/** As GitHub's own refusal. */
const TOO_LARGE = 'payload_too_large'

/** Refusals of the content of a batch: GitHub may accept it in parts. */
export const OF_CONTENT: ReadonlySet<string> = new Set([TOO_LARGE, 'event_rejected'])

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
  return { dispatch: { ...first, delivery: id } }
}

function failure(kind: 'refused' | 'isolated', reason: string): OpenedDispatch {
  if (kind === 'refused') return { outcome: { kind, reason } }
  return { outcome: { kind, reason, isInDoubt: false } }
}
