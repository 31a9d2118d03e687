import { compared, median } from '../processes.js'
import { atRate, saturate } from './load.js'
import { cpuMilliseconds } from './subjects.js'

/** @typedef {import('../report.js').Row} Row */
/** @typedef {import('./subjects.js').Subject} Subject */
/** @typedef {[name: string, subject: Subject]} Named */
/** @typedef {{ perSecond: number, cpu: number }} Figures */

// Long enough for the engine to finish compiling.
const WARM_UP = { connections: 16, milliseconds: 5000 }
const LOAD = { connections: 16, milliseconds: 1500 }
const STEADY = { rate: 300, connections: 16, milliseconds: 4000 }

/**
 * Measures two subjects alternately: the ratio of their throughput on 16 connections, and their
 * latencies at a steady rate.
 *
 * @param {Named} base
 * @param {Named} subject
 * @param {number} rounds
 * @param {number} [atLeast] goal for the ratio of requests per second
 * @param {number} [mostCpu] goal for the ratio of processor time for a request
 * @returns {Promise<Row[]>}
 */
export async function compare(base, subject, rounds, atLeast, mostCpu) {
  const rows = await compareSpeed(base, subject, rounds, atLeast, mostCpu)
  return [...rows, ...(await latencies(base)), ...(await latencies(subject))]
}

/**
 * @param {Named} base
 * @param {Named} subject
 * @param {number} rounds
 * @param {number} [atLeast] goal for the ratio of requests per second
 * @param {number} [mostCpu] goal for the ratio of processor time for a request
 * @returns {Promise<Row[]>}
 */
export async function compareSpeed([baseName, base], [name, subject], rounds, atLeast, mostCpu) {
  for (const { url, request } of [base, subject]) await saturate(url, WARM_UP, request)
  /** @type {Figures[]} */
  const bases = []
  /** @type {Figures[]} */
  const figures = []
  for (let round = 0; round < rounds; round++) {
    bases.push(await measure(base))
    figures.push(await measure(subject))
  }
  const row = (
    /** @type {string} */ what,
    /** @type {(figures: Figures) => number} */ pick,
    /** @type {number} */ digits,
    /** @type {string} */ unit,
  ) => {
    const [by, of] = [figures.map(pick), bases.map(pick)]
    const detail = `${median(by).toFixed(digits)} : ${median(of).toFixed(digits)} ${unit}`
    return { what: `${name} : ${baseName}, ${what}`, ...compared(by, of), detail }
  }
  return [
    {
      ...row('requests per second', (r) => r.perSecond, 0, 'per second'),
      ...(atLeast !== undefined && { atLeast }),
    },
    {
      ...row('own CPU per request', (r) => r.cpu, 3, 'ms'),
      ...(mostCpu !== undefined && { atMost: mostCpu }),
    },
  ]
}

/**
 * Requests per second, and milliseconds of processor time for each request.
 *
 * @param {Subject} subject
 * @returns {Promise<Figures>}
 */
export async function measure(subject) {
  const before = cpuMilliseconds(await subject.usage())
  const { perSecond, requests } = await saturate(subject.url, LOAD, subject.request)
  return { perSecond, cpu: (cpuMilliseconds(await subject.usage()) - before) / requests }
}

/**
 * @param {Named} subject
 * @returns {Promise<Row[]>}
 */
async function latencies([name, { url, request }]) {
  const { p50, p99 } = await atRate(url, STEADY, request)
  const what = `${name}, latency at ${STEADY.rate} per second`
  return [
    { what: `${what}, p50`, measured: p50, unit: 'ms' },
    { what: `${what}, p99`, measured: p99, unit: 'ms' },
  ]
}
