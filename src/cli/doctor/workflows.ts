import { type NativeWorkflow, nativeTriggers, readNativeWorkflow } from '../../compiler/native.ts'
import { Callees } from '../../lint/flow/flow.ts'
import { lint } from '../../lint/lint.ts'
import { RuleFile } from '../../lint/rule.ts'
import { TRIGGERS } from '../../triggers/index.ts'
import { UserError } from '../../wire/errors.ts'
import { fieldsOf, type GitHubRefusal, jsonOf, listOf } from '../../wire/github.ts'
import { isObject } from '../../wire/json.ts'
import { LIMITS } from '../../wire/limits.ts'
import {
  type DispatchEvent,
  type DispatchMode,
  dispatchEvent,
  EVENT_TYPE,
  WORKFLOW_INPUT,
} from '../../wire/payload.ts'
import type { DeclaredTrigger } from '../../workflow/on.ts'
import { didYouMean } from '../../workflow/suggestion.ts'
import { parseYaml } from '../../workflow/yaml.ts'
import type { Asked } from '../github.ts'
import { judgePolling, judgeTimed, timersWithoutWorkflow } from './clock.ts'
import {
  type DoctorPorts,
  type Finding,
  failed,
  ok,
  type Target,
  unknown,
  warning,
} from './findings.ts'
import type { KnownRepository } from './repository.ts'

const FOLDER = '.github/workflows'

export interface WorkflowsCheck {
  readonly findings: readonly Finding[]
  /** File that was found of the workflow that is asked for: `hook.yaml`. */
  readonly file?: string | undefined
}

/** The workflows on the default branch: only these are started by a dispatch. */
export async function checkWorkflows(
  target: Target,
  { defaultBranch }: KnownRepository,
  ports: DoctorPorts,
): Promise<WorkflowsCheck> {
  const { answer: folder, refusal } = await askContents(target, defaultBranch, ports)
  if (refusal && refusal.kind !== 'missing') return { findings: [unreadable(refusal)] }
  const entries = refusal ? [] : listOf(jsonOf(folder.text)).map(({ name }) => String(name))
  const names = entries.filter((name) => /\.ya?ml$/.test(name))
  const { workflow } = target
  const wanted = names.filter(
    (file) => workflow === undefined || file.replace(/\.ya?ml$/, '') === workflow,
  )
  const untimed = timersWithoutWorkflow(target, names, defaultBranch)
  if (wanted.length === 0) {
    return { findings: [absent(target, names, defaultBranch), ...untimed] }
  }
  const replies = await Promise.all(
    wanted.map((file) => askContents(target, defaultBranch, ports, file)),
  )
  const refused = replies.find((each) => each.refusal)?.refusal
  if (refused) return { findings: [unreadable(refused)] }
  const files = replies.map(({ answer }, at) => readNativeFile(wanted[at] ?? '', answer.text))
  const looked = workflow === undefined ? files.filter((file) => listens(file, target)) : files
  if (looked.length === 0) {
    const polled = files.filter(isPolled)
    const found = polled.map((file) => judgeListening(file, target))
    const others = found.length > 0 ? found : [noneListens(files, target, defaultBranch)]
    return { findings: [...others, ...timedOthers(files, target), ...untimed] }
  }
  const { repository } = target
  const listing = await ports.askGitHub(`/repos/${repository}/actions/workflows?per_page=100`)
  // None where the token may not ask.
  const workflows = listing.refusal ? [] : listOf(fieldsOf(listing.answer).workflows)
  const states = new Map(workflows.map(({ path, state }) => [String(path), String(state)]))
  const findings = looked.map((native) => {
    const { file } = native
    const state = states.get(`${FOLDER}/${file}`)
    if (state === undefined || state === 'active') return judgeListening(native, target)
    // GitHub itself disables a scheduled workflow after 60 days without activity.
    const message = `${file} is disabled (${state})`
    return failed('workflow', 'workflow_disabled', message, `enable it: gh workflow enable ${file}`)
  })
  // Of two, the one that the relay asks for first.
  const file = wanted.find((name) => name.endsWith('.yml')) ?? wanted[0]
  const timed = [...timedOthers(files, target), ...untimed]
  return { findings: [...findings, ...timed], file: workflow === undefined ? undefined : file }
}

/** Of the workflows that poll nothing, those that the relay's clock starts. */
function timedOthers(files: readonly NativeFile[], target: Target): Finding[] {
  const { timers = [] } = target
  return files.flatMap((native) => {
    const name = native.file.replace(/\.ya?ml$/, '')
    const timer = timers.find(({ workflow }) => workflow === name)
    const isJudged = isPolled(native) && dispatchTypes(native.on) === undefined
    return timer && native.isValid && !isJudged ? [judgeTimed(native.file, native.on, timer)] : []
  })
}

/** Where one listens for the other event, that is what the user is told. */
function noneListens(files: readonly NativeFile[], target: Target, defaultBranch: string): Finding {
  const { dispatch = 'repository' } = target
  const other = otherMode(dispatch)
  const found = files.find((file) => file.native && listens(file, { ...target, dispatch: other }))
  const message = `no workflow on ${defaultBranch} listens for ${dispatchEvent(dispatch)}`
  const mend = found
    ? `${found.file} listens for ${dispatchEvent(other)}: give --dispatch ${other}, and set HOOKLINE_DISPATCH=${other} where the relay runs`
    : `make one with: hookline init${dispatch === 'workflow' ? ' --dispatch workflow' : ''}`
  return failed('workflow', 'workflow_not_listening', message, mend)
}

/** The listing of the folder, or the text of a file in it. */
function askContents(
  { repository }: Target,
  branch: string,
  { askGitHub }: DoctorPorts,
  file?: string,
): Promise<Asked> {
  const path = file === undefined ? FOLDER : `${FOLDER}/${encodeURIComponent(file)}`
  const options = file === undefined ? {} : { raw: true }
  return askGitHub(
    `/repos/${repository}/contents/${path}?ref=${encodeURIComponent(branch)}`,
    options,
  )
}

function unreadable({ status }: GitHubRefusal): Finding {
  const message = `the token may not read the workflow files (${status})`
  return unknown('workflow', 'workflow_unreadable', message, 'give the token "Contents: Read"')
}

function absent({ workflow }: Target, files: readonly string[], branch: string): Finding {
  const push = `GitHub starts only what is on ${branch}: push it there`
  if (workflow === undefined) {
    return failed(
      'workflow',
      'workflows_missing',
      `there is no workflow in ${FOLDER} on ${branch}`,
      `make one with: hookline init. ${push}`,
    )
  }
  const hint = didYouMean(
    workflow,
    files.map((file) => file.replace(/\.ya?ml$/, '')),
  )
  const message = `${FOLDER}/${workflow}.yml is not on ${branch}${hint ? `; ${hint}` : ''}`
  return failed('workflow', 'workflow_missing', message, push)
}

/** A native workflow file of the default branch. */
interface NativeFile {
  /** `hook.yml` */
  readonly file: string
  readonly isValid: boolean
  /** What stands under `on:`. */
  readonly on?: unknown
  /** Absent where no step uses the action. */
  readonly native?: NativeWorkflow | undefined
}

function readNativeFile(file: string, text: string): NativeFile {
  const source = { name: file, file, text }
  try {
    const value: unknown = parseYaml(source).toJS({ maxAliasCount: LIMITS.yamlAliases })
    if (!isObject(value)) return { file, isValid: false }
    const native = readNativeWorkflow(file.replace(/\.ya?ml$/, ''), source)
    return { file, isValid: true, on: value.on, native }
  } catch (error) {
    if (error instanceof UserError || error instanceof ReferenceError) {
      return { file, isValid: false }
    }
    throw error
  }
}

const LISTEN = `on: { repository_dispatch: { types: [${EVENT_TYPE}] } }`

/** Whether a workflow is started by what the relay dispatches, and hands it to the action. */
function judgeListening(workflow: NativeFile, target: Target): Finding {
  const { file, isValid, on, native } = workflow
  if (!isValid) {
    const mend = 'see what GitHub says of it on the page "Actions" of the repository'
    return failed('workflow', 'workflow_invalid', `${file} is not valid YAML`, mend)
  }
  const mistake = native ? inlineMistake(file, native, target) : undefined
  const problem = sourceMistake(file, on) ?? mistake
  if (problem) return problem
  if (target.dispatch === 'workflow' && !isPolled(workflow)) return judgeDirect(workflow, target)
  const types = dispatchTypes(on)
  if (types === undefined && isPolled(workflow)) {
    return judgePolling(file, on, target)
  }
  if (types === undefined) {
    const message = `${file} does not listen for repository_dispatch`
    return failed('workflow', 'workflow_not_listening', message, orOther(workflow, target, LISTEN))
  }
  if (types.length > 0 && !types.includes(EVENT_TYPE)) {
    const message = `${file} listens for ${types.join(', ')}, not for "${EVENT_TYPE}"`
    const mend = `add ${EVENT_TYPE} to the types: ${LISTEN}`
    return failed('workflow', 'workflow_wrong_type', message, mend)
  }
  if (!native) return withoutAction(file)
  return missedGuard(file, native) ?? ok('workflow', `${file} listens for ${EVENT_TYPE}`)
}

/** What makes it listen; where it does so for the other event, the relay may change instead. */
function orOther(workflow: NativeFile, target: Target, listening: string): string {
  const other = otherMode(target.dispatch)
  return listens(workflow, { ...target, dispatch: other })
    ? `it listens for ${dispatchEvent(other)}: set HOOKLINE_DISPATCH=${other} where the relay runs, or add ${listening}`
    : `add ${listening}`
}

function isPolled({ on, native }: NativeFile): boolean {
  return isObject(on) && 'schedule' in on && native !== undefined
}

/** Triggers that the action would refuse, so that the run fails, or that are not the wanted one. */
function inlineMistake(file: string, native: NativeWorkflow, target: Target): Finding | undefined {
  try {
    return missingTrigger(file, nativeTriggers(native), target)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const [{ message, hint } = { message: 'a mistake', hint: undefined }] = error.problems
    const mend = `${hint ? `${hint}; ` : ''}see all of it with: hookline check`
    return failed('workflow', 'workflow_on_invalid', `${file}: ${message}`, mend)
  }
}

/** Of what the file calls nothing is known here. */
const NOTHING_CALLED = {
  callees: new Callees(() => undefined),
  read: () => undefined,
  hasSources: true,
}

/** A guard in `if:` that lets no webhook for this file through: the job is skipped without a word. */
function missedGuard(file: string, native: NativeWorkflow): Finding | undefined {
  const rules = new RuleFile(native, { ...NOTHING_CALLED, native, isSource: false })
  const missed = lint(rules).find(({ code }) => code === 'unreachable-webhook')
  if (!missed) return undefined
  const { message, hint = 'see it with: hookline check' } = missed
  return failed('workflow', 'workflow_guard_misses', `${file}: ${message}`, hint)
}

/** A file for the compiler in the folder of those that GitHub reads. */
function sourceMistake(file: string, on: unknown): Finding | undefined {
  const events = isObject(on) ? Object.keys(on) : [on].flat().map(String)
  const trigger = events.find((name) => TRIGGERS.has(name))
  if (trigger === undefined) return undefined
  const message = `${file}: ${trigger} is not an event of GitHub`
  const mend = 'move the file to workflows/, and run: hookline build'
  return failed('workflow', 'workflow_is_source', message, mend)
}

/** What `--deliver` would send to nobody: a trigger that the file does not declare. */
function missingTrigger(
  file: string,
  declared: readonly DeclaredTrigger[],
  { trigger, deliver }: Target,
): Finding | undefined {
  // Where the action reads other files, only a run can tell.
  if (deliver === undefined || declared.length === 0) return undefined
  if (declared.some(({ definition }) => definition === TRIGGERS.get(trigger))) return undefined
  const names = declared.map(({ name }) => name)
  const hint = didYouMean(trigger, names) ?? 'give one of them with --trigger'
  const message = `${file} declares no trigger "${trigger}", but ${names.join(', ')}`
  return failed('workflow', 'trigger_not_declared', message, hint)
}

/** Whether a relay that starts workflows by `workflow_dispatch` can start this one. */
function judgeDirect(workflow: NativeFile, target: Target): Finding {
  const { file, on, native } = workflow
  const inputs = inputsOf(on)
  const listening = `on: { workflow_dispatch: { inputs: { ${WORKFLOW_INPUT}: { type: string } } } }`
  const mend = orOther(workflow, target, listening)
  if (!hasEvent(on, 'workflow_dispatch')) {
    const message = `${file} has no trigger workflow_dispatch`
    return failed('workflow', 'workflow_not_listening', message, mend)
  }
  if (!(WORKFLOW_INPUT in inputs)) {
    const message = `${file} has no input "${WORKFLOW_INPUT}" under workflow_dispatch`
    return failed('workflow', 'workflow_input_missing', message, mend)
  }
  const [required] = Object.entries(inputs).flatMap(([name, input]) =>
    isObject(input) && input.required === true && name !== WORKFLOW_INPUT ? [name] : [],
  )
  if (required !== undefined) {
    const message = `${file} asks for the input ${JSON.stringify(required)}, which no webhook brings`
    return failed('workflow', 'workflow_input_required', message, 'let it be optional')
  }
  return native
    ? ok('workflow', `${file} is started directly, by workflow_dispatch`)
    : withoutAction(file)
}

function hasEvent(on: unknown, event: string): boolean {
  if (Array.isArray(on)) return on.includes(event)
  return on === event || (isObject(on) && event in on)
}

function withoutAction(file: string): Finding {
  const message = `${file} listens, but no step uses the action`
  const mend = 'add a step with uses: hookline/hookline@<commit>'
  return warning('workflow', 'workflow_without_action', message, mend)
}

/** What a relay can start a workflow by. @param workflow the whole file, as plain values */
export function startedBy(workflow: unknown): readonly DispatchEvent[] {
  const on = isObject(workflow) ? workflow.on : undefined
  const types = dispatchTypes(on)
  const takesDispatch = types !== undefined && (types.length === 0 || types.includes(EVENT_TYPE))
  return [
    ...(takesDispatch ? (['repository_dispatch'] as const) : []),
    ...(WORKFLOW_INPUT in inputsOf(on) ? (['workflow_dispatch'] as const) : []),
  ]
}

function otherMode(mode: DispatchMode = 'repository'): DispatchMode {
  return mode === 'repository' ? 'workflow' : 'repository'
}

/** The inputs of `workflow_dispatch`. */
function inputsOf(on: unknown): Readonly<Record<string, unknown>> {
  const direct = isObject(on) ? on.workflow_dispatch : undefined
  return isObject(direct) && isObject(direct.inputs) ? direct.inputs : {}
}

/** True for a file that has anything to do with webhooks, so that others are passed over. */
function listens({ on, native }: NativeFile, { dispatch }: Target): boolean {
  if (dispatch === 'workflow') return hasEvent(on, 'workflow_dispatch') && native !== undefined
  return dispatchTypes(on) !== undefined
}

/** `undefined` when the event is not there; no types mean all of them. */
function dispatchTypes(on: unknown): string[] | undefined {
  if (on === 'repository_dispatch') return []
  if (Array.isArray(on)) return on.includes('repository_dispatch') ? [] : undefined
  if (!isObject(on) || !('repository_dispatch' in on)) return undefined
  const { repository_dispatch: options } = on
  return isObject(options) ? [options.types ?? []].flat().map(String) : []
}
