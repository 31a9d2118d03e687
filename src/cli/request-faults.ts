import { UserError } from '../wire/errors.ts'
import { HttpFailure } from '../wire/http.ts'

/** The hint for an unreachable service. @param direct the hint without a proxy */
export function unreachableHint({ proxy }: HttpFailure, direct: string): string {
  return proxy === undefined ? direct : 'Check HTTPS_PROXY, or add the host to NO_PROXY.'
}

/** An error of a call as an error of the user; any other error is returned unchanged. */
export function unreachable(cause: unknown, host: string, direct: string): unknown {
  if (!(cause instanceof HttpFailure)) return cause
  const hint = unreachableHint(cause, direct)
  return new UserError({ message: `${host}: ${cause.message}`, hint }, { cause })
}

/** The same for a call to GitHub. */
export function unreachableGitHub(cause: unknown): unknown {
  return unreachable(cause, 'GitHub', 'Check the network and HOOKLINE_API_URL.')
}
