import { UserError } from '../../wire/errors.ts'
import { listOf } from '../../wire/github-api.ts'
import { isObject } from '../../wire/json.ts'
import type { Secret } from '../../wire/secret.ts'
import { readSetting } from '../../wire/settings.ts'
import { conditionsOfTrigger } from '../endpoint/conditions.ts'
import { checkedOwner, NO_CHECKS, storedEndpoint } from '../endpoint/named-endpoint.ts'
import { type RelayClient, RelayRefusal } from '../relay-client.ts'
import type { ConnectTarget } from './connect-target.ts'
import { type ConnectEvent, connectEvent, type FollowPorts, followDelivery } from './follow.ts'
import type { PublicRelay } from './public-relay.ts'

interface AtRelayOptions {
  readonly client: RelayClient
  readonly target: ConnectTarget
  /** The sender's secret of `--secret-env`. */
  readonly secret: Secret | undefined
}

/** An endpoint that stays after `connect`. */
interface EndpointAtRelay extends PublicRelay {
  /** `octo/shop-orders` */
  readonly name: string
}

/**
 * Creates the endpoint of a trigger on a relay, with verification and dispatch mode of the workflow. The
 * endpoint of an earlier start gets the present settings, and keeps its URL.
 *
 * @throws UserError if the relay refuses it
 */
export async function openAtRelay(options: AtRelayOptions): Promise<EndpointAtRelay> {
  const { client, target, secret } = options
  const { repository, workflow, dispatch } = target
  const { conditions, inWorkflow } = conditionsOfTrigger(target, secret?.reveal(), 'endpoint')
  const name = endpointName(target)
  const { url } = await storedEndpoint(client, {
    ...{ name, repository, workflow, trigger: target.trigger, dispatch },
    ...(await credentialFor(client)),
    ...NO_CHECKS,
    ...conditions,
  })
  const whole = url + (target.example?.path ?? '')
  return {
    name: `${checkedOwner(repository)}/${name}`,
    url: whole,
    local: new URL(whole),
    lifetime: 'stays at the relay',
    inWorkflow,
    close: async () => {},
  }
}

/** The same at each start: `shop-orders`, and `shop-bot-messaging_bot` for another trigger than `webhook`. */
export function endpointName({
  repository,
  workflow,
  trigger,
}: Pick<ConnectTarget, 'repository' | 'workflow' | 'trigger'>): string {
  const parts = [
    repository.split('/')[1] ?? '',
    workflow,
    ...(trigger === 'webhook' ? [] : [trigger]),
  ]
  const name = parts
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]/g, '-')
  return name.replace(/^[^a-z0-9]+/, '').slice(0, 63)
}

/**
 * A relay without a GitHub credential stores the token of this command, if the user set it for Hookline: the
 * token of gh is for this machine.
 *
 * @throws UserError if there is no such token
 */
async function credentialFor(client: RelayClient): Promise<object> {
  // The relay stores the token that authorizes the request.
  if (client.access.isToken || !(await lacksCredential(client))) return {}
  const token = readSetting(process.env, 'HOOKLINE_GITHUB_TOKEN')
  if (token) return { credential: 'token', token: token.reveal() }
  throw new UserError({
    message: `the relay at ${client.host} has no GitHub credential of its own`,
    hint: 'Set HOOKLINE_GITHUB_TOKEN, which the relay then stores, encrypted, for this endpoint.',
  })
}

async function lacksCredential(client: RelayClient): Promise<boolean> {
  try {
    const { credential } = await client.ask({ method: 'GET', path: '/status' })
    return isObject(credential) && credential.kind === 'none'
  } catch (error) {
    if (error instanceof RelayRefusal) return false
    throw error
  }
}

interface FirstRunOptions {
  readonly client: RelayClient
  /** Public name of the endpoint, with its owner. */
  readonly name: string
  readonly ports: FollowPorts
  readonly signal: AbortSignal
  readonly report: (event: ConnectEvent) => void
}

/** Milliseconds between two looks. */
const PAUSE = 2000

/**
 * Follows the first event that GitHub accepts until its run ends, or the relay gives up.
 *
 * @returns whether the run succeeded; `undefined` after an abort
 */
export async function followFirstRun(options: FirstRunOptions): Promise<boolean | undefined> {
  const { client, name, ports, signal, report } = options
  const since = ports.now()
  const reported = new Set<string>()
  while (!signal.aborted) {
    for (const { id, state, reason, run } of await deliveriesSince(client, name, since)) {
      const delivery = String(id)
      if (reported.has(`${delivery} ${state}`)) continue
      reported.add(`${delivery} ${state}`)
      const isAccepted = state === 'delivered'
      report(
        connectEvent('request', { delivery, reason: isAccepted ? null : `${state} (${reason})` }),
      )
      if (state === 'dead') return false
      if (isAccepted) return followToEnd(delivery, typeof run === 'string' ? run : null, options)
    }
    await ports.sleep(PAUSE)
  }
  return undefined
}

async function deliveriesSince(client: RelayClient, name: string, since: Date) {
  const [owner = '', endpoint = ''] = name.split('/')
  const query = { endpoint, since: since.toISOString() }
  const path = `/deliveries/${owner}`
  const { deliveries } = await client.ask({ method: 'GET', path, query })
  return listOf(deliveries).toReversed()
}

async function followToEnd(
  delivery: string,
  run: string | null,
  { ports, report }: FirstRunOptions,
): Promise<boolean> {
  // Runs of other forges are not followed.
  let isSuccess = !ports.isFollowed
  await followDelivery(delivery, run, ports, (event) => {
    if (event.event === 'end') isSuccess = event.outcome === 'success'
    report(event)
  })
  return isSuccess
}
