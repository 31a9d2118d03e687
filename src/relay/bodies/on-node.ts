import { createHash, type Hash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { RelayResponse } from '../../wire/http.ts'
import { type Environment, readSetting } from '../../wire/settings.ts'
import type { Database } from '../database/database.ts'
import { bodiesFull, bodyTooLarge } from '../relay-errors.ts'
import { type BodyCipher, bodyCipher, hashOfBody } from './body-cipher.ts'
import { BodyTable } from './body-table.ts'
import type { BodyReference, BodyUpload, LargeBodies } from './large-bodies.ts'

const MB = 1024 * 1024

/** Milliseconds after GitHub accepted an event in which its run can fetch the body. */
const KEPT = 7 * 86_400_000

/** Milliseconds after which the request of a body has ended, with or without an event. */
const SETTLED = 15 * 60_000

/** Milliseconds between two looks for bodies that are to be deleted. */
const SWEEP_INTERVAL = 60_000

interface NodeBodiesOptions {
  /** Folder of the files, beside the database. */
  readonly folder: string
  readonly database: Database
  readonly env: Environment
  /** Address of the relay as the action reaches it. */
  readonly publicUrl: string
  /** Milliseconds since 1970. */
  now(): number
  report(error: unknown): void
}

export interface NodeBodies extends LargeBodies {
  /** Bytes of all bodies, also of those that are being received. */
  bytes(): number
  /** Deletes the bodies that no run can need any more. To be called once a minute. */
  sweep(): Promise<void>
  close(): void
}

/**
 * Large bodies as encrypted files beside the database of the outbox.
 *
 * @throws UserError for an invalid setting
 * @throws StorageError if the disk fails
 */
export async function openNodeBodies(options: NodeBodiesOptions): Promise<NodeBodies> {
  const { folder, database, env, publicUrl, now, report } = options
  const most = readSetting(env, 'HOOKLINE_MAX_BODY_MB') * MB
  const quota = readSetting(env, 'HOOKLINE_BODIES_MAX_MB') * MB
  const table = new BodyTable(database)
  const rows = await table.open()
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeUnknown(folder, new Set(rows.map(({ hash }) => hash)))
  let used = rows.reduce((sum, { bytes }) => sum + bytes, 0)
  const reserve = (bytes: number) => {
    if (used + bytes > quota) throw bodiesFull()
    used += bytes
  }
  const release = (bytes: number) => {
    used -= bytes
  }
  const sweep = async () => {
    const gone = await table.sweep(now(), now() - SETTLED, now() - KEPT)
    for (const { hash, bytes } of gone) {
      release(bytes)
      // A file that cannot be deleted now has no row any more: the next start removes it.
      await rm(join(folder, hash), { force: true }).catch(report)
    }
  }
  const timer = setInterval(() => void sweep().catch(report), SWEEP_INTERVAL).unref()
  const inTurn = oneAtATime()
  const base = publicUrl.replace(/\/+$/, '')
  return {
    most,
    begin: (delivery) =>
      new Upload({ folder, table, base, most, delivery, now, report, reserve, release, inTurn }),
    serve: (method, path) => serveBody(method, path, { folder, table, report }),
    bytes: () => used,
    sweep,
    close: () => clearInterval(timer),
  }
}

/** Removes files that a killed relay left: without a row, nobody knows their address. */
async function removeUnknown(folder: string, known: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!known.has(name)) await rm(join(folder, name), { force: true })
  }
}

function oneAtATime() {
  let last: Promise<unknown> = Promise.resolve()
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}

interface UploadPorts extends Pick<NodeBodiesOptions, 'folder' | 'now' | 'report'> {
  readonly table: BodyTable
  /** Address of the relay without a slash at the end. */
  readonly base: string
  readonly most: number
  readonly delivery: string
  /** @throws RelayError 503 if there is no room for so many bytes */
  reserve(bytes: number): void
  release(bytes: number): void
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
}

class Upload implements BodyUpload {
  readonly #ports: UploadPorts
  readonly #id = randomBytes(32).toString('base64url')
  readonly #hash = hashOfBody(this.#id)
  readonly #cipher: BodyCipher = bodyCipher(this.#id)
  readonly #digest: Hash = createHash('sha256')
  #file: FileHandle | undefined
  #bytes = 0
  #isKept = false

  constructor(ports: UploadPorts) {
    this.#ports = ports
  }

  async write(chunk: Uint8Array): Promise<void> {
    const { reserve, most } = this.#ports
    if (this.#bytes + chunk.length > most) throw bodyTooLarge(most)
    reserve(chunk.length)
    this.#bytes += chunk.length
    this.#digest.update(chunk)
    if (chunk.length > 0) await this.#append(this.#cipher.seal(chunk, false))
  }

  async finish(): Promise<BodyReference> {
    const { table, base, delivery, now } = this.#ports
    await this.#append(this.#cipher.seal(new Uint8Array(), true))
    await onDisk(async () => {
      await this.#file?.sync()
      await this.#file?.close()
      this.#file = undefined
      await rename(this.#part, this.#path)
      await table.add({ hash: this.#hash, delivery, created: now(), bytes: this.#bytes })
    })
    return {
      bodyUrl: `${base}/-/bodies/${this.#id}`,
      bodySha256: this.#digest.digest('hex'),
      bodyLength: this.#bytes,
    }
  }

  inspect<Result>(use: (bytes: Uint8Array) => Promise<Result>): Promise<Result> {
    return this.#ports.inTurn(async () => {
      const chunks: Uint8Array[] = []
      const records = createReadStream(this.#path)
      for await (const chunk of this.#cipher.open(records)) chunks.push(chunk)
      return use(Buffer.concat(chunks))
    })
  }

  keep(): void {
    this.#isKept = true
  }

  async discard(): Promise<void> {
    if (this.#isKept) return
    const { table, release, report } = this.#ports
    release(this.#bytes)
    this.#bytes = 0
    await this.#file?.close().catch(report)
    await rm(this.#part, { force: true }).catch(report)
    await rm(this.#path, { force: true }).catch(report)
    await table.delete(this.#hash).catch(report)
  }

  get #path(): string {
    return join(this.#ports.folder, this.#hash)
  }

  get #part(): string {
    return `${this.#path}.part`
  }

  async #append(bytes: Uint8Array): Promise<void> {
    await onDisk(async () => {
      this.#file ??= await open(this.#part, 'wx', 0o600)
      await this.#file.writeFile(bytes)
    })
  }
}

/** @throws RelayError 503 in place of an error of the disk */
async function onDisk(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    throw bodiesFull(cause)
  }
}

const ADDRESS = /^\/-\/bodies\/([\w-]{43})$/

/** The same for every reason, so that nobody can find out which bodies there are. */
const NOT_FOUND: RelayResponse = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'not found\n',
}

async function serveBody(
  method: string,
  path: string,
  { folder, table, report }: Pick<UploadPorts, 'folder' | 'table' | 'report'>,
): Promise<RelayResponse> {
  const [, id] = ADDRESS.exec(path) ?? []
  if (method !== 'GET' || id === undefined) return NOT_FOUND
  const hash = hashOfBody(id)
  try {
    const length = await table.find(hash)
    const file = join(folder, hash)
    if (length === undefined || !(await stat(file).catch(() => undefined))) return NOT_FOUND
    return {
      status: 200,
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(length) },
      body: '',
      stream: bodyCipher(id).open(createReadStream(file)),
    }
  } catch (error) {
    report(error)
    return NOT_FOUND
  }
}
