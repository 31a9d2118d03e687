import * as v from 'valibot'
import { UserError } from '../wire/errors.ts'
import { type Claim, kept, type TriggerId, type TriggerState, triggerStateSchema } from './store.ts'

/** Prefix of every folder of a branch: the version of the format. */
export const FOLDER_PREFIX = 'v2.'

/**
 * One folder for each trigger at the top level, because each further level adds an object to every
 * commit.
 */
export function folderOf({ workflow, trigger }: TriggerId): string {
  return `${FOLDER_PREFIX}${encodeURIComponent(workflow)}.${trigger}`
}

/** Contains the time of the last success and the cursor of a poll. */
const TIMES = 'times.json'

/**
 * The keys of a trigger are split into this many files; with 5,000 keys, each file has about 80
 * lines.
 */
const SHARDS = 64

/** The file of a key, by its FNV-1a hash. */
function shardOf(key: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  return ((hash >>> 0) % SHARDS).toString(16).padStart(2, '0')
}

const SHARD_NAME = /^[0-9a-f]{2}$/

/**
 * One line of JSON for a claim: key, run, time, whether it is done, and the mark of its delivery.
 */
function claimLine({ key, run, at, done, delivery }: Claim): string {
  const fields = [key, run, at, done ? 1 : 0]
  return JSON.stringify(delivery === undefined ? fields : [...fields, delivery])
}

const lineSchema = v.union([
  v.strictTuple([v.string(), v.string(), v.number(), v.picklist([0, 1])]),
  v.strictTuple([v.string(), v.string(), v.number(), v.picklist([0, 1]), v.string()]),
])

const timesSchema = v.omit(triggerStateSchema, ['claims'])

/**
 * The state that files contain. Claims beyond the limit are ignored, and disappear from a file with
 * its next write.
 *
 * @param naming how the user finds the files, and can start over
 * @throws UserError if a file is invalid
 */
export function stateFromFiles(
  files: ReadonlyMap<string, string>,
  { place, reset }: { readonly place: string; readonly reset: string },
): TriggerState {
  try {
    const times = v.parse(timesSchema, JSON.parse(files.get(TIMES) ?? '{"lastSuccess":null}'))
    const claims = [...files]
      .filter(([name]) => SHARD_NAME.test(name))
      .flatMap(([, text]) => text.split('\n').filter((line) => line !== ''))
      .map((line): Claim => {
        const [key, run, at, done, delivery] = v.parse(lineSchema, JSON.parse(line))
        const claim = { key, run, at, done: done === 1 }
        return delivery === undefined ? claim : { ...claim, delivery }
      })
    return { ...times, claims: kept(claims.sort((one, other) => one.at - other.at)) }
  } catch (cause) {
    const message = `${place} is not a state of Hookline, or broken`
    throw new UserError({ message, notes: [reset] }, { cause })
  }
}

/** The files that change with a new state, each with its whole content. */
export function changedFiles(
  files: ReadonlyMap<string, string>,
  before: TriggerState,
  after: TriggerState,
): ReadonlyMap<string, string> {
  const known = new Set(before.claims.map(claimLine))
  const touched = new Set(
    after.claims.filter((claim) => !known.has(claimLine(claim))).map(({ key }) => shardOf(key)),
  )
  const texts = new Map<string, string>()
  for (const claim of after.claims) {
    const shard = shardOf(claim.key)
    if (touched.has(shard)) texts.set(shard, `${texts.get(shard) ?? ''}${claimLine(claim)}\n`)
  }
  const { claims: _, ...times } = after
  const timesText = `${JSON.stringify(times)}\n`
  const hasTimes = times.lastSuccess !== null || times.cursor !== undefined
  if (hasTimes && files.get(TIMES) !== timesText) texts.set(TIMES, timesText)
  return texts
}
