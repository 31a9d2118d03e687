import { createCipheriv } from 'node:crypto'
import { bugOf } from '../../wire/errors.ts'
import type { Environment } from '../../wire/settings.ts'
import { type Platform, type RelayConfig, steadyClock, systemClock } from '../config.ts'
import { dispatchTo } from '../dispatch.ts'
import type { RelayPorts } from '../ports.ts'
import { throughOutbox } from './accept.ts'
import { laneNames } from './lane.ts'
import type { OutboxView } from './operator.ts'
import { type OutboxLine, StorageError, type StorageFault } from './outbox.ts'
import { OutboxQueue } from './queue.ts'
import { type Cipher, sealEventsFor } from './sealed-event.ts'
import { readOutboxSettings } from './settings.ts'
import { openOutboxFile } from './sqlite.ts'

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

/**
 * The outbox of a relay on Node, in a file.
 *
 * @throws UserError for a setting that is wrong, or a file that cannot be used
 */
export async function openNodeOutbox(
  file: string,
  env: Environment,
  config: RelayConfig,
  given: { ports: RelayPorts; platform: Platform; write(line: string): void },
): Promise<NodeOutbox> {
  const { limits, acceptTime } = readOutboxSettings(env)
  const { outbox, fault, close } = await openOutboxFile(file)
  const { ports, platform, write } = given
  const { call, governors } = platform
  const { apiUrl, budget, credentials } = config
  const options = { call, apiUrl, budget, clock: systemClock }
  const { sealKeys: keys = [] } = credentials
  const [sealKey] = keys
  if (!sealKey) throw new TypeError('there is no key to seal with')
  const { report, tellDisk } = faultLog(write, () => queue.figures().waiting)
  const turns = laneTimers((lane) => void queue.run(lane))
  const queue: OutboxQueue = new OutboxQueue({
    outbox,
    keys,
    limits,
    credentials: ports.credentials,
    send: dispatchTo({ ...options, retryTime: 0, govern: governors.granted }),
    now: steadyNow,
    random: Math.random,
    wake: turns.set,
    log: (line) => write(JSON.stringify(line)),
    report,
  })
  const open = new Set<Promise<void>>()
  const dispatch = throughOutbox({
    ask: dispatchTo({ ...options, retryTime: acceptTime, govern: governors.live }),
    lanes: queue,
    seal: sealEventsFor(sealKey, NODE_CIPHER),
    laneOf: laneNames(),
    acceptTime,
    callTime: budget,
    now: steadyNow,
    random: Math.random,
    after: steadyClock.after,
    background: (work) => {
      open.add(work)
      void work.finally(() => open.delete(work))
    },
    report,
  })
  const check = setInterval(() => {
    tellDisk(fault())
    queue.check().catch(report)
  }, CHECK_INTERVAL).unref()
  return {
    ports: { ...ports, dispatch, report },
    view: {
      list: () => outbox.list(),
      find: (delivery) => outbox.find(delivery),
      replay: (delivery) => queue.replay(delivery),
      drop: (delivery) => queue.drop(delivery),
      figures: async () => queue.figures(),
    },
    start: () => queue.start(),
    close: async (patience) => {
      clearInterval(check)
      turns.clear()
      let cut: NodeJS.Timeout | undefined
      const late = new Promise((resolve) => {
        cut = setTimeout(resolve, patience)
      })
      // A call that is cut off is made again after the next start, with the same delivery id.
      await Promise.race([Promise.all([queue.stop(), ...open]), late])
      clearTimeout(cut)
      tellDisk(fault())
      close()
    },
  }
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
