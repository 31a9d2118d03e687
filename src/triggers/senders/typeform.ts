import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Typeform',
  trigger: 'typeform',
  secret: 'TYPEFORM_SECRET',
  shown: 'the *Secret* of the webhook, which you choose',
  repeat: 'event_id',
  events: ['event_type', 'form_response'],
  click:
    '*Connect > Webhooks > Add a webhook* of the form. Enter the URL, then choose *Edit* and set a secret.',
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
