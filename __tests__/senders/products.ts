import { exampleOf } from '../../src/cli/send/example-events.ts'
import type { Json } from '../../src/wire/json.ts'

/** A request of a self-hosted program, as it is on the wire, and what becomes of it. */
export interface ProductRequest {
  readonly sender: string
  readonly name: string
  readonly method?: string
  readonly query?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Values of the output `on`, by path below `webhook.outputs`; absent if nothing fires. */
  readonly outputs?: Readonly<Record<string, Json>>
}

/** The secret of each program in the repository, and the header that contains it. */
export const LOGIN = 'robot:a-password-of-32-letters-and-digits'
export const TOKEN = 'a-token-of-32-letters-and-digits-ok'
export const CREDENTIALS: Readonly<
  Record<string, readonly [secret: string, header: string, value: string]>
> = {
  basic: [LOGIN, 'Authorization', `Basic ${Buffer.from(LOGIN).toString('base64')}`],
  bearer: [TOKEN, 'Authorization', `Bearer ${TOKEN}`],
  token: [TOKEN, 'X-Kuma-Token', TOKEN],
}

const JSON_TYPE = { 'Content-Type': 'application/json' }
const REGISTRY_TYPE = { 'Content-Type': 'application/vnd.docker.distribution.events.v1+json' }
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' }
const GOT = { 'user-agent': 'got (https://github.com/sindresorhus/got)', ...JSON_TYPE }
const KUMA = {
  Accept: 'application/json, text/plain, */*',
  'User-Agent': 'Uptime-Kuma/2.5.3',
  ...JSON_TYPE,
}
const BOUNDARY = '--------------------------193847261029384756102938'

/** The example of `send`, changed. */
function example(sender: string, change: (body: Record<string, never>) => unknown): string {
  const made = exampleOf(sender)?.request({
    id: 'c3a1f0de-58f4-4c05-a5a0-6ff0a3a3d6a1',
    now: new Date('2026-11-20T08:15:30.250Z'),
  })
  return JSON.stringify(change(JSON.parse(JSON.stringify(made?.body))))
}

const same = (body: unknown) => body

function kumaBody(status: number, isImportant: boolean): string {
  return example('uptime-kuma', ({ heartbeat, ...rest }) => ({
    ...rest,
    heartbeat: { ...Object(heartbeat), status, important: isImportant },
  }))
}

const KUMA_TEST = '{"heartbeat":null,"monitor":null,"msg":"shop Testing"}'

function registryBody(action: string, target: object): string {
  const event = {
    id: '0c2d6f0b-9a3a-4e6f-a4cc-3b6c8b1f8d77',
    timestamp: '2026-11-20T08:15:30.250000001Z',
    action,
    target: { size: 91, digest: `sha256:${'5f'.repeat(32)}`, repository: 'team/web', ...target },
    request: { id: '1', addr: '192.0.2.7', host: 'registry.example.com', method: 'PUT' },
    actor: {},
    source: { addr: 'registry:5000', instanceID: '2' },
  }
  return JSON.stringify({ events: [event] }, null, 3)
}

const MANIFEST = { mediaType: 'application/vnd.oci.image.manifest.v1+json' }
const BLOB = { mediaType: 'application/octet-stream' }

export const PRODUCT_REQUESTS: readonly ProductRequest[] = [
  {
    sender: 'alertmanager',
    name: 'alerts that fire',
    headers: { 'User-Agent': 'Alertmanager/0.28.1', ...JSON_TYPE },
    body: example('alertmanager', same),
    outputs: {
      'body.status': 'firing',
      'body.groupKey': '{}:{alertname="DiskFull"}',
      'body.alerts.0.labels.instance': 'db-1:9100',
    },
  },
  {
    sender: 'alertmanager',
    name: 'alerts that are resolved',
    headers: JSON_TYPE,
    body: example('alertmanager', (body) => ({ ...body, status: 'resolved' })),
  },
  {
    sender: 'uptime-kuma',
    name: 'a monitor that goes down',
    headers: KUMA,
    body: kumaBody(0, true),
    outputs: { 'body.monitor.name': 'docs', 'body.heartbeat.status': 0 },
  },
  { sender: 'uptime-kuma', name: 'a monitor that goes up', headers: KUMA, body: kumaBody(1, true) },
  { sender: 'uptime-kuma', name: 'a reminder', headers: KUMA, body: kumaBody(0, false) },
  { sender: 'uptime-kuma', name: 'the button Test', headers: KUMA, body: KUMA_TEST },
  {
    sender: 'uptime-kuma',
    name: 'multipart/form-data',
    headers: { ...KUMA, 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: `--${BOUNDARY}\r\nContent-Disposition: form-data; name="data"\r\n\r\n${kumaBody(0, true)}\r\n--${BOUNDARY}--\r\n`,
  },
  {
    sender: 'uptime-kuma',
    name: 'a custom body',
    headers: { ...KUMA, ...FORM_TYPE },
    body: '{"Title":"Uptime Kuma docs","Body":"[docs] [🔴 Down] timeout"}',
  },
  {
    sender: 'uptime-kuma',
    name: 'GET',
    method: 'GET',
    query: `?msg=[docs]+Down&heartbeat=${encodeURIComponent('{"status":0,"important":true}')}`,
    headers: { 'User-Agent': 'Uptime-Kuma/2.5.3' },
    body: '',
  },
  {
    sender: 'docker-registry',
    name: 'the push of a tag',
    headers: REGISTRY_TYPE,
    body: registryBody('push', { ...MANIFEST, tag: '2.1.0' }),
    outputs: {
      'body.events.0.target.repository': 'team/web',
      'body.events.0.target.tag': '2.1.0',
    },
  },
  {
    sender: 'docker-registry',
    name: 'the push of a layer',
    headers: REGISTRY_TYPE,
    body: registryBody('push', BLOB),
  },
  {
    sender: 'docker-registry',
    name: 'the push of a manifest of one platform, without a tag',
    headers: REGISTRY_TYPE,
    body: registryBody('push', MANIFEST),
  },
  {
    sender: 'docker-registry',
    name: 'the pull of a tag',
    headers: REGISTRY_TYPE,
    body: registryBody('pull', { ...MANIFEST, tag: '2.1.0' }),
  },
  {
    sender: 'docker-registry',
    name: 'the deletion of a tag',
    headers: REGISTRY_TYPE,
    body: registryBody('delete', { tag: '2.1.0' }),
  },
  {
    sender: 'n8n',
    name: 'an item',
    headers: JSON_TYPE,
    body: example('n8n', same),
    outputs: { 'body.event': 'order.paid', 'body.data.order': 4711 },
  },
  {
    sender: 'node-red',
    name: 'a message',
    headers: GOT,
    body: example('node-red', same),
    outputs: { 'body.topic': 'cellar/pump', 'body.payload.amperes': 4.2 },
  },
  {
    sender: 'node-red',
    name: 'a message without an id',
    headers: GOT,
    body: '{"topic":"roof/wind","payload":{"speed":17.5,"unit":"m/s"},"at":1795870000123}',
    outputs: { 'body.payload.unit': 'm/s' },
  },
  {
    sender: 'zabbix',
    name: 'a problem',
    headers: JSON_TYPE,
    body: example('zabbix', same),
    outputs: { 'body.event_id': '48213', 'body.host': 'web-2' },
  },
  {
    sender: 'zabbix',
    name: 'a recovery',
    headers: JSON_TYPE,
    body: example('zabbix', (body) => ({ ...body, event_value: '0' })),
  },
  {
    sender: 'zabbix',
    name: 'an update of a problem',
    headers: JSON_TYPE,
    body: example('zabbix', (body) => ({ ...body, event_update_status: '1' })),
  },
  {
    sender: 'buildbot',
    name: 'the end of a build',
    headers: { 'User-Agent': 'Buildbot', ...JSON_TYPE },
    body: example('buildbot', same),
    outputs: { 'body.results': 2, 'body.builder.name': 'linux-x64' },
  },
  {
    sender: 'buildbot',
    name: 'the beginning of a build',
    headers: JSON_TYPE,
    body: example('buildbot', (body) => ({ ...body, complete: false, results: null })),
  },
  {
    sender: 'unleash',
    name: 'a flag that is turned on',
    headers: JSON_TYPE,
    body: example('unleash', same),
    outputs: { 'body.featureName': 'new-checkout', 'body.environment': 'production' },
  },
  {
    sender: 'unleash',
    name: 'the strategy of the same change',
    headers: JSON_TYPE,
    body: example('unleash', (body) => ({ ...body, id: 898, type: 'feature-strategy-add' })),
  },
  {
    sender: 'verdaccio',
    name: 'a publication',
    headers: GOT,
    body: example('verdaccio', same),
    outputs: { 'body.name': '@team/icons', 'body.version': '@team/icons@3.2.0' },
  },
  {
    sender: 'verdaccio',
    name: 'an unpublished version',
    headers: GOT,
    body: example('verdaccio', (body) => ({ ...body, type: 'unpublish' })),
  },
  {
    sender: 'verdaccio',
    name: 'GET',
    method: 'GET',
    query: '?%7B%22name%22%3A%22icons%22%7D=&body=%7B%22name%22%3A%22icons%22%7D',
    headers: GOT,
    body: '',
  },
  {
    sender: 'directus',
    name: 'a new item',
    headers: JSON_TYPE,
    body: example('directus', same),
    outputs: { 'body.collection': 'articles', 'body.key': 31, 'body.payload.title': 'Hello' },
  },
  {
    sender: 'directus',
    name: 'changed items',
    headers: JSON_TYPE,
    body: '{"event":"pages.items.update","payload":{"status":"draft"},"keys":["4","5"],"collection":"pages"}',
    outputs: { 'body.keys.1': '5' },
  },
  {
    sender: 'directus',
    name: 'a deleted item',
    headers: JSON_TYPE,
    body: '{"event":"pages.items.delete","payload":["4"],"keys":["4"],"collection":"pages"}',
  },
  {
    sender: 'apprise',
    name: 'a message',
    headers: { 'User-Agent': 'Apprise', ...JSON_TYPE },
    body: example('apprise', same),
    outputs: { 'body.title': 'Backup', 'body.type': 'failure' },
  },
]
