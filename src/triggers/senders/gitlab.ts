import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'GitLab',
  secret: 'GITLAB_TOKEN',
  shown: 'the *Secret token* of the webhook, which you choose',
  repeat: 'headers.idempotency-key',
  events: ['headers.x-gitlab-event', 'Push Hook', 'Merge Request Hook', 'Issue Hook'],
  click:
    '*Settings > Webhooks > Add new webhook*. Enter the URL and the token, and choose the events.',
}

export const scheme: OwnScheme = {
  page: 'https://docs.gitlab.com/user/project/integrations/webhooks/',
  tokenHeader: 'x-gitlab-token',
}

export const payloads: Payloads = {
  /** https://docs.gitlab.com/user/project/integrations/webhook_events/ */
  push: ({ id }) => ({
    headers: { 'x-gitlab-event': 'Push Hook', 'x-gitlab-event-uuid': id },
    body: {
      object_kind: 'push',
      event_name: 'push',
      ref: 'refs/heads/main',
      before: '0000000000000000000000000000000000000000',
      after: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
      user_username: 'mona',
      project: { id: 15, name: 'Diaspora', path_with_namespace: 'mike/diaspora' },
      commits: [
        {
          id: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
          message: 'Update the README',
          url: 'https://gitlab.example.com/c/1',
        },
      ],
      total_commits_count: 1,
    },
  }),
}
