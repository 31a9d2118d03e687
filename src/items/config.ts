import * as v from 'valibot'
import { outputOptions } from './output-options.ts'
import { runOptions } from './run-options.ts'
import { deduplicateOptions } from './steps/deduplicate.ts'
import { filterOptions } from './steps/filter.ts'
import { formatOptions } from './steps/format.ts'
import { limitOptions } from './steps/limit.ts'
import { projectOptions } from './steps/project.ts'
import { skipOptions } from './steps/skip.ts'
import { sortOptions } from './steps/sort.ts'

/** The options common to all triggers, in the order in which they take effect. */
export const CONFIG_OPTIONS = {
  ...runOptions,
  ...filterOptions,
  ...sortOptions,
  ...skipOptions,
  ...deduplicateOptions,
  ...limitOptions,
  ...projectOptions,
  ...formatOptions,
  ...outputOptions,
}

/** Keys of Actionsflow that mean nothing here, and what does the same. */
export const MOVED_KEYS: ReadonlyMap<string, string> = new Map([
  ['metadata', 'put values that jobs read into `env` of the workflow, or into variables (`vars`)'],
  ['resultsPerWorkflow', 'the output `items` is a matrix: every item has jobs of its own'],
  ['debug', 'switch on step debug logging of GitHub Actions (variable ACTIONS_STEP_DEBUG)'],
  ['logLevel', 'switch on step debug logging of GitHub Actions (variable ACTIONS_STEP_DEBUG)'],
])

/** `on.<trigger>.config` */
export const configSchema = v.optional(v.strictObject(CONFIG_OPTIONS), {})

export type Config = v.InferOutput<typeof configSchema>
