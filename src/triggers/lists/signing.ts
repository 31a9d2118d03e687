// Made by "npm run docs" from the files in senders/.
import type { Signing } from '../sender.ts'
import { signing as contentful } from '../senders/contentful.ts'
import { signing as mailgun } from '../senders/mailgun.ts'
import { signing as monday } from '../senders/monday.ts'
import { signing as netlify } from '../senders/netlify.ts'
import { signing as plaid } from '../senders/plaid.ts'
import { signing as standardWebhooks } from '../senders/standard-webhooks.ts'
import { signing as twilio } from '../senders/twilio.ts'

/** How to sign as the senders do whose scheme is code. */
export const SIGNING: Readonly<Record<string, Signing>> = {
  contentful,
  mailgun,
  monday,
  netlify,
  plaid,
  'standard-webhooks': standardWebhooks,
  twilio,
}
