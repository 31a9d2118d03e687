import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FoundTrigger } from '../../engine/all-workflows.ts'
import { TRIGGERS } from '../../triggers/index.ts'
import type { Sender } from '../../triggers/sender.ts'
import { SENDERS } from '../../triggers/senders.ts'
import type { Problem } from '../../wire/errors.ts'
import type { DispatchMode } from '../../wire/payload.ts'
import { defaultSources, NATIVE_FOLDER, nativeFile, nativeFiles, readSource } from '../files.ts'
import { triggerOf } from '../init/sender-workflow.ts'
import { dispatchModesOf, startProblem } from '../target/published.ts'
import { polledHere, triggersHere } from '../workflows-here.ts'

/** The trigger that `connect` gives a public URL. */
export interface ConnectTarget extends FoundTrigger {
  /** `owner/name` of the git remote `origin`. */
  readonly repository: string
  /** The workflow file that GitHub runs: `.github/workflows/hook.yml`. */
  readonly file: string
  /** The file, and the source that it is compiled from. */
  readonly files: readonly string[]
  /** The mode in which the relay starts the file. */
  readonly dispatch: DispatchMode
}

export interface TargetOptions {
  readonly workflow?: string
  readonly trigger?: string
}

/** The one trigger that fits, or the reason that none was chosen. */
export type TriggerChoice =
  | { readonly trigger: FoundTrigger }
  | {
      readonly problem: Problem
      readonly reason: 'no workflow' | 'only polls' | 'ambiguous' | 'unknown'
    }

/**
 * Chooses the trigger of this folder that the options name. Of several, the sender's own trigger, or the
 * only one that verifies the sender's signatures, is chosen.
 */
export function chooseTrigger(
  { workflow, trigger }: TargetOptions,
  sender: Sender | undefined,
): TriggerChoice {
  const all = triggersHere()
  const file = workflow?.replace(/\.ya?ml$/, '')
  const inFile = all.filter((each) => file === undefined || each.workflow === file)
  const named = inFile.filter((each) => trigger === undefined || each.trigger === trigger)
  const ofSender = sender ? named.filter((each) => isFor(sender, each)) : []
  const fitting = ofSender.length > 0 ? ofSender : named
  const [only] = fitting
  if (only && fitting.length === 1) return { trigger: only }
  const list = (fitting.length > 0 ? fitting : all).map(
    (each) => `--workflow ${each.workflow} --trigger ${each.trigger}`,
  )
  const init = `hookline init${sender ? ` --sender ${sender.name}` : ''}`
  if (only) {
    const orWrite =
      sender && ofSender.length === 0 ? ` Or write one for ${sender.title}: ${init}` : ''
    return {
      reason: 'ambiguous',
      problem: {
        message: 'more than one trigger can receive webhooks',
        ...choiceOf(list, orWrite),
      },
    }
  }
  const polled = (sender && triggerOf(sender) !== POLLED ? [] : polledHere(process.env)).find(
    (each) => (file === undefined ? all.length === 0 : each.startsWith(`${file}/`)),
  )
  if (polled !== undefined) return { reason: 'only polls', problem: pollsProblem(polled) }
  const write = `Write one: ${init}; or find mistakes in your files: hookline check`
  if (all.length > 0 || file !== undefined) {
    const message = unknownTrigger(file, trigger, inFile.length > 0)
    const choice = all.length > 0 ? choiceOf(list) : { hint: write }
    const reason = all.length > 0 ? 'unknown' : 'no workflow'
    return { reason, problem: { message, ...choice } }
  }
  const message = 'no workflow in this folder can receive webhooks'
  return { reason: 'no workflow', problem: { message, hint: write } }
}

/** @param receives whether the file has a trigger that can receive webhooks */
function unknownTrigger(file: string | undefined, trigger: string | undefined, receives: boolean) {
  const name = trigger === undefined ? '' : ` "${trigger}"`
  if (file === undefined) return `no trigger in this folder is called${name}`
  if (receives) return `the workflow "${file}" has no trigger${name}`
  const root = process.cwd()
  const isThere = [...defaultSources(root), ...nativeFiles(root)].some(({ name }) => name === file)
  return isThere
    ? `the workflow "${file}" has no trigger that can receive webhooks`
    : `this folder has no workflow "${file}": neither workflows/${file}.yml nor ${NATIVE_FOLDER}/${file}.yml exists`
}

function choiceOf(flags: readonly string[], more = ''): Pick<Problem, 'hint' | 'notes'> {
  const [first = ''] = flags
  return flags.length === 1
    ? { hint: `Use ${first}` }
    : { hint: `Choose one of these.${more}`, notes: flags }
}

const POLLED = 'messaging_bot'

/** @param polled such as `bot/messaging_bot` */
function pollsProblem(polled: string): Problem {
  const [workflow = ''] = polled.split('/')
  return {
    message: `the workflow ${workflow} polls for messages, so it needs no URL and no connect`,
    hint: 'To try it on this machine, run: hookline dev --poll',
    notes: [
      `to run it on GitHub after a push: gh workflow run ${workflow}.yml`,
      'to receive messages by a webhook instead: hookline init --sender telegram',
    ],
  }
}

function isFor(sender: Sender, { trigger, signatures }: FoundTrigger): boolean {
  const own = TRIGGERS.get(sender.trigger ?? 'webhook')
  if (own && own.name !== 'webhook') return TRIGGERS.get(trigger) === own
  return verifies(sender, signatures)
}

export function verifies(sender: Sender, signatures: FoundTrigger['signatures']): boolean {
  const scheme = sender.scheme ?? sender.name
  return signatures.some((signature) => signature.scheme === scheme)
}

/** The only sender whose signatures a trigger verifies. */
export function senderOf(signatures: FoundTrigger['signatures']): Sender | undefined {
  const [found, ...others] = SENDERS.filter((sender) => verifies(sender, signatures))
  return others.length === 0 ? found : undefined
}

/** The native file of a workflow with its dispatch mode, or the reason that GitHub would not start it. */
export function nativeFileOf(
  workflow: string,
): Pick<ConnectTarget, 'file' | 'files' | 'dispatch'> | Problem {
  const file = nativeFile(process.cwd(), workflow)
  if (file === undefined) {
    return {
      message: `${NATIVE_FOLDER}/${workflow}.yml does not exist; GitHub starts only workflows in that folder`,
      hint: 'Compile the workflow: hookline build',
    }
  }
  const modes = dispatchModesOf(readSource(process.cwd(), file))
  const problem = startProblem(file, modes, undefined)
  if (problem) return problem
  const [dispatch = 'repository'] = modes
  const sources = ['yml', 'yaml'].map((end) => `workflows/${workflow}.${end}`)
  const files = [file, ...sources.filter((each) => existsSync(join(process.cwd(), each)))]
  return { file, files, dispatch }
}
