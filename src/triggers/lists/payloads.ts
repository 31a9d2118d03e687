// Made by "npm run docs" from the files in senders/.
import type { Payloads } from '../sender.ts'
import { payloads as adyen } from '../senders/adyen.ts'
import { payloads as airtable } from '../senders/airtable.ts'
import { payloads as asana } from '../senders/asana.ts'
import { payloads as awsSns } from '../senders/aws-sns.ts'
import { payloads as azureEventGrid } from '../senders/azure-event-grid.ts'
import { payloads as bitbucket } from '../senders/bitbucket.ts'
import { payloads as box } from '../senders/box.ts'
import { payloads as buildkite } from '../senders/buildkite.ts'
import { payloads as calcom } from '../senders/calcom.ts'
import { payloads as calendly } from '../senders/calendly.ts'
import { payloads as circleci } from '../senders/circleci.ts'
import { payloads as clerk } from '../senders/clerk.ts'
import { payloads as clickup } from '../senders/clickup.ts'
import { payloads as contentful } from '../senders/contentful.ts'
import { payloads as discord } from '../senders/discord.ts'
import { payloads as docusign } from '../senders/docusign.ts'
import { payloads as dropbox } from '../senders/dropbox.ts'
import { payloads as feishu } from '../senders/feishu.ts'
import { payloads as ghost } from '../senders/ghost.ts'
import { payloads as github } from '../senders/github.ts'
import { payloads as gitlab } from '../senders/gitlab.ts'
import { payloads as googleCalendar } from '../senders/google-calendar.ts'
import { payloads as googleDrive } from '../senders/google-drive.ts'
import { payloads as googleForm } from '../senders/google-form.ts'
import { payloads as grafana } from '../senders/grafana.ts'
import { payloads as hubspot } from '../senders/hubspot.ts'
import { payloads as intercom } from '../senders/intercom.ts'
import { payloads as jira } from '../senders/jira.ts'
import { payloads as lemonsqueezy } from '../senders/lemonsqueezy.ts'
import { payloads as linear } from '../senders/linear.ts'
import { payloads as mailchimp } from '../senders/mailchimp.ts'
import { payloads as mailgun } from '../senders/mailgun.ts'
import { payloads as meta } from '../senders/meta.ts'
import { payloads as microsoftGraph } from '../senders/microsoft-graph.ts'
import { payloads as monday } from '../senders/monday.ts'
import { payloads as netlify } from '../senders/netlify.ts'
import { payloads as notion } from '../senders/notion.ts'
import { payloads as okta } from '../senders/okta.ts'
import { payloads as openai } from '../senders/openai.ts'
import { payloads as paddle } from '../senders/paddle.ts'
import { payloads as pagerduty } from '../senders/pagerduty.ts'
import { payloads as persona } from '../senders/persona.ts'
import { payloads as plaid } from '../senders/plaid.ts'
import { payloads as razorpay } from '../senders/razorpay.ts'
import { payloads as recurly } from '../senders/recurly.ts'
import { payloads as resend } from '../senders/resend.ts'
import { payloads as sanity } from '../senders/sanity.ts'
import { payloads as sendgrid } from '../senders/sendgrid.ts'
import { payloads as sentry } from '../senders/sentry.ts'
import { payloads as shopify } from '../senders/shopify.ts'
import { payloads as slack } from '../senders/slack.ts'
import { payloads as smartsheet } from '../senders/smartsheet.ts'
import { payloads as square } from '../senders/square.ts'
import { payloads as standardWebhooks } from '../senders/standard-webhooks.ts'
import { payloads as storyblok } from '../senders/storyblok.ts'
import { payloads as strapi } from '../senders/strapi.ts'
import { payloads as strava } from '../senders/strava.ts'
import { payloads as stripe } from '../senders/stripe.ts'
import { payloads as supabase } from '../senders/supabase.ts'
import { payloads as teams } from '../senders/teams.ts'
import { payloads as telegram } from '../senders/telegram.ts'
import { payloads as trello } from '../senders/trello.ts'
import { payloads as twilio } from '../senders/twilio.ts'
import { payloads as twitch } from '../senders/twitch.ts'
import { payloads as typeform } from '../senders/typeform.ts'
import { payloads as vercel } from '../senders/vercel.ts'
import { payloads as webflow } from '../senders/webflow.ts'
import { payloads as woocommerce } from '../senders/woocommerce.ts'
import { payloads as zendesk } from '../senders/zendesk.ts'
import { payloads as zoom } from '../senders/zoom.ts'

/** Requests of each sender. */
export const PAYLOADS: Readonly<Record<string, Payloads>> = {
  adyen,
  airtable,
  asana,
  'aws-sns': awsSns,
  'azure-event-grid': azureEventGrid,
  bitbucket,
  box,
  buildkite,
  calcom,
  calendly,
  circleci,
  clerk,
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
  'google-form': googleForm,
  grafana,
  hubspot,
  intercom,
  jira,
  lemonsqueezy,
  linear,
  mailchimp,
  mailgun,
  meta,
  'microsoft-graph': microsoftGraph,
  monday,
  netlify,
  notion,
  okta,
  openai,
  paddle,
  pagerduty,
  persona,
  plaid,
  razorpay,
  recurly,
  resend,
  sanity,
  sendgrid,
  sentry,
  shopify,
  slack,
  smartsheet,
  square,
  'standard-webhooks': standardWebhooks,
  storyblok,
  strapi,
  strava,
  stripe,
  supabase,
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
