import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { bundle } from './build.ts'
import type { RelaySetup, RelayUnderTest } from './relays.ts'

/** The program itself, because its wrapper script does not pass on further streams. */
const { default: WORKERD } = createRequire(import.meta.url)('workerd') as { default: string }

/** The released worker in workerd, Cloudflare's runtime. */
export async function startOnWorkerd({ env, repository }: RelaySetup): Promise<RelayUnderTest> {
  const bindings = { ...env, ...(repository && { HOOKLINE_REPOSITORY: repository }) }
  return startWorkerd(bundle('relay/worker.js'), bindings)
}

/** A running workerd. */
export interface Workerd extends RelayUnderTest {
  readonly pid: number
  /** Ends it by SIGKILL; its disk remains. */
  kill(): Promise<void>
}

interface WorkerdOptions {
  /** Folder of the Durable Objects of class `RelayObject`, with the binding `RELAY`. */
  readonly disk?: string
  /** Maximum size of its files in KB, to simulate a full disk. */
  readonly mostOfFile?: number
  /** Maximum size of the JavaScript heap in MB; a larger heap ends workerd. */
  readonly mostHeap?: number
  /** True if its storage is broken intentionally. */
  readonly isBroken?: boolean
  /** Modules that the script imports, by their names; by default the files beside it. */
  readonly modules?: ReadonlyMap<string, string>
}

export async function startWorkerd(
  script: string,
  bindings: Readonly<Record<string, string>>,
  { disk, mostOfFile, mostHeap, isBroken = false, modules: given }: WorkerdOptions = {},
): Promise<Workerd> {
  const modules = given ?? (await modulesBeside(script))
  const folder = await mkdtemp(join(tmpdir(), 'workerd-'))
  const file = join(folder, 'config.capnp')
  await copyFile(script, join(folder, 'worker.js'))
  for (const [name, text] of modules) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  await writeFile(file, config(bindings, [...modules.keys()], disk, mostHeap))
  // A write beyond the limit then fails with an error instead of a signal.
  const limited = `trap '' XFSZ; ulimit -f ${mostOfFile ?? 'unlimited'}; exec "$@"`
  const child = spawn('bash', ['-c', limited, 'bash', WORKERD, 'serve', file, '--control-fd=3'], {
    // The errors of an intentionally broken storage are not shown.
    stdio: ['ignore', 'pipe', isBroken ? 'ignore' : 'inherit', 'pipe'],
  })
  const log: string[] = []
  if (child.stdout) createInterface(child.stdout).on('line', (line) => log.push(line))
  const port = await listeningPort(child)
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal)
    // Its last lines may come after its end.
    await once(child, 'close')
    await rm(folder, { recursive: true })
  }
  return {
    url: `http://127.0.0.1:${port}`,
    log,
    close: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    pid: child.pid ?? 0,
  }
}

async function modulesBeside(script: string): Promise<Map<string, string>> {
  const folder = dirname(script)
  const names = (await readdir(folder)).filter(
    (name) => name.endsWith('.js') && name !== basename(script),
  )
  const read = async (name: string) => [name, await readFile(join(folder, name), 'utf8')] as const
  return new Map(await Promise.all(names.map(read)))
}

async function listeningPort(child: ChildProcess): Promise<number> {
  // The fourth stream is the one opened for `--control-fd`.
  const control = createInterface(child.stdio[3] as Readable)
  const [line] = await once(control, 'line')
  return JSON.parse(line).port
}

function config(
  bindings: Readonly<Record<string, string>>,
  modules: readonly string[],
  disk: string | undefined,
  mostHeap: number | undefined,
): string {
  const list = Object.entries(bindings).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  )
  if (disk) list.push('(name = "RELAY", durableObjectNamespace = "RelayObject")')
  const embedded = modules.map((name) => `(name = "${name}", esModule = embed "${name}")`)
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  ${mostHeap ? `v8Flags = ["--max-heap-size=${mostHeap}"],` : ''}
  services = [
    (name = "main", worker = .relay),
    (name = "internet", network = (allow = ["private", "public"])),
    ${disk ? `(name = "disk", disk = (path = ${JSON.stringify(disk)}, writable = true)),` : ''}
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const relay :Workerd.Worker = (
  modules = [${['(name = "worker", esModule = embed "worker.js")', ...embedded].join(', ')}],
  bindings = [${list.join(', ')}],
  compatibilityDate = "2026-10-01",
  compatibilityFlags = ["no_nodejs_compat", "no_nodejs_compat_v2"],
  ${disk ? OBJECTS : ''}
);
`
}

const OBJECTS = `durableObjectNamespaces = [
    (className = "RelayObject", uniqueKey = "relay", enableSql = true)
  ],
  durableObjectStorage = (localDisk = "disk"),`
