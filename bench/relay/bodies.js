import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { compared, median } from '../processes.js'
import { compareSpeed, measure } from './compare.js'
import { requestWith, saturate, TOKEN } from './load.js'
import { cpuMilliseconds, start } from './subjects.js'

/** @typedef {import('../report.js').Row} Row */

const FORM_BYTES = 8 * 1024
const LARGE_BYTES = 250 * 1000

/**
 * The cost of bodies: many percent escapes compared with plain text, and a large body compared with
 * its compression.
 *
 * @param {Record<string, string>} env
 * @param {number} rounds
 * @returns {Promise<Row[]>}
 */
export async function bodyCosts(env, rounds) {
  const relay = await start('node', env)
  const field = 'text=caf%C3%A9+%26+cr%C3%A8me%21&'
  const form = field.repeat(Math.ceil(FORM_BYTES / field.length)).slice(0, FORM_BYTES)
  const json = JSON.stringify({ text: 'x'.repeat(FORM_BYTES - '{"text":""}'.length) })
  /** @param {string} type @param {string} body */
  const sent = (type, body) => ({ ...relay, request: requestWith(TOKEN, { type, body }) })
  const asForm = sent('application/x-www-form-urlencoded', form)
  const asJson = sent('application/json', json)
  const rows = await compareSpeed(
    ['8 KB of JSON', asJson],
    ['8 KB of a form', asForm],
    rounds,
    0.85,
  )
  const large = await largeBody(relay, rounds)
  await relay.stop()
  return [...rows, large]
}

/**
 * @param {import('./subjects.js').Subject} relay
 * @param {number} rounds
 * @returns {Promise<Row>}
 */
async function largeBody(relay, rounds) {
  const body = commits(LARGE_BYTES)
  const request = requestWith(TOKEN, { type: 'application/json', body })
  const subject = { ...relay, request }
  await saturate(relay.url, { connections: 16, milliseconds: 2000 }, request)
  /** @type {number[]} */
  const costs = []
  /** @type {number[]} */
  const packing = []
  for (let round = 0; round < rounds; round++) {
    packing.push(cpuOfPacking(body))
    costs.push((await measure(subject)).cpu)
  }
  return {
    what: 'body of 250 KB, own CPU : zlib level 1 of it',
    ...compared(costs, packing),
    atMost: 2,
    detail: `${median(costs).toFixed(2)} : ${median(packing).toFixed(2)} ms`,
  }
}

/**
 * A push of very many commits, each with its own id, so it compresses about as well as GitHub's
 * requests.
 *
 * @param {number} bytes
 */
function commits(bytes) {
  const list = []
  for (let n = 0, size = 0; size < bytes - 500; n++) {
    const id = createHash('sha1').update(`${n}`).digest('hex')
    const commit = {
      id,
      message: `Change number ${n}`,
      url: `https://github.com/owner/repo/commit/${id}`,
      author: { name: 'Mona Lisa', email: 'octocat@github.com', username: 'octocat' },
      modified: [`src/file-${n % 97}.ts`],
    }
    list.push(commit)
    size += JSON.stringify(commit).length + 1
  }
  return JSON.stringify({ ref: 'refs/heads/main', commits: list })
}

/**
 * Milliseconds of processor time for one compression, which the relay needs at least.
 *
 * @param {string} body
 */
function cpuOfPacking(body) {
  const bytes = Buffer.from(body)
  const before = cpuMilliseconds({ cpu: process.cpuUsage(), rss: 0 })
  const times = 50
  for (let n = 0; n < times; n++) gzipSync(bytes, { level: 1 })
  return (cpuMilliseconds({ cpu: process.cpuUsage(), rss: 0 }) - before) / times
}
