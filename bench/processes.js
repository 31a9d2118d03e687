import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * A program that is measured as a whole process.
 *
 * @typedef {object} Variant
 * @property {string} script
 * @property {readonly string[]} [args]
 * @property {string} [cwd]
 * @property {Record<string, string>} [env] all of its environment, PATH aside
 * @property {string} [output] file that every run finds empty and writes
 * @property {RegExp} [expect] what a run must write: to that file, else to the terminal
 */

/** Tells, at the end of a process, what it has used up. */
const usageProbe = fileURLToPath(new URL('usage-probe.cjs', import.meta.url))

/**
 * Runs every variant once a round, so that what else the machine does hits all of them alike.
 *
 * @param {Map<string, Variant>} variants
 * @param {number} rounds
 * @param {(variant: Variant) => number} measure
 * @returns {Map<string, number[]>} a figure per round
 */
export function interleave(variants, rounds, measure) {
  for (const variant of variants.values()) measure(variant) // unmeasured, to fill the file cache
  const figures = new Map([...variants.keys()].map((name) => [name, /** @type {number[]} */ ([])]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, variant] of variants) figures.get(name)?.push(measure(variant))
  }
  return figures
}

/**
 * Milliseconds of processor time, in and for the process: unlike its duration, it grows little while
 * others keep the machine busy.
 *
 * @param {Variant} variant
 */
export function cpu(variant) {
  return usage(variant).cpu
}

/**
 * The most memory it ever held, in MB.
 *
 * @param {Variant} variant
 */
export function memory(variant) {
  return usage(variant).memory
}

/**
 * How figures compare with others: the ratio of their medians, and between which two the ratios of the
 * middle half of all rounds lie. Noise that lasts some rounds hits both sides of each.
 *
 * @param {readonly number[]} figures
 * @param {readonly number[]} base
 * @returns {{ measured: number, unit: string, spread: readonly [number, number] }}
 */
export function compared(figures, base) {
  const rounds = figures.map((figure, round) => figure / (base[round] ?? Number.NaN))
  const sorted = rounds.sort((a, b) => a - b)
  const at = (/** @type {number} */ share) =>
    sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
  return {
    measured: median(figures) / median(base),
    unit: '×',
    spread: [at(0.25), at(0.75)],
  }
}

/** @param {readonly number[]} figures */
export function median(figures) {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/**
 * @param {Variant} variant
 * @returns {{ cpu: number, memory: number }}
 */
function usage(variant) {
  const { script, args = [], cwd, env = {}, output } = variant
  if (output) writeFileSync(output, '')
  const result = spawnSync(process.execPath, ['--require', usageProbe, script, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  if (result.status !== 0) {
    throw new Error(`${script} failed: ${result.stderr}${result.stdout}`)
  }
  checkOutput(variant, result.stdout)
  return JSON.parse(result.output[3]?.toString() ?? '')
}

/**
 * A variant that is fast because it fails must not count.
 *
 * @param {Variant} variant
 * @param {Buffer} stdout
 */
function checkOutput({ script, output, expect }, stdout) {
  const written = (output ? readFileSync(output) : stdout).toString()
  if (expect && !expect.test(written)) throw new Error(`${script} wrote something else: ${written}`)
}
