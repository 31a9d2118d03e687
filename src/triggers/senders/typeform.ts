import type { Facts, OwnScheme, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Typeform',
  trigger: 'typeform',
  secret: 'TYPEFORM_SECRET',
  shown: 'the *Secret* of the webhook, which you choose',
  timeout: 30,
  retries: {
    when: 'yes',
    text: 'Typeform retries every two to three minutes for ten hours, or five times. A 404 or a 410 disables the webhook.',
  },
  repeat: 'event_id',
  events: ['event_type', 'form_response'],
}

export const scheme: OwnScheme = {
  page: 'https://www.typeform.com/developers/webhooks/secure-your-webhooks/',
  header: 'typeform-signature',
  signaturePrefix: 'sha256=',
  signatureEncoding: 'base64',
}

export const payloads: Payloads = {
  /** https://www.typeform.com/developers/webhooks/example-payload/ */
  form_response: ({ id, now }) => ({
    body: {
      event_id: id,
      event_type: 'form_response',
      form_response: {
        form_id: 'lT4Z3j',
        token: 'a3a12ec67a1365927098a606107fac15',
        submitted_at: now.toISOString(),
        definition: {
          id: 'lT4Z3j',
          title: 'Contact',
          fields: [{ id: 'DlXFaesGBpoF', title: 'Your name', type: 'short_text', ref: 'name' }],
        },
        answers: [
          {
            type: 'text',
            text: 'Ada',
            field: { id: 'DlXFaesGBpoF', type: 'short_text', ref: 'name' },
          },
        ],
      },
    },
  }),
}

export const page: SenderPage = {
  click:
    '*Connect > Webhooks > Add a webhook* of the form. Enter the URL, then choose *Edit* and set a secret.',
  outputs:
    '`answers_map` contains the answers by question: a string, number or boolean, the label of a choice, or a list of several choices. A second question with the same title is called `Title (2)`. `form_response` is the complete response, `event_id` is its id, and `event_type` is `form_response`.',
  retries: 'The relay never responds with 404 or 410 because of a fault of GitHub.',
}
