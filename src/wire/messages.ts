/**
 * How much a message matters: what went wrong for good though the run goes on; what the user should
 * hear of though it is no error; what may be good to know.
 */
export type MessageLevel = 'error' | 'warning' | 'notice'

/** What Hookline tells its user of an event. */
export interface Message {
  readonly level: MessageLevel
  /** Which message it is, for programs: `duplicate`. No code reads the text. */
  readonly code: string
  /** For people, without payload text or a secret. */
  readonly text: string
}

/** The worst first. */
export const MESSAGE_LEVELS: readonly MessageLevel[] = ['error', 'warning', 'notice']

export function textsOf(messages: readonly Message[], level: MessageLevel): string[] {
  return messages.filter((one) => one.level === level).map(({ text }) => text)
}

export function warning(code: string, text: string): Message {
  return { level: 'warning', code, text }
}

export function notice(code: string, text: string): Message {
  return { level: 'notice', code, text }
}
