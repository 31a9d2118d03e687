import { mayUseAction, readNativeWorkflow } from '../../compiler/native.ts'
import type { FoundTrigger } from '../../engine/all-workflows.ts'
import { type Problem, type Source, UserError } from '../../wire/errors.ts'
import { fieldsOf, type GitHubResponse, listOf } from '../../wire/github-api.ts'
import { isObject, jsonOf } from '../../wire/json.ts'
import { type DispatchMode, dispatchEvent, EVENT_TYPE, WORKFLOW_INPUT } from '../../wire/payload.ts'
import type { Environment } from '../../wire/settings.ts'
import { withUnixLines } from '../../workflow/source-text.ts'
import { parseYaml } from '../../workflow/yaml.ts'
import { NATIVE_FOLDER } from '../files.ts'
import type { Asked, AskGitHub } from '../github-client.ts'
import { triggersIn } from '../workflows-here.ts'

/** A workflow of the default branch, which GitHub runs. */
export interface PublishedWorkflow {
  readonly branch: string
  /** The native file, and its source if the action reads the triggers there. */
  readonly files: readonly [native: Source, ...Source[]]
}

/** The workflow, or why it was not read. */
type PublishedResult =
  | { readonly found: PublishedWorkflow }
  | { readonly missing: 'repository' }
  | { readonly missing: 'workflow'; readonly branch: string }
  /** The token may not read it. */
  | { readonly missing: 'permission' }

const SOURCE_FOLDER = 'workflows'

async function branchOf(repository: string, ask: AskGitHub): Promise<string | undefined> {
  const answer = readable(await ask(`/repos/${repository}`))
  if (!answer || answer === 'missing') return answer
  const { default_branch: branch } = fieldsOf(answer)
  return typeof branch === 'string' ? branch : undefined
}

/**
 * A response with the content that was asked for.
 *
 * @returns `undefined` if the token may not read it
 * @throws UserError for every other refusal, because it says nothing about the content
 */
function readable({ answer, refusal }: Asked): GitHubResponse | 'missing' | undefined {
  if (!refusal) return answer
  if (refusal.kind === 'missing') return 'missing'
  if (refusal.kind === 'forbidden') return undefined
  throw new UserError({
    message: `the workflow of the default branch cannot be read: unexpected response from the GitHub API (status ${answer.status})`,
    hint: 'Run the command again later. See https://www.githubstatus.com.',
  })
}

/**
 * Downloads a workflow of the default branch.
 *
 * @param file path of the native file, if it is known
 * @throws HttpFailure if GitHub is unreachable; UserError if GitHub is unavailable
 */
export async function readPublished(
  {
    repository,
    workflow,
    file,
  }: { readonly repository: string; readonly workflow: string; readonly file?: string },
  ask: AskGitHub,
): Promise<PublishedResult> {
  const branch = await branchOf(repository, ask)
  if (branch === undefined) return { missing: 'permission' }
  if (branch === 'missing') return { missing: 'repository' }
  const download = async (paths: readonly string[]): Promise<Source | 'missing' | undefined> => {
    for (const path of paths) {
      const answer = readable(await askContents({ repository, branch, path }, ask))
      if (!answer) return undefined
      if (answer !== 'missing') return { name: path, file: path, text: withUnixLines(answer.text) }
    }
    return 'missing'
  }
  const natives = namesOf(NATIVE_FOLDER, workflow)
  const native = await download(file === undefined ? natives : [file, ...natives])
  if (native === undefined) return { missing: 'permission' }
  if (native === 'missing') return { missing: 'workflow', branch }
  const source = hasInlineTriggers(native)
    ? undefined
    : await download(namesOf(SOURCE_FOLDER, workflow))
  const files = typeof source === 'object' ? ([native, source] as const) : ([native] as const)
  return { found: { branch, files } }
}

function namesOf(folder: string, workflow: string): string[] {
  return ['yml', 'yaml'].map((end) => `${folder}/${workflow}.${end}`)
}

/** A file of a branch, or the listing of a folder. */
export function askContents(
  { repository, branch, path }: { repository: string; branch: string; path: string },
  ask: AskGitHub,
): Promise<Asked> {
  const place = path.split('/').map(encodeURIComponent).join('/')
  const isFile = /\.ya?ml$/.test(path)
  const url = `/repos/${repository}/contents/${place}?ref=${encodeURIComponent(branch)}`
  return ask(url, isFile ? { raw: true } : {})
}

export function listedFiles({ answer, refusal }: Asked): string[] {
  const entries = refusal ? [] : listOf(jsonOf(answer.text)).map(({ name }) => String(name))
  return entries.filter((name) => /\.ya?ml$/.test(name))
}

export function hasInlineTriggers(source: Source): boolean {
  if (!mayUseAction(source.text)) return false
  const native = readNativeWorkflow(source.name, source)
  return native?.uses.some(({ on = '' }) => on.trim() !== '') ?? false
}

/** What a workflow declares about its webhook URL. */
export interface DeclaredWorkflow {
  /** The modes in which GitHub starts it, the better one first; empty if it listens for no event of a relay. */
  readonly modes: readonly DispatchMode[]
  /** The triggers that receive webhooks, with their verification and filter. */
  readonly triggers: readonly FoundTrigger[]
  /** False if the triggers are in files that were not read. */
  readonly declaresTriggers: boolean
}

/**
 * Reads target, dispatch mode and verification from the files of a workflow.
 *
 * @param env has the secrets that the files name, if they are set here
 */
export function declaredWorkflow(
  workflow: string,
  files: PublishedWorkflow['files'],
  env: Environment,
): DeclaredWorkflow {
  const [native] = files
  return {
    modes: dispatchModesOf(native),
    triggers: triggersIn(workflow, files, env),
    declaresTriggers: files.length > 1 || hasInlineTriggers(native),
  }
}

export function dispatchModesOf(native: Source): readonly DispatchMode[] {
  return modesIn(parseYaml(native).toJS({ maxAliasCount: -1 }))
}

/**
 * Why no event of a relay starts a workflow file; `undefined` if one does.
 *
 * @param wanted the mode of the endpoint; any mode if absent
 */
export function startProblem(
  file: string,
  modes: readonly DispatchMode[],
  wanted: DispatchMode | undefined,
): Problem | undefined {
  const [other] = modes
  if (other === undefined) {
    return {
      message: `${file} listens neither for repository_dispatch of the type ${EVENT_TYPE}, nor for workflow_dispatch with the input ${WORKFLOW_INPUT}`,
      hint: `Add: on: { repository_dispatch: { types: [${EVENT_TYPE}] } }`,
    }
  }
  if (wanted === undefined || modes.includes(wanted)) return undefined
  return {
    message: `${file} does not listen for ${dispatchEvent(wanted)}, but for ${dispatchEvent(other)}`,
    hint: `Use --dispatch ${other}, or omit it.`,
  }
}

/**
 * The modes in which a relay can start a workflow. `workflow` comes first, because the response of GitHub then
 * names the run.
 *
 * @param workflow the whole file, as plain values
 */
export function modesIn(workflow: unknown): readonly DispatchMode[] {
  const on = isObject(workflow) ? workflow.on : undefined
  const types = dispatchTypes(on)
  const takesDispatch = types !== undefined && (types.length === 0 || types.includes(EVENT_TYPE))
  return [
    ...(WORKFLOW_INPUT in dispatchInputs(on) ? (['workflow'] as const) : []),
    ...(takesDispatch ? (['repository'] as const) : []),
  ]
}

export function dispatchInputs(on: unknown): Readonly<Record<string, unknown>> {
  const direct = isObject(on) ? on.workflow_dispatch : undefined
  return isObject(direct) && isObject(direct.inputs) ? direct.inputs : {}
}

/** The types of `repository_dispatch`; an empty list means all types, `undefined` that the event is absent. */
export function dispatchTypes(on: unknown): string[] | undefined {
  if (on === 'repository_dispatch') return []
  if (Array.isArray(on)) return on.includes('repository_dispatch') ? [] : undefined
  if (!isObject(on) || !('repository_dispatch' in on)) return undefined
  const { repository_dispatch: options } = on
  return isObject(options) ? [options.types ?? []].flat().map(String) : []
}
