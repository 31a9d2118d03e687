import { UserError } from '../../wire/errors.ts'
import type { HttpResponse } from '../../wire/http.ts'
import { isObject, type JsonObject, tryParseJson } from '../../wire/json.ts'
import { isHeaderSafe } from '../../wire/secret.ts'
import { type Chat, type Content, NotDelivered, type Reply, type ReplyContext } from './chat.ts'
import { escapeMarkdown, withEntities } from './markdown/escapes.ts'

interface Comments {
  readonly maxLength: number
  /** The text of a reply as the service gets it. */
  textOf(text: string): string
  /** Writes a comment, or changes the one with the id `edit`. @returns the id of the comment */
  write(text: string, edit: string): Promise<string>
}

export function commentChat({ maxLength, textOf, write }: Comments): Chat {
  const written = (content: Content) => {
    if (typeof content === 'string') return textOf(content)
    throw new TypeError('a comment is no tree, which only a chat that renders Markdown gets')
  }
  return {
    maxLength,
    maxParts: 5,
    supportsFiles: false,
    length: (content) => written(content).length,
    send: ({ content, edit }) => write(written(content), edit),
  }
}

/**
 * Checks the inputs that no comment can have, and masks the input `token`.
 *
 * @param what the kind of token
 * @throws UserError for an input that no comment can have, and without a token
 */
export function commentToken(
  name: string,
  what: string,
  { input, ports, reply: { buttons, file, ephemeral, format } }: ReplyContext,
): string {
  const unsupported =
    (buttons.length > 0 && 'buttons') ||
    (file && 'file') ||
    (ephemeral && 'ephemeral') ||
    (format === 'html' && 'format: html')
  if (unsupported) {
    throw new UserError({
      message: `a comment of ${name} does not support "${unsupported}"`,
      hint: 'Remove the input.',
    })
  }
  const token = input('token').trim()
  if (token === '' || !isHeaderSafe(token)) {
    throw new UserError({
      message: `input "token" is ${token === '' ? 'missing' : 'not a token'}`,
      hint: `Set it to ${what}.`,
    })
  }
  ports.mask(token)
  return token
}

/** The text of a reply as Markdown: as it is, or escaped if the reply is plain text. */
export function commentMarkdown(text: string, reply: Reply): string {
  const markdown =
    reply.format === 'plain'
      ? text
          .split('\n')
          .map((line) => escapeMarkdown(line, withEntities))
          .join('\n')
      : text
  // A zero-width space after `@` makes a mention that notifies nobody.
  return reply.allowMentions ? markdown : markdown.replace(/@(?=[\w[])/g, '@\u200b')
}

/** The JSON object of a response. @throws NotDelivered for a refusal, with the status and no text of it */
export function acceptedJson(name: string, { status, text }: HttpResponse): JsonObject {
  const value = tryParseJson(text)
  if (status < 300) return isObject(value) ? value : {}
  throw new NotDelivered({
    message: `${name} rejected the comment (${status})`,
    notes: [
      status === 401 || status === 403 || status === 404
        ? 'check the token and its permissions for this issue'
        : 'run the job again later',
    ],
  })
}
