import type { CryptoKey, JWK } from 'jose'
import { bugOf, type Problem, UsageError, UserError } from '../wire/errors.ts'
import type { Clock, GitHubCall } from '../wire/github-api.ts'
import { isObject } from '../wire/json.ts'
import type { DispatchMode } from '../wire/payload.ts'
import type { Secret } from '../wire/secret.ts'
import {
  checkedRepository,
  type Environment,
  type Forge,
  rawSetting,
  readSetting,
  type SettingName,
  splitList,
} from '../wire/settings.ts'
import {
  type CredentialOptions,
  createCredentials,
  type GitHubCredential,
} from './credentials/credentials.ts'
import { App, readAppKey } from './credentials/github-app.ts'
import { readSigningKey, type SigningKey } from './credentials/grant.ts'
import {
  readSealingKey,
  SEALING_KEYS_PATH,
  type SealingKey,
  sealingKeysPage,
} from './credentials/seal.ts'
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
  readonly credentials: Omit<CredentialOptions, 'now' | 'githubCredential'>
  readonly githubCredential: GitHubCredentialConfig | undefined
  readonly pages: Pages
  readonly repository?: Repository
  /** Which event starts the workflow, where the credential does not say. */
  readonly dispatch: DispatchMode
  /** Detected if absent. */
  readonly forge: Forge | undefined
  /** Branch or tag that a workflow is started on, where the credential does not say. */
  readonly ref?: string
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
  const signSet = readSetting(env, 'HOOKLINE_SIGNING_KEYS')
  const sealingKeys = sealSet === undefined ? [] : await readSealingKeys(sealSet)
  const signingKeys = signSet === undefined ? [] : await readSigningKeys(signSet)
  const accessKeys = readSetting(env, 'HOOKLINE_ACCESS_KEYS') ?? []
  checkCredentialSettings(env)
  const page = [SEALING_KEYS_PATH, sealingKeysPage(sealingKeys)] as const
  const named =
    flag === undefined ? readSetting(env, 'HOOKLINE_REPOSITORY') : checkedRepository(flag)
  const ref = readSetting(env, 'HOOKLINE_WORKFLOW_REF')
  const revoked = readSetting(env, 'HOOKLINE_REVOKED_GRANTS')
  return {
    apiUrl: readSetting(env, 'HOOKLINE_API_URL'),
    budget: readSetting(env, 'HOOKLINE_GITHUB_TIMEOUT_MS'),
    dispatch: readSetting(env, 'HOOKLINE_DISPATCH'),
    forge: readSetting(env, 'HOOKLINE_FORGE'),
    ...(ref !== undefined && { ref }),
    bodyMemory: readSetting(env, 'HOOKLINE_MAX_BODY_MEMORY_MB') * MEGABYTE,
    credentials: { sealingKeys, signingKeys, accessKeys, revoked },
    githubCredential: await readGitHubCredential(env),
    pages: sealingKeys.length > 0 ? new Map([...RELAY_PAGES, page]) : RELAY_PAGES,
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

/** @throws UserError when `HOOKLINE_OUTBOX_MIN_INTERVAL_MS` is wrong */
export function sharedGitHub(
  env: Environment,
  { githubCredential }: RelayConfig,
  call: GitHubCall,
): ForgeAccess {
  const metrics = new RelayMetrics()
  const { now, after } = steadyClock
  const isApp = githubCredential !== undefined && 'app' in githubCredential
  const minInterval = readSetting(env, 'HOOKLINE_OUTBOX_MIN_INTERVAL_MS')
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
  const { repository, apiUrl, budget, forge, dispatch: dispatchMode, ref, publicUrl } = config
  const { now } = systemClock
  const options = { call, apiUrl, budget, forge, clock: systemClock, govern: rateLimiters.live }
  return {
    dispatch: countingRefusals(dispatchTo(options), metrics),
    metrics,
    credentials: createCredentials({
      ...config.credentials,
      ...githubCredentialOf(config, call),
      now,
    }),
    pages: new Map([...config.pages, [DISCOVERY_PATH, discoveryOf(config, outbox)]]),
    ...(repository && { repository }),
    dispatchMode,
    ref,
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

function discoveryOf(
  { githubCredential, dispatch, pages, repository }: RelayConfig,
  outbox: boolean,
) {
  const kind = githubCredential === undefined ? 'none' : 'app' in githubCredential ? 'app' : 'token'
  const seal = pages.has(SEALING_KEYS_PATH) ? SEALING_KEYS_PATH : null
  const singleRepository = repository !== undefined
  return discoveryPage({ dispatch, credential: kind, outbox, singleRepository, seal })
}

const MEGABYTE = 1024 * 1024

/**
 * Checks that the credential settings fit together and are complete.
 *
 * @throws UserError or UsageError
 */
function checkCredentialSettings(env: Environment): void {
  const at = (name: SettingName) => rawSetting(env, name)
  const [token, keys] = [at('HOOKLINE_GITHUB_TOKEN'), at('HOOKLINE_ACCESS_KEYS')]
  const signingKeys = at('HOOKLINE_SIGNING_KEYS')
  // With both, the admin creates endpoints, which need no other key.
  const hasEndpoints = at('HOOKLINE_ADMIN_KEY') && at('HOOKLINE_SEALING_KEYS')
  const [id, key] = [at('HOOKLINE_APP_ID'), at('HOOKLINE_APP_KEY')]
  const app = id || key
  if (app && token) {
    throw new UsageError({
      message: 'HOOKLINE_GITHUB_TOKEN cannot be combined with HOOKLINE_APP_ID',
      hint: 'Unset one of them. A GitHub App needs no token.',
    })
  }
  if (app && keys) {
    throw new UsageError({
      message: 'HOOKLINE_ACCESS_KEYS cannot be combined with HOOKLINE_APP_ID',
      hint: 'Unset HOOKLINE_ACCESS_KEYS, because an access key would open every repository of the App. Use grants: hookline keys create signing, then hookline grant.',
    })
  }
  if (app && (!id || !key)) {
    throw new UserError({
      message: `${id ? 'HOOKLINE_APP_KEY' : 'HOOKLINE_APP_ID'} is missing`,
      hint: 'Set both: the id of the App, and the private key from its settings page.',
    })
  }
  if (app && !signingKeys && !hasEndpoints) {
    throw new UserError({
      message: 'HOOKLINE_SIGNING_KEYS is missing',
      hint: 'With a GitHub App, each request carries a grant. Create the keys that sign grants: hookline keys create signing',
    })
  }
  if (token && !keys && !signingKeys && !hasEndpoints) {
    throw new UserError({
      message: 'HOOKLINE_GITHUB_TOKEN needs HOOKLINE_ACCESS_KEYS or HOOKLINE_SIGNING_KEYS',
      hint: 'Create keys: hookline keys create access, or hookline keys create signing. If each request carries its own GitHub token, unset HOOKLINE_GITHUB_TOKEN.',
    })
  }
  if (!app && !token && (keys || signingKeys)) {
    throw new UserError({
      message: 'access keys and grants need a GitHub credential of the relay',
      hint: 'Set HOOKLINE_GITHUB_TOKEN, or HOOKLINE_APP_ID and HOOKLINE_APP_KEY.',
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

/**
 * A JWK, an array of them, or a JWK set: as `hookline keys create sealing` prints it.
 *
 * @throws UserError when it is none of them
 */
export async function readSealingKeys(text: string): Promise<readonly SealingKey[]> {
  try {
    return await Promise.all(jwksIn(JSON.parse(text)).map(readSealingKey))
  } catch (cause) {
    throw new UserError(
      {
        message: 'HOOKLINE_SEALING_KEYS contains no sealing key',
        hint: 'Create one: hookline keys create sealing',
      },
      { cause },
    )
  }
}

/**
 * A JWK, an array of them, or a JWK set: as `hookline keys create signing` prints it.
 *
 * @throws UserError when it is none of them
 */
export async function readSigningKeys(text: string): Promise<readonly SigningKey[]> {
  try {
    const keys = await Promise.all(jwksIn(JSON.parse(text)).map(readSigningKey))
    if (keys.length > 0) return keys
  } catch {
    // Said below: the cause could quote the key.
  }
  throw new UserError({
    message: 'HOOKLINE_SIGNING_KEYS contains no signing key',
    hint: 'Create one: hookline keys create signing',
  })
}

function jwksIn(value: unknown): readonly JWK[] {
  const all = isObject(value) && Array.isArray(value.keys) ? value.keys : [value].flat()
  // `readSealingKey` refuses what is not a key.
  return all as readonly JWK[]
}

/** Shorter keys can be guessed, because the relay does not limit attempts. */
const SHORTEST_SAFE_KEY = 20

/** Warnings about keys that work, and that can be guessed. */
export function weakKeyProblems(env: Environment): readonly Problem[] {
  const weak = ['HOOKLINE_ACCESS_KEYS', 'HOOKLINE_ADMIN_KEY'].filter((name) =>
    splitList(env[name]).some((key) => key.length < SHORTEST_SAFE_KEY),
  )
  return weak.map((name) => ({
    message: `${name} contains a key with fewer than ${SHORTEST_SAFE_KEY} characters, which can be guessed`,
    hint: 'Create a longer one: hookline keys create access',
  }))
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
