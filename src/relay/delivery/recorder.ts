import type { Runtime } from '../runtime.ts'
import type { NewDelivery } from '../store/delivery-rows.ts'
import type { ChangeLine } from './log-lines.ts'

/** Takes records after the response. */
export interface RecordPort {
  add(record: PendingRecord): void
}

interface PendingRecord {
  /** About the size of the row. */
  readonly bytes: number
  /** Encrypts the row: not while a sender waits. */
  row(): Promise<NewDelivery>
}

interface RecorderPorts extends Pick<Runtime, 'after' | 'now' | 'report'> {
  record(rows: readonly NewDelivery[]): Promise<void>
  log(line: ChangeLine): void
}

/** Rows of one transaction. */
const GROUP = 64

/** Milliseconds that a record waits for others. */
const DELAY = 50

/** Records and bytes that wait for the disk, at most; what comes beyond is not recorded. */
const MOST_WAITING = 4096
const MOST_BYTES = 32 * 1024 * 1024

/** Milliseconds between two lines of the log about records that were lost. */
const LOG_INTERVAL = 60_000

/**
 * Writes the records of many requests in one transaction, after their responses. A record that is lost in a
 * crash, or because the disk is slow, loses no event: GitHub has accepted it.
 */
export class DeliveryRecorder implements RecordPort {
  readonly #ports: RecorderPorts
  #waiting: PendingRecord[] = []
  #bytes = 0
  #writing: Promise<void> | undefined
  #cancel: (() => void) | undefined
  #lost = 0
  #loggedAt = Number.NEGATIVE_INFINITY

  constructor(ports: RecorderPorts) {
    this.#ports = ports
  }

  add(record: PendingRecord): void {
    if (this.#waiting.length >= MOST_WAITING || this.#bytes + record.bytes > MOST_BYTES) {
      this.#loses(1)
      return
    }
    this.#waiting.push(record)
    this.#bytes += record.bytes
    if (this.#waiting.length >= GROUP) this.#begin()
    else this.#cancel ??= this.#ports.after(DELAY, () => this.#begin())
  }

  /** Resolves when everything that was added is on disk, or lost. */
  async flush(): Promise<void> {
    this.#begin()
    await this.#writing
  }

  #begin(): void {
    this.#cancel?.()
    this.#cancel = undefined
    if (this.#waiting.length === 0) return
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.slice(0, GROUP)
      this.#waiting = this.#waiting.slice(GROUP)
      this.#bytes -= group.reduce((sum, { bytes }) => sum + bytes, 0)
      try {
        await this.#ports.record(await Promise.all(group.map((record) => record.row())))
      } catch (error) {
        this.#ports.report(error)
        this.#loses(group.length)
      }
    }
  }

  #loses(count: number): void {
    const { now, log } = this.#ports
    this.#lost += count
    if (now() - this.#loggedAt < LOG_INTERVAL) return
    this.#loggedAt = now()
    log({ level: 'error', change: 'unrecorded', events: this.#lost })
    this.#lost = 0
  }
}

/** Records each request by itself, where the runtime goes on with work after the response. */
export function recordEach({
  record,
  background,
  report,
}: Pick<RecorderPorts, 'record' | 'report'> & {
  background(work: Promise<void>): void
}): RecordPort {
  const write = async ({ row }: PendingRecord) => record([await row()])
  return { add: (pending) => background(write(pending).catch(report)) }
}
