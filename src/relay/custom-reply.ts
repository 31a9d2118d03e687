import { LIMITS } from '../wire/limits.ts'
import { PARAMETER, type Reply, type ReservedParameters } from '../wire/reply.ts'
import { badResponseOption } from './refusals.ts'

/** What an accepted request is answered by default. */
export const ACCEPTED: Reply = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: '{"success":true}',
}

const STATUS = /^[2-5]\d\d$/
const TOKEN = "[\\w!#$%&'*+.^`|~-]+"
const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|"[\\w !#-\\[\\]-~]*"))*$`,
)
const MEDIA_TYPE_LENGTH = 255

/**
 * What an accepted request is answered instead: the default, each part of it replaced by its own
 * parameter. An empty parameter counts as absent; `undefined` when all are.
 *
 * @throws RelayError 400 for a value that cannot be answered
 */
export function customReply(reserved: ReservedParameters): Reply | undefined {
  const status = reserved.get(PARAMETER.responseCode)
  const contentType = reserved.get(PARAMETER.responseContentType)
  const body = reserved.get(PARAMETER.responseBody)
  if (!status && !contentType && !body) return undefined
  return {
    status: status ? checkedStatus(status) : ACCEPTED.status,
    headers: contentType ? { 'content-type': checkedContentType(contentType) } : ACCEPTED.headers,
    body: body ? checkedBody(body) : ACCEPTED.body,
  }
}

function checkedStatus(text: string): number {
  if (STATUS.test(text)) return Number(text)
  throw badResponseOption(PARAMETER.responseCode, 'give a whole number from 200 to 599')
}

function checkedContentType(text: string): string {
  if (text.length <= MEDIA_TYPE_LENGTH && MEDIA_TYPE.test(text)) return text
  throw badResponseOption(PARAMETER.responseContentType, 'give a media type such as text/plain')
}

function checkedBody(text: string): string {
  if (new TextEncoder().encode(text).length <= LIMITS.responseBodyBytes) return text
  const hint = `give at most ${LIMITS.responseBodyBytes} bytes`
  throw badResponseOption(PARAMETER.responseBody, hint)
}
