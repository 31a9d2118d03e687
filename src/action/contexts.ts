import { type Json, type JsonObject, record } from '../wire/json.ts'
import type { Contexts } from '../workflow/expressions.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Variables that name files of the runner, or hold the token: not part of GitHub's own context. */
const NOT_IN_GITHUB_CONTEXT = /^GITHUB_(TOKEN|OUTPUT|ENV|PATH|STATE|STEP_SUMMARY|EVENT_PATH)$/

/** The contexts that expressions of an `on:` section may read. */
export function expressionContexts(
  env: Environment,
  event: Json,
  { secrets, vars }: { readonly secrets: JsonObject; readonly vars: JsonObject },
): Contexts {
  return { secrets, vars, github: githubContext(env, event), env: envContext(env) }
}

function githubContext(env: Environment, event: Json): JsonObject {
  const variables = Object.entries(env).filter(
    ([name]) => name.startsWith('GITHUB_') && !NOT_IN_GITHUB_CONTEXT.test(name),
  )
  const entries = variables.map(
    ([name, value]) => [name.slice('GITHUB_'.length).toLowerCase(), value ?? ''] as const,
  )
  return record<Json>([...entries, ['event', event]])
}

/** `INPUT_*` and `ACTIONS_*` stay out: they hold inputs, secrets among them, and runner tokens. */
function envContext(env: Environment): JsonObject {
  const visible = Object.entries(env).filter(([name]) => !/^(INPUT|ACTIONS)_/i.test(name))
  return record(visible.map(([name, value]) => [name, value ?? ''] as const))
}

/** `hook` and `.github/workflows/hook.yml`, from `owner/repo/.github/workflows/hook.yml@refs/…`. */
export function callingWorkflow(env: Environment): {
  readonly name: string
  readonly file: string
} {
  const reference = env.GITHUB_WORKFLOW_REF ?? ''
  const file = /^[^/]+\/[^/]+\/([^@]+)@/.exec(reference)?.[1] ?? ''
  const name = (file.split('/').at(-1) ?? '').replace(/\.ya?ml$/, '')
  return { name, file }
}
