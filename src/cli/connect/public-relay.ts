import type { ReceivedEvent } from '../../relay/github/payload.ts'
import { hasSqlite } from '../../relay/node/sqlite.ts'
import { baseAddress } from '../../wire/address.ts'
import { UsageError } from '../../wire/errors.ts'
import type { Secret } from '../../wire/secret.ts'
import type { EndpointClaims } from '../endpoint/conditions.ts'
import { conditionsOfTrigger } from '../endpoint/conditions-of-trigger.ts'
import { NO_CHECKS, storedEndpoint } from '../endpoint/named-endpoint.ts'
import { findRelay } from '../find-relay.ts'
import type { ForgeHere } from '../forge.ts'
import { openTunnel, type Tunnel, type TunnelChange } from '../tunnel.ts'
import { connectFolder } from './connect-state.ts'
import type { ConnectTarget } from './connect-target.ts'

/** How long a webhook URL stays the same. */
export type UrlLifetime =
  /** An endpoint at an address of the user. */
  | 'stays'
  /** An endpoint behind a quick tunnel, whose address is new at each start. */
  | 'ends with the tunnel'
  /** An endpoint of a relay that runs elsewhere. */
  | 'stays at the relay'

/** A relay of this process, with its public address. */
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
  /** Receives each event before the line of the log about it. */
  readonly onEvent: (event: ReceivedEvent) => void
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
      : await openTunnel(relay.base, onChange, signal)
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
  { target, token, publicUrl, forge, port, onLog, onEvent }: PublicRelayOptions,
  conditions: EndpointClaims | undefined,
) {
  const folder = connectFolder(target, forge)
  const { startRelay } = await import('../../relay/node/start.ts')
  const relay = await startRelay({
    host: '127.0.0.1',
    port,
    write: onLog,
    onEvent,
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

/** @throws UsageError on a Node that has no database */
function requireSqlite(): void {
  if (hasSqlite()) return
  throw new UsageError({
    message: `connect needs Node 22.13 or newer, and this is Node ${process.versions.node}`,
    hint: 'Install a newer Node. Its database stores the endpoint and the events that wait.',
  })
}
