import * as v from 'valibot'
import { UserError } from '../wire/errors.ts'
import { UUID } from '../wire/uuid.ts'
import type { Files, StorePlace } from './place.ts'
import {
  NO_STATE,
  type StateBackend,
  type TriggerId,
  type TriggerState,
  triggerStateSchema,
  updated,
} from './store.ts'

/** Every state file contains this name of its format. */
const FORMAT = 'hookline-state'

const STATE_VERSION = 1

const headSchema = v.object({ format: v.literal(FORMAT), version: v.number() })

const fileSchema = v.object({ triggers: v.record(v.string(), triggerStateSchema) })

type Triggers = Readonly<Record<string, TriggerState>>

/** The most lost locks in a row. */
const MOST_ATTEMPTS = 100

/**
 * One JSON file for all triggers of a machine, for runners that keep their disk.
 *
 * A change is made under a lock: the new content goes to a temporary file, which then replaces the
 * state file. The next owner of the lock first removes temporary files of others, and each owner
 * checks that the lock is still its own before it replaces the file. So a process that was
 * suspended for longer than it may hold the lock changes nothing: its temporary file is gone, or it sees that
 * it lost the lock.
 *
 * @param path as the user wrote it
 */
export function openFile(path: string, place: StorePlace): StateBackend {
  const { files, repository, now } = place
  const idOf = ({ workflow, trigger }: TriggerId) => `${repository}/${workflow}/${trigger}`
  const stateOf = (triggers: Triggers, id: TriggerId) => triggers[idOf(id)] ?? NO_STATE
  const read = async (): Promise<Triggers> => {
    const text = await files.read(path)
    return text === undefined ? {} : triggersIn(path, text)
  }

  return {
    async load(ids) {
      const all = await read()
      return { states: ids.map((id) => stateOf(all, id)), now: now() }
    },
    async change(ids, update) {
      for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const lock = await acquire(path, place)
        try {
          await removeLeftovers(path, files)
          const all = await read()
          const before = { states: ids.map((id) => stateOf(all, id)), now: now() }
          const after = update(before.states, before.now)
          if (after.every((state, place) => state === before.states[place])) return before
          const triggers = new Map(Object.entries(all))
          for (const [place, id] of ids.entries()) triggers.set(idOf(id), updated(after, place))
          if (await lock.replace(fileText(triggers))) return before
        } finally {
          await lock.release()
        }
      }
      throw new UserError({ message: `${path}: too many concurrent runs write to it` })
    },
  }
}

/** @throws UserError if the file is not Hookline's, is invalid, or has a newer version */
function triggersIn(path: string, text: string): Triggers {
  const reset = `to start over, delete ${path}`
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    // `undefined` fails the check below, too.
  }
  const head = v.safeParse(headSchema, found)
  if (head.success && head.output.version > STATE_VERSION) {
    throw new UserError({
      message: `${path} was written by a newer version of Hookline`,
      notes: ['use that version here too', reset],
    })
  }
  const checked = v.safeParse(fileSchema, found)
  if (head.success && checked.success) return checked.output.triggers
  throw new UserError({ message: `${path} is not a state of Hookline, or broken`, notes: [reset] })
}

/** JSON with one claim in each line, so that a diff of two states is readable. */
function fileText(triggers: ReadonlyMap<string, TriggerState>): string {
  const parts = [...triggers].map(([name, { claims, ...rest }]) => {
    const lines = claims.map((claim) => `\n${JSON.stringify(claim)}`)
    const state = `${JSON.stringify(rest).slice(0, -1)},"claims":[${lines.join(',')}]}`
    return `\n${JSON.stringify(name)}:${state}`
  })
  return `{"format":"${FORMAT}","version":${STATE_VERSION},"triggers":{${parts.join(',')}}}\n`
}

/** Milliseconds until a lock expires that its owner does not renew. */
const EXPIRY = 5_000

const RENEWAL = 1_000

/** The most milliseconds that a run waits for the lock. */
const LONGEST_WAIT = 60_000

const LONGEST_PAUSE = 40

/**
 * Waits for the lock: the right to change the file, until another process takes it. A lock is free once its
 * owner has not renewed it for `EXPIRY`, by the file's time as well as by what this process observed.
 *
 * @throws UserError if other runs hold the lock for too long
 */
async function acquire(path: string, { files, now, sleep, random }: StorePlace) {
  const place = `${path}.lock`
  const token = files.unique()
  const isOwn = async () => (await files.read(place)) === token
  const began = now()
  let watched: { readonly what: string; readonly since: number } | undefined
  while (!(await files.create(place, token))) {
    const renewedAt = await files.renewedAt(place)
    const what = `${renewedAt} ${await files.read(place)}`
    if (watched?.what !== what) watched = { what, since: now() }
    const oldest = Math.min(watched.since, renewedAt ?? Infinity)
    if (now() - oldest > EXPIRY) {
      await files.remove(place)
    } else if (now() - began > LONGEST_WAIT) {
      throw new UserError({
        message: `${place}: other runs hold this lock, one after the other`,
        notes: ['delete the file if no run is at work'],
      })
    } else {
      await sleep(random() * LONGEST_PAUSE)
    }
  }
  const stopRenewing = files.keepRenewing(place, RENEWAL)
  return {
    /** @returns false, and changes nothing, if another process took the lock */
    async replace(text: string): Promise<boolean> {
      const written = `${path}.${token}.tmp`
      await files.write(written, text)
      if (await isOwn()) return files.rename(written, path)
      await files.remove(written)
      return false
    },
    async release() {
      stopRenewing()
      if (await isOwn()) await files.remove(place)
    },
  }
}

/** Temporary files that killed runs left behind. */
const LEFTOVER = new RegExp(`^\\.${UUID}\\.tmp$`)

async function removeLeftovers(path: string, files: Files): Promise<void> {
  const left = (await files.suffixes(path)).filter((suffix) => LEFTOVER.test(suffix))
  await Promise.all(left.map((suffix) => files.remove(path + suffix)))
}
