// Made by "npm run docs" from the files in senders/.
import type { Facts } from '../sender.ts'
import { facts as adyen } from '../senders/adyen.ts'
import { facts as airtable } from '../senders/airtable.ts'
import { facts as asana } from '../senders/asana.ts'
import { facts as awsSns } from '../senders/aws-sns.ts'
import { facts as azureEventGrid } from '../senders/azure-event-grid.ts'
import { facts as bitbucket } from '../senders/bitbucket.ts'
import { facts as box } from '../senders/box.ts'
import { facts as buildkite } from '../senders/buildkite.ts'
import { facts as calcom } from '../senders/calcom.ts'
import { facts as calendly } from '../senders/calendly.ts'
import { facts as circleci } from '../senders/circleci.ts'
import { facts as clerk } from '../senders/clerk.ts'
import { facts as clickup } from '../senders/clickup.ts'
import { facts as contentful } from '../senders/contentful.ts'
import { facts as discord } from '../senders/discord.ts'
import { facts as docusign } from '../senders/docusign.ts'
import { facts as dropbox } from '../senders/dropbox.ts'
import { facts as feishu } from '../senders/feishu.ts'
import { facts as ghost } from '../senders/ghost.ts'
import { facts as github } from '../senders/github.ts'
import { facts as gitlab } from '../senders/gitlab.ts'
import { facts as googleCalendar } from '../senders/google-calendar.ts'
import { facts as googleDrive } from '../senders/google-drive.ts'
import { facts as googleForm } from '../senders/google-form.ts'
import { facts as grafana } from '../senders/grafana.ts'
import { facts as hubspot } from '../senders/hubspot.ts'
import { facts as intercom } from '../senders/intercom.ts'
import { facts as jira } from '../senders/jira.ts'
import { facts as lemonsqueezy } from '../senders/lemonsqueezy.ts'
import { facts as linear } from '../senders/linear.ts'
import { facts as mailchimp } from '../senders/mailchimp.ts'
import { facts as mailgun } from '../senders/mailgun.ts'
import { facts as meta } from '../senders/meta.ts'
import { facts as microsoftGraph } from '../senders/microsoft-graph.ts'
import { facts as monday } from '../senders/monday.ts'
import { facts as netlify } from '../senders/netlify.ts'
import { facts as notion } from '../senders/notion.ts'
import { facts as okta } from '../senders/okta.ts'
import { facts as openai } from '../senders/openai.ts'
import { facts as paddle } from '../senders/paddle.ts'
import { facts as pagerduty } from '../senders/pagerduty.ts'
import { facts as persona } from '../senders/persona.ts'
import { facts as plaid } from '../senders/plaid.ts'
import { facts as razorpay } from '../senders/razorpay.ts'
import { facts as recurly } from '../senders/recurly.ts'
import { facts as resend } from '../senders/resend.ts'
import { facts as sanity } from '../senders/sanity.ts'
import { facts as sendgrid } from '../senders/sendgrid.ts'
import { facts as sentry } from '../senders/sentry.ts'
import { facts as shopify } from '../senders/shopify.ts'
import { facts as slack } from '../senders/slack.ts'
import { facts as smartsheet } from '../senders/smartsheet.ts'
import { facts as square } from '../senders/square.ts'
import { facts as standardWebhooks } from '../senders/standard-webhooks.ts'
import { facts as storyblok } from '../senders/storyblok.ts'
import { facts as strapi } from '../senders/strapi.ts'
import { facts as strava } from '../senders/strava.ts'
import { facts as stripe } from '../senders/stripe.ts'
import { facts as supabase } from '../senders/supabase.ts'
import { facts as teams } from '../senders/teams.ts'
import { facts as telegram } from '../senders/telegram.ts'
import { facts as trello } from '../senders/trello.ts'
import { facts as twilio } from '../senders/twilio.ts'
import { facts as twitch } from '../senders/twitch.ts'
import { facts as typeform } from '../senders/typeform.ts'
import { facts as vercel } from '../senders/vercel.ts'
import { facts as webflow } from '../senders/webflow.ts'
import { facts as woocommerce } from '../senders/woocommerce.ts'
import { facts as zendesk } from '../senders/zendesk.ts'
import { facts as zoom } from '../senders/zoom.ts'

/** What a user has to know of each sender. */
export const FACTS: Readonly<Record<string, Facts>> = {
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
