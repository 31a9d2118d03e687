import { describe, expect, test } from '@jest/globals'
import { fc } from '../support/properties.ts'
import { compileText } from './support/compiled.ts'
import {
  dispatch,
  eventsOf,
  GRAPHS,
  type Graph,
  graphs,
  idsOf,
  OUTPUTS,
  plain,
  ref,
  runsOf,
  sourceOf,
} from './support/graphs.ts'
import { MANY_WORKFLOWS, WEBHOOK, withTrigger } from './support/many.ts'
import { type JobResult, schedule } from './support/scheduler.ts'

const FIRED = { webhook: { outcome: 'success', conclusion: 'success', outputs: OUTPUTS } }
const SKIPPED = { webhook: { outcome: 'skipped', conclusion: 'skipped', outputs: {} } }
const TRIGGERED = { triggered: 'true', on: JSON.stringify(FIRED) }

/** An event, and its meaning for the source: its context `on`, or nothing if no job may run. */
interface Event {
  readonly github: Readonly<Record<string, unknown>>
  readonly inputs?: Readonly<Record<string, string>>
  readonly means: unknown
  /** The result of the job `on`, if it runs. */
  readonly on?: { readonly result?: JobResult; readonly outputs?: Readonly<Record<string, string>> }
}

const WEBHOOKS: Readonly<Record<string, Event>> = {
  'a webhook': { github: dispatch('hook/webhook'), means: FIRED, on: { outputs: TRIGGERED } },
  'a webhook that its options refuse': {
    github: dispatch('/hook/webhook?a=1'),
    means: undefined,
    on: { outputs: { triggered: 'false', on: JSON.stringify(SKIPPED) } },
  },
  'a webhook for another workflow': { github: dispatch('other/webhook'), means: undefined },
  'a webhook for another trigger': { github: dispatch('hook/slack'), means: undefined },
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

/** The events of a source, its form, and possible runs. */
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

describe.each(Object.entries(FORMS).map(([name, form], at) => [name, form, at] as const))(
  'with %s',
  (_, form, number) => {
    // Each form runs a seventh of the graphs, so that every graph runs with some forms.
    const some = Object.entries(GRAPHS).filter((_, at) => (at + number) % 7 === 0)
    test.each(some)('%s runs as in the source', (_name, graph) =>
      expectSame(sourceOf(graph, form.on), form),
    )

    test('any graph runs as in the source', async () => {
      await fc.assert(
        fc.asyncProperty(graphs(), ({ graph, ends }) =>
          expectSame(sourceOf(graph, form.on), form, ends),
        ),
        { numRuns: 1 },
      )
    })
  },
)

test.each(MANY_WORKFLOWS.filter((_, at) => at % 50 === 0).map(({ name, text }) => [name, text]))(
  '%s of the styles that people write runs as in the source',
  async (_, text) => {
    const source = withTrigger(text, WEBHOOK)
    const native = eventsOf(text).map((name): [string, Event] => [
      name,
      { github: plain(name), means: SKIPPED },
    ])
    const elsewhere = { ...plain('push'), ref: 'refs/heads/other', actor: 'bot' }
    const other: Event = { github: elsewhere, means: SKIPPED }
    await expectSame(source, { events: { ...WEBHOOKS, ...Object.fromEntries(native), other } })
  },
)

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
  source: string,
  form: Pick<(typeof FORMS)[string], 'direct' | 'events'>,
  ends: readonly Readonly<Record<string, JobResult>>[] = [],
): Promise<void> {
  const ids = idsOf(source)
  const dispatch = form.direct ? 'workflow' : 'repository'
  const { main } = await compileText(source, { dispatch })
  const wanted: object[] = []
  const found: object[] = []
  for (const [name, happening] of Object.entries(form.events)) {
    for (const run of runsOf(ids, ends)) {
      const { github, inputs = {}, means, on } = happening
      const meant = means
        ? schedule(source, { ...run, contexts: { github, inputs, on: means } })
        : Object.fromEntries(ids.map((id) => [id, 'skipped']))
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
