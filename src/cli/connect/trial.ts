import { ANY_REQUEST } from '../../triggers/example-line.ts'
import type { Sender } from '../../triggers/sender.ts'
import { UserError } from '../../wire/errors.ts'
import { HttpFailure } from '../../wire/http.ts'
import type { Secret } from '../../wire/secret.ts'
import { exampleOf } from '../send/examples.ts'
import { sendExactly } from '../send/http-request.ts'
import { type AddressedRequest, outgoingRequest } from '../send/request.ts'
import { ONLY_AMAZON, PAIRED, signed } from '../send/signatures.ts'
import type { Line } from './line.ts'
import type { ConnectTarget } from './target.ts'

interface Trial {
  readonly line: Line
  readonly target: ConnectTarget
  readonly sender: Sender | undefined
  readonly secret: Secret | undefined
}

const TIMEOUT = 30_000

/**
 * Sends what the sender would, signed as it signs, to the relay's own address. What became of it the
 * relay's log tells.
 *
 * @throws UserError where only the sender could make such a request
 */
export async function sendTrial({ line, target, sender, secret }: Trial): Promise<void> {
  const { request, url } = await trialRequest(line, target, sender, secret)
  // Signed for the address that the sender knows, sent to the one that is here.
  const here = new URL(url.pathname + url.search, line.local)
  here.searchParams.delete('__token')
  const credential = { 'x-platform-authorization': line.grant.reveal() }
  const headers = { ...request.headers, ...credential }
  const call = { method: request.method, url: here, headers, body: request.body, timeout: TIMEOUT }
  try {
    await sendExactly(call)
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    throw new UserError({ message: `the trial was not answered: ${error.message}` })
  }
}

async function trialRequest(
  { url, local }: Line,
  { example, trigger }: ConnectTarget,
  sender: Sender | undefined,
  secret: Secret | undefined,
): Promise<AddressedRequest> {
  const fixture = sender && exampleOf(sender.name)
  if (!sender || !fixture) {
    if (example === undefined && trigger !== 'webhook') {
      throw new UserError({
        message: `only its sender can make a request that fires ${trigger}`,
        hint: 'name it, so that the trial is signed: hookline connect <sender> --secret-env <name>',
      })
    }
    const { method, contentType, body = '' } = example ?? ANY_REQUEST
    const headers = contentType === undefined ? {} : { 'content-type': contentType }
    return { url: local, request: { method, headers, body: new TextEncoder().encode(body) } }
  }
  const scheme = sender.scheme ?? sender.name
  if (PAIRED.includes(scheme)) {
    throw new UserError({
      message: `only ${sender.title} can sign a trial: the key that it signs with is its own`,
      hint: `have ${sender.title} call the URL above; hookline send --sender ${sender.name} is for a workflow in hookline dev`,
    })
  }
  const outgoing = await outgoingRequest(new URL(url), { example: fixture.name, header: [] })
  if (!sender.secret) {
    process.stderr.write(`sent without a signature: ${ONLY_AMAZON}\n`)
    return outgoing
  }
  if (!secret) {
    throw new UserError({
      message: `a trial of ${sender.title} is signed, and there is no secret to sign with`,
      hint: `--secret-env names the variable that holds it; the repository's secret ${sender.secret} must be the same`,
    })
  }
  const moment = { timestamp: Math.floor(Date.now() / 1000), id: `msg_${crypto.randomUUID()}` }
  return signed(outgoing, scheme, secret, { ...moment, place: sender.options ?? {} })
}
