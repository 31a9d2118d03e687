import { heldToken } from '../../relay/access-keys.ts'
import { type Credentials, isHeaderSafe, ownToken } from '../../relay/credentials.ts'
import { DEFAULT_BUDGET, type ForwardOptions, forwardTo } from '../../relay/forward.ts'
import type { LogEntry } from '../../relay/journal.ts'
import { type Pages, RELAY_PAGES } from '../../relay/pages.ts'
import type { PlatformPost } from '../../relay/platform.ts'
import type { RelayPorts } from '../../relay/relay.ts'
import { parseRepository, type Repository } from '../../relay/route.ts'
import { SEAL_KEYS_PATH } from '../../relay/seal.ts'
import { sealedTokens, sealKeysPage } from '../../relay/sealed-tokens.ts'
import { bugOf, UserError } from '../../wire/errors.ts'
import { Secret } from '../../wire/secret.ts'
import { systemClock } from '../system-clock.ts'
import { readAccessKeys, readSealKeys } from './relay-keys.ts'

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
    dispatch: forwardTo(forward),
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
