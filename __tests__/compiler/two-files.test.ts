import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { fc } from '../support/properties.ts'
import { compileText } from './support/compiled.ts'
import { evaluate, fillIn } from './support/evaluate.ts'
import {
  dispatch,
  eventsOf,
  GRAPHS,
  graphs,
  idsOf,
  OUTPUTS,
  plain,
  ref,
  runsOf,
  sourceOf,
} from './support/graphs.ts'
import { BOT, MANY_WORKFLOWS, withTrigger } from './support/many.ts'
import { type JobResult, type Run, schedule, scheduleThrough } from './support/scheduler.ts'

/**
 * If one event may bring several items, each item is one run of the source's jobs, a native event
 * is one run, and any other event is none.
 */

/** The effect of an event on the source: the triggers decide, the jobs run once, or no job runs. */
interface Event {
  readonly github: Readonly<Record<string, unknown>>
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly means: 'asks' | 'once' | 'nothing'
}

const POLLED: Readonly<Record<string, Event>> = {
  'a schedule': { github: plain('schedule'), means: 'asks' },
  'a run by hand': { github: plain('workflow_dispatch'), means: 'asks' },
}
const TOLD: Readonly<Record<string, Event>> = {
  'a webhook': { github: dispatch('hook/TRIGGER'), means: 'asks' },
  'a webhook with a query': { github: dispatch('/hook/TRIGGER?a=1'), means: 'asks' },
  'a webhook for another workflow': { github: dispatch('other/TRIGGER'), means: 'nothing' },
  'a webhook for another trigger': { github: dispatch('hook/TRIGGER2'), means: 'nothing' },
}
const PUSH: Readonly<Record<string, Event>> = { 'a push': { github: plain('push'), means: 'once' } }
const DIRECT: Event = {
  github: plain('workflow_dispatch'),
  inputs: { hookline: '{}' },
  means: 'asks',
}
const EMPTY = { github: plain('workflow_dispatch'), inputs: { hookline: '' } }

const POLLS = ['schedule', 'workflow_dispatch']

interface Form {
  readonly on: string
  readonly trigger?: string
  readonly direct?: boolean
  readonly events: Readonly<Record<string, Event>>
}

const POLLER = 'messaging_bot: {token: "1:a"}'
const OPEN = 'messaging_bot: {token: "1:a", webhook: "${{ vars.W }}"}'
const BATCH = 'webhook: {config: {batch: true}}'

const FORMS: Readonly<Record<string, Form>> = {
  'a poller': { on: `{${POLLER}}`, events: POLLED },
  'a poller and push': { on: `{push: , ${POLLER}}`, events: { ...POLLED, ...PUSH } },
  'a poller, push and runs by hand': {
    on: `{workflow_dispatch: , push: , ${POLLER}}`,
    events: { ...POLLED, ...PUSH },
  },
  'a poller that polls on push, and releases': {
    on: '{push: , release: , messaging_bot: {token: "1:a", config: {manualRunEvent: push}}}',
    events: {
      'a schedule': { github: plain('schedule'), means: 'asks' },
      'a push': { github: plain('push'), means: 'asks' },
      'a release': { github: plain('release'), means: 'once' },
    },
  },
  'a poller and calls': {
    on: `{workflow_call: , ${POLLER}}`,
    events: {
      ...POLLED,
      'a call by a push': { github: plain('push', ref('caller')), means: 'once' },
      'a call by a schedule': { github: plain('schedule', ref('caller')), means: 'asks' },
    },
  },
  'a poller that webhooks may reach': { on: `{${OPEN}}`, events: { ...POLLED, ...TOLD } },
  'a poller that webhooks may reach, and push': {
    on: `{push: , ${OPEN}}`,
    events: { ...POLLED, ...TOLD, ...PUSH },
  },
  'a poller that webhooks may reach, and dispatches of its own': {
    on: `{repository_dispatch: {types: [deploy]}, ${OPEN}}`,
    events: {
      ...POLLED,
      ...TOLD,
      'a dispatch of its own': { github: dispatch('hook/TRIGGER', 'deploy'), means: 'once' },
    },
  },
  'a poller that webhooks may reach, and calls': {
    on: `{workflow_call: , ${OPEN}}`,
    events: {
      ...POLLED,
      ...TOLD,
      'a call by a webhook for the caller': {
        github: dispatch('caller/webhook', 'webhook', ref('caller')),
        means: 'once',
      },
    },
  },
  'a poller that is reached directly': {
    on: `{${OPEN}}`,
    direct: true,
    events: { ...POLLED, 'a run by hand': { ...EMPTY, means: 'asks' }, 'a webhook': DIRECT },
  },
  'a poller that is reached directly, and push': {
    on: `{push: , ${OPEN}}`,
    direct: true,
    events: {
      ...POLLED,
      ...PUSH,
      'a run by hand': { ...EMPTY, means: 'asks' },
      'a webhook': DIRECT,
    },
  },
  batches: { on: `{${BATCH}}`, trigger: 'webhook', events: TOLD },
  'batches and push': {
    on: `{push: , ${BATCH}}`,
    trigger: 'webhook',
    events: { ...TOLD, ...PUSH },
  },
  'batches that come directly, and push': {
    on: `{push: , ${BATCH}}`,
    trigger: 'webhook',
    direct: true,
    events: { ...PUSH, 'a batch': DIRECT, 'a run by hand': { ...EMPTY, means: 'nothing' } },
  },
  'batches that come directly, and runs by hand': {
    on: `{workflow_dispatch: , ${BATCH}}`,
    trigger: 'webhook',
    direct: true,
    events: { 'a batch': DIRECT, 'a run by hand': { ...EMPTY, means: 'once' } },
  },
}

/** The result of the job `on` if the triggers decide, and the number of items. */
const ANSWERS: readonly {
  readonly result: JobResult
  readonly items: string
  readonly count: 0 | 2
}[] = [
  { result: 'success', items: '[]', count: 0 },
  { result: 'success', items: 'ITEMS', count: 2 },
  { result: 'failure', items: '', count: 0 },
  { result: 'failure', items: 'ITEMS', count: 0 },
  { result: 'cancelled', items: '', count: 0 },
]

function contextsOf(trigger: string) {
  const fired = (text: string) => {
    const outputs = { ...OUTPUTS, method: text, text, from: { is_bot: true } }
    return { [trigger]: { outcome: 'success', conclusion: 'success', outputs } }
  }
  const skipped = { [trigger]: { outcome: 'skipped', conclusion: 'skipped', outputs: {} } }
  return { items: [fired('post'), fired('put')], skipped }
}

describe.each(Object.entries(FORMS).map(([name, form], at) => [name, form, at] as const))(
  'with %s',
  (_, form, number) => {
    // Each form runs a seventh of the graphs, so that every graph runs with some forms.
    const some = Object.entries(GRAPHS).filter((_, at) => (at + number) % 7 === 0)
    test.each(some)('%s runs as in the source, once for each item', (_name, graph) =>
      expectSame(sourceOf(graph, form.on), form, runsOf(Object.keys(graph), [])),
    )

    test('any graph runs as in the source, once for each item', async () => {
      await fc.assert(
        fc.asyncProperty(graphs(), ({ graph, ends }) =>
          expectSame(sourceOf(graph, form.on), form, runsOf(Object.keys(graph), ends)),
        ),
        { numRuns: 1 },
      )
    })
  },
)

test.each(MANY_WORKFLOWS.filter((_, at) => at % 50 === 0).map(({ name, text }) => [name, text]))(
  '%s of the styles that people write runs as in the source, once for each item',
  async (_, text) => {
    const source = withTrigger(text, BOT)
    const native = eventsOf(text).map((name): [string, Event] => [
      name,
      { github: plain(name), means: POLLS.includes(name) ? 'asks' : 'once' },
    ])
    const events = { ...Object.fromEntries(native), ...POLLED }
    await expectSame(source, { on: '', events }, runsOf(idsOf(source), []))
  },
)

async function expectSame(
  text: string,
  { trigger = 'messaging_bot', direct = false, events }: Form,
  runs: readonly Omit<Run, 'contexts'>[],
): Promise<void> {
  const source = wordsOf(trigger).reduce((told, [one, other]) => told.replaceAll(one, other), text)
  const dispatch = direct ? 'workflow' : 'repository'
  const { main, jobs, isOne } = await compileText(source, { dispatch })
  expect(isOne).toBe(false)
  const { items, skipped } = contextsOf(trigger)
  const wanted: object[] = []
  const found: object[] = []
  for (const [name, { github: sample, inputs = {}, means }] of Object.entries(events)) {
    const github = JSON.parse(JSON.stringify(sample).replaceAll('TRIGGER', trigger))
    const contexts = { github, inputs }
    for (const answer of means === 'asks' ? ANSWERS : ANSWERS.slice(0, 1)) {
      const meant =
        means === 'once' ? [skipped] : items.slice(0, means === 'asks' ? answer.count : 0)
      const outputs = { on: { items: answer.items.replace('ITEMS', JSON.stringify(items)) } }
      const ends = { on: answer.result }
      const calls = callsOf(main, { ends, outputs, contexts })
      for (const run of meant.length > 0 ? runs : runs.slice(0, 1)) {
        const asInSource = meant.map((on) =>
          schedule(source, { ...run, contexts: { ...contexts, on } }),
        )
        const begun = { ...run, ends: { ...run.ends, ...ends }, outputs }
        const made = calls.map(({ caller, on }) => {
          const given = { ...begun, contexts: { github, inputs: { ...inputs, on } } }
          const through = scheduleThrough(main, { caller, called: jobs }, given)
          return { alone: schedule(jobs, given), through }
        })
        const both = asInSource.map((one) => ({ alone: one, through: one }))
        wanted.push({ name, answer, run, jobs: both })
        found.push({ name, answer, run, jobs: made })
      }
    }
  }
  expect(found).toEqual(wanted)
}

/** The conditions for webhooks in a source with another trigger. */
function wordsOf(trigger: string): readonly (readonly [string, string])[] {
  if (trigger === 'webhook') return []
  return [
    ['on.webhook.outputs.body.go', `on.${trigger}.outputs.from.is_bot`],
    ['on.webhook.outputs.method', `on.${trigger}.outputs.text`],
    ['on.webhook.', `on.${trigger}.`],
  ]
}

/** The calls of the jobs file in a run of the listening file, and the input `on` of each. */
function callsOf(main: string, run: Run): { caller: string; on: string }[] {
  const results = schedule(main, run)
  const outputs = results.on === 'skipped' ? {} : { ...run.outputs?.on }
  const needs = { on: { result: results.on, outputs } }
  const calling = Object.entries<Calling>(parse(main).jobs).filter(([, { uses }]) => uses)
  return calling.flatMap(([caller, { strategy, with: given }]) => {
    if (results[caller] === 'skipped') return []
    const matrix = strategy ? evaluate(strategy.matrix.on.slice(3, -2), { needs }) : [undefined]
    return (matrix as unknown[]).map((on) => ({ caller, on: fillIn(given.on, { matrix: { on } }) }))
  })
}

/** A parsed job of the listening file. */
interface Calling {
  readonly uses?: string
  readonly strategy?: { readonly matrix: { readonly on: string } }
  readonly with: { readonly on: string }
}
