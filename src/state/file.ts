import * as v from 'valibot'
import { type Files, type LockPorts, locked } from './file-lock.ts'
import type { Shelf } from './store.ts'
import {
  FORMAT,
  NO_STATE,
  readStateFile,
  stateJson,
  type TriggerId,
  type TriggerState,
  triggerStateSchema,
  VERSION,
} from './trigger-state.ts'

const fileSchema = v.object({
  /** Counts the writes. */
  revision: v.number(),
  triggers: v.record(v.string(), triggerStateSchema),
})

interface Contents {
  readonly revision: number
  readonly triggers: Readonly<Record<string, TriggerState>>
}

/**
 * One JSON file for all triggers, for runners that keep their disk.
 *
 * @param path absolute
 * @param place the path as the user wrote it
 */
export function fileShelf(path: string, place: string, files: Files, ports: LockPorts): Shelf {
  const read = async (): Promise<Contents> => {
    const text = await files.read(path)
    if (text === undefined) return { revision: 0, triggers: {} }
    return readStateFile(fileSchema, text, { place, reset: `to begin anew, delete ${place}` })
  }
  return {
    place,
    async load(id) {
      const { revision, triggers } = await read()
      return { state: triggers[name(id)] ?? NO_STATE, stamp: String(revision) }
    },
    async save(id, state, stamp) {
      return locked(`${path}.lock`, files, ports, async () => {
        const { revision, triggers } = await read()
        if (String(revision) !== stamp) return false
        const next = { revision: revision + 1, triggers: { ...triggers, [name(id)]: state } }
        await files.replace(path, write(next))
        return true
      })
    },
  }
}

function name({ workflow, trigger }: TriggerId): string {
  return `${workflow}/${trigger}`
}

function write({ revision, triggers }: Contents): string {
  const parts = Object.entries(triggers).map(
    ([id, state]) => `\n${JSON.stringify(id)}:${stateJson(state)}`,
  )
  return `{"format":"${FORMAT}","version":${VERSION},"revision":${revision},"triggers":{${parts.join(',')}}}\n`
}
