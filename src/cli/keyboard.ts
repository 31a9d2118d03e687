import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { environmentFor } from './programs.ts'

/**
 * Listens for single keys if stdin and stdout are a terminal in the foreground; otherwise, standard input
 * stays untouched.
 *
 * @param interrupt is called on Ctrl-C, because a terminal in raw mode sends no signal
 */
export function keysOnTerminal(keys: readonly KeyBinding[], interrupt: () => void): ListeningKeys {
  const { stdin, stdout } = process
  if (!stdin.isTTY || !stdout.isTTY || !inForeground()) return NO_KEYS
  return listenToKeys(keys, stdin, interrupt)
}

/** A key that does something while a server runs. */
export interface KeyBinding {
  /** One character. */
  readonly key: string
  /** The effect, in the form `quit`. */
  readonly does: string
  press(keys: ListeningKeys): void
}

/** The part of standard input that keys need. */
interface Keyboard {
  setRawMode(raw: boolean): unknown
  setEncoding(encoding: 'utf8'): unknown
  on(event: 'data', listener: (text: string) => void): unknown
  on(event: 'error', listener: () => void): unknown
  off(event: 'data', listener: (text: string) => void): unknown
  resume(): unknown
  pause(): unknown
}

interface ListeningKeys {
  /** The list of keys, empty without a terminal: `keys: r replay, q quit`. */
  readonly hint: string
  /** Restores the terminal. */
  stop(): void
  /** Listens again after `stop`. */
  start(): void
}

/** The keys of a process without a terminal. */
const NO_KEYS: ListeningKeys = { hint: '', stop: () => {}, start: () => {} }

const CTRL_C = '\u0003'

function listenToKeys(
  keys: readonly KeyBinding[],
  keyboard: Keyboard,
  interrupt: () => void,
): ListeningKeys {
  const actions = new Map(keys.map(({ key, press }) => [key, press]))
  const pressed = (text: string) => {
    // A pasted text, such as the secret of a sender, is longer than a key, and does nothing.
    if (text.includes(CTRL_C)) interrupt()
    else actions.get(text.toLowerCase())?.(listening)
  }
  // The server goes on without keys if the terminal is closed.
  keyboard.on('error', () => {})
  keyboard.setEncoding('utf8')
  const start = () => {
    keyboard.setRawMode(true)
    keyboard.on('data', pressed)
    keyboard.resume()
  }
  const stop = () => {
    keyboard.off('data', pressed)
    keyboard.setRawMode(false)
    keyboard.pause()
  }
  const hint = `keys: ${keys.map(({ key, does }) => `${key} ${does}`).join(', ')}`
  const listening = { hint, stop, start }
  start()
  return listening
}

/**
 * False for a background process (`hookline dev &`). The system would stop such a process when it reads
 * the keyboard.
 */
function inForeground(): boolean {
  if (process.platform === 'win32') return true
  if (process.platform === 'linux') {
    // proc_pid_stat(5): after the name in brackets come state, ppid, pgrp, session, tty_nr, tpgid.
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return group === foreground
  }
  // `ps` of macOS and the BSDs marks a foreground process with a plus.
  const { stdout, error } = spawnSync('ps', ['-o', 'stat=', '-p', String(process.pid)], {
    env: environmentFor(),
  })
  return error === undefined && stdout.includes('+')
}
