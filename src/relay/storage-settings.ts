import { type Environment, rawSetting, readSetting } from '../wire/settings.ts'
import type { OutboxLimits } from './delivery/event.ts'
import { figure, MEGABYTE } from './figures.ts'

export interface StorageSettings {
  readonly limits: OutboxLimits
  /** Milliseconds that a sender waits for GitHub. */
  readonly responseTime: number
}

const HOUR = 3_600_000

/** Megabytes for events on Workers, where a database has at most 1 GB on the free plan. */
const MB_ON_WORKERS = 256

/** @throws UserError */
export function readStorageSettings(env: Environment, isOnWorkers = false): StorageSettings {
  const usual = isOnWorkers && rawSetting(env, 'HOOKLINE_MAX_STORAGE_MB') === undefined
  const megabytes = usual ? MB_ON_WORKERS : readSetting(env, 'HOOKLINE_MAX_STORAGE_MB')
  return {
    responseTime: figure(env, 'RESPONSE_TIMEOUT_MS'),
    limits: {
      age: HOUR * readSetting(env, 'HOOKLINE_MAX_AGE_HOURS'),
      events: figure(env, 'MAX_EVENTS'),
      bytes: MEGABYTE * megabytes,
      copies: 24 * HOUR * readSetting(env, 'HOOKLINE_RETENTION_DAYS'),
    },
  }
}
