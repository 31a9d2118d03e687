import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

interface Manifest {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly outputs: Readonly<Record<string, object>>
}

const { inputs, outputs } = manifest('action.yml')

function manifest(name: string): Manifest {
  // Their own tests check their shape.
  return parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')) as Manifest
}

/** What `action.yml` declares. */
export const MANIFEST = {
  inputs: Object.keys(inputs),
  outputs: Object.keys(outputs),
  /** Inputs as the runner gives them when a step says nothing. */
  defaults: defaultsOf(inputs),
}

/** Inputs of `reply` as the runner gives them when a step says nothing. */
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
