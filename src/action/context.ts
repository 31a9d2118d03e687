import { readFileSync } from 'node:fs'
import * as core from '@actions/core'
import type { EnginePorts, WorkflowSource } from '../engine/ports.ts'
import { UserError } from '../wire/errors.ts'
import { type Json, type JsonObject, parseJson, record } from '../wire/json.ts'
import type { PlatformEvent } from '../wire/payload.ts'
import type { Contexts } from '../workflow/expressions.ts'
import { readOnSection } from '../workflow/workflow.ts'
import { DEFAULT_GLOB, type Inputs, onSource, readInputs } from './inputs.ts'
import { enginePorts, workingCopy } from './ports.ts'

/** Everything around a run of the action. */
export interface ActionContext {
  readonly inputs: Inputs
  readonly event: PlatformEvent
  readonly workflows: WorkflowSource
  readonly ports: EnginePorts
}

/** @throws UserError when an input or the event cannot be read */
export async function readActionContext(): Promise<ActionContext> {
  const inputs = stepInputs()
  const event = readEvent()
  const contexts = expressionContexts(process.env, event.payload, inputs)
  const workflows = await workflowSource(inputs, contexts)
  return { inputs, event, workflows, ports: await actionPorts(inputs) }
}

/** The inputs of the step. @throws UserError when one cannot be read */
export function stepInputs(): Inputs {
  return readInputs((name) => core.getInput(name, { trimWhitespace: false }))
}

/** The real world for the engine. A store is loaded only when one is asked for. */
export async function actionPorts(inputs: Inputs): Promise<EnginePorts> {
  const isStateless = inputs.state.kind === 'none'
  const stores = isStateless ? undefined : await import('./store.ts')
  const store = await stores?.chosenStore(inputs, workingCopy())
  return enginePorts(inputs.messagingApiUrl, { store, mask: core.setSecret })
}

const NO_FILES = [
  'the repository must be checked out first (actions/checkout)',
  'or give the triggers in the input "on": then no file is needed',
]

/** The workflows of a run: the inline `on:` section under the calling workflow's name, or files. */
async function workflowSource(inputs: Inputs, contexts: Contexts): Promise<WorkflowSource> {
  const calling = callingWorkflow(process.env)
  if (inputs.on.trim() === '') {
    // Globs are of no use to an inline section.
    const { workflowFileSource } = await import('./workflow-files.ts')
    const options = { root: workingCopy(), globs: inputs.workflow, contexts, advice: NO_FILES }
    const files = workflowFileSource({ ...options, calling: calling.name })
    // Where the input names files, a schedule polls all of them; else the one named like the caller.
    const isChosen = inputs.workflow.join() !== DEFAULT_GLOB
    return isChosen ? { ...files, polled: () => files.names() } : files
  }
  const source = onSource(inputs.on, calling.file)
  return {
    calling: calling.name,
    names: () => [calling.name],
    find: (name) => (name === calling.name ? readOnSection(name, source, contexts) : undefined),
  }
}

/** @throws UserError when the file that the runner names is not there, or no JSON */
function readEvent(): PlatformEvent {
  const path = process.env.GITHUB_EVENT_PATH ?? ''
  const name = process.env.GITHUB_EVENT_NAME ?? ''
  try {
    return { name, payload: parseJson(readFileSync(path, 'utf8')) }
  } catch (cause) {
    const why = cause instanceof SyntaxError ? cause.message : 'the file cannot be read'
    throw new UserError({ message: `GITHUB_EVENT_PATH: ${why}` }, { cause })
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Variables that name files of the runner, or hold the token: not part of GitHub's own context. */
const NOT_IN_GITHUB_CONTEXT = /^GITHUB_(TOKEN|OUTPUT|ENV|PATH|STATE|STEP_SUMMARY|EVENT_PATH)$/

/** The contexts that expressions of an `on:` section may read. */
export function expressionContexts(
  env: Environment,
  event: Json,
  { secrets, vars }: { readonly secrets: JsonObject; readonly vars: JsonObject },
): Contexts {
  const github = Object.entries(env).flatMap(([name, value]) => {
    if (!name.startsWith('GITHUB_') || NOT_IN_GITHUB_CONTEXT.test(name)) return []
    return [[name.slice('GITHUB_'.length).toLowerCase(), value ?? ''] as const]
  })
  // They hold inputs, secrets among them, and tokens of the runner.
  const visible = Object.entries(env).filter(([name]) => !/^(INPUT|ACTIONS)_/i.test(name))
  return {
    secrets,
    vars,
    github: record<Json>([...github, ['event', event]]),
    env: record(visible.map(([name, value]) => [name, value ?? ''])),
  }
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
