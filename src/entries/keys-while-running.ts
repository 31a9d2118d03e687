/** A key that does something while a server runs. */
export interface Key {
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
  off(event: 'data', listener: (text: string) => void): unknown
  resume(): unknown
  pause(): unknown
}

export interface ListeningKeys {
  /** What to tell the person; empty where there is no terminal: `keys: r replay, q quit`. */
  readonly hint: string
  /** Gives the terminal back. */
  stop(): void
}

const CTRL_C = '\u0003'

/**
 * Listens for single keys on a terminal; elsewhere does nothing, so that standard input stays free.
 * A terminal that hands on single keys sends no signal for Ctrl-C: it is sent here.
 */
export function listenToKeys(
  keys: readonly Key[],
  keyboard: Keyboard = process.stdin,
  interrupt: () => void = () => process.kill(process.pid, 'SIGINT'),
): ListeningKeys {
  if (!keyboard.isTTY) return { hint: '', stop: () => {} }
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
  keyboard.resume()
  const stop = () => {
    keyboard.off('data', pressed)
    keyboard.setRawMode?.(false)
    keyboard.pause()
  }
  return { hint: `keys: ${keys.map(({ key, does }) => `${key} ${does}`).join(', ')}`, stop }
}
