import { execFileSync } from 'node:child_process'
import type { Sender } from '../../triggers/sender.ts'
import { type Problem, UsageError, UserError } from '../../wire/errors.ts'
import { type DispatchMode, dispatchEvent } from '../../wire/payload.ts'
import type { Secret } from '../../wire/secret.ts'
import { parsePort } from '../../wire/settings.ts'
import { originRepository } from '../files.ts'
import { type ForgeHere, forgeHere } from '../forge.ts'
import { chooseToken, tokenHost, tokenOfGh, tokenPage, warnOfPlainText } from '../forge-tokens.ts'
import { secretsOf } from '../init/sender-workflow.ts'
import { environmentFor, GH_VARIABLES, isInstalled } from '../programs.ts'
import { arePublished, pushCommand, subfolderProblem } from '../publish.ts'
import { INSTALL_CLOUDFLARED } from '../tunnel.ts'
import {
  type ConnectTarget,
  chooseTrigger,
  nativeFileOf,
  senderOf,
  type TargetOptions,
  type TriggerChoice,
  verifies,
} from './connect-target.ts'

export interface RequirementOptions extends TargetOptions {
  readonly publicUrl?: string
  /** The port of the relay on this machine; a free one by default. */
  readonly port?: string
  /** Address of a relay elsewhere, which then receives the events. */
  readonly relay?: string
  /** True to ask nothing. */
  readonly yes?: boolean
}

/** How `connect` talks with a person. */
interface RequirementPorts {
  note(text: string): void
  /** Asks a question to which Enter means yes. */
  ask(question: string): Promise<boolean>
  /** Writes a first workflow, after a person agreed. */
  writeWorkflow(): Promise<void>
}

/** Everything that `connect` needs before it opens a public URL. */
export interface Ready {
  readonly target: ConnectTarget
  readonly token: Secret
  /** The forge of the git remote, which the token is for. */
  readonly forge: ForgeHere
}

/** One line of the list that `connect` prints first. */
export interface Requirement {
  readonly state: 'ok' | 'missing' | 'later' | 'warning'
  readonly text: string
}

/**
 * Lists every requirement with the command that satisfies it, and then asks for consent where needed.
 *
 * @throws UserError that names every missing requirement; UsageError for an ambiguous trigger
 */
export async function meetRequirements(
  options: RequirementOptions,
  named: Sender | undefined,
  { note, ask, writeWorkflow }: RequirementPorts,
): Promise<Ready> {
  const choice = chooseTrigger(options, named)
  // A workflow that polls needs nothing of what follows.
  if ('reason' in choice && choice.reason === 'only polls') throw new UserError(choice.problem)
  const repository = originRepository()
  const forge = await forgeOrProblem()
  const file = 'trigger' in choice ? nativeFileOf(choice.trigger.workflow) : undefined
  const native = file && 'dispatch' in file ? file : undefined
  const source = 'kind' in forge ? tokenSource(forge, options.yes ?? false) : undefined
  const mayAsk = !options.yes && process.stdin.isTTY
  const isOffered = mayAsk && 'reason' in choice && choice.reason === 'no workflow'
  const subfolder = subfolderProblem()
  // In a subfolder, a workflow that is missing must not be written.
  const isElsewhere = subfolder && 'reason' in choice && choice.reason === 'no workflow'
  const problems: readonly Problem[] = [
    ...(subfolder ? [subfolder] : []),
    ...(repository === '' ? [NO_REMOTE] : []),
    ...('problem' in choice && !isOffered && !isElsewhere ? [choice.problem] : []),
    ...(file && 'message' in file ? [file] : []),
    ...('kind' in forge ? forgeProblems(forge, native?.dispatch) : [forge]),
    ...(source || !('kind' in forge)
      ? []
      : [noTokenProblem(forge, choice, { repository, dispatch: native?.dispatch, named })]),
    ...((options.relay ?? options.publicUrl) !== undefined || isInstalled('cloudflared')
      ? []
      : [NO_CLOUDFLARED]),
    ...(await portProblems(options.port)),
  ]
  if (problems.length > 0 || !source || !('kind' in forge)) {
    const isUsage = problems.length === 1 && 'reason' in choice && choice.reason === 'ambiguous'
    throw isUsage ? new UsageError([...problems]) : new UserError([...problems])
  }
  const from = source.from
  const rows = requirementRows({ repository, forge, choice, native, from, options })
  note(`Requirements:\n${requirementText(rows)}`)

  // Nothing was asked or changed up to here.
  if (isOffered) {
    if (!(await ask('No workflow here can receive webhooks. Write one?'))) {
      throw new UserError(choice.problem)
    }
    await writeWorkflow()
  }
  warnOfPlainText(forge)
  const isAllowed =
    !source.needsConsent || (await ask('Use the token of gh while this command runs?'))
  if (!isAllowed) throw new UserError(NO_CONSENT)
  const chosen = isOffered ? chooseTrigger(options, named) : choice
  if ('problem' in chosen) throw new UserError(chosen.problem)
  const written = nativeFileOf(chosen.trigger.workflow)
  if ('message' in written) throw new UserError(written)
  return {
    target: { ...chosen.trigger, repository, ...written },
    token: source.token,
    forge,
  }
}

/** The forge of the git remote, or why there is none. */
async function forgeOrProblem(): Promise<ForgeHere | Problem> {
  try {
    return await forgeHere()
  } catch (error) {
    const [problem] = error instanceof UserError ? error.problems : []
    if (!problem) throw error
    return problem
  }
}

/** Why the relay cannot listen on the port that the user named. */
async function portProblems(port: string | undefined): Promise<readonly Problem[]> {
  if (port === undefined) return []
  const { requireFreePort } = await import('../../relay/node/server.ts')
  try {
    await requireFreePort({ host: '127.0.0.1', port: parsePort(port) })
    return []
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.problems
  }
}

/** The requirements of the forge, besides a token. */
function forgeProblems({ kind, host }: ForgeHere, dispatch: DispatchMode | undefined): Problem[] {
  if (kind === 'github' || dispatch !== 'repository') return []
  return [
    {
      message: `${host} has no repository_dispatch, so the workflow must listen for workflow_dispatch`,
      hint: 'Write it again: hookline init --dispatch workflow',
    },
  ]
}

interface RequirementFacts {
  readonly repository: string
  readonly forge: ForgeHere
  readonly choice: TriggerChoice
  readonly native: Pick<ConnectTarget, 'file' | 'files' | 'dispatch'> | undefined
  readonly from: string
  readonly options: RequirementOptions
}

function requirementRows(known: RequirementFacts): readonly Requirement[] {
  const { repository, forge, choice, native, from, options } = known
  const place = forge.host === 'github.com' ? repository : `${repository} at ${forge.host}`
  const address = options.relay ?? options.publicUrl ?? 'a quick tunnel of cloudflared'
  const rows: Requirement[] = [
    { state: 'ok', text: `git remote: origin is ${place}` },
    { state: 'ok', text: `GitHub token: ${from}` },
    { state: 'ok', text: `public address: ${address}` },
  ]
  if (!native || 'problem' in choice) {
    return [...rows, { state: 'missing', text: 'workflow: hookline init, which runs next' }]
  }
  return [
    ...rows,
    { state: 'ok', text: `workflow: ${native.file}, started by ${dispatchEvent(native.dispatch)}` },
    arePublished(native.files)
      ? { state: 'ok', text: 'pushed workflow: no local changes' }
      : {
          state: 'missing',
          text: `pushed workflow: ${pushCommand({ ...choice.trigger, ...native })}`,
        },
  ]
}

interface WorkflowFacts {
  readonly target: ConnectTarget
  /** True if GitHub runs the file that declares the trigger. */
  readonly isPublished: boolean
  readonly named: Sender | undefined
  readonly forge: ForgeHere
}

/** The end of the list: the rows that depend on the file that GitHub runs. */
export function workflowRows(known: WorkflowFacts): readonly Requirement[] {
  const { named, forge } = known
  const { signatures, repository } = known.target
  const sender = named ?? senderOf(signatures)
  const secrets = sender && verifies(sender, signatures) ? secretsOf(sender) : []
  return [
    signatureRow(known),
    ...secrets.map(
      (name): Requirement => ({
        state: 'later',
        text: `repository secret: ${secretCommand(forge, repository, name)}`,
      }),
    ),
  ]
}

export function requirementText(rows: readonly Requirement[]): string {
  return rows
    .map(
      ({ state, text }) => `  ${state.padEnd(7)}  ${text.replaceAll('\n', `\n${' '.repeat(11)}`)}`,
    )
    .join('\n')
}

/** Says whether the workflow verifies signatures, and of whom. */
function signatureRow({ target: { signatures }, named, isPublished }: WorkflowFacts): Requirement {
  const schemes = [...new Set(signatures.map(({ scheme }) => scheme))].join(', ')
  if (signatures.length === 0) {
    const init = `hookline init${named ? ` --sender ${named.name}` : ' --sender <name>'}`
    const text = `signatures: not verified, so anyone with the URL can start the workflow. To verify them: ${init}`
    return { state: 'warning', text }
  }
  if (named && !verifies(named, signatures)) {
    const text = `signatures: the workflow verifies ${schemes}, so it rejects requests of ${named.title}`
    return { state: 'warning', text }
  }
  const text = isPublished
    ? `signatures: verified (${schemes})`
    : `signatures: the file in this folder verifies ${schemes}`
  return { state: 'ok', text }
}

const NO_CONSENT: Problem = {
  message: 'connect needs a GitHub token, and you did not allow the token of gh',
  hint: 'Run connect again and press Enter at the question; or set HOOKLINE_GITHUB_TOKEN to a token for this repository.',
}

const NO_REMOTE: Problem = {
  message: 'there is no git remote "origin" in this folder',
  hint: 'Run: git remote add origin https://github.com/<owner>/<name>',
}

const NO_CLOUDFLARED: Problem = {
  message: 'cloudflared is not installed, and there is no --public-url',
  hint: INSTALL_CLOUDFLARED,
  notes: [
    'or use an address that leads to this machine: --public-url https://… --port 8080',
    'or a relay that runs all the time: --relay https://…',
  ],
}

/** How to store a repository secret: a command, or on Forgejo and Gitea the page that takes it. */
export function secretCommand(forge: ForgeHere, repository: string, name: string): string {
  if (forge.kind !== 'github') return `${name} at ${secretsPage(forge, repository)}`
  return ['gh', ...secretArguments(forge, repository, name)].join(' ')
}

export function secretArguments({ host }: ForgeHere, repository: string, name: string): string[] {
  const place = host === 'github.com' ? repository : `${host}/${repository}`
  return ['secret', 'set', name, '--repo', place]
}

export function secretsPage({ kind, webUrl }: ForgeHere, repository: string): string {
  const page = kind === 'github' ? 'secrets/actions/new' : 'actions/secrets'
  return `${webUrl}/${repository}/settings/${page}`
}

interface TokenUse {
  readonly repository: string
  readonly dispatch: DispatchMode | undefined
  /** The sender that the command names. */
  readonly named: Sender | undefined
}

function noTokenProblem(
  forge: ForgeHere,
  choice: TriggerChoice,
  { repository, dispatch = 'repository', named }: TokenUse,
): Problem {
  const workflow = 'trigger' in choice ? choice.trigger.workflow : 'hook'
  // `actions:read` is needed to follow the runs.
  const permissions = dispatch === 'workflow' ? ['actions'] : ['contents', 'actions:read']
  const words = dispatch === 'workflow' ? 'Actions: write' : 'Contents: write and Actions: read'
  const { apiUrl, kind, webUrl } = forge
  const host = tokenHost(forge)
  const [withheld] = chooseToken(forge, 'start').withheld
  const why = withheld?.message ?? 'HOOKLINE_GITHUB_TOKEN is not set'
  const isTrusted = forge.isConfigured || host === 'github.com'
  const naming = isTrusted ? '' : `export HOOKLINE_API_URL=${apiUrl.href} && `
  const login = host === 'github.com' ? 'gh auth login' : `gh auth login --hostname ${host}`
  if (tokenOfGh(forge, ghToken) !== undefined) {
    return {
      message: 'connect uses the token of gh only if you agree, and there is no terminal to ask in',
      hint: `Agree by --yes: hookline connect${named ? ` ${named.name}` : ''} --yes`,
      notes: [`or set HOOKLINE_GITHUB_TOKEN to a token for this repository (${words})`],
    }
  }
  return {
    message: `there is no ${kind === 'github' ? 'GitHub token' : 'token'} that can start the workflow (${words}): ${why}`,
    hint: `Create a token for this repository, and set it: ${naming}read -rs HOOKLINE_GITHUB_TOKEN && export HOOKLINE_GITHUB_TOKEN`,
    notes:
      kind === 'github'
        ? [
            tokenPage(workflow, repository, permissions, webUrl),
            gh('--version') === undefined
              ? `or install gh, https://cli.github.com, and run: ${login}`
              : `or use the token of gh: ${login}, then hookline connect --yes`,
          ]
        : [`${webUrl}/user/settings/applications`],
  }
}

/**
 * `HOOKLINE_GITHUB_TOKEN`, or the token that `gh` has for the host; without a terminal, gh's token only
 * with `--yes`.
 */
function tokenSource(forge: ForgeHere, yes: boolean) {
  const { chosen } = chooseToken(forge, 'start')
  if (chosen) return { ...chosen, needsConsent: false }
  if (!yes && !process.stdin.isTTY) return undefined
  const stored = tokenOfGh(forge, ghToken)
  return stored && { ...stored, needsConsent: !yes }
}

export function ghToken(host: string): string | undefined {
  return gh('auth', 'token', '--hostname', host)
}

/** The output of `gh`; `undefined` if gh is not installed, not signed in, or prints nothing. */
function gh(...args: readonly string[]): string | undefined {
  try {
    const text = execFileSync('gh', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5000,
      env: environmentFor(...GH_VARIABLES),
    })
    return text.trim() || undefined
  } catch {
    return undefined
  }
}
