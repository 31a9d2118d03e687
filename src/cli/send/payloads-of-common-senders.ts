import { type Make, seconds } from './payloads.ts'

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

/** Requests of the senders that most people begin with, in some detail. */
export const PAYLOADS_OF_COMMON_SENDERS: Readonly<Record<string, Make>> = {
  /** https://docs.github.com/en/webhooks/webhook-events-and-payloads */
  'github.push': github('push', {
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
  'github.ping': github('ping', {
    zen: 'Keep it logically awesome.',
    hook_id: 1,
    repository: REPOSITORY,
  }),
  'github.issues.opened': github('issues', {
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
  /** https://docs.gitlab.com/user/project/integrations/webhook_events/ */
  'gitlab.push': ({ id }) => ({
    headers: { 'x-gitlab-event': 'Push Hook', 'x-gitlab-event-uuid': id },
    body: {
      object_kind: 'push',
      event_name: 'push',
      ref: 'refs/heads/main',
      before: BEFORE,
      after: COMMIT.id,
      user_username: 'mona',
      project: { id: 15, name: 'Diaspora', path_with_namespace: 'mike/diaspora' },
      commits: [{ id: COMMIT.id, message: COMMIT.message, url: 'https://gitlab.example.com/c/1' }],
      total_commits_count: 1,
    },
  }),
  /** https://docs.stripe.com/api/events/object */
  'stripe.checkout.session.completed': ({ id, now }) => ({
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: {
      id: `evt_${id.replaceAll('-', '')}`,
      object: 'event',
      api_version: '2025-09-30.clover',
      created: seconds(now),
      type: 'checkout.session.completed',
      livemode: false,
      data: {
        object: {
          id: 'cs_test_a1b2c3',
          object: 'checkout.session',
          amount_total: 2000,
          currency: 'eur',
          customer_details: { email: 'ada@example.com', name: 'Ada Lovelace' },
          payment_status: 'paid',
        },
      },
      request: { id: null, idempotency_key: null },
    },
  }),
  /** https://shopify.dev/docs/api/webhooks */
  'shopify.orders.create': ({ id, now }) => ({
    headers: {
      'x-shopify-topic': 'orders/create',
      'x-shopify-shop-domain': 'example.myshopify.com',
      'x-shopify-webhook-id': id,
      'x-shopify-triggered-at': now.toISOString(),
    },
    body: {
      id: 820982911946154500,
      name: '#1001',
      email: 'ada@example.com',
      created_at: now.toISOString(),
      currency: 'EUR',
      total_price: '20.00',
      line_items: [{ id: 466157049, title: 'A book', quantity: 1, price: '20.00' }],
    },
  }),
  /** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
  'standard-webhooks.invoice.paid': ({ now }) => ({
    body: {
      type: 'invoice.paid',
      timestamp: now.toISOString(),
      data: { id: 'in_1', amount: 2000, currency: 'eur' },
    },
  }),
  /** https://api.slack.com/apis/events-api#receiving-events */
  'slack.message': ({ id, now }) => ({
    body: {
      type: 'event_callback',
      team_id: 'T061EG9R6',
      api_app_id: 'A0FFV41KK',
      event_id: `Ev${id.replaceAll('-', '').slice(0, 9).toUpperCase()}`,
      event_time: seconds(now),
      event: {
        type: 'message',
        channel: 'C024BE91L',
        user: 'U2147483697',
        text: 'Hello, world',
        ts: `${seconds(now)}.000200`,
      },
    },
  }),
  /** https://api.slack.com/interactivity/slash-commands#app_command_handling */
  'slack.command': () => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      command: '/deploy',
      text: 'production now',
      user_id: 'U2147483697',
      user_name: 'mona',
      channel_id: 'C024BE91L',
      team_id: 'T061EG9R6',
      response_url: 'https://hooks.slack.com/commands/T061EG9R6/1234/5678',
      trigger_id: '13345224609.738474920.8088930838d88f008e0',
    }).toString(),
  }),
  /** https://core.telegram.org/bots/api#update */
  'telegram.message': ({ now }) => ({
    body: {
      // Rises with time, as a bot's updates do, so that each delivery counts as a new one.
      update_id: seconds(now),
      message: {
        message_id: 1365,
        from: { id: 1111111, is_bot: false, first_name: 'Ada', language_code: 'en' },
        chat: { id: 1111111, first_name: 'Ada', type: 'private' },
        date: seconds(now),
        text: 'Hello, world',
      },
    },
  }),
  /** https://www.typeform.com/developers/webhooks/example-payload/ */
  'typeform.form_response': ({ id, now }) => ({
    body: {
      event_id: id,
      event_type: 'form_response',
      form_response: {
        form_id: 'lT4Z3j',
        token: 'a3a12ec67a1365927098a606107fac15',
        submitted_at: now.toISOString(),
        definition: {
          id: 'lT4Z3j',
          title: 'Contact',
          fields: [{ id: 'DlXFaesGBpoF', title: 'Your name', type: 'short_text', ref: 'name' }],
        },
        answers: [
          {
            type: 'text',
            text: 'Ada',
            field: { id: 'DlXFaesGBpoF', type: 'short_text', ref: 'name' },
          },
        ],
      },
    },
  }),
  'form.contact': () => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ name: 'Ada', message: 'Hello & welcome' }).toString(),
  }),
  /** https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/ */
  'trello.update_card': ({ id, now }) => ({
    body: {
      action: {
        id: id.replaceAll('-', '').slice(0, 24),
        type: 'updateCard',
        date: now.toISOString(),
        data: {
          card: { id: '5a1b2c3d4e5f60718293a4b5', name: 'Write the docs', idShort: 7 },
          listBefore: { id: '5a1b2c3d4e5f60718293a4b6', name: 'Doing' },
          listAfter: { id: '5a1b2c3d4e5f60718293a4b7', name: 'Done' },
        },
        memberCreator: { id: '5a1b2c3d4e5f60718293a4b8', username: 'ada' },
      },
      model: { id: '5a1b2c3d4e5f60718293a4b9', name: 'Board' },
    },
  }),
}

function github(event: string, body: object): Make {
  return ({ id }) => ({
    headers: {
      'user-agent': 'GitHub-Hookshot/044aadd',
      'x-github-event': event,
      'x-github-delivery': id,
    },
    body,
  })
}
