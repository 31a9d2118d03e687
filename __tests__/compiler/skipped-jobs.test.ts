import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { scaled } from '../support/effort.ts'
import { compileText } from './support/compiled.ts'
import { type Result, type Run, schedule } from './support/scheduler.ts'

/** A job as `needs` and `if`; its name is its place: a, b, c, … */
type Graph = Readonly<
  Record<string, readonly [needs: readonly string[], condition?: string | undefined]>
>

const OUTPUTS = { method: 'post', body: { go: true } }
const FIRED = { webhook: { outcome: 'success', conclusion: 'success', outputs: OUTPUTS } }
const SKIPPED = { webhook: { outcome: 'skipped', conclusion: 'skipped', outputs: {} } }
const TRIGGERED = { triggered: 'true', on: JSON.stringify(FIRED) }

/** An event, and what it is to the source: its context `on`, or nothing where no job may run. */
interface Event {
  readonly github: Readonly<Record<string, unknown>>
  readonly inputs?: Readonly<Record<string, string>>
  readonly means: unknown
  /** What becomes of the job `on`, if it runs. */
  readonly on?: { readonly result?: Result; readonly outputs?: Readonly<Record<string, string>> }
}

const ref = (name: string) => `o/r/.github/workflows/${name}.yml@refs/heads/main`
const dispatch = (path: string, action = 'webhook', workflow_ref = ref('hook')) => ({
  event_name: 'repository_dispatch',
  event: { action, client_payload: { path } },
  workflow_ref,
})
const plain = (event_name: string, workflow_ref = ref('hook')) => ({
  event_name,
  event: {},
  workflow_ref,
})

const WEBHOOKS: Readonly<Record<string, Event>> = {
  'a webhook': { github: dispatch('hook/webhook'), means: FIRED, on: { outputs: TRIGGERED } },
  'a webhook that its options refuse': {
    github: dispatch('/hook/webhook?a=1'),
    means: undefined,
    on: { outputs: { triggered: 'false', on: JSON.stringify(SKIPPED) } },
  },
  'a webhook for another workflow': { github: dispatch('other/webhook'), means: undefined },
  'a webhook for another trigger': { github: dispatch('hook/webhook2'), means: undefined },
  'a webhook whose job "on" fails at once': {
    github: dispatch('hook/webhook/a'),
    means: undefined,
    on: { result: 'failure' },
  },
  'a webhook whose job "on" fails at its end': {
    github: dispatch('hook/webhook'),
    means: undefined,
    on: { result: 'failure', outputs: TRIGGERED },
  },
  'a webhook whose job "on" is cancelled': {
    github: dispatch('hook/webhook'),
    means: undefined,
    on: { result: 'cancelled' },
  },
}

const DIRECT: Readonly<Record<string, Event>> = Object.fromEntries(
  Object.entries(WEBHOOKS).flatMap(([name, event]) =>
    event.on
      ? [[name, { ...event, github: plain('workflow_dispatch'), inputs: { hookline: '{}' } }]]
      : [],
  ),
)

const PUSH: Event = { github: plain('push'), means: SKIPPED }
const BY_HAND = { github: plain('workflow_dispatch'), inputs: { hookline: '' } }

/** The events that a source listens to, how it is built, and what may happen then. */
const FORMS: Readonly<
  Record<string, { on: string; direct?: boolean; events: Readonly<Record<string, Event>> }>
> = {
  'webhooks alone': { on: 'webhook', events: WEBHOOKS },
  'webhooks and push': { on: '[push, webhook]', events: { ...WEBHOOKS, 'a push': PUSH } },
  'webhooks and dispatches of its own': {
    on: '{repository_dispatch: {types: [deploy]}, webhook: }',
    events: {
      ...WEBHOOKS,
      'a dispatch of its own': { github: dispatch('hook/webhook', 'deploy'), means: SKIPPED },
    },
  },
  'webhooks and calls': {
    on: '{webhook: , workflow_call: }',
    events: {
      ...WEBHOOKS,
      'a call by a push': { github: plain('push', ref('caller')), means: SKIPPED },
      'a call by a webhook for the caller': {
        github: dispatch('caller/webhook', 'webhook', ref('caller')),
        means: SKIPPED,
      },
    },
  },
  'direct webhooks alone': {
    on: 'webhook',
    direct: true,
    events: { ...DIRECT, 'a run by hand': { ...BY_HAND, means: undefined } },
  },
  'direct webhooks and push': {
    on: '[push, webhook]',
    direct: true,
    events: { ...DIRECT, 'a push': PUSH, 'a run by hand': { ...BY_HAND, means: undefined } },
  },
  'direct webhooks and runs by hand': {
    on: '[push, webhook, workflow_dispatch]',
    direct: true,
    events: { ...DIRECT, 'a push': PUSH, 'a run by hand': { ...BY_HAND, means: SKIPPED } },
  },
  'direct webhooks and calls': {
    on: '{webhook: , workflow_call: }',
    direct: true,
    events: {
      ...DIRECT,
      'a run by hand': { ...BY_HAND, means: undefined },
      'a call by a run by hand': {
        github: plain('workflow_dispatch', ref('caller')),
        inputs: {},
        means: SKIPPED,
      },
    },
  },
}

const CONDITIONS = [
  'always()',
  '!cancelled()',
  'cancelled()',
  'failure()',
  'success()',
  '!success()',
  'success() || failure()',
  'failure() && !cancelled()',
  'success() == false',
  "success() && on.webhook.outcome == 'success'",
  "on.webhook.outcome == 'success'",
  "on.webhook.outcome != 'success' || on.webhook.outputs.body.go",
  'on.webhook.outputs.body.go',
  'always() && on.webhook.outputs.body.go',
  "github.event_name == 'push'",
  "github.event_name == 'push' || on.webhook.outputs.method == 'post'",
  "always() && NEED == 'success'",
  "always() && (NEED == 'success' || NEED == 'skipped')",
  "NEED != 'failure' && !cancelled()",
  "always() && contains(needs.*.result, 'failure')",
  "always() && !contains(needs.*.result, 'skipped')",
  "!cancelled() && !contains(needs.*.result, 'failure') && !contains(needs.*.result, 'cancelled')",
  "success() || contains(needs.*.result, 'failure')",
  "always() && join(needs.*.result, ',') == 'success,success'",
  '${{ always() }}',
  "${{ on.webhook.outputs.method == 'post' }}",
  'false',
  'true',
]

/** Whole graphs that are known for their pitfalls. */
const GRAPHS: Readonly<Record<string, Graph>> = {
  'one job': { a: [[]] },
  'a chain': { a: [[]], b: [['a']], c: [['b']] },
  'a skipped root': {
    a: [[], "github.event_name == 'nothing'"],
    b: [['a']],
    c: [['b'], 'always()'],
  },
  'a job behind always()': { a: [[]], b: [['a'], 'always()'], c: [['b']], d: [['c']] },
  'two of them in a row': {
    a: [[]],
    b: [['a'], 'always()'],
    c: [['b'], '!cancelled()'],
    d: [['c']],
  },
  'success() behind failure()': { a: [[]], b: [['a'], 'failure()'], c: [['b'], 'success()'] },
  'a gate over all': {
    a: [[]],
    b: [[]],
    c: [['a', 'b']],
    d: [['a', 'b', 'c'], "always() && !contains(needs.*.result, 'failure')"],
  },
  'a diamond': { a: [[]], b: [['a']], c: [['a'], 'on.webhook.outputs.body.go'], d: [['b', 'c']] },
  'a clean-up without needs': { a: [[]], b: [[], 'always()'] },
}

describe.each(Object.entries(FORMS))('with %s', (_, form) => {
  test.each(Object.entries(GRAPHS))('%s runs as in the source', async (_name, graph) => {
    await expectSame(graph, form, [])
  })

  test('any graph runs as in the source', async () => {
    await fc.assert(
      fc.asyncProperty(graphs(), async ({ graph, ends }) => expectSame(graph, form, ends)),
      { numRuns: scaled(300, 4) },
    )
  })
})

test('the simulator knows that a job behind a skipped one is skipped, however far behind', () => {
  const graph: Graph = {
    a: [[], 'false'],
    b: [['a'], 'always()'],
    c: [['b']],
    d: [['c'], '!cancelled()'],
  }
  const contexts = { github: plain('push'), inputs: {}, on: SKIPPED }
  expect(schedule(sourceOf(graph, 'push'), { contexts })).toEqual({
    a: 'skipped',
    b: 'success',
    c: 'skipped',
    d: 'success',
  })
})

async function expectSame(
  graph: Graph,
  form: (typeof FORMS)[string],
  ends: readonly Readonly<Record<string, Result>>[],
): Promise<void> {
  const source = sourceOf(graph, form.on)
  const event = form.direct ? 'workflow_dispatch' : 'repository_dispatch'
  const { main } = await compileText(source, { event })
  const wanted: object[] = []
  const found: object[] = []
  for (const [name, happening] of Object.entries(form.events)) {
    for (const run of runsOf(Object.keys(graph), ends)) {
      const { github, inputs = {}, means, on } = happening
      const meant = means
        ? schedule(source, { ...run, contexts: { github, inputs, on: means } })
        : Object.fromEntries(Object.keys(graph).map((id) => [id, 'skipped']))
      const { on: _, ...made } = schedule(main, {
        ...run,
        contexts: { github, inputs },
        ends: { ...run.ends, on: on?.result ?? 'success' },
        outputs: { on: on?.outputs ?? {} },
      })
      wanted.push({ event: name, run, jobs: meant })
      found.push({ event: name, run, jobs: made })
    }
  }
  expect(found).toEqual(wanted)
}

/** Every job ends well; each one fails, is cancelled, or the run is cancelled before it. */
function runsOf(
  ids: readonly string[],
  ends: readonly Readonly<Record<string, Result>>[],
): Omit<Run, 'contexts'>[] {
  return [
    {},
    ...ids.map((id) => ({ ends: { [id]: 'failure' as const } })),
    ...ids.map((id) => ({ ends: { [id]: 'cancelled' as const } })),
    ...ids.map((_, at) => ({ afterCancel: ids.slice(at) })),
    ...ends.map((one) => ({ ends: one })),
  ]
}

function sourceOf(graph: Graph, on: string): string {
  const jobs = Object.entries(graph).map(([id, [needs, condition]]) => {
    const parts = [
      `  ${id}:`,
      ...(needs.length > 0 ? [`    needs: [${needs.join(', ')}]`] : []),
      ...(condition ? [`    if: ${JSON.stringify(condition)}`] : []),
      '    runs-on: ubuntu-latest',
      '    steps:',
      '      - run: make',
    ]
    return parts.join('\n')
  })
  return `on: ${on}\njobs:\n${jobs.join('\n')}\n`
}

const ids = ['a', 'b', 'c', 'd', 'e']

/** Up to five jobs, each behind any of those before it. */
function graphs() {
  const job = (at: number) =>
    fc
      .tuple(fc.subarray(ids.slice(0, at)), fc.option(fc.constantFrom(...CONDITIONS)))
      .map(([needs, condition]): Graph[string] => [
        needs,
        condition?.replaceAll('NEED', needs[0] ? `needs.${needs[0]}.result` : "'success'"),
      ])
  const ends = fc.dictionary(
    fc.constantFrom(...ids),
    fc.constantFrom<Result>('success', 'failure', 'cancelled'),
  )
  return fc
    .integer({ min: 1, max: ids.length })
    .chain((count) => fc.tuple(...ids.slice(0, count).map((_, at) => job(at))))
    .chain((jobs) =>
      fc.record({
        graph: fc.constant<Graph>(Object.fromEntries(jobs.map((one, at) => [ids[at], one]))),
        ends: fc.array(ends, { maxLength: 3 }),
      }),
    )
}
