import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'

const file = (name) => new URL(`./${name}.js`, import.meta.url).pathname

/** Compiles the sources, so that what is measured is what is there. */
export function compile() {
  const { status, stdout } = spawnSync('npx', ['tsc', '-p', 'tsconfig.build.json'], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stdout)
}

/** A process that serves, and tells what it has used up when asked. */
export async function start(name, env = {}) {
  const child = fork(file(name), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  child.stdout.resume()
  const [{ url }] = await once(child, 'message')
  const usage = async () => {
    child.send('usage')
    const [used] = await once(child, 'message')
    return used
  }
  return { url, usage, child, stop: () => stop(child) }
}

async function stop(child) {
  if (child.exitCode !== null) return
  child.disconnect()
  await once(child, 'exit')
}

export function cpuMilliseconds({ cpu }) {
  return (cpu.user + cpu.system) / 1000
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
