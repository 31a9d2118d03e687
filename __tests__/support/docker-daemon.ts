import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { promisify } from 'node:util'
import { areInstalled } from './installed.ts'

/**
 * A Docker daemon of its own, whose files lie in a folder. Its bridges, packet filters and published ports
 * lie in a network namespace of its own, so that this machine's network does not change.
 */
export interface DockerDaemon {
  /** Runs a shell script with `docker` and `docker compose` in the daemon's network. @returns its output */
  run(script: string, options?: RunOptions): Promise<string>
  stop(): Promise<void>
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Buffer
}

const COMPOSE = composeCommand()

/** False if a program is missing, or the user may not create namespaces. */
export const canStartDocker =
  process.getuid?.() === 0 &&
  COMPOSE !== '' &&
  areInstalled('dockerd', 'docker', 'iptables', 'ip', 'unshare', 'setpriv', 'nsenter', 'curl')

/** Compose is a plugin of Docker, or in older distributions a program. */
function composeCommand(): string {
  try {
    execFileSync('docker', ['compose', 'version'], { stdio: 'ignore' })
    return 'docker compose'
  } catch {
    return areInstalled('docker-compose') ? 'docker-compose' : ''
  }
}

/**
 * Starts a daemon.
 *
 * @param upstream port of this machine that containers reach as `172.17.0.1` and the same port
 */
export async function startDocker(folder: string, upstream: number): Promise<DockerDaemon> {
  const host = `unix://${join(folder, 'docker.sock')}`
  const group = `hookline-${process.pid}`
  const words = [
    ...['dockerd', '--host', host, '--data-root', join(folder, 'data')],
    ...['--exec-root', join(folder, 'exec'), '--pidfile', join(folder, 'pid')],
    // With systemd, the name would have to be that of a slice.
    ...(existsSync('/run/systemd/system') ? [] : ['--cgroup-parent', group]),
  ]
  // The daemon ends with this process, even if this process is killed.
  const script = 'ip link set lo up; exec setpriv --pdeathsig TERM "$@"'
  const daemon = spawn('unshare', ['--net', '--mount', 'sh', '-ec', script, 'sh', ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await printed(daemon, 'stderr', 'API listen on')
  const inNetwork = ['-t', readFileSync(join(folder, 'pid'), 'utf8').trim(), '--net']

  const socket = join(folder, 'upstream.sock')
  const server = createServer((client) =>
    pipeline(client, connect(upstream, '127.0.0.1'), client, () => {}),
  )
  server.listen(socket)
  const node = [process.execPath, '-e', FORWARD, socket, String(upstream)]
  const forwarder = spawn('nsenter', [...inNetwork, 'setpriv', '--pdeathsig', 'TERM', ...node], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await printed(forwarder, 'stdout', 'listening')

  return {
    run: async (text, { cwd = folder, env = {}, input = '' } = {}) => {
      const command = ['sh', '-ec', text.replaceAll('docker compose', COMPOSE)]
      const running = promisify(execFile)('nsenter', [...inNetwork, ...command], {
        cwd,
        env: { PATH: process.env.PATH, HOME: folder, DOCKER_HOST: host, ...env },
        maxBuffer: 64 * 1024 * 1024,
      })
      running.child.stdin?.end(input)
      return (await running).stdout.trim()
    },
    stop: async () => {
      forwarder.kill()
      server.close()
      daemon.kill('SIGTERM')
      if (daemon.exitCode === null) await once(daemon, 'exit')
      execFileSync('find', [...REMOVE_GROUPS, '-path', `*/${group}*`, '-exec', 'rmdir', '{}', '+'])
    },
  }
}

const REMOVE_GROUPS = ['/sys/fs/cgroup', '-depth', '-type', 'd']

/** Passes connections from a network namespace to a socket in the file system, which all namespaces share. */
const FORWARD = `const { connect, createServer } = require('net')
const { pipeline } = require('stream')
const [socket, port] = process.argv.slice(1)
createServer((client) => pipeline(client, connect(socket), client, () => {}))
  .listen(Number(port), '172.17.0.1', () => console.log('listening'))`

async function printed(child: ChildProcess, stream: 'stdout' | 'stderr', words: string) {
  let text = ''
  for await (const chunk of child[stream] ?? []) {
    text += chunk
    if (text.includes(words)) break
  }
  if (!text.includes(words)) throw new Error(`ended, and printed: ${text}`)
}
