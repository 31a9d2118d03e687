import { checkFile } from '../../check/check.ts'
import { NO_OTHER_FILES, RuleFile } from '../../check/rule.ts'
import { type NativeWorkflow, nativeTriggers, readNativeWorkflow } from '../../compiler/native.ts'
import { TRIGGERS } from '../../triggers/index.ts'
import { type Problem, UserError } from '../../wire/errors.ts'
import { fieldsOf, type GitHubRefusal, listOf } from '../../wire/github-api.ts'
import { isObject } from '../../wire/json.ts'
import { type DispatchMode, dispatchEvent, WORKFLOW_INPUT } from '../../wire/payload.ts'
import type { DeclaredTrigger } from '../../workflow/on.ts'
import { withUnixLines } from '../../workflow/source-text.ts'
import { didYouMean } from '../../workflow/suggestion.ts'
import { parseYaml } from '../../workflow/yaml.ts'
import { NATIVE_FOLDER } from '../files.ts'
import {
  askContents,
  dispatchInputs,
  dispatchTypes,
  listedFiles,
  modesIn,
  startProblem,
} from '../target/published.ts'
import {
  type DoctorFinding,
  type DoctorPorts,
  type DoctorTarget,
  failedFinding,
  passedFinding,
  unknownFinding,
  warningFinding,
} from './findings.ts'
import { checkPolledBots, type PolledBot, polledBot } from './polled-bots.ts'

/**
 * Checks the workflows on the default branch, because a dispatch starts only these. If all of them poll a
 * bot, no token has to start them.
 */
export async function checkRepositoryWorkflows(
  target: DoctorTarget,
  branch: string,
  ports: DoctorPorts,
): Promise<{ readonly findings: readonly DoctorFinding[]; readonly onlyPolls?: boolean }> {
  const { repository, workflow } = target
  const place = { repository, branch }
  const folder = await askContents({ ...place, path: NATIVE_FOLDER }, ports.askGitHub)
  const { refusal } = folder
  if (refusal && refusal.kind !== 'missing') return { findings: [unreadableWorkflows(refusal)] }
  const names = listedFiles(folder)
  const wanted = names.filter(
    (file) => workflow === undefined || file.replace(/\.ya?ml$/, '') === workflow,
  )
  if (wanted.length === 0) {
    return { findings: [absent(target, names, branch)] }
  }
  const replies = await Promise.all(
    wanted.map((file) =>
      askContents({ ...place, path: `${NATIVE_FOLDER}/${file}` }, ports.askGitHub),
    ),
  )
  const refused = replies.find((each) => each.refusal)?.refusal
  if (refused) return { findings: [unreadableWorkflows(refused)] }
  const files = replies.map(({ answer }, at) => readNativeFile(wanted[at] ?? '', answer.text))
  const checked =
    workflow === undefined
      ? files.filter(({ on, modes }) => modes.length > 0 || dispatchTypes(on) !== undefined)
      : files
  const bots = files.flatMap((file) => file.bot ?? [])
  const ofBots = await checkPolledBots(target, bots, ports)
  const onlyPolls = bots.length > 0 && checked.every(({ bot }) => bot !== undefined)
  if (checked.length === 0) {
    const polled = files.filter(isPolled)
    const found = polled.map((file) => checkListening(file, target))
    const noListener = failedFinding(
      'workflow',
      'workflow_not_listening',
      `no workflow on ${branch} listens for the events of a relay`,
      'Write one: hookline init',
    )
    const others = found.length > 0 ? found : [noListener]
    return { findings: [...others, ...ofBots], onlyPolls }
  }
  const listing = await ports.askGitHub(`/repos/${repository}/actions/workflows?per_page=100`)
  // Empty if the token may not list workflows.
  const workflows = listing.refusal ? [] : listOf(fieldsOf(listing.answer).workflows)
  const states = new Map(workflows.map(({ path, state }) => [String(path), String(state)]))
  const findings = checked.map((native) => {
    const { file } = native
    const state = states.get(`${NATIVE_FOLDER}/${file}`)
    if (state === undefined || state === 'active') return checkListening(native, target)
    // GitHub itself disables a scheduled workflow after 60 days without activity.
    const message = `${file} is disabled (${state})`
    return failedFinding(
      'workflow',
      'workflow_disabled',
      message,
      `Run: gh workflow enable ${file}`,
    )
  })
  return { findings: [...findings, ...ofBots], onlyPolls }
}

function unreadableWorkflows({ status }: GitHubRefusal): DoctorFinding {
  const message = `the token may not read the workflow files (${status})`
  return unknownFinding(
    'workflow',
    'workflow_unreadable',
    message,
    'Give the token "Contents: Read".',
  )
}

function absent(
  { workflow }: DoctorTarget,
  files: readonly string[],
  branch: string,
): DoctorFinding {
  const push = `GitHub starts only workflows on ${branch}. Push it there.`
  if (workflow === undefined) {
    return failedFinding(
      'workflow',
      'workflows_missing',
      `there is no workflow in ${NATIVE_FOLDER} on ${branch}`,
      `Write one: hookline init. ${push}`,
    )
  }
  const hint = didYouMean(
    workflow,
    files.map((file) => file.replace(/\.ya?ml$/, '')),
  )
  const message = `${NATIVE_FOLDER}/${workflow}.yml is not on ${branch}${hint ? `; ${hint}` : ''}`
  return failedFinding('workflow', 'workflow_missing', message, push)
}

/** A native workflow file of the default branch. */
interface NativeFile {
  /** `hook.yml` */
  readonly file: string
  readonly isValid: boolean
  /** The first mistake of a file that GitHub refuses. */
  readonly problem?: Problem | undefined
  /** The value of `on:`. */
  readonly on?: unknown
  /** The modes in which a relay can start it. */
  readonly modes: readonly DispatchMode[]
  /** Absent if no step uses the action. */
  readonly native?: NativeWorkflow | undefined
  /** The bot that it polls; absent if it receives webhooks. */
  readonly bot?: PolledBot | undefined
}

function readNativeFile(file: string, text: string): NativeFile {
  const source = { name: file, file, text: withUnixLines(text) }
  try {
    const value: unknown = parseYaml(source).toJS({ maxAliasCount: -1 })
    if (!isObject(value)) return { file, isValid: false, modes: [] }
    const native = readNativeWorkflow(file.replace(/\.ya?ml$/, ''), source)
    const modes = modesIn(value)
    const bot = native && modes.length === 0 ? polledBot(file, native, value) : undefined
    return { file, isValid: true, on: value.on, modes, native, bot }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { file, isValid: false, problem: error.problems[0], modes: [] }
  }
}

/** Whether the relay's dispatch starts a workflow, and a step passes the event to the action. */
function checkListening(workflow: NativeFile, target: DoctorTarget): DoctorFinding {
  const { file, isValid, problem: refusal, on, native, modes } = workflow
  if (!isValid) {
    const line = refusal?.position ? `:${refusal.position.line}` : ''
    const message = `${file}${line}: ${refusal?.message ?? 'this file is not a workflow'}`
    const hint =
      refusal?.hint ?? 'Open the page "Actions" of the repository, which shows the error.'
    return failedFinding('workflow', 'workflow_invalid', message, hint)
  }
  const mistake = sourceMistake(file, on) ?? (native && inlineMistake(file, native, target))
  if (mistake) return mistake
  if (modes.length === 0 && isPolled(workflow)) {
    return passedFinding('workflow', `${file} polls for messages, and needs no relay`)
  }
  const problem = startProblem(file, modes, target.dispatch)
  if (problem) {
    const [other] = modes
    const cure = other ? `Run: hookline endpoint update <name> --dispatch ${other}` : problem.hint
    return failedFinding('workflow', 'workflow_not_listening', problem.message, cure ?? '')
  }
  const { dispatch = modes[0] ?? 'repository' } = target
  const required = dispatch === 'workflow' ? requiredInput(on) : undefined
  if (required !== undefined) {
    const message = `${file} requires the input ${JSON.stringify(required)}, which no webhook sets`
    return failedFinding('workflow', 'workflow_input_required', message, 'Make the input optional.')
  }
  if (!native) {
    const message = `${file} listens for webhooks, but no step uses the action`
    const hint = 'Add a step: uses: hookline/hookline@v1'
    return warningFinding('workflow', 'workflow_without_action', message, hint)
  }
  return (
    skippingCondition(file, native) ??
    passedFinding('workflow', `${file} is started by ${dispatchEvent(dispatch)}`)
  )
}

/** A source of the compiler in the folder of native workflows: GitHub refuses the file. */
function sourceMistake(file: string, on: unknown): DoctorFinding | undefined {
  const events = isObject(on) ? Object.keys(on) : [on].flat().map(String)
  const trigger = events.find((name) => TRIGGERS.has(name))
  if (trigger === undefined) return undefined
  const message = `${file}: ${trigger} is not an event of GitHub`
  const hint = 'Move the file to workflows/, and run: hookline build'
  return failedFinding('workflow', 'workflow_is_source', message, hint)
}

function requiredInput(on: unknown): string | undefined {
  return Object.entries(dispatchInputs(on)).find(
    ([name, input]) => isObject(input) && input.required === true && name !== WORKFLOW_INPUT,
  )?.[0]
}

function isPolled({ on, native, bot }: NativeFile): boolean {
  return bot !== undefined || (isObject(on) && 'schedule' in on && native !== undefined)
}

/** Triggers that the action would reject, so that the run fails; or the absence of the requested trigger. */
function inlineMistake(
  file: string,
  native: NativeWorkflow,
  target: DoctorTarget,
): DoctorFinding | undefined {
  try {
    return undeclaredTrigger(file, nativeTriggers(native), target)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const [problem] = error.problems
    const { message = 'a mistake', hint } = problem ?? {}
    const cure = `${hint ? `${hint} ` : ''}Run: hookline check`
    return failedFinding('workflow', 'workflow_on_invalid', `${file}: ${message}`, cure)
  }
}

/** A job condition that no webhook of this file meets, so that every run skips the job. */
function skippingCondition(file: string, native: NativeWorkflow): DoctorFinding | undefined {
  const rules = new RuleFile(native, NO_OTHER_FILES, { native })
  const missed = checkFile(rules).find(({ code }) => code === 'unreachable-webhook')
  if (!missed) return undefined
  const { message, hint = 'Run: hookline check' } = missed
  return failedFinding('workflow', 'workflow_condition_misses', `${file}: ${message}`, hint)
}

function undeclaredTrigger(
  file: string,
  declared: readonly DeclaredTrigger[],
  { trigger }: DoctorTarget,
): DoctorFinding | undefined {
  // If the action reads other files, only a run can show their triggers.
  if (trigger === undefined || declared.length === 0) return undefined
  if (declared.some(({ definition }) => definition === TRIGGERS.get(trigger))) return undefined
  const names = declared.map(({ name }) => name)
  const hint =
    didYouMean(trigger, names) ?? 'Run: hookline endpoint update <name> --trigger <trigger>'
  const message = `${file} declares no trigger "${trigger}"; it declares ${names.join(', ')}`
  return failedFinding('workflow', 'trigger_not_declared', message, hint)
}
