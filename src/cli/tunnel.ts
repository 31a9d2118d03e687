import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { DEFAULT_GLOB, expressionContexts } from '../action/inputs.ts'
import { curlLine } from '../inspector/curl.ts'
import { foundTriggers, readAllWorkflows } from '../inspector/local-engine.ts'
import { UserError } from '../wire/errors.ts'
import { webhookUrl } from '../wire/path.ts'
import { originRepository } from './files.ts'

interface Tunnel {
  /** `https://….trycloudflare.com` */
  readonly url: string
  /** Resolves when it ends, whoever ended it. */
  readonly ended: Promise<void>
  close(): void
}

/** Milliseconds until Cloudflare must have given an address. */
const PATIENCE = 30_000

/** Where a quick tunnel can be reached: the last line that it prints before it serves. */
const ADDRESS = /https:\/\/[a-z\d-]+\.trycloudflare\.com\b/

/**
 * Gives a server of this machine a public address, by Cloudflare's quick tunnels: no account needed.
 *
 * @throws UserError when cloudflared is not installed, or gets no address
 */
export function openTunnel(local: string): Promise<Tunnel> {
  const child = spawn('cloudflared', ['tunnel', '--no-autoupdate', '--url', local], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const close = () => void child.kill()
  return new Promise((resolve, reject) => {
    const fail = (message: string, hint: string) => {
      clearTimeout(timer)
      close()
      reject(new UserError({ message, hint }))
    }
    const network = 'see that this machine reaches the internet, and try again'
    const timer = setTimeout(() => fail('cloudflared gave no address', network), PATIENCE)
    createInterface({ input: child.stderr }).on('line', (line) => {
      const [url] = ADDRESS.exec(line) ?? []
      if (!url) return
      clearTimeout(timer)
      resolve({ url, ended, close })
    })
    child.once('error', () => fail('cloudflared is not installed', INSTALL))
    child.once('close', () => fail('cloudflared ended without an address', network))
  })
}

const INSTALL =
  'macOS: brew install cloudflared; Windows: winget install Cloudflare.cloudflared; Linux: see https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/downloads/'

/** The webhook URL at a public address, and a line that fires it; of the first workflow found here. */
export async function publicUrl(
  relay: string,
  repository: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const { devWorkflowSource } = await import('./dev.ts')
  const contexts = expressionContexts(env, {}, { secrets: {}, vars: {} })
  const source = devWorkflowSource({ root: process.cwd(), globs: [DEFAULT_GLOB], contexts })
  const [first] = foundTriggers('', readAllWorkflows(() => source).found)
  const { workflow, trigger } = first ?? { workflow: 'hook', trigger: 'webhook' }
  const place = repository === undefined ? originRepository() || 'owner/name' : undefined
  const url = webhookUrl({ relay, repository: place, workflow, trigger })
  // A relay with a token of its own is brought one of its keys.
  const token = env.HOOKLINE_KEYS ? '\u0024{HOOKLINE_KEYS%%[, ]*}' : '$HOOKLINE_TOKEN'
  const headers = {
    'X-Platform-Authorization': `Bearer ${token}`,
    'Content-Type': 'application/json',
  }
  const call = { method: 'POST', url, headers, body: '{"hello":"world"}', variables: [token] }
  return [`public address: ${relay}`, `webhook URL:    ${url}`, `try it:         ${curlLine(call)}`]
}
