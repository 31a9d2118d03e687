// Starts workers in workerd, Cloudflare's runtime, on a free port.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const WORKERD = createRequire(import.meta.url)('workerd').default
const TICKS_PER_SECOND = 100

/** Bundles the worker as it is released; the sources must be compiled before. */
export const bundledRelay = () => bundled('workers/worker')

/** @param {string} name of a module of the relay */
export async function bundled(name) {
  const folder = await mkdtemp(join(tmpdir(), 'bundle-'))
  const ncc = ['ncc', 'build', `build/relay/${name}.js`, '-m', '-q', '-o', folder]
  const { status, stderr } = spawnSync('npx', ncc, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return join(folder, 'index.js')
}

/**
 * @param {string} script path of a module worker
 * @param {Record<string, string>} env
 * @param {'ignore' | 'pipe'} [log] ignored by default: reading the log would slow down the load
 * @returns {Promise<import('./subjects.js').Subject>}
 */
export async function startWorker(script, env, log = 'ignore') {
  const folder = await mkdtemp(join(tmpdir(), 'workerd-'))
  await copyFile(script, join(folder, 'worker.js'))
  await writeFile(join(folder, 'config.capnp'), config(env))
  const child = spawn(WORKERD, ['serve', join(folder, 'config.capnp'), '--control-fd=3'], {
    stdio: ['ignore', log, 'inherit', 'pipe'],
  })
  child.stdout?.resume()
  const control = /** @type {import('node:stream').Readable} */ (child.stdio[3])
  const [line] = await once(control, 'data')
  const stop = async () => {
    child.kill()
    await once(child, 'exit')
    await rm(folder, { recursive: true })
  }
  const url = `http://127.0.0.1:${JSON.parse(line).port}`
  return { url, usage: () => usage(child.pid), stop }
}

/**
 * Measured from outside, because clocks do not advance inside a worker.
 *
 * @param {number | undefined} pid
 * @returns {Promise<import('./subjects.js').Usage>}
 */
async function usage(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  const rss = Number(fields[21]) * 4096
  return { cpu: { user: (ticks * 1e6) / TICKS_PER_SECOND, system: 0 }, rss }
}

/** @param {Record<string, string>} env */
function config(env) {
  const bindings = Object.entries(env).map(([name, text]) => {
    return `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`
  })
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  bindings = [${bindings.join(', ')}],
  compatibilityDate = "2026-10-01",
  compatibilityFlags = ["no_nodejs_compat", "no_nodejs_compat_v2"],
);
`
}
