import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bundle } from './build.ts'
import { NODE24 } from './node24.ts'
import { RELAY_KEY } from './relay-keys.ts'
import { startWorkerd } from './workerd.ts'

type Settings = Readonly<Record<string, string>>

/** A relay with a database in its own process. */
export interface DatabaseRelay {
  readonly url: string
  /** Of its present process. */
  readonly pid: number
  /** Folder of its storage. */
  readonly folder: string
  /** The log lines of all its processes. */
  readonly log: readonly string[]
  /** Ends it in the given way, and starts it again on its storage. */
  restart(how: 'kill' | 'stop', change?: Change): Promise<void>
  close(): Promise<void>
}

interface Change {
  readonly settings?: Settings
  /** Runs while the relay is down. */
  between?(): Promise<void>
}

export interface DatabaseRuntime {
  readonly name: string
  /** False if its tests are skipped. */
  readonly isThere: boolean
  start(settings: Settings): Promise<DatabaseRelay>
}

interface Running {
  readonly url: string
  readonly pid: number
  end(how: 'kill' | 'stop'): Promise<void>
}

export const DATABASE_RUNTIMES: readonly DatabaseRuntime[] = [
  { name: 'Node', isThere: NODE24 !== null, start: relayOn(runOnNode) },
  { name: 'workerd', isThere: true, start: relayOn(runOnWorkerd) },
]

function relayOn(run: (folder: string, settings: Settings, log: string[]) => Promise<Running>) {
  return async (given: Settings): Promise<DatabaseRelay> => {
    const folder = await mkdtemp(join(tmpdir(), 'database-relay-'))
    const log: string[] = []
    let settings: Settings = {
      HOOKLINE_RELAY_KEY: RELAY_KEY,
      HOOKLINE_TEST_MIN_INTERVAL_MS: '10',
      ...given,
    }
    let running = await run(folder, settings, log)
    return {
      get url() {
        return running.url
      },
      get pid() {
        return running.pid
      },
      folder,
      log,
      restart: async (how, { settings: other = {}, between } = {}) => {
        await running.end(how)
        await between?.()
        settings = { ...settings, ...other }
        running = await run(folder, settings, log)
      },
      // A stop would wait a second for the clients that keep a connection.
      close: async () => {
        await running.end('kill')
        await rm(folder, { recursive: true })
      },
    }
  }
}

async function runOnNode(folder: string, settings: Settings, log: string[]): Promise<Running> {
  const args = ['--disable-warning=ExperimentalWarning', bundle('cli/index.js')]
  const relay = ['relay', '--port', '0', '--data', folder]
  const child = spawn(NODE24 ?? '', [...args, ...relay], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => log.push(line))
  const url = await new Promise<string>((resolve) => {
    // Log lines may come before.
    lines.on('line', (line) => {
      const [found] = /http:\/\/127\.0\.0\.1:\d+$/.exec(line) ?? []
      if (found) resolve(found)
    })
  })
  return {
    url,
    pid: child.pid ?? 0,
    end: async (how) => {
      child.kill(how === 'kill' ? 'SIGKILL' : 'SIGTERM')
      // Its last lines may come after its end.
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
    },
  }
}

async function runOnWorkerd(folder: string, settings: Settings, log: string[]): Promise<Running> {
  const workerd = await startWorkerd(bundle('relay/worker.js'), settings, { disk: folder })
  return {
    url: workerd.url,
    pid: workerd.pid,
    end: async (how) => {
      await (how === 'kill' ? workerd.kill() : workerd.close())
      log.push(...workerd.log)
    },
  }
}
