import { Command } from 'commander'
import type { Grant } from '../relay/grant.ts'
import { UserError } from '../wire/errors.ts'
import { readSetting } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { readExpiry, readScopeOptions, type ScopeOptions, withScopeOptions } from './scope.ts'

const HELP = `
It is signed with the first key of HOOKLINE_SIGN_KEYS, which the relay must have too. Whoever has it can
start the workflows that it covers, and nothing else. Without --expires it does not end; an id in the
relay's HOOKLINE_REVOKED ends it.

${environmentHelp('HOOKLINE_SIGN_KEYS')}

Examples:
  $ npx hookline grant --repository octo/repo --path hook/webhook
  $ npx hookline grant --repository octo/repo --path deploy/webhook --event workflow_dispatch --expires 90d`

export function grantCommand(): Command {
  const command = new Command('grant')
    .description('print what a URL carries in place of a token, where the relay has its own')
    .requiredOption('--repository <owner/name>', 'the only repository it is good for')
    .option('--path <path>', 'the only path it is good for: <workflow>/<trigger>, or its beginning')
  return withScopeOptions(command)
    .option('--json', 'print an object')
    .addHelpText('after', HELP)
    .action(async ({ json, ...options }: ScopeOptions & { json?: boolean }) => {
      const { text, grant } = await makeGrant(
        options,
        readSetting(process.env, 'HOOKLINE_SIGN_KEYS'),
      )
      if (!json) process.stderr.write(`the id of this grant, to revoke it by, is ${grant.id}\n`)
      process.stdout.write(json ? `${JSON.stringify({ grant: text, ...grant })}\n` : `${text}\n`)
    })
}

/**
 * Makes and signs a grant.
 *
 * @param keys as HOOKLINE_SIGN_KEYS holds them
 * @throws UserError for a flag that is wrong, or without keys
 */
export async function makeGrant(
  options: ScopeOptions,
  keys: string | undefined,
): Promise<{ readonly text: string; readonly grant: Grant }> {
  const { signGrant } = await import('../relay/grant.ts')
  const { readSignKeys } = await import('../relay/config.ts')
  const scope = await readScopeOptions(options)
  const { expires } = options
  const exp = expires === undefined ? undefined : readExpiry(expires, Date.now())
  const [key] = keys ? await readSignKeys(keys) : []
  if (!key) {
    throw new UserError({
      message: 'HOOKLINE_SIGN_KEYS is not set',
      hint: 'make keys with: npx hookline keys sign, and give the relay the same',
    })
  }
  const grant: Grant = { id: crypto.randomUUID(), ...scope, ...(exp !== undefined && { exp }) }
  return { text: await signGrant(grant, key), grant }
}
