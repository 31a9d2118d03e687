import { awsSns } from './aws-sns.ts'
import { HMAC_SCHEMES } from './hmac.ts'
import type { Scheme } from './scheme.ts'
import { standardWebhooks } from './standard-webhooks.ts'
import { stripe } from './stripe.ts'
import { TOKEN_SCHEMES } from './tokens.ts'

/** Every way of proving a sender, by the name that `scheme` takes. */
export const SCHEMES: ReadonlyMap<string, Scheme> = new Map(
  [standardWebhooks, stripe, awsSns, ...HMAC_SCHEMES, ...TOKEN_SCHEMES].map((scheme) => [
    scheme.name,
    scheme,
  ]),
)
