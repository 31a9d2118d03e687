// Made by "npm run docs" from the files in senders/.
import type { Door } from '../sender.ts'

/** What senders are answered where the grant carries what proves them. */
export const DOOR: Readonly<Record<string, Door>> = {}
