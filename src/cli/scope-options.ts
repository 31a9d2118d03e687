import { type Command, Option } from 'commander'
import { durationSeconds } from '../wire/duration.ts'
import { UserError } from '../wire/errors.ts'
import { DISPATCH_MODES, type DispatchMode } from '../wire/payload.ts'
import { checkedRepository } from '../wire/settings.ts'

/** The flags that say what an endpoint starts. */
export interface ScopeOptions {
  readonly repository: string
  readonly path?: string
  readonly dispatch?: DispatchMode
  readonly ref?: string
}

/** Adds the flags that say how the relay starts the workflow. */
export function withDispatchOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--dispatch <mode>',
        "how the relay starts workflows (default: the relay's)",
      ).choices(DISPATCH_MODES),
    )
    .option('--ref <ref>', 'branch or tag, with --dispatch workflow')
}

/** @throws UserError naming the flag that is wrong */
export async function readScopeOptions(options: ScopeOptions): Promise<ScopeOptions> {
  const repository = checkedRepository(options.repository)
  const { dispatch, ref } = options
  const path = options.path?.replace(/^\/+/, '')
  const [workflow = ''] = path?.split('/') ?? []
  if (/\.ya?ml$/.test(workflow)) {
    throw new UserError({
      message: `--path ${JSON.stringify(options.path)} contains a file extension`,
      hint: `Remove the extension: --path ${path?.replace(/\.ya?ml(?=\/|$)/, '')}`,
    })
  }
  // A shell passes an unset variable as an empty value, which must not widen the scope.
  const flags = [
    ['--path', path, 'for the present one'],
    ['--ref', ref, 'for the default branch'],
  ] as const
  for (const [flag, value, meaning] of flags) {
    if (value === '')
      throw new UserError({ message: `${flag} is empty`, hint: `Omit ${flag} ${meaning}.` })
  }
  if (ref !== undefined && dispatch === 'repository') {
    throw new UserError({
      message: '--ref cannot be combined with --dispatch repository',
      hint: 'repository_dispatch always runs the default branch: omit --ref, or use --dispatch workflow',
    })
  }
  return {
    repository,
    ...(path !== undefined && { path }),
    ...(dispatch !== undefined && { dispatch }),
    ...(ref !== undefined && { ref }),
  }
}

/**
 * @returns seconds
 * @throws UserError for anything but a whole number of days, hours or minutes
 */
export function readDuration(duration: string): number {
  const seconds = durationSeconds(duration)
  if (seconds !== undefined) return seconds
  throw new UserError({
    message: `invalid duration ${JSON.stringify(duration)}`,
    hint: 'Write days, hours or minutes, for example 90d, 12h or 30m.',
  })
}
