import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Zabbix',
  scheme: 'bearer',
  secret: 'ZABBIX_TOKEN',
  shown: 'a token that you choose, which the script sends as `Authorization: Bearer …`',
  repeat: 'body.event_id',
  filter: { 'body.event_value': '1', 'body.event_update_status': '0' },
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
