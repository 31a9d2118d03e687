import type { Problem } from '../wire/errors.ts'
import { PROXY_VARIABLES } from './programs.ts'

/** Warns that the relay ignores the proxy variables, because it calls GitHub directly. */
export function unusedProxyProblems(env: NodeJS.ProcessEnv): Problem[] {
  if (!PROXY_VARIABLES.some((name) => !/^no_proxy$/i.test(name) && env[name])) return []
  const message = 'the relay ignores the proxy variables and calls GitHub directly'
  return [
    { message, hint: 'If only the proxy can reach GitHub, run the relay on Cloudflare Workers.' },
  ]
}
