import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

interface Manifest {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>
  readonly outputs: Readonly<Record<string, object>>
}

const { inputs, outputs } = parse(
  readFileSync(new URL('../../action.yml', import.meta.url), 'utf8'),
) as Manifest // its own test checks its shape

/** What `action.yml` declares. */
export const MANIFEST = {
  inputs: Object.keys(inputs),
  outputs: Object.keys(outputs),
  /** Inputs as the runner gives them when a step says nothing. */
  defaults: Object.fromEntries(
    Object.entries(inputs)
      .filter(([name]) => name !== 'github-token')
      .map(([name, input]) => [name, input.default]),
  ),
}
