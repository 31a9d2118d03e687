import type { Credential } from '../../src/relay/credentials/credentials.ts'
import type { Secret } from '../../src/wire/secret.ts'

/** What a request is worth that brings a token of GitHub. */
export function tokenCredential(token: Secret): Credential {
  return {
    ...{ kind: 'token', isOwn: false, secrets: [token] },
    ...{ githubToken: token, token: async () => token },
  }
}
