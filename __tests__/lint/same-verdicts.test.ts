import { describe, expect, test } from '@jest/globals'

import { readNativeWorkflow } from '../../src/compiler/native.ts'
import { NO_OTHER_FILES, RuleFile } from '../../src/lint/rule.ts'
import { neverTrue } from '../../src/lint/rules/never-true.ts'
import { explainWorkflow } from '../../src/model/explain.ts'
import { readWorkflowJobs } from '../../src/model/workflow-jobs.ts'
import { NATIVE_EVENTS } from '../../src/wire/events.ts'
import { fc } from '../support/properties.ts'

/** `check` and the explanations of `dev` and `build --explain` must agree about a condition. */

const workflow = (condition: string) => `on: [${[...NATIVE_EVENTS].join(', ')}]
jobs:
  on:
    runs-on: ubuntu-latest
    outputs: {triggered: "\${{ steps.hookline.outputs.triggered }}"}
    steps:
      - {id: hookline, uses: hookline/hookline@v1, with: {on: webhook}}
  build:
    runs-on: ubuntu-latest
    steps: [{run: make}]
  react:
    needs: [on, build]
    if: ${JSON.stringify(condition)}
    runs-on: ubuntu-latest
    steps: [{run: echo hi}]
`

/** The comparisons that `check` reports: `never` or `always` true. */
function reported(condition: string): string[] {
  const name = '.github/workflows/hook.yml'
  const native = readNativeWorkflow('hook', { name, file: name, text: workflow(condition) })
  if (!native) throw new Error('no step uses the action')
  const problems = neverTrue.check(new RuleFile(native, NO_OTHER_FILES, { native }))
  return problems.map(({ message }) => (message.includes('is never true') ? 'never' : 'always'))
}

/** The verdicts about the job `react`, for each event with and without a trigger that fired. */
function verdicts(condition: string): Set<string> {
  const jobs = readWorkflowJobs({ name: 'hook.yml', file: 'hook.yml', text: workflow(condition) })
  const all = [...NATIVE_EVENTS].flatMap((event) =>
    ['true', 'false'].map((triggered) => {
      const explained = explainWorkflow(jobs, {
        github: { event_name: event, event: {} },
        outputsOf: ({ uses }) => (uses === undefined ? undefined : { triggered }),
      })
      return explained.find(({ id }) => id === 'react')?.verdict ?? 'missing'
    }),
  )
  return new Set(all)
}

describe('check reports a comparison', () => {
  test.each<[string, string, readonly string[]]>([
    ["github.event_name == 'repository-dispatch'", 'never', ['skipped']],
    ["github.event_name == 'psuh'", 'never', ['skipped']],
    ["needs.build.result == 'succes'", 'never', ['skipped']],
    ["needs.on.outputs.triggered == 'yes'", 'never', ['skipped']],
    ["secrets.KEY && needs.on.result == 'ok'", 'never', ['skipped']],
    ["always() && needs.on.result == 'failed'", 'never', ['skipped']],
    ["github.event_name != 'psuh'", 'always', ['runs']],
    ["needs.on.outputs.triggered != 'yes'", 'always', ['runs']],
  ])('%s: %s true, and the job is %j', (condition, result, expected) => {
    expect(reported(condition)).toEqual([result])
    expect([...verdicts(condition)]).toEqual(expected)
  })
})

test.each<[string, readonly string[]]>([
  ["github.event_name == 'push'", ['skipped', 'runs']],
  ["github.event_name == 'PUSH'", ['skipped', 'runs']],
  ["needs.on.outputs.triggered == 'true'", ['runs', 'skipped']],
  ["needs.on.outputs.triggered != 'true'", ['skipped', 'runs']],
  ["needs.build.result == 'success'", ['runs']],
  ["needs.build.result == 'failure'", ['skipped']],
  ["secrets.KEY == 'a'", ['unknown']],
])('check is silent about %s, and the verdicts are %j', (condition, expected) => {
  expect(reported(condition)).toEqual([])
  expect([...verdicts(condition)]).toEqual(expected)
})

describe('for generated conditions,', () => {
  const comparison = fc
    .tuple(
      fc.constantFrom(
        'github.event_name',
        'needs.build.result',
        'needs.on.result',
        'needs.on.outputs.triggered',
      ),
      fc.constantFrom('==', '!='),
      fc.constantFrom(
        ...['push', 'Push', 'psuh', 'success', 'SUCCESS', 'succes', 'failure', 'skipped'],
        ...['true', 'TRUE', 'yes', 'false', '', 'repository_dispatch', 'repository-dispatch'],
      ),
      fc.boolean(),
    )
    .map(([value, operator, literal, isSwapped]) =>
      isSwapped ? `'${literal}' ${operator} ${value}` : `${value} ${operator} '${literal}'`,
    )
  const other = fc.oneof(
    comparison,
    fc.constantFrom('secrets.KEY', 'always()', 'github.ref', "contains(github.ref, 'a')", 'true'),
  )
  const runs = { numRuns: 60 }

  test('one comparison that is never true skips the job for every event, and one that is always true never does', () => {
    fc.assert(
      fc.property(comparison, (condition) => {
        const [found] = reported(condition)
        const known = verdicts(condition)
        if (found === 'never') expect([...known]).toEqual(['skipped'])
        if (found === 'always') expect([...known]).toEqual(['runs'])
        if (known.has('runs')) expect(found).not.toBe('never')
        if (known.has('skipped')) expect(found).not.toBe('always')
      }),
      runs,
    )
  })

  test('a part of && that is never true skips the job, whatever the other parts read', () => {
    fc.assert(
      fc.property(fc.array(other, { maxLength: 3 }), comparison, fc.nat(3), (parts, own, at) => {
        const condition = parts.toSpliced(at, 0, own).join(' && ')
        if (reported(own)[0] === 'never') expect([...verdicts(condition)]).toEqual(['skipped'])
        if (verdicts(condition).has('runs')) expect(reported(condition)).not.toContain('never')
      }),
      runs,
    )
  })

  test('a negation of a part that is never true skips nothing', () => {
    fc.assert(
      fc.property(comparison, (own) => {
        if (reported(own)[0] === 'never') expect([...verdicts(`!(${own})`)]).toEqual(['runs'])
      }),
      runs,
    )
  })
})
