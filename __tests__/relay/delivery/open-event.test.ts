import { describe, expect, test } from '@jest/globals'
import { encryptContent, encryptEvent } from '../../../src/relay/delivery/event-record.ts'
import { openEvent, openMembers } from '../../../src/relay/delivery/open-event.ts'
import { RelayError } from '../../../src/relay/errors.ts'
import type { StoredCredential } from '../../../src/relay/github/credential.ts'
import { PACK } from '../../../src/relay/github/payload.ts'
import type { StoredDelivery } from '../../../src/relay/store/delivery-rows.ts'
import { type EventOptions, eventOf, id, membersOf } from '../../support/delivery-scene.ts'
import { encryptionOf } from '../../support/relay-keys.ts'

const encryption = await encryptionOf()

/** What restores the credential of an event: its own one, or an error for an event of that repository. */
function portsOf(faults: Readonly<Record<string, Error>> = {}, pack = PACK) {
  const { credential } = eventOf(id(1))
  return {
    ...{ encryption, pack },
    credentials: {
      restore: async ({ endpoint }: StoredCredential) => {
        const fault = faults[endpoint?.owner ?? '']
        if (fault) throw fault
        return { ...credential, ...(endpoint && { endpoint }) }
      },
    },
  }
}

/** Only these columns are read. */
const rowOf = async (n: number, batch: string | null, event: EventOptions = {}) =>
  ({
    id: id(n),
    batch,
    ...(await encryptEvent(eventOf(id(n), event), encryption)),
  }) as StoredDelivery

const REFUSED = { kind: 'refused', reason: 'unreadable' }
const deleted = new RelayError('endpoint_deleted')
const required = new RelayError('credential_required')

describe('a stored event', () => {
  test('is the dispatch of its request, with the credential of now', async () => {
    const { dispatch } = await openEvent(await rowOf(1, null), portsOf())
    expect(dispatch).toMatchObject({ ...eventOf(id(1)), credential: { kind: 'endpoint' } })
  })

  test('waits for its relay key, and is refused without its payload', async () => {
    const { key, content } = await rowOf(1, null)
    const isolated = { kind: 'isolated', reason: 'unreadable', isInDoubt: false }
    const received = await encryptContent(
      { received: { target: '/', method: 'GET', receivedAt: '', headers: [], body: null } },
      encryption,
    )
    for (const [row, outcome] of [
      [{ key: 'other', content }, isolated],
      [{ key, content: 'damaged' }, REFUSED],
      [{ key: null, content: null }, REFUSED],
      [received, REFUSED],
    ] as const) {
      expect(await openEvent(row, portsOf())).toEqual({ outcome })
    }
  })

  test('whose endpoint was deleted is refused, and waits for another credential', async () => {
    const row = await rowOf(1, null)
    expect(await openEvent(row, portsOf({ o: deleted }))).toEqual({
      outcome: { kind: 'refused', reason: 'endpoint_deleted' },
    })
    expect(await openEvent(row, portsOf({ o: required }))).toEqual({
      outcome: { kind: 'isolated', reason: 'credential_required', isInDoubt: false },
    })
    const bug = new TypeError('a bug')
    await expect(openEvent(row, portsOf({ o: bug }))).rejects.toBe(bug)
  })
})

describe('the members of a batch', () => {
  const BATCH = id(7)

  test('are one event with the id of the batch', async () => {
    const members = [
      await rowOf(1, BATCH, { isNotification: true }),
      await rowOf(2, BATCH, { isNotification: true }),
    ] as const
    const { dispatch, failed } = await openMembers(members, portsOf())
    const { clientPayload = '', ...others } = dispatch ?? {}
    expect(failed).toEqual([])
    const { repository, target, request } = eventOf(id(1))
    expect(others).toMatchObject({
      repository,
      target,
      request,
      delivery: BATCH,
      isNotification: true,
    })
    const payload = JSON.parse(clientPayload)
    expect(membersOf(JSON.stringify({ client_payload: payload }))).toEqual([id(1), id(2)])
    expect(payload.headers).toMatchObject({ 'x-hookline-batch': '2', 'x-hookline-delivery': BATCH })
  })

  test('are a notification only together, and need no request', async () => {
    const { request: _, ...first } = eventOf(id(1), { isNotification: true })
    const row = { ...(await rowOf(1, BATCH)), ...(await encryptEvent(first, encryption)) }
    const { dispatch } = await openMembers([row, await rowOf(2, BATCH)], portsOf())
    expect(dispatch?.isNotification).toBe(false)
    expect(dispatch).not.toHaveProperty('request')
  })

  test('that cannot be sent leave the others; all of them end the batch', async () => {
    const good = await rowOf(1, BATCH)
    const bad = { ...(await rowOf(2, BATCH)), content: 'damaged' }
    const gone = await rowOf(3, BATCH, { owner: 'gone' })
    const ports = portsOf({ gone: deleted })
    const { dispatch, failed } = await openMembers([bad, good, gone], ports)
    expect(membersOf(`{"client_payload":${dispatch?.clientPayload}}`)).toEqual([id(1)])
    expect(failed).toEqual([
      { member: bad, outcome: REFUSED },
      { member: gone, outcome: { kind: 'refused', reason: 'endpoint_deleted' } },
    ])
    expect(await openMembers([gone, bad], ports)).toEqual({
      ...{ outcome: { kind: 'refused', reason: 'endpoint_deleted' }, failed: [] },
    })
  })

  test('wait together for one whose key or credential is missing', async () => {
    const missing = { ...(await rowOf(2, BATCH)), key: 'other' }
    const bad = { ...(await rowOf(3, BATCH)), content: 'damaged' }
    expect(await openMembers([await rowOf(1, BATCH), bad, missing], portsOf())).toEqual({
      outcome: { kind: 'isolated', reason: 'unreadable', isInDoubt: false },
      failed: [],
    })
  })

  test.each([
    ['repository', 65_535, 'whole'],
    ['repository', 65_536, 2],
    ['workflow', 131_070, 2],
    ['workflow', 131_071, 3],
  ] as const)('as %s_dispatch of %i characters fit in %s', async (mode, length, end) => {
    const members = [await rowOf(1, BATCH, { mode }), await rowOf(2, BATCH, { mode })] as const
    const { dispatch: small } = await openMembers(
      members,
      portsOf({}, async () => ''),
    )
    const packed = 'x'.repeat(length - (small?.clientPayload.length ?? 0))
    const { dispatch, outcome } = await openMembers(
      members,
      portsOf({}, async () => packed),
    )
    if (end === 'whole') expect(dispatch?.clientPayload).toHaveLength(length)
    else expect(outcome).toEqual({ kind: 'refused', reason: 'payload_too_large', parts: end })
  })

  test('a single one that is too large for a batch is sent as it was, by the id of the batch', async () => {
    const pack = async () => 'x'.repeat(70_000)
    const { dispatch } = await openMembers([await rowOf(1, BATCH)], portsOf({}, pack))
    expect(dispatch).toMatchObject({
      clientPayload: eventOf(id(1)).clientPayload,
      delivery: BATCH,
    })
  })
})

test('an event alone has no other members', async () => {
  const { dispatch, failed } = await openMembers([await rowOf(1, null)], portsOf())
  expect([dispatch?.delivery, failed]).toEqual([id(1), []])
})
