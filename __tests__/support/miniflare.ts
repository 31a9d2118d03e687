import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { NODE24 } from './node24.ts'
import type { Workerd } from './workerd.ts'

/** Path of miniflare's module, if it is installed; miniflare needs Node 22. */
export const MINIFLARE = NODE24 === null ? undefined : process.env.HOOKLINE_MINIFLARE

/** The same workerd as in other tests: miniflare's own may be older. */
const { default: WORKERD } = createRequire(import.meta.url)('workerd') as { default: string }

const SCRIPT = join(import.meta.dirname, 'miniflare-relay.mjs')

/** A worker in miniflare, with Durable Objects of class `RelayObject` and the R2 bucket `HOOKLINE_BODIES`. */
export interface Miniflare extends Workerd {
  /** The keys in the bucket, in alphabetical order. */
  keys(): Promise<readonly string[]>
  /** The content of a key. */
  piece(key: string): Promise<Buffer>
  /** Replaces the content of a key; `null` removes it. */
  put(key: string, content: Buffer | null): Promise<void>
}

interface MiniflareOptions {
  /** Folder of the objects and of the bucket. */
  readonly disk: string
  /** By default, the bucket is bound. */
  readonly hasBucket?: boolean
}

export async function startMiniflare(
  script: string,
  bindings: Readonly<Record<string, string>>,
  { disk, hasBucket = true }: MiniflareOptions,
): Promise<Miniflare> {
  const folder = dirname(script)
  const others = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  const names = ['worker.js', ...others.filter((name) => name !== 'worker.js')]
  const child = fork(SCRIPT, {
    execPath: NODE24 ?? '',
    execArgv: [],
    env: {
      PATH: process.env.PATH,
      HOOKLINE_MINIFLARE: MINIFLARE,
      MINIFLARE_WORKERD_PATH: WORKERD,
    },
    // With its own group, miniflare and its workerd can be killed together.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const log: string[] = []
  if (child.stdout) createInterface(child.stdout).on('line', (line) => log.push(line))
  child.send({
    host: '127.0.0.1',
    port: 0,
    cf: false,
    modulesRoot: '/',
    modules: names.map((name) => ({ path: `/${name}`, file: join(folder, name) })),
    bindings,
    compatibilityDate: '2026-10-01',
    compatibilityFlags: ['no_nodejs_compat', 'no_nodejs_compat_v2'],
    durableObjects: { RELAY: { className: 'RelayObject', useSQLite: true } },
    durableObjectsPersist: join(disk, 'objects'),
    r2Buckets: hasBucket ? ['HOOKLINE_BODIES'] : [],
    r2Persist: join(disk, 'bucket'),
  })
  const [{ url, pid }] = await once(child, 'message')
  const ended = once(child, 'exit')
  /** Asks `miniflare-relay.mjs` for something in the bucket; each question has one answer. */
  const ask = async (question: object) => {
    child.send(question)
    const [answer] = await once(child, 'message')
    return answer
  }
  return {
    url,
    pid,
    log,
    keys: () => ask({}),
    piece: async (key) => Buffer.from(await ask({ get: key }), 'base64'),
    put: async (key, content) => {
      await ask(content ? { put: key, content: content.toString('base64') } : { delete: key })
    },
    close: async () => {
      child.kill('SIGTERM')
      await ended
    },
    kill: async () => {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
      await ended
    },
  }
}
