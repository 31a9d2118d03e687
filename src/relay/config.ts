import type { CryptoKey } from 'jose'
import { ServerVersion } from '../wire/api-version.ts'
import { bugOf, UsageError, UserError } from '../wire/errors.ts'
import type { Clock, GitHubCall } from '../wire/github-api.ts'
import { parseRepository, type Repository } from '../wire/path.ts'
import type { DispatchMode } from '../wire/payload.ts'
import type { Secret } from '../wire/secret.ts'
import {
  checkedRepository,
  type Environment,
  type Forge,
  rawSetting,
  readSetting,
} from '../wire/settings.ts'
import type { NotifySettings } from './delivery/notify.ts'
import { FIGURES, type Figures, MEGABYTE } from './figures.ts'
import { type CredentialOptions, type Credentials, createCredentials } from './github/credential.ts'
import { App, readAppKey } from './github/github-app.ts'
import { RateLimiters } from './github/rate-limiter.ts'
import { dispatchTo } from './github/send.ts'
import { RelayMetrics } from './metrics.ts'
import { DISCOVERY_PATH, discoveryPage, RELAY_PAGES } from './pages.ts'
import { Readiness } from './readiness.ts'
import type { Relay } from './relay.ts'
import type { DeliveryLimits } from './store/deliveries.ts'
import { BodyMemory } from './webhook/body.ts'
import type { LogEntry } from './webhook/request-log.ts'

/** How a relay is set up, on any runtime. */
export interface RelayConfig {
  readonly apiUrl: URL
  /** The version of the API that the server speaks, which all calls learn together. */
  readonly version: ServerVersion
  readonly figures: Figures
  /** True if a relay with its own GitHub credential accepts token URLs, too. */
  readonly allowsTokens: boolean
  readonly githubCredential: GitHubCredentialConfig | undefined
  readonly repository: Repository | undefined
  /** Which event starts the workflow of a token URL. */
  readonly dispatch: DispatchMode
  /** Detected if absent. */
  readonly forge: Forge | undefined
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
export async function readRelayConfig(
  env: Environment,
  flag?: string,
  figures: Partial<Figures> = {},
): Promise<RelayConfig> {
  const githubCredential = await readGitHubCredential(env)
  const named =
    flag === undefined ? readSetting(env, 'HOOKLINE_REPOSITORY') : checkedRepository(flag)
  const forge = readSetting(env, 'HOOKLINE_FORGE')
  const apiUrl = readSetting(env, 'HOOKLINE_API_URL')
  return {
    apiUrl,
    version: new ServerVersion(apiUrl),
    figures: { ...FIGURES, ...figures },
    // Forgejo and Gitea have no `repository_dispatch`.
    dispatch: forge === 'forgejo' || forge === 'gitea' ? 'workflow' : 'repository',
    forge,
    allowsTokens: readSetting(env, 'HOOKLINE_ALLOW_TOKENS') === 'true',
    githubCredential,
    repository: named === undefined ? undefined : parseRepository(named),
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
  { githubCredential, figures }: RelayConfig,
  call: GitHubCall,
): ForgeAccess {
  const metrics = new RelayMetrics()
  const { now, after } = steadyClock
  const isApp = githubCredential !== undefined && 'app' in githubCredential
  const { MIN_INTERVAL_MS: minInterval } = figures
  const ports = { now, after, date: systemClock.now, minInterval, metrics }
  return { call, metrics, rateLimiters: new RateLimiters(ports, isApp) }
}

export function githubOf({ apiUrl, version, forge, figures }: RelayConfig, call: GitHubCall) {
  return { call, apiUrl, version, budget: figures.GITHUB_TIMEOUT_MS, forge, clock: systemClock }
}

/** The parts that each runtime has of its own. */
interface RuntimeParts extends Pick<Relay, 'packers' | 'loadChecks'> {
  /** Only says what the discovery page shows. */
  readonly isStateless: boolean
}

export function statelessRelay(
  config: RelayConfig,
  { call, rateLimiters, metrics }: ForgeAccess,
  write: (line: string) => void,
  { packers, loadChecks, isStateless }: RuntimeParts,
): Relay {
  const { repository, figures, dispatch: dispatchMode, publicUrl } = config
  const discovery = discoveryPage({
    dispatch: dispatchMode,
    credential: credentialKind(config),
    stateless: isStateless,
    singleRepository: repository !== undefined,
  })
  return {
    send: dispatchTo({ ...githubOf(config, call), govern: rateLimiters.live }, metrics),
    store: undefined,
    credentials: credentialsOf(config, call),
    repository,
    dispatchMode,
    pages: new Map([...RELAY_PAGES, [DISCOVERY_PATH, discovery]]),
    readiness: new Readiness({ now: steadyClock.now, servesOne: repository !== undefined }),
    metrics,
    bodyMemory: new BodyMemory(figures.MAX_BODY_MEMORY_MB * MEGABYTE),
    packers,
    loadChecks,
    publicUrl,
    pause: () => systemClock.sleep(0),
    now: systemClock.now,
    newDelivery: () => crypto.randomUUID(),
    log: (entry: LogEntry) => write(JSON.stringify(entry)),
    report: (error) => write(JSON.stringify({ error: bugOf(error) })),
  }
}

export function credentialKind({ githubCredential }: RelayConfig): 'none' | 'token' | 'app' {
  if (githubCredential === undefined) return 'none'
  return 'app' in githubCredential ? 'app' : 'token'
}

/** @param findEndpoint of a relay with a database */
export function credentialsOf(
  config: RelayConfig,
  call: GitHubCall,
  findEndpoint?: CredentialOptions['findEndpoint'],
): Credentials {
  const { githubCredential, allowsTokens } = config
  const options = { allowsTokens, findEndpoint }
  if (!githubCredential) return createCredentials(options)
  if ('token' in githubCredential) {
    const { token: githubToken } = githubCredential
    const own = { githubToken, token: async () => githubToken }
    return createCredentials({ ...options, githubCredential: own })
  }
  // Half of the time of an event, so that some is left for another try.
  const budget = Math.ceil(config.figures.GITHUB_TIMEOUT_MS / 2)
  const app = new App({ ...githubCredential.app, ...githubOf(config, call), budget })
  return createCredentials({ ...options, githubCredential: app })
}

/** @throws UserError or UsageError for settings that do not fit together, or are incomplete */
async function readGitHubCredential(env: Environment): Promise<GitHubCredentialConfig | undefined> {
  const [id, key] = [readSetting(env, 'HOOKLINE_APP_ID'), readSetting(env, 'HOOKLINE_APP_KEY')]
  const token = readSetting(env, 'HOOKLINE_GITHUB_TOKEN')
  if (!id && !key) return token && { token }
  if (token) {
    throw new UsageError({
      message: 'HOOKLINE_GITHUB_TOKEN cannot be combined with HOOKLINE_APP_ID',
      hint: 'Unset one of them. A GitHub App needs no token.',
    })
  }
  if (!id || !key) {
    throw new UserError({
      message: `${id ? 'HOOKLINE_APP_KEY' : 'HOOKLINE_APP_ID'} is missing`,
      hint: 'Set both: the id of the App, and the private key from its settings page.',
    })
  }
  try {
    return { app: { id, key: await readAppKey(key.reveal()) } }
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

export interface StorageSettings {
  readonly limits: DeliveryLimits
  /** Milliseconds until an event that GitHub does not accept becomes a dead letter. */
  readonly age: number
  /** Milliseconds that a sender waits for GitHub. */
  readonly responseTime: number
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

/** Time that passes, by the machine: it never jumps. */
export const steadyClock = {
  now: () => performance.now(),
  after: (milliseconds: number, back: () => void) => {
    const timer = setTimeout(back, milliseconds)
    return () => clearTimeout(timer)
  },
}

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  random: () => Math.random(),
}
