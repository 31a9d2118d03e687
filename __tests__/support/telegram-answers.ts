import type { IncomingMessage, ServerResponse } from 'node:http'

/** A response that replaces the server's own, for the next call. */
export type Fault =
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
  | 'reset'
  | 'silence'
  | 'cut'

export interface Answer {
  readonly ok: boolean
  readonly result?: unknown
  readonly error_code?: number
  readonly description?: string
}

/** The server's response to too many requests. */
export function tooManyRequests(seconds: number): Fault {
  const description = `Too Many Requests: retry after ${seconds}`
  const parameters = { retry_after: seconds }
  const body = JSON.stringify({ ok: false, error_code: 429, description, parameters })
  return { status: 429, body, headers: { 'Retry-After': String(seconds) } }
}

export function send(response: ServerResponse, answer: Answer): void {
  const headers = { 'Content-Type': 'application/json' }
  response.writeHead(answer.error_code ?? 200, headers).end(JSON.stringify(answer))
}

export function breakOff(response: ServerResponse, fault: Fault): void {
  if (fault === 'silence') return
  if (fault === 'reset') response.socket?.resetAndDestroy()
  else if (fault === 'cut') {
    response.writeHead(200, { 'Content-Length': '1000' }).write('{"ok":true,"result":[{"upd')
    response.socket?.end()
  } else response.writeHead(fault.status, fault.headers).end(fault.body ?? '')
}

export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // a stream without an encoding
  return Buffer.concat(chunks).toString()
}
