import { awsSns } from './aws-sns.ts'
import { monday, netlify, plaid } from './jws.ts'
import type { Scheme } from './scheme.ts'
import { ed25519, hmac, type SignedHeader, signedHeaderScheme } from './signed-header.ts'
import { standardWebhooks } from './standard-webhooks.ts'
import { basic, bearer, fieldToken, headerToken, token } from './tokens.ts'
import { contentful, mailgun, twilio } from './whole-request.ts'

const HUB: SignedHeader = { header: 'x-hub-signature-256', prefix: 'sha256=' }
const HUB_OF_ATLASSIAN: SignedHeader = { header: 'x-hub-signature', prefix: 'sha256=' }
const COMMA_LIST = { separator: ',', signature: 'v1', timestamp: 't' }

/** Senders that sign in a header: how, and where their page says so. */
export const SIGNED_HEADERS: Readonly<Record<string, readonly [page: string, rule: SignedHeader]>> =
  {
    github: [
      'https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries',
      HUB,
    ],
    meta: ['https://developers.facebook.com/docs/graph-api/webhooks/getting-started', HUB],
    bitbucket: [
      'https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/',
      HUB_OF_ATLASSIAN,
    ],
    jira: [
      'https://developer.atlassian.com/cloud/jira/platform/webhooks/#securing-webhooks',
      HUB_OF_ATLASSIAN,
    ],
    intercom: [
      'https://developers.intercom.com/docs/webhooks/setting-up-webhooks#signed-notifications',
      { header: 'x-hub-signature', prefix: 'sha1=', algorithm: 'sha1' },
    ],
    notion: [
      'https://developers.notion.com/reference/webhooks#step-3-validating-event-payloads-recommended',
      { header: 'x-notion-signature', prefix: 'sha256=' },
    ],
    sentry: [
      'https://docs.sentry.io/organization/integrations/integration-platform/webhooks/#sentry-hook-signature',
      { header: 'sentry-hook-signature' },
    ],
    linear: [
      'https://linear.app/developers/webhooks#securing-webhooks',
      { header: 'linear-signature', timestampField: 'webhookTimestamp', timeForm: 'milliseconds' },
    ],
    asana: [
      'https://developers.asana.com/docs/webhooks-guide#security',
      { header: 'x-hook-signature' },
    ],
    dropbox: [
      'https://www.dropbox.com/developers/reference/webhooks#notifications',
      { header: 'x-dropbox-signature' },
    ],
    lemonsqueezy: [
      'https://docs.lemonsqueezy.com/help/webhooks/signing-requests',
      { header: 'x-signature' },
    ],
    smartsheet: [
      'https://smartsheet.redoc.ly/#section/Webhook-Callbacks',
      { header: 'smartsheet-hmac-sha256' },
    ],
    vercel: [
      'https://vercel.com/docs/webhooks/webhooks-api#securing-webhooks',
      { header: 'x-vercel-signature', algorithm: 'sha1' },
    ],
    airtable: [
      'https://airtable.com/developers/web/api/webhooks-overview',
      { header: 'x-airtable-content-mac', prefix: 'hmac-sha256=', key: 'base64' },
    ],
    circleci: [
      'https://circleci.com/docs/guides/integration/outbound-webhooks/#validate-webhooks',
      { header: 'circleci-signature', prefix: 'v1=', several: true },
    ],
    pagerduty: [
      'https://developer.pagerduty.com/docs/verifying-signatures',
      { header: 'x-pagerduty-signature', prefix: 'v1=', several: true },
    ],
    shopify: [
      'https://shopify.dev/docs/apps/build/webhooks/subscribe/https',
      { header: 'x-shopify-hmac-sha256', encoding: 'base64' },
    ],
    woocommerce: [
      'https://woocommerce.com/document/webhooks/',
      { header: 'x-wc-webhook-signature', encoding: 'base64' },
    ],
    typeform: [
      'https://www.typeform.com/developers/webhooks/secure-your-webhooks/',
      { header: 'typeform-signature', prefix: 'sha256=', encoding: 'base64' },
    ],
    docusign: [
      'https://developers.docusign.com/platform/webhooks/connect/hmac/',
      {
        header: 'x-docusign-signature-1',
        others: [2, 3, 4, 5, 6, 7, 8, 9, 10].map((key) => `x-docusign-signature-${key}`),
        encoding: 'base64',
      },
    ],
    slack: [
      'https://api.slack.com/authentication/verifying-requests-from-slack',
      {
        header: 'x-slack-signature',
        prefix: 'v0=',
        template: 'v0:{timestamp}:{body}',
        timestampHeader: 'x-slack-request-timestamp',
      },
    ],
    zoom: [
      'https://developers.zoom.us/docs/api/webhooks/#verify-with-zooms-header',
      {
        header: 'x-zm-signature',
        prefix: 'v0=',
        template: 'v0:{timestamp}:{body}',
        timestampHeader: 'x-zm-request-timestamp',
      },
    ],
    zendesk: [
      'https://developer.zendesk.com/documentation/webhooks/verifying/',
      {
        header: 'x-zendesk-webhook-signature',
        encoding: 'base64',
        template: '{timestamp}{body}',
        timestampHeader: 'x-zendesk-webhook-signature-timestamp',
        timeForm: 'iso',
      },
    ],
    twitch: [
      'https://dev.twitch.tv/docs/eventsub/handling-webhook-events/#verifying-the-event-message',
      {
        header: 'twitch-eventsub-message-signature',
        prefix: 'sha256=',
        template: '{header.twitch-eventsub-message-id}{timestamp}{body}',
        timestampHeader: 'twitch-eventsub-message-timestamp',
        timeForm: 'iso',
        tolerance: 600,
      },
    ],
    stripe: [
      'https://docs.stripe.com/webhooks/signature',
      { header: 'stripe-signature', parts: COMMA_LIST, template: '{timestamp}.{body}' },
    ],
    calendly: [
      'https://developer.calendly.com/api-docs/4c305798a61d3-webhook-signatures',
      { header: 'calendly-webhook-signature', parts: COMMA_LIST, template: '{timestamp}.{body}' },
    ],
    paddle: [
      'https://developer.paddle.com/webhooks/signature-verification',
      {
        header: 'paddle-signature',
        parts: { separator: ';', signature: 'h1', timestamp: 'ts' },
        template: '{timestamp}:{body}',
      },
    ],
    buildkite: [
      'https://buildkite.com/docs/apis/webhooks/pipelines#webhook-signature',
      {
        header: 'x-buildkite-signature',
        parts: { separator: ',', signature: 'signature', timestamp: 'timestamp' },
        template: '{timestamp}.{body}',
      },
    ],
    trello: [
      'https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/#webhook-signatures',
      {
        header: 'x-trello-webhook',
        algorithm: 'sha1',
        encoding: 'base64',
        template: '{body}{url}',
      },
    ],
    square: [
      'https://developer.squareup.com/docs/webhooks/step3validate',
      { header: 'x-square-hmacsha256-signature', encoding: 'base64', template: '{url}{body}' },
    ],
    hubspot: [
      'https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests',
      {
        header: 'x-hubspot-signature-v3',
        encoding: 'base64',
        template: '{method}{url}{body}{timestamp}',
        timestampHeader: 'x-hubspot-request-timestamp',
        timeForm: 'milliseconds',
        urlForms: (url) => [
          url.replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi, decodeURIComponent),
        ],
      },
    ],
    discord: [
      'https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint-validating-security-request-headers',
      {
        header: 'x-signature-ed25519',
        algorithm: 'ed25519',
        key: 'ed25519',
        template: '{timestamp}{body}',
        timestampHeader: 'x-signature-timestamp',
      },
    ],
    sendgrid: [
      'https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features',
      {
        header: 'x-twilio-email-event-webhook-signature',
        algorithm: 'p256',
        encoding: 'base64',
        key: 'p256',
        template: '{timestamp}{body}',
        timestampHeader: 'x-twilio-email-event-webhook-timestamp',
      },
    ],
  }

/** Senders that bring a token: where, and the page that says so. */
const TOKENS: readonly Scheme[] = [
  headerToken(
    'gitlab',
    'https://docs.gitlab.com/user/project/integrations/webhooks/',
    'x-gitlab-token',
  ),
  headerToken(
    'telegram',
    'https://core.telegram.org/bots/api#setwebhook',
    'x-telegram-bot-api-secret-token',
  ),
  fieldToken(
    'microsoft-graph',
    'https://learn.microsoft.com/graph/change-notifications-delivery-webhooks',
    'value[*].clientState',
  ),
]

/** Every way of proving a sender, by the name that `scheme` takes. */
export const SCHEMES: ReadonlyMap<string, Scheme> = new Map(
  [
    standardWebhooks,
    ...Object.entries(SIGNED_HEADERS).map(([name, of]) => signedHeaderScheme(name, ...of)),
    ...[twilio, contentful, mailgun, netlify, plaid, monday, awsSns],
    ...TOKENS,
    ...[hmac, ed25519, bearer, basic, token],
  ].map((scheme) => [scheme.name, scheme]),
)
