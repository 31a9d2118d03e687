import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
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

/**
 * cloudflared prints the address of a quick tunnel on standard error before the tunnel works. Without a
 * network it prints the address of Cloudflare's API there.
 */
const ADDRESS = /https:\/\/(?!api\.)[a-z\d-]+\.trycloudflare\.com\b/

/**
 * Milliseconds. Ctrl-C reaches every program of a terminal in any order, so a tunnel that ends may be the
 * first sign that this process ends too.
 */
const SIGNAL_DELAY = 500

/** Milliseconds until the first restart; doubled after each failure up to the longest pause. */
const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 30_000

interface TunnelOptions {
  /** Address of the server on this machine. */
  readonly local: string
  readonly onChange: (change: TunnelChange) => void
  /** Ends the tunnel, or the wait for its address. */
  readonly signal: AbortSignal
  /** Calls back after so many milliseconds, unless it is cancelled. */
  readonly after: (milliseconds: number, back: () => void) => () => void
}

/**
 * Gives a server of this machine a public address by a quick tunnel of Cloudflare, which needs no account.
 * A tunnel that ends is opened again, with exponential back-off. After `close`, an abort or the end of this
 * process, no cloudflared is left, whether it has an address or not.
 *
 * @throws UserError if cloudflared is not installed, or prints no address; the reason of an abort
 */
export async function openTunnel({ signal, ...options }: TunnelOptions): Promise<Tunnel> {
  signal.throwIfAborted()
  const closing = new AbortController()
  const close = () => closing.abort(signal.reason)
  signal.addEventListener('abort', close)
  process.once('exit', close)
  const closable = { ...options, signal: closing.signal }
  const first = await startCloudflared(closable)
  void keepOpen(closable, first)
  return { url: first.url, close }
}

/** Opens the tunnel again whenever it ends, until the abort. Never rejects. */
async function keepOpen(options: TunnelOptions, first: Cloudflared): Promise<void> {
  const { onChange, signal, after } = options
  const sleep = (milliseconds: number) =>
    new Promise<void>((resolve) => void after(milliseconds, resolve))
  let { url, ended } = first
  let pause = FIRST_PAUSE
  for (;;) {
    await ended
    await sleep(SIGNAL_DELAY)
    if (signal.aborted) return
    onChange({ kind: 'ended', retryIn: pause })
    await sleep(pause)
    if (signal.aborted) return
    pause = Math.min(2 * pause, LONGEST_PAUSE)
    try {
      const next = await startCloudflared(options)
      onChange({ kind: 'open', url: next.url, isSame: next.url === url })
      url = next.url
      ended = next.ended
      pause = FIRST_PAUSE
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

/** @throws UserError if there is no address; the reason of the abort, which ends the process */
function startCloudflared({ local, signal, after }: TunnelOptions): Promise<Cloudflared> {
  const child = spawn('cloudflared', ['tunnel', '--no-autoupdate', '--url', local], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environmentFor(...PROXY_VARIABLES),
    signal,
  })
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
  })
  return new Promise((resolve, reject) => {
    const fail = (message: string, hint: string) => {
      stopWaiting()
      child.kill()
      reject(signal.aborted ? signal.reason : new UserError({ message, hint }))
    }
    const stopWaiting = after(ADDRESS_TIMEOUT, () =>
      fail(`cloudflared printed no address within ${ADDRESS_TIMEOUT / 1000} s`, NO_NETWORK),
    )
    createInterface({ input: child.stderr }).on('line', (line) => {
      const url = ADDRESS.exec(line)?.[0]
      if (url === undefined) return
      stopWaiting()
      resolve({ url, ended })
    })
    // Node emits "error" if the program cannot be started, and at the abort.
    child.on('error', () => fail('cloudflared is not installed', INSTALL_CLOUDFLARED))
    child.once('close', () => {
      after(SIGNAL_DELAY, () => fail('cloudflared ended without an address', NO_NETWORK))
    })
  })
}

const NO_NETWORK =
  'Check that this machine reaches the internet, and run the command again; or use --public-url.'

/** The command for the system that runs this process, where there is one. */
const INSTALL: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'Run: brew install cloudflared',
  win32: 'Run: winget install Cloudflare.cloudflared',
}

export const INSTALL_CLOUDFLARED =
  INSTALL[process.platform] ??
  'Install it: https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/downloads/'
