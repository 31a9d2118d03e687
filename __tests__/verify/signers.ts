import { BY_DOCUMENTATION } from './signers/by-documentation.ts'
import { BY_PACKAGE } from './signers/by-package.ts'
import { BY_TOKEN } from './signers/by-token.ts'
import type { Signer } from './signers/signer.ts'

/** Those whose proof covers the body. */
export const BODY_SIGNERS: readonly Signer[] = [...BY_PACKAGE, ...BY_DOCUMENTATION]

/** Those whose proof covers a time. */
export const TIMED_SIGNERS = BODY_SIGNERS.filter(
  ({ name, timestamp }) => timestamp || name === 'stripe',
)

export const SIGNERS: readonly Signer[] = [...BODY_SIGNERS, ...BY_TOKEN]
