import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Google Forms',
  trigger: 'google_form',
  scheme: 'standard-webhooks',
  secret: 'FORM_SECRET',
  shown: 'a secret `whsec_…` that the script of the form knows too',
  retries: 'none',
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
