import type { AskOptions, DoctorPorts, RelayCall } from '../../dev/doctor/ports.ts'
import { systemClock } from '../../relay/config.ts'
import type { HttpReply } from '../../wire/http.ts'
import type { Secret } from '../../wire/secret.ts'
import { httpCall } from './http-call.ts'
import { withProgress } from './progress.ts'

const TIMEOUT = 15_000
const JSON_TYPE = { 'content-type': 'application/json' }

/** GitHub and the relay as they really are. */
export function doctorPorts(apiUrl: URL, token: Secret | undefined): DoctorPorts {
  return {
    ...systemClock,
    askGitHub: (path, options = {}) =>
      withProgress('asking GitHub', askGitHub(apiUrl, token, path, options)),
    callRelay: (url, call) => withProgress('calling the relay', callRelay(new URL(url), call)),
  }
}

async function askGitHub(
  apiUrl: URL,
  token: Secret | undefined,
  path: string,
  { json, raw }: AskOptions,
): Promise<HttpReply> {
  const headers = {
    accept: raw ? 'application/vnd.github.raw+json' : 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    ...(json !== undefined && JSON_TYPE),
    ...(token && { authorization: `Bearer ${token.reveal()}` }),
  }
  const url = new URL(`${apiUrl.href.replace(/\/+$/, '')}${path}`)
  const call = { ...method(json), headers, timeout: TIMEOUT }
  const reply = await httpCall({ ...call, url })
  const moved = movedTo(reply, url)
  return moved ? httpCall({ ...call, url: moved }) : reply
}

/** Where a renamed repository is now; never on another host, since the token goes with the call. */
function movedTo({ status, headers }: HttpReply, from: URL): URL | undefined {
  const { location = '' } = headers
  if (![301, 307, 308].includes(status) || !URL.canParse(location, from.href)) return undefined
  const to = new URL(location, from)
  return to.origin === from.origin ? to : undefined
}

function callRelay(url: URL, call: RelayCall | undefined): Promise<HttpReply> {
  const { json, token } = { json: undefined, token: undefined, ...call }
  const headers = {
    ...(json !== undefined && JSON_TYPE),
    ...(token && { 'x-platform-authorization': token.reveal() }),
  }
  return httpCall({ ...method(json), url, headers, timeout: TIMEOUT })
}

function method(json: string | undefined): { method: string; body?: Uint8Array } {
  if (json === undefined) return { method: 'GET' }
  return { method: 'POST', body: new TextEncoder().encode(json) }
}
