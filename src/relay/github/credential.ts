import { headerValue, type RawHeaders, TOKEN_HEADERS } from '../../wire/headers.ts'
import { LIMITS } from '../../wire/limits.ts'
import { PARAMETER, type Repository, type ReservedParameters } from '../../wire/path.ts'
import type { DispatchEvent } from '../../wire/payload.ts'
import { isHeaderSafe, Secret, sameText } from '../../wire/secret.ts'
import { BoundedCache } from '../bounded-cache.ts'
import { RelayError } from '../errors.ts'
import type { CheckClaims, Endpoint } from '../store/endpoint-settings.ts'

/** What a token is for: to start runs by an event, or to look for runs. */
export type TokenPurpose = DispatchEvent | 'run_lookup'

export interface TokenRequest {
  readonly repository: Repository
  readonly event: TokenPurpose
  /** One that GitHub called 401, so that it is not given again. */
  readonly refused?: Secret | undefined
}

/** The origin of the GitHub token of a request. */
export interface TokenSource {
  /**
   * @returns `undefined` where no platform is asked
   * @throws RelayError when there is none now
   */
  token(wanted: TokenRequest): Promise<Secret | undefined>
}

/**
 * How a request gets the token for the calls to GitHub. The form of its URL decides:
 *
 *   a token URL          the caller's GitHub token, in a header or in the query
 *   the URL of an endpoint  the token that is stored with it, or the relay's own GitHub credential
 */
export interface Credentials {
  /**
   * The credential of a token URL.
   *
   * @param presented the token of the request; `hookline dev` does not call GitHub, and needs none
   * @throws RelayError 401
   */
  open(presented: Secret | undefined): Promise<Credential>
  /**
   * The credential of a stored endpoint: its token, or the relay's own GitHub credential.
   *
   * @throws RelayError 401 `credential_revoked` if it has neither
   */
  ofEndpoint(endpoint: Endpoint): Promise<Credential>
  /**
   * The relay's own GitHub credential.
   *
   * @throws RelayError 401 `credential_revoked` if the relay no longer has one
   */
  own(): Promise<Credential>
  /**
   * A credential that was opened earlier and stored. That of an endpoint is the one that the endpoint has
   * now.
   *
   * @throws RelayError 401 `credential_revoked` if the relay no longer has its GitHub credential; 404
   *   `endpoint_deleted`
   */
  restore(stored: StoredCredential): Promise<Credential>
}

/** The permissions of a request, and its GitHub token. */
export interface Credential extends TokenSource {
  readonly kind: 'none' | 'token' | 'endpoint'
  /** True if a request makes the relay use its own GitHub credential. */
  readonly isOwn: boolean
  readonly endpoint?: EndpointKey
  /** The checks that the endpoint asks for. */
  readonly checks?: CheckClaims
  /** The strings that must not be forwarded. */
  readonly secrets: readonly Secret[]
  /** The token, where it is known before GitHub is asked: a body that contains it is refused. */
  readonly githubToken?: Secret
}

/** Names an endpoint. A later endpoint of the same name has another time. */
type EndpointKey = Pick<Endpoint, 'owner' | 'name' | 'created'>

/** The stored form of a credential. A GitHub token in it is plain text, so it must be encrypted. */
export interface StoredCredential {
  readonly kind: Credential['kind']
  readonly endpoint?: EndpointKey
  /** Of a token URL. */
  readonly token?: string
}

/** The relay's own GitHub credential, for endpoints that store no token. */
interface GitHubCredential extends TokenSource {
  readonly githubToken?: Secret
}

export interface CredentialOptions {
  readonly githubCredential?: GitHubCredential
  /** True if a relay with its own GitHub credential accepts token URLs, too. */
  readonly allowsTokens?: boolean
  /**
   * The endpoint as it is now; `undefined` if it was deleted. Absent for a relay without endpoints.
   *
   * @throws RelayError if it cannot be read
   */
  readonly findEndpoint?: ((endpoint: EndpointKey) => Promise<Endpoint | undefined>) | undefined
}

/** Tokens of callers that are remembered with what is computed from them. */
const KNOWN_TOKENS = 1000

export function createCredentials({
  githubCredential,
  allowsTokens = false,
  findEndpoint,
}: CredentialOptions): Credentials {
  const own = async () => {
    if (!githubCredential) throw new RelayError('credential_revoked')
    return ownCredential(githubCredential)
  }
  /** Secrets search faster for tokens that they know. */
  const opened = new BoundedCache<string, Credential>(KNOWN_TOKENS)
  const ofEndpoint = async (endpoint: Endpoint): Promise<Credential> => {
    const { owner, name, created, id, token, if: condition, ifError, verify } = endpoint
    const opened = token === undefined ? await own() : tokenCredential('endpoint', token)
    const isChecked = condition !== undefined || verify !== undefined
    return {
      ...opened,
      endpoint: { owner, name, created },
      secrets: [id, ...opened.secrets],
      ...(isChecked && { checks: { if: condition, ifError, verify } }),
    }
  }
  return {
    own,
    async open(presented) {
      // The relay serves its owner's repositories, so it takes no tokens of others.
      if (githubCredential && !allowsTokens) {
        throw new RelayError('invalid_token', {
          message: 'the relay does not accept GitHub tokens',
          hint: 'Use the URL of an endpoint: hookline endpoint create. To accept tokens, start the relay with --allow-tokens.',
        })
      }
      if (!presented) throw new RelayError('missing_token')
      const text = presented.reveal()
      const known = opened.get(text)
      if (known) return known
      const credential = tokenCredential('token', presented)
      opened.set(text, credential)
      return credential
    },
    ofEndpoint,
    async restore({ kind, endpoint, token }) {
      if (token !== undefined) return tokenCredential(kind, new Secret(token))
      const found = endpoint && (await findEndpoint?.(endpoint))
      if (!found) throw new RelayError('endpoint_deleted')
      return ofEndpoint(found)
    },
  }
}

/** For `hookline dev`, which does not call GitHub. */
export const NO_CREDENTIALS: Pick<Credentials, 'open' | 'ofEndpoint'> = {
  open: async (presented) => (presented ? { ...UNASKED, secrets: [presented] } : UNASKED),
  ofEndpoint: async () => UNASKED,
}

const UNASKED: Credential = {
  kind: 'none',
  isOwn: false,
  secrets: [],
  token: async () => undefined,
}

/** For `hookline dev --host`: each request carries this key. */
export function keyCredentials(key: Secret): typeof NO_CREDENTIALS {
  return {
    ...NO_CREDENTIALS,
    open: async (presented) => {
      if (!presented) throw new RelayError('missing_token')
      const isSame = await sameText(presented.reveal(), key.reveal())
      if (!isSame) throw new RelayError('invalid_token')
      return { ...UNASKED, secrets: [presented] }
    },
  }
}

/** The record of a credential, from which `restore` creates it again. */
export function storedCredential({ kind, endpoint, githubToken }: Credential): StoredCredential {
  if (endpoint) return { kind, endpoint }
  return { kind, ...(githubToken && { token: githubToken.reveal() }) }
}

function tokenCredential(kind: Credential['kind'], token: Secret): Credential {
  return { kind, isOwn: false, secrets: [token], githubToken: token, token: async () => token }
}

function ownCredential(githubCredential: GitHubCredential): Credential {
  const { githubToken } = githubCredential
  return {
    kind: 'endpoint',
    isOwn: true,
    secrets: githubToken ? [githubToken] : [],
    token: (wanted) => githubCredential.token(wanted),
    ...(githubToken && { githubToken }),
  }
}

/** The header beats the query parameter. An empty one counts as absent. */
export function presentedToken(
  headers: RawHeaders,
  reserved: ReservedParameters,
): Secret | undefined {
  const token = tokenFromHeaders(headers) || reserved.get(PARAMETER.token)
  if (!token) return undefined
  // A longer one would have all that travels searched for it.
  if (!isHeaderSafe(token) || token.length > LIMITS.tokenLength)
    throw new RelayError('invalid_token')
  return new Secret(token)
}

function tokenFromHeaders(headers: RawHeaders): string | undefined {
  for (const name of TOKEN_HEADERS) {
    // A runtime may join repeats with commas; no token contains one, and the first counts.
    const [first] = headerValue(headers, name)?.split(',') ?? []
    const token = first?.replace(/^(?:token|bearer)[ \t]+/i, '')
    if (token) return token
  }
  return undefined
}
