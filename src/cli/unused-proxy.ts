import type { Problem } from '../wire/errors.ts'
import { PROXY_VARIABLES } from './programs.ts'

/** Who sets a proxy waits for nothing else than that it is used; a relay calls GitHub without one. */
export function unusedProxyProblems(env: NodeJS.ProcessEnv): Problem[] {
  if (!PROXY_VARIABLES.some((name) => !/^no_proxy$/i.test(name) && env[name])) return []
  const message = 'the relay does not use the proxy of the environment: it calls GitHub directly'
  return [{ message, hint: 'where only the proxy reaches GitHub, run the relay at the edge' }]
}
