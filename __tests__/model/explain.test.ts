import { describe, expect, test } from '@jest/globals'
import { explainWorkflow, type ModelEvent } from '../../src/model/explain.ts'
import { readWorkflowJobs } from '../../src/model/workflow-jobs.ts'

const OUTPUTS = { title: 'broken', action: 'opened' }
const ON = { webhook: { outcome: 'success', conclusion: 'success', outputs: OUTPUTS } }

function explain(text: string, event: Partial<ModelEvent>) {
  const workflow = readWorkflowJobs({ name: 'hook.yml', file: 'hook.yml', text })
  const github = {
    event_name: 'repository_dispatch',
    event: { client_payload: { path: 'hook/webhook' } },
  }
  return explainWorkflow(workflow, { github, outputsOf: () => undefined, ...event })
}

const SOURCE = `on: webhook
env:
  WHO: \${{ on.webhook.outputs.title }}
jobs:
  deploy:
    if: on.webhook.outputs.action == 'opened'
    runs-on: ubuntu-latest
    env: {TITLE: "is \${{ env.WHO }}", KEY: "\${{ secrets.KEY }}"}
    steps:
      - id: build
        run: make
      - name: Say
        if: steps.build.outputs.ok == 'true'
        uses: acme/say@v1
        with:
          text: |
            first
            \${{ on.webhook.outputs.title }}
      - if: on.webhook.outputs.action == 'closed'
        run: echo \${{ on.webhook.outputs.title }}
  close:
    if: \${{ on.webhook.outputs.action == 'closed' && always() }}
    runs-on: ubuntu-latest
    steps: [{run: 'echo'}]
  after:
    needs: [deploy, close]
    runs-on: ubuntu-latest
    steps: [{run: 'echo'}]
  always:
    needs: after
    if: always()
    runs-on: ubuntu-latest
    steps: [{run: 'echo'}]
  secret:
    if: needs.x || secrets.GO
    runs-on: ubuntu-latest
    steps: [{run: 'echo'}]
  behind:
    needs: secret
    runs-on: ubuntu-latest
    steps: [{run: 'echo'}]
`

describe('a source', () => {
  const jobs = explain(SOURCE, { on: ON })

  test('each job runs or not, and why', () => {
    expect(Object.fromEntries(jobs.map(({ id, verdict, why }) => [id, [verdict, why]]))).toEqual({
      deploy: ['runs', 'its if is true'],
      close: ['skipped', "its if is false: on.webhook.outputs.action == 'closed'"],
      after: ['skipped', 'close is skipped'],
      always: ['runs', 'its if is true'],
      secret: ['unknown', 'its if reads a secret: not known here'],
      behind: ['unknown', 'whether secret runs is not known here'],
    })
  })

  test('each line that reads the event has its value', () => {
    expect(jobs[0]?.facts).toEqual([
      {
        line: 6,
        place: 'if',
        text: "on.webhook.outputs.action == 'opened'",
        outcome: { value: true },
      },
      { line: 8, place: 'env.TITLE', text: 'is ${{ env.WHO }}', outcome: { value: 'is broken' } },
      {
        ...{ line: 13, place: 'step 2 (Say): if', text: "steps.build.outputs.ok == 'true'" },
        outcome: { unknown: 'an output of a step' },
      },
      {
        ...{ line: 18, place: 'step 2 (Say): with.text' },
        ...{
          text: 'first\n${{ on.webhook.outputs.title }}\n',
          outcome: { value: 'first\nbroken\n' },
        },
      },
      {
        ...{ line: 19, place: 'step 3: if', text: "on.webhook.outputs.action == 'closed'" },
        outcome: { value: false },
      },
    ])
  })

  test('where nothing fired, no job runs', () => {
    const none = explain(SOURCE, { on: {}, unfired: 'no trigger fired' })
    expect(none.every(({ verdict }) => verdict === 'skipped')).toBe(true)
  })
})

const NATIVE = `on: {repository_dispatch: {types: [webhook]}}
jobs:
  on:
    if: startsWith(format('{0}/', github.event.client_payload.path), 'hook/webhook/')
    runs-on: ubuntu-latest
    outputs:
      items: \${{ steps.hookline.outputs.items }}
      other: \${{ steps.other.outputs.x }}
    steps:
      - {id: other, run: make}
      - {id: hookline, uses: hookline/hookline@v1, with: {on: webhook}}
  answer:
    needs: on
    if: needs.on.outputs.items != '[]'
    runs-on: ubuntu-latest
    strategy:
      matrix:
        on: \${{ fromJSON(needs.on.outputs.items) }}
    steps:
      - env:
          TITLE: \${{ matrix.on.webhook.outputs.title }}
          OTHER: \${{ needs.on.outputs.other }}
        run: echo "$TITLE"
`

describe('a native workflow', () => {
  const outputs = (items: unknown[]) => ({ items: JSON.stringify(items), triggered: 'true' })
  const run = (items: unknown[], more = {}) =>
    explain(NATIVE, {
      outputsOf: ({ uses }) => (uses === 'hookline/hookline@v1' ? outputs(items) : undefined),
      ...more,
    })

  test('outputs go from job to job, into the matrix, and to each line', () => {
    const [on, answer] = run([ON, ON])
    expect(on).toMatchObject({ verdict: 'runs' })
    expect(answer).toMatchObject({ verdict: 'runs', combinations: 2 })
    expect(answer?.facts.map(({ line, place, outcome }) => ({ line, place, ...outcome }))).toEqual([
      { line: 14, place: 'if', value: true },
      { line: 18, place: 'strategy.matrix.on', value: [ON, ON] },
      { line: 21, place: 'step 1: env.TITLE', value: 'broken' },
      { line: 22, place: 'step 1: env.OTHER', unknown: 'an output of a step' },
    ])
  })

  test('no item, no matrix', () => {
    expect(run([])[1]).toMatchObject({
      verdict: 'skipped',
      why: "its if is false: needs.on.outputs.items != '[]'",
    })
  })

  test('the job condition excludes an event for another workflow', () => {
    const github = {
      event_name: 'repository_dispatch',
      event: { client_payload: { path: 'other/webhook' } },
    }
    const verdicts = run([ON], { github }).map(({ id, verdict, why }) => [id, verdict, why])
    expect(verdicts).toEqual([
      ['on', 'skipped', expect.stringMatching(/^its if is false: startsWith/)],
      ['answer', 'skipped', 'on is skipped'],
    ])
  })
})

test('the outputs of a called workflow are unknown before it ran', () => {
  const text = `on: webhook
jobs:
  call: {uses: ./.github/workflows/x.yml, with: {a: "\${{ on.webhook.outputs.title }}"}}
  then: {needs: call, if: needs.call.outputs.go == 'yes', runs-on: x, steps: []}
`
  const jobs = explain(text, { on: ON })
  expect(jobs[0]?.facts).toMatchObject([{ place: 'with.a', outcome: { value: 'broken' } }])
  expect(jobs[1]).toMatchObject({ verdict: 'unknown' })
})

describe('a need whose result is unknown', () => {
  const text = (condition: string) => `on: push
jobs:
  a: {if: secrets.X, runs-on: x, steps: []}
  b: {needs: a, if: "${condition}", runs-on: x, steps: []}
`
  test.each([
    ["always() && needs.a.result == 'success'", 'unknown'],
    ["always() && needs.a.result != 'skipped'", 'unknown'],
    ["always() && needs.a.result == 'succes'", 'skipped'],
    ["always() && needs.a.result != 'succes'", 'runs'],
    ["always() && needs.a.outputs.x == ''", 'unknown'],
    ['always()', 'runs'],
  ])('with if: %s, the job is %s', (condition, verdict) => {
    const [a, b] = explain(text(condition), {})
    expect([a?.verdict, b?.verdict]).toEqual(['unknown', verdict])
  })
})

describe('a matrix', () => {
  const matrix = (written: string, condition = 'true') =>
    explain(
      `on: push
jobs:
  a:
    runs-on: x
    strategy: {matrix: ${written}}
    steps: [{if: "${condition}", run: x}]
  b: {needs: a, runs-on: x, steps: []}
`,
      {},
    )
  test.each([
    ['{os: [a, b], n: [1, 2]}', 4],
    ['{os: [a, b], n: [1, 2], exclude: [{os: a, n: 2}]}', 3],
    ['{os: [a, b], n: [1, 2], exclude: [{os: a}]}', 2],
    ['{os: [a, b], include: [{os: a, more: 1}, {os: c}]}', 3],
    ['{os: [a, b], include: [{color: red}]}', 2],
    ['{include: [{os: a}, {os: b}, {os: c}]}', 3],
    ['{os: [a], include: "${{ fromJSON(vars.X) }}"}', undefined],
    ['{os: "${{ fromJSON(vars.X) }}"}', undefined],
  ])('%s creates %j jobs', (written, combinations) => {
    const [job] = matrix(written)
    expect(job?.verdict).toBe('runs')
    expect(job?.combinations).toBe(combinations)
  })

  test.each([
    ['{os: []}', 'its matrix: "os" is empty'],
    ['{os: [a], exclude: [{os: a}]}', 'its matrix has no combination'],
    ['{os: "${{ fromJSON(\'[]\') }}", n: [1]}', 'its matrix: "os" is empty'],
  ])('%s fails the job: %s', (written, why) => {
    const [a, b] = matrix(written)
    expect(a).toMatchObject({ verdict: 'fails', why })
    expect(b).toMatchObject({ verdict: 'skipped', why: 'a fails' })
  })

  test.each([
    ["matrix.os == 'a'", { unknown: 'the matrix' }],
    ["matrix.os != 'z'", { value: true }],
    ['matrix.more', { unknown: 'the matrix' }],
    ['matrix.none', { value: null }],
  ])('of os a and b: if %s', (condition, outcome) => {
    const [job] = matrix('{os: [a, b], include: [{os: b, more: 1}]}', condition)
    expect(job?.facts.find(({ place }) => place.startsWith('step'))?.outcome).toMatchObject(outcome)
  })
})

test.each([
  ['echo "V=2" >> "$GITHUB_ENV"', 'V, which a step writes to $GITHUB_ENV', '1'],
  ['echo W=2 >> $GITHUB_ENV', '1', 'W, which a step writes to $GITHUB_ENV'],
  [
    'cat file >> $GITHUB_ENV',
    'a variable that a step writes to $GITHUB_ENV',
    'a variable that a step writes to $GITHUB_ENV',
  ],
  ['echo "V=2"', '1', '1'],
])('after the script %s, env.V is %s and env.W is %s', (script, v, w) => {
  const text = `on: push
env: {V: 1, W: 1}
jobs:
  a:
    runs-on: x
    steps:
      - run: ${JSON.stringify(script)}
      - run: 'x'
        env: {A: "\${{ env.V }}", B: "\${{ env.W }}"}
`
  const values = explain(text, {})[0]?.facts.map(({ outcome }) => Object.values(outcome)[0])
  expect(values).toEqual([v, w])
})
