import { Command } from 'commander'
import type { JWK } from 'jose'
import type { Grant } from '../relay/credentials/grant.ts'
import { UserError } from '../wire/errors.ts'
import { type Environment, readSetting } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import type { ConditionOptions, GrantConditions } from './grant/grant-conditions.ts'
import {
  readExpiry,
  readScopeOptions,
  type ScopeOptions,
  withScopeOptions,
} from './scope-options.ts'
import { sealingKey } from './seal.ts'

export interface GrantOptions extends ScopeOptions, ConditionOptions {
  /** The conditions of the trigger's file, in place of the flags; `undefined` for none. */
  readonly conditions?: GrantConditions | undefined
  /** The relay's public key. */
  readonly encryptionKey?: JWK
  readonly relay?: string
  readonly relayKey?: string
}

const HELP = `
The first key of HOOKLINE_SIGNING_KEYS signs the grant; the relay needs the same
keys. Anyone with the grant can start the workflows that it covers, and nothing
else. To revoke a grant, add its id to HOOKLINE_REVOKED_GRANTS on the relay.

With --if, --sender and --verify the relay evaluates each request before it
calls GitHub, so that an unwanted request starts no run:
  --if       an expression over method, path, query, headers and body
  --sender   a sender, for example stripe; --secret-env names its secret
  --verify   a signature scheme, or the trigger's "verify" mapping as JSON
A grant with a secret is encrypted with the public key of the relay.

${environmentHelp('HOOKLINE_SIGNING_KEYS')}

Examples:
  $ hookline grant --repository octo/repo --path hook/webhook
  $ hookline grant --repository octo/repo --dispatch workflow --expires 90d
  $ hookline grant --repository octo/repo --if "body.action == 'opened'"
  $ hookline grant --repository octo/repo --path hook/webhook --sender stripe \\
      --secret-env STRIPE_SECRET --relay-key public.json`

export function grantCommand(): Command {
  const command = new Command('grant')
    .description('sign a grant: an access token that is good for one path')
    .requiredOption('--repository <owner/name>', 'the only repository that the grant covers')
    .option('--path <path>', 'the only path: <workflow>/<trigger>, or its beginning')
  return withConditionOptions(withScopeOptions(command))
    .option('--relay <url>', 'relay that publishes the key that encrypts the secret')
    .option('--relay-key <file>', "the relay's public key, from: hookline keys public")
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async ({ json, ...options }: GrantOptions & { json?: boolean }) => {
      const { text, grant, conditions } = await makeGrant(options, process.env)
      if (!json) process.stderr.write(`id of the grant (to revoke it): ${grant.id}\n`)
      const shown = { grant: text, ...grant, ...conditions?.shown }
      process.stdout.write(json ? `${JSON.stringify(shown)}\n` : `${text}\n`)
    })
}

/** Adds the flags of the conditions that the relay checks. */
export function withConditionOptions(command: Command): Command {
  return command
    .option('--if <expression>', 'forward only requests for which the expression is true')
    .option('--if-error <allow>', 'forward also requests for which --if fails')
    .option('--sender <name>', 'verify signatures of this sender')
    .option('--verify <scheme>', 'verify signatures of this scheme, or mapping as JSON')
    .option('--secret-env <name>', "variable with the sender's secret")
    .option('--public-key <key>', "the sender's public key, in place of a secret")
}

export interface MadeGrant {
  readonly text: string
  readonly grant: Pick<Grant, 'id' | 'repository' | 'exp'>
  readonly conditions?: GrantConditions | undefined
}

/** Characters. Many servers refuse a longer URL. */
const MAX_LENGTH = 4000

/**
 * Signs a grant, and encrypts it if it contains a secret.
 *
 * @param env with HOOKLINE_SIGNING_KEYS, and the variable that `secretEnv` names
 * @throws UserError for an invalid flag or missing keys
 */
export async function makeGrant(options: GrantOptions, env: Environment): Promise<MadeGrant> {
  const [{ signGrant }, { readSigningKeys }, { conditionsFrom }] = await Promise.all([
    import('../relay/credentials/grant.ts'),
    import('../relay/relay-config.ts'),
    import('./grant/grant-conditions.ts'),
  ])
  const scope = await readScopeOptions(options)
  const { expires } = options
  const exp = expires === undefined ? undefined : readExpiry(expires, Date.now())
  const conditions = 'conditions' in options ? options.conditions : conditionsFrom(options, env)
  const keys = readSetting(env, 'HOOKLINE_SIGNING_KEYS')
  const [key] = keys ? await readSigningKeys(keys) : []
  if (!key) {
    throw new UserError({
      message: 'HOOKLINE_SIGNING_KEYS is not set',
      hint: 'Create keys, and set them here and on the relay: hookline keys create signing',
    })
  }
  const grant = { id: crypto.randomUUID(), ...scope, ...(exp !== undefined && { exp }) }
  const signed = await signGrant({ ...grant, ...conditions?.claims }, key)
  const text = conditions?.isSecret ? await encrypted(signed, options) : signed
  if (text.length > MAX_LENGTH) {
    throw new UserError({
      message: `the grant has ${text.length} characters; at most ${MAX_LENGTH} fit into a URL`,
      hint: 'Shorten the expression of --if, and filter the rest in the workflow.',
    })
  }
  return { text, grant, conditions }
}

/** @throws UserError if no public key is given */
async function encrypted(grant: string, options: GrantOptions): Promise<string> {
  const { relay, relayKey, encryptionKey } = options
  const { sealGrant } = await import('../relay/credentials/seal.ts')
  if (encryptionKey) return sealGrant(grant, encryptionKey)
  if (relay === undefined && relayKey === undefined) {
    throw new UserError({
      message: 'a grant with a secret needs the public key of the relay, which encrypts it',
      hint: 'Add --relay <url>, or --relay-key <file>.',
    })
  }
  return sealGrant(
    grant,
    await sealingKey({
      ...(relay !== undefined && { relay }),
      ...(relayKey !== undefined && { relayKey }),
    }),
  )
}
