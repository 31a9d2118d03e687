import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { runInShared } from '../support/action.ts'
import { batchDispatch, json } from '../support/batches.ts'
import { compileText } from './support/compiled.ts'
import { evaluate, fillIn } from './support/evaluate.ts'
import { parserErrors } from './support/github.ts'

const source = (config: string, on = '') => `on:
${on}  webhook:
    path: /doc/:id
    config: {${config}}
jobs:
  index:
    runs-on: ubuntu-latest
    steps:
      - run: echo "$ID"
        env:
          ID: \${{ on.webhook.outputs.params.id }}
          ALL: \${{ toJSON(on.webhook.outputs) }}
`

describe('a webhook', () => {
  test.each([
    ['batch: true', false],
    ['batch: true, outputsMode: separate', false],
    ['batch: true, outputsMode: combine', true],
    ['batch: false', true],
    ['outputsMode: combine', true],
    ['batch: true, active: false', true],
  ])('with {%s} is one file: %s', async (config, expected) => {
    const other = config.includes('active') ? '  push:\n' : ''
    const { main, jobs, isOne } = await compileText(source(config, other))
    expect(isOne).toBe(expected)
    expect(await parserErrors('hook.yml', main)).toEqual([])
    if (!isOne) expect(await parserErrors('hook.jobs.yml', jobs)).toEqual([])
  })

  test.each(['repository', 'workflow'] as const)(
    'in batches is no other workflow’s, by dispatch: %s',
    async (dispatch) => {
      const alone = parse((await compileText(source('batch: true'), { dispatch })).main)
      const one = parse((await compileText(source('batch: false'), { dispatch })).main)
      // The condition is the same as without batches, because nothing polls.
      expect(alone.jobs.on.if).toBe(one.jobs.on.if)
      expect(alone.on).toEqual(one.on)
      expect(alone.jobs.on.concurrency).toBeUndefined()
    },
  )

  test('in batches beside an event of GitHub’s own: that runs the jobs once', async () => {
    const { main } = await compileText(source('batch: true', '  push:\n'))
    const { on, once } = parse(main).jobs
    const push = { github: { event_name: 'push', event: {} } }
    expect(evaluate(on.if, push)).toBe(false)
    expect(evaluate(once.if, push)).toBe(true)
    expect(JSON.parse(once.with.on)).toEqual({
      webhook: { outcome: 'skipped', conclusion: 'skipped', outputs: {} },
    })
  })
})

describe('a batch, compiled and run', () => {
  const events = ['1', '2', '3'].map((id) => json({ id }, { path: `hook/webhook/doc/${id}` }))
  const outputsOf = async (main: string) => {
    const { on } = parse(main).jobs
    const { name, payload } = await batchDispatch([
      ...events,
      json({}, { path: 'hook/webhook/no' }),
    ])
    expect(evaluate(on.if, { github: { event_name: name, event: payload } })).toBe(true)
    const ran = await runInShared({ event: name, payload, inputs: on.steps[0].with })
    expect([ran.exitCode, ran.stdout.match(/^::error.*/m)]).toEqual([0, null])
    const outputs = Object.entries(on.outputs).map(([key, value]) => [
      key,
      fillIn(String(value), { steps: { on: { outputs: ran.outputs } } }),
    ])
    return { on: { outputs: Object.fromEntries(outputs), result: 'success' } }
  }

  test('is a job for each of its events that fires', async () => {
    const { main, jobs } = await compileText(source('batch: true'))
    const needs = await outputsOf(main)
    const { each } = parse(main).jobs
    expect(evaluate(each.if, { needs })).toBe(true)
    const matrix = evaluate(each.strategy.matrix.on.slice(3, -2), { needs })
    const ids = (matrix as object[]).map((item) => {
      const inputs = { on: fillIn(each.with.on, { matrix: { on: item } }) }
      return fillIn(parse(jobs).jobs.index.steps[0].env.ID, { inputs })
    })
    expect(ids).toEqual(['1', '2', '3'])
  })

  test('with outputsMode: combine is one job with all of them', async () => {
    const { main } = await compileText(source('batch: true, outputsMode: combine'))
    const needs = await outputsOf(main)
    const { index } = parse(main).jobs
    expect(evaluate(index.if, { needs })).toBe(true)
    const all = JSON.parse(fillIn(index.steps[0].env.ALL, { needs }))
    expect(all.map(({ params }: { params: { id: string } }) => params.id)).toEqual(['1', '2', '3'])
  })
})
