import type { Scenario } from './workflows.ts'

const PERSON = { id: 1111111, is_bot: false, first_name: 'Ada' }
const GROUP = { id: -1001234567890, type: 'supergroup', title: 'Deploy room' }
const SCRIPT = '#!/bin/sh\necho "deployed $1"\n'
const SEND = /^POST api\.telegram\.org\/bot\S+\/sendMessage$/

const TRIAGE = `on:
  webhook:
    config: {filter: {headers.x-github-event: issues}}
jobs: {a: {runs-on: ubuntu-latest, steps: [{run: echo hello}]}}
`

/** The bot of docs/start/telegram-bot.md replies with the same message. */
const ECHO: Scenario = {
  message: { text: '"; touch pwned #\n$(id)' },
  calls: [[SEND, { chat_id: 1111111, text: 'You wrote: "; touch pwned #\n$(id)' }]],
}

/**
 * The requests to the workflows of the pages, if the default request is not enough or a certain
 * result is required: by page and file name or, for a part of a workflow, by the heading above it.
 */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'README.md hello': { body: { hello: 'world' }, prints: ['Hello, world'] },
  'docs/start/telegram-bot.md bot': ECHO,
  'docs/start/telegram-bot.md bot-webhook': ECHO,
  'docs/guides/reply.md chat-ops': {
    message: {
      ...{ text: '/deploy@my_bot staging', from: PERSON, chat: GROUP },
      entities: [{ type: 'bot_command', offset: 0, length: '/deploy@my_bot'.length }],
    },
    checkout: { 'deploy.sh': SCRIPT },
    prints: ['deployed staging'],
    calls: [[SEND, { chat_id: -1001234567890, text: 'staging, success' }]],
  },
  'docs/reference/compiler.md hook': { prints: ['order 1'] },
  'docs/guides/from-actionsflow.md feed': {
    event: { event: 'schedule', payload: { schedule: '17 * * * *' } },
    checkout: { 'read-feed.sh': '#!/bin/sh\necho "reading $1"\n' },
    prints: ['reading https://example.com/feed.xml'],
  },
  'docs/reference/config.md Only opened issues': { headers: { 'x-github-event': 'issues' } },
  'docs/reference/config.md A failure that jobs learn of': { body: { lines: [{ price: 2 }] } },
  'docs/guides/reply.md Commands in Slack and Discord': {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'command=%2Fdeploy&text=staging&user_id=U0123ABC&team_id=T1&channel_id=C1&trigger_id=1.2&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1%2F1%2Fx',
  },
  'docs/guides/filter-events.md Filter by the content': {
    headers: { 'x-github-event': 'issues' },
    body: { action: 'opened', issue: { user: { login: 'ada' } }, total: 10, limit: 2 },
  },
  'docs/guides/use-event-data.md issues': {
    body: { action: 'opened', issue: { title: '"; touch pwned', labels: [{ name: 'urgent' }] } },
    prints: ['New issue - "; touch pwned\n', 'The issue is urgent.'],
  },
  'docs/guides/use-event-data.md In a later job': {
    body: { hello: 'world' },
    prints: ['Hello, world'],
  },
  'docs/guides/use-event-data.md hello': { body: { hello: 'world' }, prints: ['Hello, world'] },
  'docs/guides/use-event-data.md services': {
    body: { services: ['mail', 'web; id'] },
    prints: ['restarting mail\nrestarting web; id\n'],
  },
  'docs/guides/use-event-data.md notify': {
    event: { event: 'workflow_call', payload: {} },
    call: { title: 'It breaks; id' },
    prints: ['notify - It breaks; id\n'],
  },
  'docs/guides/use-event-data.md caller': {
    body: { title: 'It breaks; id' },
    prints: ['notify - It breaks; id\n'],
  },
  'docs/guides/use-event-data.md In a script': {
    body: { title: '', issue: { labels: [{ name: 'urgent; id' }] } },
  },
  'docs/guides/use-event-data.md labels': {
    body: { issue: { labels: [{ name: 'urgent; id' }] } },
    prints: ['urgent; id\n'],
  },
  'docs/guides/verify-signatures.md 1. How does the sender authenticate a request?': {
    body: { id: 1 },
    signs: ['x-acme-signature', 'sha256='],
  },
  'docs/guides/many-workflows.md hub': { rest: '/orders', prints: ['order 1'] },
  'docs/guides/test-in-ci.md test-workflows': {
    event: { event: 'pull_request', payload: {} },
    checkout: { 'workflows/triage.yml': TRIAGE },
    prints: ['1 workflow file: no problems', 'true'],
  },
  'docs/guides/test-in-ci.md check': {
    event: { event: 'pull_request', payload: {} },
    checkout: { 'workflows/triage.yml': TRIAGE },
    prints: ['1 workflow file: no problems'],
  },
  'docs/guides/test-in-ci.md code-scanning': {
    event: { event: 'pull_request', payload: {} },
    checkout: { 'workflows/triage.yml': TRIAGE },
  },
  'docs/guides/receive-files.md upload': {
    body: { report: { filename: 'a.bin', size: 5, content: 'aGVsbG8=' } },
    prints: ['5 report.bin'],
  },
  'docs/guides/recipes.md release': {
    headers: { 'x-github-event': 'release' },
    body: { action: 'published', release: { tag_name: 'v1.2.3', prerelease: false } },
    checkout: { 'deploy.sh': SCRIPT },
    prints: ['deployed v1.2.3'],
  },
  'docs/guides/recipes.md order': {
    body: { order: 7, status: '$(touch pwned)' },
    prints: ['order 7 is $(touch pwned)'],
  },
  'docs/guides/reply.md chat-build': {
    message: { from: PERSON, message_id: 5 },
    checkout: { 'build.sh': '#!/bin/sh\necho built\n' },
    prints: ['built'],
    calls: [
      [
        SEND,
        {
          text: 'success, https://github.com/octo/repo/actions/runs/1',
          reply_parameters: { message_id: 5 },
        },
      ],
    ],
  },
  'docs/guides/reply.md ask': {
    event: { event: 'workflow_dispatch', payload: {} },
    call: { version: 'v1.2.3' },
    vars: { APPROVERS_CHAT: '-1001234567890' },
    calls: [
      [
        SEND,
        {
          chat_id: '-1001234567890',
          text: 'Deploy v1.2.3?',
          reply_markup: {
            inline_keyboard: [[{ text: 'Approve', callback_data: 'deploy v1.2.3' }]],
          },
        },
      ],
    ],
  },
  'docs/guides/reply.md approve': {
    update: [
      'callback_query',
      {
        id: '42',
        from: PERSON,
        chat_instance: '1',
        data: 'deploy v1.2.3',
        message: { message_id: 6, date: 1, chat: GROUP, text: 'Deploy v1.2.3?' },
      },
    ],
    checkout: { 'deploy.sh': SCRIPT },
    prints: ['deployed v1.2.3'],
    calls: [
      [/answerCallbackQuery$/, { callback_query_id: '42' }],
      [SEND, { chat_id: -1001234567890, text: 'On its way' }],
    ],
  },
  'docs/guides/recipes.md digest': {
    schedule: '0 7 * * 1-5',
    message: { from: PERSON, text: 'Lunch?' },
    prints: ['Ada: Lunch?'],
  },
  // A message without Amazon's signature starts nothing; __tests__/triggers/verify has signed
  // messages.
  'docs/senders/aws-sns.md aws-sns': { triggered: false },
  'docs/senders/README.md CloudEvents': {
    rest: '?key=value-of-CLOUDEVENTS_KEY',
    headers: { 'content-type': 'application/cloudevents+json' },
    body: { specversion: '1.0', id: '1', source: '/s', type: 'com.example.created' },
  },
  'docs/senders/README.md Docker Hub': {
    body: { push_data: { tag: 'v1.2.3' }, repository: { repo_name: 'octo/app' } },
  },
  'docs/senders/README.md WebSub': {
    headers: { 'content-type': 'application/atom+xml' },
    body: '<feed/>',
    signs: ['x-hub-signature', 'sha256='],
  },
  'docs/senders/slack.md slack': {
    headers: { 'content-type': 'application/json' },
    body: { type: 'event_callback', event_id: 'Ev1', event: { type: 'app_mention', text: 'now' } },
  },
  'docs/senders/standard-webhooks.md standard-webhooks': { body: { type: 'invoice.paid' } },
}
