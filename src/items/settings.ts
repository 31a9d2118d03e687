import type * as v from 'valibot'
import type { KeyPaths } from './key.ts'
import type { Ledger } from './ledger.ts'
import type { Scripts } from './scripts.ts'

/** What a step of the pipeline goes by: its own options of `config`, and what all steps share. */
export interface Settings<Options extends v.ObjectEntries> {
  readonly config: v.InferOutput<v.StrictObjectSchema<Options, undefined>>
  readonly keys: KeyPaths
  /** Whether equal items are dropped; the trigger's default unless `config` says so. */
  readonly deduplicate: boolean
  readonly ledger: Ledger
  readonly scripts: Scripts
}
