import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import type { JWK } from 'jose'
import { UserError } from '../wire/errors.ts'
import { HttpFailure } from '../wire/http.ts'
import { shownSetting } from '../wire/secret.ts'
import { httpCall, unreachableHint } from './http.ts'
import { readExpiry, readScopeOptions, type ScopeOptions, withScopeOptions } from './scope.ts'
import { warn } from './terminal.ts'

interface SealOptions extends ScopeOptions {
  readonly relay?: string
  readonly key?: string
  readonly json?: boolean
}

const TIMEOUT = 15_000

const HELP = `
The token is read from standard input, or from HOOKLINE_TOKEN.

Examples:
  $ npx hookline seal --relay https://relay.example.com --repository octo/repo < token.txt
  $ npx hookline seal --key public.json --repository octo/repo --path hook/webhook --expires 90d < token.txt`

export function sealCommand(): Command {
  const command = new Command('seal')
    .description('seal a token for one repository, so that a webhook URL may carry it')
    .option('--relay <url>', 'the relay that opens it; its public key is fetched from there')
    .option(
      '--key <file>',
      'its public key from a file instead, as npx hookline keys public prints it',
    )
    .requiredOption('--repository <owner/name>', 'the only repository it is good for')
    .option('--path <path>', 'the only path it is good for: <workflow>/<trigger>, or its beginning')
  return withScopeOptions(command)
    .option('--json', 'print an object')
    .addHelpText('after', HELP)
    .action(seal)
}

async function seal(options: SealOptions): Promise<void> {
  const { sealToken } = await import('../relay/seal.ts')
  const { expires } = options
  const scope = {
    ...(await readScopeOptions(options)),
    ...(expires !== undefined && { expires: readExpiry(expires, Date.now()) }),
  }
  const key = await sealingKey(options)
  const token = await readToken()
  if (!GITHUB_TOKEN.test(token)) {
    // Any other server may have tokens of another form.
    const message = 'this does not look like a token of GitHub'
    const hint = 'it begins with github_pat_ or ghp_, without quotes; doctor tells whether it works'
    warn([{ message, hint }])
  }
  const sealed = await sealToken({ token, ...scope }, key)
  const line = options.json ? JSON.stringify({ sealed, ...scope }) : sealed
  process.stdout.write(`${line}\n`)
}

/** Never from an argument: every process of the machine can read those. */
async function readToken(): Promise<string> {
  const token = process.env.HOOKLINE_TOKEN || (process.stdin.isTTY ? '' : await text(process.stdin))
  if (/^[\x21-\x7e]+$/.test(token.trim())) return token.trim()
  throw new UserError({
    message: 'there is no token to seal',
    hint: 'give it on standard input, as in: npx hookline seal … < token.txt',
  })
}

/** https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/ */
export const GITHUB_TOKEN = /^(?:gh[a-z]_|github_pat_)\w{20,}$|^[0-9a-f]{40}$/

/** The public key of a relay. @throws UserError when it cannot be had */
export async function sealingKey({ relay, key }: Pick<SealOptions, 'relay' | 'key'>): Promise<JWK> {
  if (key !== undefined) {
    try {
      return firstKey(readFileSync(key, 'utf8'), key)
    } catch (cause) {
      if (cause instanceof UserError) throw cause
      const hint = 'npx hookline keys public prints what belongs there'
      throw new UserError({ message: `${key} cannot be read`, hint }, { cause })
    }
  }
  if (relay !== undefined) return firstKey(await published(relay), relay)
  throw new UserError({ message: 'no relay is named', hint: 'give --relay <url>, or --key <file>' })
}

/** @throws UserError when it cannot be had, or not over a connection that proves whose it is */
async function published(relay: string): Promise<string> {
  const { SEAL_KEYS_PATH } = await import('../relay/seal.ts')
  const url = URL.canParse(SEAL_KEYS_PATH, relay) ? new URL(SEAL_KEYS_PATH, relay) : undefined
  const local = url && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  if (!url || (url.protocol !== 'https:' && !local)) {
    throw new UserError({
      message: `--relay is not the address of a relay: ${shownSetting(relay)}`,
      hint: 'it begins with https://, or is on this machine',
    })
  }
  try {
    return (await httpCall({ method: 'GET', url, timeout: TIMEOUT })).text
  } catch (cause) {
    if (!(cause instanceof HttpFailure)) throw cause
    const hint = unreachableHint(
      cause,
      'is the relay running there? --key <file> needs no connection to it',
    )
    throw new UserError({ message: `${relay}: ${cause.message}`, hint }, { cause })
  }
}

/** The first key of a JWK set is the current one. Of a private one, only the public part is used. */
function firstKey(content: string, source: string): JWK {
  try {
    const { keys }: { keys: JWK[] } = JSON.parse(content)
    const { d: _, ...key } = keys[0] ?? {}
    if (key.kty === 'EC') return key
  } catch {
    // Said below, as for a set without a key.
  }
  throw new UserError({
    message: `${source} has no public key for sealing`,
    hint: 'the relay needs HOOKLINE_SEAL_KEYS, made with: npx hookline keys new',
  })
}
