// Made by "npm run docs" from the files in senders/.
import type { Page } from '../sender.ts'
import { page as adyen } from '../senders/adyen.ts'
import { page as asana } from '../senders/asana.ts'
import { page as awsSns } from '../senders/aws-sns.ts'
import { page as bitbucket } from '../senders/bitbucket.ts'
import { page as box } from '../senders/box.ts'
import { page as contentful } from '../senders/contentful.ts'
import { page as discord } from '../senders/discord.ts'
import { page as feishu } from '../senders/feishu.ts'
import { page as github } from '../senders/github.ts'
import { page as gitlab } from '../senders/gitlab.ts'
import { page as googleCalendar } from '../senders/google-calendar.ts'
import { page as googleDrive } from '../senders/google-drive.ts'
import { page as googleForm } from '../senders/google-form.ts'
import { page as grafana } from '../senders/grafana.ts'
import { page as hubspot } from '../senders/hubspot.ts'
import { page as jira } from '../senders/jira.ts'
import { page as linear } from '../senders/linear.ts'
import { page as mailchimp } from '../senders/mailchimp.ts'
import { page as mailgun } from '../senders/mailgun.ts'
import { page as meta } from '../senders/meta.ts'
import { page as microsoftGraph } from '../senders/microsoft-graph.ts'
import { page as monday } from '../senders/monday.ts'
import { page as netlify } from '../senders/netlify.ts'
import { page as notion } from '../senders/notion.ts'
import { page as paddle } from '../senders/paddle.ts'
import { page as pagerduty } from '../senders/pagerduty.ts'
import { page as persona } from '../senders/persona.ts'
import { page as plaid } from '../senders/plaid.ts'
import { page as sentry } from '../senders/sentry.ts'
import { page as shopify } from '../senders/shopify.ts'
import { page as slack } from '../senders/slack.ts'
import { page as square } from '../senders/square.ts'
import { page as standardWebhooks } from '../senders/standard-webhooks.ts'
import { page as strapi } from '../senders/strapi.ts'
import { page as strava } from '../senders/strava.ts'
import { page as stripe } from '../senders/stripe.ts'
import { page as teams } from '../senders/teams.ts'
import { page as trello } from '../senders/trello.ts'
import { page as twilio } from '../senders/twilio.ts'
import { page as twitch } from '../senders/twitch.ts'
import { page as typeform } from '../senders/typeform.ts'
import { page as zendesk } from '../senders/zendesk.ts'
import { page as zoom } from '../senders/zoom.ts'

/** What is to be clicked at each sender. */
export const PAGE: Readonly<Record<string, Page>> = {
  adyen,
  asana,
  'aws-sns': awsSns,
  bitbucket,
  box,
  contentful,
  discord,
  feishu,
  github,
  gitlab,
  'google-calendar': googleCalendar,
  'google-drive': googleDrive,
  'google-form': googleForm,
  grafana,
  hubspot,
  jira,
  linear,
  mailchimp,
  mailgun,
  meta,
  'microsoft-graph': microsoftGraph,
  monday,
  netlify,
  notion,
  paddle,
  pagerduty,
  persona,
  plaid,
  sentry,
  shopify,
  slack,
  square,
  'standard-webhooks': standardWebhooks,
  strapi,
  strava,
  stripe,
  teams,
  trello,
  twilio,
  twitch,
  typeform,
  zendesk,
  zoom,
}
