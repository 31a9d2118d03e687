// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are GitHub's expressions
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { dispatchEvent } from '../../src/wire/payload.ts'
import { compileText } from './support/compiled.ts'
import { parserErrors } from './support/github.ts'
import { type JobResult, schedule } from './support/scheduler.ts'

/** Rare but valid ways of writing YAML. */
const FORMS: Readonly<Record<string, string>> = {
  'an alias of the environment of another job': `on: webhook
jobs:
  a:
    runs-on: x
    env: &e
      A: \${{ on.webhook.outputs.body }}
    steps:
      - run: x
  b:
    runs-on: x
    env: *e
    steps:
      - run: x
`,
  'an anchor on a condition': `on: [push, webhook]
jobs:
  a:
    runs-on: x
    if: &c on.webhook.outputs.body
    steps:
      - run: x
`,
  'a file that is indented as a whole': `  name: X
  on:
    webhook:
      method: post
    push:
  env:
    A: \${{ on.webhook.outputs.body }}
  jobs:
    a:
      runs-on: x
      steps:
      - run: x
`,
  'jobs and needs by alias': `on: [push, webhook]
jobs:
  a: &j
    runs-on: x
    steps:
      - run: echo \${{ on.webhook.outputs.body }}
  b: *j
  c:
    needs: &n [a, b]
    runs-on: x
    steps: [{run: x}]
  d:
    needs: *n
    if: always()
    runs-on: x
    steps: [{run: x}]
`,
  'everything in braces': `name: F
on: {push: {branches: [main]}, webhook: {method: post}} # c
env: {A: "\${{ on.webhook.outputs.body }}", B: 2}
jobs: {a: {runs-on: x, steps: [{run: x}]}, b: {needs: a, if: always(), runs-on: x, steps: [{run: "echo \${{ on.webhook.outputs.body }}"}]}}
`,
  'empty values, a list with comments, and texts around expressions': `on:
- push # nightly
# c1
- webhook
# c2
jobs:
  a:
    if:
    needs: []
    runs-on: x
    steps: [{run: x}]
  b:
    if: ''
    needs:
    runs-on: x
    steps: [{run: x}]
  c:
    if: "\${{ always() }} && on.webhook.outputs.body"
    runs-on: x
    steps: [{run: x}]
  c2:
    if: "{it's} ''' \${{ on.webhook.outputs.body }} '' \${{ '}}' }} {0}"
    runs-on: x
    steps: [{run: x}]
  d:
    if: |
      always() &&
      contains('a
      b', 'a')
    runs-on: x
    steps: [{run: x}]
`,
}

describe.each(Object.entries(FORMS))('%s', (_, source) => {
  test.each([
    ['repository', { event_name: 'push', event: {} }],
    ['workflow', { event_name: 'push', event: {} }],
  ] as const)('means the same to GitHub, dispatch: %s', async (dispatch, github) => {
    const { main } = await compileText(source, { dispatch })
    expect(await parserErrors('hook.yml', main)).toEqual([])
    const made = parse(main)
    const meant = parse(source)
    expect(Object.keys(made.jobs)).toEqual(['on', ...Object.keys(meant.jobs)])
    const outputs = { body: 'x', method: 'post' }
    const skipped = { webhook: { outcome: 'skipped', conclusion: 'skipped', outputs: {} } }
    const fired = { webhook: { outcome: 'success', conclusion: 'success', outputs } }
    const contexts = { github, inputs: {} }
    for (const ends of endsOf(Object.keys(meant.jobs))) {
      const { on: _on, ...jobs } = schedule(main, { contexts, ends })
      if (Object.keys(made.on).length > 1) {
        expect(jobs).toEqual(schedule(source, { contexts: { ...contexts, on: skipped }, ends }))
      }
      const webhook = {
        github: {
          event_name: dispatchEvent(dispatch),
          event: { action: 'webhook', client_payload: { path: 'hook/webhook' } },
        },
        inputs: { hookline: '{}' },
      }
      const { on: _ran, ...run } = schedule(main, {
        contexts: webhook,
        ends,
        outputs: { on: { triggered: 'true', on: JSON.stringify(fired) } },
      })
      expect(run).toEqual(schedule(source, { contexts: { ...webhook, on: fired }, ends }))
    }
  })
})

function endsOf(ids: readonly string[]): Record<string, JobResult>[] {
  return [{}, ...ids.map((id) => ({ [id]: 'failure' as const }))]
}

test.each([
  [
    'the environment as an alias of options',
    'would be in two files',
    `on:
  webhook:
    path: /x
    verify: &v
      scheme: github
      secret: \${{ secrets.A }}
env: *v
jobs:
  a:
    runs-on: x
    steps:
      - run: x
`,
  ],
  [
    'a condition that steps share',
    'would change too',
    `on: [push, webhook]
jobs:
  a:
    runs-on: x
    if: &c on.webhook.outputs.body
    steps:
      - run: x
        if: *c
  b:
    needs: a
    if: *c
    runs-on: x
    steps:
      - run: x
`,
  ],
  [
    'keys after a question mark',
    'a key after "?"',
    `? on
: webhook
jobs:
  a:
    runs-on: x
    steps:
      - run: x
`,
  ],
])('%s cannot be kept as they are, and are refused at their place', async (_, message, text) => {
  const error = await compileText(text).catch((cause) => cause)
  expect(error.problems).toEqual([
    expect.objectContaining({
      message: expect.stringContaining(message),
      position: expect.anything(),
    }),
  ])
})

test.each([
  [
    'a job that is named on',
    'on: webhook\njobs: {On: {runs-on: x, steps: []}}\n',
    'cannot be named "on"',
  ],
  [
    'dispatches of every type beside webhooks',
    'on: [webhook, repository_dispatch]\njobs: {a: {runs-on: x, steps: []}}\n',
    '"repository_dispatch" without types',
  ],
  [
    'a dispatch of the type of webhooks',
    'on: {webhook: , repository_dispatch: {types: [a, webhook]}}\njobs: {a: {runs-on: x, steps: []}}\n',
    'the type "webhook" is the type of webhooks',
  ],
  [
    'PATH of the workflow',
    'on: webhook\nenv: {PATH: /a}\njobs: {a: {runs-on: x, steps: []}}\n',
    'PATH of the workflow',
  ],
  [
    'a variable that is made of the event that it shall choose',
    'on: {webhook: {path: "/${{ env.A }}"}}\nenv: {A: "${{ on.webhook.outcome }}"}\njobs: {a: {runs-on: x, steps: []}}\n',
    'which depends on the context "on"',
  ],
  [
    'a queue whose members cancel each other',
    'on: webhook\njobs: {a: {runs-on: x, steps: [], concurrency: {group: a, queue: max, cancel-in-progress: true}}}\n',
    '"queue: max" cannot be combined with',
  ],
  ['a file without jobs', 'on: webhook\n', 'has no "jobs:" section'],
  [
    'a runner that is none',
    'on: webhook\nhookline: {runs-on: [1]}\njobs: {a: {runs-on: x, steps: []}}\n',
    '"runs-on" is not',
  ],
])('%s is refused at its place', async (_, text, message) => {
  const error = await compileText(text).catch((cause) => cause)
  expect(error.problems).toContainEqual(
    expect.objectContaining({
      message: expect.stringContaining(message),
      position: expect.anything(),
    }),
  )
})

test('an input that is named hookline collides with a direct webhook only', async () => {
  const text =
    'on: {webhook: , workflow_dispatch: {inputs: {Hookline: {type: string}}}}\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n'
  await expect(compileText(text)).resolves.toBeDefined()
  await expect(compileText(text, { dispatch: 'workflow' })).rejects.toThrow(
    'an input cannot be named "hookline"',
  )
})

describe('a notice about waiting runs', () => {
  const NOTICE = 'a newer run cancels the run that waits for this concurrency group'

  test.each([
    ['concurrency: a', true],
    ['concurrency: {group: a, cancel-in-progress: false}', true],
    ['concurrency: {group: a, cancel-in-progress: true}', false],
    ['concurrency: {group: a, cancel-in-progress: "${{ github.event_name == 1 }}"}', false],
    ['concurrency: {group: a, queue: max}', false],
  ])('%s: %s, for the workflow and for a job', async (concurrency, isTold) => {
    const job = 'jobs: {a: {runs-on: x, steps: [{run: x}]}}\n'
    const workflow = await compileText(`on: webhook\n${concurrency}\n${job}`)
    const inJob = await compileText(
      `on: webhook\n${job.replace('runs-on', `${concurrency}, runs-on`)}`,
    )
    expect(workflow.notices.includes(NOTICE)).toBe(isTold)
    expect(inJob.notices.includes(NOTICE)).toBe(isTold)
  })
})

test('the job on runs where it is told to', async () => {
  const text = 'on: webhook\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n'
  const runsOn = async (source: string, value?: string | string[]) =>
    parse((await compileText(source, value === undefined ? {} : { runsOn: value })).main).jobs.on[
      'runs-on'
    ]
  expect(await runsOn(text)).toBe('ubuntu-latest')
  expect(await runsOn(text, ['self-hosted', 'linux'])).toEqual(['self-hosted', 'linux'])
  const own = text.replace('jobs', 'hookline: {runs-on: {group: a, labels: b}}\njobs')
  expect(await runsOn(own)).toEqual({ group: 'a', labels: 'b' })
  expect(await runsOn(own, 'windows-latest')).toEqual({ group: 'a', labels: 'b' })
  expect((await compileText(own)).main).not.toContain('\nhookline:')
})

describe('a file of great size is compiled:', () => {
  test('a thousand expressions in a line', async () => {
    const line = '${{ on.webhook.outputs.body }} '.repeat(1000)
    const text = `on: [push, webhook]\nenv: {A: "${line}"}\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n`
    const { main } = await compileText(text)
    expect(main.split('fromJSON(needs.on.outputs.on')).toHaveLength(1001)
  })

  test('four hundred jobs in a chain', async () => {
    const jobs = Array.from({ length: 400 }, (_, at) => {
      const needs = at > 0 ? `needs: j${at - 1}, ` : ''
      return `  j${at}: {${needs}runs-on: x, steps: [{run: x}]}\n`
    })
    const { main } = await compileText(`on: [push, webhook]\njobs:\n${jobs.join('')}`)
    expect(Object.keys(parse(main).jobs)).toHaveLength(401)
  })
})
