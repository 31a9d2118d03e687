import { join } from 'node:path'
import { steadyClock } from '../../relay/config.ts'
import { type DataFolder, dataFolder } from '../../relay/node/data-folder.ts'
import { hasSqlite } from '../../relay/node/sqlite.ts'
import { baseAddress } from '../../wire/address.ts'
import { UsageError, UserError } from '../../wire/errors.ts'
import { isObject } from '../../wire/json.ts'
import type { Secret } from '../../wire/secret.ts'
import { readSetting } from '../../wire/settings.ts'
import { conditionsOfTrigger, type EndpointClaims } from '../endpoint/conditions.ts'
import { checkedOwner, NO_CHECKS, storedEndpoint } from '../endpoint/named-endpoint.ts'
import { findRelay } from '../find-relay.ts'
import type { ForgeHere } from '../forge.ts'
import { type RelayClient, RelayRefusal } from '../relay-client.ts'
import { openTunnel, type Tunnel, type TunnelChange } from '../tunnel.ts'
import type { ConnectTarget } from './connect-target.ts'

/** How long a webhook URL stays the same. */
export type UrlLifetime =
  /** An endpoint at an address of the user. */
  | 'stays'
  /** An endpoint behind a quick tunnel, whose address is new at each start. */
  | 'ends with the tunnel'
  /** An endpoint of a relay that runs elsewhere. */
  | 'stays at the relay'

export interface PublicRelay {
  /** The webhook URL, with the credential. */
  readonly url: string
  /** The same URL on this machine. */
  readonly local: URL
  readonly lifetime: UrlLifetime
  /** The conditions of the trigger that only the workflow checks, with the reason: one line each. */
  readonly inWorkflow: readonly string[]
  close(): Promise<void>
}

interface PublicRelayOptions {
  /** Port of the relay on this machine; 0 for a free port. */
  readonly port: number
  /** An address that leads to the port; without it, a tunnel is opened. */
  readonly publicUrl: string | undefined
  readonly target: ConnectTarget
  readonly token: Secret
  readonly forge: ForgeHere
  /** The sender's secret of `--secret-env`. */
  readonly secret: Secret | undefined
  readonly onLog: (line: string) => void
  /** Reports a tunnel that ended, or the webhook URL of a new tunnel. */
  readonly onTunnel: (change: TunnelChange) => void
  /** Ends the tunnel, or the wait for its address. */
  readonly signal: AbortSignal
}

/**
 * @throws UserError if the port is in use, the state cannot be written, or no tunnel opens; the reason of
 *   an abort
 */
export async function openPublicRelay(options: PublicRelayOptions): Promise<PublicRelay> {
  const { target, publicUrl, secret, onTunnel, signal } = options
  requireSqlite()
  const isLasting = publicUrl !== undefined
  const use = isLasting ? 'endpoint' : 'tunneled endpoint'
  const { conditions, inWorkflow } = conditionsOfTrigger(target, secret?.reveal(), use)
  const relay = await startWithEndpoint(options, conditions)
  const onChange = (change: TunnelChange) =>
    onTunnel(change.kind === 'open' ? { ...change, url: relay.urlAt(change.url) } : change)
  let address: Tunnel
  try {
    signal.throwIfAborted()
    address = isLasting
      ? { url: publicUrl, close: () => {} }
      : await openTunnel({ local: relay.base, onChange, signal, after: steadyClock.after })
  } catch (error) {
    await relay.close()
    throw error
  }
  return {
    url: relay.urlAt(address.url),
    local: relay.local,
    lifetime: isLasting ? 'stays' : 'ends with the tunnel',
    inWorkflow,
    async close() {
      address.close()
      await relay.close()
    },
  }
}

/** A relay whose database has the trigger as an endpoint, from the start before if there was one. */
async function startWithEndpoint(
  { target, token, publicUrl, forge, port, onLog }: PublicRelayOptions,
  conditions: EndpointClaims | undefined,
) {
  const folder = connectFolder(target, forge)
  const { startRelay } = await import('../../relay/node/start.ts')
  const relay = await startRelay({
    host: '127.0.0.1',
    port,
    write: onLog,
    folder,
    // Nothing else of the environment changes the relay.
    env: {
      HOOKLINE_API_URL: baseAddress(forge.apiUrl),
      HOOKLINE_SERVER_URL: forge.webUrl,
      HOOKLINE_GITHUB_TOKEN: token.reveal(),
      ...(publicUrl !== undefined && { HOOKLINE_PUBLIC_URL: publicUrl }),
    },
  })
  try {
    const { repository, workflow, trigger, dispatch } = target
    const place = { name: 'connect', repository, workflow, trigger, dispatch }
    const client = await findRelay({ data: folder.path }, {})
    const { url } = await storedEndpoint(client, { ...place, ...NO_CHECKS, ...conditions })
    // The public address may change, and have a path of its own.
    const path = url.slice(url.indexOf('/-/')) + (target.example?.path ?? '')
    return {
      base: relay.url,
      /** The webhook URL at an address. */
      urlAt: (base: string) => base.replace(/\/+$/, '') + path,
      local: new URL(path, relay.url),
      close: relay.close,
    }
  } catch (error) {
    await relay.close()
    throw error
  }
}

/**
 * The data folder of the relay that `connect` starts for a trigger, so that the path of its webhook URL is the
 * same at the next start. Events that wait there are of one forge.
 */
export function connectFolder(
  { repository, workflow, trigger }: Pick<ConnectTarget, 'repository' | 'workflow' | 'trigger'>,
  { apiUrl: { host, pathname } }: Pick<ForgeHere, 'apiUrl'>,
): DataFolder {
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env
  const { path } = dataFolder({ env: { XDG_STATE_HOME, LOCALAPPDATA } })
  const address = host + pathname.replace(/(?:\/api\/v[13])?\/*$/, '')
  const forge = host === 'api.github.com' ? [] : [address.replace(/[^\w.-]+/g, '_')]
  const parts = [...forge, ...repository.toLowerCase().split('/'), `${workflow}.${trigger}`]
  return dataFolder({ data: join(path, 'connect', ...parts), env: {} })
}

/** @throws UsageError on a Node that has no database */
function requireSqlite(): void {
  if (hasSqlite()) return
  throw new UsageError({
    message: `connect needs Node 22.13 or newer, and this is Node ${process.versions.node}`,
    hint: 'Install a newer Node. Its database stores the endpoint and the events that wait.',
  })
}

interface AtRelayOptions {
  readonly client: RelayClient
  readonly target: ConnectTarget
  /** The sender's secret of `--secret-env`. */
  readonly secret: Secret | undefined
}

/**
 * Creates the endpoint of a trigger on a relay, with verification and dispatch mode of the workflow. The
 * endpoint of an earlier start gets the present settings, and keeps its URL.
 *
 * @returns with `name`, such as `octo/shop-orders`
 * @throws UserError if the relay refuses it
 */
export async function openAtRelay({
  client,
  target,
  secret,
}: AtRelayOptions): Promise<PublicRelay & { readonly name: string }> {
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
