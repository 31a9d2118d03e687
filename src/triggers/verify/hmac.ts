import { type HmacRule, ruleRefusal } from './hmac-rule.ts'
import type { Scheme, Setting, Settings } from './scheme.ts'
import { templateMistake } from './template.ts'

const HUB: HmacRule = {
  header: 'x-hub-signature-256',
  prefix: 'sha256=',
  algorithm: 'sha256',
  encoding: 'hex',
  template: '{body}',
}

/** https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
const github = hmacScheme('github', HUB)

/** https://developers.facebook.com/docs/graph-api/webhooks/getting-started */
const meta = hmacScheme('meta', HUB)

/** https://shopify.dev/docs/apps/build/webhooks/subscribe/https */
const shopify = hmacScheme('shopify', {
  header: 'x-shopify-hmac-sha256',
  prefix: '',
  algorithm: 'sha256',
  encoding: 'base64',
  template: '{body}',
})

/** https://www.typeform.com/developers/webhooks/secure-your-webhooks/ */
const typeform = hmacScheme('typeform', {
  header: 'typeform-signature',
  prefix: 'sha256=',
  algorithm: 'sha256',
  encoding: 'base64',
  template: '{body}',
})

/** https://api.slack.com/authentication/verifying-requests-from-slack */
const slack = hmacScheme('slack', {
  header: 'x-slack-signature',
  prefix: 'v0=',
  algorithm: 'sha256',
  encoding: 'hex',
  template: 'v0:{timestamp}:{body}',
  timestampHeader: 'x-slack-request-timestamp',
})

const TRELLO: HmacRule = {
  header: 'x-trello-webhook',
  prefix: '',
  algorithm: 'sha1',
  encoding: 'base64',
  template: '{body}{url}',
}

/** https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/#webhook-signatures */
const trello = hmacScheme('trello', TRELLO, ['url'])

/** Every other sender that signs with an HMAC: the options say how. */
const hmac: Scheme = {
  name: 'hmac',
  needs: ['secret', 'header'],
  takes: ['algorithm', 'encoding', 'prefix', 'template', 'timestampHeader', 'tolerance', 'url'],
  mistake: (settings) => templateMistake(ownRule(settings).template, settings),
  credentials: (settings) => ({ headers: [ownRule(settings).header] }),
  check: (request, settings, ports) => ruleRefusal(ownRule(settings), request, settings, ports),
}

export const HMAC_SCHEMES: readonly Scheme[] = [
  github,
  meta,
  shopify,
  slack,
  trello,
  typeform,
  hmac,
]

function hmacScheme(name: string, rule: HmacRule, needs: readonly Setting[] = []): Scheme {
  return {
    name,
    needs: ['secret', ...needs],
    takes: rule.timestampHeader === undefined ? [] : ['tolerance'],
    credentials: () => ({ headers: [rule.header] }),
    check: (request, settings, ports) => ruleRefusal(rule, request, settings, ports),
  }
}

function ownRule(settings: Settings): HmacRule {
  const { header, prefix, algorithm, encoding, template, timestampHeader } = settings
  return {
    header: header ?? '', // `needs` has seen to it
    prefix: prefix ?? '',
    algorithm: algorithm ?? 'sha256',
    encoding: encoding ?? 'hex',
    template: template ?? '{body}',
    timestampHeader,
  }
}
