import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { UserError } from '../wire/errors.ts'
import { environmentFor, PROXY_VARIABLES } from './programs.ts'

export interface Tunnel {
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
    env: environmentFor(...PROXY_VARIABLES),
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
