import { describe, expect, test } from '@jest/globals'
import { evaluate } from '../../src/engine/evaluate-event.ts'
import { dispatchEvent, runAction, runInShared } from '../support/action.ts'
import { testPorts } from '../support/ports.ts'
import { fc } from '../support/properties.ts'
import { queueOf, queueWorkflow, sourceOf } from '../support/queue-trigger.ts'
import { payload } from './step.ts'

/** The event of a workflow that was started with the input `hookline`. */
function started(hookline: unknown) {
  return { event: 'workflow_dispatch', payload: { inputs: { hookline }, ref: 'refs/heads/main' } }
}

const ON = { inputs: { on: 'webhook: {path: "/user/:id"}' } }

const SENT = [
  payload({
    path: 'hook/webhook/user/7?a=1&a=2',
    headers: {
      'content-type': 'application/json',
      'x-hookline-delivery': '0b8f6a3e-5d0c-4b3e-9d53-6a3f1f0f2a11',
      'x-hookline-received-at': '2026-11-20T10:00:00.000Z',
    },
    body: '{"id": 12345678901234567890, "text": "a\\r\\nb \u2028 ü 🎉"}',
  }),
  payload({
    path: 'hook/webhook/user/7',
    headers: { 'x-hookline-body-encoding': 'base64' },
    body: '/wCA',
  }),
  payload({ path: 'hook/webhook/elsewhere' }),
  payload({ path: 'other/webhook' }),
  { path: 'hook/webhook/user/1', body: { id: 1 } },
  { method: 'POST' },
]

describe('a webhook in the input hookline of a workflow_dispatch', () => {
  test.each(SENT.map((sent) => [sent]))('is that of the repository_dispatch: %j', async (sent) => {
    const byEvent = await runInShared({ ...dispatchEvent(sent), ...ON })
    const direct = await runInShared({ ...started(JSON.stringify(sent)), ...ON })
    expect(direct.outputs).toEqual(byEvent.outputs)
    expect(direct.summary).toBe(byEvent.summary)
    expect([direct.exitCode, direct.stdout]).toEqual([byEvent.exitCode, byEvent.stdout])
  })

  test('has the same outputs whatever it holds', async () => {
    const workflows = sourceOf(queueWorkflow(queueOf(0)))
    const property = fc.asyncProperty(fc.json(), async (text) => {
      const sent = { path: 'hook/queue', body: JSON.parse(text) }
      const dispatched = {
        name: 'repository_dispatch',
        payload: { action: 'webhook', client_payload: sent },
      }
      const inputs = { hookline: JSON.stringify(sent) }
      const direct = { name: 'workflow_dispatch', payload: { inputs } }
      expect(await evaluate(direct, workflows, testPorts())).toEqual(
        await evaluate(dispatched, workflows, testPorts()),
      )
    })
    await fc.assert(property, { numRuns: 300 })
  })

  test.each([['{"path":'], ['hello']])(
    'that is no JSON fires nothing, and says so: %s',
    async (text) => {
      const { exitCode, outputs, summary, stdout } = await runInShared({ ...started(text), ...ON })
      expect([exitCode, outputs.triggered, outputs.items]).toEqual([0, 'false', '[]'])
      expect(summary).toContain('the input hookline of this workflow_dispatch is not JSON')
      expect(stdout).not.toContain(text)
    },
  )

  test('without a path is an error that says what to write', async () => {
    const { summary } = await runAction({ ...started('{"body":{}}'), ...ON })
    expect(summary).toContain('client_payload.path is missing')
    expect(summary).toContain(
      '<code>{&#34;path&#34;: &#34;hook/webhook&#34;, &#34;body&#34;: …}</code>',
    )
  })
})

test.each([[undefined], [null], [''], [' \n']])(
  'an input %j is a manual run: a bot polls',
  async (hookline) => {
    const queue = queueOf(2)
    const event = { name: 'workflow_dispatch', payload: { inputs: { hookline: hookline ?? null } } }
    const { items } = await evaluate(event, sourceOf(queueWorkflow(queue)), testPorts())
    expect([items.length, queue.polls]).toEqual([2, 1])
  },
)
