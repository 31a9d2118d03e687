import type { JWK } from 'jose'
import { bugOf, type Problem, UserError } from '../wire/errors.ts'
import { isObject } from '../wire/json.ts'
import { Secret } from '../wire/secret.ts'
import { heldToken } from './access-keys.ts'
import { type Pages, RELAY_PAGES } from './answers.ts'
import { type Credentials, isHeaderSafe, ownToken } from './credentials.ts'
import {
  type Clock,
  DEFAULT_BUDGET,
  dispatchTo,
  type ForwardOptions,
  type PlatformPost,
} from './github.ts'
import type { LogEntry } from './log.ts'
import type { RelayPorts } from './relay.ts'
import { parseRepository, type Repository } from './route.ts'
import { readSealKey, SEAL_KEYS_PATH, type SealKey } from './seal.ts'
import { sealedTokens, sealKeysPage } from './sealed-tokens.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** How a relay is set up, on any runtime. */
export interface RelayConfig {
  readonly apiUrl: URL
  /** Milliseconds for all tries of one event. */
  readonly budget: number
  readonly credentials: Credentials
  readonly pages: Pages
  readonly repository?: Repository
}

/** @throws UserError naming the variable that is wrong */
export async function readRelayConfig(env: Environment, repository?: string): Promise<RelayConfig> {
  const sealKeys = env.HOOKLINE_SEAL_KEYS ? await readSealKeys(env.HOOKLINE_SEAL_KEYS) : []
  const unsealed = await readCredentials(env)
  const sealing = sealKeys.length > 0
  return {
    apiUrl: readApiUrl(env),
    budget: readBudget(env.HOOKLINE_UPSTREAM_TIMEOUT_MS),
    credentials: sealing ? sealedTokens(sealKeys, unsealed, systemClock.now) : unsealed,
    pages: sealing
      ? new Map([...RELAY_PAGES, [SEAL_KEYS_PATH, sealKeysPage(sealKeys)]])
      : RELAY_PAGES,
    ...(repository && { repository: readRepository(repository) }),
  }
}

/** The ports of a relay towards GitHub. */
export function relayPorts(
  config: RelayConfig,
  post: PlatformPost,
  write: (line: string) => void,
): RelayPorts {
  const { credentials, pages, repository, apiUrl, budget } = config
  const forward: ForwardOptions = { post, apiUrl, budget, clock: systemClock }
  return {
    dispatch: dispatchTo(forward),
    credentials,
    pages,
    ...(repository && { repository }),
    now: systemClock.now,
    newDelivery: () => crypto.randomUUID(),
    log: (entry: LogEntry) => write(JSON.stringify(entry)),
    report: (error) => write(JSON.stringify({ error: bugOf(error) })),
  }
}

/** @throws UserError when the variable is no address */
export function readApiUrl({ HOOKLINE_API_URL, GITHUB_API_URL }: Environment): URL {
  const text = HOOKLINE_API_URL || GITHUB_API_URL || 'https://api.github.com'
  const url = URL.canParse(text) ? new URL(text) : undefined
  const plain = url && !url.username && !url.password && !url.search && !url.hash
  if (plain && /^https?:$/.test(url.protocol)) return url
  throw new UserError({
    message: `HOOKLINE_API_URL is not the address of an API: ${JSON.stringify(text)}`,
    hint: 'it looks like https://api.github.com, or https://github.example.com/api/v3',
  })
}

function readBudget(text: string | undefined): number {
  if (!text) return DEFAULT_BUDGET
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new UserError({
    message: `HOOKLINE_UPSTREAM_TIMEOUT_MS is no number of milliseconds: ${JSON.stringify(text)}`,
    hint: `the default is ${DEFAULT_BUDGET}`,
  })
}

async function readCredentials({
  HOOKLINE_TOKEN,
  HOOKLINE_KEYS,
}: Environment): Promise<Credentials> {
  if (!HOOKLINE_TOKEN && !HOOKLINE_KEYS) return ownToken
  if (!HOOKLINE_TOKEN || !HOOKLINE_KEYS) {
    throw new UserError({
      message: `${HOOKLINE_TOKEN ? 'HOOKLINE_KEYS' : 'HOOKLINE_TOKEN'} is missing`,
      hint: 'a relay that holds the token needs both: the token, and the keys that requests bring',
    })
  }
  if (!isHeaderSafe(HOOKLINE_TOKEN)) {
    throw new UserError({
      message: 'HOOKLINE_TOKEN holds a character that no token has',
      hint: 'look for a line end or a space around it',
    })
  }
  return heldToken(readAccessKeys(HOOKLINE_KEYS), new Secret(HOOKLINE_TOKEN))
}

/** @throws UserError when it is not `owner/name` */
export function readRepository(text: string): Repository {
  try {
    return parseRepository(text)
  } catch (cause) {
    throw new UserError(
      { message: `${JSON.stringify(text)} is no repository`, hint: 'write it as owner/name' },
      { cause },
    )
  }
}

/**
 * A JWK, an array of them, or a JWK set: as `hookline keys new` prints it.
 *
 * @throws UserError when it is none of them
 */
export async function readSealKeys(text: string): Promise<readonly SealKey[]> {
  try {
    return await Promise.all(jwksIn(JSON.parse(text)).map(readSealKey))
  } catch (cause) {
    throw new UserError(
      {
        message: 'HOOKLINE_SEAL_KEYS holds no sealing keys',
        hint: 'make them with: hookline keys new',
      },
      { cause },
    )
  }
}

function jwksIn(value: unknown): readonly JWK[] {
  const all = isObject(value) && Array.isArray(value.keys) ? value.keys : [value].flat()
  // `readSealKey` refuses what is no key.
  return all as readonly JWK[]
}

/** Shorter keys can be found by trying, since nothing slows a caller down. */
const SHORTEST_SAFE_KEY = 20

/**
 * Keys separated by commas or white space.
 *
 * @throws UserError when there is none
 */
export function readAccessKeys(text: string | undefined): readonly Secret[] {
  const keys = split(text)
  if (keys.length > 0) return keys.map((key) => new Secret(key))
  throw new UserError({
    message: 'HOOKLINE_KEYS is missing',
    hint: 'make a key with: hookline keys access',
  })
}

/** What to tell about keys that work, but could be guessed. */
export function weakKeyProblems(text: string | undefined): readonly Problem[] {
  if (split(text).every((key) => key.length >= SHORTEST_SAFE_KEY)) return []
  return [
    {
      message: `HOOKLINE_KEYS holds a key of fewer than ${SHORTEST_SAFE_KEY} characters, which can be guessed`,
      hint: 'make one with: hookline keys access',
    },
  ]
}

function split(text = ''): string[] {
  return text.split(/[\s,]+/).filter(Boolean)
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  random: () => Math.random(),
}
