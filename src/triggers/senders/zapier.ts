import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Zapier',
  scheme: 'basic',
  secret: 'ZAPIER_LOGIN',
  shown: 'a user and a password that you choose, as `zapier:<password>`',
  repeat: 'body.zap_id',
  click:
    'choose the action *Webhooks by Zapier > POST*. Enter the URL, `json` as *Payload Type*, `zapier|<your password>` as *Basic Auth*, and the fields that you need as *Data*. Add the field `zap_id` with a unique value of the trigger.',
}

export const payloads: Payloads = {
  /** The data of the page below. */
  zap: ({ id }) => ({ body: { zap_id: id, email: 'ada@example.com' } }),
}
