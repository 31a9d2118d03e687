import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { SENDERS } from '../../src/triggers/senders.ts'
import { bundledPackage } from '../support/build.ts'

/** All scripts of a bundle as one string, in which non-ASCII characters are escaped. */
function bundle(folder: string): string {
  const place = join(bundledPackage(), 'dist', folder)
  const files = readdirSync(place).filter(
    // The worker loads this at the first endpoint with a verification.
    (name) => name.endsWith('.js') && name !== 'verification.js',
  )
  return files.map((name) => readFileSync(join(place, name), 'utf8')).join('\n')
}

/** Strings that occur in one aspect of a sender only. */
const PARTS = {
  facts: SENDERS.map(({ shown }) => shown).filter((text) => /^[ -~]+$/.test(text)),
  scheme: ['x-wc-webhook-signature', 'x-zendesk-webhook-signature', 'x-contentful-signed-headers'],
  signing: ['bodySHA256=${'],
  handshake: ['validationResponse', 'smartsheet-hook-challenge'],
  payloads: ['cs_test_a1b2c3', 'SmsStatus:', 'Main order flow broken'],
}

test('dist/reply holds nothing of the senders', () => {
  expect(partsIn('reply')).toEqual([])
})

test.each([
  ['action', ['scheme']],
  ['relay', ['handshake']],
  ['cli', ['facts', 'scheme', 'signing', 'handshake', 'payloads']],
] as const)('dist/%s holds of the senders %j', (folder, wanted) => {
  expect(partsIn(folder)).toEqual(wanted)
})

function partsIn(folder: string): string[] {
  const text = bundle(folder)
  return Object.entries(PARTS).flatMap(([aspect, parts]) =>
    parts.some((part) => text.includes(part)) ? [aspect] : [],
  )
}
