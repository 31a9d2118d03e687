import type { RelayResponse } from '../../wire/http.ts'
import type { Secret } from '../../wire/secret.ts'
import { RelayError } from '../errors.ts'
import type { Credential } from '../github/credential.ts'
import type { ReceivedBody, ReceivedEvent } from '../github/payload.ts'
import { ACCEPTED } from './responses.ts'

type Tokens = Pick<Credential, 'secrets' | 'githubToken'>

/**
 * The event with every form of the tokens replaced. The body stays as it is, because signatures depend
 * on it. A body can contain the id of an endpoint, because some senders (Trello) repeat the
 * URL that they call.
 *
 * @throws RelayError 400 if the body contains the GitHub token
 */
export function redactEvent(event: ReceivedEvent, tokens: Tokens): ReceivedEvent {
  if (isInBody(event.body, tokens.githubToken)) throw new RelayError('token_in_body')
  // Most events contain no token, and one search through everything is cheaper than one per header.
  const searched = [event.path, ...event.headers.values()].join('\n')
  if (!isAnyIn(tokens.secrets, searched)) return event
  const path = scrub(event.path, tokens.secrets)
  return { ...event, path, headers: redactHeaders(event.headers, tokens) }
}

export function isInBody({ text, bytes }: ReceivedBody, token: Secret | undefined): boolean {
  return token?.isIn(text ?? new TextDecoder('latin1').decode(bytes)) === true
}

/** The headers with every form of the tokens replaced. */
export function redactHeaders(
  headers: ReadonlyMap<string, string>,
  { secrets, githubToken }: Tokens,
): ReadonlyMap<string, string> {
  const redacted = [...headers].map(([name, value]) => {
    const isSigned = name === 'authorization' && JWS.test(value)
    const text = isSigned ? scrubSigned(value, secrets, githubToken) : scrub(value, secrets)
    return [name, text] as const
  })
  return new Map(redacted)
}

/**
 * A signed header may name the URL that the sender calls (monday.com), so it must stay intact, as a
 * body does. The outputs of the action omit `Authorization`.
 */
const JWS = /^(?:Bearer +)?[\w-]+\.[\w-]+\.[\w-]+$/i

/** Replaces the GitHub token in every form, and the other tokens only in plain form. */
function scrubSigned(
  text: string,
  tokens: readonly Secret[],
  githubToken: Secret | undefined,
): string {
  const scrubbed = tokens.reduce((rest, token) => token.scrubRaw(rest), text)
  return githubToken?.scrub(scrubbed) ?? scrubbed
}

/** The text with every form of the tokens replaced. */
export function scrub(text: string, tokens: readonly Secret[]): string {
  return tokens.reduce((rest, token) => token.scrub(rest), text)
}

/** @throws RelayError 400 for a response, made from the request, that would show a token */
export function checkedResponse(reply: RelayResponse, tokens: readonly Secret[]): RelayResponse {
  if (reply === ACCEPTED) return reply
  const shown = [reply.body, ...Object.values(reply.headers)].join('\n')
  if (!isAnyIn(tokens, shown)) return reply
  throw new RelayError('invalid_response_option', {
    message: 'the response contains the token',
    hint: 'Remove the token from it.',
  })
}

function isAnyIn(tokens: readonly Secret[], text: string): boolean {
  return tokens.some((token) => token.isIn(text))
}
