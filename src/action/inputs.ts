import { parseState, STATE_FORMS, type StateChoice } from '../state/index.ts'
import { addressInput } from '../wire/address.ts'
import { type Source, UserError } from '../wire/errors.ts'
import { isObject, type Json, type JsonObject, parseJson, record } from '../wire/json.ts'
import type { Environment } from '../wire/settings.ts'
import type { Contexts } from '../workflow/expressions.ts'

/** The inputs of the action, from `with:` of the step. */
export interface Inputs {
  /** The inline `on:` section; empty if workflow files are read. */
  readonly on: string
  /** Globs of workflow files. */
  readonly workflow: readonly string[]
  readonly secrets: JsonObject
  readonly vars: JsonObject
  readonly state: StateChoice
  /** Token for the store on a branch. */
  readonly githubToken: string
  /** Base address of the Telegram Bot API. */
  readonly messagingApiUrl: string
  /** Address of the relay whose stored bodies are fetched; empty if none is. */
  readonly relayUrl: string
}

/**
 * Reads all inputs once; the names are those of action.yml.
 *
 * @throws UserError if `secrets` or `vars` is not a JSON object; the message does not quote it
 */
export function readInputs(input: (name: string) => string): Inputs {
  const state = parseState(input('state'))
  if (!state) {
    throw new UserError({
      message: `input "state" is none of: ${STATE_FORMS}`,
      notes: ['example: state: branch:hookline-state'],
    })
  }
  return {
    on: input('on'),
    workflow: (input('workflow') || DEFAULT_GLOB).split('\n').flatMap((line) => line.trim() || []),
    secrets: parseJsonInput('secrets', input('secrets')),
    vars: parseJsonInput('vars', input('vars')),
    state,
    githubToken: input('github-token').trim(),
    relayUrl: input('relay-url').trim(),
    messagingApiUrl: addressInput(input, 'telegram-api-url', 'https://api.telegram.org'),
  }
}

/** The glob if the input `workflow` is empty. */
export const DEFAULT_GLOB = 'workflows/**/*.{yml,yaml}'

/** The paths that this glob matches, because the package for globs takes 6 % of a run to load. */
export const DEFAULT_FILES = {
  match: (file: string) => /^workflows\/(?:[^./][^/]*\/)*[^./][^/]*\.ya?ml$/.test(file),
}

/** The input `on` as a source. Its mistakes are annotated at the workflow that calls the action. */
export function onSource(text: string, workflowFile: string): Source {
  return { name: 'input "on"', text, file: workflowFile }
}

function parseJsonInput(name: string, text: string): JsonObject {
  const wrong = (what: string) =>
    new UserError({
      message: `input "${name}" is ${what}`,
      notes: [`example: ${name}: '{"NAME": \${{ toJSON(${name}.NAME) }}}'`],
    })
  if (text.trim() === '') return {}
  let value: Json
  try {
    value = parseJson(text)
  } catch {
    throw wrong('not JSON')
  }
  if (isObject(value)) return value
  throw wrong('JSON, but not an object')
}

/**
 * Variables that name files of the runner, or contain the token. GitHub's own context lacks them,
 * too.
 */
const NOT_IN_GITHUB_CONTEXT = /^GITHUB_(TOKEN|OUTPUT|ENV|PATH|STATE|STEP_SUMMARY|EVENT_PATH)$/

export function expressionContexts(
  env: Environment,
  event: Json,
  { secrets, vars }: { readonly secrets: JsonObject; readonly vars: JsonObject },
): Contexts {
  const github = Object.entries(env).flatMap(([name, value]) => {
    if (!name.startsWith('GITHUB_') || NOT_IN_GITHUB_CONTEXT.test(name)) return []
    return [[name.slice('GITHUB_'.length).toLowerCase(), value ?? ''] as const]
  })
  // These variables contain inputs, including secrets, and tokens of the runner.
  const visible = Object.entries(env).filter(([name]) => !/^(INPUT|ACTIONS)_/i.test(name))
  return {
    secrets,
    vars,
    github: record<Json>([...github, ['event', event]]),
    env: record(visible.map(([name, value]) => [name, value ?? ''])),
  }
}
