import { describe, expect, test } from '@jest/globals'
import { Cron } from 'croner'
import { parse } from 'yaml'
import { writtenOutputs } from '../../src/action/outputs.ts'
import { scheduleOf } from '../../src/compiler/cron-schedule.ts'
import { UserError } from '../../src/wire/errors.ts'
import { evaluationOf } from '../support/evaluations.ts'
import { fc } from '../support/properties.ts'
import { compileText } from './support/compiled.ts'
import { evaluate } from './support/evaluate.ts'
import { parserErrors } from './support/github.ts'
import { type JobResult, schedule } from './support/scheduler.ts'

const MINUTE = 60_000

function bot(config: string, more = ''): string {
  return `on:
  messaging_bot:
    token: \${{ secrets.BOT }}
    config: {${config}}
${more}jobs:
  answer:
    runs-on: ubuntu-latest
    steps:
      - run: echo "$TEXT"
        env:
          TEXT: \${{ on.messaging_bot.outputs.text }}
`
}

describe('a polled trigger', () => {
  test('starts by its schedule and manually, one run after the other, with its secret by name', async () => {
    const { main: listening } = await compileText(bot('every: 10'))
    expect(await parserErrors('hook.yml', listening)).toEqual([])
    const { on, jobs } = parse(listening)
    expect(on).toEqual({ schedule: [{ cron: expect.any(String) }], workflow_dispatch: null })
    expect(jobs.on.if).toBeUndefined()
    expect(jobs.on.concurrency).toEqual({ group: 'hookline-hook', queue: 'max' })
    expect(jobs.on.steps[0].with.secrets).toBe(`{"BOT": \${{ toJSON(secrets.BOT) }}}`)
    expect(jobs.on.steps[0].with.state).toBeUndefined()
  })

  test('with webhook: true is reached like every webhook', async () => {
    const text = bot('', '').replace('config: {}', 'webhook: true')
    const { on, jobs } = parse((await compileText(text)).main)
    expect(on).toEqual({ repository_dispatch: { types: ['webhook'] } })
    expect(jobs.on.if).toContain('hook/messaging_bot')
    expect(jobs.on.concurrency).toBeUndefined()
  })

  test('is reached under its other name too, as the action would take it', async () => {
    const text = bot('', '').replace('config: {}', 'webhook: true')
    for (const name of ['messaging_bot', 'telegram_bot']) {
      const { main: listening } = await compileText(text.replaceAll('messaging_bot', name))
      expect(parse(listening).jobs.on.if).toContain("'hook/messaging_bot'")
      expect(parse(listening).jobs.on.if).toContain("'hook/telegram_bot'")
    }
  })

  test('keeps its own time zone next to another schedule', async () => {
    const one = (name: string, zone: string) =>
      `  ${name}: {token: "1:a", config: {every: "0 9 * * *", timeZone: ${zone}}}\n`
    const triggers = one('messaging_bot', 'Europe/Berlin') + one('telegram_bot', 'Asia/Tokyo')
    const { main: listening } = await compileText(
      `on:\n${triggers}jobs: {a: {runs-on: x, steps: []}}\n`,
    )
    expect(parse(listening).on.schedule).toEqual([
      { cron: '0 9 * * *', timezone: 'Europe/Berlin' },
      { cron: '0 9 * * *', timezone: 'Asia/Tokyo' },
    ])
  })

  test('adds no second entry like one of the source', async () => {
    const own = '  schedule: [{cron: "0 1 * * *"}]\n'
    const { main: listening } = await compileText(bot("every: '0 1 * * *'", own))
    expect(parse(listening).on.schedule).toEqual([{ cron: '0 1 * * *' }])
  })

  test.each([
    [
      "every: '*/20 8-18 * * 1-5', timeZone: Europe/Berlin",
      [{ cron: '*/20 8-18 * * 1-5', timezone: 'Europe/Berlin' }],
    ],
    ["every: '0 6 * * *'", [{ cron: '0 6 * * *' }]],
    ['skipSchedule: true', undefined],
  ])('with %s has the schedule %j', async (config, schedule) => {
    const { main: listening } = await compileText(bot(config, '  workflow_dispatch:\n'))
    expect(parse(listening).on.schedule).toEqual(schedule)
    expect(await parserErrors('hook.yml', listening)).toEqual([])
  })

  test.each([
    ['  schedule:\n    # nightly\n    - cron: "0 1 * * *"\n'],
    ['  schedule:\n  - cron: "0 1 * * *"\n'],
    ['  schedule: [{cron: "0 1 * * *"}]\n'],
  ])('joins a schedule of the source: %j', async (own) => {
    const { main: listening } = await compileText(bot("every: '5 4 * * *'", own))
    expect(parse(listening).on.schedule).toEqual([{ cron: '0 1 * * *' }, { cron: '5 4 * * *' }])
  })

  test.each<readonly [string, string, unknown]>([
    [
      'of the source stays, once',
      bot('', '  workflow_dispatch: {inputs: {a: {type: string}}}\n'),
      { inputs: { a: { type: 'string' } } },
    ],
    ['alone starts what wants no schedule', bot('skipSchedule: true'), null],
    ['starts nothing that would not poll then', bot('manualRunEvent: []'), undefined],
    ['is not what a push stands for', bot('manualRunEvent: push', '  push:\n'), undefined],
  ])('a manual run %s', async (_, source, expected) => {
    const { main } = await compileText(source)
    expect(await parserErrors('hook.yml', main)).toEqual([])
    expect(parse(main).on.workflow_dispatch).toEqual(expected)
    expect(main.match(/workflow_dispatch:/g) ?? []).toHaveLength(expected === undefined ? 0 : 1)
  })

  test('takes the schedule of the source when it names none of its own', async () => {
    const { main: listening, notices } = await compileText(
      bot('', '  schedule: [{cron: "0 1 * * *"}]\n'),
    )
    expect(parse(listening).on.schedule).toEqual([{ cron: '0 1 * * *' }])
    expect(notices).toEqual([])
  })

  test('names the default that it takes', async () => {
    const { main: listening, notices } = await compileText(bot(''))
    expect(parse(listening).on.schedule).toHaveLength(1)
    expect(notices).toEqual(['"messaging_bot" is polled every 15 minutes'])
  })

  test('every that cron cannot say needs a store, and says what the schedule is', async () => {
    await expect(compileText(bot('every: 7'))).rejects.toThrow('"every" needs a store')
    const { main: listening, notices } = await compileText(bot('every: 7'), {
      state: 'branch:state',
    })
    expect(notices).toEqual([
      expect.stringMatching(/^cron cannot say "every 7 minutes": .*6 \* \* \* \*/),
    ])
    expect(parse(listening).jobs.on.steps[0].with.state).toBe('branch:state')
  })

  test.each(['shouldDeduplicate: true', 'skipFirst: true', 'limit: 1, sort: {date: 1}'])(
    '%s needs a store',
    async (config) => {
      const failed = compileText(bot(config))
      await expect(failed).rejects.toBeInstanceOf(UserError)
      await expect(failed).rejects.toThrow('needs a store')
      await expect(compileText(bot(config), { state: 'branch:state' })).resolves.toBeDefined()
    },
  )

  test('an inactive trigger starts nothing', async () => {
    await expect(compileText(bot('active: false'))).rejects.toThrow('is active')
  })
})

describe('the schedule of minutes', () => {
  test.each([5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440])(
    'of %i is just as long between any two runs',
    (minutes) => {
      fc.assert(
        fc.property(fc.stringMatching(/^[a-z.-]{1,20}$/), (workflow) => {
          const schedule = scheduleOf({ minutes }, 'UTC', workflow)
          expect(schedule.isExact).toBe(true)
          expect(gaps(schedule.cron)).toEqual([minutes * MINUTE])
        }),
        { numRuns: 2 },
      )
    },
  )

  test('of any other number is never longer than it, but five minutes, and never at the full hour', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.string(), (minutes, workflow) => {
        const { cron } = scheduleOf({ minutes }, 'UTC', workflow)
        expect(Math.max(...gaps(cron))).toBeLessThanOrEqual(Math.max(5, minutes) * MINUTE)
        expect(new Cron(cron, { timezone: 'UTC' }).nextRun()?.getUTCMinutes()).not.toBe(0)
      }),
      { numRuns: 200 },
    )
  })
})

test('defaults that read the event stand in each job, where it can be read', async () => {
  const folder = '${{ on.messaging_bot.outputs.chat.type }}'
  const source = bot('every: 10').replace(
    'jobs:',
    `defaults: {run: {shell: sh, working-directory: "${folder}"}}\njobs:\n  own:\n    runs-on: x\n    defaults: {run: {working-directory: a}}\n    steps: [{run: a}]\n  call:\n    uses: ./.github/workflows/x.yml`,
  )
  const { main, jobs } = await compileText(source)
  expect(await parserErrors('hook.jobs.yml', jobs)).toEqual([])
  const { defaults, jobs: made } = parse(jobs)
  const inJob = folder.replace('on.', 'fromJSON(inputs.on).')
  expect([defaults, made.answer.defaults, made.own.defaults, made.call.defaults]).toEqual([
    { run: { shell: 'sh' } },
    { run: { 'working-directory': inJob } },
    { run: { 'working-directory': 'a' } },
    undefined,
  ])
  expect(parse(main).defaults).toBeUndefined()
})

describe('the jobs of a file that polls', () => {
  const ref = (name: string) => `o/r/.github/workflows/${name}.yml@refs/heads/main`
  const NONE = String(writtenOutputs(evaluationOf()).get('items'))
  const SKIPPED = {
    messaging_bot: { outcome: 'skipped', conclusion: 'skipped', outputs: {} },
  }
  const POLL = { event_name: 'schedule' }
  const PUSH = { event_name: 'push' }
  const BY_HAND = { event_name: 'workflow_dispatch' }
  const dispatch = (path: string, action = 'webhook') => ({
    event_name: 'repository_dispatch',
    event: { action, client_payload: { path } },
  })
  const OPEN = '  webhook: ${{ vars.W }}'
  const called = (event: object) => ({ ...event, workflow_ref: ref('caller') })

  /** The effect of an event: no start, a poll, or one run without an item. */
  test.each<readonly [string, string, object, 'nothing' | 'poll' | 'once']>([
    ['push:', 'a schedule', POLL, 'poll'],
    ['push:', 'a push', PUSH, 'once'],
    ['[manual] workflow_dispatch:', 'a run by hand', BY_HAND, 'once'],
    ['[skip] schedule: [{cron: "0 1 * * *"}]', 'a schedule', POLL, 'once'],
    [
      'repository_dispatch: {types: [deploy]}',
      'a dispatch of its own',
      dispatch('', 'deploy'),
      'once',
    ],
    ['[open]', 'a webhook for another', dispatch('other/messaging_bot'), 'nothing'],
    ['[open] workflow_call:', 'a call by a webhook', called(dispatch('caller/webhook')), 'once'],
    ['[direct] push:', 'a run by hand', BY_HAND, 'poll'],
    ['[direct manual] release:', 'a run by hand', BY_HAND, 'nothing'],
    ['[direct manual] release:', 'a release', { event_name: 'release' }, 'once'],
    ['[direct manual] workflow_dispatch:', 'a run by hand', BY_HAND, 'once'],
  ])('with %s on %s: %s %s', async (events, _, event, expected) => {
    const [, marks = ''] = /^\[([\w ]+)\]/.exec(events) ?? []
    const configs = { manual: 'manualRunEvent: push', skip: 'skipSchedule: true' }
    const config = Object.entries(configs).find(([mark]) => marks.includes(mark))?.[1] ?? ''
    const isDirect = marks.includes('direct')
    const isOpen = isDirect || marks.includes('open')
    const own = events.replace(/^\[[\w ]+\] ?/, '')
    const source = bot(config, own && `  ${own}\n`).replace(
      'messaging_bot:\n',
      `messaging_bot:\n${isOpen ? `  ${OPEN}\n` : ''}`,
    )
    const { main } = await compileText(source, isDirect ? { dispatch: 'workflow' } : {})
    const { inputs = {}, ...happened } = { inputs: {}, ...event }
    const github = { workflow_ref: ref('hook'), event: {}, ...happened }
    const run = (items: string, result: JobResult = 'success') => {
      const outputs = { on: { items } }
      const results = schedule(main, {
        contexts: { github, inputs },
        ends: { on: result },
        outputs,
      })
      const { each, once } = parse(main).jobs
      if (results.once === 'success') return [JSON.parse(once.with.on)]
      if (results.each === 'skipped') return []
      return evaluate(each.strategy.matrix.on.slice(3, -2), {
        needs: { on: { result, outputs: outputs.on } },
      })
    }
    const two = [{ messaging_bot: 1 }, { messaging_bot: 2 }]
    const skipped = expected === 'once' ? [SKIPPED] : []
    expect([run(NONE), run(JSON.stringify(two)), run('', 'failure')]).toEqual(
      expected === 'poll' ? [[], two, []] : [skipped, skipped, skipped],
    )
    expect(await parserErrors('hook.yml', main)).toEqual([])
  })
})

/** The different times between the next runs of a schedule. */
function gaps(cron: string): number[] {
  const runs = new Cron(cron, { timezone: 'UTC' }).nextRuns(30, new Date('2026-11-21T00:00:00Z'))
  return [...new Set(runs.slice(1).map((run, at) => run.getTime() - Number(runs[at])))]
}

describe('how many items of one event run concurrently', () => {
  const jobs = 'jobs: {a: {runs-on: x, steps: [{run: x}]}}\n'
  const bot = 'on: {telegram_bot: {token: "${' + '{ secrets.BOT }}"}}\n'

  test.each([
    ['one of a bot, so that its answers keep their order', '', '1'],
    ['as many as the source says', 'hookline: {max-parallel: 4}\n', '4'],
  ])('%s', async (_, own, wanted) => {
    const { main, jobs: called } = await compileText(bot + own + jobs)
    expect(/max-parallel: (\d+)/.exec(main)?.[1]).toBe(wanted)
    expect(called).not.toContain('max-parallel')
  })

  test.each(['0', '257', '1.5', 'many', '[1]'])('and never %s', async (value) => {
    const text = `${bot}hookline: {max-parallel: ${value}}\n${jobs}`
    await expect(compileText(text)).rejects.toThrow('"max-parallel" is not a number from 1 to 256')
  })

  test('a typo is reported with the probable value', async () => {
    const text = `${bot}hookline: {max-paralel: 2}\n${jobs}`
    const error = await compileText(text).catch((found: unknown) => found)
    expect(error).toMatchObject({ problems: [{ hint: 'did you mean "max-parallel"?' }] })
  })
})
