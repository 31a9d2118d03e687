import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { DevServer } from '../inspector/dev-server.ts'
import { environmentFor } from './programs.ts'
import { styled } from './terminal.ts'

interface Running {
  readonly server: Pick<DevServer, 'replayNewest'>
  quit(): void
  readonly report: (error: unknown) => void
}

/** The keys of `hookline dev`. */
export function devKeys({ server, quit, report }: Running): ListeningKeys {
  // What was sent again is told as every request is; here, that nothing was.
  const replay = () =>
    void server.replayNewest().then((reply) => {
      if (reply === undefined) say('nothing to replay: no request has come yet')
      else if (reply.status >= 400) say(`not replayed: answered ${reply.status}`)
    }, report)
  const keys = [
    { key: 'r', does: 'replay the last request', press: replay },
    { key: 'q', does: 'quit', press: quit },
  ]
  return keysOnTerminal(keys, quit)
}

/** Keys where a person sits at both ends of the process; else none. */
export function keysOnTerminal(keys: readonly Key[], interrupt: () => void): ListeningKeys {
  const { stdin, stdout } = process
  if (!stdin.isTTY || !stdout.isTTY || !inForeground()) return NO_KEYS
  return listenToKeys(keys, stdin, interrupt)
}

function say(text: string): void {
  process.stdout.write(`${styled(process.stdout, 'dim', text)}\n`)
}

/** A key that does something while a server runs. */
interface Key {
  /** One character. */
  readonly key: string
  /** In the form `quit`. */
  readonly does: string
  press(): void
}

/** What of standard input matters here. */
export interface Keyboard {
  readonly isTTY?: boolean
  setRawMode?(raw: boolean): unknown
  setEncoding(encoding: 'utf8'): unknown
  on(event: 'data', listener: (text: string) => void): unknown
  on(event: 'error', listener: () => void): unknown
  off(event: 'data', listener: (text: string) => void): unknown
  resume(): unknown
  pause(): unknown
}

interface ListeningKeys {
  /** What to tell the person; empty where there is no terminal: `keys: r replay, q quit`. */
  readonly hint: string
  /** Gives the terminal back. */
  stop(): void
}

/** Where there is no terminal. */
export const NO_KEYS: ListeningKeys = { hint: '', stop: () => {} }

const CTRL_C = '\u0003'

/**
 * Listens for single keys on a terminal; elsewhere does nothing, so that standard input stays free.
 * A terminal that hands on single keys sends no signal for Ctrl-C: that is `interrupt`.
 */
export function listenToKeys(
  keys: readonly Key[],
  keyboard: Keyboard,
  interrupt: () => void,
): ListeningKeys {
  if (!keyboard.isTTY) return NO_KEYS
  const actions = new Map(keys.map(({ key, press }) => [key, press]))
  const pressed = (text: string) => {
    for (const key of text) {
      if (key === CTRL_C) interrupt()
      else actions.get(key.toLowerCase())?.()
    }
  }
  keyboard.setRawMode?.(true)
  keyboard.setEncoding('utf8')
  keyboard.on('data', pressed)
  // A terminal that was closed cannot be read; what runs goes on without keys.
  keyboard.on('error', () => {})
  keyboard.resume()
  const stop = () => {
    keyboard.off('data', pressed)
    keyboard.setRawMode?.(false)
    keyboard.pause()
  }
  return { hint: `keys: ${keys.map(({ key, does }) => `${key} ${does}`).join(', ')}`, stop }
}

/**
 * False for a process that a shell was told to run in the background (`hookline dev &`): the system
 * would stop it at its first look at the keyboard, and the keys belong to the shell.
 */
function inForeground(): boolean {
  if (process.platform === 'win32') return true
  if (process.platform === 'linux') {
    // proc_pid_stat(5): after the name in brackets come state, ppid, pgrp, session, tty_nr, tpgid.
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return group === foreground
  }
  // `ps` of macOS and the BSDs marks what is in the foreground with a plus.
  const { stdout, error } = spawnSync('ps', ['-o', 'stat=', '-p', String(process.pid)], {
    env: environmentFor(),
  })
  return error === undefined && stdout.includes('+')
}
