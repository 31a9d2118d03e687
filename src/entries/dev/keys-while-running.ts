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
  on(event: 'error', listener: () => void): unknown
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
