import type { FoundTrigger } from '../../engine/all-workflows.ts'
import { generateSigningKey } from '../../relay/credentials/grant.ts'
import { generateSealingKey } from '../../relay/credentials/seal.ts'
import type { RunningServer } from '../../relay/http/node-server.ts'
import type { Sender } from '../../triggers/sender.ts'
import { SENDERS } from '../../triggers/senders.ts'
import { baseOf } from '../../wire/address.ts'
import { webhookUrl, withToken } from '../../wire/path.ts'
import { Secret } from '../../wire/secret.ts'
import { readSetting } from '../../wire/settings.ts'
import { conditionsOfTrigger } from '../grant/of-trigger.ts'
import { makeGrant } from '../grant.ts'
import { openTunnel, type Tunnel } from '../tunnel.ts'
import { triggersToAsk } from '../workflows-here.ts'
import type { ConnectTarget } from './target.ts'

/** A relay of this process, with its public address. */
export interface Line {
  /** The webhook URL, with the grant. */
  readonly url: string
  /** The same as it is called from this machine, without a credential. */
  readonly local: URL
  readonly grant: Secret
  /** What the trigger's file asks, and the relay leaves to the workflow. */
  readonly left: readonly string[]
  readonly ended: Promise<unknown>
  close(): Promise<void>
}

interface LineOptions {
  /** Of the relay on this machine; 0 takes a free one. */
  readonly port: number
  /** Leads to that port; a tunnel is opened where it is left out. */
  readonly publicUrl: string | undefined
  readonly target: ConnectTarget
  /** What its file asks of a request. */
  readonly asked: FoundTrigger
  readonly token: Secret
  /** The sender's, of `--secret-env`. */
  readonly secret: Secret | undefined
}

/** What the file of a trigger asks of a request, as far as its secrets are known here. */
export function askedBy(target: ConnectTarget): FoundTrigger {
  const { workflow, trigger } = target
  const found = triggersToAsk(process.env).find(
    (each) => each.workflow === workflow && each.trigger === trigger,
  )
  return found ?? { ...target, proofs: [], filter: undefined }
}

/** Who signs so, where only one does. */
export function senderOf(proofs: FoundTrigger['proofs']): Sender | undefined {
  const [found, ...others] = SENDERS.filter(({ name, scheme = name }) =>
    proofs.some((proof) => proof.scheme === scheme),
  )
  return others.length === 0 ? found : undefined
}

/** @throws UserError where the port is taken, or there is no tunnel */
export async function openLine(
  { target, asked, token, port, publicUrl, secret }: LineOptions,
  write: (line: string) => void,
): Promise<Line> {
  const { repository, workflow, trigger, dispatch } = target
  const keys = JSON.stringify({ keys: [(await generateSigningKey()).jwk] })
  const path = `${workflow}/${trigger}`
  const { publicJwk, privateJwk } = await generateSealingKey()
  const { conditions, inWorkflow: left } = conditionsOfTrigger(asked, secret?.reveal())
  const scope = { repository, path, dispatch, conditions, encryptionKey: publicJwk }
  const { text } = await makeGrant(scope, { HOOKLINE_SIGNING_KEYS: keys })
  const { startRelay } = await import('../../relay/http/node.ts')
  const relay = await startRelay({
    ...{ host: '127.0.0.1', port, write },
    env: {
      HOOKLINE_API_URL: baseOf(readSetting(process.env, 'HOOKLINE_API_URL')),
      HOOKLINE_SERVER_URL: baseOf(readSetting(process.env, 'HOOKLINE_SERVER_URL')),
      ...{
        HOOKLINE_GITHUB_TOKEN: token.reveal(),
        HOOKLINE_SIGNING_KEYS: keys,
        HOOKLINE_DISPATCH: dispatch,
      },
      HOOKLINE_SEALING_KEYS: JSON.stringify({ keys: [privateJwk] }),
    },
  })
  const tunnel = await addressOf(relay, publicUrl)
  const address = { repository, workflow, trigger }
  const suffix = target.example?.path ?? ''
  return {
    url: withToken(webhookUrl({ relay: tunnel.url, ...address }) + suffix, text),
    local: new URL(webhookUrl({ relay: relay.url, ...address }) + suffix),
    grant: new Secret(text),
    left,
    ended: tunnel.ended,
    async close() {
      tunnel.close()
      await relay.close()
    },
  }
}

/** The tunnel; or, where an address leads here already, that one, which never ends. */
async function addressOf(relay: RunningServer, publicUrl: string | undefined): Promise<Tunnel> {
  if (publicUrl !== undefined) {
    return { url: publicUrl, ended: new Promise(() => {}), close: () => {} }
  }
  try {
    const tunnel = await openTunnel(relay.url)
    process.once('exit', tunnel.close)
    return tunnel
  } catch (error) {
    await relay.close()
    throw error
  }
}
