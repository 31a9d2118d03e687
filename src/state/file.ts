import * as v from 'valibot'
import { UserError } from '../wire/errors.ts'
import {
  FORMAT,
  NO_STATE,
  readStateFile,
  type StateBackend,
  type StorePorts,
  stateJson,
  type TriggerId,
  type TriggerState,
  triggerStateSchema,
  VERSION,
} from './index.ts'

const fileSchema = v.object({ triggers: v.record(v.string(), triggerStateSchema) })

type Triggers = Readonly<Record<string, TriggerState>>

/**
 * One JSON file for all triggers, for runners that keep their disk.
 *
 * @param path absolute
 * @param place the path as the user wrote it
 */
export function fileBackend(
  path: string,
  place: string,
  files: Files,
  ports: StorePorts,
): StateBackend {
  const read = async (): Promise<Triggers> => {
    const text = await files.read(path)
    if (text === undefined) return {}
    const reset = `to begin anew, delete ${place}`
    return readStateFile(fileSchema, text, { place, reset }).triggers
  }
  return {
    load: async (id) => (await read())[name(id)] ?? NO_STATE,
    change: (id, step) =>
      withLock(`${path}.lock`, files, ports, async () => {
        const triggers = await read()
        const before = triggers[name(id)] ?? NO_STATE
        await files.replace(path, write({ ...triggers, [name(id)]: step(before) }))
        return before
      }),
  }
}

function name({ workflow, trigger }: TriggerId): string {
  return `${workflow}/${trigger}`
}

function write(triggers: Triggers): string {
  const parts = Object.entries(triggers).map(
    ([id, state]) => `\n${JSON.stringify(id)}:${stateJson(state)}`,
  )
  return `{"format":"${FORMAT}","version":${VERSION},"triggers":{${parts.join(',')}}}\n`
}

/** Files, as far as a store needs them. What is written is there as a whole or not at all. */
export interface Files {
  /** `undefined` when there is no such file. */
  read(path: string): Promise<string | undefined>
  /** @returns false when there is a file already */
  create(path: string, text: string): Promise<boolean>
  replace(path: string, text: string): Promise<void>
  remove(path: string): Promise<void>
  /** Names this process, differently with every call. */
  owner(): string
  /** True when the process of that name does not run any more. */
  isGone(owner: string): boolean
}

const MOST_ATTEMPTS = 1_000

const LONGEST_WAIT = 40

/**
 * Does some work while no other process does work under the same lock.
 *
 * @throws UserError when the lock stays taken for some twenty seconds
 */
async function withLock<Result>(
  path: string,
  files: Files,
  ports: StorePorts,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    if (await files.create(path, files.owner())) {
      return work().finally(() => files.remove(path))
    }
    await releaseIfGone(path, files)
    await ports.sleep(ports.random() * LONGEST_WAIT)
  }
  throw new UserError({
    message: `${path}: another run holds this lock`,
    notes: ['delete the file if no run is at work'],
  })
}

/**
 * Takes away the lock of a process that was killed. Only one process at a time may do so, under a
 * lock of its own: else the second would take away what the first has just made for itself.
 */
async function releaseIfGone(path: string, files: Files): Promise<void> {
  const owner = await files.read(path)
  if (owner === undefined || !files.isGone(owner)) return
  const breaking = `${path}.break`
  if (await files.create(breaking, files.owner())) {
    if ((await files.read(path)) === owner) await files.remove(path)
    await files.remove(breaking)
    return
  }
  const breaker = await files.read(breaking)
  if (breaker !== undefined && files.isGone(breaker)) await files.remove(breaking)
}
