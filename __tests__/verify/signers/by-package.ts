import { sign as signForGitHub } from '@octokit/webhooks-methods'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { ID, type Signer, seconds, TEXT, WHSEC } from './signer.ts'

const stripe = new Stripe('sk_test_none')

/** Signed by the sender's own package, or the reference package of its standard. */
export const BY_PACKAGE: readonly Signer[] = [
  {
    name: 'standard-webhooks',
    verify: (secret) => ({ scheme: 'standard-webhooks', secret }),
    ...WHSEC,
    sign: async ({ body, time }, secret) => ({
      'webhook-id': ID,
      'webhook-timestamp': seconds(time),
      'webhook-signature': new StandardWebhook(secret).sign(ID, time, body),
    }),
    signature: ['webhook-signature', 'v1,'],
    timestamp: 'webhook-timestamp',
  },
  {
    name: 'svix',
    verify: (secret) => ({ scheme: 'standard-webhooks', secret }),
    ...WHSEC,
    sign: async ({ body, time }, secret) => ({
      'svix-id': ID,
      'svix-timestamp': seconds(time),
      'svix-signature': new SvixWebhook(secret).sign(ID, time, body),
    }),
    signature: ['svix-signature', 'v1,'],
    timestamp: 'svix-timestamp',
  },
  {
    name: 'stripe',
    verify: (secret) => ({ scheme: 'stripe', secret }),
    ...WHSEC,
    sign: async ({ body, time }, secret) => ({
      'stripe-signature': await stripe.webhooks.generateTestHeaderStringAsync({
        payload: body,
        secret,
        timestamp: Number(seconds(time)),
      }),
    }),
    signature: ['stripe-signature', 't='],
  },
  {
    name: 'github',
    verify: (secret) => ({ scheme: 'github', secret }),
    ...TEXT,
    sign: async ({ body }, secret) => ({
      'x-hub-signature-256': await signForGitHub(secret, body),
    }),
    signature: ['x-hub-signature-256', 'sha256='],
  },
]
