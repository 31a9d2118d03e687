import { type AddressWords, readAddress } from './address.ts'
import { UsageError, UserError } from './errors.ts'
import { isRepository } from './path.ts'
import { DISPATCH_MODES } from './payload.ts'
import { readToken, Secret, shownSetting } from './secret.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** How one variable of the environment is read. */
interface Setting<Value> {
  /** The text that stands for it where it is not set. */
  readonly preset?: string
  /** Another variable, which counts where this one is not set. */
  readonly or?: string
  /** @throws UserError naming the variable; UsageError for a word that is none of those allowed */
  readonly read: (text: string, name: string) => Value
}

/**
 * Every variable that Hookline reads, on any face. What each means is in `settings-help.ts`, by the
 * same names: a worker needs none of those texts.
 */
export const SETTINGS = {
  HOOKLINE_API_URL: {
    ...{ preset: 'https://api.github.com', or: 'GITHUB_API_URL' },
    read: address('an API', 'https://api.github.com, or https://github.example.com/api/v3'),
  },
  HOOKLINE_SERVER_URL: {
    preset: 'https://github.com',
    read: address('GitHub', 'https://github.com, or https://github.example.com'),
  },
  HOOKLINE_TELEGRAM_API_URL: {
    preset: 'https://api.telegram.org',
    read: address('a bot API', 'https://api.telegram.org'),
  },
  HOOKLINE_PUBLIC_URL: { read: address('a relay', 'https://relay.example.com') },
  HOOKLINE_FORGE: { read: word(['github', 'forgejo', 'gitea']) },
  HOOKLINE_REPOSITORY: { read: repository },

  HOOKLINE_GITHUB_TOKEN: { read: token },
  HOOKLINE_CREDENTIAL: { read: token },
  HOOKLINE_APP_ID: { read: appId },
  HOOKLINE_APP_KEY: { read: secret },
  HOOKLINE_ACCESS_KEYS: { read: accessKeys },
  HOOKLINE_SIGNING_KEYS: { read: plain },
  HOOKLINE_REVOKED_GRANTS: { preset: '', read: (text: string) => new Set(split(text)) },
  HOOKLINE_SEALING_KEYS: { read: plain },
  HOOKLINE_ADMIN_KEY: { read: token },
  HOOKLINE_DEV_KEY: { read: token },
  HOOKLINE_ACT: { preset: 'act', read: plain },
  HOOKLINE_WEBHOOK_SECRET: { read: secret },

  HOOKLINE_DISPATCH: {
    preset: 'repository',
    read: word(DISPATCH_MODES, 'workflow starts only the workflow that the URL names'),
  },
  HOOKLINE_WORKFLOW_REF: { read: plain },
  HOOKLINE_SCHEDULE: { read: plain },

  HOOKLINE_GITHUB_TIMEOUT_MS: { preset: '8000', read: wholeAbove0 },
  HOOKLINE_MAX_BODY_MEMORY_MB: { preset: '128', read: wholeAbove0 },
  HOOKLINE_MAX_CONNECTIONS: { preset: '5000', read: wholeAbove0 },
  HOOKLINE_OUTBOX: { read: plain },
  HOOKLINE_OUTBOX_RESPONSE_TIMEOUT_MS: { preset: '2500', read: whole(1, 60_000) },
  HOOKLINE_OUTBOX_MIN_INTERVAL_MS: { preset: '350', read: whole(0, 60_000) },
  HOOKLINE_OUTBOX_MAX_AGE_HOURS: { preset: '72', read: fraction(8760) },
  HOOKLINE_OUTBOX_MAX_EVENTS: { preset: '100000', read: whole(1, 10_000_000) },
  HOOKLINE_OUTBOX_MAX_MB: { preset: '256', read: fraction(1_000_000) },
  HOOKLINE_BATCH_COPIES_HOURS: { preset: '24', read: fraction(8760) },

  HOST: { preset: '127.0.0.1', read: plain },
  PORT: { preset: '3000', read: parsePort },
} as const satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof SETTINGS

type Value<Name extends SettingName> =
  | ReturnType<(typeof SETTINGS)[Name]['read']>
  | ((typeof SETTINGS)[Name] extends { readonly preset: string } ? never : undefined)

/**
 * What a variable says; its default where it is not set or empty, and `undefined` where it has none.
 *
 * @throws UserError naming the variable and what would do
 */
export function readSetting<Name extends SettingName>(env: Environment, name: Name): Value<Name> {
  const { read, preset, or }: Setting<unknown> = SETTINGS[name]
  const text = env[name] || (or && env[or]) || preset
  // The table has one type for each name, which the compiler cannot follow through an index.
  return (text === undefined ? undefined : read(text, name)) as Value<Name>
}

/** The text of the default, where there is one. */
export function settingDefault(name: SettingName): string | undefined {
  const { preset }: Setting<unknown> = SETTINGS[name]
  return preset
}

/** As it stands in the environment; absent where it is empty. For who hands it on. */
export function rawSetting(env: Environment, name: SettingName): string | undefined {
  return env[name] || undefined
}

function plain(text: string): string {
  return text
}

function secret(text: string): Secret {
  return new Secret(text)
}

function token(text: string, name: string): Secret {
  return readToken(name, text)
}

function accessKeys(text: string, name: string): readonly Secret[] {
  const keys = split(text)
  if (keys.length > 0) return keys.map((key) => new Secret(key))
  throw new UserError({
    message: `${name} is missing`,
    hint: 'make a key with: hookline keys create access',
  })
}

/** What commas or white space separate. */
export function split(text = ''): string[] {
  return text.split(/[\s,]+/).filter(Boolean)
}

function appId(id: string, name: string): string {
  if (/^[\w.-]{1,100}$/.test(id)) return id
  throw new UserError({
    message: `${name} is not the id of an App: ${shownSetting(id)}`,
    hint: "it is the number in the App's settings, or its client id",
  })
}

function address(of: string, example: string) {
  return (text: string, name: string): URL => {
    const words: AddressWords = { name, of, example }
    return readAddress(text, words)
  }
}

function word<Word extends string>(allowed: readonly Word[], more?: string) {
  return (text: string, name: string): Word => {
    const found = allowed.find((each) => each === text)
    if (found !== undefined) return found
    const close = allowed.find((each) => each === text.trim().toLowerCase().replace(/[-\s]/g, '_'))
    throw new UsageError({
      message: `${name} is none of ${allowed.join(', ')}: ${shownSetting(text)}`,
      hint: close === undefined ? (more ?? 'write one of them') : `did you mean ${close}?`,
    })
  }
}

/** @throws UserError when it is not `owner/name` */
function repository(text: string, name: string): string {
  return checkedRepository(text, name)
}

/** @param name of the variable that it stands in, where there is one */
export function checkedRepository(text: string, name?: string): string {
  if (text.endsWith('.git')) {
    throw new UserError({
      message: `${JSON.stringify(text)} is the address of a repository, and not its name`,
      hint: `write it as ${text.slice(0, -'.git'.length)}`,
    })
  }
  if (isRepository(text)) return text
  const found = JSON.stringify(text)
  throw new UserError({
    message: name ? `${name} is not a repository: ${found}` : `${found} is not a repository`,
    hint: 'write it as owner/name',
  })
}

function wholeAbove0(text: string, name: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw notANumber(text, name, 'a whole number above 0')
}

function whole(least: number, most: number) {
  return (text: string, name: string): number => {
    const value = Number(text)
    if (/^\d{1,9}$/.test(text) && value >= least && value <= most) return value
    throw notANumber(text, name, `a whole number from ${least} to ${most}`)
  }
}

/** May be as small as one likes, but not nothing. */
function fraction(most: number) {
  return (text: string, name: string): number => {
    const value = Number(text)
    if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text) && value > 0 && value <= most) return value
    throw notANumber(text, name, `a number above 0 to ${most}`)
  }
}

function notANumber(text: string, name: string, wanted: string): UserError {
  return new UserError({
    message: `${name} is not ${wanted}: ${shownSetting(text)}`,
    // A reader is told its own name.
    hint: `the default is ${settingDefault(name as SettingName)}`,
  })
}

/** @throws UserError for anything but a whole number from 0 to 65535 */
export function parsePort(text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value <= 65_535) return value
  throw new UserError({
    message: `${JSON.stringify(text)} is not a port`,
    hint: 'give a number from 0 to 65535; 0 takes a free one',
  })
}
