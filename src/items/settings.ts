import type { Config } from './config.ts'
import type { KeyPaths } from './key.ts'
import type { Ledger } from './ledger.ts'
import type { Scripts } from './scripts.ts'

/** What a step of the pipeline goes by: the options of `config`, and what all steps share. */
export interface Settings {
  readonly config: Config
  readonly keys: KeyPaths
  /** Whether equal items are dropped; the trigger's default unless `config` says so. */
  readonly deduplicate: boolean
  readonly ledger: Ledger
  readonly scripts: Scripts
}
