import { describe, expect, test } from '@jest/globals'
import { evaluate } from '../../src/engine/evaluate-event.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { bodyBytes } from '../../src/wire/bytes.ts'
import type { Json } from '../../src/wire/json.ts'
import { type ClientPayload, HEADER } from '../../src/wire/payload.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'
import { itemOf } from '../action/step.ts'
import { runInShared } from '../support/action.ts'
import { testPorts } from '../support/ports.ts'
import { RUNTIMES } from '../support/relays.ts'
import { scene, TOKEN } from '../support/scene.ts'
import { gitHubDeliveries, OTHER_SENDERS, type Recorded, signature } from './recorded.ts'

const ON = 'webhook: {path: "{/*rest}"}'

/** GitHub has many examples: all go through the relay, only these also through the built action. */
const THROUGH_THE_ACTION = gitHubDeliveries().filter(({ name }) =>
  ['push 0 of GitHub', 'issues 0 of GitHub', 'pull_request 0 of GitHub'].includes(name),
)

function receivedBytes({ body, headers }: ClientPayload): Promise<Uint8Array> {
  return bodyBytes(typeof body === 'string' ? body : '', headers[HEADER.bodyEncoding])
}

/** GitHub's event for a dispatch: the dispatch, and GitHub's own fields. */
function eventOf(dispatch: string) {
  const { event_type, client_payload } = JSON.parse(dispatch)
  return { action: event_type, branch: 'main', client_payload, repository: {}, sender: {} }
}

describe.each(RUNTIMES)('from the sender by way of the relay on %s', (_, start) => {
  const at = scene(start)

  /** Sends a request, compares GitHub's copy byte for byte, and returns the dispatch. */
  async function relayed({ method, suffix = '', headers, bytes }: Recorded): Promise<string> {
    at.github.reset()
    const target = `/octo/repo/hook/webhook${suffix}`
    const answer = await at.send({ method, target, headers, body: bytes })
    expect(answer).toMatchObject({ status: 200, body: '{"success":true}' })
    const [call, ...more] = at.github.calls
    expect(more).toEqual([])
    expect(call).toMatchObject({
      method: 'POST',
      url: '/repos/octo/repo/dispatches',
      violations: [],
    })
    const [payload] = at.payloads()
    if (!call || !payload) throw new Error('nothing was dispatched')
    expect(payload).toMatchObject({ path: `hook/webhook${suffix}`, method })
    expect(Buffer.from(await receivedBytes(payload)).equals(bytes)).toBe(true)
    expect(call.body).not.toContain(TOKEN)
    return call.body
  }

  test.each([...OTHER_SENDERS, ...THROUGH_THE_ACTION])('to the action: $name', async (request) => {
    const event = eventOf(await relayed(request))
    const run = await runInShared({
      event: 'repository_dispatch',
      payload: event,
      inputs: { on: ON },
    })
    const item = itemOf(run)
    expect(run.outputs).toMatchObject({ method: request.method.toLowerCase(), workflow: 'hook' })
    expect(item.body).toEqual(request.body)
    const sent = request.headers.map(([name, value]) => [name.toLowerCase(), value])
    expect(item.headers).toMatchObject(Object.fromEntries(sent))
    expect(run.outputs.delivery).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Date(run.outputs['received-at'] ?? '').getTime()).toBeGreaterThan(0)
  })

  test('to the trigger: an example of every event of GitHub, with its signature', async () => {
    const source = { name: 'on', file: '', text: ON }
    const contexts = { secrets: {}, vars: {}, github: {}, env: {} }
    const find = () => readOnSection('hook', source, { contexts, triggers: TRIGGERS })
    const workflows = { calling: 'hook', names: () => ['hook'], find }
    const deliveries = gitHubDeliveries()
    expect(deliveries.length).toBeGreaterThan(300)
    const firstOfEach = deliveries.filter(({ name }) => / 0 of GitHub$/.test(name))
    expect(firstOfEach.length).toBeGreaterThan(40)
    for (const delivery of deliveries) {
      const payload: Json = eventOf(await relayed(delivery))
      const { items } = await evaluate(
        { name: 'repository_dispatch', payload },
        workflows,
        testPorts(),
      )
      const [item] = items
      expect(item?.body).toEqual(delivery.body)
      const [forwarded] = at.payloads()
      const signed = forwarded && signature(await receivedBytes(forwarded))
      expect(forwarded?.headers['x-hub-signature-256']).toBe(`sha256=${signed}`)
    }
  })
})

test('a dispatch that GitHub’s description does not allow would be seen', async () => {
  const { checkCall } = await import('../support/openapi.ts')
  const url = '/repos/octo/repo/dispatches'
  expect(checkCall('POST', url, '{"event_type":"webhook","client_payload":{}}').violations).toEqual(
    [],
  )
  for (const body of ['{"client_payload":{}}', '{"event_type":"webhook","client_payload":"x"}']) {
    expect(checkCall('POST', url, body).violations).not.toEqual([])
  }
})
