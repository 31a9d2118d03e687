import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Jira',
  secret: 'JIRA_SECRET',
  shown: 'the *Secret* of the webhook',
  repeat: 'headers.x-atlassian-webhook-identifier',
  events: ['body.webhookEvent', 'jira:issue_created', 'jira:issue_updated'],
  click:
    '*System > WebHooks > Create a WebHook*. Enter the URL and the secret, and choose the events. A JQL query limits them.',
}

export const scheme: OwnScheme = {
  page: 'https://developer.atlassian.com/cloud/jira/platform/webhooks/#securing-webhooks',
  header: 'x-hub-signature',
  signaturePrefix: 'sha256=',
}

export const payloads: Payloads = {
  issue_created: ({ id, now }) => ({
    headers: { 'x-atlassian-webhook-identifier': id },
    body: {
      timestamp: now.getTime(),
      webhookEvent: 'jira:issue_created',
      issue: { id: '10002', key: 'ED-1', fields: { summary: 'Main order flow broken' } },
      user: { displayName: 'Ada' },
    },
  }),
}
