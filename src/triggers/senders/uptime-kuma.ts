import type { Facts, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Uptime Kuma',
  scheme: 'token',
  options: { header: 'x-kuma-token' },
  secret: 'UPTIME_KUMA_TOKEN',
  shown: 'a token that you choose, which Uptime Kuma sends in the header `X-Kuma-Token`',
  timeout: 300,
  retries: { when: 'no', text: 'Uptime Kuma does not retry, whatever the response is.' },
  filter: { 'body.heartbeat.status': 0, 'body.heartbeat.important': true },
}

export const payloads: Payloads = {
  /** https://github.com/louislam/uptime-kuma/blob/2.5.3/server/notification-providers/webhook.js */
  down: ({ now }) => {
    const time = now.toISOString().replace('T', ' ').replace('Z', '')
    return {
      headers: { 'user-agent': 'Uptime-Kuma/2.5.3' },
      body: {
        heartbeat: {
          monitorID: 7,
          status: 0,
          time,
          msg: 'timeout of 5000ms exceeded',
          important: true,
          retries: 1,
          timezone: 'UTC',
          timezoneOffset: '+00:00',
          localDateTime: time.slice(0, 19),
        },
        monitor: {
          id: 7,
          name: 'docs',
          pathName: 'docs',
          url: 'https://docs.example.com/',
          type: 'http',
          method: 'GET',
          interval: 60,
          tags: [],
        },
        msg: '[docs] [🔴 Down] timeout of 5000ms exceeded',
      },
    }
  },
}

export const page: SenderPage = {
  click:
    '*Settings > Notifications > Setup Notification*. Choose *Webhook*, *POST* and *application/json*, and enter the URL. Turn on *Additional Headers*, and enter `{"X-Kuma-Token": "<your token>"}`.',
  fire: ': pause a monitor and let it fail, for example by a wrong port. *Test* sends a request without a monitor, which the filter drops.',
  filter:
    'The workflow runs when a monitor goes down: `body.heartbeat.status` is 0, and `body.heartbeat.important` is `true`. The value 1 means up, 2 pending, and 3 maintenance. The reminders of *Resend Notification* are not important, and neither is a test.',
  outputs: '`body.monitor` is the monitor, and `body.msg` describes the event.',
  notes:
    'With *multipart/form-data*, the body has one field `data`, which contains the JSON as a string; with *GET*, the query contains the JSON; a *Custom Body* is sent as a form. The filter fits only *application/json*.',
}
