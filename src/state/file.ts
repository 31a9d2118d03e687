import * as v from 'valibot'
import { type Files, locked } from './file-lock.ts'
import type { Shelf, StorePorts } from './store.ts'
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

const fileSchema = v.object({ triggers: v.record(v.string(), triggerStateSchema) })

type Triggers = Readonly<Record<string, TriggerState>>

/**
 * One JSON file for all triggers, for runners that keep their disk.
 *
 * @param path absolute
 * @param place the path as the user wrote it
 */
export function fileShelf(path: string, place: string, files: Files, ports: StorePorts): Shelf {
  const read = async (): Promise<Triggers> => {
    const text = await files.read(path)
    if (text === undefined) return {}
    const reset = `to begin anew, delete ${place}`
    return readStateFile(fileSchema, text, { place, reset }).triggers
  }
  return {
    load: async (id) => (await read())[name(id)] ?? NO_STATE,
    change: (id, step) =>
      locked(`${path}.lock`, files, ports, async () => {
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
