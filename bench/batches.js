import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import { compiled } from './relay/compiled.js'

/** @typedef {import('./report.js').Row} Row */

const require = createRequire(import.meta.url)

/** @param {string} path */
const recorded = (path) => readFileSync(new URL(`../__tests__/${path}`, import.meta.url), 'utf8')

/**
 * Recorded requests of senders, and a small one as people write them.
 *
 * @type {readonly { what: string, body: () => string }[]}
 */
const KINDS = [
  { what: 'small', body: () => JSON.stringify({ id: crypto.randomUUID(), page: '/docs/1' }) },
  {
    what: 'Stripe',
    body: () => varied(recorded('fixtures/payloads/stripe-payment-intent-succeeded.json')),
  },
  { what: 'Slack', body: () => varied(recorded('senders/fixtures/slack-event.json')) },
  { what: 'GitHub push', body: () => varied(JSON.stringify(push())) },
]

/** @returns {unknown} */
function push() {
  /** @type {readonly { name: string, examples: readonly unknown[] }[]} */
  const all = require('@octokit/webhooks-examples')
  return all.find(({ name }) => name === 'push')?.examples[0]
}

/** Changes ids, keys and times, because values that differ between events do not compress. */
function varied(/** @type {string} */ text) {
  const known = new Map()
  return text.replace(/(?=[A-Za-z_]*\d)[A-Za-z0-9_]{9,}/g, (word) => {
    const other = known.get(word) ?? word.replace(/[0-9a-f]/g, digit)
    known.set(word, other)
    return other
  })
}

/** @param {string} one */
function digit(one) {
  const digits = /\d/.test(one) ? '0123456789' : 'abcdef'
  return digits[Math.floor(Math.random() * digits.length)] ?? one
}

/** The bytes that fit into a payload in base64, without the envelope of a batch. */
const ROOM = Math.floor((65_535 - 300) / 4) * 3

/**
 * The number of events in a full batch, and how much of the room of one dispatch they take when they
 * are compressed. Above 100 % the relay would divide the batch.
 *
 * @returns {Promise<Row[]>}
 */
export async function measureBatches() {
  /** @type {import('../src/wire/limits.ts')} */
  const { LIMITS } = await compiled('wire/limits.js')
  return KINDS.map(({ what, body }) => {
    /** @type {string[]} */
    const events = []
    let length = 0
    while (events.length < LIMITS.batchEvents) {
      const text = payload(body(), events.length)
      length += text.length + LIMITS.batchEventOverhead
      if (length > LIMITS.batchUnpackedLength) break
      events.push(text)
    }
    const share = gzipSync(`[${events}]`).length / ROOM
    const row = { what: `events of one dispatch, ${what}`, measured: events.length, unit: 'events' }
    return { ...row, detail: `compressed, ${Math.round(100 * share)} % of its room` }
  })
}

/**
 * The `client_payload` of an event with its own id, time and signature.
 *
 * @param {string} body
 * @param {number} at
 */
function payload(body, at) {
  const now = new Date(Date.UTC(2026, 10, 20) + at * 100)
  const signature = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')
  return JSON.stringify({
    path: 'hook/webhook',
    method: 'POST',
    headers: {
      ...{ host: 'relay.example.com', 'user-agent': 'Sender/1.0', accept: '*/*' },
      ...{ 'content-type': 'application/json', 'content-length': String(body.length) },
      'x-signature': `t=${now.getTime()},v1=${signature}`,
      'x-hookline-delivery': crypto.randomUUID(),
      'x-hookline-received-at': now.toISOString(),
    },
    body,
  })
}
