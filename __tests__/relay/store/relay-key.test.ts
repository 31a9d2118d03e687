import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import {
  adminBearer,
  bearerKind,
  hashToken,
  newRelayKey,
  readRelayKeys,
} from '../../../src/relay/store/relay-key.ts'
import { UserError } from '../../../src/wire/errors.ts'
import { Secret } from '../../../src/wire/secret.ts'

const NAME = 'HOOKLINE_RELAY_KEY'
const BYTES = randomBytes(32)
const read = (text: string) => readRelayKeys(new Secret(text), NAME)

/** The derivation as Node's own HKDF computes it. */
const derived = (purpose: string) =>
  Buffer.from(hkdfSync('sha256', BYTES, '', `hookline ${purpose}`, 32)).toString('base64url')

test.each([
  ['base64', BYTES.toString('base64')],
  ['base64 without padding', BYTES.toString('base64').replace(/=+$/, '')],
  ['base64url', BYTES.toString('base64url')],
  ['with white space and a line end', ` ${BYTES.toString('base64')}\r\n`],
])('a relay key in %s derives the keys of RFC 5869', async (_, text) => {
  const [key] = await read(text)
  expect(key.admin.reveal()).toBe(`hookline_admin_${derived('admin')}`)
  expect(key.read.reveal()).toBe(`hookline_read_${derived('read')}`)
  expect(key.id).toBe(derived('id').slice(0, 8))
  const hmac = createHmac('sha256', Buffer.from(derived('tokens'), 'base64url'))
  expect(await hashToken(key, new Secret('ghp_x'))).toBe(
    hmac.update('token ghp_x').digest('base64url'),
  )
  expect([key.storage.algorithm, key.storage.extractable]).toEqual([
    { name: 'AES-GCM', length: 256 },
    true,
  ])
})

test('the first of several keys is the admin key', async () => {
  const keys = [newRelayKey(), newRelayKey()].map((key) => key.reveal())
  const both = await read(keys.join(' , '))
  const [old] = await read(keys[1] ?? '')
  expect(both.map(({ id }) => id)).toEqual([both[0].id, old.id])
  expect(await bearerKind(both, both[0].admin)).toBe('admin')
  expect(await bearerKind(both, both[0].read)).toBe('read')
  expect(await bearerKind(both, old.admin)).toBeUndefined()
})

test('no altered bearer is one', async () => {
  const keys = await read(newRelayKey().reveal())
  const admin = keys[0].admin.reveal()
  const guesses = ['', 'x', admin.slice(1), `${admin}A`, `${admin} `, admin.toUpperCase()]
  for (const guess of [...guesses, admin.replace('admin', 'read'), `${admin.slice(0, -1)}\0`]) {
    expect([guess, await bearerKind(keys, new Secret(guess))]).toEqual([guess, undefined])
  }
})

test('the setting of a command is a relay key or its admin bearer', async () => {
  const text = newRelayKey()
  const [{ admin, read: readBearer }] = await readRelayKeys(text, NAME)
  expect((await adminBearer(text, NAME)).reveal()).toBe(admin.reveal())
  expect((await adminBearer(admin, NAME)).reveal()).toBe(admin.reveal())
  const spaced = new Secret(` ${admin.reveal()}\n`)
  expect((await adminBearer(spaced, NAME)).reveal()).toBe(admin.reveal())
  await expect(adminBearer(readBearer, NAME)).rejects.toThrow('a bearer')
})

const LONG = BYTES.toString('base64')

const FIRST = `${NAME} (key 1 of 2)`
const SECOND = `${NAME} (key 2 of 2)`
const FOREIGN = 'it contains characters that base64 does not have'
const BEARER = 'it is a bearer that was derived from a relay key'

test.each([
  ['', NAME, 'it is empty'],
  [`${LONG},`, SECOND, 'it is empty'],
  [`,${LONG}`, FIRST, 'it is empty'],
  [`${LONG},${LONG.slice(0, 20)}`, SECOND, 'it has 15 bytes'],
  [randomBytes(31).toString('base64'), NAME, 'it has 31 bytes'],
  [randomBytes(33).toString('base64url'), NAME, 'it has 33 bytes'],
  [LONG.slice(0, -3), NAME, 'it is cut off'],
  [`"${LONG}"`, NAME, FOREIGN],
  [`${LONG}"`, NAME, FOREIGN],
  [LONG.replace(/^..../, 'ä$&'), NAME, FOREIGN],
  [`hookline_admin_${BYTES.toString('base64url')}`, NAME, BEARER],
  [`hookline_read_${BYTES.toString('base64url')}`, NAME, BEARER],
  [randomBytes(32).toString('hex'), NAME, 'it has 48 bytes'],
])('%j is refused, and no part of it is shown', async (text, name, found) => {
  const error = await read(text).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(UserError)
  const { problems } = error as UserError
  expect(problems).toEqual([
    {
      message: `${name} is not a relay key: ${found}`,
      hint: 'A relay key is 32 random bytes in base64. Restore it, or, for a relay without a database yet, create one: openssl rand -base64 32',
    },
  ])
  const shown = JSON.stringify(problems)
  for (const part of text.split(',').filter((key) => key.length > 8)) {
    expect(shown).not.toContain(part.slice(-8))
  }
})
