import { FACTS } from './lists/facts.ts'
import type { Sender } from './sender.ts'

/** In alphabetical order of titles. */
export const SENDERS: readonly Sender[] = Object.entries(FACTS)
  .map(([name, facts]) => ({ name, ...facts }))
  .sort((a, b) => a.title.localeCompare(b.title, 'en'))

/** A sender by its name; `_` is read as `-`, because the triggers of the same services have `_`. */
export function senderNamed(name: string): Sender | undefined {
  const hyphenated = name.replaceAll('_', '-')
  return SENDERS.find((sender) => sender.name === hyphenated)
}
