import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Uptime Kuma',
  scheme: 'token',
  options: { header: 'x-kuma-token' },
  secret: 'UPTIME_KUMA_TOKEN',
  shown: 'a token that you choose, which Uptime Kuma sends in the header `X-Kuma-Token`',
  filter: { 'body.heartbeat.status': 0, 'body.heartbeat.important': true },
  click:
    '*Settings > Notifications > Setup Notification*. Choose *Webhook*, *POST* and *application/json*, and enter the URL. Turn on *Additional Headers*, and enter `{"X-Kuma-Token": "<your token>"}`.',
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
