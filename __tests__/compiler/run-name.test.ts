import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { compileText } from './support/compiled.ts'
import { fillIn } from './support/evaluate.ts'
import { parserErrors } from './support/github.ts'

const JOBS = 'jobs: {a: {runs-on: x, steps: [{run: x}]}}\n'
const webhook = { event: { client_payload: { headers: { 'x-hookline-delivery': 'd1' } } } }

describe('a source without run-name', () => {
  test.each([
    ['on: webhook\n', 'repository', 'hook d1'],
    ['name: A\non: webhook\n', 'repository', 'hook d1'],
    ['---\n# about on\non: webhook\n', 'repository', 'hook d1'],
    ['---\nname: A\non: [webhook, push]\n', 'repository', 'hook d1'],
    ['on: [push, webhook]\n', 'workflow', 'hook d1'],
    ['on: {messaging_bot: {token: "1:a", webhook: "${{ vars.W }}"}}\n', 'repository', 'hook d1'],
  ] as const)('%j gets the delivery id of a webhook, by %s', async (on, dispatch, name) => {
    const { main } = await compileText(on + JOBS, { dispatch })
    expect(await parserErrors('hook.yml', main)).toEqual([])
    const { 'run-name': runName } = parse(main)
    const hookline = JSON.stringify({ headers: { 'x-hookline-delivery': 'd1' } })
    const given =
      dispatch === 'workflow'
        ? { github: {}, inputs: { hookline } }
        : { github: webhook, inputs: {} }
    expect(fillIn(runName, given)).toBe(name)
    if (!on.includes('push')) return
    // With an empty run-name, GitHub names the run of a push itself.
    expect(fillIn(runName, { github: { event: {} }, inputs: {} })).toBe('')
  })

  test('that no webhook starts gets none', async () => {
    const { main } = await compileText(`on: {messaging_bot: {token: "1:a"}}\n${JOBS}`)
    expect(parse(main)).not.toHaveProperty('run-name')
  })
})

test('a run-name of the source stays; without the delivery id it gets a notice', async () => {
  const text = (name: string) => `on: webhook\nrun-name: ${name}\n${JOBS}`
  const without = await compileText(text('deploy'))
  expect(parse(without.main)['run-name']).toBe('deploy')
  expect(without.notices).toEqual([expect.stringContaining('delivery id')])
  const id = "d ${{ github.event.client_payload.headers['x-hookline-delivery'] }}"
  expect((await compileText(text(id))).notices).toEqual([])
})
