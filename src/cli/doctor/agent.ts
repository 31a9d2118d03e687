import { fieldsOf } from '../../wire/github-api.ts'
import { isObject } from '../../wire/json.ts'
import { CODING_AGENTS, type CodingAgent, isAppLogin } from '../agents.ts'
import {
  type DoctorFinding,
  type DoctorPorts,
  type DoctorTarget,
  failedFinding,
  passedFinding,
  unknownFinding,
  warningFinding,
} from './findings.ts'
import { secretState } from './secret-state.ts'

/** A step that runs a coding agent. */
interface AgentStep {
  readonly agent: CodingAgent
  readonly inputs: Readonly<Record<string, unknown>>
  readonly environment: string | undefined
}

/**
 * Checks a workflow that runs a coding agent for the faults that otherwise show only after the model was paid:
 * the account that starts the agent, the key, and the pull request.
 *
 * @param workflow the whole file, as plain values
 */
export async function checkAgents(
  target: DoctorTarget,
  file: string,
  workflow: unknown,
  ports: DoctorPorts,
): Promise<readonly DoctorFinding[]> {
  const jobs = jobsOf(workflow)
  const steps = jobs.flatMap(agentSteps)
  const findings: DoctorFinding[] = []
  for (const step of steps) {
    const actor = await checkActor(target, file, step, ports)
    const key = await checkKey(target, step, ports)
    findings.push(...actor, ...key)
  }
  const proposing = steps.length > 0 ? jobs.find(opensPullRequest) : undefined
  if (!proposing) return findings
  const lacking = checkPermissions(file, proposing, workflow)
  return [...findings, ...lacking, await checkPullRequests(target, ports)]
}

function jobsOf(workflow: unknown): readonly Record<string, unknown>[] {
  if (!isObject(workflow) || !isObject(workflow.jobs)) return []
  return Object.values(workflow.jobs).filter(isObject)
}

function stepsOf({ steps }: Record<string, unknown>): readonly Record<string, unknown>[] {
  return Array.isArray(steps) ? steps.filter(isObject) : []
}

function agentSteps(job: Record<string, unknown>): readonly AgentStep[] {
  const { environment: own } = job
  const environment = isObject(own) ? own.name : own
  return stepsOf(job).flatMap(({ uses, with: inputs }) => {
    const [action] = String(uses).toLowerCase().split('@')
    const agent = Object.values(CODING_AGENTS).find((known) => known.action === action)
    if (!agent) return []
    return [
      {
        agent,
        inputs: isObject(inputs) ? inputs : {},
        environment: typeof environment === 'string' ? environment : undefined,
      },
    ]
  })
}

function opensPullRequest(job: Record<string, unknown>): boolean {
  return stepsOf(job).some(({ run }) => String(run).includes('gh pr create'))
}

/** Whether the action of the agent accepts the account that starts the run. */
async function checkActor(
  { actor: app, token }: DoctorTarget,
  file: string,
  { agent: { action, botsInput }, inputs }: AgentStep,
  { askGitHub }: DoctorPorts,
): Promise<readonly DoctorFinding[]> {
  if (botsInput === undefined) return []
  const listed = String(inputs[botsInput] ?? '')
  if (/\$\{\{|\*/.test(listed)) {
    const message = `${botsInput} in ${file} can admit every GitHub App`
    const hint = `Write the name of the App that starts the workflow: ${botsInput}: ${app ?? 'my-relay[bot]'}`
    return [warningFinding('agent', 'agent_actor_any', message, hint)]
  }
  // GitHub knows only the tokens of people by this path.
  const answer = app === undefined && token ? await askGitHub('/user') : undefined
  const login = app ?? (answer && !answer.refusal ? fieldsOf(answer.answer).login : undefined)
  if (typeof login !== 'string') {
    const message = `the account that starts ${file} is not known`
    const hint = `If it is a GitHub App, add to the step of ${action}: ${botsInput}: my-relay[bot]`
    return [unknownFinding('agent', 'agent_actor_unknown', message, hint)]
  }
  if (!isAppLogin(login) || namesApp(listed, login)) {
    return [passedFinding('agent', `${login} may start ${action} in ${file}`)]
  }
  const message = `${action} in ${file} refuses runs that ${login} starts`
  const hint = `Add to the inputs of that step: ${botsInput}: ${login}`
  return [failedFinding('agent', 'agent_actor_refused', message, hint)]
}

/** Both actions compare the names without case, and without `[bot]`. */
function namesApp(listed: string, login: string): boolean {
  const plain = (name: string) =>
    name
      .trim()
      .toLowerCase()
      .replace(/\[bot\]$/, '')
  return listed.split(',').map(plain).includes(plain(login))
}

/** Whether the secret with the key of the model exists: of the environment, the repository or the organization. */
async function checkKey(
  { repository }: DoctorTarget,
  { agent, inputs, environment }: AgentStep,
  { askGitHub }: DoctorPorts,
): Promise<readonly DoctorFinding[]> {
  const [, name] = /\bsecrets\.([a-z_]\w*)/i.exec(String(inputs[agent.keyInput] ?? '')) ?? []
  if (name === undefined) return []
  const state = await secretState({ name, repository, environment }, askGitHub)
  if (state === 'exists') return [passedFinding('agent', `the secret ${name} exists`)]
  const cure = `gh secret set ${name} --repo ${repository}`
  if (state === 'missing') {
    const message = `there is no secret ${name}, which ${agent.action} needs`
    return [failedFinding('agent', 'agent_key_missing', message, `Run: ${cure}`)]
  }
  const message = `the token may not list secrets, so ${name} is not checked`
  const hint = `Run: gh secret list --repo ${repository}. If ${name} is absent: ${cure}`
  return [unknownFinding('agent', 'agent_key_unknown', message, hint)]
}

const NEEDED = { contents: 'write', 'pull-requests': 'write' } as const

/** Whether the job that opens the pull request may push and open it. */
function checkPermissions(
  file: string,
  job: Record<string, unknown>,
  workflow: unknown,
): readonly DoctorFinding[] {
  const permissions = job.permissions ?? (isObject(workflow) ? workflow.permissions : undefined)
  if (permissions === undefined || permissions === 'write-all') return []
  const given = isObject(permissions) ? permissions : {}
  const missing = Object.entries(NEEDED).flatMap(([name, level]) =>
    given[name] === level ? [] : [`${name}: ${level}`],
  )
  if (missing.length === 0) return []
  const message = `the job of ${file} that opens the pull request lacks ${missing.join(' and ')}`
  const hint = `Add to its permissions: ${missing.join(', ')}`
  return [failedFinding('agent', 'agent_permission_missing', message, hint)]
}

/** https://docs.github.com/rest/actions/permissions#get-default-workflow-permissions-for-a-repository */
async function checkPullRequests(
  { repository }: DoctorTarget,
  { askGitHub }: DoctorPorts,
): Promise<DoctorFinding> {
  const { answer, refusal } = await askGitHub(`/repos/${repository}/actions/permissions/workflow`)
  const allowed = refusal ? undefined : fieldsOf(answer).can_approve_pull_request_reviews
  if (allowed === true) return passedFinding('agent', 'a job may open pull requests')
  const setting = '"Allow GitHub Actions to create and approve pull requests"'
  const instead = 'the job pushes a branch and shows the link that opens the pull request'
  const hint = `To get pull requests, turn it on in Settings > Actions > General, or give the job a token of a GitHub App.`
  return allowed === false
    ? warningFinding('agent', 'agent_pull_request_off', `${setting} is off: ${instead}`, hint)
    : unknownFinding(
        'agent',
        'agent_pull_request_unknown',
        `the token may not read ${setting}; if it is off, ${instead}`,
        hint,
      )
}
