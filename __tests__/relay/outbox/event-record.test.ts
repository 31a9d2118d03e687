import { expect, test } from '@jest/globals'
import { base64url } from 'jose'
import { decryptEvent, encryptEvent } from '../../../src/relay/delivery/event-record.ts'
import { dispatchOf } from '../../support/fake-outbox.ts'
import { encryptionOf, relayKeys } from '../../support/relay-keys.ts'

const TOKEN = 'ghp_a-token-of-somebody'

test('an event of a token URL is stored with its token, and nothing of it is readable', async () => {
  const encryption = await encryptionOf()
  const event = dispatchOf('00000000-0000-4000-8000-000000000001')
  const record = await encryptEvent(event, encryption)
  expect(await decryptEvent(record, encryption)).toMatchObject({
    event: { clientPayload: event.clientPayload },
    credential: { kind: 'token', token: TOKEN },
  })
  const parts = record.content
    .split('.')
    .map((part) => Buffer.from(base64url.decode(part)).toString('latin1'))
  for (const secret of [TOKEN, 'hook/webhook']) expect(parts.join()).not.toContain(secret)
})

test('an event of an endpoint is stored with the name of the endpoint, without a token', async () => {
  const encryption = await encryptionOf()
  const record = await encryptEvent(dispatchOf('a', { kind: 'endpoint' }), encryption)
  expect((await decryptEvent(record, encryption)).credential).toEqual({
    kind: 'endpoint',
    endpoint: { owner: 'o', name: 'e1', created: 0 },
  })
})

test('a record that is no event, of another key, or damaged is refused', async () => {
  const encryption = await encryptionOf()
  const forged = await encryption.encrypt('hookline-event', { delivery: 1 })
  await expect(decryptEvent(forged, encryption)).rejects.toThrow('no event')
  const endpoint = await encryption.encrypt('hookline-endpoint', dispatchOf('a'))
  await expect(decryptEvent(endpoint, encryption)).rejects.toThrow('not a record')
  const record = await encryptEvent(dispatchOf('a'), encryption)
  await expect(decryptEvent(record, await encryptionOf(relayKeys()))).rejects.toThrow()
  const content = `${record.content.slice(0, -4)}AAAA`
  await expect(decryptEvent({ ...record, content }, encryption)).rejects.toThrow()
})
