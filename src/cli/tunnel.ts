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
  | { readonly kind: 'open'; readonly url: string; readonly isSame: boolean }

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
 * A tunnel that ends is opened again, with exponential back-off. After `close`, an abort or the end of this
 * process, no cloudflared is left, whether it has an address or not.
 *
 * @throws UserError if cloudflared is not installed, or prints no address; the reason of an abort
 */
export async function openTunnel(
  local: string,
  onChange: (change: TunnelChange) => void,
  signal: AbortSignal,
): Promise<Tunnel> {
  signal.throwIfAborted()
  const closing = new AbortController()
  const close = () => closing.abort(signal.reason)
  signal.addEventListener('abort', close, { once: true })
  process.once('exit', close)
  try {
    const first = await startCloudflared(local, closing.signal)
    void keepOpen(local, first, onChange, closing.signal)
    return { url: first.url, close }
  } catch (error) {
    close()
    throw error
  }
}

/** Opens the tunnel again whenever it ends, until the abort. Never rejects. */
async function keepOpen(
  local: string,
  first: Cloudflared,
  onChange: (change: TunnelChange) => void,
  signal: AbortSignal,
): Promise<void> {
  let { url, ended } = first
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    await ended
    await sleep(SIGNAL_DELAY)
    if (signal.aborted) return
    onChange({ kind: 'ended', retryIn: pause })
    await sleep(pause, undefined, { ref: false })
    if (signal.aborted) return
    try {
      const next = await startCloudflared(local, signal)
      onChange({ kind: 'open', url: next.url, isSame: next.url === url })
      url = next.url
      ended = next.ended
      pause = FIRST_PAUSE / 2
    } catch {
      // The next message names the longer pause.
    }
  }
}

/** A running cloudflared with its address. */
interface Cloudflared {
  readonly url: string
  /** Resolves when the process has ended. Never rejects. */
  readonly ended: Promise<void>
}

/**
 * @param signal kills the process
 * @throws UserError if there is no address; the reason of the abort
 */
function startCloudflared(local: string, signal: AbortSignal): Promise<Cloudflared> {
  const child = spawn('cloudflared', ['tunnel', '--no-autoupdate', '--url', local], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environmentFor(...PROXY_VARIABLES),
    signal,
  })
  // `error` means that the program was not started, or the abort; `close` does not always follow it.
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve()).once('error', () => resolve())
  })
  return new Promise((resolve, reject) => {
    const fail = (message: string, hint: string) => {
      clearTimeout(timer)
      child.kill()
      reject(signal.aborted ? signal.reason : new UserError({ message, hint }))
    }
    const timer = setTimeout(
      () => fail(`cloudflared printed no address within ${ADDRESS_TIMEOUT / 1000} s`, NO_NETWORK),
      ADDRESS_TIMEOUT,
    )
    createInterface({ input: child.stderr }).on('line', (line) => {
      const [url] = ADDRESS.exec(line) ?? []
      if (!url) return
      clearTimeout(timer)
      resolve({ url, ended })
    })
    child.once('error', () => fail('cloudflared is not installed', INSTALL_CLOUDFLARED))
    child.once('close', async () => {
      await sleep(SIGNAL_DELAY)
      fail('cloudflared ended without an address', NO_NETWORK)
    })
  })
}

const NO_NETWORK =
  'Check that this machine reaches the internet, and run the command again; or use --public-url.'

export const INSTALL_CLOUDFLARED = installHint()

function installHint(): string {
  if (process.platform === 'darwin') return 'Run: brew install cloudflared'
  if (process.platform === 'win32') return 'Run: winget install Cloudflare.cloudflared'
  return 'Install it: https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/downloads/'
}
