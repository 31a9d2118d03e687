import { fieldsOf } from '../../wire/github-api.ts'
import { isObject } from '../../wire/json.ts'
import { parseRepository } from '../../wire/path.ts'
import { dispatchEvent } from '../../wire/payload.ts'
import { RelayError } from '../errors.ts'
import type { TokenSource } from '../github/credential.ts'
import { GitHubSession, type SessionOptions } from '../github/send.ts'
import type { EndpointSettings } from '../store/endpoint-settings.ts'

/**
 * Checks that the credential of an endpoint may start its workflows, as far as GitHub tells: the
 * repositories exist for it, and the user of a token may write to them. Otherwise anyone could take names of
 * any owner with an invented token.
 *
 * @param own the relay's own GitHub credential
 * @returns throws RelayError if GitHub refuses, or cannot be asked
 */
export function accessCheck(
  options: SessionOptions,
  own: TokenSource | undefined,
): (settings: EndpointSettings) => Promise<void> {
  return async ({ repository, targets = [], dispatch, token }) => {
    const credential = token ? { token: async () => token } : own
    if (!credential) return
    const repositories = [repository, ...targets.map((target) => target.repository)]
    for (const name of new Set(repositories)) {
      const place = { repository: parseRepository(name), credential }
      const session = new GitHubSession(options, options.call, dispatchEvent(dispatch), place)
      const outcome = await session.ask({ method: 'GET', path: '', reads: true })
      if (!outcome.accepted) throw outcome.error
      const { permissions } = fieldsOf(outcome.answer)
      // The permissions of an App's token are not those of a user.
      if (token && isObject(permissions) && permissions.push === false) throw readOnly(name)
    }
  }
}

function readOnly(repository: string): RelayError {
  return new RelayError('repository_not_accessible', {
    message: `the token may read ${repository}, but not start its workflows`,
    hint: 'Use a token of a user who may write to the repository.',
  })
}
