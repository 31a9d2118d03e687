import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import {
  type Database,
  type SqlRow,
  type SqlStatement,
  StorageError,
} from '../../src/relay/store/database.ts'
import { builtModules } from './build.ts'
import { NODE24 } from './node24.ts'
import { startWorkerd } from './workerd.ts'

/** Databases in another process, on a real engine. Statements and rows are JSON. */
export interface DatabaseServer {
  /** A database of its own for each name. */
  open(name: string): Database
  close(): Promise<void>
}

/** Each engine that the relay uses, by its name. */
export const SERVERS: readonly [name: string, start: () => Promise<DatabaseServer>][] = [
  ...(NODE24 ? [['node:sqlite', serveNode] as [string, () => Promise<DatabaseServer>]] : []),
  ['a Durable Object', serveObjects],
]

type Call = { readonly read: SqlStatement } | { readonly write: readonly SqlStatement[] }

function databaseAt(url: string): Database {
  const call = async (content: Call): Promise<readonly SqlRow[]> => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(content) })
    if (!response.ok) throw new StorageError('disk fails', { cause: await response.text() })
    return (await response.json()) as readonly SqlRow[]
  }
  return {
    read: (...statement) => call({ read: statement }),
    write: (statements) => call({ write: statements }),
  }
}

/** The thread of the relay's own database file, on Node 24. */
async function serveNode(): Promise<DatabaseServer> {
  const folder = await mkdtemp(join(tmpdir(), 'databases-'))
  const module = join(await builtModules(), 'relay/node/sqlite.js')
  const script = `
    import { createServer } from 'node:http'
    import { text } from 'node:stream/consumers'
    import { openDatabaseFile } from ${JSON.stringify(module)}
    const files = new Map()
    const server = createServer(async (request, response) => {
      const path = process.argv[1] + request.url + '.db'
      if (!files.has(path)) files.set(path, openDatabaseFile(path))
      try {
        const { database } = await files.get(path)
        const { read, write } = JSON.parse(await text(request))
        response.end(JSON.stringify(await (read ? database.read(...read) : database.write(write))))
      } catch (error) {
        response.writeHead(500).end(String(error.cause ?? error))
      }
    })
    server.keepAliveTimeout = 60_000
    server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]
  const child = spawn(NODE24 ?? '', [...flags, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await firstLine(child)
  return {
    open: (name) => databaseAt(`http://127.0.0.1:${port}/${name}`),
    close: async () => {
      child.kill()
      await once(child, 'exit')
      await rm(folder, { recursive: true })
    },
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new TypeError('the output is not piped')
  const [line] = await once(createInterface(stdout), 'line')
  return String(line)
}

const SOURCES = fileURLToPath(new URL('../../src/relay', import.meta.url))

/** The storage of Durable Objects in workerd, one object for each database. */
async function serveObjects(): Promise<DatabaseServer> {
  const folder = await mkdtemp(join(tmpdir(), 'databases-'))
  const disk = join(folder, 'disk')
  await mkdir(disk)
  const script = join(folder, 'built.js')
  await build({
    stdin: {
      contents: `
        import { ObjectDatabase } from '${SOURCES}/workers/object-database.ts'
        export class RelayObject {
          constructor(state) { this.database = new ObjectDatabase(state.storage) }
          async fetch(request) {
            try {
              const { read, write } = await request.json()
              const rows = read ? this.database.read(...read) : this.database.write(write)
              return Response.json(await rows)
            } catch (error) {
              return new Response(String(error.cause ?? error), { status: 500 })
            }
          }
        }
        export default {
          fetch(request, { RELAY }) {
            return RELAY.get(RELAY.idFromName(new URL(request.url).pathname)).fetch(request)
          }
        }`,
      resolveDir: folder,
    },
    ...{ bundle: true, format: 'esm', outfile: script, logLevel: 'error' },
  })
  const workerd = await startWorkerd(script, {}, { disk, modules: new Map() })
  return {
    open: (name) => databaseAt(`${workerd.url}/${name}`),
    close: async () => {
      await workerd.close()
      await rm(folder, { recursive: true })
    },
  }
}
