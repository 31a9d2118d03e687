import { toHex } from '../../wire/bytes.ts'
import { type Environment, readSetting } from '../../wire/settings.ts'
import type { RelayConfig } from '../config.ts'
import { figure } from '../figures.ts'
import type { Relay } from '../relay.ts'
import type { LargeBodies } from '../store/large-bodies.ts'
import { type StreamedHash, storedBodies } from '../webhook/stored-bodies.ts'
import { type Bindings, environmentOf, namespaceOf } from './bindings.ts'
import { piecesInObject, registryInObject, sweepObject } from './object-bodies.ts'
import { askAll } from './object-calls.ts'
import type { ObjectStorage } from './object-database.ts'

const MB = 1024 * 1024

/**
 * Large bodies on Workers: in a Durable Object of the outbox.
 *
 * @returns `undefined` without an outbox, or without a public address for the action
 * @throws UserError for an invalid setting
 */
export function bodiesOnWorkers(
  env: Bindings,
  { publicUrl }: RelayConfig,
  { report }: Relay,
): LargeBodies | undefined {
  const namespace = namespaceOf(env)
  const settings = environmentOf(env)
  if (!namespace || publicUrl === undefined) return undefined
  return storedBodies({
    registry: registryInObject(namespace),
    pieces: piecesInObject(namespace),
    most: mostBytes(settings),
    quota: figure(settings, 'BODIES_MAX_MB') * MB,
    publicUrl,
    now: Date.now,
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    newHash,
    report,
  })
}

/** The most bytes of one body. */
function mostBytes(settings: Environment): number {
  return readSetting(settings, 'HOOKLINE_MAX_BODY_MB') * MB
}

/** https://developers.cloudflare.com/workers/runtime-apis/web-crypto/#constructors */
interface DigestStream {
  getWriter(): { write(bytes: Uint8Array): Promise<void>; close(): Promise<void> }
  readonly digest: Promise<ArrayBuffer>
}

/** Web Crypto hashes only whole values, and the runtime has a stream of its own. */
function newHash(): StreamedHash {
  const { DigestStream } = crypto as unknown as {
    readonly DigestStream: new (algorithm: string) => DigestStream
  }
  const stream = new DigestStream('SHA-256')
  const writer = stream.getWriter()
  return {
    update: (bytes) => writer.write(bytes),
    digest: async () => {
      await writer.close()
      return toHex(new Uint8Array(await stream.digest))
    },
  }
}

/** Runs at the alarm of an object. @returns false in an object without bodies */
export async function sweepBodiesIn(storage: ObjectStorage, env: Bindings): Promise<boolean> {
  const namespace = namespaceOf(env)
  if (!namespace) return false
  return sweepObject(storage, {
    most: mostBytes(environmentOf(env)),
    now: Date.now(),
    held: async (deliveries) =>
      (await askAll(namespace, (queue) => queue.among(deliveries))).flat(),
  })
}
