import { describe, expect, test } from '@jest/globals'
import { ActionLock, readActionLock } from '../../src/compiler/action-lock.ts'
import { entryKey, scheduleOf } from '../../src/compiler/cron-schedule.ts'
import { jobConditions, type SourceCondition } from '../../src/compiler/job-conditions.ts'
import {
  conditionLines,
  isPrefixOf,
  nativeCondition,
  onJobCondition,
  pathTests,
  skippedContext,
} from '../../src/compiler/on-job.ts'
import { permissionUnion, SCOPES } from '../../src/compiler/permissions.ts'
import type { DispatchEvent } from '../../src/wire/payload.ts'
import { sourceFile } from './support/compiled.ts'

describe('the schedule of a poll', () => {
  test.each([
    [undefined, '9-59/15 * * * *', true],
    [0, '9-59/15 * * * *', true],
    [1, '3-59/5 * * * *', false],
    [4, '3-59/5 * * * *', false],
    [5, '3-59/5 * * * *', true],
    [7, '5-59/6 * * * *', false],
    [30, '17-59/30 * * * *', true],
    [59, '17-59/30 * * * *', false],
    [60, '47 * * * *', true],
    [119, '47 * * * *', false],
    [120, '47 */2 * * *', true],
    [1439, '47 */12 * * *', false],
    [1440, '47 5 * * *', true],
    [5000, '47 5 * * *', false],
  ])('every %s minutes', (minutes, cron, isExact) => {
    expect(scheduleOf(minutes === undefined ? {} : { minutes }, 'Europe/Berlin', 'hook')).toEqual({
      cron,
      timeZone: undefined,
      isExact,
    })
  })

  test('by a cron expression keeps its time zone', () => {
    const schedule = scheduleOf({ cron: '5 4 * * 1' }, 'Europe/Berlin', 'hook')
    expect(schedule).toEqual({ cron: '5 4 * * 1', timeZone: 'Europe/Berlin', isExact: true })
    expect(entryKey(schedule)).toBe('5 4 * * 1 Europe/Berlin')
    expect(entryKey({ cron: '5 4 * * 1', timeZone: undefined })).toBe('5 4 * * 1 UTC')
  })

  test('spreads workflows over the hour and the day', () => {
    const names = ['a', 'b', 'hook', 'grüße', '']
    const crons = (minutes: number) =>
      names.map((name) => scheduleOf({ minutes }, 'UTC', name).cron)
    expect(crons(60)).toEqual([
      '29 * * * *',
      '31 * * * *',
      '47 * * * *',
      '33 * * * *',
      '15 * * * *',
    ])
    expect(crons(1440)).toEqual([
      '29 2 * * *',
      '31 3 * * *',
      '47 5 * * *',
      '33 10 * * *',
      '15 7 * * *',
    ])
    expect(crons(15).map((cron) => cron.split('-')[0])).toEqual(['13', '1', '9', '7', '1'])
  })
})

describe('permissions of a calling job', () => {
  const all = Object.fromEntries(SCOPES.map((scope) => [scope, 'read']))
  test.each([
    ['none anywhere', undefined, [undefined, undefined], undefined],
    ['of the workflow', { contents: 'write' }, [undefined], { contents: 'write' }],
    ['of the job alone', { contents: 'write' }, [{ issues: 'read' }], { issues: 'read' }],
    [
      'of two jobs',
      undefined,
      [
        { contents: 'read', issues: 'write', checks: 'none' },
        { contents: 'write', issues: 'none' },
      ],
      { contents: 'write', issues: 'write', checks: 'none' },
    ],
    [
      'of a job, and the default of another one',
      undefined,
      [{ issues: 'write' }, undefined],
      { issues: 'write', contents: 'read', packages: 'read' },
    ],
    ['all, to read', 'read-all', [undefined, undefined], all],
    [
      'all, to read, and one to write',
      'read-all',
      [undefined, { issues: 'write' }],
      { ...all, issues: 'write' },
    ],
    ['all, to write', undefined, [{ issues: 'read' }, 'write-all', 'read-all'], 'write-all'],
    [
      'in a form that GitHub refuses',
      'all',
      [undefined, ['a'], { a: 'x', b: 5 }],
      { a: 'none', b: 'none' },
    ],
    ['without a job', 'read-all', [], {}],
  ])('%s', (_, workflow, jobs, union) => {
    expect(permissionUnion(workflow, jobs)).toEqual(union)
  })
})

const P = 'github.event.client_payload.path'

describe('the condition of the job "on"', () => {
  test.each([
    [[], []],
    [['a'], ['if: a']],
    [['!a'], ['if: >-', '  !a']],
    [
      ['a &&', 'b'],
      ['if: >-', '  a &&', '  b'],
    ],
  ])('%j is written as %j', (parts, lines) => {
    expect(conditionLines(parts)).toEqual(lines)
  })

  test('compares the path with every name, exactly if another trigger begins with it', () => {
    expect(pathTests('hook', [])).toEqual([])
    expect(pathTests('hook', ['webhook'])).toEqual([
      `startsWith(${P}, 'hook/webhook') ||`,
      `startsWith(${P}, '/hook/webhook')`,
    ])
    expect(pathTests('hook', ['bot', 'a'], ['x', 'BOT_two'])).toEqual([
      `startsWith(format('{0}/', ${P}), 'hook/bot/') ||`,
      `startsWith(${P}, 'hook/bot?') ||`,
      `startsWith(format('{0}/', ${P}), '/hook/bot/') ||`,
      `startsWith(${P}, '/hook/bot?') ||`,
      `startsWith(${P}, 'hook/a') ||`,
      `startsWith(${P}, '/hook/a')`,
    ])
    expect([
      isPrefixOf('Bot', ['bot']),
      isPrefixOf('bot', ['ot', 'bo']),
      isPrefixOf('bot', []),
    ]).toEqual([true, false, false])
  })

  const REPOSITORY = "github.event_name == 'repository_dispatch' &&"
  const ACTION = "github.event.action == 'webhook' &&"
  const CALLED = "contains(github.workflow_ref, '/hook.yml@') &&"
  const [one, other] = [`startsWith(${P}, 'hook/webhook') ||`, `startsWith(${P}, '/hook/webhook')`]
  const inner = [`(${one}`, `${other})`]
  const notRepository = "github.event_name != 'repository_dispatch'"
  const notAction = "github.event.action != 'webhook'"
  const notCalled = "!contains(github.workflow_ref, '/hook.yml@')"

  test.each<[string, DispatchEvent | undefined, readonly string[], string | undefined]>([
    ['webhook', undefined, ['false'], undefined],
    ['webhook', 'repository_dispatch', [one, other], undefined],
    ['webhook', 'workflow_dispatch', ["inputs.hookline != ''"], undefined],
    ['[webhook, push]', 'repository_dispatch', [REPOSITORY, ...inner], notRepository],
    [
      '[webhook, push]',
      'workflow_dispatch',
      ["inputs.hookline != ''"],
      "github.event_name != 'workflow_dispatch'",
    ],
    [
      '[webhook, workflow_dispatch, workflow_call]',
      'workflow_dispatch',
      ["inputs.hookline != ''"],
      '!inputs.hookline',
    ],
    [
      '[webhook, workflow_call]',
      'workflow_dispatch',
      ["inputs.hookline != ''"],
      `github.event_name != 'workflow_dispatch' || ${notCalled}`,
    ],
    [
      '[webhook, repository_dispatch]',
      'repository_dispatch',
      [REPOSITORY, ACTION, ...inner],
      `${notRepository} || ${notAction}`,
    ],
    [
      '[webhook, workflow_call]',
      'repository_dispatch',
      [REPOSITORY, CALLED, ...inner],
      `${notRepository} || ${notCalled}`,
    ],
    [
      '[webhook, repository_dispatch, workflow_call]',
      'repository_dispatch',
      [REPOSITORY, ACTION, CALLED, ...inner],
      `${notRepository} || ${notAction} || ${notCalled}`,
    ],
  ])('of on: %s, started by %s', (on, starting, condition, native) => {
    const file = sourceFile(`on: ${on}\njobs: {a: {runs-on: x, steps: []}}\n`)
    const starts = { file, starting, webhooks: file.triggers }
    expect(onJobCondition(starts)).toEqual(condition)
    expect(nativeCondition(starts)).toBe(native)
  })

  test('the context of a native run has every trigger, skipped', () => {
    const { triggers } = sourceFile('on: [webhook, trello]\njobs: {a: {runs-on: x, steps: []}}\n')
    const skipped = { outcome: 'skipped', conclusion: 'skipped', outputs: {} }
    expect(JSON.parse(skippedContext(triggers))).toEqual({ webhook: skipped, trello: skipped })
  })
})

describe('the condition of a job', () => {
  const job = (condition?: string, needs: readonly string[] = [], readsOn = false) => {
    return { condition, needs, readsOn }
  }
  const jobs = new Map<string, SourceCondition>([
    ['plain', job()],
    ['reads', job('a.b', [], true)],
    ['or', job('a || b')],
    ['and', job('a && b')],
    ['broken', job('a ||')],
    ['second', job(undefined, ['Plain'])],
    ['third', job('x', ['second'], true)],
    ['status', job('always() || x', ['plain', 'reads'])],
    ['behind', job(undefined, ['status'])],
    ['success', job('Success ( ) && (x || success())', ['behind', 'Status'])],
    ['alone', job('success()', ['plain'])],
    ['not', job('!success()', ['plain'])],
    ['text', job("contains('success()', success) && failure()", ['plain'])],
    ['nobody', job('success()')],
  ])
  const conditions = (native: string | undefined) =>
    Object.fromEntries(
      [
        ...jobConditions(
          jobs,
          native,
          (condition, { needs }, all) => `${condition} <${needs.length} of ${all.length}>`,
        ),
      ].map(([id, { needs, parts }]) => [id, [needs.join(' '), parts]]),
    )

  test('waits for the job "on"', () => {
    expect(conditions(undefined)).toMatchSnapshot()
  })

  test('says what success means, beside native events', () => {
    expect(conditions('NATIVE')).toMatchSnapshot()
  })
})

describe("GitHub's lock file", () => {
  const lock = (text: string) => new ActionLock({ name: 'a', file: 'a', text })
  const text = `workflows:
  a.yml: [Actions/Checkout@v5.0.1, a/b@v1.2, 5]
  b.yml: a/b@v1
dependencies:
  Actions/checkout@v5.0.1: {commit: sha1-c0ffee}
  a/b@v1.2: {commit: sha256-beef}
  a/b@v12: {commit: sha1-dead}
  c/d@v1: text
`
  const version = (uses: string) => {
    const [action = '', ref = ''] = uses.split('@')
    return { action, ref }
  }

  test('names the workflows and their actions', () => {
    const { locks, names } = lock(text)
    const of = lock(text)
    expect([typeof locks, typeof names]).toEqual(['function', 'function'])
    expect(['a.yml', 'b.yml', 'c.yml'].map((path) => of.locks(path))).toEqual([true, true, false])
    const named = (path: string, uses: string) => of.names(path, version(uses))
    expect(named('a.yml', 'actions/CHECKOUT@v5.0.1')).toBe(true)
    expect(named('a.yml', 'https://github.com/actions/checkout/folder@V5.0.1')).toBe(true)
    expect(named('a.yml', 'actions/checkout@v5')).toBe(false)
    expect(named('b.yml', 'a/b@v1')).toBe(false)
    expect(named('c.yml', 'a/b@v1.2')).toBe(false)
  })

  test.each([
    ['a more exact tag', 'a.yml', 'actions/checkout@v5', 'Actions/Checkout@v5.0.1', true],
    [
      'the commit of a more exact tag',
      'a.yml',
      'actions/checkout@v5',
      'actions/checkout@c0ffee',
      true,
    ],
    ['the commit of the tag', 'a.yml', 'a/b@v1.2', 'a/b@beef', true],
    ['the same tag', 'a.yml', 'a/b@v1.2', 'a/b@v1.2', false],
    ['a tag that is not locked', 'a.yml', 'actions/checkout@v5', 'actions/checkout@v5.1', false],
    ['another commit', 'a.yml', 'a/b@v1', 'a/b@c0ffee', false],
    ['a commit of a tag that begins alike', 'a.yml', 'a/b@v1', 'a/b@dead', false],
    ['another action', 'a.yml', 'a/b@v1', 'a/c@beef', false],
    ['another file', 'c.yml', 'a/b@v1.2', 'a/b@beef', false],
  ])('has a form of a version: %s', (_, path, written, form, is) => {
    const found = lock(text).lockedForm(path, version(written), [version('x/y@v1'), version(form)])
    expect(found).toEqual(is ? version(form) : undefined)
  })

  test.each(['', '[]', 'workflows: []\ndependencies: 5\n', 'workflows: {a.yml: {}}'])(
    'without content locks nothing: %j',
    (content) => {
      const path = 'a.yml'
      expect(lock(content).names(path, version('a/b@v1'))).toBe(false)
      expect(lock(content).lockedForm(path, version('a/b@v1'), [version('a/b@v1.2')])).toBe(
        undefined,
      )
    },
  )

  test('that is no YAML is left to the program that writes it', () => {
    expect(readActionLock({ name: 'a', file: 'a', text: 'a: [' })).toBe(undefined)
    expect(readActionLock({ name: 'a', file: 'a', text })).toBeInstanceOf(ActionLock)
  })
})
