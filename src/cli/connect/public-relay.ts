import type { FoundTrigger } from '../../engine/all-workflows.ts'
import { generateSigningKey } from '../../relay/credentials/grant.ts'
import { generateSealingKey } from '../../relay/credentials/seal.ts'
import { baseAddress } from '../../wire/address.ts'
import { webhookUrl, withToken } from '../../wire/path.ts'
import { Secret } from '../../wire/secret.ts'
import { readSetting } from '../../wire/settings.ts'
import { conditionsOfTrigger } from '../grant/of-trigger.ts'
import { makeGrant } from '../grant.ts'
import { openTunnel, type TunnelChange } from '../tunnel.ts'
import type { ConnectTarget } from './connect-target.ts'

/** A relay of this process, with its public address. */
export interface PublicRelay {
  /** The webhook URL, with the grant. */
  readonly url: string
  /** The same URL on this machine, without a credential. */
  readonly local: URL
  readonly grant: Secret
  /** The expression by which the relay filters events; `undefined` without a filter. */
  readonly filter: string | undefined
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
  /** The sender's secret of `--secret-env`. */
  readonly secret: Secret | undefined
  readonly onLog: (line: string) => void
  /** Reports a tunnel that ended, or the webhook URL of a new tunnel. */
  readonly onTunnel: (change: TunnelChange) => void
}

/** @throws UserError if the port is in use, or no tunnel opens */
export async function openPublicRelay({
  target,
  conditions: trigger,
  token,
  port,
  publicUrl,
  secret,
  onLog,
  onTunnel,
}: PublicRelayOptions): Promise<PublicRelay> {
  const { repository, workflow, dispatch } = target
  const keys = JSON.stringify({ keys: [(await generateSigningKey()).jwk] })
  const { publicJwk, privateJwk } = await generateSealingKey()
  const { conditions, inWorkflow } = conditionsOfTrigger(trigger, secret?.reveal())
  const scope = {
    repository,
    path: `${workflow}/${target.trigger}`,
    dispatch,
    conditions,
    encryptionKey: publicJwk,
  }
  const { text } = await makeGrant(scope, { HOOKLINE_SIGNING_KEYS: keys })
  const { startRelay } = await import('../../relay/http/node.ts')
  const relay = await startRelay({
    host: '127.0.0.1',
    port,
    write: onLog,
    env: {
      HOOKLINE_API_URL: baseAddress(readSetting(process.env, 'HOOKLINE_API_URL')),
      HOOKLINE_SERVER_URL: baseAddress(readSetting(process.env, 'HOOKLINE_SERVER_URL')),
      HOOKLINE_GITHUB_TOKEN: token.reveal(),
      HOOKLINE_SIGNING_KEYS: keys,
      HOOKLINE_DISPATCH: dispatch,
      HOOKLINE_SEALING_KEYS: JSON.stringify({ keys: [privateJwk] }),
    },
  })
  const suffix = target.example?.path ?? ''
  const addressAt = (address: string) =>
    webhookUrl({ relay: address, repository, workflow, trigger: target.trigger }) + suffix
  const urlAt = (address: string) => withToken(addressAt(address), text)
  const closeTunnel = { close: () => {} }
  let address = publicUrl
  if (address === undefined) {
    try {
      const tunnel = await openTunnel(relay.url, (change) =>
        onTunnel(change.kind === 'open' ? { ...change, url: urlAt(change.url) } : change),
      )
      process.once('exit', tunnel.close)
      closeTunnel.close = tunnel.close
      address = tunnel.url
    } catch (error) {
      await relay.close()
      throw error
    }
  }
  const { if: filter } = conditions?.shown ?? {}
  return {
    url: urlAt(address),
    local: new URL(addressAt(relay.url)),
    grant: new Secret(text),
    filter: typeof filter === 'string' ? filter : undefined,
    inWorkflow,
    async close() {
      closeTunnel.close()
      await relay.close()
    },
  }
}
