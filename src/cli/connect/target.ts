import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { FoundTrigger } from '../../engine/all-workflows.ts'
import type { Sender } from '../../triggers/sender.ts'
import { UsageError, UserError } from '../../wire/errors.ts'
import { LIMITS } from '../../wire/limits.ts'
import {
  DISPATCH_MODES,
  type DispatchMode,
  dispatchEvent,
  WORKFLOW_INPUT,
} from '../../wire/payload.ts'
import { readToken, type Secret } from '../../wire/secret.ts'
import { readSetting } from '../../wire/settings.ts'
import { parseYaml } from '../../workflow/yaml.ts'
import { startedBy } from '../doctor/workflows.ts'
import { NATIVE_FOLDER, originRepository, readSource } from '../files.ts'
import { tokenPage } from '../init/next-steps.ts'
import { environmentFor, GH_VARIABLES } from '../programs.ts'
import { triggersHere } from '../workflows-here.ts'

/** The one trigger that a line is made to. */
export interface ConnectTarget extends FoundTrigger {
  /** `owner/name` of the git remote `origin`. */
  readonly repository: string
  /** Its native file: `.github/workflows/hook.yml`. */
  readonly file: string
  /** That, and what it is compiled from. */
  readonly files: readonly string[]
  /** What starts that file. */
  readonly dispatch: DispatchMode
}

export interface TargetOptions {
  readonly workflow?: string
  readonly trigger?: string
  /** Nothing is asked. */
  readonly yes?: boolean
}

/**
 * The trigger of a workflow here that a webhook is to fire.
 *
 * @param writeOne makes a first workflow, where there is none and a person wants one
 * @throws UserError saying what is missing; UsageError where there are several
 */
export async function chosenTarget(
  options: TargetOptions,
  sender: Sender | undefined,
  writeOne: () => Promise<void>,
): Promise<ConnectTarget> {
  const repository = originRepository()
  if (repository === '') {
    throw new UserError({
      message: 'which repository? There is no git remote "origin" here',
      hint: 'run it in a clone of the repository, or: git remote add origin https://github.com/<owner>/<name>',
    })
  }
  const found = await onlyTrigger(options, sender, writeOne)
  const { file, dispatch } = startOf(found.workflow)
  const own = nativeAndSource(found.workflow, file)
  return { ...found, repository, file, dispatch, files: own }
}

async function onlyTrigger(
  { workflow, trigger, yes }: TargetOptions,
  sender: Sender | undefined,
  writeOne: () => Promise<void>,
): Promise<FoundTrigger> {
  const isWanted = (each: FoundTrigger) =>
    (workflow === undefined || each.workflow === workflow.replace(/\.ya?ml$/, '')) &&
    (trigger === undefined || each.trigger === trigger)
  const all = triggersHere()
  const wanted = all.filter(isWanted)
  const [only] = wanted
  if (only && wanted.length === 1) return only
  const list = all.map((each) => `--workflow ${each.workflow} --trigger ${each.trigger}`)
  if (wanted.length > 1) {
    const message = 'several triggers here wait for webhooks: which one?'
    throw new UsageError({ message, hint: 'name it', notes: list })
  }
  if (all.length > 0) {
    const asked = [workflow, trigger].filter(Boolean).join('/')
    const message = `no trigger here is ${JSON.stringify(asked)}`
    throw new UserError({ message, hint: 'these wait for webhooks', notes: list })
  }
  const init = `hookline init${sender ? ` --sender ${sender.name}` : ''}`
  const hint = `write one with: ${init}; what is wrong with a file tells: hookline check`
  const none = new UserError({ message: 'no workflow here waits for a webhook', hint })
  if (yes || !(await isWanting('No workflow here waits for a webhook. Write a first one?'))) {
    throw none
  }
  await writeOne()
  const [written] = triggersHere().filter(isWanted)
  if (!written) throw none
  return written
}

function nativeAndSource(workflow: string, file: string): string[] {
  const sources = ['yml', 'yaml'].map((end) => `workflows/${workflow}.${end}`)
  return [file, ...sources.filter((each) => existsSync(join(process.cwd(), each)))]
}

/** The file that GitHub starts, and by what. @throws UserError */
function startOf(workflow: string): { readonly file: string; readonly dispatch: DispatchMode } {
  const files = ['yml', 'yaml'].map((end) => `${NATIVE_FOLDER}/${workflow}.${end}`)
  const file = files.find((each) => existsSync(join(process.cwd(), each)))
  if (file === undefined) {
    throw new UserError({
      message: `${files[0]} is not there: GitHub starts only what stands in that folder`,
      hint: 'compile the workflow with: hookline build',
    })
  }
  const value: unknown = parseYaml(readSource(process.cwd(), file)).toJS({
    maxAliasCount: LIMITS.yamlAliases,
  })
  const dispatch = DISPATCH_MODES.find((mode) => startedBy(value).includes(dispatchEvent(mode)))
  if (dispatch) return { file, dispatch }
  throw new UserError({
    message: `${file} listens neither for repository_dispatch of the type webhook, nor for workflow_dispatch with the input ${WORKFLOW_INPUT}`,
    hint: 'see what is missing with: hookline check',
  })
}

/** The token that starts workflows, and where it comes from. */
interface TokenAtHand {
  readonly token: Secret
  readonly from: string
}

/**
 * `HOOKLINE_GITHUB_TOKEN`, else the one that `gh` keeps: asked first, and without a terminal only with `yes`.
 *
 * @throws UserError that says where a token is made
 */
export async function tokenAtHand(
  { dispatch, repository, workflow }: ConnectTarget,
  yes = false,
): Promise<TokenAtHand> {
  const token = readSetting(process.env, 'HOOKLINE_GITHUB_TOKEN')
  if (token) return { token, from: 'HOOKLINE_GITHUB_TOKEN' }
  const question =
    'HOOKLINE_GITHUB_TOKEN is not set. Use the token of gh, for as long as this runs?'
  const text = yes || (process.stdin.isTTY && hasGh()) ? await tokenOfGh(question, yes) : undefined
  if (text) return { token: readToken('gh auth token', text), from: 'gh auth token' }
  // Runs are followed with the second one.
  const boxes = dispatch === 'workflow' ? ['actions'] : ['contents', 'actions:read']
  throw new UserError({
    message: 'there is no token that may start the workflow: HOOKLINE_GITHUB_TOKEN is not set',
    hint: 'make one for this repository alone, and set it unseen: read -rs HOOKLINE_GITHUB_TOKEN && export HOOKLINE_GITHUB_TOKEN',
    notes: [
      tokenPage(workflow, repository, boxes),
      hasGh() ? 'or sign in to gh, whose token is taken then: gh auth login' : GH,
    ],
  })
}

const GH = 'or let gh make one, https://cli.github.com: gh auth login'

function hasGh(): boolean {
  return gh('--version') !== undefined
}

async function tokenOfGh(question: string, yes: boolean): Promise<string | undefined> {
  return yes || (await isWanting(question)) ? gh('auth', 'token') : undefined
}

/** What `gh` prints; `undefined` where it is not installed, not signed in, or prints nothing. */
function gh(...args: readonly string[]): string | undefined {
  try {
    const env = environmentFor(...GH_VARIABLES)
    const stdio = ['ignore', 'pipe', 'ignore'] as const
    const text = execFileSync('gh', args, {
      encoding: 'utf8',
      stdio: [...stdio],
      timeout: 5000,
      env,
    })
    return text.trim() || undefined
  } catch {
    return undefined
  }
}

/** Yes, unless the answer is another; no, where nobody is there to answer. */
async function isWanting(question: string): Promise<boolean> {
  const { stdin: input, stderr: output } = process
  if (!input.isTTY) return false
  const terminal = createInterface({ input, output })
  try {
    const answer = (await terminal.question(`${question} [Y/n] `)).trim().toLowerCase()
    return answer === '' || answer.startsWith('y')
  } finally {
    terminal.close()
  }
}
