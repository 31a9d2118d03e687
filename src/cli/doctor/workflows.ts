import { nativeTriggers, readNativeWorkflow } from '../../compiler/native.ts'
import { TRIGGERS } from '../../triggers/index.ts'
import { UserError } from '../../wire/errors.ts'
import type { HttpReply } from '../../wire/http.ts'
import { isObject } from '../../wire/json.ts'
import { LIMITS } from '../../wire/limits.ts'
import { EVENT_TYPE, WORKFLOW_INPUT } from '../../wire/payload.ts'
import { didYouMean } from '../../workflow/suggestion.ts'
import { parseYaml } from '../../workflow/yaml.ts'
import { fields, list, parsed, refusalOf } from '../github.ts'
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

/** The workflows on the default branch: only these are started by a dispatch. */
export async function checkWorkflows(
  target: Target,
  { defaultBranch }: KnownRepository,
  ports: DoctorPorts,
): Promise<readonly Finding[]> {
  const reply = await askContents(target, defaultBranch, ports)
  const refusal = refusalOf(reply)
  if (refusal && refusal.kind !== 'missing') return [unreadable(refusal.status)]
  const listing = refusal ? [] : list(parsed(reply.text)).map(({ name }) => String(name))
  const names = listing.filter((name) => /\.ya?ml$/.test(name))
  const { workflow } = target
  const wanted = names.filter(
    (file) => workflow === undefined || file.replace(/\.ya?ml$/, '') === workflow,
  )
  if (wanted.length === 0) return [absent(target, names, defaultBranch)]
  const replies = await Promise.all(
    wanted.map((file) => askContents(target, defaultBranch, ports, file)),
  )
  const refused = replies.map(refusalOf).find(Boolean)
  if (refused) return [unreadable(refused.status)]
  const files = replies.map(({ text }, at): NativeFile => ({ file: wanted[at] ?? '', text }))
  const looked = workflow === undefined ? files.filter((file) => listens(file, target)) : files
  if (looked.length === 0) {
    const polled = files.filter(({ text, file }) => isPolled(readNative({ file, text })?.on, text))
    if (polled.length > 0) return polled.map((native) => judgeListening(native, target))
    return [noneListens(files, target, defaultBranch)]
  }
  const { repository } = target
  const answer = await ports.askGitHub(`/repos/${repository}/actions/workflows?per_page=100`)
  // None where the token may not ask.
  const workflows = refusalOf(answer) ? [] : list(fields(answer.text).workflows)
  const states = new Map(workflows.map(({ path, state }) => [String(path), String(state)]))
  return looked.map((native) => {
    const { file } = native
    const state = states.get(`${FOLDER}/${file}`)
    if (state === undefined || state === 'active') return judgeListening(native, target)
    // GitHub itself disables a scheduled workflow after 60 days without activity.
    const message = `${file} is disabled (${state})`
    return failed('workflow', 'workflow_disabled', message, `enable it: gh workflow enable ${file}`)
  })
}

/** Where one listens for the other event, that is what the user is told. */
function noneListens(files: readonly NativeFile[], target: Target, defaultBranch: string): Finding {
  const { event = 'repository_dispatch' } = target
  const other = event === 'repository_dispatch' ? 'workflow_dispatch' : 'repository_dispatch'
  const found = files.find(
    (file) => ACTION.test(file.text) && listens(file, { ...target, event: other }),
  )
  const message = `no workflow on ${defaultBranch} listens for ${event}`
  const mend = found
    ? `${found.file} listens for ${other}: give --event ${other}, and set HOOKLINE_EVENT to it where the relay runs`
    : `make one with: npx hookline init${target.event === 'workflow_dispatch' ? ' --event workflow_dispatch' : ''}`
  return failed('workflow', 'workflow_not_listening', message, mend)
}

/** The listing of the folder, or the text of a file in it. */
function askContents(
  { repository }: Target,
  branch: string,
  { askGitHub }: DoctorPorts,
  file?: string,
): Promise<HttpReply> {
  const path = file === undefined ? FOLDER : `${FOLDER}/${encodeURIComponent(file)}`
  const options = file === undefined ? {} : { raw: true }
  return askGitHub(
    `/repos/${repository}/contents/${path}?ref=${encodeURIComponent(branch)}`,
    options,
  )
}

function unreadable(status: number): Finding {
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
      `make one with: npx hookline init. ${push}`,
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
  readonly text: string
}

const LISTEN = `on: { repository_dispatch: { types: [${EVENT_TYPE}] } }`

/** A step that uses the action, of whatever owner and version, or the one of the same repository. */
const ACTION = /uses:\s*['"]?(?:\S*\/hookline(?:@|\s|['"])|\.\/)/

/** Whether a workflow is started by what the relay dispatches, and hands it to the action. */
function judgeListening({ file, text }: NativeFile, target: Target): Finding {
  const { event } = target
  const workflow = readNative({ file, text })
  if (workflow === undefined) {
    const mend = 'see what GitHub says of it on the page "Actions" of the repository'
    return failed('workflow', 'workflow_invalid', `${file} is no valid YAML`, mend)
  }
  const mistake = inlineMistake({ file, text }) ?? sourceMistake(file, workflow.on)
  if (mistake) return mistake
  const missing = missingTrigger({ file, text }, target)
  if (missing) return missing
  if (event === 'workflow_dispatch' && !isPolled(workflow.on, text)) {
    return judgeDirect(file, text, workflow.on)
  }
  const types = dispatchTypes(workflow.on)
  if (types === undefined && isPolled(workflow.on, text))
    return ok('workflow', `${file} is started by its schedule`)
  if (types === undefined) {
    const message = `${file} does not listen for repository_dispatch`
    return failed('workflow', 'workflow_not_listening', message, `add ${LISTEN}`)
  }
  if (types.length > 0 && !types.includes(EVENT_TYPE)) {
    const message = `${file} listens for ${types.join(', ')}, not for "${EVENT_TYPE}"`
    const mend = `add ${EVENT_TYPE} to the types: ${LISTEN}`
    return failed('workflow', 'workflow_wrong_type', message, mend)
  }
  return ACTION.test(text)
    ? ok('workflow', `${file} listens for ${EVENT_TYPE}`)
    : withoutAction(file)
}

function isPolled(on: unknown, text: string): boolean {
  return isObject(on) && 'schedule' in on && ACTION.test(text)
}

/** Triggers that the action would refuse: the run starts, and fails. */
function inlineMistake({ file, text }: NativeFile): Finding | undefined {
  const source = { name: file, file, text }
  try {
    const native = readNativeWorkflow(file.replace(/\.ya?ml$/, ''), source)
    if (native) nativeTriggers(native)
    return undefined
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const [{ message, hint } = { message: 'a mistake', hint: undefined }] = error.problems
    const mend = `${hint ? `${hint}; ` : ''}see all of it with: npx hookline check`
    return failed('workflow', 'workflow_on_invalid', `${file}: ${message}`, mend)
  }
}

/** A file for the compiler in the folder of those that GitHub reads. */
function sourceMistake(file: string, on: unknown): Finding | undefined {
  const events = isObject(on) ? Object.keys(on) : [on].flat().map(String)
  const trigger = events.find((name) => TRIGGERS.has(name))
  if (trigger === undefined) return undefined
  const message = `${file}: ${trigger} is not an event of GitHub`
  const mend = 'move the file to workflows/, and run: npx hookline build'
  return failed('workflow', 'workflow_is_source', message, mend)
}

/** What `--deliver` would send to nobody: a trigger that the file does not declare. */
function missingTrigger({ file, text }: NativeFile, { trigger, deliver }: Target) {
  if (deliver === undefined) return undefined
  const native = readNativeWorkflow(file.replace(/\.ya?ml$/, ''), { name: file, file, text })
  const declared = native ? nativeTriggers(native) : []
  // Where the action reads other files, only a run can tell.
  if (
    declared.length === 0 ||
    declared.some(({ definition }) => definition === TRIGGERS.get(trigger))
  ) {
    return undefined
  }
  const names = declared.map(({ name }) => name)
  const hint = didYouMean(trigger, names) ?? 'give one of them with --trigger'
  const message = `${file} declares no trigger "${trigger}", but ${names.join(', ')}`
  return failed('workflow', 'trigger_not_declared', message, hint)
}

/** Whether a relay that starts workflows by `workflow_dispatch` can start this one. */
function judgeDirect(file: string, text: string, on: unknown): Finding {
  const direct = isObject(on) ? on.workflow_dispatch : undefined
  const inputs = isObject(direct) && isObject(direct.inputs) ? direct.inputs : {}
  const mend = `add on: { workflow_dispatch: { inputs: { ${WORKFLOW_INPUT}: { type: string } } } }`
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
  return ACTION.test(text)
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

/** True for a file that has anything to do with webhooks, so that others are passed over. */
function listens(native: NativeFile, { event }: Target): boolean {
  const workflow = readNative(native)
  if (event === 'workflow_dispatch') {
    return workflow !== undefined && hasEvent(workflow.on, event) && ACTION.test(native.text)
  }
  return workflow !== undefined && dispatchTypes(workflow.on) !== undefined
}

function readNative({ file, text }: NativeFile): Record<string, unknown> | undefined {
  try {
    const value: unknown = parseYaml({ name: file, file, text }).toJS({
      maxAliasCount: LIMITS.yamlAliases,
    })
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof UserError || error instanceof ReferenceError) return undefined
    throw error
  }
}

/** `undefined` when the event is not there; no types mean all of them. */
function dispatchTypes(on: unknown): string[] | undefined {
  if (on === 'repository_dispatch') return []
  if (Array.isArray(on)) return on.includes('repository_dispatch') ? [] : undefined
  if (!isObject(on) || !('repository_dispatch' in on)) return undefined
  const { repository_dispatch: options } = on
  return isObject(options) ? [options.types ?? []].flat().map(String) : []
}
