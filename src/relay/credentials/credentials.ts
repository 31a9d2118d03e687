import { base64url } from 'jose'
import { toHex } from '../../wire/bytes.ts'
import { headerValue, type RawHeaders, TOKEN_HEADERS } from '../../wire/headers.ts'
import { LIMITS } from '../../wire/limits.ts'
import { PARAMETER, type ReservedParameters } from '../../wire/path.ts'
import { isHeaderSafe, Secret } from '../../wire/secret.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { invalidToken, RelayError } from '../relay-errors.ts'
import type { Webhook } from '../request/route.ts'
import type { CheckClaims } from '../request/verification-claims.ts'
import { type AccessScope, covers, type TokenRequest, type TokenSource } from './claims.ts'
import { looksLikeGrant, openGrant, type SigningKey } from './grant.ts'
import { looksSealed, openSealed, type SealingKey } from './seal.ts'

/**
 * How a request gets the token for the calls to GitHub. It carries one of these credentials, in a
 * header or in the query:
 *
 *   a GitHub token       used as it is; refused if the relay has a GitHub credential of its own
 *   a sealed token       decrypted with the relay's sealing key, and used within its scope
 *   an access key        gives access to everything that the relay's GitHub credential reaches
 *   a grant              gives access to what the grant names
 *
 * All but the first are checked before the body is read. Every failure gets the same 401. The URL of an
 * endpoint is a credential too: a grant that the relay stores.
 */
export interface Credentials {
  /** False for `hookline dev`, which listens on loopback and does not call GitHub. */
  readonly required: boolean
  /**
   * @param presented what the request brought
   * @throws RelayError 401, the same for every reason
   */
  open(presented: Secret | undefined, webhook: Webhook): Promise<Credential>
  /**
   * The credential of a stored endpoint: its sealed token, or the relay's own GitHub credential.
   *
   * @throws RelayError 401 if the token cannot be opened, or the relay has no credential of its own
   */
  ofEndpoint(endpoint: Endpoint, webhook: Webhook): Promise<Credential>
  /**
   * A credential that was opened earlier and stored. Only revocation is checked again.
   *
   * @throws RelayError 401 `revoked` for a revoked grant, `credential_revoked` if the relay no longer
   *   has the key, or a GitHub credential
   */
  restore(stored: StoredCredential): Promise<Credential>
}

/** The permissions of a request, and its GitHub token. */
export interface Credential {
  readonly kind: 'none' | 'token' | 'sealed' | 'key' | 'grant' | 'endpoint'
  /** True if a request makes the relay use its own GitHub credential. */
  readonly isOwn: boolean
  /** The scope; absent if the credential has none. */
  readonly scope?: AccessScope
  /** Id of a grant, or name of an endpoint. */
  readonly id?: string
  /** The checks that a grant or an endpoint asks for. */
  readonly checks?: CheckClaims
  /** Id of the key that signed or sealed it; of an access key, the first 8 of its SHA-256. */
  readonly kid?: string
  /** The strings that must not be forwarded. */
  readonly secrets: readonly Secret[]
  /** The token, where it is known before GitHub is asked: a body that contains it is refused. */
  readonly githubToken?: Secret
  /**
   * The token to ask GitHub with; `undefined` where no platform is asked. With `refused` another
   * one, where there can be one.
   *
   * @throws RelayError when there is none now
   */
  token(wanted: TokenRequest): Promise<Secret | undefined>
}

/** The stored form of a credential. A GitHub token in it is plain text, so it must be encrypted. */
export interface StoredCredential {
  readonly kind: Credential['kind']
  readonly scope?: AccessScope
  readonly id?: string
  readonly kid?: string
  readonly token?: string
}

/** The relay's own GitHub credential, for every access key and grant. */
export interface GitHubCredential extends TokenSource {
  readonly githubToken?: Secret
}

export interface CredentialOptions {
  /** The first one seals, all of them open. */
  readonly sealingKeys?: readonly SealingKey[]
  /** The first one signs, all of them verify. */
  readonly signingKeys?: readonly SigningKey[]
  readonly accessKeys?: readonly Secret[]
  /** Ids of grants that are accepted no more. */
  readonly revoked?: ReadonlySet<string>
  /** Without one, a request brings the token itself. */
  readonly githubCredential?: GitHubCredential
  now(): Date
}

/** Sealed tokens and grants that are remembered as opened, each of them. */
const REMEMBERED = 4096

/** A credential with what is judged of it at each request. */
interface CheckedCredential {
  readonly credential: Credential
  /** Seconds since 1970. */
  readonly expires: number | undefined
}

export function createCredentials(options: CredentialOptions): Credentials {
  const {
    sealingKeys = [],
    signingKeys = [],
    accessKeys = [],
    revoked,
    githubCredential,
    now,
  } = options
  // To open one costs many times what all else of a request does. Only what opened is remembered.
  const sealed = new BoundedCache<string, CheckedCredential>(REMEMBERED)
  const granted = new BoundedCache<string, CheckedCredential>(REMEMBERED)
  const isKey = comparison(accessKeys)

  async function opened(presented: Secret): Promise<CheckedCredential | Credential | undefined> {
    const text = presented.reveal()
    if (sealingKeys.length > 0 && looksSealed(text)) {
      return sealed.get(text) ?? remember(sealed, text, unseal(presented))
    }
    if (githubCredential === undefined) return undefined
    if (signingKeys.length > 0 && looksLikeGrant(text)) {
      return granted.get(text) ?? remember(granted, text, verify(presented, text))
    }
    if (!(await isKey(presented))) return undefined
    return ownCredential('key', githubCredential, presented, { kid: await fingerprint(presented) })
  }

  /** @throws Error of any kind */
  async function unseal(presented: Secret): Promise<CheckedCredential> {
    const content = await openSealed(presented.reveal(), sealingKeys)
    if ('grant' in content) return verify(presented, content.grant)
    const { token, expires, ...scope } = content
    // Anyone can seal anything with a public key.
    if (!isHeaderSafe(token)) throw new TypeError('what is sealed is not a token')
    const credential = tokenCredential('sealed', new Secret(token), {
      presented,
      scope,
      kid: kidOf(presented.reveal()),
    })
    return { credential, expires }
  }

  /** @throws Error of any kind */
  async function verify(presented: Secret, text: string): Promise<CheckedCredential> {
    if (githubCredential === undefined)
      throw new TypeError('the relay has no GitHub credential of its own')
    const { id, exp, if: condition, ifError, verify, ...scope } = await openGrant(text, signingKeys)
    const credential = ownCredential('grant', githubCredential, presented, {
      id,
      scope,
      kid: kidOf(text),
    })
    if (condition === undefined && verify === undefined) return { credential, expires: exp }
    const checks = { if: condition, ifError, verify }
    return { credential: { ...credential, checks }, expires: exp }
  }

  return {
    required: true,
    async open(presented, { repository, path }) {
      if (!presented) throw invalidToken()
      if (!githubCredential && !(sealingKeys.length > 0 && looksSealed(presented.reveal()))) {
        return tokenCredential('token', presented)
      }
      // The caller must not learn why the credential is invalid.
      const found = await opened(presented).catch(() => undefined)
      if (!found) throw invalidToken()
      if (!('credential' in found)) return found
      const { credential, expires } = found
      const { id, scope } = credential
      if (expires !== undefined && now().getTime() >= expires * 1000) throw invalidToken()
      if (id !== undefined && revoked?.has(id)) throw invalidToken()
      if (scope && !covers(scope, repository, path)) throw invalidToken()
      return credential
    },
    async ofEndpoint(endpoint, webhook) {
      const { id, name, sealedToken, repository, path, dispatch, ref } = endpoint
      const scope = { repository, path, ...(dispatch && { dispatch }), ...(ref && { ref }) }
      const opened =
        sealedToken === undefined
          ? githubCredential && ownCredential('endpoint', githubCredential, undefined)
          : await this.open(new Secret(sealedToken), webhook)
      if (!opened) throw invalidToken()
      const { if: condition, ifError, verify } = endpoint
      const isChecked = condition !== undefined || verify !== undefined
      return {
        ...opened,
        kind: 'endpoint',
        id: name,
        scope,
        secrets: [new Secret(id), ...opened.secrets],
        ...(isChecked && { checks: { if: condition, ifError, verify } }),
      }
    },
    async restore({ kind, id, scope, kid, token }) {
      if (kind === 'none') return UNASKED
      if (token !== undefined) return tokenCredential(kind, new Secret(token), { id, scope, kid })
      if (kind === 'grant' && id !== undefined && revoked?.has(id)) {
        throw revokedCredential('revoked')
      }
      const kids =
        kind === 'grant'
          ? signingKeys.map((key) => key.id)
          : await Promise.all(accessKeys.map(fingerprint))
      const isGone = kid !== undefined && !kids.includes(kid)
      if (!githubCredential || isGone) throw revokedCredential('credential_revoked')
      return ownCredential(kind, githubCredential, undefined, { id, scope, kid })
    },
  }
}

/** For `hookline dev`, which does not call GitHub. */
export const NO_CREDENTIALS: Credentials = {
  required: false,
  open: async (presented) => (presented ? { ...UNASKED, secrets: [presented] } : UNASKED),
  ofEndpoint: async () => UNASKED,
  restore: async () => UNASKED,
}

const UNASKED: Credential = {
  kind: 'none',
  isOwn: false,
  secrets: [],
  token: async () => undefined,
}

/** The record of a credential, from which `restore` creates it again. */
export function storedCredential(credential: Credential): StoredCredential {
  const { kind, scope, id, kid, githubToken } = credential
  const token = credential.isOwn ? undefined : githubToken?.reveal()
  return {
    kind,
    ...(scope && { scope }),
    ...(id !== undefined && { id }),
    ...(kid !== undefined && { kid }),
    ...(token !== undefined && { token }),
  }
}

async function remember(
  cache: BoundedCache<string, CheckedCredential>,
  text: string,
  opening: Promise<CheckedCredential>,
): Promise<CheckedCredential> {
  const opened = await opening
  cache.set(text, opened)
  return opened
}

/** @param presented what the request brought, where that is not the token itself */
function tokenCredential(
  kind: Credential['kind'],
  token: Secret,
  { presented, id, scope, kid }: Partial<Claims> & { presented?: Secret } = {},
): Credential {
  const secrets = presented ? [presented, token] : [token]
  return {
    kind,
    isOwn: false,
    secrets,
    githubToken: token,
    token: async () => token,
    ...(id !== undefined && { id }),
    ...(scope && { scope }),
    ...(kid !== undefined && { kid }),
  }
}

/** The relay's own githubCredential, where no request asks for it: the clock's. */
export function ownCredentialFor(githubCredential: GitHubCredential): Credential {
  return ownCredential('none', githubCredential, undefined)
}

function ownCredential(
  kind: Credential['kind'],
  githubCredential: GitHubCredential,
  presented: Secret | undefined,
  { id, scope, kid }: Partial<Claims> = {},
): Credential {
  const { githubToken } = githubCredential
  return {
    kind,
    isOwn: kind !== 'none',
    secrets: [presented, githubToken].filter((secret) => secret !== undefined),
    token: (wanted) => githubCredential.token(wanted),
    ...(githubToken && { githubToken }),
    ...(id !== undefined && { id }),
    ...(kid !== undefined && { kid }),
    ...(scope && { scope }),
  }
}

/** The facts about a credential besides its token. */
interface Claims {
  readonly id: string | undefined
  readonly kid: string | undefined
  readonly scope: AccessScope | undefined
}

/** The `kid` in the header of a compact JWS or JWE, which has been opened by it. */
function kidOf(compact: string): string | undefined {
  const [header = ''] = compact.split('.')
  const { kid } = JSON.parse(new TextDecoder().decode(base64url.decode(header)))
  return typeof kid === 'string' ? kid : undefined
}

async function fingerprint(key: Secret): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', secretBytes(key))
  return toHex(new Uint8Array(hash)).slice(0, 8)
}

function revokedCredential(code: 'revoked' | 'credential_revoked'): RelayError {
  return new RelayError(401, code, 'the credential of the event was revoked', {
    hint: 'Send the event again with another credential.',
  })
}

/**
 * `subtle.verify` compares in constant time, which a comparison of strings does not: see
 * https://developers.cloudflare.com/workers/examples/protect-against-timing-attacks/
 */
export function comparison(keys: readonly Secret[]): (other: Secret) => Promise<boolean> {
  const { subtle } = crypto
  let known: ReturnType<typeof macsOf> | undefined
  return async (other) => {
    if (keys.length === 0) return false
    known ??= macsOf(keys)
    const { hmac, macs } = await known
    const verdicts = macs.map((mac) => subtle.verify('HMAC', hmac, mac, secretBytes(other)))
    return (await Promise.all(verdicts)).includes(true)
  }
}

async function macsOf(keys: readonly Secret[]) {
  const { subtle } = crypto
  // A random key of one process: only equality within it is asked for.
  const random = crypto.getRandomValues(new Uint8Array(32))
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const hmac = await subtle.importKey('raw', random, algorithm, false, ['sign', 'verify'])
  const macs = await Promise.all(keys.map((key) => subtle.sign('HMAC', hmac, secretBytes(key))))
  return { hmac, macs }
}

function secretBytes(secret: Secret): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(secret.reveal())
}

/** The header beats the query parameter. An empty one counts as absent. */
export function presentedToken(
  headers: RawHeaders,
  reserved: ReservedParameters,
): Secret | undefined {
  const token = tokenFromHeaders(headers) || reserved.get(PARAMETER.token)
  if (!token) return undefined
  // A longer one would have all that travels searched for it.
  if (!isHeaderSafe(token) || token.length > LIMITS.tokenLength) throw invalidToken()
  return new Secret(token)
}

function tokenFromHeaders(headers: RawHeaders): string | undefined {
  for (const name of TOKEN_HEADERS) {
    const token = withoutScheme(headerValue(headers, name))
    if (token) return token
  }
  return undefined
}

function withoutScheme(value: string | undefined): string | undefined {
  // A runtime may join repeats with commas; no token contains one, and the first counts.
  return value?.split(',')[0]?.replace(/^(?:token|bearer)[ \t]+/i, '')
}
