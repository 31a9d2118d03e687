import { Command } from 'commander'
import { UserError } from '../wire/errors.ts'
import { readSetting } from '../wire/settings.ts'
import { print } from './terminal.ts'

const MAKE_SEAL_KEYS = 'make them, and keep them, with: hookline keys new'

/** The commands print what they make, and keep nothing. */
export function keysCommand(): Command {
  return new Command('keys')
    .description('make the keys of a relay')
    .addHelpText('after', '\nExamples:\n  $ hookline keys sign\n  $ hookline keys new')
    .addCommand(
      new Command('sign')
        .description(
          'print keys for HOOKLINE_SIGNING_KEYS, which sign grants: a new one, before the old',
        )
        .action(async () => {
          const { newSignKey } = await import('../relay/grant.ts')
          const { readSignKeys } = await import('../relay/config.ts')
          const text = readSetting(process.env, 'HOOKLINE_SIGNING_KEYS')
          const keys = [await newSignKey(), ...(text ? await readSignKeys(text) : [])]
          print(JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }))
        }),
    )
    .addCommand(
      new Command('new')
        .description(
          'print sealing keys for HOOKLINE_SEALING_KEYS: a new one, before those it holds',
        )
        .action(async () => {
          const { newSealKey } = await import('../relay/seal.ts')
          const keys = [await newSealKey(), ...(await presentSealKeys())]
          print(JSON.stringify({ keys: keys.map(({ privateJwk }) => privateJwk) }))
        }),
    )
    .addCommand(
      new Command('public')
        .description('print the public part of HOOKLINE_SEALING_KEYS, for hookline seal --key')
        .action(async () => {
          const { sealKeysPage } = await import('../relay/seal.ts')
          if (readSetting(process.env, 'HOOKLINE_SEALING_KEYS') === undefined) {
            throw new UserError({
              message: 'HOOKLINE_SEALING_KEYS is not set',
              hint: MAKE_SEAL_KEYS,
            })
          }
          print(sealKeysPage(await presentSealKeys()).body)
        }),
    )
    .addCommand(
      new Command('access')
        .description(
          'print a key for HOOKLINE_ACCESS_KEYS, which a request brings in place of a token',
        )
        .action(() => {
          const random = crypto.getRandomValues(new Uint8Array(32))
          print(`hlk_${Buffer.from(random).toString('base64url')}`)
        }),
    )
}

async function presentSealKeys() {
  const { readSealKeys } = await import('../relay/config.ts')
  const text = readSetting(process.env, 'HOOKLINE_SEALING_KEYS')
  return text ? readSealKeys(text) : []
}
