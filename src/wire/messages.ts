/**
 * `error`: a permanent fault, although the run continues. `warning`: the user should know, although
 * it is no error. `notice`: it may help to know.
 */
type MessageLevel = 'error' | 'warning' | 'notice'

/** A message about an event for the user. */
export interface Message {
  readonly level: MessageLevel
  /** The kind of message, for programs: `duplicate`. No code parses `text`. */
  readonly code: string
  /** For people; without payload or secrets. */
  readonly text: string
}

/** Ordered from worst to least. */
export const MESSAGE_LEVELS: readonly MessageLevel[] = ['error', 'warning', 'notice']

export function textsAtLevel(messages: readonly Message[], level: MessageLevel): string[] {
  return messages.filter((one) => one.level === level).map(({ text }) => text)
}

export function warning(code: string, text: string): Message {
  return { level: 'warning', code, text }
}

export function notice(code: string, text: string): Message {
  return { level: 'notice', code, text }
}
