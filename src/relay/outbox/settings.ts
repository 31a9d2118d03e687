import { UserError } from '../../wire/errors.ts'
import { shownSetting } from '../../wire/secret.ts'
import type { OutboxLimits } from './outbox.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface OutboxSettings {
  readonly limits: OutboxLimits
  /** Milliseconds that a sender waits for GitHub. */
  readonly acceptTime: number
}

const HOUR = 3_600_000
const MB = 1024 * 1024

/** @throws UserError naming the variable that is wrong */
export function readOutboxSettings(env: Environment): OutboxSettings {
  if (!env.HOOKLINE_SEAL_KEYS) {
    throw new UserError({
      message: 'HOOKLINE_SEAL_KEYS is missing',
      hint: 'what the outbox keeps is sealed; make keys with: npx hookline keys new',
    })
  }
  return {
    acceptTime: number(env, 'HOOKLINE_ACCEPT_MS', 2500, { whole: true, least: 1, most: 60_000 }),
    limits: {
      pace: readPace(env),
      age: HOUR * number(env, 'HOOKLINE_OUTBOX_HOURS', 24, { least: 0, most: 8760 }),
      events: number(env, 'HOOKLINE_OUTBOX_EVENTS', 10_000, {
        whole: true,
        least: 1,
        most: 10_000_000,
      }),
      bytes: MB * number(env, 'HOOKLINE_OUTBOX_MB', 256, { least: 0, most: 1_000_000 }),
    },
  }
}

/**
 * Milliseconds from one call of an authority to its next while something waits.
 *
 * @throws UserError
 */
export function readPace(env: Environment): number {
  return number(env, 'HOOKLINE_OUTBOX_PACE_MS', 350, { whole: true, least: 0, most: 60_000 })
}

interface Range {
  readonly whole?: boolean
  readonly least: number
  readonly most: number
}

function number(env: Environment, name: string, standard: number, range: Range): number {
  const text = env[name]
  if (!text) return standard
  const { whole, least, most } = range
  const value = Number(text)
  const isNumber = (whole ? /^\d{1,9}$/ : /^\d{1,9}(?:\.\d{1,9})?$/).test(text)
  // A fraction may be as small as one likes, but nothing is kept for no time at all.
  if (isNumber && value <= most && (whole ? value >= least : value > least)) return value
  const kind = whole ? 'a whole number' : 'a number'
  throw new UserError({
    message: `${name} is not ${kind} ${whole ? `from ${least}` : `above ${least}`} to ${most}: ${shownSetting(text)}`,
    hint: `the default is ${standard}`,
  })
}
