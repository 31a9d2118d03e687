import { Command } from 'commander'
import type { JWK } from 'jose'
import type { Grant } from '../relay/grant.ts'
import { UserError } from '../wire/errors.ts'
import { type Environment, readSetting } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import type { DoorOptions, MadeDoor } from './grant/door.ts'
import { readExpiry, readScopeOptions, type ScopeOptions, withScopeOptions } from './scope.ts'
import { sealingKey } from './seal.ts'

export interface GrantOptions extends ScopeOptions, DoorOptions {
  /** What the trigger's own file asks, in place of what the flags do; `undefined` for nothing. */
  readonly door?: MadeDoor | undefined
  /** The relay's public key itself. */
  readonly sealKey?: JWK
  readonly relay?: string
  readonly key?: string
}

const HELP = `
It is signed with the first key of HOOKLINE_SIGNING_KEYS, which the relay must have too. Whoever has it can
start the workflows that it covers, and nothing else. Without --expires it does not end; an id in the
relay's HOOKLINE_REVOKED_GRANTS ends it.

With --if and --verify the relay looks before it calls GitHub: what is not wanted costs no run. --if is
an expression of GitHub's language over method, path, query, headers and body. --verify is the name of a
sender or of a scheme, or the trigger's own \`verify\` as JSON without its secret, which is read from the
variable that --secret-env names; such a grant is sealed too, with the public key of the relay.

${environmentHelp('HOOKLINE_SIGNING_KEYS')}

Examples:
  $ hookline grant --repository octo/repo --path hook/webhook
  $ hookline grant --repository octo/repo --path deploy/webhook --dispatch workflow --expires 90d
  $ hookline grant --repository octo/repo --path hook/webhook --if "body.action == 'opened'"
  $ hookline grant --repository octo/repo --path hook/webhook --verify stripe --secret-env STRIPE_SECRET --key public.json`

export function grantCommand(): Command {
  const command = new Command('grant')
    .description('print what a URL carries in place of a token, where the relay has its own')
    .requiredOption('--repository <owner/name>', 'the only repository it is good for')
    .option('--path <path>', 'the only path it is good for: <workflow>/<trigger>, or its beginning')
  return withDoorOptions(withScopeOptions(command))
    .option('--json', 'print an object')
    .addHelpText('after', HELP)
    .action(async ({ json, ...options }: GrantOptions & { json?: boolean }) => {
      const { text, grant, door } = await makeGrant(options, process.env)
      if (!json) process.stderr.write(`the id of this grant, to revoke it by, is ${grant.id}\n`)
      const shown = { grant: text, ...grant, ...door?.shown }
      process.stdout.write(json ? `${JSON.stringify(shown)}\n` : `${text}\n`)
    })
}

/** The flags by which a grant asks something of events. */
export function withDoorOptions(command: Command): Command {
  return command
    .option('--if <expression>', 'only events of which it is true are handed over')
    .option('--verify <sender>', 'only what proves this sender; or a scheme, or `verify` as JSON')
    .option('--secret-env <name>', "variable with the sender's secret, for --verify")
    .option('--public-key <key>', "the sender's public key, for --verify")
    .option('--relay <url>', 'the relay; its public key, which seals the secret, is fetched there')
    .option('--key <file>', 'its public key from a file instead')
}

export interface MadeGrant {
  readonly text: string
  readonly grant: Pick<Grant, 'id' | 'repository' | 'exp'>
  /** What it asks of events. */
  readonly door?: MadeDoor | undefined
}

/** Characters: a URL with more of them is refused on its way by many a server. */
const LONGEST = 4000

/**
 * Makes and signs a grant; one that holds a secret is sealed too.
 *
 * @param env with HOOKLINE_SIGNING_KEYS, and the variable that `secretEnv` names
 * @throws UserError for a flag that is wrong, or without keys
 */
export async function makeGrant(options: GrantOptions, env: Environment): Promise<MadeGrant> {
  const [{ signGrant }, { readSignKeys }, { makeDoor }] = await Promise.all([
    import('../relay/grant.ts'),
    import('../relay/config.ts'),
    import('./grant/door.ts'),
  ])
  const scope = await readScopeOptions(options)
  const { expires } = options
  const exp = expires === undefined ? undefined : readExpiry(expires, Date.now())
  const door = 'door' in options ? options.door : makeDoor(options, env)
  const keys = readSetting(env, 'HOOKLINE_SIGNING_KEYS')
  const [key] = keys ? await readSignKeys(keys) : []
  if (!key) {
    throw new UserError({
      message: 'HOOKLINE_SIGNING_KEYS is not set',
      hint: 'make keys with: hookline keys sign, and give the relay the same',
    })
  }
  const grant = { id: crypto.randomUUID(), ...scope, ...(exp !== undefined && { exp }) }
  const signed = await signGrant({ ...grant, ...door?.claims }, key)
  const text = door?.isSecret ? await sealed(signed, options) : signed
  if (text.length > LONGEST) {
    throw new UserError({
      message: `the grant has ${text.length} characters, and may have ${LONGEST}`,
      hint: 'make the expression of --if shorter: the workflow can look at the rest',
    })
  }
  return { text, grant, door }
}

/** @throws UserError where there is no public key to seal it with */
async function sealed(grant: string, { relay, key, sealKey }: GrantOptions): Promise<string> {
  const { sealGrant } = await import('../relay/seal.ts')
  if (sealKey) return sealGrant(grant, sealKey)
  if (relay === undefined && key === undefined) {
    throw new UserError({
      message: 'a grant that holds a secret is sealed, and no key to seal it with is named',
      hint: 'give --relay <url>, which has one at /.well-known, or --key <file>',
    })
  }
  const source = { ...(relay !== undefined && { relay }), ...(key !== undefined && { key }) }
  return sealGrant(grant, await sealingKey(source))
}
