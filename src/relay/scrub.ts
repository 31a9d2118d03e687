import { record } from '../protocol/json.ts'
import type { Reply } from '../protocol/reply.ts'
import type { Secret } from '../protocol/secret.ts'
import type { Received } from './payload.ts'
import { badResponseOption, tokenInBody } from './refusals.ts'

/**
 * What travels, with every form of the tokens replaced. The body is never changed, since signatures
 * depend on it.
 *
 * @throws RelayError 400 when the body contains a token
 */
export function withoutTokens(received: Received, tokens: readonly Secret[]): Received {
  const body = received.body.text ?? new TextDecoder('latin1').decode(received.body.bytes)
  if (tokens.some((token) => token.isIn(body))) throw tokenInBody()
  const scrub = (text: string) => tokens.reduce((rest, token) => token.scrub(rest), text)
  const headers = Object.entries(received.headers)
  return {
    ...received,
    path: scrub(received.path),
    headers: record(headers.map(([name, value]) => [name, scrub(value)] as const)),
  }
}

/** @throws RelayError 400 for a reply, made of what the caller sent, that would show a token */
export function withoutEcho(reply: Reply, tokens: readonly Secret[]): Reply {
  const shown = [reply.body, ...Object.values(reply.headers)]
  if (!tokens.some((token) => shown.some((text) => token.isIn(text)))) return reply
  throw badResponseOption('an answer that contains the token', 'leave the token out of it')
}
