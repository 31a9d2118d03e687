// Made by "npm run docs" from the files in senders/.
import type { OwnScheme } from '../sender.ts'
import { scheme as adyen } from '../senders/adyen.ts'
import { scheme as airtable } from '../senders/airtable.ts'
import { scheme as asana } from '../senders/asana.ts'
import { scheme as awsSns } from '../senders/aws-sns.ts'
import { scheme as bitbucket } from '../senders/bitbucket.ts'
import { scheme as box } from '../senders/box.ts'
import { scheme as buildkite } from '../senders/buildkite.ts'
import { scheme as calcom } from '../senders/calcom.ts'
import { scheme as calendly } from '../senders/calendly.ts'
import { scheme as circleci } from '../senders/circleci.ts'
import { scheme as clickup } from '../senders/clickup.ts'
import { scheme as contentful } from '../senders/contentful.ts'
import { scheme as discord } from '../senders/discord.ts'
import { scheme as docusign } from '../senders/docusign.ts'
import { scheme as dropbox } from '../senders/dropbox.ts'
import { scheme as feishu } from '../senders/feishu.ts'
import { scheme as ghost } from '../senders/ghost.ts'
import { scheme as github } from '../senders/github.ts'
import { scheme as gitlab } from '../senders/gitlab.ts'
import { scheme as googleCalendar } from '../senders/google-calendar.ts'
import { scheme as googleDrive } from '../senders/google-drive.ts'
import { scheme as grafana } from '../senders/grafana.ts'
import { scheme as hubspot } from '../senders/hubspot.ts'
import { scheme as intercom } from '../senders/intercom.ts'
import { scheme as jira } from '../senders/jira.ts'
import { scheme as lemonsqueezy } from '../senders/lemonsqueezy.ts'
import { scheme as linear } from '../senders/linear.ts'
import { scheme as mailgun } from '../senders/mailgun.ts'
import { scheme as meta } from '../senders/meta.ts'
import { scheme as microsoftGraph } from '../senders/microsoft-graph.ts'
import { scheme as monday } from '../senders/monday.ts'
import { scheme as netlify } from '../senders/netlify.ts'
import { scheme as notion } from '../senders/notion.ts'
import { scheme as paddle } from '../senders/paddle.ts'
import { scheme as pagerduty } from '../senders/pagerduty.ts'
import { scheme as persona } from '../senders/persona.ts'
import { scheme as plaid } from '../senders/plaid.ts'
import { scheme as razorpay } from '../senders/razorpay.ts'
import { scheme as recurly } from '../senders/recurly.ts'
import { scheme as sanity } from '../senders/sanity.ts'
import { scheme as sendgrid } from '../senders/sendgrid.ts'
import { scheme as sentry } from '../senders/sentry.ts'
import { scheme as shopify } from '../senders/shopify.ts'
import { scheme as slack } from '../senders/slack.ts'
import { scheme as smartsheet } from '../senders/smartsheet.ts'
import { scheme as square } from '../senders/square.ts'
import { scheme as standardWebhooks } from '../senders/standard-webhooks.ts'
import { scheme as storyblok } from '../senders/storyblok.ts'
import { scheme as stripe } from '../senders/stripe.ts'
import { scheme as teams } from '../senders/teams.ts'
import { scheme as telegram } from '../senders/telegram.ts'
import { scheme as trello } from '../senders/trello.ts'
import { scheme as twilio } from '../senders/twilio.ts'
import { scheme as twitch } from '../senders/twitch.ts'
import { scheme as typeform } from '../senders/typeform.ts'
import { scheme as vercel } from '../senders/vercel.ts'
import { scheme as webflow } from '../senders/webflow.ts'
import { scheme as woocommerce } from '../senders/woocommerce.ts'
import { scheme as zendesk } from '../senders/zendesk.ts'
import { scheme as zoom } from '../senders/zoom.ts'

/** How each sender proves itself, where it has a scheme of its own. */
export const SCHEME: Readonly<Record<string, OwnScheme>> = {
  adyen,
  airtable,
  asana,
  'aws-sns': awsSns,
  bitbucket,
  box,
  buildkite,
  calcom,
  calendly,
  circleci,
  clickup,
  contentful,
  discord,
  docusign,
  dropbox,
  feishu,
  ghost,
  github,
  gitlab,
  'google-calendar': googleCalendar,
  'google-drive': googleDrive,
  grafana,
  hubspot,
  intercom,
  jira,
  lemonsqueezy,
  linear,
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
  razorpay,
  recurly,
  sanity,
  sendgrid,
  sentry,
  shopify,
  slack,
  smartsheet,
  square,
  'standard-webhooks': standardWebhooks,
  storyblok,
  stripe,
  teams,
  telegram,
  trello,
  twilio,
  twitch,
  typeform,
  vercel,
  webflow,
  woocommerce,
  zendesk,
  zoom,
}
