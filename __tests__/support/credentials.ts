import type { Credential } from '../../src/relay/github/credential.ts'
import type { Secret } from '../../src/wire/secret.ts'

/** The credential of a request with a GitHub token. */
export function tokenCredential(token: Secret): Credential {
  return {
    ...{ kind: 'token', isOwn: false, secrets: [token] },
    ...{ githubToken: token, token: async () => token },
  }
}
