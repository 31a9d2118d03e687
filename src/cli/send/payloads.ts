/** What differs from one delivery to the next. */
export interface Delivery {
  /** A UUID. */
  readonly id: string
  readonly now: Date
}

interface Payload {
  /** Lower-case names, besides the content type. */
  readonly headers?: Readonly<Record<string, string>>
  /** Text as it stands, a form; an object is sent as JSON. */
  readonly body: string | object
}

export type Make = (delivery: Delivery) => Payload

/**
 * A request of each sender, by `<sender>.<event>`, in the shape that its documentation gives: its page
 * stands in the table of schemes.
 */
export const PAYLOADS: Readonly<Record<string, Make>> = {
  'bitbucket.push': ({ id }) => ({
    headers: { 'x-event-key': 'repo:push', 'x-request-uuid': id, 'x-attempt-number': '1' },
    body: {
      actor: { display_name: 'Ada', type: 'user' },
      repository: { name: 'hello', full_name: 'octo/hello', type: 'repository' },
      push: { changes: [{ new: { type: 'branch', name: 'main' }, created: false, forced: false }] },
    },
  }),
  'jira.issue_created': ({ id, now }) => ({
    headers: { 'x-atlassian-webhook-identifier': id },
    body: {
      timestamp: now.getTime(),
      webhookEvent: 'jira:issue_created',
      issue: { id: '10002', key: 'ED-1', fields: { summary: 'Main order flow broken' } },
      user: { displayName: 'Ada' },
    },
  }),
  'linear.issue': ({ id, now }) => ({
    headers: { 'linear-delivery': id, 'linear-event': 'Issue' },
    body: {
      action: 'create',
      type: 'Issue',
      createdAt: now.toISOString(),
      data: { id: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9', title: 'A bug', identifier: 'ENG-1' },
      webhookTimestamp: now.getTime(),
      webhookId: '000042e3-d123-4980-b49f-8e140eef9329',
    },
  }),
  'sentry.issue': ({ id, now }) => ({
    headers: {
      'sentry-hook-resource': 'issue',
      'sentry-hook-timestamp': String(seconds(now)),
      'request-id': id.replaceAll('-', ''),
    },
    body: {
      action: 'created',
      data: { issue: { id: '1170820242', title: 'ReferenceError', level: 'error' } },
      installation: { uuid: '7a485448-a9e2-4c85-8a3c-4f44175783c9' },
    },
  }),
  'circleci.workflow-completed': ({ id, now }) => ({
    headers: { 'circleci-event-type': 'workflow-completed' },
    body: {
      type: 'workflow-completed',
      id,
      happened_at: now.toISOString(),
      workflow: { name: 'build', status: 'success' },
      project: { slug: 'gh/octo/hello', name: 'hello' },
    },
  }),
  'buildkite.build.finished': () => ({
    headers: { 'x-buildkite-event': 'build.finished' },
    body: {
      event: 'build.finished',
      build: { id: 'f62a1b4d-10f9-4790-bc1c-e2c3a0c80983', number: 1, state: 'passed' },
      pipeline: { slug: 'hello', name: 'Hello' },
    },
  }),
  'vercel.deployment.succeeded': ({ id, now }) => ({
    body: {
      id,
      type: 'deployment.succeeded',
      createdAt: now.getTime(),
      payload: { deployment: { name: 'hello', url: 'hello-abc.vercel.app' }, target: 'production' },
    },
  }),
  'netlify.deploy_created': ({ id }) => ({
    headers: { 'x-netlify-event': 'deploy_created' },
    body: {
      id: id.replaceAll('-', '').slice(0, 24),
      state: 'ready',
      name: 'hello',
      branch: 'main',
    },
  }),
  'pagerduty.incident.triggered': ({ id, now }) => ({
    headers: { 'x-webhook-id': id },
    body: {
      event: {
        id,
        event_type: 'incident.triggered',
        resource_type: 'incident',
        occurred_at: now.toISOString(),
        data: { id: 'PGR0VU2', type: 'incident', title: 'A little bump', status: 'triggered' },
      },
    },
  }),
  'notion.page.created': ({ id, now }) => ({
    body: {
      id,
      timestamp: now.toISOString(),
      type: 'page.created',
      entity: { id: '153104cd-477e-809d-8dc4-ff2d96ae3090', type: 'page' },
      attempt_number: 1,
    },
  }),
  'airtable.ping': ({ now }) => ({
    body: {
      base: { id: 'app00000000000000' },
      webhook: { id: 'ach00000000000000' },
      timestamp: now.toISOString(),
    },
  }),
  'monday.create_pulse': ({ id }) => ({
    body: {
      event: {
        type: 'create_pulse',
        userId: 9603417,
        boardId: 1771812698,
        pulseId: 1772099344,
        pulseName: 'Create a webhook',
        triggerUuid: id.replaceAll('-', ''),
      },
    },
  }),
  'asana.changed': ({ now }) => ({
    body: {
      events: [
        {
          action: 'changed',
          created_at: now.toISOString(),
          resource: { gid: '1337', resource_type: 'task' },
          change: { field: 'name', action: 'changed' },
        },
      ],
    },
  }),
  'smartsheet.updated': ({ id, now }) => ({
    body: {
      nonce: id,
      timestamp: now.toISOString(),
      webhookId: 4503604829677444,
      scope: 'sheet',
      scopeObjectId: 5285246604863364,
      events: [{ objectType: 'row', eventType: 'updated', id: 5087906221582212 }],
    },
  }),
  'contentful.publish': () => ({
    headers: {
      'content-type': 'application/vnd.contentful.management.v1+json',
      'x-contentful-topic': 'ContentManagement.Entry.publish',
    },
    body: { sys: { type: 'Entry', id: '5KsDBWseXY6QegucYAoacS', revision: 1 }, fields: {} },
  }),
  'dropbox.list_folder': () => ({
    body: { list_folder: { accounts: ['dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc'] } },
  }),
  'microsoft-graph.created': () => ({
    body: {
      value: [
        {
          subscriptionId: '7f105c7d-2dc5-4530-97cd-4e7ae6534c07',
          changeType: 'created',
          resource: 'users/1/messages/2',
        },
      ],
    },
  }),
  'azure-event-grid.blob_created': ({ id, now }) => ({
    headers: { 'aeg-event-type': 'Notification' },
    body: [
      {
        id,
        topic: '/subscriptions/1/resourceGroups/a/providers/Microsoft.Storage/storageAccounts/b',
        subject: '/blobServices/default/containers/c/blobs/d.txt',
        eventType: 'Microsoft.Storage.BlobCreated',
        eventTime: now.toISOString(),
        data: { api: 'PutBlob', contentType: 'text/plain' },
      },
    ],
  }),
  'okta.user.session.start': ({ id, now }) => ({
    body: {
      eventType: 'com.okta.event_hook',
      eventId: id,
      eventTime: now.toISOString(),
      data: { events: [{ eventType: 'user.session.start', displayMessage: 'User login to Okta' }] },
    },
  }),
  'discord.application_authorized': ({ now }) => ({
    body: {
      version: 1,
      application_id: '1234560123453231555',
      type: 1,
      event: {
        type: 'APPLICATION_AUTHORIZED',
        timestamp: now.toISOString(),
        data: { integration_type: 1, scopes: ['applications.commands'] },
      },
    },
  }),
  'twilio.message': ({ id }) => ({
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'i-twilio-idempotency-token': id,
    },
    body: new URLSearchParams({
      MessageSid: `SM${id.replaceAll('-', '')}`,
      From: '+14158675310',
      To: '+18005551212',
      Body: 'Hello & welcome',
      SmsStatus: 'received',
    }).toString(),
  }),
  'zoom.meeting.started': ({ now }) => ({
    body: {
      event: 'meeting.started',
      event_ts: now.getTime(),
      payload: { account_id: 'AAAAAABBBB', object: { id: '1234567890', topic: 'My Meeting' } },
    },
  }),
  'meta.whatsapp_message': ({ id, now }) => ({
    body: {
      object: 'whatsapp_business_account',
      entry: [
        {
          id: '102290129340398',
          changes: [
            {
              field: 'messages',
              value: {
                messaging_product: 'whatsapp',
                messages: [
                  {
                    from: '16505551234',
                    id: `wamid.${id}`,
                    timestamp: String(seconds(now)),
                    type: 'text',
                    text: { body: 'Hello' },
                  },
                ],
              },
            },
          ],
        },
      ],
    },
  }),
  'twitch.stream.online': ({ id, now }) => ({
    headers: {
      'twitch-eventsub-message-id': id,
      'twitch-eventsub-message-type': 'notification',
      'twitch-eventsub-subscription-type': 'stream.online',
    },
    body: {
      subscription: { id: 'f1c2a387-161a-49f9-a165-0f21d7a4e1c4', type: 'stream.online' },
      event: { broadcaster_user_login: 'cooler_user', type: 'live', started_at: now.toISOString() },
    },
  }),
  'intercom.conversation.user.created': ({ id, now }) => ({
    body: {
      type: 'notification_event',
      id: `notif_${id}`,
      topic: 'conversation.user.created',
      created_at: seconds(now),
      data: { item: { type: 'conversation', id: '1', state: 'open' } },
    },
  }),
  'zendesk.ticket.created': ({ id, now }) => ({
    headers: { 'x-zendesk-webhook-invocation-id': id, 'x-zendesk-account-id': '123456' },
    body: {
      id,
      type: 'zen:event-type:ticket.created',
      time: now.toISOString(),
      subject: 'zen:ticket:12345',
      detail: { id: '12345', subject: 'Help, I need somebody', status: 'OPEN' },
    },
  }),
  'sendgrid.delivered': ({ id, now }) => ({
    body: [
      {
        email: 'ada@example.com',
        timestamp: seconds(now),
        event: 'delivered',
        sg_event_id: id,
        sg_message_id: '14c5d75ce93.dfd.64b469.filter0001',
      },
    ],
  }),
  'mailgun.delivered': ({ id, now }) => ({
    body: {
      'event-data': {
        id,
        event: 'delivered',
        timestamp: now.getTime() / 1000,
        recipient: 'ada@example.com',
        message: { headers: { subject: 'Hello' } },
      },
    },
  }),
  'resend.email.delivered': ({ now }) => ({
    body: {
      type: 'email.delivered',
      created_at: now.toISOString(),
      data: {
        email_id: '56761188-7520-42d8-8898-ff6fc54ce618',
        subject: 'Hello',
        to: ['a@b.example'],
      },
    },
  }),
  'google-form.response': ({ id, now }) => ({
    body: {
      event_id: id,
      event_type: 'form_response',
      form_response: {
        form_id: '1FAIpQLSd',
        submitted_at: now.toISOString(),
        definition: { title: 'Contact', fields: [{ id: '1', title: 'Name', type: 'TEXT' }] },
        answers: [{ type: 'text', text: 'Ada', field: { id: '1', type: 'TEXT' } }],
      },
    },
  }),
  'calendly.invitee.created': ({ now }) => ({
    body: {
      event: 'invitee.created',
      created_at: now.toISOString(),
      payload: { email: 'ada@example.com', name: 'Ada', status: 'active' },
    },
  }),
  'aws-sns.notification': ({ id, now }) => ({
    headers: {
      'content-type': 'text/plain; charset=UTF-8',
      'x-amz-sns-message-type': 'Notification',
    },
    body: {
      Type: 'Notification',
      MessageId: id,
      TopicArn: 'arn:aws:sns:us-west-2:123456789012:MyTopic',
      Subject: 'My First Message',
      Message: 'Hello world!',
      Timestamp: now.toISOString(),
    },
  }),
}

export function seconds(now: Date): number {
  return Math.floor(now.getTime() / 1000)
}
