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
 * @property {Record<string, string>} [env] its whole environment, except PATH
 * @property {string} [output] file that is emptied before each run and that the run writes
 * @property {RegExp} [expect] pattern of the result, in that file or else on standard output
 */

/** Prints the resource usage at the end of a process. */
const usageProbe = fileURLToPath(new URL('usage-probe.cjs', import.meta.url))

/**
 * Runs every variant once in each round, so that other load on the machine affects all of them.
 *
 * @param {Map<string, Variant>} variants
 * @param {number} rounds
 * @param {(variant: Variant) => number} measure
 * @returns {Map<string, number[]>} one figure for each round
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
 * Milliseconds of processor time in the process and in the kernel for it. Unlike the duration, it
 * hardly grows while other processes keep the machine busy.
 *
 * @param {Variant} variant
 */
export function cpu(variant) {
  return usage(variant).cpu
}

/**
 * The peak memory in MB.
 *
 * @param {Variant} variant
 */
export function memory(variant) {
  return usage(variant).memory
}

/**
 * Compares figures: the ratio of the medians, and the range of the middle half of the rounds'
 * ratios. Noise over several rounds affects both sides of a ratio.
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
 * Checks the output, because a variant that fails would seem fast.
 *
 * @param {Variant} variant
 * @param {Buffer} stdout
 */
function checkOutput({ script, output, expect }, stdout) {
  const written = (output ? readFileSync(output) : stdout).toString()
  if (expect && !expect.test(written)) throw new Error(`${script} wrote something else: ${written}`)
}
