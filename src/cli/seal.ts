import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import type { JWK } from 'jose'
import { http } from '../action/http.ts'
import { isLoopback, RELAY_ADDRESS, readAddress } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import { fieldsOf, listOf } from '../wire/github.ts'
import { HttpFailure } from '../wire/http.ts'
import { shownSetting } from '../wire/secret.ts'
import { readSetting } from '../wire/settings.ts'
import { unreachableHint } from './http.ts'
import { readExpiry, readScopeOptions, type ScopeOptions, withScopeOptions } from './scope.ts'
import { warn } from './terminal.ts'

interface SealOptions extends ScopeOptions {
  readonly relay?: string
  readonly key?: string
  readonly json?: boolean
}

const TIMEOUT = 15_000

const HELP = `
The token is read from standard input, or from HOOKLINE_GITHUB_TOKEN.

Examples:
  $ hookline seal --relay https://relay.example.com --repository octo/repo < token.txt
  $ hookline seal --key public.json --repository octo/repo --path hook/webhook --expires 90d < token.txt`

export function sealCommand(): Command {
  const command = new Command('seal')
    .description('seal a token for one repository, so that a webhook URL may carry it')
    .option('--relay <url>', 'the relay that opens it; its public key is fetched from there')
    .option('--key <file>', 'its public key from a file instead, as hookline keys public prints it')
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
  const set = readSetting(process.env, 'HOOKLINE_GITHUB_TOKEN')?.reveal()
  const token = set ?? (process.stdin.isTTY ? '' : await text(process.stdin))
  if (/^[\x21-\x7e]+$/.test(token.trim())) return token.trim()
  throw new UserError({
    message: 'there is no token to seal',
    hint: 'give it on standard input, as in: hookline seal … < token.txt',
  })
}

/** https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/ */
export const GITHUB_TOKEN = /^(?:gh[a-z]_|github_pat_)\w{20,}$|^[0-9a-f]{40}$/

/** The public key of a relay. @throws UserError when it cannot be had, or is none */
export async function sealingKey({ relay, key }: Pick<SealOptions, 'relay' | 'key'>): Promise<JWK> {
  if (key !== undefined) {
    try {
      return await firstKey(readFileSync(key, 'utf8'), key)
    } catch (cause) {
      if (cause instanceof UserError) throw cause
      const hint = 'hookline keys public prints what belongs there'
      throw new UserError({ message: `${key} cannot be read`, hint }, { cause })
    }
  }
  if (relay !== undefined) return firstKey(await published(relay), relay)
  throw new UserError({ message: 'no relay is named', hint: 'give --relay <url>, or --key <file>' })
}

/** @throws UserError when it cannot be had, or not over a connection that proves whose it is */
async function published(relay: string): Promise<string> {
  const { SEAL_KEYS_PATH } = await import('../relay/seal.ts')
  const base = readAddress(relay, RELAY_ADDRESS)
  if (base.protocol !== 'https:' && !isLoopback(base.hostname)) {
    throw new UserError({
      message: `--relay is not the address of a relay that proves who it is: ${shownSetting(relay)}`,
      hint: 'it begins with https://, or is on this machine',
    })
  }
  // At the root, whatever path the relay is told by.
  const url = new URL(SEAL_KEYS_PATH, base).href
  try {
    const { status, text } = await http({ method: 'GET', url, timeout: TIMEOUT })
    if (status === 200) return text
    throw new UserError({
      message: `${base.host} answers ${status} for its keys`,
      hint:
        status === 404
          ? 'the relay needs HOOKLINE_SEALING_KEYS, made with: hookline keys new'
          : 'check --relay: it is the address of the relay itself, without a redirect or a login before it',
    })
  } catch (cause) {
    if (!(cause instanceof HttpFailure)) throw cause
    const hint = unreachableHint(
      cause,
      'is the relay running there? seal and grant take its key from a file too, by --key',
    )
    throw new UserError({ message: `${relay}: ${cause.message}`, hint }, { cause })
  }
}

/** The first key of a JWK set is the current one. Of a private one, only the public part is used. */
async function firstKey(content: string, source: string): Promise<JWK> {
  const { readPublicSealKey } = await import('../relay/seal.ts')
  const { keys } = fieldsOf({ text: content })
  const [first] = listOf(keys)
  if (first === undefined || first.kty !== 'EC') {
    throw new UserError({
      message: `${source} has no public key for sealing`,
      hint: 'the relay needs HOOKLINE_SEALING_KEYS, made with: hookline keys new',
    })
  }
  try {
    return await readPublicSealKey(first)
  } catch (cause) {
    throw new UserError(
      {
        message: `${source} has a key that seals nothing: it is not whole, or not a point of P-256`,
        hint: 'hookline keys public prints the right one, where the relay runs',
      },
      { cause },
    )
  }
}
