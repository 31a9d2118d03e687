// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are GitHub's expressions
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { NATIVE_EVENTS } from '../../src/wire/events.ts'
import { compileText } from './support/compiled.ts'
import { evaluate, fillIn } from './support/evaluate.ts'
import { parserErrors } from './support/github.ts'

/** Evaluates the workflow's concurrency group by GitHub's rules, for every kind of event. */

const JOBS = 'jobs: {a: {runs-on: x, steps: [{run: x}]}}\n'
const OWN = '${{ github.workflow }}-${{ github.event.pull_request.number || github.ref }}'

interface Event {
  readonly event_name: string
  readonly event?: object
  readonly workflow_ref?: string
}

/** The group of an event's run. */
function groupFor(compiled: string, { event_name, event = {}, workflow_ref }: Event): string {
  const { concurrency } = parse(compiled)
  const text: string = concurrency?.group ?? concurrency
  const github = {
    ...{ workflow: 'CI', ref: 'refs/heads/main', run_id: '42', event_name, event },
    workflow_ref: workflow_ref ?? 'o/r/.github/workflows/hook.yml@refs/heads/main',
  }
  return fillIn(text, { github, inputs: {} })
}

function webhook(path: string): Event {
  return {
    event_name: 'repository_dispatch',
    event: { action: 'webhook', client_payload: { path } },
  }
}

const EVENTS: Readonly<Record<string, readonly [Event, 'own' | 'alone']>> = {
  push: [{ event_name: 'push' }, 'own'],
  'a pull request': [{ event_name: 'pull_request', event: { pull_request: { number: 7 } } }, 'own'],
  schedule: [{ event_name: 'schedule' }, 'own'],
  'a run by hand': [{ event_name: 'workflow_dispatch' }, 'own'],
  'its own webhook': [webhook('hook/webhook'), 'own'],
  'its own webhook, with a suffix': [webhook('hook/webhook/a?b=c'), 'own'],
  'its own webhook, with a query': [webhook('/hook/webhook?b=c'), 'own'],
  "another workflow's webhook": [webhook('other/webhook'), 'alone'],
  'one of another trigger': [webhook('hook/slack'), 'alone'],
  'one without a path': [
    { event_name: 'repository_dispatch', event: { action: 'webhook', client_payload: {} } },
    'alone',
  ],
  'a dispatch of another type': [
    { event_name: 'repository_dispatch', event: { action: 'deploy' } },
    'own',
  ],
}

const GROUPS: readonly (readonly [string, string, (event: Event) => unknown])[] = [
  [
    'a mapping, cancelling',
    `concurrency:\n  group: ${OWN} # ours\n  cancel-in-progress: true\n`,
    ({ event }) => `CI-${Object(event).pull_request?.number ?? 'refs/heads/main'}`,
  ],
  [
    'a shorthand',
    `concurrency: ${OWN}\n`,
    ({ event }) => `CI-${Object(event).pull_request?.number ?? 'refs/heads/main'}`,
  ],
  ['one expression', 'concurrency: {group: "${{ github.workflow }}", queue: max}\n', () => 'CI'],
  ['a plain text', "concurrency: it's {mine}\n", () => "it's {mine}"],
  [
    'a block',
    'concurrency:\n  group: >-\n    ${{ github.workflow\n      || github.ref }}\n',
    () => 'CI',
  ],
]

describe.each(GROUPS)('the group of %s', (_, concurrency, own) => {
  test.each(Object.entries(EVENTS))('%s', async (_, [event, expected]) => {
    const { main } = await compileText(`on: [push, pull_request, webhook]\n${concurrency}${JOBS}`)
    expect(await parserErrors('hook.yml', main)).toEqual([])
    expect(groupFor(main, event)).toBe(expected === 'own' ? own(event) : '42')
  })
})

test.each([...NATIVE_EVENTS].filter((name) => name !== 'repository_dispatch'))(
  'the group stays as it is for %s',
  async (event_name) => {
    const { main } = await compileText(`on: [push, webhook]\nconcurrency: ${OWN}\n${JOBS}`)
    expect(groupFor(main, { event_name })).toBe('CI-refs/heads/main')
  },
)

describe('in two files, the group is that of the jobs', () => {
  const TRIGGERS = {
    'of a bot that webhooks may reach': 'messaging_bot: {token: "1:a", webhook: "${{ vars.W }}"}',
    'of batches': 'webhook: {config: {batch: true}}',
  }
  const rows = Object.entries(TRIGGERS).flatMap(([name, trigger]) =>
    GROUPS.map(([form, concurrency, own]) => [name, form, trigger, concurrency, own] as const),
  )
  test.each(rows)('%s: %s', async (_, _form, trigger, concurrency, own) => {
    const on = `on: {push: , pull_request: , ${trigger}}`
    const { main, jobs } = await compileText(`${on}\n${concurrency}${JOBS}`)
    expect(await parserErrors('hook.jobs.yml', jobs)).toEqual([])
    // The listening file has no group, so a webhook for another workflow, which calls nothing,
    // enters none.
    expect(parse(main).concurrency).toBeUndefined()
    for (const [event] of Object.values(EVENTS)) expect(groupFor(jobs, event)).toBe(own(event))
  })

  const CANCELLING = 'concurrency: {group: a, cancel-in-progress: true}\n'
  const JOB_GROUP = JOBS.replace(
    'runs-on',
    'concurrency: {group: "${{ on.webhook.outputs.search }}", cancel-in-progress: true}, runs-on',
  )
  test.each([
    ['items that come at once', TRIGGERS['of batches'], CANCELLING + JOBS, true],
    [
      'in a group of a job',
      TRIGGERS['of batches'],
      JOB_GROUP.replace('on.webhook.outputs.search', 'github.ref'),
      true,
    ],
    ['told apart by the item', TRIGGERS['of batches'], JOB_GROUP, false],
    [
      'one after the other',
      TRIGGERS['of batches'],
      `hookline: {max-parallel: 1}\n${CANCELLING}${JOBS}`,
      false,
    ],
    [
      'of a bot, which are so unless told',
      TRIGGERS['of a bot that webhooks may reach'],
      CANCELLING + JOBS,
      false,
    ],
    [
      'of a bot that is told so',
      TRIGGERS['of a bot that webhooks may reach'],
      `hookline: {max-parallel: 2}\n${CANCELLING}${JOBS}`,
      true,
    ],
    [
      'that cancel nothing',
      TRIGGERS['of batches'],
      `concurrency: {group: a, queue: max}\n${JOBS}`,
      false,
    ],
  ])('a notice of items that cancel each other, %s', async (_, trigger, rest, isTold) => {
    const { notices } = await compileText(`on: {${trigger}}\n${rest}`)
    const found = notices.filter((text) => text.includes('cancel each other'))
    expect(found).toHaveLength(isTold ? 1 : 0)
  })
})

test('in a called workflow, the group of a caller that a webhook started stays as it is', async () => {
  const text = `on: [workflow_call, webhook]\nconcurrency: ci\n${JOBS}`
  const { main } = await compileText(text)
  const called = {
    ...webhook('other/webhook'),
    workflow_ref: 'o/r/.github/workflows/caller.yml@refs/heads/main',
  }
  expect(groupFor(main, called)).toBe('ci')
  expect(groupFor(main, webhook('other/webhook'))).toBe('42')
})

test('comments and other settings stay', async () => {
  const { main } = await compileText(`on: [push, webhook]\n${GROUPS[0]?.[1]}${JOBS}`)
  expect(main).toMatch(/^ {2}group: \$\{\{ .* \}\} # ours\n {2}cancel-in-progress: true$/m)
  expect((await compileText(`on: [push, webhook]\n${GROUPS[1]?.[1]}${JOBS}`)).main).toMatch(
    /^concurrency: \$\{\{ github\.event_name/m,
  )
})

test.each([
  ['dispatch: workflow', 'on: [push, webhook]', { dispatch: 'workflow' as const }],
  [
    'no trigger of Hookline that webhooks reach',
    'on: {push: , webhook: {config: {active: false}}}',
    {},
  ],
])('%s: the group stays as it is', async (_, on, options) => {
  const { main } = await compileText(`${on}\nconcurrency: ci-\${{ github.ref }}\n${JOBS}`, options)
  expect(parse(main).concurrency).toBe('ci-${{ github.ref }}')
})

describe('webhooks of its own that share a cancelling group with other events are told', () => {
  const SHARES = /a webhook for this workflow cancels its runs by (.*), and they cancel/
  test.each<[string, string, string, string | undefined]>([
    [
      'by the ref',
      '[push, webhook]',
      '{group: "${{ github.ref }}", cancel-in-progress: true}',
      'push',
    ],
    [
      'push and schedule',
      '{push: , schedule: [{cron: "0 0 * * *"}], webhook: }',
      '{group: ci, cancel-in-progress: true}',
      'push and schedule',
    ],
    [
      'told apart by the event',
      '[push, webhook]',
      '{group: "${{ github.event_name }}-${{ github.ref }}", cancel-in-progress: true}',
      undefined,
    ],
    [
      'told apart by the run',
      '[push, webhook]',
      '{group: "${{ github.run_id }}", cancel-in-progress: true}',
      undefined,
    ],
    ['no event beside it', 'webhook', '{group: ci, cancel-in-progress: true}', undefined],
    ['no cancelling', '[push, webhook]', '{group: ci, queue: max}', undefined],
    [
      'only pull requests beside it',
      '[pull_request, webhook]',
      '{group: ci, cancel-in-progress: true}',
      undefined,
    ],
  ])('%s', async (_, on, concurrency, expected) => {
    const { notices } = await compileText(`on: ${on}\nconcurrency: ${concurrency}\n${JOBS}`)
    expect(notices.map((text) => SHARES.exec(text)?.[1]).find(Boolean)).toBe(expected)
  })
})

describe('a gate over whole `needs` sees the jobs that the source names', () => {
  const gate = (expression: string) => `on: [push, webhook]
jobs:
  lint: {runs-on: x, steps: [{run: x}]}
  test-all: {runs-on: x, steps: [{run: x}]}
  gate:
    needs: [lint, test-all]
    if: always()
    runs-on: x
    steps: [{run: x, env: {GATE: "\${{ ${expression} }}"}}]
`
  const own = {
    lint: { result: 'success', outputs: { a: '1' } },
    'test-all': { result: 'skipped', outputs: {} },
  }
  const on = { result: 'skipped', outputs: {} }
  test.each([
    'toJSON(needs)',
    'toJSON(fromJSON(toJSON(needs)))',
    "contains(needs.*.result, 'skipped')",
    "contains(needs.*.result, 'success')",
    "join(needs.*.result, ',')",
    'toJSON(needs.*.outputs)',
    "needs['lint'].outputs.a",
    "toJSON(needs[format('{0}', 'lint')])",
  ])('%s', async (expression) => {
    const { main, notices } = await compileText(gate(expression))
    expect(await parserErrors('hook.yml', main)).toEqual([])
    const written: string = parse(main).jobs.gate.steps[0].env.GATE
    const compiled = evaluate(written.slice(3, -2), { needs: { on, ...own } })
    expect(compiled).toEqual(evaluate(expression, { needs: own }))
    expect(notices).toEqual([])
  })

  test('a script that wants every job of it to have succeeded, as alls-green does, passes on a push', async () => {
    const { main } = await compileText(gate('toJSON(needs)'))
    const written: string = parse(main).jobs.gate.steps[0].env.GATE
    const succeeded = { lint: own.lint, 'test-all': { result: 'success', outputs: {} } }
    const seen = JSON.parse(fillIn(written, { needs: { on, ...succeeded } }))
    expect(Object.entries(seen).map(([id, job]) => [id, Object(job).result])).toEqual([
      ['lint', 'success'],
      ['test-all', 'success'],
    ])
  })

  test('in a job that needs none, it is empty', async () => {
    const text =
      'on: webhook\njobs: {a: {runs-on: x, steps: [{run: x, env: {N: "${{ toJSON(needs) }}"}}]}}\n'
    const { main } = await compileText(text)
    const written: string = parse(main).jobs.a.steps[0].env.N
    expect(evaluate(written.slice(3, -2), { needs: { on } })).toBe('{}')
  })
})
