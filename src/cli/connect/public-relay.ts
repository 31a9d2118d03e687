import type { FoundTrigger } from '../../engine/all-workflows.ts'
import { generateSigningKey } from '../../relay/credentials/grant.ts'
import { generateSealingKey } from '../../relay/credentials/seal.ts'
import { hasSqlite } from '../../relay/database/sqlite.ts'
import type { ReceivedEvent } from '../../relay/request/client-payload.ts'
import { baseAddress } from '../../wire/address.ts'
import { fieldsOf, listOf } from '../../wire/github-api.ts'
import { webhookUrl, withToken } from '../../wire/path.ts'
import { Secret } from '../../wire/secret.ts'
import type { ForgeHere } from '../forge.ts'
import type { GrantConditions } from '../grant/grant-conditions.ts'
import { conditionsOfTrigger } from '../grant/of-trigger.ts'
import { makeGrant } from '../grant.ts'
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
  /** A grant, because this Node has no database. */
  | 'ends with connect'

/** A relay of this process, with its public address. */
export interface PublicRelay {
  /** The webhook URL, with the credential. */
  readonly url: string
  /** The same URL on this machine, without a grant. */
  readonly local: URL
  /** The credential of `local`; `undefined` for an endpoint, whose URL is the credential. */
  readonly grant: Secret | undefined
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
  readonly grant: Secret | undefined
  close(): Promise<void>
}

/**
 * @throws UserError if the port is in use, the state cannot be written, or no tunnel opens; the reason of
 *   an abort
 */
export async function openPublicRelay(options: PublicRelayOptions): Promise<PublicRelay> {
  const { conditions: trigger, publicUrl, secret, onTunnel, signal } = options
  const isStored = hasSqlite()
  const isLasting = publicUrl !== undefined
  const use = !isStored ? 'grant' : isLasting ? 'endpoint' : 'tunneled endpoint'
  const { conditions, inWorkflow } = conditionsOfTrigger(trigger, secret?.reveal(), use)
  const start = isStored ? startWithEndpoint : startWithGrant
  const relay = await start(options, conditions)
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
    grant: relay.grant,
    lifetime: !isStored ? 'ends with connect' : isLasting ? 'stays' : 'ends with the tunnel',
    inWorkflow,
    async close() {
      address.close()
      await relay.close()
    },
  }
}

/** The settings that both kinds of relay have: nothing else of the environment changes them. */
function commonSettings({ token, target, publicUrl, forge }: PublicRelayOptions) {
  return {
    HOOKLINE_API_URL: baseAddress(forge.apiUrl),
    HOOKLINE_SERVER_URL: forge.webUrl,
    HOOKLINE_GITHUB_TOKEN: token.reveal(),
    HOOKLINE_DISPATCH: target.dispatch,
    ...(publicUrl !== undefined && { HOOKLINE_PUBLIC_URL: publicUrl }),
  }
}

/** A relay whose database has the trigger as an endpoint, from the start before if there was one. */
async function startWithEndpoint(
  options: PublicRelayOptions,
  conditions: GrantConditions | undefined,
): Promise<LocalRelay> {
  const { target, forge, port, onLog, onEvent } = options
  const { database, sealingKeys } = await openConnectState(target, forge)
  const key = new Secret(crypto.randomUUID() + crypto.randomUUID())
  const { startRelay } = await import('../../relay/http/node.ts')
  const relay = await startRelay({
    host: '127.0.0.1',
    port,
    write: onLog,
    onEvent,
    outbox: database,
    env: {
      ...commonSettings(options),
      HOOKLINE_SEALING_KEYS: sealingKeys,
      HOOKLINE_ADMIN_KEY: key.reveal(),
    },
  })
  try {
    const address = await storedAddress(new RelayClient(relay.url, key), target, conditions)
    const path = address + (target.example?.path ?? '')
    return {
      base: relay.url,
      urlAt: (base) => base.replace(/\/+$/, '') + path,
      local: new URL(path, relay.url),
      grant: undefined,
      close: relay.close,
    }
  } catch (error) {
    await relay.close()
    throw error
  }
}

const ENDPOINTS = '/-/endpoints'

/** The database is of one trigger. */
const ENDPOINT = 'connect'

/** Creates the endpoint, or gives the one of an earlier start the present settings. */
async function storedAddress(
  client: RelayClient,
  { repository, workflow, trigger, dispatch }: ConnectTarget,
  conditions: GrantConditions | undefined,
): Promise<string> {
  const settings = {
    repository,
    path: `${workflow}/${trigger}`,
    dispatch,
    if: null,
    ifError: null,
    verify: null,
    ...conditions?.claims,
  }
  const { endpoints } = fieldsOf({
    text: JSON.stringify(await client.ask({ method: 'GET', path: ENDPOINTS })),
  })
  const known = listOf(endpoints).find(({ name }) => name === ENDPOINT)
  const path = `${ENDPOINTS}/${ENDPOINT}`
  // The user deleted the keys: nobody can read the endpoint any more.
  if (known?.unreadable) await client.ask({ method: 'DELETE', path })
  if (known && !known.unreadable) await client.ask({ method: 'PATCH', path, body: settings })
  else {
    const body = { name: ENDPOINT, ...withoutNull(settings) }
    await client.ask({ method: 'POST', path: ENDPOINTS, body })
  }
  const shown = await client.ask({ method: 'GET', path, query: { url: 'true' } })
  return String(fieldsOf({ text: JSON.stringify(shown) }).address)
}

function withoutNull(settings: object): object {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null))
}

/** A relay without a database, for Node before 22.13: keys and grant end with it. */
async function startWithGrant(
  options: PublicRelayOptions,
  conditions: GrantConditions | undefined,
): Promise<LocalRelay> {
  const { target, port, onLog, onEvent } = options
  const { repository, workflow, trigger, dispatch } = target
  const keys = JSON.stringify({ keys: [(await generateSigningKey()).jwk] })
  const { publicJwk, privateJwk } = await generateSealingKey()
  const path = `${workflow}/${trigger}`
  const scope = { repository, path, dispatch, conditions, encryptionKey: publicJwk }
  const { text } = await makeGrant(scope, { HOOKLINE_SIGNING_KEYS: keys })
  const { startRelay } = await import('../../relay/http/node.ts')
  const relay = await startRelay({
    host: '127.0.0.1',
    port,
    write: onLog,
    onEvent,
    env: {
      ...commonSettings(options),
      HOOKLINE_SIGNING_KEYS: keys,
      HOOKLINE_SEALING_KEYS: JSON.stringify({ keys: [privateJwk] }),
    },
  })
  const suffix = target.example?.path ?? ''
  const addressAt = (address: string) =>
    webhookUrl({ relay: address, repository, workflow, trigger }) + suffix
  return {
    base: relay.url,
    urlAt: (address) => withToken(addressAt(address), text),
    local: new URL(addressAt(relay.url)),
    grant: new Secret(text),
    close: relay.close,
  }
}
