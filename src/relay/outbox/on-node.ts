import { createCipheriv } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bugOf } from '../../wire/errors.ts'
import { type Environment, readSetting } from '../../wire/settings.ts'
import { type Platform, type RelayConfig, steadyClock, systemClock } from '../config.ts'
import { Readiness } from '../endpoints/readiness.ts'
import { countingRefusals, dispatchTo, type Govern } from '../github/dispatch.ts'
import type { RelayPorts } from '../ports.ts'
import { PACK } from '../request/client-payload.ts'
import { throughOutbox } from './accept.ts'
import { OutboxActions } from './actions.ts'
import { collectInto } from './collect.ts'
import { holderOfLane, laneNames, ownerOf } from './lane.ts'
import { type OutboxView, SHOWN_STATES } from './operator.ts'
import { type OutboxLine, StorageError, type StorageFault } from './outbox.ts'
import { OutboxQueue } from './queue.ts'
import { SharedRoom } from './room.ts'
import { type Cipher, sealEventsFor } from './sealed-event.ts'
import { readOutboxSettings } from './settings.ts'
import { type OutboxFile, openOutboxFile } from './sqlite.ts'

export interface NodeOutbox {
  /** Those of a relay without outbox, but that its events go through it. */
  readonly ports: RelayPorts
  readonly view: OutboxView
  /** Begins to hand over what waits from before. */
  start(): Promise<void>
  /** Lets open calls end, for so many milliseconds, and closes the file. What waits stays there. */
  close(patience: number): Promise<void>
}

const CHECK_INTERVAL = 60_000

/** Milliseconds that a disk has to close the file, at least. */
const CLOSING_TIME = 1000

/**
 * The outbox of a relay on Node, in a file.
 *
 * @throws UserError for a setting that is wrong, or a file that cannot be used
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one story, some lines longer
export async function openNodeOutbox(
  file: string,
  env: Environment,
  config: RelayConfig,
  given: { ports: RelayPorts; platform: Platform; write(line: string): void },
): Promise<NodeOutbox> {
  const { limits, acceptTime } = readOutboxSettings(env)
  const { ports, platform, write } = given
  const { governors, metrics } = platform
  const { sealingKeys: keys = [], revoked = new Set() } = config.credentials
  const [sealingKey] = keys
  if (!sealingKey) throw new TypeError('there is no key to seal with')
  const opened = await openOutboxFile(file)
  const { outbox, fault } = opened
  const { report, tellDisk } = faultLog(write, () => queue.figures().waiting)
  const log = (line: OutboxLine) => write(JSON.stringify(line))
  const turns = laneTimers((lane) => void queue.run(lane))
  const calls = { call: platform.call, apiUrl: config.apiUrl, budget: config.budget }
  const dispatcher = (retryTime: number, govern: Govern) =>
    countingRefusals(dispatchTo({ ...calls, clock: systemClock, retryTime, govern }), metrics)
  const clock = { now: steadyNow, random: Math.random }
  const room = new SharedRoom(limits)
  const queue: OutboxQueue = new OutboxQueue({
    ...{
      outbox,
      room,
      keys,
      revoked,
      age: limits.age,
      pace: readSetting(env, 'HOOKLINE_OUTBOX_MIN_INTERVAL_MS'),
      ...clock,
    },
    credentials: ports.credentials,
    send: dispatcher(0, governors.granted),
    wake: turns.set,
    turn: async (lane) => {
      await governors.of(holderOfLane(lane), ownerOf(lane)).turn()
      return 0
    },
    ...{ log, report, newId: ports.newDelivery, pack: ports.packers?.at(-1) ?? PACK },
    loadBatches: () => import('./batches.ts'),
  })
  const open = new Set<Promise<void>>()
  const seal = sealEventsFor(sealingKey, NODE_CIPHER)
  const laneOf = laneNames(governors)
  const dispatch = throughOutbox({
    ask: dispatcher(acceptTime, governors.live),
    ...{ lanes: queue, seal, laneOf },
    ...{ acceptTime, callTime: config.budget, ...clock, after: steadyClock.after },
    background: (work) => {
      open.add(work)
      void work.finally(() => open.delete(work))
    },
    ...{ log, report },
  })
  const closeFile = async () => {
    tellDisk(await fault().catch(() => undefined))
    await opened.close()
  }
  const check = setInterval(() => {
    void fault().then(tellDisk, report)
    queue.check().catch(report)
  }, CHECK_INTERVAL).unref()
  return {
    ports: {
      ...ports,
      dispatch,
      collect: collectInto({ lanes: queue, seal, laneOf }),
      report,
      readiness: new Readiness({
        now: steadyClock.now,
        servesOne: ports.repository !== undefined,
        shortage: async () => {
          if (await fault()) return 'disk'
          return room.isFull ? 'outbox_full' : undefined
        },
      }),
    },
    view: nodeView(opened, queue),
    start: () => queue.start(),
    close: async (patience) => {
      clearInterval(check)
      turns.clear()
      const end = performance.now() + patience
      // A call that is cut off is made again after the next start, with the same delivery id.
      await within(patience, Promise.all([queue.stop(), ...open]))
      // Neither does a disk that does not answer keep the process: what it wrote is whole.
      const left = Math.max(CLOSING_TIME, end - performance.now())
      await within(left, closeFile())
    },
  }
}

function nodeView({ outbox, backup }: OutboxFile, queue: OutboxQueue): OutboxView {
  const actions = new OutboxActions({ outbox, queue, now: steadyNow })
  return {
    list: async ({ cursor, ...query }) => {
      const after = cursor === undefined ? -1 : Number(cursor)
      const events = await outbox.list({ ...query, states: SHOWN_STATES, after })
      const last = events.length === query.limit ? events.at(-1) : undefined
      return { events, next: last && String(last.seq) }
    },
    find: (delivery) => outbox.find(delivery),
    replay: (delivery) => actions.replay(delivery),
    separate: (delivery) => actions.separate(delivery),
    replayAll: (filter) => actions.replayAll(filter),
    drop: (delivery) => actions.drop(delivery),
    dropAll: (filter) => actions.dropAll(filter),
    figures: async () => queue.figures(),
    backup: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'hookline-backup-'))
      const copy = join(folder, 'outbox.db')
      await backup(copy)
      return readAndRemove(copy, folder)
    },
  }
}

async function* readAndRemove(file: string, folder: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Resolves when the work is done, or was not within so many milliseconds. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let cut: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    cut = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, late])
  clearTimeout(cut)
}

/** A fault of the disk meets every request: it is told when it begins, and when it is over. */
function faultLog(write: (line: string) => void, waiting: () => number) {
  let told: StorageFault | undefined
  const tellDisk = (fault: StorageError | undefined) => {
    if (fault?.reason === told) return
    told = fault?.reason
    const time = new Date(steadyNow()).toISOString()
    const line: OutboxLine = { time, outbox: 'disk', reason: told ?? 'well', events: waiting() }
    write(JSON.stringify(line))
  }
  const report = (error: unknown) => {
    if (error instanceof StorageError) tellDisk(error)
    else write(JSON.stringify({ error: bugOf(error) }))
  }
  return { report, tellDisk }
}

/** Works in this thread: to hand an event to another one and back costs more than its encryption. */
export const NODE_CIPHER: Cipher = {
  withKey: (secret) => (content, iv, additionalData) => {
    const cipher = createCipheriv('aes-256-gcm', secret, iv).setAAD(additionalData)
    return Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()])
  },
  base64url: ({ buffer, byteOffset, length }) =>
    Buffer.from(buffer, byteOffset, length).toString('base64url'),
}

/** One timer a lane. */
function laneTimers(run: (lane: string) => void) {
  const timers = new Map<string, NodeJS.Timeout>()
  return {
    set: (lane: string, delay: number) => {
      clearTimeout(timers.get(lane))
      const wake = () => {
        timers.delete(lane)
        run(lane)
      }
      timers.set(lane, setTimeout(wake, delay))
    },
    clear: () => {
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}

/** The time as it was when the process started, and what has passed since: it never jumps. */
function steadyNow(): number {
  return Math.round(performance.timeOrigin + performance.now())
}
