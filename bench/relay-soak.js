// Tests that a steady load loses no event, duplicates none, and leaks no memory.
import { parseArgs } from 'node:util'
import { atRate, client } from './relay/load.js'
import { leastSquares } from './relay/slope.js'
import { compile, start } from './relay/subjects.js'
import { report } from './report.js'

const USAGE = `node bench/relay-soak.js [--minutes N] [--rate N] [--every SECONDS]

A steady load on the relay on Node: counts what was sent, dispatched and answered, and how its memory grows.
  --minutes N      how long (default 1; a leak shows in 30)
  --rate N         requests a second (default 200)
  --every SECONDS  how often memory is looked at, after a garbage collection (default 10)`

const OPEN = 500
const CONNECTIONS = 16
/** Share of the run until engine, pools and buffers have reached their size. */
const WARM_UP_SHARE = 1 / 3

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    rate: { type: 'string', default: '200' },
    every: { type: 'string', default: '10' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(USAGE)
else await soak(Number(values.minutes), Number(values.rate), Number(values.every))

/**
 * @param {number} minutes
 * @param {number} rate requests a second
 * @param {number} every seconds between two measurements of memory
 */
async function soak(minutes, rate, every) {
  compile()
  const upstream = await start('upstream')
  const relay = await start('node', { HOOKLINE_API_URL: upstream.url, COLLECT_GARBAGE: '1' })
  const memory = watch(relay, every)
  const load = { rate, connections: CONNECTIONS, milliseconds: minutes * 60_000 }
  const sent = await atRate(relay.url, load)
  const samples = memory.stop()
  const { calls = 0 } = await upstream.usage()
  const open = await memoryWithConnections(relay)
  for (const subject of [relay, upstream]) await subject.stop()
  console.log(`${minutes} min at ${rate} requests a second, p99 ${sent.p99.toFixed(1)} ms`)
  report([...losses(sent, calls), growth(samples, minutes), open])
}

/**
 * @param {{ requests: number, accepted: number }} sent
 * @param {number} dispatched
 * @returns {import('./report.js').Row[]}
 */
function losses({ requests, accepted }, dispatched) {
  const detail = `sent ${requests}, dispatched ${dispatched}, answered 200 ${accepted}`
  const lost = Math.abs(requests - dispatched) + Math.abs(requests - accepted)
  return [
    {
      what: 'sent, but not dispatched or answered once',
      measured: lost,
      unit: '',
      atMost: 0,
      detail,
    },
  ]
}

/**
 * @param {readonly (readonly [minute: number, megabytes: number])[]} samples
 * @param {number} minutes
 * @returns {import('./report.js').Row}
 */
function growth(samples, minutes) {
  const warmUp = minutes * WARM_UP_SHARE
  const settled = samples.filter(([minute]) => minute >= warmUp)
  const { slope, error } = leastSquares(settled)
  const [first = 0, last = 0] = [settled[0]?.[1], settled.at(-1)?.[1]]
  const after = `after the first ${warmUp.toFixed(1)} min`
  const detail = `±${error.toFixed(2)}, ${settled.length} samples ${after}: ${first.toFixed(0)} to ${last.toFixed(0)} MB`
  return {
    what: 'memory, slope of a linear fit',
    measured: slope,
    unit: 'MB/min',
    atMost: 0.1,
    detail,
  }
}

/**
 * @param {import('./relay/subjects.js').Subject} relay
 * @param {number} every seconds
 */
function watch(relay, every) {
  /** @type {[minute: number, megabytes: number][]} */
  const samples = []
  const startedAt = performance.now()
  const look = async () => {
    const minute = (performance.now() - startedAt) / 60_000
    const megabytes = await rss(relay)
    samples.push([minute, megabytes])
    console.log(`  ${minute.toFixed(2).padStart(6)} min  ${megabytes.toFixed(1).padStart(6)} MB`)
  }
  const timer = setInterval(look, every * 1000)
  const stop = () => {
    clearInterval(timer)
    return samples
  }
  return { stop }
}

/**
 * @param {import('./relay/subjects.js').Subject} relay
 * @returns {Promise<import('./report.js').Row>}
 */
async function memoryWithConnections(relay) {
  const senders = Array.from({ length: OPEN }, () => client(relay.url))
  const statuses = await Promise.all(senders.map((send) => send()))
  const megabytes = await rss(relay)
  for (const send of senders) send.close()
  const detail = `${statuses.filter((status) => status === 200).length} of ${OPEN} answered 200`
  return {
    what: `memory, ${OPEN} connections open`,
    measured: megabytes,
    unit: 'MB',
    atMost: 300,
    detail,
  }
}

/** @param {import('./relay/subjects.js').Subject} subject */
async function rss(subject) {
  return (await subject.usage()).rss / 1024 / 1024
}
