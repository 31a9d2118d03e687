import type { NativeWorkflow } from '../../compiler/native.ts'
import { TRIGGERS } from '../../triggers/index.ts'
import { messagingBot } from '../../triggers/messaging-bot.ts'
import { readOrUndefined } from '../../wire/errors.ts'
import { fieldsOf, listOf } from '../../wire/github-api.ts'
import { isObject } from '../../wire/json.ts'
import { recentRuns, runsPath, type WorkflowRun } from '../../wire/run-lookup.ts'
import { parseYaml } from '../../workflow/yaml.ts'
import { hasSucceeded } from '../follow-runs.ts'
import type { AskGitHub } from '../github-client.ts'
import {
  type DoctorFinding,
  type DoctorPorts,
  type DoctorTarget,
  failedFinding,
  passedFinding,
  unknownFinding,
  warningFinding,
} from './findings.ts'

export interface PolledBot {
  /** `bot.yml` */
  readonly file: string
  /** Name of the secret with the bot's token; `undefined` if the token comes from elsewhere. */
  readonly secret: string | undefined
  /** The environment of the job that polls. */
  readonly environment: string | undefined
  /** True if `gh workflow run` can start the workflow. */
  readonly isStartable: boolean
}

/** @param workflow the whole file, as plain values */
export function polledBot(
  file: string,
  native: NativeWorkflow,
  workflow: unknown,
): PolledBot | undefined {
  for (const { job, on = '' } of native.uses) {
    const options = botOptions(file, on)
    if (!options || options.webhook === true) continue
    const secret = /\bsecrets\.([a-z_]\w*)/i.exec(String(options.token))?.[1]
    const events = isObject(workflow) ? workflow.on : undefined
    const isStartable = isObject(events) && 'workflow_dispatch' in events
    return { file, secret, environment: environmentOf(workflow, job), isStartable }
  }
  return undefined
}

/** The options of the trigger in an input `on`; a check of its own tells the mistakes of the input. */
function botOptions(file: string, on: string): Record<string, unknown> | undefined {
  const document = readOrUndefined(() => parseYaml({ name: file, file, text: on }))
  const triggers: unknown = document?.toJS({ maxAliasCount: -1 })
  if (!isObject(triggers)) return undefined
  const found = Object.entries(triggers).find(([name]) => TRIGGERS.get(name) === messagingBot)
  const options = found?.[1]
  return isObject(options) ? options : undefined
}

function environmentOf(workflow: unknown, name: string): string | undefined {
  const jobs = isObject(workflow) ? workflow.jobs : undefined
  const job = isObject(jobs) ? jobs[name] : undefined
  const own = isObject(job) ? job.environment : undefined
  const environment = isObject(own) ? own.name : own
  return typeof environment === 'string' ? environment : undefined
}

/** Checks the secret and the last run of each bot. */
export async function checkPolledBots(
  target: DoctorTarget,
  bots: readonly PolledBot[],
  ports: DoctorPorts,
): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = []
  for (const bot of bots) {
    if (bot.secret !== undefined) findings.push(await checkSecret(target, bot, bot.secret, ports))
    findings.push(await checkLastRun(target, bot, ports))
  }
  return findings
}

async function checkSecret(
  { repository }: DoctorTarget,
  { file, environment }: PolledBot,
  name: string,
  { askGitHub }: DoctorPorts,
): Promise<DoctorFinding> {
  const state = await secretState({ name, repository, environment }, askGitHub)
  if (state === 'exists') return passedFinding('bot', `the secret ${name} exists`)
  const cure = `gh secret set ${name} --repo ${repository}`
  if (state === 'missing') {
    const message = `there is no secret ${name}, which ${file} needs`
    return failedFinding('bot', 'bot_secret_missing', message, `Run: ${cure}`)
  }
  const message = `the token may not list secrets, so ${name} is not checked`
  const hint = `Run: gh secret list --repo ${repository}. If ${name} is absent: ${cure}`
  return unknownFinding('bot', 'bot_secret_unknown', message, hint)
}

async function checkLastRun(
  { repository }: DoctorTarget,
  { file, isStartable }: PolledBot,
  { askGitHub }: DoctorPorts,
): Promise<DoctorFinding> {
  const name = file.replace(/\.ya?ml$/, '')
  const isOwn = ({ workflow }: WorkflowRun) => workflow === name
  let isRefused = false
  const runs = await recentRuns(
    async (page) => {
      const { answer, refusal } = await askGitHub(runsPath(repository, page))
      isRefused ||= refusal !== undefined
      return fieldsOf(answer).workflow_runs
    },
    { isEnough: (read) => read.some(isOwn) },
  )
  const run = runs.find(isOwn)
  const start = isStartable
    ? `Run: gh workflow run ${file} --repo ${repository}`
    : `To start it yourself, add workflow_dispatch: under on: of ${file}.`
  if (!run && isRefused) {
    const message = `the token may not list runs, so the last run of ${file} is not checked`
    return unknownFinding('bot', 'bot_runs_unknown', message, 'Give the token "Actions: Read".')
  }
  if (!run) return warningFinding('bot', 'bot_never_ran', `${file} has not run yet`, start)
  const { id, conclusion, started, state, url } = run
  if (conclusion === null) return passedFinding('bot', `a run of ${file} is ${state}: ${url}`)
  if (hasSucceeded(run)) {
    return passedFinding('bot', `the last run of ${file} succeeded, started ${started}: ${url}`)
  }
  const message = `the last run of ${file} ended as ${conclusion}, started ${started}: ${url}`
  const hint = `Run: gh run view ${id} --log-failed --repo ${repository}`
  return failedFinding('bot', 'bot_run_failed', message, hint)
}

interface SecretPlace {
  readonly name: string
  /** `owner/name` */
  readonly repository: string
  /** The environment of the job that reads the secret. */
  readonly environment: string | undefined
}

/**
 * Looks for a secret that a job can read: in its environment, the repository or the organization. `unknown` if
 * the token may not list secrets.
 */
async function secretState(
  { name, repository, environment }: SecretPlace,
  ask: AskGitHub,
): Promise<'exists' | 'missing' | 'unknown'> {
  const at = `/repos/${repository}`
  const places = [
    ...(environment === undefined || environment.includes('${{')
      ? []
      : [`${at}/environments/${encodeURIComponent(environment)}/secrets/${name}`]),
    `${at}/actions/secrets/${name}`,
  ]
  const refusals: string[] = []
  for (const path of places) {
    const { refusal } = await ask(path)
    if (!refusal) return 'exists'
    refusals.push(refusal.kind)
  }
  const { answer, refusal } = await ask(`${at}/actions/organization-secrets?per_page=100`)
  if (listOf(fieldsOf(answer).secrets).some((secret) => secret.name === name)) return 'exists'
  if (refusal) refusals.push(refusal.kind)
  return refusals.every((kind) => kind === 'missing') ? 'missing' : 'unknown'
}
