import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'HCP Terraform (Terraform Enterprise)',
  secret: 'TFE_NOTIFICATION_TOKEN',
  shown: 'the *Token* of the notification, which you choose',
  events: ['body.notifications.trigger', 'run:completed', 'run:errored'],
  click:
    '*Settings > Notifications > Create a Notification > Webhook* of the workspace. Enter the URL and the token, and choose the events. The test that Terraform sends then has the `trigger` `verification`, so the filter drops it.',
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
