import type { Facts, OwnScheme, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Jira',
  secret: 'JIRA_SECRET',
  shown: 'the *Secret* of the webhook',
  retries: {
    when: 'yes',
    text: 'Jira retries up to five times after 408, 409, 425, 429, 5xx and timeouts.',
  },
  repeat: 'headers.x-atlassian-webhook-identifier',
  events: ['body.webhookEvent', 'jira:issue_created', 'jira:issue_updated'],
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

export const page: SenderPage = {
  isOwn: true,
  click:
    '*System > WebHooks > Create a WebHook*. Enter the URL and the secret, and choose the events. A JQL query limits them.',
}
