import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll } from '@jest/globals'
import { makeGrant } from '../../../src/cli/grant.ts'
import { generateSigningKey } from '../../../src/relay/credentials/grant.ts'
import { generateSealingKey } from '../../../src/relay/credentials/seal.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import {
  type KeptConnection,
  keptConnection,
  type RawAnswer,
  type RawRequest,
} from '../../support/raw-http.ts'
import type { RelayUnderTest, StartRelay } from '../../support/relays.ts'

export const SIGNING_KEY = await generateSigningKey()
const SEALING_KEY = await generateSealingKey()
const PUBLIC_KEY = join(mkdtempSync(join(tmpdir(), 'verification-')), 'public.json')
writeFileSync(PUBLIC_KEY, JSON.stringify({ keys: [SEALING_KEY.publicJwk] }))

export const ADMIN_KEY = 'admin-key-of-the-verification-tests'
const GITHUB_TOKEN = 'ghp_J7dQx2LkV9sWmB4tYzR6nHcP0fUaE3oXgiS1'

export const SETTINGS = {
  HOOKLINE_GITHUB_TOKEN: GITHUB_TOKEN,
  HOOKLINE_SIGNING_KEYS: JSON.stringify({ keys: [SIGNING_KEY.jwk] }),
  HOOKLINE_SEALING_KEYS: JSON.stringify({ keys: [SEALING_KEY.privateJwk] }),
  HOOKLINE_PUBLIC_URL: 'https://relay.example',
  HOOKLINE_ADMIN_KEY: ADMIN_KEY,
}

/** The flags of `hookline grant` for verification and filter. */
export interface Asked {
  readonly if?: string
  readonly ifError?: string
  readonly sender?: string
  readonly verify?: string
  readonly publicKey?: string
}

/** A grant from the command, with the sender's secret if there is one. */
export async function granted(asked: Asked, secret?: string): Promise<string> {
  const options = {
    repository: 'octo/repo',
    ...asked,
    ...(secret !== undefined && { secretEnv: 'SENDER_SECRET', relayKey: PUBLIC_KEY }),
  }
  const env = { ...SETTINGS, ...(secret !== undefined && { SENDER_SECRET: secret }) }
  return (await makeGrant(options, env)).text
}

export interface VerificationScene {
  readonly github: GitHub
  readonly relay: RelayUnderTest
  /** Sends a request with a grant in its header. */
  send(grant: string, request: RawRequest): Promise<RawAnswer>
}

/** A relay with its own GitHub credential, and the GitHub that it forwards to. */
export function verificationScene(start: StartRelay): VerificationScene {
  let github: GitHub
  let relay: RelayUnderTest
  let kept: KeptConnection
  beforeAll(async () => {
    github = await startGitHub()
    relay = await start({ env: { HOOKLINE_API_URL: github.url, ...SETTINGS } })
    kept = keptConnection(relay.url)
  }, 60_000)
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
    send: (grant, request) => {
      const headers = [...(request.headers ?? []), ['X-Platform-Authorization', grant] as const]
      return kept.send({ ...request, headers })
    },
  }
}
