import { atRate, saturate } from './load.js'
import { cpuMilliseconds, median } from './subjects.js'

// Long enough for the compilers of an engine to be done with it.
const WARM_UP = { connections: 16, milliseconds: 5000 }
const LOAD = { connections: 16, milliseconds: 1500 }
const STEADY = { rate: 300, connections: 16, milliseconds: 4000 }

/** Measures two subjects in turn, and prints how the second compares with the first. */
export async function compare(title, [baseName, base], [name, subject], rounds) {
  for (const { url } of [base, subject]) await saturate(url, WARM_UP)
  const results = []
  for (let round = 0; round < rounds; round++) {
    results.push([await measure(base), await measure(subject)])
  }
  const ratio = (pick) => median(results.map(([of, by]) => pick(by) / pick(of))).toFixed(2)
  const absolute = (at, pick, digits) =>
    median(results.map((pair) => pick(pair[at]))).toFixed(digits)
  console.log(`${title}: ${name} / ${baseName}, 2 KB body, 16 connections, median of ${rounds}`)
  console.log(`  requests per second  ${ratio((r) => r.perSecond)}`)
  console.log(`  own CPU per request  ${ratio((r) => r.cpu)}`)
  const rates = [1, 0].map((at) => absolute(at, (r) => r.perSecond, 0))
  const costs = [1, 0].map((at) => absolute(at, (r) => r.cpu, 3))
  console.log(
    `  (${rates.join(' against ')} per second, ${costs.join(' against ')} ms of CPU, here)`,
  )
  await latencies([
    [baseName, base],
    [name, subject],
  ])
}

/** Requests per second, and milliseconds of the process's own time for each. */
async function measure(subject) {
  const before = cpuMilliseconds(await subject.usage())
  const { perSecond, requests } = await saturate(subject.url, LOAD)
  return { perSecond, cpu: (cpuMilliseconds(await subject.usage()) - before) / requests }
}

async function latencies(subjects) {
  console.log(`  latency at ${STEADY.rate} requests per second, in ms`)
  for (const [name, { url }] of subjects) {
    const { p50, p99 } = await atRate(url, STEADY)
    console.log(`    ${name.padEnd(14)} p50 ${p50.toFixed(2)}  p99 ${p99.toFixed(2)}`)
  }
}
