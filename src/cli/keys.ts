import { Command } from 'commander'
import { UserError } from '../wire/errors.ts'
import { readSetting } from '../wire/settings.ts'
import { print } from './terminal.ts'

/** The commands print keys to standard output and store nothing. */
export function keysCommand(): Command {
  return new Command('keys')
    .description('create and show the keys of a relay')
    .addCommand(createCommand())
    .addCommand(
      new Command('public')
        .description('print the public part of HOOKLINE_SEALING_KEYS, for --relay-key')
        .action(printPublicKeys),
    )
    .addHelpText('after', EXAMPLES)
}

const EXAMPLES = `
Examples:
  $ hookline keys create signing
  $ hookline keys create sealing
  $ hookline keys create access
  $ hookline keys public > public.json`

function createCommand(): Command {
  return new Command('create')
    .description('create a sealing, signing or access key, and print it')
    .addCommand(
      new Command('sealing')
        .description('print HOOKLINE_SEALING_KEYS: a new key, then the present keys')
        .action(createSealingKey),
    )
    .addCommand(
      new Command('signing')
        .description('print HOOKLINE_SIGNING_KEYS: a new key, then the present keys')
        .action(createSigningKey),
    )
    .addCommand(
      new Command('access')
        .description('print an access key for HOOKLINE_ACCESS_KEYS')
        .action(() => {
          const random = crypto.getRandomValues(new Uint8Array(32))
          print(`hlk_${Buffer.from(random).toString('base64url')}`)
        }),
    )
    .addHelpText('after', '\nExample:\n  $ hookline keys create signing')
}

async function createSigningKey(): Promise<void> {
  const { generateSigningKey } = await import('../relay/credentials/grant.ts')
  const { readSigningKeys } = await import('../relay/relay-config.ts')
  const text = readSetting(process.env, 'HOOKLINE_SIGNING_KEYS')
  const keys = [await generateSigningKey(), ...(text ? await readSigningKeys(text) : [])]
  print(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }))
}

async function createSealingKey(): Promise<void> {
  const { generateSealingKey } = await import('../relay/credentials/seal.ts')
  const keys = [await generateSealingKey(), ...(await presentSealingKeys())]
  print(JSON.stringify({ keys: keys.map(({ privateJwk }) => privateJwk) }))
}

async function printPublicKeys(): Promise<void> {
  const { sealingKeysPage } = await import('../relay/credentials/seal.ts')
  const keys = await presentSealingKeys()
  if (keys.length === 0) {
    throw new UserError({
      message: 'HOOKLINE_SEALING_KEYS is not set',
      hint: 'To create keys, run: hookline keys create sealing',
    })
  }
  print(sealingKeysPage(keys).body)
}

async function presentSealingKeys() {
  const { readSealingKeys } = await import('../relay/relay-config.ts')
  const text = readSetting(process.env, 'HOOKLINE_SEALING_KEYS')
  return text ? readSealingKeys(text) : []
}
