import type { Facts, OwnScheme, Page, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Typeform',
  trigger: 'typeform',
  secret: 'TYPEFORM_SECRET',
  shown: 'the *Secret* of the webhook, which you choose',
  retries:
    'every two to three minutes for ten hours, or five times; 404 and 410 switch the webhook off',
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

export const page: Page = {
  click: '*Connect > Webhooks > Add a webhook* of the form: the URL, then *Edit* to set a secret.',
  outputs:
    '`answers_map` has the answers by question: a text, number or boolean, the label of a choice, a list of several; a second question of the same title is `Title (2)`. `form_response` is all of it, `event_id` its id, `event_type` is `form_response` too.',
  more: 'Typeform waits 30 seconds. The relay never answers 404 or 410 for a fault of GitHub.',
}
