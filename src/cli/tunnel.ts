import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../wire/errors.ts'
import { environmentFor, PROXY_VARIABLES } from './programs.ts'

/** A public address that leads to a server of this machine. */
export interface Tunnel {
  /** `https://….trycloudflare.com`. A restarted tunnel has another address, which `onChange` reports. */
  readonly url: string
  close(): void
}

/** The tunnel ended and is opened again. */
export type TunnelChange =
  | { readonly kind: 'ended' /** Milliseconds until the next attempt. */; readonly retryIn: number }
  | { readonly kind: 'open'; readonly url: string }

/** Milliseconds in which cloudflared must print an address. */
const ADDRESS_TIMEOUT = 30_000

/** cloudflared prints the address of a quick tunnel on standard error before the tunnel works. */
const ADDRESS = /https:\/\/[a-z\d-]+\.trycloudflare\.com\b/

/**
 * Milliseconds. Ctrl-C reaches every program of a terminal in any order, so a tunnel that ends may be the
 * first sign that this process ends too.
 */
const SIGNAL_DELAY = 500

/** Milliseconds until the first restart; doubled after each failure up to the longest pause. */
const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 30_000

/**
 * Gives a server of this machine a public address by a quick tunnel of Cloudflare, which needs no account.
 * A tunnel that ends is opened again, with exponential back-off, until `close`.
 *
 * @throws UserError if cloudflared is not installed, or prints no address
 */
export async function openTunnel(
  local: string,
  onChange: (change: TunnelChange) => void,
): Promise<Tunnel> {
  let isClosed = false
  let current = await startCloudflared(local)
  const keepOpen = async () => {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      await current.ended
      await sleep(SIGNAL_DELAY)
      if (isClosed) return
      onChange({ kind: 'ended', retryIn: pause })
      await sleep(pause, undefined, { ref: false })
      if (isClosed) return
      try {
        current = await startCloudflared(local)
      } catch {
        continue // The next message names the longer pause.
      }
      if (isClosed) return current.close()
      onChange({ kind: 'open', url: current.url })
      pause = FIRST_PAUSE / 2
    }
  }
  void keepOpen()
  return {
    url: current.url,
    close() {
      isClosed = true
      current.close()
    },
  }
}

/** A running cloudflared with its address. */
interface Cloudflared {
  readonly url: string
  /** Resolves when the process has ended. Never rejects. */
  readonly ended: Promise<void>
  close(): void
}

function startCloudflared(local: string): Promise<Cloudflared> {
  const child = spawn('cloudflared', ['tunnel', '--no-autoupdate', '--url', local], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environmentFor(...PROXY_VARIABLES),
  })
  // `error` means that the program could not be started; `close` does not always follow it.
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve()).once('error', () => resolve())
  })
  const close = () => void child.kill()
  return new Promise((resolve, reject) => {
    const fail = (message: string, hint: string) => {
      clearTimeout(timer)
      close()
      reject(new UserError({ message, hint }))
    }
    const timer = setTimeout(
      () => fail(`cloudflared printed no address within ${ADDRESS_TIMEOUT / 1000} s`, NO_NETWORK),
      ADDRESS_TIMEOUT,
    )
    createInterface({ input: child.stderr }).on('line', (line) => {
      const [url] = ADDRESS.exec(line) ?? []
      if (!url) return
      clearTimeout(timer)
      resolve({ url, ended, close })
    })
    child.once('error', () => fail('cloudflared is not installed', INSTALL_CLOUDFLARED))
    child.once('close', () => fail('cloudflared ended without an address', NO_NETWORK))
  })
}

const NO_NETWORK =
  'Check that this machine reaches the internet, and run the command again; or use --public-url.'

export const INSTALL_CLOUDFLARED = installHint()

/** The command for the system that runs this process. */
function installHint(): string {
  if (process.platform === 'darwin') return 'Run: brew install cloudflared'
  if (process.platform === 'win32') return 'Run: winget install Cloudflare.cloudflared'
  return 'Install it: https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/downloads/'
}
