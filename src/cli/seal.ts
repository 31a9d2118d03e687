import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import type { JWK } from 'jose'
import { http } from '../action/http-client.ts'
import { isLoopback, RELAY_ADDRESS, readAddress } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import { fieldsOf, listOf } from '../wire/github-api.ts'
import { HttpFailure } from '../wire/http.ts'
import { shownSetting } from '../wire/secret.ts'
import { readSetting } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { readText } from './files.ts'
import { unreachableHint } from './request-faults.ts'
import {
  readExpiry,
  readScopeOptions,
  type ScopeOptions,
  withScopeOptions,
} from './scope-options.ts'
import { warn } from './terminal.ts'

interface SealOptions extends ScopeOptions {
  readonly relay?: string
  readonly relayKey?: string
  readonly json?: boolean
}

const TIMEOUT = 15_000

const HELP = `
The GitHub token comes from HOOKLINE_GITHUB_TOKEN or from standard input.

${environmentHelp('HOOKLINE_GITHUB_TOKEN')}

Examples:
  $ hookline seal --relay https://relay.example.com --repository octo/repo
  $ hookline seal --relay-key public.json --repository octo/repo --expires 90d`

export function sealCommand(): Command {
  const command = new Command('seal')
    .description('encrypt a GitHub token for one relay, so that a URL can contain it')
    .option('--relay <url>', 'relay that can decrypt the token; publishes its key')
    .option('--relay-key <file>', "the relay's public key, from: hookline keys public")
    .requiredOption('--repository <owner/name>', 'the only repository that the token can start')
    .option('--path <path>', 'the only path: <workflow>/<trigger>, or its beginning')
  return withScopeOptions(command)
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(seal)
}

async function seal(options: SealOptions): Promise<void> {
  const { sealToken } = await import('../relay/credentials/seal.ts')
  const { expires } = options
  const scope = {
    ...(await readScopeOptions(options)),
    ...(expires !== undefined && { expires: readExpiry(expires, Date.now()) }),
  }
  const key = await sealingKey(options)
  const token = await readGitHubToken()
  if (!GITHUB_TOKEN.test(token)) {
    // A GitHub Enterprise Server or another forge may issue tokens of another form.
    const message = 'the token does not look like a GitHub token'
    const hint = 'A GitHub token begins with github_pat_ or ghp_. To check it, run: hookline doctor'
    warn([{ message, hint }])
  }
  const sealed = await sealToken({ token, ...scope }, key)
  const line = options.json ? JSON.stringify({ sealed, ...scope }) : sealed
  process.stdout.write(`${line}\n`)
}

/** The token never comes from an argument, because every process of the machine can read arguments. */
async function readGitHubToken(): Promise<string> {
  const set = readSetting(process.env, 'HOOKLINE_GITHUB_TOKEN')?.reveal()
  const token = set ?? (process.stdin.isTTY ? '' : await text(process.stdin))
  if (/^[\x21-\x7e]+$/.test(token.trim())) return token.trim()
  throw new UserError({
    message: 'there is no token to seal',
    hint: 'Set HOOKLINE_GITHUB_TOKEN, or pass the token on standard input: hookline seal … < token.txt',
  })
}

/**
 * A token of an App's installation may contain dots.
 *
 * https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
 */
export const GITHUB_TOKEN = /^(?:gh[a-z]_|github_pat_)[\w.-]{20,}$|^[0-9a-f]{40}$/

/**
 * The public key of a relay, from a file or from the relay itself.
 *
 * @throws UserError if the key cannot be read or fetched, or is invalid
 */
export async function sealingKey({
  relay,
  relayKey,
}: Pick<SealOptions, 'relay' | 'relayKey'>): Promise<JWK> {
  if (relayKey !== undefined) return firstKey(readText(relayKey, '--relay-key'), relayKey)
  if (relay !== undefined) return firstKey(await publishedKeys(relay), relay)
  throw new UserError({
    message: 'the public key of the relay is missing',
    hint: 'Add --relay <url>, or --relay-key <file>.',
  })
}

/** @throws UserError if the relay is unreachable, unauthenticated (plain http) or publishes no key */
async function publishedKeys(relay: string): Promise<string> {
  const { SEALING_KEYS_PATH } = await import('../relay/credentials/seal.ts')
  const base = readAddress(relay, RELAY_ADDRESS)
  if (base.protocol !== 'https:' && !isLoopback(base.hostname)) {
    throw new UserError({
      message: `--relay is neither an https address nor on this machine: ${shownSetting(relay)}`,
      hint: 'Use https://, because anyone on the way could replace a key that travels over http.',
    })
  }
  // The page is at the root of the host, even if --relay has a path.
  const url = new URL(SEALING_KEYS_PATH, base).href
  try {
    const { status, text } = await http({ method: 'GET', url, timeout: TIMEOUT })
    if (status === 200) return text
    throw new UserError({
      message: `${base.host} publishes no sealing key (status ${status})`,
      hint:
        status === 404
          ? 'Set HOOKLINE_SEALING_KEYS on the relay: hookline keys create sealing'
          : 'Check --relay: a redirect or a login page may be in front of the relay.',
    })
  } catch (cause) {
    if (!(cause instanceof HttpFailure)) throw cause
    const hint = unreachableHint(cause, 'Start the relay, or pass its key: --relay-key <file>')
    throw new UserError({ message: `${relay}: ${cause.message}`, hint }, { cause })
  }
}

/** The first key of a JWK set is the current key. Only the public part of a private key is used. */
async function firstKey(content: string, source: string): Promise<JWK> {
  const { readPublicSealingKey } = await import('../relay/credentials/seal.ts')
  const { keys } = fieldsOf({ text: content })
  const [first] = listOf(keys)
  if (first === undefined || first.kty !== 'EC') {
    throw new UserError({
      message: `${source} has no public key for sealing`,
      hint: 'Set HOOKLINE_SEALING_KEYS on the relay: hookline keys create sealing',
    })
  }
  try {
    return await readPublicSealingKey(first)
  } catch (cause) {
    throw new UserError(
      {
        message: `${source} has an invalid sealing key: it is not a complete P-256 key`,
        hint: "To print a valid key, run on the relay's machine: hookline keys public",
      },
      { cause },
    )
  }
}
