import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'UptimeRobot',
  scheme: 'token',
  options: { field: 'secret' },
  secret: 'UPTIMEROBOT_SECRET',
  shown: 'a string that you choose, which UptimeRobot sends in the field `secret`',
  repeat: 'id',
  events: ['body.type', 'Down'],
  click:
    'add an integration of the kind *Webhook* (plan *Team* or *Enterprise*), and select it in your monitors. Enter the URL, with `?` at its end if UptimeRobot asks for one. Turn *Send as JSON* on and *Send default variables* off, and enter as *POST value* `{"secret": "<your string>", "id": "*monitorID*-*alertType*-*alertDateTime*", "monitor": "*monitorFriendlyName*", "type": "*alertTypeFriendlyName*", "details": "*alertDetails*"}`.',
}

export const payloads: Payloads = {
  /** The POST value of the page below, with values of UptimeRobot. */
  down: () => ({
    body: {
      secret: 'secret',
      id: '777712827-1-1735819445',
      monitor: 'shop.example.com',
      type: 'Down',
      details: 'Connection Timeout',
    },
  }),
}
