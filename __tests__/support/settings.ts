import * as v from 'valibot'
import type { Found } from '../../src/engine/deduplication-keys.ts'
import { scripts } from '../../src/engine/scripts.ts'
import type { SeenKeys } from '../../src/state/store.ts'
import type { KeyPaths } from '../../src/triggers/config-options.ts'
import { type Config, configSchema } from '../../src/triggers/config-options.ts'
import type { Item } from '../../src/triggers/trigger.ts'

/** Settings of the pipeline from the `config` of a workflow file. */
export function settingsOf(
  config: unknown = {},
  other: {
    keys?: KeyPaths
    seen?: SeenKeys
    deduplicate?: boolean
    isPolled?: boolean
  } = {},
) {
  return {
    config: configOf(config),
    keys: other.keys ?? {},
    deduplicate: other.deduplicate ?? false,
    seen: other.seen,
    isPolled: other.isPolled ?? true,
    scripts,
  }
}

export function configOf(config: unknown): Config {
  return v.parse(configSchema, config)
}

export function found(items: readonly Item[]): Found[] {
  return items.map((item) => ({ item, identity: item }))
}
