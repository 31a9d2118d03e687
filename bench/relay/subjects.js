import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/**
 * The resource usage of a process.
 *
 * @typedef {object} Usage
 * @property {NodeJS.CpuUsage} cpu in microseconds
 * @property {number} rss in bytes
 * @property {number} [calls] that it has responded to; the upstream counts them
 */

/**
 * A server that is measured, or that others need.
 *
 * @typedef {object} Subject
 * @property {string} url
 * @property {Buffer} [request] replaces the usual request
 * @property {() => Promise<Usage>} usage
 * @property {() => Promise<void>} stop
 */

const file = (/** @type {string} */ name) => fileURLToPath(new URL(`./${name}.js`, import.meta.url))

/** Compiles the sources, so that the present state is measured. */
export function compile() {
  const { status, stdout } = spawnSync('npx', ['tsc', '-p', 'tsconfig.build.json'], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stdout)
}

/**
 * Starts a server process that reports its resource usage on request.
 *
 * @param {string} name of a module in this folder
 * @param {Record<string, string>} [env] in addition to this process's own
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
