import { UserError } from '../wire/errors.ts'
import type { HttpFailure } from '../wire/http.ts'
import { Secret } from '../wire/secret.ts'
import { readSetting } from '../wire/settings.ts'

/** What to do where a service cannot be reached. @param direct what would do without a proxy */
export function unreachableHint({ proxy }: HttpFailure, direct: string): string {
  return proxy === undefined
    ? direct
    : 'check HTTPS_PROXY, or name the host in NO_PROXY where no proxy is needed'
}

/**
 * The secret that signs a request, from standard input or from `HOOKLINE_WEBHOOK_SECRET`: never from a flag,
 * since everyone on a machine can read the arguments of its processes.
 *
 * @throws UserError when standard input brings none
 */
export async function readSecret(fromInput: boolean): Promise<Secret | undefined> {
  if (!fromInput) return readSetting(process.env, 'HOOKLINE_WEBHOOK_SECRET')
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  const secret = Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '')
  if (secret === '') throw new UserError({ message: 'standard input brought no secret' })
  return new Secret(secret)
}
