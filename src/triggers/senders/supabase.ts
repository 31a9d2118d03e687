import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Supabase (auth hooks)',
  scheme: 'standard-webhooks',
  secret: 'SUPABASE_HOOK_SECRET',
  shown: 'the secret of the hook, `v1,whsec_…`',
  repeat: 'headers.webhook-id',
}

export const payloads: Payloads = {
  send_email: () => ({
    body: {
      user: { id: '8484b834-f29e-4af2-bf42-80644d154f76', email: 'ada@example.com' },
      email_data: { email_action_type: 'signup' },
    },
  }),
}
