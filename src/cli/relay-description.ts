import { http } from '../action/http-client.ts'
import { DISCOVERY_PATH, type Discovery } from '../relay/discovery.ts'
import { parseAddress } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import { fieldsOf } from '../wire/github-api.ts'
import { HttpFailure } from '../wire/http.ts'
import { unreachableHint } from './request-faults.ts'

/** The part of a relay's description that its URLs depend on. */
export type RelayDescription = Pick<Discovery, 'singleRepository'>

/** Milliseconds. */
const TIMEOUT = 15_000

/**
 * Asks a relay for its description at `/.well-known/hookline`, at the root of its host.
 *
 * @throws UserError if the relay is unreachable, has an untrusted certificate, or is no relay
 */
export async function describeRelay(relay: string): Promise<RelayDescription> {
  const url = new URL(DISCOVERY_PATH, parseAddress(relay)).href
  const { status, text } = await http({ method: 'GET', url, timeout: TIMEOUT }).catch(
    (cause: unknown) => {
      if (!(cause instanceof HttpFailure)) throw cause
      const hint = unreachableHint(cause, 'Check --relay, and start the relay if it is down.')
      throw new UserError({ message: `${relay}: ${cause.message}`, hint }, { cause })
    },
  )
  const fields = status === 200 ? fieldsOf({ text }) : {}
  if (typeof fields.version !== 'string') {
    throw new UserError({
      message: `${relay} is not a Hookline relay (status ${status} for ${DISCOVERY_PATH})`,
      hint: `Check --relay. To examine the relay, run: hookline doctor --relay ${relay}`,
    })
  }
  return {
    singleRepository: fields.singleRepository === true,
  }
}
