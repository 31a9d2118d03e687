import { UserError } from '../../wire/errors.ts'
import { isObject } from '../../wire/json.ts'
import type { Outgoing, OutgoingRequest } from '../sender.ts'
import { textBytes } from './algorithms.ts'

export function withRequestHeaders<Of extends Outgoing>(
  outgoing: Of,
  headers: OutgoingRequest['headers'],
): Of {
  const { request } = outgoing
  return { ...outgoing, request: { ...request, headers: { ...request.headers, ...headers } } }
}

/** A sender that signs within the body writes the body again with the signature. */
export function withField(outgoing: Outgoing, field: string, value: unknown): Outgoing {
  const body = textBytes(JSON.stringify({ ...jsonBody(outgoing.request), [field]: value }))
  return { ...outgoing, request: { ...outgoing.request, body } }
}

export function jsonBody({ body }: OutgoingRequest): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body) || '{}')
    if (isObject(value)) return value
  } catch {
    // as below
  }
  const message = 'this sender signs inside the body, so the body must be a JSON object'
  throw new UserError({ message })
}
