import { type AddressWords, parseAddress, readAddress } from './address.ts'
import { UsageError, UserError } from './errors.ts'
import { isRepository } from './path.ts'
import { readToken, Secret, shownSetting } from './secret.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The forges whose API the relay can call, and whose runners can run compiled files. */
export const FORGES = ['github', 'forgejo', 'gitea'] as const

export type Forge = (typeof FORGES)[number]

interface Setting<Value> {
  /** The value if the variable is not set. */
  readonly default?: string
  /** A variable of another program, which is read if this one is not set. */
  readonly or?: string
  /** @throws UserError that names the variable; UsageError for a word that is not allowed */
  readonly read: (text: string, name: string) => Value
}

/** The variables of `hookline relay`, in the order of its help and of its page. */
const OF_RELAY = {
  HOOKLINE_GITHUB_TOKEN: { read: token },
  HOOKLINE_APP_ID: { read: appId },
  HOOKLINE_APP_KEY: { read: secret },
  HOOKLINE_ALLOW_TOKENS: { read: word(['true', 'false']) },
  HOOKLINE_REPOSITORY: { read: checkedRepository },
  HOOKLINE_API_URL: {
    default: 'https://api.github.com',
    or: 'GITHUB_API_URL',
    read: address('an API', 'https://api.github.com, or https://github.example.com/api/v3'),
  },
  HOOKLINE_DATA: { read: unparsed },
  HOOKLINE_RELAY_KEY: { read: secret },
  HOOKLINE_FORGE: { read: word(FORGES) },
  HOOKLINE_PUBLIC_URL: { read: address('a relay', 'https://relay.example.com') },
  HOOKLINE_MAX_BODY_MB: {
    default: '25',
    read: whole(1),
  },
  HOOKLINE_MAX_STORAGE_MB: {
    default: '1024',
    read: whole(1),
  },
  HOOKLINE_MAX_AGE_HOURS: {
    default: '72',
    read: whole(1),
  },
  HOOKLINE_RETENTION_DAYS: {
    default: '7',
    read: whole(0),
  },
  HOOKLINE_NOTIFY_URL: { read: httpsAddress },
  HOOKLINE_NOTIFY_SECRET: { read: notifySecret },
  HOOKLINE_NOTIFY: { read: word(['all']) },
} as const satisfies Record<string, Setting<unknown>>

/**
 * Every environment variable of Hookline: name, default and parser. Help, docs, and the warning about
 * unknown variables come from this table; `settings-help.ts` has the meanings.
 */
export const SETTINGS = {
  ...OF_RELAY,
  HOOKLINE_SERVER_URL: {
    default: 'https://github.com',
    read: address('GitHub', 'https://github.com, or https://github.example.com'),
  },
  HOOKLINE_TELEGRAM_API_URL: {
    default: 'https://api.telegram.org',
    read: address('a bot API', 'https://api.telegram.org'),
  },
  HOOKLINE_DEV_KEY: { read: token },
  HOOKLINE_ACT: {
    default: 'act',
    read: unparsed,
  },
  HOOKLINE_WEBHOOK_SECRET: { read: secret },
  HOST: {
    default: '127.0.0.1',
    read: unparsed,
  },
  PORT: {
    default: '3000',
    read: parsePort,
  },
} as const satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof SETTINGS

type SettingValue<Name extends SettingName> =
  | ReturnType<(typeof SETTINGS)[Name]['read']>
  | ((typeof SETTINGS)[Name] extends { readonly default: string } ? never : undefined)

export const RELAY_SETTINGS = Object.keys(OF_RELAY) as (keyof typeof OF_RELAY)[]

/**
 * The value of a variable. If it is not set or empty, this is its default, or `undefined` without one.
 *
 * @throws UserError that names the variable and its allowed values
 */
export function readSetting<Name extends SettingName>(
  env: Environment,
  name: Name,
): SettingValue<Name> {
  const { read, default: preset, or }: Setting<unknown> = SETTINGS[name]
  const text = env[name] || (or && env[or]) || preset
  // Each name has its own type, which the compiler cannot follow through an index.
  return (text === undefined ? undefined : read(text, name)) as SettingValue<Name>
}

/** The default of a variable, as text. */
export function settingDefault(name: SettingName): string | undefined {
  const setting: Setting<unknown> = SETTINGS[name]
  return setting.default
}

/** The unparsed value; `undefined` if the variable is empty. */
export function rawSetting(env: Environment, name: SettingName): string | undefined {
  return env[name] || undefined
}

function unparsed(text: string): string {
  return text
}

function secret(text: string): Secret {
  return new Secret(text)
}

function token(text: string, name: string): Secret {
  return readToken(name, text)
}

/** The address may contain a token, so no error shows it. */
function httpsAddress(text: string, name: string): URL {
  const url = parseAddress(text)
  if (url?.protocol === 'https:') return url
  throw new UserError({
    message: `${name} is not an https address`,
    hint: 'Write it without user, password and fragment: https://pager.example.com/hookline',
  })
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function notifySecret(text: string, name: string): Secret {
  if (/^whsec_(?:[A-Za-z\d+/]{4}){8,}(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(text)) {
    return new Secret(text)
  }
  throw new UserError({
    message: `${name} is not whsec_ and the base64 of at least 24 bytes`,
    hint: 'Create one: echo "whsec_$(openssl rand -base64 32)"',
  })
}

function appId(id: string, name: string): string {
  if (/^[\w.-]{1,100}$/.test(id)) return id
  throw new UserError({
    message: `${name} is not the id of an App: ${shownSetting(id)}`,
    hint: 'Use the App id or the client id from the settings page of the App.',
  })
}

function address(of: string, example: string) {
  return (text: string, name: string): URL => {
    const words: AddressWords = { name, of, example }
    return readAddress(text, words)
  }
}

function word<Word extends string>(allowed: readonly Word[]) {
  return (text: string, name: string): Word => {
    const found = allowed.find((each) => each === text)
    if (found !== undefined) return found
    const close = allowed.find((each) => each === text.trim().toLowerCase())
    throw new UsageError({
      message: `${name}: unknown value ${shownSetting(text)}`,
      hint: close === undefined ? 'Use one of the allowed values.' : `did you mean "${close}"?`,
      notes: [`allowed: ${allowed.join(', ')}`],
    })
  }
}

/**
 * @param name of the variable that contains the text; `undefined` for a flag
 * @throws UserError if the text is not `owner/name`
 */
export function checkedRepository(text: string, name?: string): string {
  if (text.endsWith('.git')) {
    throw new UserError({
      message: `${JSON.stringify(text)} is the address of a repository, not its name`,
      hint: `Write ${text.slice(0, -'.git'.length)}.`,
    })
  }
  if (isRepository(text)) return text
  const found = JSON.stringify(text)
  throw new UserError({
    message: name ? `${name} is not a repository: ${found}` : `${found} is not a repository`,
    hint: 'Write it as owner/name.',
  })
}

function whole(least: 0 | 1) {
  return (text: string, name: string): number => {
    if (/^(?:0|[1-9]\d{0,8})$/.test(text) && Number(text) >= least) return Number(text)
    throw new UserError({
      message: `${name} is not a whole number${least > 0 ? ' above 0' : ''}: ${shownSetting(text)}`,
      // Only parsers of this table call this function, with a name of the table.
      hint: `The default is ${settingDefault(name as SettingName)}.`,
    })
  }
}

/** @throws UserError for anything but a whole number from 0 to 65535 */
export function parsePort(text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value <= 65_535) return value
  throw new UserError({
    message: `${JSON.stringify(text)} is not a port`,
    hint: 'Use a number from 0 to 65535; 0 selects a free port.',
  })
}
