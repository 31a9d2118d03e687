import { ANY_REQUEST } from '../../triggers/example-line.ts'
import type { Sender } from '../../triggers/sender.ts'
import { UserError } from '../../wire/errors.ts'
import { HttpFailure } from '../../wire/http.ts'
import type { Secret } from '../../wire/secret.ts'
import { exampleOf } from '../send/example-events.ts'
import { sendExactly } from '../send/http-request.ts'
import { type AddressedRequest, outgoingRequest } from '../send/outgoing-request.ts'
import { ONLY_AMAZON, PAIRED, signedNow } from '../send/signatures.ts'
import type { ConnectTarget } from './connect-target.ts'
import type { PublicRelay } from './public-relay.ts'

interface TestEvent {
  readonly relay: PublicRelay
  readonly target: ConnectTarget
  readonly sender: Sender | undefined
  /** The sender's secret. */
  readonly secret: Secret | undefined
}

const TIMEOUT = 30_000

/**
 * Sends an example event of the sender, signed as the sender signs, to the relay of this process. The
 * relay's log reports the outcome.
 *
 * @throws UserError if only the sender can make such a request, or the secret is missing
 */
export async function sendTestEvent(event: TestEvent): Promise<void> {
  const { relay } = event
  const { request, url } = await testRequest(event)
  // Signed for the public address, but sent to the address on this machine.
  const here = new URL(url.pathname + url.search, relay.local)
  here.searchParams.delete('__token')
  const { method, headers, body } = request
  try {
    await sendExactly({ method, url: here, headers, body, timeout: TIMEOUT })
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const message = `the test event got no response: ${error.message}`
    throw new UserError({ message, hint: 'Send another one: press t.' })
  }
}

async function testRequest(event: TestEvent): Promise<AddressedRequest> {
  const { relay, target, sender, secret } = event
  const { example, trigger } = target
  const own = sender && exampleOf(sender.name)
  if (!sender || !own) {
    if (example === undefined && trigger !== 'webhook') {
      throw new UserError({
        message: `only its sender can make a request that fires ${trigger}`,
        hint: 'Name the sender, so that the test event is signed: hookline connect <sender> --secret-env <name>',
      })
    }
    const { method, contentType, body = '' } = example ?? ANY_REQUEST
    const headers = contentType === undefined ? {} : { 'content-type': contentType }
    return { url: relay.local, request: { method, headers, body: new TextEncoder().encode(body) } }
  }
  const scheme = sender.scheme ?? sender.name
  if (PAIRED.includes(scheme)) {
    throw new UserError({
      message: `only ${sender.title} can sign a test event, because it signs with a private key`,
      hint: `Send an event from ${sender.title}. To test the workflow in hookline dev: hookline send --sender ${sender.name}`,
    })
  }
  const outgoing = await outgoingRequest(new URL(relay.url), { example: own.name, header: [] })
  if (!sender.secret) {
    process.stderr.write(`sent without a signature. ${ONLY_AMAZON}\n`)
    return outgoing
  }
  // Without a verification, an unsigned request starts the workflow too.
  if (!secret && target.signatures.length === 0) return outgoing
  if (!secret) {
    throw new UserError({
      message: `a test event of ${sender.title} needs the secret that signs it`,
      hint: `Run: export ${sender.secret}=… with the value of the repository secret, and start connect again; or name another variable: --secret-env <name>`,
    })
  }
  return signedNow(outgoing, scheme, secret, sender.options)
}
