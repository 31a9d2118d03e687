// node bench/relay.js [rounds]   how fast the relay is, beside a forwarder that does nothing else
import { atRate, saturate } from './relay/load.js'
import { compile, cpuMilliseconds, median, start } from './relay/subjects.js'

const ROUNDS = Number(process.argv[2] ?? 7)
const LOAD = { connections: 16, milliseconds: 1500 }
const STEADY = { rate: 500, connections: 16, milliseconds: 4000 }

compile()
const upstream = await start('upstream')
const env = { HOOKLINE_API_URL: upstream.url }
const subjects = { bare: await start('bare', env), node: await start('node', env) }

/** Requests per second, and milliseconds of the process's own time for each. */
async function measure(subject) {
  const before = cpuMilliseconds(await subject.usage())
  const { perSecond, requests } = await saturate(subject.url, LOAD)
  const cpu = (cpuMilliseconds(await subject.usage()) - before) / requests
  return { perSecond, cpu }
}

const rounds = []
for (const subject of Object.values(subjects)) await saturate(subject.url, LOAD)
for (let round = 0; round < ROUNDS; round++) {
  const bare = await measure(subjects.bare)
  const node = await measure(subjects.node)
  rounds.push({ rate: node.perSecond / bare.perSecond, cpu: node.cpu / bare.cpu, bare, node })
}

const of = (pick) => median(rounds.map(pick))
console.log(`relay on Node / bare forwarder, 2 KB body, 16 connections, median of ${ROUNDS}`)
console.log(`  requests per second  ${of((r) => r.rate).toFixed(2)}   goal at least 0.85`)
console.log(`  own CPU per request  ${of((r) => r.cpu).toFixed(2)}`)
console.log(
  `  (${of((r) => r.node.perSecond).toFixed(0)} against ${of((r) => r.bare.perSecond).toFixed(0)} per second here)`,
)

console.log(`latency at ${STEADY.rate} requests per second, in ms`)
for (const [name, { url }] of Object.entries(subjects)) {
  const { p50, p99 } = await atRate(url, STEADY)
  console.log(`  ${name.padEnd(5)} p50 ${p50.toFixed(2)}  p99 ${p99.toFixed(2)}`)
}
for (const subject of [...Object.values(subjects), upstream]) await subject.stop()
