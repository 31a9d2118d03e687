import { createPublicKey, type KeyObject, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { jwtVerify } from 'jose'
import { rsaKeys } from './rsa.ts'

/** An installation of the App. */
export interface InstalledAt {
  readonly id: number
  /** Names of its repositories, which have one owner. */
  readonly repositories: readonly string[]
  readonly owner: string
  readonly permissions: Readonly<Record<string, string>>
  readonly suspended?: boolean
}

export interface AppCall {
  readonly method: string
  readonly url: string
  readonly body: unknown
  readonly status: number
}

/** A stand-in for GitHub's API for Apps, on a real socket. */
export interface AppPlatform {
  readonly url: string
  readonly calls: AppCall[]
  installations: InstalledAt[]
  /** Old full name in lower case, and the new one. */
  renamed: Map<string, { id: number; fullName: string }>
  /** Milliseconds by which its clock differs from this machine's. */
  skew: number
  /** Milliseconds before it responds. */
  delay: number
  /** Responses that replace the usual ones, one for each call. */
  readonly next: { status: number; headers?: Record<string, string>; body?: object }[]
  /** Revokes all tokens. */
  revokeTokens(): void
  /** Forgets the calls and all settings of a test; tokens remain valid. */
  reset(): void
  close(): Promise<void>
}

/** A key pair as GitHub creates it for an App: the private key as PKCS#1. */
export const APP_KEYS = rsaKeys('app')

export const APP_ID = '424242'
export const PKCS1 = APP_KEYS.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
export const PKCS8 = APP_KEYS.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

interface Token {
  readonly repositories: readonly string[]
  readonly permissions: Readonly<Record<string, string>>
  readonly owner: string
  readonly end: number
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly bearer: string
  readonly body: Record<string, unknown>
}

interface Answered {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: object | undefined
}

export const INSTALLED: InstalledAt = {
  id: 7,
  owner: 'owner',
  repositories: ['repo', 'other'],
  permissions: { contents: 'write', metadata: 'read' },
}

export async function startAppPlatform(
  key: KeyObject = createPublicKey(PKCS1),
): Promise<AppPlatform> {
  const tokens = new Map<string, Token>()
  const server = createServer(async (request, response) => {
    const asked = await read(request)
    const date = new Date(Date.now() + platform.skew)
    const { status, headers, body } =
      platform.next.shift() ?? (await answer(platform, tokens, key, asked, date))
    platform.calls.push({ method: asked.method, url: asked.path, body: asked.body, status })
    if (platform.delay > 0) await sleep(platform.delay, undefined, { ref: false })
    const json = body === undefined ? undefined : JSON.stringify(body)
    response.writeHead(status, { date: date.toUTCString(), ...headers }).end(json)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const platform: AppPlatform = {
    url: `http://127.0.0.1:${port}`,
    calls: [],
    next: [],
    ...blank(),
    revokeTokens: () => tokens.clear(),
    reset: () => {
      platform.calls.length = 0
      platform.next.length = 0
      Object.assign(platform, blank())
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return platform
}

function blank() {
  return { installations: [INSTALLED], renamed: new Map(), skew: 0, delay: 0 }
}

const NOT_FOUND: Answered = { status: 404, body: { message: 'Not Found' } }

async function answer(
  platform: AppPlatform,
  tokens: Map<string, Token>,
  key: KeyObject,
  asked: Asked,
  date: Date,
): Promise<Answered> {
  const [path = ''] = asked.path.split('?')
  const moved = movedTo(platform, path)
  if (moved) return moved
  if (/^\/(?:repos\/[^/]+\/[^/]+|repositories\/\d+)\/(?:dispatches|actions\/)/.test(path)) {
    return dispatch(platform, tokens, asked.bearer, path, date)
  }
  const refusal = await refusedJwt(key, asked.bearer, date)
  if (refusal) return { status: 401, body: { message: refusal } }
  if (path === '/app')
    return { status: 200, body: { slug: 'hooks', html_url: `${platform.url}/apps/hooks` } }
  const [, id] = /^\/app\/installations\/(\d+)\/access_tokens$/.exec(path) ?? []
  if (id !== undefined) return mint(platform, tokens, Number(id), asked.body, date)
  return installationAt(platform, path)
}

/** Redirects from an old name to the number of the repository, as GitHub does. */
function movedTo({ renamed, url }: AppPlatform, path: string): Answered | undefined {
  const [, name = '', rest = ''] = /^\/repos\/([^/]+\/[^/]+)(.*)$/.exec(path) ?? []
  const now = renamed.get(name.toLowerCase())
  if (!now) return undefined
  const status = rest.endsWith('dispatches') ? 307 : 301
  return { status, headers: { location: `${url}/repositories/${now.id}${rest}` } }
}

function nameOf({ renamed }: AppPlatform, path: string): string | undefined {
  const [, name] = /^\/repos\/([^/]+\/[^/]+)/.exec(path) ?? []
  const [, id] = /^\/repositories\/(\d+)/.exec(path) ?? []
  return name ?? [...renamed.values()].find((now) => String(now.id) === id)?.fullName
}

function installationAt(platform: AppPlatform, path: string): Answered {
  const name = nameOf(platform, path)?.toLowerCase()
  if (!path.endsWith('/installation')) {
    // An App's JWT only gives access to the App itself.
    return { status: 403, body: { message: 'Resource not accessible by integration' } }
  }
  const found = platform.installations.find(({ owner, repositories }) =>
    repositories.some((repository) => `${owner}/${repository}`.toLowerCase() === name),
  )
  if (!found) return NOT_FOUND
  const { id, permissions, suspended } = found
  const html_url = `${platform.url}/settings/installations/${id}`
  const suspended_at = suspended ? '2026-01-01T00:00:00Z' : null
  return { status: 200, body: { id, permissions, html_url, suspended_at } }
}

/** GitHub's rules for limiting a token. */
function mint(
  platform: AppPlatform,
  tokens: Map<string, Token>,
  id: number,
  { repositories, repository_ids, permissions }: Record<string, unknown>,
  date: Date,
): Answered {
  const found = platform.installations.find((installation) => installation.id === id)
  if (!found) return NOT_FOUND
  if (found.suspended) {
    return { status: 403, body: { message: 'This installation has been suspended' } }
  }
  const named = [...strings(repositories), ...namesOf(platform, repository_ids)]
  if (named.some((name) => !found.repositories.includes(name))) {
    const message =
      'There is at least one repository that does not exist or is not accessible to the parent installation.'
    return { status: 422, body: { message } }
  }
  const wanted = (permissions ?? found.permissions) as Record<string, string>
  const order = ['read', 'write']
  const isGranted = Object.entries(wanted).every(
    ([name, level]) => order.indexOf(found.permissions[name] ?? '') >= order.indexOf(level),
  )
  if (!isGranted) {
    const message = 'The permissions requested are not granted to this installation.'
    return { status: 422, body: { message } }
  }
  const token = `ghs_${APP_ID}_${randomUUID()}.${randomUUID()}`
  const end = date.getTime() + 3_600_000
  const all = named.length > 0 ? named : found.repositories
  tokens.set(token, { repositories: all, permissions: wanted, owner: found.owner, end })
  return { status: 201, body: { token, expires_at: new Date(end).toISOString() } }
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function namesOf({ renamed }: AppPlatform, ids: unknown): string[] {
  return strings(ids).map((id) => {
    const now = [...renamed.values()].find((repository) => String(repository.id) === id)
    return now?.fullName.split('/')[1] ?? ''
  })
}

function dispatch(
  platform: AppPlatform,
  tokens: Map<string, Token>,
  bearer: string,
  path: string,
  date: Date,
): Answered {
  const token = tokens.get(bearer)
  if (!token || token.end <= date.getTime()) {
    return { status: 401, body: { message: 'Bad credentials' } }
  }
  const name = nameOf(platform, path)?.toLowerCase()
  const isReached = token.repositories.some(
    (repository) => `${token.owner}/${repository}`.toLowerCase() === name,
  )
  if (!isReached) return NOT_FOUND
  const needed = path.includes('/actions/') ? 'actions' : 'contents'
  if (token.permissions[needed] !== 'write') {
    return { status: 403, body: { message: 'Resource not accessible by integration' } }
  }
  return { status: 204 }
}

/** Why GitHub would reject a JWT; `undefined` if it would accept it. */
async function refusedJwt(key: KeyObject, bearer: string, date: Date): Promise<string | undefined> {
  try {
    const { payload } = await jwtVerify(bearer, key, {
      algorithms: ['RS256'],
      issuer: APP_ID,
      currentDate: date,
    })
    const { iat = 0, exp = 0 } = payload
    const now = Math.floor(date.getTime() / 1000)
    if (iat > now) return "'Issued at' claim ('iat') is in the future"
    if (exp > now + 600) return "'Expiration time' claim ('exp') is too far in the future"
    return undefined
  } catch {
    return 'A JSON web token could not be decoded'
  }
}

async function read(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const { method = '', url = '', headers } = request
  const bearer = headers.authorization?.replace(/^Bearer /, '') ?? ''
  return { method, path: url, bearer, body: text === '' ? {} : JSON.parse(text) }
}
