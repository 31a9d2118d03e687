import type { FoundTrigger } from '../../engine/all-workflows.ts'
import { type Problem, UsageError, UserError } from '../../wire/errors.ts'
import type { DispatchMode } from '../../wire/payload.ts'
import type { Environment } from '../../wire/settings.ts'
import { didYouMean } from '../../workflow/suggestion.ts'
import { NATIVE_FOLDER } from '../files.ts'
import { forgeHere } from '../forge.ts'
import { readingToken } from '../forge-tokens.ts'
import { type AskGitHub, githubAt } from '../github-client.ts'
import { unreachableGitHub } from '../request-faults.ts'
import {
  askContents,
  type DeclaredWorkflow,
  declaredWorkflow,
  listedFiles,
  readPublished,
  startProblem,
} from './published.ts'

/** The workflow that an endpoint shall start, as far as flags name it. */
interface WantedTarget {
  /** `owner/name` */
  readonly repository: string
  /** File name without its extension. */
  readonly workflow: string
  readonly trigger?: string | undefined
  readonly dispatch?: DispatchMode | undefined
  /** Another branch may have another file. */
  readonly ref?: string | undefined
}

/** The workflow that an endpoint starts. */
export interface CheckedTarget {
  readonly trigger: string
  readonly dispatch: DispatchMode
  /** The trigger as the default branch declares it; `undefined` if it was not read. */
  readonly declared: FoundTrigger | undefined
  /** Why the workflow was not checked. */
  readonly unchecked?: string
}

/**
 * Checks on GitHub that a workflow exists on the default branch and declares the trigger, and reads what is
 * not named: trigger and dispatch mode.
 *
 * @throws UserError for a workflow that an event would not start
 */
export async function readEndpointTarget(wanted: WantedTarget): Promise<CheckedTarget> {
  const { env } = process
  const forge = await forgeHere(env)
  if (forge.kind !== 'github') {
    return uncheckedTarget(wanted, {
      message: `${forge.host} is not GitHub, so the workflow is not read`,
      hint: `Name the trigger: --trigger webhook`,
    })
  }
  const token = readingToken(forge, env)?.token
  try {
    return await readOnGitHub(wanted, githubAt(forge.apiUrl, token), {
      env,
      host: forge.host,
      hasToken: token !== undefined,
    })
  } catch (error) {
    throw unreachableGitHub(error)
  }
}

async function readOnGitHub(
  wanted: WantedTarget,
  ask: AskGitHub,
  { env, host, hasToken }: { env: Environment; host: string; hasToken: boolean },
): Promise<CheckedTarget> {
  const { repository, workflow } = wanted
  const result = await readPublished({ repository, workflow }, ask)
  if ('found' in result) {
    const { branch, files } = result.found
    return declaredTarget(wanted, declaredWorkflow(workflow, files, env), {
      file: files[0].file,
      branch,
    })
  }
  if (result.missing === 'workflow') throw await noWorkflow(wanted, result.branch, ask)
  if (result.missing === 'permission') {
    return uncheckedTarget(wanted, {
      message: `the token may not read the workflow ${workflow} of ${repository}`,
      hint: 'Give the token "Contents: Read"; or name what the workflow declares: --trigger webhook --dispatch repository',
    })
  }
  if (hasToken) {
    throw new UserError({
      message: `the repository ${repository} does not exist at ${host}, or the token may not read it`,
      hint: 'Check the name: --repository owner/name. A fine-grained token must select the repository.',
    })
  }
  return uncheckedTarget(wanted, {
    message: `the repository ${repository} is not public at ${host}, and there is no token that reads it`,
    hint: 'Set HOOKLINE_GITHUB_TOKEN or GH_TOKEN; or name what the workflow declares: --trigger webhook --dispatch repository',
  })
}

/** A target that only the flags describe. @throws UserError if they do not */
function uncheckedTarget(
  { trigger, dispatch, ref }: WantedTarget,
  problem: Problem,
): CheckedTarget {
  if (trigger === undefined || (dispatch === undefined && ref === undefined)) {
    throw new UserError(problem)
  }
  return {
    trigger,
    dispatch: dispatch ?? 'workflow',
    declared: undefined,
    unchecked: problem.message,
  }
}

interface FilePlace {
  readonly file: string
  readonly branch: string
}

function declaredTarget(
  { workflow, trigger, dispatch, ref }: WantedTarget,
  { modes, triggers, declaresTriggers }: DeclaredWorkflow,
  { file, branch }: FilePlace,
): CheckedTarget {
  // A `ref` is for workflow_dispatch alone, on a branch that may have another file.
  const wanted = dispatch ?? (ref === undefined ? undefined : 'workflow')
  const problem = ref === undefined && startProblem(`${file} on ${branch}`, modes, wanted)
  if (problem) throw new UserError(problem)
  const mode = wanted ?? modes[0] ?? 'workflow'
  const declared =
    trigger === undefined
      ? onlyTrigger(workflow, triggers, { file, branch })
      : triggers.find((each) => each.trigger === trigger)
  if (declared) return { trigger: declared.trigger, dispatch: mode, declared }
  if (trigger === undefined) {
    throw new UserError({
      message: `${file} on ${branch} declares no trigger that receives webhooks`,
      hint: declaresTriggers
        ? 'Find mistakes in the file: hookline check. A bot that polls needs no URL.'
        : 'Name the trigger of the file that the action reads: --trigger webhook',
    })
  }
  if (declaresTriggers) throw otherTriggers(trigger, triggers, { file, branch })
  const unchecked = `${file} on ${branch} names no triggers, so the trigger ${trigger} is not checked`
  return { trigger, dispatch: mode, declared: undefined, unchecked }
}

/** @throws UsageError if there are several */
function onlyTrigger(
  workflow: string,
  triggers: readonly FoundTrigger[],
  { file, branch }: FilePlace,
): FoundTrigger | undefined {
  if (triggers.length < 2) return triggers[0]
  throw new UsageError({
    message: `${file} on ${branch} declares more than one trigger that receives webhooks`,
    hint: 'Choose one of these.',
    notes: triggers.map(({ trigger }) => `--workflow ${workflow} --trigger ${trigger}`),
  })
}

function otherTriggers(
  wanted: string,
  triggers: readonly FoundTrigger[],
  { file, branch }: FilePlace,
): UserError {
  const names = triggers.map(({ trigger }) => trigger)
  const hint = didYouMean(wanted, names)
  return new UserError({
    message: `${file} on ${branch} declares no trigger ${JSON.stringify(wanted)} that receives webhooks`,
    hint: hint ?? 'Find mistakes in the file: hookline check',
    ...(names.length > 0 && { notes: [`declared: ${names.join(', ')}`] }),
  })
}

async function noWorkflow(
  { repository, workflow }: WantedTarget,
  branch: string,
  ask: AskGitHub,
): Promise<UserError> {
  const folder = await askContents({ repository, branch, path: NATIVE_FOLDER }, ask)
  const names = listedFiles(folder).map((name) => name.replace(/\.ya?ml$/, ''))
  const suggestion = didYouMean(workflow, names)
  return new UserError({
    message: `${NATIVE_FOLDER}/${workflow}.yml is not on the default branch ${branch} of ${repository}`,
    hint: suggestion ?? `GitHub starts only workflows on ${branch}. Push it there.`,
    ...(names.length > 0 && { notes: [`workflows on ${branch}: ${names.join(', ')}`] }),
  })
}
