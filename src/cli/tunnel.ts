import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../wire/errors.ts'
import { environmentFor, PROXY_VARIABLES } from './programs.ts'

export interface Tunnel {
  /** `https://….trycloudflare.com` */
  readonly url: string
  /** Resolves when it ends by itself: not where this process was told to end, as by Ctrl-C. */
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
  const ended = endOf(child)
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

/** Milliseconds in which the signal that ended the tunnel gets to this process as well. */
const SIGNALLED_WITHIN = 500

/** Ctrl-C reaches all programs of a terminal, in any order. */
async function endOf(child: ChildProcess): Promise<void> {
  let isTold = false
  const told = () => {
    isTold = true
  }
  process.once('SIGINT', told).once('SIGTERM', told).once('SIGHUP', told)
  await once(child, 'close')
  await sleep(SIGNALLED_WITHIN)
  if (isTold) await new Promise(() => {})
}

const INSTALL =
  'macOS: brew install cloudflared; Windows: winget install Cloudflare.cloudflared; Linux: see https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/downloads/'
