// node bench/relay-soak.js [seconds] [rate]   a steady load: nothing lost, nothing twice, no leak
import { atRate, client } from './relay/load.js'
import { compile, start } from './relay/subjects.js'

const SECONDS = Number(process.argv[2] ?? 60)
const RATE = Number(process.argv[3] ?? 200)
const OPEN = 500
const WARM_UP_SHARE = 0.4

compile()
const upstream = await start('upstream')
const relay = await start('node', { HOOKLINE_API_URL: upstream.url })

/** @type {[minutes: number, megabytes: number][]} */
const samples = []
const startedAt = performance.now()
const sampling = setInterval(
  async () => {
    const { rss } = await relay.usage()
    samples.push([(performance.now() - startedAt) / 60_000, rss / 1024 / 1024])
  },
  Math.max(500, (SECONDS * 1000) / 60),
)
const { requests, p99 } = await atRate(relay.url, {
  rate: RATE,
  connections: 16,
  milliseconds: SECONDS * 1000,
})
clearInterval(sampling)
const { calls = 0 } = await upstream.usage()

console.log(`${SECONDS} s at ${RATE} requests per second`)
console.log(`  requests ${requests}, dispatches ${calls}, difference ${requests - calls}`)
console.log(`  p99 ${p99.toFixed(1)} ms`)
const settled = samples.slice(Math.floor(samples.length * WARM_UP_SHARE))
console.log(
  `  memory: slope ${slope(settled).toFixed(2)} MB a minute after the first ${SECONDS * WARM_UP_SHARE} s`,
)
console.log(`  memory: ${Math.max(...samples.map(([, mb]) => mb)).toFixed(0)} MB at most`)

const connected = Array.from({ length: OPEN }, () => client(relay.url))
await Promise.all(connected.map((send) => send()))
console.log(
  `  memory: ${((await relay.usage()).rss / 1024 / 1024).toFixed(0)} MB with ${OPEN} connections open`,
)
for (const send of connected) send.close()
await relay.stop()
await upstream.stop()

/**
 * Of the line that fits best.
 *
 * @param {readonly [x: number, y: number][]} points
 */
function slope(points) {
  const mean = (/** @type {(point: [number, number]) => number} */ pick) =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const [x, y] = [mean(([at]) => at), mean(([, value]) => value)]
  const over = mean(([at, value]) => (at - x) * (value - y))
  return over / mean(([at]) => (at - x) ** 2)
}
