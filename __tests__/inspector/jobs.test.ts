import { describe, expect, test } from '@jest/globals'
import type { ShownJobs } from '../../src/inspector/api.ts'
import {
  type ConcernedFile,
  type ExplainedEvent,
  explainEvent,
  formatJobs,
} from '../../src/inspector/jobs.ts'

function file(text: string, kind: ConcernedFile['kind'] = 'native', name = 'a.yml'): ConcernedFile {
  return { source: { name, file: name, text }, kind }
}

const DISPATCHED = {
  name: 'repository_dispatch',
  payload: { action: 'webhook', client_payload: { path: 'hook/webhook' } },
}

function event(more: Partial<ExplainedEvent['origin']> = {}, items = 1): ExplainedEvent {
  const outputs = { body: { title: 'a' } }
  const context = { webhook: { outcome: 'success', conclusion: 'success', outputs } } as const
  return {
    items: Array(items).fill(context),
    origin: { event: DISPATCHED, outputs: { body: 'of the step' }, ...more },
  }
}

/** The values of `env` of the job `a`, and why it runs or not. */
function shown(given: ExplainedEvent, concerned: ConcernedFile) {
  const [{ jobs = [] } = {}] = explainEvent(given, [concerned])
  const [job] = jobs
  return [job?.verdict, job?.why, ...(job?.facts ?? []).map(({ outcome }) => outcome)]
}

const reading = (value: string, on = 'repository_dispatch') =>
  `on: ${on}\njobs: { a: { runs-on: x, env: { A: "\${{ ${value} }}" }, steps: [] } }`

const SENDER = { unknown: 'github.event.sender' }

describe('the jobs of files for an event', () => {
  test('are none if nothing was evaluated, and none for a file without jobs or with mistakes', () => {
    const good = file(reading('github.event_name'))
    expect(explainEvent({ items: [] }, [good])).toEqual([])
    const cyclic = `on: push\njobs: { a: { needs: b, runs-on: x }, b: { needs: a, runs-on: x } }`
    const files = [file('on: ['), file('on: push'), file(cyclic), good]
    expect(explainEvent(event(), files)).toEqual([
      {
        ...{ file: 'a.yml', items: 1 },
        jobs: [
          {
            ...{ id: 'a', line: 2, verdict: 'runs', why: 'no condition' },
            facts: [
              {
                ...{ line: 2, place: 'env.A', text: '${{ github.event_name }}' },
                outcome: { value: 'repository_dispatch' },
              },
            ],
          },
        ],
      },
    ])
  })

  test.each<[string, string, unknown]>([
    ['the event', 'github.event.action', { value: 'webhook' }],
    ['the payload', 'github.event.client_payload.path', { value: 'hook/webhook' }],
    ['a part of the event that only GitHub knows', 'github.event.sender.login', SENDER],
    ['an input, which only GitHub knows', 'inputs.hookline', { unknown: 'an input' }],
  ])('read %s', (_, value, outcome) => {
    expect(shown(event(), file(reading(value)))[2]).toEqual(outcome)
  })

  test.each<[string, string, unknown]>([
    ['the name', 'github.event_name', { value: 'workflow_dispatch' }],
    ['the input', 'inputs.hookline', { value: '{"path":"hook/webhook"}' }],
    [
      'the input in the event',
      'github.event.inputs.hookline',
      { value: '{"path":"hook/webhook"}' },
    ],
    ['no payload of another event', 'github.event.client_payload.path', { value: null }],
    ['a part that only GitHub knows', 'github.event.sender.login', SENDER],
  ])('of a file that listens for workflow_dispatch alone read %s', (_, value, outcome) => {
    const on = '{ workflow_dispatch: { inputs: { hookline: { type: string } } } }'
    expect(shown(event(), file(reading(value, on)))[2]).toEqual(outcome)
  })

  test.each<[string, string, string]>([
    [
      'both',
      '{ workflow_dispatch: { inputs: { hookline: {} } }, repository_dispatch: }',
      'webhook',
    ],
    ['another input', '{ workflow_dispatch: { inputs: { other: {} } } }', 'webhook'],
    ['no input', '{ workflow_dispatch: }', 'webhook'],
    ['it as text', 'workflow_dispatch', 'webhook'],
  ])('of a file that listens for %s read the repository_dispatch', (_, on, action) => {
    expect(shown(event(), file(reading('github.event.action', on)))[2]).toEqual({ value: action })
  })

  test('of a scheduled run read no payload, even if the file listens for workflow_dispatch', () => {
    const on = '{ workflow_dispatch: { inputs: { hookline: {} } } }'
    const scheduled = event({ event: { name: 'schedule', payload: {} } })
    const named = file(reading('github.event_name', on))
    expect(shown(scheduled, named)[2]).toEqual({ value: 'schedule' })
  })

  test.each<[string, number, readonly unknown[]]>([
    ['the first item', 2, ['runs', { value: 'a' }]],
    ['no item', 0, ['skipped']],
  ])('of a source read %s', (_, items, [verdict, ...outcomes]) => {
    const source = file(reading('on.webhook.outputs.body.title', 'webhook'), 'source')
    const [found, why, ...values] = shown(event({}, items), source)
    expect([found, ...values]).toEqual([verdict, ...outcomes])
    if (items === 0) expect(why).toBe('no trigger fired')
    expect(explainEvent(event({}, items), [source])[0]?.items).toBe(items)
  })

  test('of a native workflow run without items, and read the outputs of the step', () => {
    const text = `on: repository_dispatch
jobs:
  a:
    runs-on: x
    steps:
      - { id: hook, uses: hookline/hookline@v1, with: { on: webhook } }
      - { id: other, uses: actions/checkout@v6 }
      - { run: x, env: { A: "\${{ steps.hook.outputs.body }}" } }
      - { run: x, env: { A: "\${{ steps.other.outputs.body }}" } }
`
    expect(shown(event({}, 0), file(text)).slice(2)).toEqual([
      { value: 'of the step' },
      { unknown: 'an output of a step' },
    ])
  })
})

describe('jobs in words', () => {
  const fact = (outcome: ShownJobs['jobs'][number]['facts'][number]['outcome'], line = 7) => ({
    ...{ line, place: 'env.A', text: '', outcome },
  })
  const job = (
    id: string,
    verdict: ShownJobs['jobs'][number]['verdict'],
    more: Partial<ShownJobs['jobs'][number]> = {},
  ) => ({ id, line: 1, verdict, why: `why ${id}`, facts: [], ...more })

  test('are one line each, with their facts below', () => {
    const facts = [
      fact({ value: { a: '\u001b[2J' } }),
      fact({ fails: 'not\n a  number' }, 8),
      fact({ unknown: 'secrets.KEY' }, 9),
      fact({ value: 'x'.repeat(98) }, 10),
      fact({ value: 'x'.repeat(99) }, 11),
    ]
    const all = [
      { file: 'a.yml', items: 1, jobs: [job('say', 'runs', { facts }), job('longer', 'skipped')] },
      {
        ...{ file: 'b.yml', items: 2 },
        jobs: [
          job('a', 'unknown', { combinations: 3, why: 'one\n two\t\tthree' }),
          job('b', 'fails', { combinations: 0 }),
        ],
      },
    ]
    expect(formatJobs(all).split('\n')).toEqual([
      '  jobs of a.yml:',
      '    say     runs       why say',
      '      a.yml:7  env.A = {"a":"\\u001b[2J"}',
      '      a.yml:8  env.A fails: not a number',
      '      a.yml:9  env.A not known here: secrets.KEY',
      `      a.yml:10  env.A = "${'x'.repeat(98)}"`,
      `      a.yml:11  env.A = "${'x'.repeat(99)}…`,
      '    longer  skipped    why longer',
      '  jobs of b.yml, for item 1 of 2:',
      '    a  not known  one two three, 3 of its matrix',
      '    b  fails      why b, 0 of its matrix',
      '',
    ])
  })

  test('are no text if there are none', () => {
    expect(formatJobs([])).toBe('')
  })
})
