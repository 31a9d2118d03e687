import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/**
 * What a process has used up.
 *
 * @typedef {object} Usage
 * @property {NodeJS.CpuUsage} cpu in microseconds
 * @property {number} rss in bytes
 * @property {number} [calls] that it has answered: the upstream counts them
 */

/**
 * A server that is measured, or that takes part.
 *
 * @typedef {object} Subject
 * @property {string} url
 * @property {Buffer} [request] what it is sent, where it is not the usual request
 * @property {() => Promise<Usage>} usage
 * @property {() => Promise<void>} stop
 */

const file = (/** @type {string} */ name) => fileURLToPath(new URL(`./${name}.js`, import.meta.url))

/** Compiles the sources, so that what is measured is what is there. */
export function compile() {
  const { status, stdout } = spawnSync('npx', ['tsc', '-p', 'tsconfig.build.json'], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stdout)
}

/**
 * A process that serves, and tells what it has used up when asked.
 *
 * @param {string} name of a module in this folder
 * @param {Record<string, string>} [env] on top of this process's own
 * @param {string} [node] program that runs it
 * @returns {Promise<Subject & { child: ChildProcess }>}
 */
export async function start(name, env = {}, node = process.execPath) {
  const child = fork(file(name), {
    execPath: node,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  child.stdout?.resume()
  const [{ url }] = await once(child, 'message')
  const usage = async () => {
    child.send('usage')
    const [used] = await once(child, 'message')
    return used
  }
  return { url, usage, child, stop: () => stop(child) }
}

/** @param {ChildProcess} child */
async function stop(child) {
  if (child.exitCode !== null) return
  child.disconnect()
  await once(child, 'exit')
}

/** @param {Usage} usage */
export function cpuMilliseconds({ cpu }) {
  return (cpu.user + cpu.system) / 1000
}
