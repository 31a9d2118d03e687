import { afterAll, afterEach, beforeAll } from '@jest/globals'
import { type ConditionOptions, conditionsFrom } from '../../../src/cli/endpoint/conditions.ts'
import { endpointsOf } from '../../support/endpoint-relays.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import {
  type KeptConnection,
  keptConnection,
  type RawAnswer,
  type RawRequest,
} from '../../support/raw-http.ts'
import type { RelayUnderTest, StartRelay } from '../../support/relays.ts'

const GITHUB_TOKEN = 'ghp_J7dQx2LkV9sWmB4tYzR6nHcP0fUaE3oXgiS1'

export const SETTINGS = {
  HOOKLINE_GITHUB_TOKEN: GITHUB_TOKEN,
  HOOKLINE_PUBLIC_URL: 'https://relay.example',
}

/** The settings of an endpoint as the command makes them, with the sender's secret if there is one. */
export function checksOf(asked: ConditionOptions, secret?: string): object {
  const options = { ...asked, ...(secret !== undefined && { secretEnv: 'SENDER_SECRET' }) }
  const env = secret === undefined ? {} : { SENDER_SECRET: secret }
  return { ...conditionsFrom(options, env) }
}

export interface VerificationScene {
  readonly github: GitHub
  readonly relay: RelayUnderTest
  /** Sends a request to the endpoint with these settings. */
  send(settings: object, request: RawRequest): Promise<RawAnswer>
}

/** A relay with its own GitHub credential, and the GitHub that it forwards to. */
export function verificationScene(start: StartRelay): VerificationScene {
  let github: GitHub
  let relay: RelayUnderTest
  let kept: KeptConnection
  const addressOf = endpointsOf(() => relay)
  beforeAll(async () => {
    github = await startGitHub()
    relay = await start({ env: { HOOKLINE_API_URL: github.url, ...SETTINGS } })
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
    send: async (settings, request) =>
      kept.send({ ...request, target: await addressOf(request.target ?? '/', settings) }),
  }
}
