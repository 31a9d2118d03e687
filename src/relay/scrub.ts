import type { Reply } from '../wire/reply.ts'
import type { Secret } from '../wire/secret.ts'
import type { Received } from './payload.ts'
import { badResponseOption, tokenInBody } from './refusals.ts'

/**
 * What travels, with every form of the tokens replaced. The body is never changed, since signatures
 * depend on it; a sealed token or a key of the relay may stand in it, as some senders (Trello)
 * repeat the URL that they call.
 *
 * @throws RelayError 400 when the body contains the platform token
 */
export function withoutTokens(
  received: Received,
  tokens: readonly Secret[],
  platformToken: Secret | undefined,
): Received {
  const body = received.body.text ?? new TextDecoder('latin1').decode(received.body.bytes)
  if (platformToken?.isIn(body)) throw tokenInBody()
  // Hardly any request has one left: one search through all of it is the usual cost.
  const others = [received.path, ...received.headers.values()].join('\n')
  return isAnyIn(tokens, others) ? scrubbed(received, tokens) : received
}

function scrubbed(received: Received, tokens: readonly Secret[]): Received {
  const scrub = (text: string) => tokens.reduce((rest, token) => token.scrub(rest), text)
  const headers = [...received.headers].map(([name, value]) => [name, scrub(value)] as const)
  return { ...received, path: scrub(received.path), headers: new Map(headers) }
}

/** @throws RelayError 400 for a reply, made of what the caller sent, that would show a token */
export function withoutEcho(reply: Reply, tokens: readonly Secret[]): Reply {
  const shown = [reply.body, ...Object.values(reply.headers)].join('\n')
  if (!isAnyIn(tokens, shown)) return reply
  throw badResponseOption('an answer that contains the token', 'leave the token out of it')
}

function isAnyIn(tokens: readonly Secret[], text: string): boolean {
  return tokens.some((token) => token.isIn(text))
}
