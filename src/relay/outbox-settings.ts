import { UserError } from '../wire/errors.ts'
import { type Environment, readSetting } from '../wire/settings.ts'
import type { OutboxLimits } from './outbox/event.ts'

export interface OutboxSettings {
  readonly limits: OutboxLimits
  /** Milliseconds that a sender waits for GitHub. */
  readonly responseTime: number
}

const HOUR = 3_600_000
const MB = 1024 * 1024

/** @throws UserError that names the invalid variable */
export function readOutboxSettings(env: Environment): OutboxSettings {
  if (readSetting(env, 'HOOKLINE_SEALING_KEYS') === undefined) {
    throw new UserError({
      message: 'HOOKLINE_SEALING_KEYS is missing',
      hint: 'The outbox encrypts what it stores. Create keys with: hookline keys create sealing',
    })
  }
  return {
    responseTime: readSetting(env, 'HOOKLINE_OUTBOX_RESPONSE_TIMEOUT_MS'),
    limits: {
      age: HOUR * readSetting(env, 'HOOKLINE_OUTBOX_MAX_AGE_HOURS'),
      events: readSetting(env, 'HOOKLINE_OUTBOX_MAX_EVENTS'),
      bytes: MB * readSetting(env, 'HOOKLINE_OUTBOX_MAX_MB'),
      copies: HOUR * readSetting(env, 'HOOKLINE_BATCH_COPIES_HOURS'),
    },
  }
}
