import type { FoundTrigger } from '../../engine/all-workflows.ts'
import { hasSqlite } from '../../relay/node/sqlite.ts'
import { adminBearer } from '../../relay/store/relay-key.ts'
import type { ReceivedEvent } from '../../relay/github/payload.ts'
import { baseAddress } from '../../wire/address.ts'
import { UsageError } from '../../wire/errors.ts'
import type { Secret } from '../../wire/secret.ts'
import type { EndpointConditions } from '../endpoint/conditions.ts'
import { conditionsOfTrigger } from '../endpoint/conditions-of-trigger.ts'
import { storedEndpoint } from '../endpoint/stored-endpoint.ts'
import type { ForgeHere } from '../forge.ts'
import { RelayClient } from '../relay-client.ts'
import { openTunnel, type Tunnel, type TunnelChange } from '../tunnel.ts'
import { openConnectState } from './connect-state.ts'
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
  /** The trigger with the secrets of the environment. */
  readonly conditions: FoundTrigger
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

/** A relay with its one webhook URL. */
interface LocalRelay {
  readonly base: string
  /** The webhook URL at an address. */
  urlAt(address: string): string
  readonly local: URL
  close(): Promise<void>
}

/**
 * @throws UserError if the port is in use, the state cannot be written, or no tunnel opens; the reason of
 *   an abort
 */
export async function openPublicRelay(options: PublicRelayOptions): Promise<PublicRelay> {
  const { conditions: trigger, publicUrl, secret, onTunnel, signal } = options
  requireSqlite()
  const isLasting = publicUrl !== undefined
  const use = isLasting ? 'endpoint' : 'tunneled endpoint'
  const { conditions, inWorkflow } = conditionsOfTrigger(trigger, secret?.reveal(), use)
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

/** The settings of the relay: nothing else of the environment changes them. */
function commonSettings({ token, publicUrl, forge }: PublicRelayOptions) {
  return {
    HOOKLINE_API_URL: baseAddress(forge.apiUrl),
    HOOKLINE_SERVER_URL: forge.webUrl,
    HOOKLINE_GITHUB_TOKEN: token.reveal(),
    ...(publicUrl !== undefined && { HOOKLINE_PUBLIC_URL: publicUrl }),
  }
}

/** A relay whose database has the trigger as an endpoint, from the start before if there was one. */
async function startWithEndpoint(
  options: PublicRelayOptions,
  conditions: EndpointConditions | undefined,
): Promise<LocalRelay> {
  const { target, forge, port, onLog, onEvent } = options
  const { folder, relayKey } = await openConnectState(target, forge)
  const key = await adminBearer(relayKey, 'relay key')
  const { startRelay } = await import('../../relay/node/start.ts')
  const relay = await startRelay({
    host: '127.0.0.1',
    port,
    write: onLog,
    onEvent,
    folder,
    env: { ...commonSettings(options), HOOKLINE_RELAY_KEY: relayKey.reveal() },
  })
  try {
    const access = { bearer: key, source: folder.key, isToken: false }
    const client = new RelayClient(new URL(relay.url), access)
    const { url } = await storedEndpoint(client, connectEndpoint(target, conditions))
    // The public address may change, and have a path of its own.
    const path = url.slice(url.indexOf('/-/')) + (target.example?.path ?? '')
    return {
      base: relay.url,
      urlAt: (base) => base.replace(/\/+$/, '') + path,
      local: new URL(path, relay.url),
      close: relay.close,
    }
  } catch (error) {
    await relay.close()
    throw error
  }
}

/** The endpoint of a trigger; the database has no other. */
function connectEndpoint(
  { repository, workflow, trigger, dispatch }: ConnectTarget,
  conditions: EndpointConditions | undefined,
) {
  const target = { name: 'connect', repository, workflow, trigger, dispatch }
  return { ...target, if: null, ifError: null, verify: null, ...conditions?.claims }
}

/** @throws UsageError on a Node that has no database */
function requireSqlite(): void {
  if (hasSqlite()) return
  throw new UsageError({
    message: `connect needs Node 22.13 or newer, and this is Node ${process.versions.node}`,
    hint: 'Install a newer Node. Its database stores the endpoint and the events that wait.',
  })
}
