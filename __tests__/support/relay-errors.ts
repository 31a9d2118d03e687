import { RelayError } from '../../src/relay/errors.ts'

/** The relay's error if GitHub is down. */
export function unavailable(): RelayError {
  const attempts = { tries: 3, githubStatus: 503 }
  return new RelayError(502, 'github_unavailable', 'down', { hint: '', attempts })
}
