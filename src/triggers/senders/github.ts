import type { DeliveryValues, Facts, OwnScheme, Payload, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'GitHub',
  secret: 'HOOK_SECRET',
  shown: 'the *Secret* of the webhook, which you choose',
  repeat: 'headers.x-github-delivery',
  events: ['headers.x-github-event', 'push', 'pull_request', 'issues'],
  click:
    '*Settings > Webhooks > Add webhook* of the other repository or organization. Enter the URL and the secret, and choose `application/json` and the events. The event `ping` fires nothing.',
}

export const scheme: OwnScheme = {
  page: 'https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries',
  header: 'x-hub-signature-256',
  signaturePrefix: 'sha256=',
}

const SENDER = { login: 'octocat', id: 1, type: 'User' }

const REPOSITORY = {
  id: 1296269,
  name: 'Hello-World',
  full_name: 'octocat/Hello-World',
  private: false,
  owner: SENDER,
  html_url: 'https://github.com/octocat/Hello-World',
  default_branch: 'main',
}

const BEFORE = '0000000000000000000000000000000000000000'

const COMMIT = {
  id: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
  message: 'Update the README',
  timestamp: '2026-01-02T03:04:05Z',
  url: 'https://github.com/octocat/Hello-World/commit/6113728f27ae82c7b1a177c8d03f9e96e0adf246',
  author: { name: 'Mona', email: 'mona@example.com', username: 'octocat' },
  added: [],
  removed: [],
  modified: ['README.md'],
}

export const payloads: Payloads = {
  /** https://docs.github.com/en/webhooks/webhook-events-and-payloads */
  push: (delivery) =>
    eventPayload(delivery, 'push', {
      ref: 'refs/heads/main',
      before: BEFORE,
      after: COMMIT.id,
      forced: false,
      commits: [COMMIT],
      head_commit: COMMIT,
      pusher: { name: 'octocat', email: 'mona@example.com' },
      repository: REPOSITORY,
      sender: SENDER,
    }),
  ping: (delivery) =>
    eventPayload(delivery, 'ping', {
      zen: 'Keep it logically awesome.',
      hook_id: 1,
      repository: REPOSITORY,
    }),
  'pull_request.opened': (delivery) =>
    eventPayload(delivery, 'pull_request', {
      action: 'opened',
      number: 1348,
      pull_request: {
        id: 2,
        number: 1348,
        title: 'Update the README',
        state: 'open',
        body: 'It says more now.',
        html_url: 'https://github.com/octocat/Hello-World/pull/1348',
        user: SENDER,
        labels: [],
        draft: false,
        merged: false,
        head: { ref: 'readme', sha: COMMIT.id },
        base: { ref: 'main', sha: BEFORE },
      },
      repository: REPOSITORY,
      sender: SENDER,
    }),
  'issues.opened': (delivery) =>
    eventPayload(delivery, 'issues', {
      action: 'opened',
      issue: {
        id: 1,
        number: 1347,
        title: 'Found a bug',
        state: 'open',
        body: 'It does not work.',
        html_url: 'https://github.com/octocat/Hello-World/issues/1347',
        user: SENDER,
        labels: [{ id: 208045946, name: 'bug', color: 'f29513' }],
      },
      repository: REPOSITORY,
      sender: SENDER,
    }),
}

function eventPayload({ id }: DeliveryValues, name: string, body: object): Payload {
  return {
    headers: {
      'user-agent': 'GitHub-Hookshot/044aadd',
      'x-github-event': name,
      'x-github-delivery': id,
    },
    body,
  }
}
