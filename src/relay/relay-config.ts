import type { CryptoKey } from 'jose'
import { bugOf, type Problem, UsageError, UserError } from '../wire/errors.ts'
import type { Clock, GitHubCall } from '../wire/github-api.ts'
import type { DispatchMode } from '../wire/payload.ts'
import type { Secret } from '../wire/secret.ts'
import {
  checkedRepository,
  type Environment,
  type Forge,
  rawSetting,
  readSetting,
  type SettingName,
} from '../wire/settings.ts'
import { createCredentials, type GitHubCredential } from './credentials/credentials.ts'
import { App, readAppKey } from './credentials/github-app.ts'
import { readSealingKeys, type SealingKey } from './credentials/sealing-key.ts'
import { figure, MEGABYTE } from './figures.ts'
import { countingRefusals, dispatchTo } from './github/dispatch.ts'
import { RateLimiters } from './github/rate-limiter.ts'
import type { LogEntry } from './http/request-log.ts'
import { DISCOVERY_PATH, discoveryPage } from './pages/discovery.ts'
import { RelayMetrics } from './pages/metrics.ts'
import { type Pages, RELAY_PAGES } from './pages/pages.ts'
import { Readiness } from './pages/readiness.ts'
import { BodyMemory, type RelayPorts } from './relay-ports.ts'
import { parseRepository, type Repository } from './request/route.ts'

/** How a relay is set up, on any runtime. */
export interface RelayConfig {
  readonly apiUrl: URL
  /** Milliseconds for all tries of one event. */
  readonly budget: number
  /** The first one seals, all of them open. */
  readonly sealingKeys: readonly SealingKey[]
  /** True if a relay with its own GitHub credential accepts token URLs, too. */
  readonly allowsTokens: boolean
  readonly githubCredential: GitHubCredentialConfig | undefined
  readonly pages: Pages
  readonly repository?: Repository
  /** Which event starts the workflow of a token URL. */
  readonly dispatch: DispatchMode
  /** Detected if absent. */
  readonly forge: Forge | undefined
  /** Bytes of all request bodies in memory together. */
  readonly bodyMemory: number
  /** Address of this relay as senders see it. */
  readonly publicUrl: string | undefined
}

/** The relay's own GitHub credential: a token or a GitHub App. */
type GitHubCredentialConfig =
  | { readonly token: Secret }
  | { readonly app: { readonly id: string; readonly key: CryptoKey } }

/**
 * @param flag `owner/name`, which wins over `HOOKLINE_REPOSITORY`
 * @throws UserError naming the variable that is wrong
 */
export async function readRelayConfig(env: Environment, flag?: string): Promise<RelayConfig> {
  const sealSet = readSetting(env, 'HOOKLINE_SEALING_KEYS')
  const sealingKeys = sealSet === undefined ? [] : await readSealingKeys(sealSet)
  checkCredentialSettings(env)
  const named =
    flag === undefined ? readSetting(env, 'HOOKLINE_REPOSITORY') : checkedRepository(flag)
  const forge = readSetting(env, 'HOOKLINE_FORGE')
  return {
    apiUrl: readSetting(env, 'HOOKLINE_API_URL'),
    budget: figure(env, 'GITHUB_TIMEOUT_MS'),
    // Forgejo and Gitea have no `repository_dispatch`.
    dispatch: forge === 'forgejo' || forge === 'gitea' ? 'workflow' : 'repository',
    forge,
    bodyMemory: figure(env, 'MAX_BODY_MEMORY_MB') * MEGABYTE,
    sealingKeys,
    allowsTokens: readSetting(env, 'HOOKLINE_ALLOW_TOKENS') === 'true',
    githubCredential: await readGitHubCredential(env),
    pages: RELAY_PAGES,
    ...(named !== undefined && { repository: parseRepository(named) }),
    publicUrl: readSetting(env, 'HOOKLINE_PUBLIC_URL')?.href,
  }
}

/** The parts that all calls of GitHub in one process or isolate share. */
export interface ForgeAccess {
  readonly call: GitHubCall
  readonly rateLimiters: RateLimiters
  readonly metrics: RelayMetrics
}

export function sharedGitHub(
  env: Environment,
  { githubCredential }: RelayConfig,
  call: GitHubCall,
): ForgeAccess {
  const metrics = new RelayMetrics()
  const { now, after } = steadyClock
  const isApp = githubCredential !== undefined && 'app' in githubCredential
  const minInterval = figure(env, 'MIN_INTERVAL_MS')
  const ports = { now, after, date: systemClock.now, minInterval, metrics }
  return { call, metrics, rateLimiters: new RateLimiters(ports, isApp) }
}

/** The ports of a relay towards GitHub. `outbox` only says whether the relay has one. */
export function relayPorts(
  config: RelayConfig,
  { call, rateLimiters, metrics }: ForgeAccess,
  write: (line: string) => void,
  {
    packers,
    loadChecks,
    outbox = false,
  }: Pick<RelayPorts, 'packers' | 'loadChecks'> & { outbox?: boolean } = {},
): RelayPorts {
  const { repository, apiUrl, budget, forge, dispatch: dispatchMode, publicUrl } = config
  const { now } = systemClock
  const options = { call, apiUrl, budget, forge, clock: systemClock, govern: rateLimiters.live }
  return {
    dispatch: countingRefusals(dispatchTo(options), metrics),
    metrics,
    credentials: createCredentials({
      ...githubCredentialOf(config, call),
      allowsTokens: config.allowsTokens,
    }),
    pages: new Map([...config.pages, [DISCOVERY_PATH, discoveryOf(config, outbox)]]),
    ...(repository && { repository }),
    dispatchMode,
    publicUrl,
    readiness: new Readiness({ now: steadyClock.now, servesOne: repository !== undefined }),
    bodies: new BodyMemory(config.bodyMemory),
    ...(packers && { packers }),
    ...(loadChecks && { loadChecks }),
    now,
    newDelivery: () => crypto.randomUUID(),
    log: (entry: LogEntry) => write(JSON.stringify(entry)),
    report: (error) => write(JSON.stringify({ error: bugOf(error) })),
  }
}

function discoveryOf({ githubCredential, dispatch, repository }: RelayConfig, outbox: boolean) {
  const kind = githubCredential === undefined ? 'none' : 'app' in githubCredential ? 'app' : 'token'
  const singleRepository = repository !== undefined
  return discoveryPage({ dispatch, credential: kind, outbox, singleRepository })
}

/**
 * Checks that the credential settings fit together and are complete.
 *
 * @throws UserError or UsageError
 */
function checkCredentialSettings(env: Environment): void {
  const at = (name: SettingName) => rawSetting(env, name)
  const token = at('HOOKLINE_GITHUB_TOKEN')
  const [id, key] = [at('HOOKLINE_APP_ID'), at('HOOKLINE_APP_KEY')]
  const app = id || key
  if (app && token) {
    throw new UsageError({
      message: 'HOOKLINE_GITHUB_TOKEN cannot be combined with HOOKLINE_APP_ID',
      hint: 'Unset one of them. A GitHub App needs no token.',
    })
  }
  if (app && (!id || !key)) {
    throw new UserError({
      message: `${id ? 'HOOKLINE_APP_KEY' : 'HOOKLINE_APP_ID'} is missing`,
      hint: 'Set both: the id of the App, and the private key from its settings page.',
    })
  }
}

async function readGitHubCredential(env: Environment): Promise<GitHubCredentialConfig | undefined> {
  const [id, key] = [readSetting(env, 'HOOKLINE_APP_ID'), readSetting(env, 'HOOKLINE_APP_KEY')]
  if (id && key) return { app: { id, key: await readAppKeyOf(key.reveal()) } }
  const token = readSetting(env, 'HOOKLINE_GITHUB_TOKEN')
  return token && { token }
}

async function readAppKeyOf(pem: string): Promise<CryptoKey> {
  try {
    return await readAppKey(pem)
  } catch (cause) {
    throw new UserError(
      {
        message: 'HOOKLINE_APP_KEY is not a private key',
        hint: 'Set it to the content of the .pem file from the settings page of the App, from -----BEGIN to END-----.',
      },
      { cause },
    )
  }
}

function githubCredentialOf(
  { githubCredential, apiUrl, budget }: RelayConfig,
  call: GitHubCall,
): { readonly githubCredential?: GitHubCredential } {
  if (!githubCredential) return {}
  if ('app' in githubCredential) {
    // Half of the time of an event, so that some is left for another try.
    const options = { apiUrl, budget: Math.ceil(budget / 2), call, clock: systemClock }
    return { githubCredential: new App({ ...githubCredential.app, ...options }) }
  }
  const { token } = githubCredential
  return { githubCredential: { githubToken: token, token: async () => token } }
}

/** Shorter keys can be guessed, because the relay does not limit attempts. */
const SHORTEST_SAFE_KEY = 20

/** Warnings about keys that work, and that can be guessed. */
export function weakKeyProblems(env: Environment): readonly Problem[] {
  const key = readSetting(env, 'HOOKLINE_ADMIN_KEY')?.reveal()
  if (key === undefined || key.length >= SHORTEST_SAFE_KEY) return []
  return [
    {
      message: `HOOKLINE_ADMIN_KEY has fewer than ${SHORTEST_SAFE_KEY} characters, so it can be guessed`,
      hint: 'Create a longer one: openssl rand -base64 32',
    },
  ]
}

/** Time that passes, by the machine: it never jumps. */
export const steadyClock = {
  now: () => performance.now(),
  after: (milliseconds: number, back: () => void) => {
    const timer = setTimeout(back, milliseconds)
    return () => clearTimeout(timer)
  },
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  random: () => Math.random(),
}
