import * as files from './lists/senders.ts'
import { bySenderName, type Sender, type SenderFile } from './sender.ts'

export const SENDER_FILES: Readonly<Record<string, SenderFile>> = bySenderName<SenderFile>(files)

/** In alphabetical order of titles. */
export const SENDERS: readonly Sender[] = Object.entries(SENDER_FILES)
  .map(([name, file]) => ({ name, ...file.facts, handshake: handshakeOf(file) }))
  .sort((a, b) => (a.title.toLowerCase() < b.title.toLowerCase() ? -1 : 1))

function handshakeOf({ facts, handshake, signedResponses }: SenderFile): Sender['handshake'] {
  if (signedResponses) return 'endpoint'
  if (handshake) return handshake.isEvent ? 'both' : 'relay'
  return facts.handshake
}

/** A sender by its name; `_` is read as `-`, because the triggers of the same services have `_`. */
export function senderNamed(name: string): Sender | undefined {
  const hyphenated = name.replaceAll('_', '-')
  return SENDERS.find((sender) => sender.name === hyphenated)
}
