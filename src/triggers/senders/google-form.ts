import type { Facts, Page, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Google Forms',
  trigger: 'google_form',
  scheme: 'standard-webhooks',
  secret: 'FORM_SECRET',
  shown: '`whsec_…`, which the script of the form makes',
  retries: 'four times within 21 seconds, after 429 and 5xx; then Google mails the owner',
  repeat: 'event_id',
}

const QUESTION = { id: 886865551, title: 'Name', type: 'TEXT', index: 0 }

/** As docs/senders/google-form.gs posts it. */
export const payloads: Payloads = {
  response: ({ id, now }) => ({
    body: {
      event_id: id,
      event_type: 'form_response',
      form_response: {
        form_id: '118EoaS7eK2qvWv8tQy3xLKa',
        email: 'ada@example.com',
        submitted_at: now.toISOString(),
        definition: { title: 'Registration', fields: [QUESTION] },
        answers: [{ response: 'Ada', field: QUESTION }],
      },
    },
  }),
}

export const page: Page = {
  click:
    'Forms has no webhooks; a script of the form posts each response.\n\n1. In the form: the three dots, *Apps Script*. Replace what is there by [google-form.gs](google-form.gs).\n2. *Project Settings > Script Properties*: `HOOKLINE_URL` is the URL without its query, `HOOKLINE_CREDENTIAL` the `__token` of the query, which travels in a header.\n3. Run `setUp` once and allow what it asks. It writes the secret to the log.\n\n',
  outputs:
    "`answers_map` has the answers by the title of their question, several choices as a list; `form_response` has `form_id`, `email` (if collected), `submitted_at`, `definition`, `answers`; `event_type` is `form_response`, `event_id` Google's id.",
  more: 'An edited response has the same id.',
}
