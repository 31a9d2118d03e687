import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Gitea and Forgejo',
  secret: 'GITEA_SECRET',
  shown: 'the *Secret* of the webhook, which you choose',
  repeat: 'headers.x-gitea-delivery',
  events: ['headers.x-gitea-event', 'push', 'pull_request', 'issues'],
  click:
    '*Settings > Webhooks > Add Webhook* of the repository, of the kind *Gitea* or *Forgejo*. Enter the URL, POST, `application/json` and the secret, choose the events, and press *Test Delivery*.',
}

/** Forgejo sends the same value as `x-forgejo-signature`, too. */
export const scheme: OwnScheme = {
  page: 'https://docs.gitea.com/usage/webhooks',
  header: 'x-gitea-signature',
}

export const payloads: Payloads = {
  /** https://docs.gitea.com/usage/webhooks#event-information */
  push: ({ id }) => ({
    headers: { 'x-gitea-event': 'push', 'x-gitea-delivery': id },
    body: {
      ref: 'refs/heads/main',
      before: '28e1879d029cb852e4844d9c718537df08844e03',
      after: 'bffeb74224043ba2feb48d137756c8a9331c449a',
      commits: [{ id: 'bffeb74224043ba2feb48d137756c8a9331c449a', message: 'Webhooks Yay!' }],
      repository: { full_name: 'ada/webhooks' },
      pusher: { login: 'ada' },
    },
  }),
}
