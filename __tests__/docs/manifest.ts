import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

interface Manifest {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly outputs: Readonly<Record<string, object>>
}

const { inputs, outputs } = manifest('action.yml')

function manifest(name: string): Manifest {
  // Other tests check their structure.
  return parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')) as Manifest
}

/** The contents of `action.yml`. */
export const MANIFEST = {
  inputs: Object.keys(inputs),
  outputs: Object.keys(outputs),
  /** The inputs of a step without `with:`, as the runner sets them. */
  defaults: defaultsOf(inputs),
}

/** The inputs of a `reply` step without `with:`, as the runner sets them. */
export const REPLY_DEFAULTS: Readonly<Record<string, string>> = defaultsOf(
  manifest('reply/action.yml').inputs,
)

function defaultsOf(declared: Manifest['inputs']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(declared)
      .filter(([name]) => name !== 'github-token')
      .map(([name, input]) => [name, input.default ?? '']),
  )
}
