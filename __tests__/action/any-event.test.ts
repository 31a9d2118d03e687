import { describe, expect, test } from '@jest/globals'
import { type ActionResult, dispatchEvent, runInShared } from '../support/action.ts'
import { fc } from '../support/properties.ts'
import { anyPath } from '../support/text.ts'

const inputs = { on: 'webhook: {method: [get, post], path: "/:a{/:b}"}' }

/** A run must fire, skip, or show a message, but never crash with an internal error. */
function expectAnEnd({ exitCode, stdout, stderr, outputs }: ActionResult) {
  expect(stderr).toBe('')
  expect(stdout).not.toContain('internal error')
  if (exitCode === 0) expect(outputs.triggered).toMatch(/^(true|false)$/)
  else
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: expect.stringMatching(/^error: /) })
}

describe('an event of any shape through the built action', () => {
  test.each([
    ['null', null],
    ['a list', []],
    ['a number', 5],
    ['an empty object', {}],
    ['no client_payload', { action: 'webhook' }],
    ['an action of another type', { action: ['webhook'], client_payload: {} }],
  ])('%s: exit 0, skipped', async (_, event) => {
    const run = await runInShared({ event: 'repository_dispatch', payload: event, inputs })
    expect(run).toMatchObject({ exitCode: 0, stderr: '', outputs: { triggered: 'false' } })
  })

  test.each([
    ['null', null, 'client_payload is not an object'],
    ['a list', [{}], 'client_payload is not an object'],
    ['empty', {}, 'client_payload.path is missing, not a string'],
    ['a path that is an object', { path: {} }, 'client_payload.path is an object, not a string'],
    [
      'a method that is a number',
      { path: 'a', method: 5 },
      'client_payload.method is a number, not a string',
    ],
    [
      'headers that are a list',
      { path: 'a', headers: [] },
      'client_payload.headers is a list, not an object',
    ],
    [
      'headers that are text',
      { path: 'a', headers: 'x: y' },
      'client_payload.headers is a string that is not JSON',
    ],
    [
      'headers that are JSON null',
      { path: 'a', headers: 'null' },
      'client_payload.headers is null, not an object',
    ],
  ])('a client_payload that is %s: exit 0, skipped, with a warning', async (_, sent, message) => {
    const run = await runInShared({ ...dispatchEvent(sent), inputs })
    expect(run).toMatchObject({
      exitCode: 0,
      stderr: '',
      outputs: { triggered: 'false', items: '[]' },
    })
    expect(run.stdout).toBe(
      `::notice::no trigger fired: payload: ${message}\n::warning::${message}\n`,
    )
    expect(run.summary).toContain(`<b>Warning:</b> ${message}.`)
  })

  test('any JSON', async () => {
    for (const event of fc.sample(fc.jsonValue({ maxDepth: 4 }), 10)) {
      expectAnEnd(await runInShared({ event: 'repository_dispatch', payload: event, inputs }))
    }
  })

  test('any client_payload', async () => {
    const any = fc.jsonValue({ maxDepth: 2 })
    const part = fc.record(
      { path: fc.oneof(any, anyPath), method: any, headers: any, body: any },
      { requiredKeys: [] },
    )
    for (const sent of fc.sample(part, 10)) {
      expectAnEnd(await runInShared({ ...dispatchEvent(sent), inputs }))
    }
  })
})

test.each(['push', 'issues', 'schedule', ''])('any payload of the event "%s"', async (event) => {
  const [payload] = fc.sample(fc.jsonValue(), 1)
  expectAnEnd(await runInShared({ event, payload, inputs }))
})
