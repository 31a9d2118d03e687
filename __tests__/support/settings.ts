import * as v from 'valibot'
import { scripts } from '../../src/entries/scripts.ts'
import type { Found } from '../../src/items/candidate.ts'
import { type Config, configSchema } from '../../src/items/config.ts'
import type { Item } from '../../src/items/item.ts'
import type { KeyPaths } from '../../src/items/key.ts'
import { BLANK_LEDGER, type Ledger } from '../../src/items/ledger.ts'

/** Settings of the pipeline from `config` as a workflow file has it. */
export function settingsOf(
  config: unknown = {},
  other: { keys?: Partial<KeyPaths>; ledger?: Ledger; deduplicate?: boolean } = {},
) {
  return {
    config: configOf(config),
    keys: { own: undefined, chosen: undefined, ...other.keys },
    deduplicate: other.deduplicate ?? false,
    ledger: other.ledger ?? BLANK_LEDGER,
    scripts,
  }
}

export function configOf(config: unknown): Config {
  return v.parse(configSchema, config)
}

export function found(items: readonly Item[]): Found[] {
  return items.map((item) => ({ item, identity: item }))
}
