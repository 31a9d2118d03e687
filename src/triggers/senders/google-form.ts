import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Google Forms',
  trigger: 'google_form',
  scheme: 'standard-webhooks',
  secret: 'FORM_SECRET',
  shown: 'the value `whsec_…` that the script of the form creates',
  repeat: 'event_id',
  click:
    'Google Forms has no webhooks, so a script of the form posts each response.\n\n1. In the form, open the three dots > *Apps Script*. Replace the code by [google-form.gs](google-form.gs).\n2. Open *Project Settings > Script Properties*. Set `HOOKLINE_URL` to the URL. If the URL contains `?__token=…`, set `HOOKLINE_URL` to the part before the question mark, and `HOOKLINE_GITHUB_TOKEN` to the token. The script then sends the token in a header.\n3. Run `setUp` once, and allow the requested permissions. `setUp` writes the secret to the log.\n\n',
}

const QUESTION = { id: 886865551, title: 'Name', type: 'TEXT', index: 0 }

/** The requests of docs/senders/google-form.gs. */
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
