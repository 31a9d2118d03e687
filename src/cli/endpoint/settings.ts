import { type Command, InvalidArgumentError, Option } from 'commander'
import { senderNamed } from '../../triggers/senders.ts'
import { durationSeconds } from '../../wire/duration.ts'
import { UsageError, UserError } from '../../wire/errors.ts'
import { isWorkflowName, splitOnce } from '../../wire/path.ts'
import { DISPATCH_MODES, type DispatchMode } from '../../wire/payload.ts'
import { checkedRepository, type Environment } from '../../wire/settings.ts'
import { tokenFor } from '../flag-values.ts'
import { type CheckedTarget, readEndpointTarget } from '../target/endpoint-target.ts'
import { filterWords } from '../target/filter-words.ts'
import { warn } from '../terminal.ts'
import {
  type ConditionOptions,
  conditionsFrom,
  conditionsOfTrigger,
  type EndpointClaims,
  secretFrom,
  withConditionOptions,
} from './conditions.ts'

/** The flags that `create` and `update` share. */
export interface SettingOptions extends ConditionOptions {
  readonly repository?: string
  readonly workflow?: string
  readonly trigger?: string
  readonly dispatch?: DispatchMode
  readonly ref?: string
  /** `owner/name:workflow[/trigger]` */
  readonly target?: readonly string[]
  readonly respond?: 'github' | 'stored'
  readonly batch?: number
  readonly debounce?: number
  readonly expect?: string
  readonly credential?: 'relay' | 'token'
}

export type AdminSettings = Readonly<Record<string, unknown>>

/** Adds the flags of the settings. */
export function withSettingOptions(command: Command): Command {
  command
    .option('--workflow <name>', 'file name of the workflow, without its extension')
    .option('--trigger <name>', 'trigger, if the workflow has several')
    .addOption(
      new Option(
        '--dispatch <mode>',
        'how GitHub starts the workflow (default: as the workflow declares)',
      ).choices(DISPATCH_MODES),
    )
    .option('--ref <ref>', 'branch or tag, for the dispatch mode workflow')
    .option(
      '--target <target...>',
      'further workflows that each request starts: <owner/name>:<workflow>[/<trigger>], of the same owner, at most 10',
    )
  return withConditionOptions(command)
    .addOption(
      new Option(
        '--respond <when>',
        'github: wait for GitHub; stored: respond as soon as the event is on disk (default: github, unless --sender needs stored)',
      ).choices(['github', 'stored']),
    )
    .option(
      '--batch <seconds>',
      'collect events for so long, and deliver them as one event',
      readSeconds,
    )
    .option('--debounce <seconds>', 'end the batch after so long without an event', readSeconds)
    .option('--expect <duration>', 'begin an alarm after so long without an event: 30m, 2h, 3d')
    .addOption(
      new Option(
        '--credential <credential>',
        "relay: the relay's own; token: the relay stores HOOKLINE_GITHUB_TOKEN for this endpoint",
      ).choices(['relay', 'token']),
    )
}

/** The settings of flags that need no look at the workflow. @throws UserError for an invalid flag */
export function plainSettings(
  { sender, batch, debounce, expect, credential, ref, ...options }: SettingOptions,
  env: Environment,
): AdminSettings {
  // Some senders repeat an event that is not answered within half a second.
  const respond = options.respond ?? senderNamed(sender ?? '')?.respond
  // A shell passes an unset variable as an empty value.
  if (ref === '') {
    throw new UserError({ message: '--ref is empty', hint: 'Omit --ref for the default branch.' })
  }
  return {
    ...(ref !== undefined && { ref }),
    ...(respond !== undefined && { respond }),
    ...(batch !== undefined && { batch }),
    ...(debounce !== undefined && { debounce }),
    ...(expect !== undefined && { expect: checkedDuration(expect) }),
    ...(credential !== undefined && { credential }),
    ...(credential === 'token' && { token: tokenFor('--credential token', env).reveal() }),
  }
}

/** @throws UsageError if the two flags exclude each other */
export function refuseRef({ ref, dispatch }: SettingOptions): void {
  if (ref === undefined || dispatch !== 'repository') return
  throw new UsageError({
    message: '--ref cannot be combined with --dispatch repository',
    hint: 'repository_dispatch always runs the default branch: omit --ref, or use --dispatch workflow',
  })
}

/** The file name without its extension, as a URL has it. */
export function workflowName(workflow: string): string {
  return workflow.replace(/\.ya?ml$/, '')
}

/**
 * The further targets that --target names. Each workflow is read on GitHub, as the first one is, so that a target
 * without a trigger gets the only one that its workflow declares.
 *
 * @param dispatch of the endpoint, which its targets share
 * @throws UserError for a target that no event would start
 */
export async function endpointTargets(
  { target = [], ref }: Pick<SettingOptions, 'target' | 'ref'>,
  dispatch: DispatchMode,
): Promise<AdminSettings> {
  const targets: string[] = []
  for (const text of target) {
    const [repository, path] = splitOnce(text, ':')
    const [file, trigger] = splitOnce(path, '/')
    const workflow = workflowName(file)
    if (!isWorkflowName(workflow) || trigger.includes('/')) {
      throw new UserError({
        message: `--target: ${JSON.stringify(text)} does not name a repository and a workflow`,
        hint: 'Write the repository, a colon, and the workflow: --target octo/mail:receipt/webhook',
      })
    }
    const wanted = {
      repository: checkedRepository(repository),
      workflow,
      dispatch,
      ...(trigger !== '' && { trigger }),
      ...(ref !== undefined && dispatch === 'workflow' && { ref }),
    }
    const found = await readEndpointTarget(wanted)
    if (found.unchecked !== undefined)
      warn([{ message: `${text} not checked: ${found.unchecked}` }])
    targets.push(`${wanted.repository}:${workflow}/${found.trigger}`)
  }
  return targets.length > 0 ? { targets } : {}
}

/** The checks of an endpoint, divided between relay and workflow. */
export interface EndpointChecks {
  readonly settings: EndpointClaims
  /** Names of the schemes that the relay verifies. */
  readonly schemes: readonly string[]
  /** The conditions that only the workflow checks: one line each. */
  readonly inWorkflow: readonly string[]
}

/**
 * Condition and verification: those of the flags, else the verification that the workflow declares.
 *
 * @throws UserError for an invalid flag
 */
export function endpointChecks(
  options: ConditionOptions,
  { declared }: Pick<CheckedTarget, 'declared'>,
  env: Environment,
): EndpointChecks {
  const { secretEnv, publicKey, ...others } = options
  const filter = filterWords(declared?.filter ?? {})
  const filterLines = filter.length > 0 ? [`the filter: ${filter.join('; ')}`] : []
  const isNamed = (options.sender ?? options.verify) !== undefined
  const hasOwn = declared !== undefined && declared.signatures.length > 0
  // Without a verification of the workflow, a secret needs a flag that names the scheme.
  if (isNamed || !hasOwn) {
    return checksOf([conditionsFrom(options, env)], filterLines)
  }
  const secret = secretFrom(secretEnv, publicKey, env)
  const { conditions, inWorkflow } = conditionsOfTrigger(declared, secret, 'endpoint')
  return checksOf([conditionsFrom(others, env), conditions], [...inWorkflow, ...filterLines])
}

function checksOf(
  all: readonly (EndpointClaims | undefined)[],
  inWorkflow: readonly string[],
): EndpointChecks {
  const settings: EndpointClaims = Object.assign({}, ...all)
  const schemes = (settings.verify ?? []).flatMap(({ scheme }) => scheme)
  return { settings, schemes, inWorkflow }
}

/** @throws InvalidArgumentError */
function readSeconds(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give whole seconds, from 1 to 3600.')
}

/** @throws UserError for anything but a whole number of days, hours or minutes */
function checkedDuration(duration: string): string {
  if (durationSeconds(duration) !== undefined) return duration
  throw new UserError({
    message: `--expect: invalid duration ${JSON.stringify(duration)}`,
    hint: 'Write days, hours or minutes, for example 3d, 12h or 30m.',
  })
}
