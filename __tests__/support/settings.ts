import * as v from 'valibot'
import type { Found } from '../../src/engine/pipeline.ts'
import { scripts } from '../../src/engine/scripts.ts'
import { BLANK_LEDGER, type Ledger } from '../../src/state/index.ts'
import type { KeyPaths } from '../../src/triggers/config.ts'
import { type Config, configSchema } from '../../src/triggers/config.ts'
import type { Item } from '../../src/triggers/trigger.ts'

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
