// Made by "npm run docs" from the files in senders/.
import type { Door } from '../sender.ts'
import { door as discord } from '../senders/discord.ts'
import { door as zoom } from '../senders/zoom.ts'

/** What senders are answered where the grant carries what proves them. */
export const RELAY_VERIFICATION: Readonly<Record<string, Door>> = {
  discord,
  zoom,
}
