import { type Command, Option } from 'commander'
import type { DispatchEvent, Scope } from '../relay/claims.ts'
import { UserError } from '../wire/errors.ts'

/** What a sealed token or a grant is narrowed to, as flags. */
export interface ScopeOptions {
  readonly repository: string
  readonly path?: string
  readonly event?: DispatchEvent
  readonly ref?: string
  readonly expires?: string
}

export const EVENTS: readonly DispatchEvent[] = ['repository_dispatch', 'workflow_dispatch']

/** The flags behind --repository, which every command words for itself. */
export function withScopeOptions(command: Command): Command {
  return command
    .addOption(new Option('--event <event>', 'how GitHub is told of an event').choices(EVENTS))
    .option('--ref <ref>', 'branch or tag that workflow_dispatch runs')
    .option('--expires <duration>', 'how long it is good for, such as 90d, 12h or 30m')
}

/** @throws UserError naming the flag that is wrong */
export async function readScopeOptions(options: ScopeOptions): Promise<Scope> {
  const { readRepository } = await import('../relay/config.ts')
  const { owner, name } = readRepository(options.repository)
  const { event, ref } = options
  const path = options.path?.replace(/^\/+/, '')
  const [workflow = ''] = path?.split('/') ?? []
  if (/\.ya?ml$/.test(workflow)) {
    throw new UserError({
      message: `--path ${JSON.stringify(options.path)} names a file, which no URL does`,
      hint: `leave the extension out: ${path?.replace(/\.ya?ml(?=\/|$)/, '')}`,
    })
  }
  if (ref && event === 'repository_dispatch') {
    throw new UserError({
      message: '--ref does not go with --event repository_dispatch',
      hint: 'that event always runs what is on the default branch: leave --ref out',
    })
  }
  return {
    repository: `${owner}/${name}`,
    ...(path && { path }),
    ...(event && { event }),
    ...(ref && { ref }),
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
      message: `${JSON.stringify(duration)} is no duration`,
      hint: 'write it as 90d, 12h or 30m',
    })
  }
  return Math.floor(now / 1000) + Number(count) * SECONDS[unit]
}
