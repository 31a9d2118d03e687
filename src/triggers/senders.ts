import { FACTS } from './lists/facts.ts'
import type { Sender } from './sender.ts'

/** In alphabetical order of their titles. */
export const SENDERS: readonly Sender[] = Object.entries(FACTS)
  .map(([name, facts]) => ({ name, ...facts }))
  .sort((a, b) => a.title.localeCompare(b.title, 'en'))

export function senderNamed(name: string): Sender | undefined {
  return SENDERS.find((sender) => sender.name === name)
}
