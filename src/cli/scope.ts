import { type Command, Option } from 'commander'
import type { Scope } from '../relay/claims.ts'
import { UserError } from '../wire/errors.ts'
import { DISPATCH_MODES, type DispatchMode } from '../wire/payload.ts'
import { checkedRepository } from '../wire/settings.ts'

/** What a sealed token or a grant is narrowed to, as flags. */
export interface ScopeOptions {
  readonly repository: string
  readonly path?: string
  readonly dispatch?: DispatchMode
  readonly ref?: string
  readonly expires?: string
}

/** The flags behind --repository, which every command words for itself. */
export function withScopeOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--dispatch <mode>', 'how GitHub is told of an event').choices(DISPATCH_MODES),
    )
    .option('--ref <ref>', 'branch or tag that workflow_dispatch runs')
    .option('--expires <duration>', 'how long it is good for, such as 90d, 12h or 30m')
}

/** @throws UserError naming the flag that is wrong */
export async function readScopeOptions(options: ScopeOptions): Promise<Scope> {
  const repository = checkedRepository(options.repository)
  const { dispatch, ref, expires } = options
  const path = options.path?.replace(/^\/+/, '')
  const [workflow = ''] = path?.split('/') ?? []
  if (/\.ya?ml$/.test(workflow)) {
    throw new UserError({
      message: `--path ${JSON.stringify(options.path)} names a file, which no URL does`,
      hint: `leave the extension out: ${path?.replace(/\.ya?ml(?=\/|$)/, '')}`,
    })
  }
  // An empty variable of a shell must not cover more than it was to say.
  const flags = [
    ['--path', path, 'for the whole repository'],
    ['--ref', ref, 'for the branch or tag that the relay is set to'],
    ['--expires', expires, 'for one that does not end'],
  ] as const
  for (const [flag, value, meaning] of flags) {
    if (value === '') throw new UserError({ message: `${flag} is empty: leave it out ${meaning}` })
  }
  if (ref !== undefined && dispatch === 'repository') {
    throw new UserError({
      message: '--ref does not go with --dispatch repository',
      hint: 'that event always runs what is on the default branch: leave --ref out',
    })
  }
  return {
    repository,
    ...(path !== undefined && { path }),
    ...(dispatch !== undefined && { dispatch }),
    ...(ref !== undefined && { ref }),
  }
}

const SECONDS = { d: 86_400, h: 3600, m: 60 } as const

/**
 * @returns seconds since 1970
 * @throws UserError for anything but a whole number of days, hours or minutes
 */
export function readExpiry(duration: string, now: number): number {
  const [, count, unit] = /^([1-9]\d{0,4})([dhm])$/.exec(duration) ?? []
  if (unit !== 'd' && unit !== 'h' && unit !== 'm') {
    throw new UserError({
      message: `${JSON.stringify(duration)} is not a duration`,
      hint: 'write it as 90d, 12h or 30m',
    })
  }
  return Math.floor(now / 1000) + Number(count) * SECONDS[unit]
}
