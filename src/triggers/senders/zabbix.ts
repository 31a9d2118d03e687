import type { Facts, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Zabbix',
  scheme: 'bearer',
  secret: 'ZABBIX_TOKEN',
  shown: 'a token that you choose, which the script sends as `Authorization: Bearer …`',
  timeout: 'Zabbix waits 30 seconds, or for the *Timeout* of the media type.',
  retries: {
    when: 'yes',
    text: 'Zabbix makes three attempts, ten seconds apart, whenever the script throws. The script below throws after 4xx and 5xx.',
  },
  repeat: 'body.event_id',
  filter: { 'body.event_value': '1', 'body.event_update_status': '0' },
}

export const payloads: Payloads = {
  /** The parameters of docs/senders/zabbix.md. */
  problem: () => ({
    headers: { 'user-agent': 'Zabbix 7.4.0' },
    body: {
      event_id: '48213',
      event_value: '1',
      event_update_status: '0',
      event_name: 'High CPU utilization on web-2',
      event_severity: 'High',
      host: 'web-2',
      trigger_id: '23117',
    },
  }),
}

export const page: SenderPage = {
  isOwn: true,
  click: `*Alerts > Media types > Create media type*. Choose the type *Webhook*, and add the parameters \`url\` (the URL), \`token\` (your token), \`event_id\` (\`{EVENT.ID}\`), \`event_value\` (\`{EVENT.VALUE}\`), \`event_update_status\` (\`{EVENT.UPDATE.STATUS}\`), \`event_name\` (\`{EVENT.NAME}\`), \`event_severity\` (\`{EVENT.SEVERITY}\`), \`host\` (\`{HOST.NAME}\`) and \`trigger_id\` (\`{TRIGGER.ID}\`). Enter this script:

\`\`\`js
var event = JSON.parse(value)
var request = new HttpRequest()
request.addHeader('Content-Type: application/json')
request.addHeader('Authorization: Bearer ' + event.token)
var url = event.url
delete event.url
delete event.token
request.post(url, JSON.stringify(event))
if (request.getStatus() < 200 || request.getStatus() > 299) {
  throw 'unexpected status ' + request.getStatus()
}
return 'OK'
\`\`\`

Under *Message templates*, add *Problem*. Give the media type to a user, and the user to an action under *Alerts > Actions > Trigger actions*.`,
  fire: ': choose *Test* next to the media type, with `1` as `event_value` and `0` as `event_update_status`.',
  filter:
    'The workflow runs when a problem begins: `body.event_value` is `1`, not `0` for a recovery, and `body.event_update_status` is `0`, not `1` for an update. Zabbix sends all parameters as strings.',
  outputs: 'The body contains the parameters of the media type, without `url` and `token`.',
  notes:
    'Zabbix sends one request for each user and each step of an escalation. All of them have the same `event_id`, so drop duplicates, or give the media type to one user only.',
}
