import { UserError } from '../wire/errors.ts'
import { type Environment, readSetting } from '../wire/settings.ts'
import { figure, MEGABYTE } from './figures.ts'
import type { OutboxLimits } from './outbox/event.ts'

export interface OutboxSettings {
  readonly limits: OutboxLimits
  /** Milliseconds that a sender waits for GitHub. */
  readonly responseTime: number
}

const HOUR = 3_600_000

/** @throws UserError without a key */
export function readOutboxSettings(env: Environment): OutboxSettings {
  if (readSetting(env, 'HOOKLINE_SEALING_KEYS') === undefined) {
    throw new UserError({
      message: 'HOOKLINE_SEALING_KEYS is missing',
      hint: 'The outbox encrypts what it stores. Create a key: openssl rand -base64 32',
    })
  }
  return {
    responseTime: figure(env, 'RESPONSE_TIMEOUT_MS'),
    limits: {
      age: HOUR * figure(env, 'MAX_AGE_HOURS'),
      events: figure(env, 'MAX_EVENTS'),
      bytes: MEGABYTE * figure(env, 'MAX_MB'),
      copies: HOUR * figure(env, 'BATCH_COPIES_HOURS'),
    },
  }
}
