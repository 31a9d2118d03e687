import { UserError } from '../../wire/errors.ts'
import { Secret } from '../../wire/secret.ts'

/**
 * A secret from standard input, or from a variable of the environment: never from a flag, since
 * everyone on a machine can read the arguments of its processes.
 *
 * @throws UserError when standard input brings none
 */
export async function readSecret(
  variable: string,
  fromInput: boolean,
): Promise<Secret | undefined> {
  if (!fromInput) return fromEnvironment(variable)
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  const text = Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '')
  if (text === '') throw new UserError({ message: 'standard input brought no secret' })
  return new Secret(text)
}

/** An empty variable counts as absent. */
export function fromEnvironment(variable: string): Secret | undefined {
  const value = process.env[variable]
  return value ? new Secret(value) : undefined
}
