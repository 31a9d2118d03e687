import type { Facts, OwnScheme, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'HCP Terraform (Terraform Enterprise)',
  secret: 'TFE_NOTIFICATION_TOKEN',
  shown: 'the *Token* of the notification, which you choose',
  retries: { when: 'unknown' },
  events: ['body.notifications.trigger', 'run:completed', 'run:errored'],
}

export const scheme: OwnScheme = {
  page: 'https://developer.hashicorp.com/terraform/cloud-docs/api-docs/notification-configurations#notification-authenticity',
  header: 'x-tfe-notification-signature',
  algorithm: 'sha512',
}

export const payloads: Payloads = {
  'run.completed': ({ now }) => ({
    body: {
      payload_version: 1,
      run_id: 'run-FwnENkvDnrpyFC7M',
      run_url: 'https://app.terraform.io/app/octo/network/runs/run-FwnENkvDnrpyFC7M',
      workspace_name: 'network',
      organization_name: 'octo',
      notifications: [
        {
          message: 'Run Applied',
          trigger: 'run:completed',
          run_status: 'applied',
          run_updated_at: now.toISOString(),
        },
      ],
    },
  }),
}

export const page: SenderPage = {
  click:
    '*Settings > Notifications > Create a Notification > Webhook* of the workspace. Enter the URL and the token, and choose the events. The test that Terraform sends then has the `trigger` `verification`, so the filter drops it.',
  notes:
    'Without a token in the notification there is no signature, and `verify` refuses the event. Speculative plans, and workspaces with local execution, send no notifications.',
}
