// Made by "npm run docs" from the files in senders/.
import type { Handshake } from '../sender.ts'
import { handshake as asana } from '../senders/asana.ts'
import { handshake as azureEventGrid } from '../senders/azure-event-grid.ts'
import { handshake as dropbox } from '../senders/dropbox.ts'
import { handshake as feishu } from '../senders/feishu.ts'
import { handshake as meta } from '../senders/meta.ts'
import { handshake as microsoftGraph } from '../senders/microsoft-graph.ts'
import { handshake as monday } from '../senders/monday.ts'
import { handshake as okta } from '../senders/okta.ts'
import { handshake as slack } from '../senders/slack.ts'
import { handshake as smartsheet } from '../senders/smartsheet.ts'
import { handshake as strava } from '../senders/strava.ts'
import { handshake as twitch } from '../senders/twitch.ts'

/** How senders ask whether a URL is ours. */
export const HANDSHAKE: Readonly<Record<string, Handshake>> = {
  asana,
  'azure-event-grid': azureEventGrid,
  dropbox,
  feishu,
  meta,
  'microsoft-graph': microsoftGraph,
  monday,
  okta,
  slack,
  smartsheet,
  strava,
  twitch,
}
