import { parse } from 'yaml'
import { fc } from '../../support/properties.ts'
import type { JobResult, Run } from './scheduler.ts'

/** Jobs that need each other, and events, for what is compared with the source job by job. */

/** A job as `needs` and `if`; its name is its place: a, b, c, … */
export type Graph = Readonly<
  Record<string, readonly [needs: readonly string[], condition?: string | undefined]>
>

export const ref = (name: string) => `o/r/.github/workflows/${name}.yml@refs/heads/main`
const RUN = { ref: 'refs/heads/main', actor: 'ada' }
export const dispatch = (path: string, action = 'webhook', workflow_ref = ref('hook')) => ({
  ...RUN,
  event_name: 'repository_dispatch',
  event: { action, client_payload: { path } },
  workflow_ref,
})
export const plain = (event_name: string, workflow_ref = ref('hook')) => ({
  ...RUN,
  event_name,
  event: {},
  workflow_ref,
})

export const OUTPUTS = { method: 'post', body: { go: true } }
export const CONDITIONS = [
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
export const GRAPHS: Readonly<Record<string, Graph>> = {
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

/** Every job ends well; each one fails, is cancelled, or the run is cancelled before it. */
export function runsOf(
  ids: readonly string[],
  ends: readonly Readonly<Record<string, JobResult>>[],
): Omit<Run, 'contexts'>[] {
  return [
    {},
    ...ids.map((id) => ({ ends: { [id]: 'failure' as const } })),
    ...ids.map((id) => ({ ends: { [id]: 'cancelled' as const } })),
    ...ids.map((_, at) => ({ afterCancel: ids.slice(at) })),
    ...ends.map((one) => ({ ends: one })),
  ]
}

/** The names under `on:`, however they are written. */
export function eventsOf(source: string): string[] {
  const { on } = parse(source)
  return typeof on === 'string' ? [on] : Array.isArray(on) ? on : Object.keys(on)
}

export function idsOf(source: string): string[] {
  return Object.keys(parse(source).jobs)
}

export function sourceOf(graph: Graph, on: string): string {
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
export function graphs() {
  const job = (at: number) =>
    fc
      .tuple(fc.subarray(ids.slice(0, at)), fc.option(fc.constantFrom(...CONDITIONS)))
      .map(([needs, condition]): Graph[string] => [
        needs,
        condition?.replaceAll('NEED', needs[0] ? `needs.${needs[0]}.result` : "'success'"),
      ])
  const ends = fc.dictionary(
    fc.constantFrom(...ids),
    fc.constantFrom<JobResult>('success', 'failure', 'cancelled'),
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
