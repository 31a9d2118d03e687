import type { Facts, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Zapier',
  scheme: 'basic',
  secret: 'ZAPIER_LOGIN',
  shown: 'a user and a password that you choose, as `zapier:<password>`',
  retries: {
    when: 'optional',
    text: 'With [*Autoreplay*](https://help.zapier.com/hc/en-us/articles/19220226086797), Zapier retries a failed step up to five times.',
  },
  repeat: 'body.zap_id',
}

export const payloads: Payloads = {
  /** The data of the page below. */
  zap: ({ id }) => ({ body: { zap_id: id, email: 'ada@example.com' } }),
}

export const page: SenderPage = {
  click:
    'choose the action *Webhooks by Zapier > POST*. Enter the URL, `json` as *Payload Type*, `zapier|<your password>` as *Basic Auth*, and the fields that you need as *Data*. Add the field `zap_id` with a unique value of the trigger.',
  notes:
    'The field *Basic Auth* has a bar between user and password, and the secret `ZAPIER_LOGIN` has a colon.',
}
