import { UserError } from '../wire/errors.ts'
import { type Environment, rawSetting, readSetting } from '../wire/settings.ts'
import type { NotifySettings } from './delivery/notify.ts'
import { type Figures, MEGABYTE } from './figures.ts'
import type { DeliveryLimits } from './store/deliveries.ts'

/** How a relay with a database stores and delivers. */
export interface StorageSettings {
  readonly limits: DeliveryLimits
  /** Milliseconds until an event that GitHub does not accept becomes a dead letter. */
  readonly age: number
  /** Milliseconds that a sender waits for GitHub. */
  readonly responseTime: number
  /** The most bytes of one large body. */
  readonly mostBodyBytes: number
  readonly notify: NotifySettings | undefined
}

const HOUR = 3_600_000

/** Megabytes on Workers, where a database has at most 1 GB on the free plan. */
const MB_ON_WORKERS = 256

/** Share of the room for one owner whose events come with GitHub tokens. */
const OWNER_SHARE = 1 / 8

/** @throws UserError */
export function readStorageSettings(
  env: Environment,
  figures: Figures,
  isOnWorkers = false,
): StorageSettings {
  const usual = isOnWorkers && rawSetting(env, 'HOOKLINE_MAX_STORAGE_MB') === undefined
  const megabytes = usual ? MB_ON_WORKERS : readSetting(env, 'HOOKLINE_MAX_STORAGE_MB')
  return {
    limits: {
      events: figures.MAX_EVENTS,
      bytes: MEGABYTE * megabytes,
      // An object on Workers has one owner.
      ownerShare: isOnWorkers ? 1 : OWNER_SHARE,
      retention: 24 * HOUR * readSetting(env, 'HOOKLINE_RETENTION_DAYS'),
    },
    age: HOUR * readSetting(env, 'HOOKLINE_MAX_AGE_HOURS'),
    responseTime: figures.RESPONSE_TIMEOUT_MS,
    mostBodyBytes: MEGABYTE * readSetting(env, 'HOOKLINE_MAX_BODY_MB'),
    notify: readNotifySettings(env),
  }
}

/** @throws UserError if a setting is missing */
function readNotifySettings(env: Environment): NotifySettings | undefined {
  const url = readSetting(env, 'HOOKLINE_NOTIFY_URL')
  const secret = readSetting(env, 'HOOKLINE_NOTIFY_SECRET')
  if ((url === undefined) !== (secret === undefined)) {
    throw new UserError({
      message: `${url ? 'HOOKLINE_NOTIFY_SECRET' : 'HOOKLINE_NOTIFY_URL'} is missing`,
      hint: 'Set both. Create a secret: echo "whsec_$(openssl rand -base64 32)"',
    })
  }
  const all = readSetting(env, 'HOOKLINE_NOTIFY') === 'all'
  return url && secret && { url, secret, all }
}
