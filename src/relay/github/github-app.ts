import { CompactSign, type CryptoKey } from 'jose'
import type { ServerVersion } from '../../wire/api-version.ts'
import { fromBase64 } from '../../wire/bytes.ts'
import {
  type Clock,
  fieldsOf,
  type GitHubCall,
  GitHubClient,
  type GitHubResponse,
  refusalOf,
} from '../../wire/github-api.ts'
import type { Repository } from '../../wire/path.ts'
import { Secret } from '../../wire/secret.ts'
import { BoundedCache } from '../bounded-cache.ts'
import { githubUnavailable, RelayError } from '../errors.ts'
import type { TokenPurpose, TokenRequest } from './credential.ts'
import { AGENT, relayError } from './send.ts'

/**
 * A GitHub App as the relay's githubCredential: https://docs.github.com/apps/creating-github-apps. For
 * each repository it makes itself a token that is good for that repository, for the one permission
 * that the event needs, and for an hour.
 *
 *   1. a JSON web token, signed with the App's key, says who asks
 *   2. GET /repos/{owner}/{repo}/installation      where the App is installed
 *   3. POST /app/installations/{id}/access_tokens  a token, narrowed
 */
interface AppOptions {
  /** The App's id, or its client id. */
  readonly id: string
  readonly key: CryptoKey
  readonly call: GitHubCall
  /** Base address of GitHub's API. */
  readonly apiUrl: URL
  readonly version?: ServerVersion | undefined
  /** Milliseconds until a token must be there. */
  readonly budget: number
  readonly clock: Clock
}

/** The least permission for each purpose. */
const PERMISSIONS = {
  repository_dispatch: { name: 'contents', access: 'write' },
  workflow_dispatch: { name: 'actions', access: 'write' },
  run_lookup: { name: 'actions', access: 'read' },
} as const satisfies Record<TokenPurpose, { name: string; access: string }>

type Permission = (typeof PERMISSIONS)[TokenPurpose]

interface Installation {
  readonly id: number
  /** The repository, as it is called now, or its number. */
  readonly selection: { readonly repositories: [string] } | { readonly repository_ids: [number] }
  /** The page on which its owner can change it. */
  readonly settings: string | undefined
  /** Milliseconds since 1970. */
  readonly until: number
}

interface Minted {
  readonly token: Secret
  /** Milliseconds since 1970. */
  readonly until: number
}

interface PendingToken {
  readonly minted: Promise<Minted>
  readonly deadline: number
}

const HOUR = 3_600_000
const EARLY = 5 * 60_000
/** Short, since a timer keeps a process from its end. */
const LOOK_AGAIN = 200
/** Repositories whose token is remembered. */
const MOST_TOKENS = 10_000
/** Repositories whose tokens are requested concurrently; GitHub allows 100 calls. */
const MOST_PENDING = 50

export class App {
  readonly #options: AppOptions
  readonly #tokens = new BoundedCache<string, Minted>(MOST_TOKENS)
  readonly #installations = new BoundedCache<string, Installation>(MOST_TOKENS)
  readonly #pending = new Map<string, PendingToken>()
  #page: string | undefined

  constructor(options: AppOptions) {
    this.#options = options
  }

  /**
   * A token for one repository and one kind of event: a remembered one, or the one that is being
   * asked for already.
   *
   * @throws RelayError saying what of the App is wrong, or that GitHub cannot be asked now
   */
  async token({ repository, event, refused }: TokenRequest): Promise<Secret> {
    const permission = PERMISSIONS[event]
    const key = `${fullName(repository).toLowerCase()} ${permission.name}: ${permission.access}`
    const known = this.#tokens.get(key)
    if (known && known.token !== refused && this.#now() < known.until) return known.token
    const pending = this.#pending.get(key)
    const minted = pending ? this.#join(key, pending) : this.#start(key, repository, permission)
    return (await minted).token
  }

  async #start(key: string, repository: Repository, permission: Permission): Promise<Minted> {
    if (this.#pending.size >= MOST_PENDING) this.#dropExpired()
    if (this.#pending.size >= MOST_PENDING) throw new RelayError('overloaded')
    const deadline = this.#now() + this.#options.budget
    const pending = { deadline, minted: this.#mint(repository, permission, deadline) }
    this.#pending.set(key, pending)
    try {
      const minted = await pending.minted
      this.#tokens.set(key, minted)
      return minted
    } finally {
      this.#removePending(key, pending)
    }
  }

  /**
   * At the edge a request that its sender gives up takes its calls with it, without a word to others
   * that wait for what they bring: so these do not wait beyond the time that it had.
   */
  async #join(key: string, pending: PendingToken): Promise<Minted> {
    for (;;) {
      const minted = await Promise.race([pending.minted, this.#options.clock.sleep(LOOK_AGAIN)])
      if (minted) return minted
      if (this.#now() < pending.deadline) continue
      this.#removePending(key, pending)
      throw githubUnavailable()
    }
  }

  #dropExpired(): void {
    const now = this.#now()
    for (const [key, { deadline }] of this.#pending) if (deadline < now) this.#pending.delete(key)
  }

  #removePending(key: string, pending: PendingToken): void {
    if (this.#pending.get(key) === pending) this.#pending.delete(key)
  }

  async #mint(repository: Repository, permission: Permission, deadline: number): Promise<Minted> {
    const name = fullName(repository).toLowerCase()
    const known = this.#installations.get(name)
    const isKnown = known !== undefined && this.#now() < known.until
    const installation = isKnown ? known : await this.#find(repository, deadline)
    const answer = await this.#askForToken(installation, permission, deadline)
    if (answer.status === 201) return this.#read(answer)
    this.#installations.delete(name)
    const isMissing = answer.status === 422 && NOT_GRANTED.test(answer.text)
    const mayHaveMoved = answer.status === 404 || answer.status === 422
    // The repository may have been renamed or moved, or the App reinstalled, since the lookup.
    if (isKnown && mayHaveMoved && !isMissing) return this.#mint(repository, permission, deadline)
    if (isMissing) {
      const { name: scope, access } = permission
      throw new RelayError('app_permission_missing', {
        message: `the relay's GitHub App has no permission to ${access} ${scope} in the repository`,
        hint: `Add the permission "${scope}: ${access}" in the settings of the App, then accept it at ${installation.settings ?? 'its settings'}.`,
      })
    }
    if (mayHaveMoved) throw await this.#notInstalled(repository, deadline)
    if (answer.status === 403 && SUSPENDED.test(answer.text)) throw suspended(installation)
    throw this.#refusal(answer)
  }

  #askForToken({ id, selection }: Installation, permission: Permission, deadline: number) {
    const wanted = { ...selection, permissions: { [permission.name]: permission.access } }
    const path = `/app/installations/${id}/access_tokens`
    return this.#ask(this.#questions(deadline), path, wanted)
  }

  #read(answer: GitHubResponse): Minted {
    const { token, expires_at } = fieldsOf(answer)
    const end = Date.parse(String(expires_at))
    if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) throw githubUnavailable()
    return { token: new Secret(token), until: (end || this.#now()) - EARLY }
  }

  /** The installation of the App for a repository. @throws RelayError when it is not */
  async #find(repository: Repository, deadline: number): Promise<Installation> {
    const questions = this.#questions(deadline)
    const path = `/repos/${fullName(repository)}/installation`
    const answer = await this.#ask(questions, path)
    if (answer.status === 404) throw await this.#notInstalled(repository, deadline)
    if (answer.status !== 200) throw this.#refusal(answer)
    const { id, html_url, suspended_at } = fieldsOf(answer)
    if (typeof id !== 'number') throw githubUnavailable()
    const settings = typeof html_url === 'string' ? html_url : undefined
    if (suspended_at) throw suspended({ settings })
    const selection = selectionAt(questions.movedTo ?? `/repos/${fullName(repository)}`)
    const installation = { id, selection, settings, until: this.#now() + HOUR }
    this.#installations.set(fullName(repository).toLowerCase(), installation)
    return installation
  }

  async #notInstalled(repository: Repository, deadline: number): Promise<RelayError> {
    this.#page ??= await this.#ownPage(deadline)
    const where = this.#page ? `${this.#page}/installations/new` : 'its page on GitHub'
    return new RelayError('app_not_installed', {
      message: `the relay's GitHub App is not installed on ${fullName(repository)}`,
      hint: `Install it at ${where}. Its owner must make the App public before another account can install it.`,
    })
  }

  async #ownPage(deadline: number): Promise<string | undefined> {
    const answer = await this.#ask(this.#questions(deadline), '/app')
    const { html_url } = answer.status === 200 ? fieldsOf(answer) : {}
    return typeof html_url === 'string' ? html_url : undefined
  }

  /** Asked as the App itself, each once: an event that waits for its token is tried again. */
  #questions(deadline: number): GitHubClient {
    const { id, key, clock } = this.#options
    const budget = Math.max(1, deadline - this.#now())
    return new GitHubClient(
      { ...this.#options, agent: AGENT },
      { budget, retryTime: 0, sideEffect: 'event' },
      async (refused) => (refused ? undefined : new Secret(await appJwt(id, key, clock.now()))),
    )
  }

  /** @throws RelayError when no answer came, or GitHub does not know the App by its key */
  async #ask(questions: GitHubClient, path: string, json?: object): Promise<GitHubResponse> {
    const question = json ? { body: JSON.stringify(json) } : ({ method: 'GET' } as const)
    const outcome = await questions.ask({ ...question, path, reads: true })
    const { answer } = outcome
    // A token can be requested twice, so it does not matter whether the first call arrived.
    if (!answer) throw githubUnavailable(outcome.accepted ? undefined : outcome.refusal.cause)
    if (answer.status === 401) throw unauthorized(answer, this.#options.clock.now())
    return answer
  }

  #refusal(answer: GitHubResponse): RelayError {
    const refusal = refusalOf(answer, this.#options.clock)
    return refusal?.kind === 'limited' ? relayError(refusal, answer) : githubUnavailable()
  }

  #now(): number {
    return this.#options.clock.now().getTime()
  }
}

/** GitHub redirects to a moved repository by `/repos/<owner>/<name>`, or by `/repositories/<number>`. */
function selectionAt(place: string): Installation['selection'] {
  const [, , ownerOrNumber, name] = place.split('/')
  return name === undefined ? { repository_ids: [Number(ownerOrNumber)] } : { repositories: [name] }
}

/** GitHub's texts: https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app */
const NOT_GRANTED = /permissions requested are not granted/i
const SUSPENDED = /suspended/i

function suspended({ settings = 'its settings' }: Pick<Installation, 'settings'>): RelayError {
  return new RelayError('app_not_installed', {
    message: "the installation of the relay's GitHub App is suspended",
    hint: `Unsuspend the installation at ${settings}.`,
  })
}

/** A minute is what the web token allows for; GitHub accepts none that ends in more than ten. */
const MOST_SKEW = 60_000

function unauthorized(answer: GitHubResponse, now: Date): RelayError {
  const skew = now.getTime() - Date.parse(answer.header('date') ?? '')
  if (Math.abs(skew) > MOST_SKEW) {
    const seconds = Math.round(Math.abs(skew) / 1000)
    const side = skew > 0 ? 'ahead of' : 'behind'
    return new RelayError('app_clock_skew', {
      hint: `Synchronize the clock with NTP: it is ${seconds} seconds ${side} GitHub's clock.`,
    })
  }
  return new RelayError('app_key_rejected')
}

/** @returns a JSON web token (RFC 7519) that is good for nine minutes */
function appJwt(id: string, key: CryptoKey, now: Date): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1000)
  // A minute early, since clocks differ.
  const claims = { iss: id, iat: seconds - 60, exp: seconds + 9 * 60 }
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .sign(key)
}

const PEM =
  /-----BEGIN (RSA )?PRIVATE KEY-----([\sA-Za-z0-9+/=]+)-----END (?:RSA )?PRIVATE KEY-----/

/**
 * The private key of an App as GitHub hands it out (PKCS#1), or as PKCS#8; line ends may be written
 * as `\n`, as files of environment variables want it.
 *
 * @throws Error when it is none
 */
export async function readAppKey(text: string): Promise<CryptoKey> {
  const [, isPkcs1, base64] = PEM.exec(text.replaceAll('\\n', '\n')) ?? []
  if (base64 === undefined) throw new TypeError('not a private key in PEM')
  const der = fromBase64(base64.replace(/\s+/g, ''))
  const pkcs8 = isPkcs1 ? wrapPkcs1(der) : der
  const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  return crypto.subtle.importKey('pkcs8', pkcs8, rsa, false, ['sign'])
}

/** The version and `rsaEncryption` of RFC 5208, section 5, which PKCS#8 puts before a key. */
const RSA_KEY = [0x02, 1, 0, 0x30, 13, 0x06, 9, 42, 134, 72, 134, 247, 13, 1, 1, 1, 0x05, 0]

/** WebCrypto knows PKCS#8 alone, which is PKCS#1 with a header. */
function wrapPkcs1(der: Uint8Array): Uint8Array<ArrayBuffer> {
  const octets = [...tagged(0x04, der.length), ...der]
  return new Uint8Array([...tagged(0x30, RSA_KEY.length + octets.length), ...RSA_KEY, ...octets])
}

/** A tag and its length in the two bytes that a key of at least 1,024 bits needs. */
function tagged(tag: number, length: number): number[] {
  return [tag, 0x82, length >> 8, length & 0xff]
}

function fullName({ owner, name }: Repository): string {
  return `${owner}/${name}`
}
