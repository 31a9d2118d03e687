import { UserError } from '../wire/errors.ts'
import type { HttpFailure } from '../wire/http.ts'
import { Secret } from '../wire/secret.ts'
import { readSetting } from '../wire/settings.ts'

/** The hint for an unreachable service. @param direct the hint without a proxy */
export function unreachableHint({ proxy }: HttpFailure, direct: string): string {
  return proxy === undefined ? direct : 'Check HTTPS_PROXY, or add the host to NO_PROXY.'
}

/**
 * The secret that signs a request, from standard input or from `HOOKLINE_WEBHOOK_SECRET`. It never comes
 * from a flag, because every process of a machine can read arguments.
 *
 * @throws UserError if standard input is empty
 */
export async function readSecret(fromInput: boolean): Promise<Secret | undefined> {
  if (!fromInput) return readSetting(process.env, 'HOOKLINE_WEBHOOK_SECRET')
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  const secret = Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '')
  if (secret === '') {
    throw new UserError({
      message: 'standard input contains no secret',
      hint: 'Pass the secret: hookline send … --secret-stdin < secret.txt',
    })
  }
  return new Secret(secret)
}
