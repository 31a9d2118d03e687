import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Azure DevOps',
  scheme: 'basic',
  secret: 'AZURE_DEVOPS_LOGIN',
  shown: 'a user and a password that you choose, as `azure:<password>`',
  repeat: 'id',
  events: ['body.eventType', 'git.push', 'workitem.created'],
  click:
    '*Project settings > Service hooks > Create subscription > Web Hooks*, as a member of *Project Collection Administrators*. Choose the event, enter the URL, the user and the password, and press *Test*.',
}

export const payloads: Payloads = {
  /** https://learn.microsoft.com/azure/devops/service-hooks/events */
  'git.push': ({ id, now }) => ({
    body: {
      id,
      eventType: 'git.push',
      publisherId: 'tfs',
      message: { text: 'Ada pushed updates to Fabrikam:main.' },
      resource: {
        pushedBy: { displayName: 'Ada' },
        pushId: 14,
        date: now.toISOString(),
        refUpdates: [{ name: 'refs/heads/main' }],
        repository: { name: 'Fabrikam' },
      },
    },
  }),
}
