import { type Signer, TEXT } from './signer.ts'

/** No signature: the request brings the secret itself. */
export const BY_TOKEN: readonly Signer[] = [
  token('gitlab', 'x-gitlab-token', (secret) => secret),
  token('telegram', 'x-telegram-bot-api-secret-token', (secret) => secret),
  token('token', 'x-acme-token', (secret) => secret, '', { header: 'X-Acme-Token' }),
  token('bearer', 'authorization', (secret) => secret, 'Bearer '),
  token('basic', 'authorization', (secret) => Buffer.from(secret).toString('base64'), 'Basic '),
]

function token(
  scheme: string,
  header: string,
  present: (secret: string) => string,
  prefix = '',
  more: object = {},
): Signer {
  return {
    name: scheme,
    verify: (secret) => ({ scheme, secret, ...more }),
    ...TEXT,
    sign: async (_, secret) => ({ [header]: prefix + present(secret) }),
    signature: [header, prefix],
  }
}
