import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Microsoft Teams (outgoing webhooks)',
  secret: 'TEAMS_SECURITY_TOKEN',
  shown: 'the security token, in base64, that Teams shows once',
  repeat: 'id',
  click:
    '*Teams > the team > Manage team > Apps > Create an outgoing webhook*. Enter a name, and the URL as *Callback URL*.',
}

export const scheme: OwnScheme = {
  page: 'https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-outgoing-webhook',
  header: 'authorization',
  signaturePrefix: 'HMAC ',
  signatureEncoding: 'base64',
  secretEncoding: 'base64',
}

export const payloads: Payloads = {
  message: ({ id, now }) => ({
    body: {
      type: 'message',
      id,
      timestamp: now.toISOString(),
      channelId: 'msteams',
      from: { id: '29:1', name: 'Ada' },
      conversation: { isGroup: true, id: '19:253b1f341670408fb6fe51050b6e5ceb@thread.skype' },
      text: '<at>deploy</at> production',
      textFormat: 'plain',
    },
  }),
}
