import { afterAll, afterEach, beforeAll } from '@jest/globals'
import { type ClientPayload, readClientPayload } from '../../src/wire/payload.ts'
import { type GitHub, startGitHub } from './github.ts'
import {
  type KeptConnection,
  keptConnection,
  type RawAnswer,
  type RawRequest,
  send,
} from './raw-http.ts'
import type { RelaySetup, RelayUnderTest, StartRelay } from './relays.ts'

/** Long enough to be masked in other strings. */
export const TOKEN = 'ghp_J7dQx2LkV9sWmB4tYzR6nHcP0fUaE3oXgiS1'

/** A relay, and the GitHub stand-in that it forwards to. */
export interface Scene {
  readonly github: GitHub
  readonly relay: RelayUnderTest
  /** Sends a request; adds a token if it has none. */
  send(request: RawRequest): Promise<RawAnswer>
  /** Does the same on one connection for all requests, for properties with many runs. */
  sendKept(request: RawRequest): Promise<RawAnswer>
  /** The payloads that GitHub accepted or rejected since the test began. */
  payloads(): ClientPayload[]
}

/** Starts both for all tests of a describe block. */
export function scene(start: StartRelay, setup: Partial<RelaySetup> = {}): Scene {
  let github: GitHub
  let relay: RelayUnderTest
  let kept: KeptConnection
  beforeAll(async () => {
    github = await startGitHub()
    const env = { HOOKLINE_API_URL: github.url, ...setup.env }
    relay = await start({ ...setup, env })
    kept = keptConnection(relay.url)
  })
  afterEach(() => github.reset())
  afterAll(async () => {
    kept.close()
    await relay.close()
    await github.close()
  })
  return {
    get github() {
      return github
    },
    get relay() {
      return relay
    },
    send: (request) => send(relay.url, withToken(request)),
    sendKept: (request) => kept.send(withToken(request)),
    payloads: () => github.calls.map(({ body }) => payloadOf(body)),
  }
}

export function payloadOf(body: string): ClientPayload {
  return readClientPayload(JSON.parse(body).client_payload)
}

export function withToken(request: RawRequest): RawRequest {
  return { ...request, headers: [...(request.headers ?? []), ['X-Platform-Authorization', TOKEN]] }
}
