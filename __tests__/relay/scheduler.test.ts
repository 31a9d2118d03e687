import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { CronExpressionParser } from 'cron-parser'
import { generateSealingKey } from '../../src/relay/credentials/seal.ts'
import type { Dispatch } from '../../src/relay/github/dispatch.ts'
import {
  RelayError as Fault,
  githubTimeout,
  githubUnreachable,
  type RelayError,
  rateLimited,
} from '../../src/relay/relay-errors.ts'
import {
  isDue,
  nextAfter,
  readTimers,
  runTimer,
  type SchedulerLine,
  type SchedulerPorts,
  startDue,
  startRun,
  type Timer,
} from '../../src/relay/schedule/scheduler.ts'
import { UsageError } from '../../src/wire/errors.ts'
import { bundle } from '../support/build.ts'
import { FakeTime } from '../support/fake-time.ts'
import { startGitHub } from '../support/github.ts'
import { startWorkerd } from '../support/workerd.ts'

const HOUR = 3_600_000

async function sealingKeys(): Promise<string> {
  return JSON.stringify({ keys: [(await generateSealingKey()).privateJwk] })
}

function timer(text: string): Timer {
  const [read] = readTimers(text)
  if (!read) throw new Error('no timer')
  return read
}

function mistakes(text: string): unknown {
  try {
    return readTimers(text)
  } catch (error) {
    return error
  }
}

describe('a line', () => {
  test.each([
    ['*/5 * * * * octo/shop poll', { owner: 'octo', name: 'shop' }, 'poll', undefined],
    [
      '0 9 * * 1-5 TZ=Europe/Berlin octo/shop.js report.yml@v2',
      { owner: 'octo', name: 'shop.js' },
      'report',
      'v2',
    ],
    [
      '  0   0 1 1 *   octo/shop  year@feature/x ',
      { owner: 'octo', name: 'shop' },
      'year',
      'feature/x',
    ],
  ])('%s', async (text, repository, workflow, ref) => {
    expect(timer(text)).toMatchObject({
      repository,
      workflow,
      ...(ref !== undefined && { ref }),
    })
  })

  test('empty lines and comments are none', async () => {
    expect(readTimers('\n# nightly\n  \n')).toEqual([])
    expect(readTimers(undefined)).toEqual([])
  })

  test.each([
    ['* * * * octo/shop poll', /five fields/],
    ['61 * * * * octo/shop poll', /minute: 61/],
    ['* * * * * TZ=Mars/Olympus octo/shop poll', /"Mars\/Olympus"/],
    ['0 9 * * MON-FRY octo/shop poll', /entry 5/],
    ['* * * * * octo/shop poll extra', /five fields/],
    ['* * * * * octo poll', /five fields/],
    ['* * * * * octo/.. poll', /repository/],
    ['* * * * * octo/shop ../poll', /workflow/],
    ['0 0 31 2 * octo/shop never', /never/],
    ['@hourly octo/shop poll', /five fields/],
  ])('%s is refused with the number of its line, and the form', async (text, message) => {
    const problems = mistakes(`# first\n${text}`)
    expect(problems).toBeInstanceOf(UsageError)
    const [problem] = (problems as UsageError).problems
    expect(problem?.message).toMatch(/^HOOKLINE_SCHEDULE, line 2\b/)
    expect(problem?.message).toMatch(message)
    expect(problem?.hint).toContain('owner/name workflow')
  })

  test('all wrong lines are reported together', async () => {
    const error = mistakes('a\nb')
    expect((error as UsageError).problems).toHaveLength(2)
  })
})

/** Ports whose time advances only by sleeping, and a GitHub that responds as a test says. */
function world(start: string, answer: (at: number) => RelayError | undefined = () => undefined) {
  let now = Date.parse(start)
  const starts: number[] = []
  const lines: SchedulerLine[] = []
  const counted: string[] = []
  return {
    starts,
    lines,
    counted,
    jump: (milliseconds: number) => {
      now += milliseconds
    },
    ports: {
      now: () => now,
      sleep: async (milliseconds: number) => {
        now += milliseconds
      },
      credential: {
        kind: 'none' as const,
        isOwn: false,
        secrets: [],
        token: async () => undefined,
      },
      newDelivery: () => 'd',
      counted: (outcome: string) => void counted.push(outcome),
      log: (line: SchedulerLine) => void lines.push(line),
      report: (error: unknown) => {
        throw error
      },
      dispatch: async ({ target }: Dispatch) => {
        expect(target).toMatchObject({ event: 'workflow_dispatch', isManual: true })
        const error = answer(now)
        if (error) throw error
        starts.push(now)
        return { tries: 1 }
      },
    },
    until: (end: string) => () => now >= Date.parse(end),
  }
}

function iso(times: readonly number[]): string[] {
  return times.map((time) => new Date(time).toISOString().slice(5, 16))
}

const MINUTE = 60_000

/** The way in which a runtime stores timers from one time to another. */
type Keep = (
  timers: readonly Timer[],
  time: FakeTime,
  ports: SchedulerPorts,
  end: number,
) => Promise<unknown>

const keptByNode: Keep = (timers, time, ports, end) =>
  Promise.all(timers.map((each) => runTimer(each, ports, () => time.now >= end)))

/** Starts each minute, and sometimes twice, even if earlier starts are still running. */
const startedByCloudflare: Keep = async (timers, time, ports, end) => {
  const known = new Set<string>()
  const isFirst = async (name: string) => !known.has(name) && known.add(name).size > 0
  const running: Promise<void>[] = []
  for (let at = Math.ceil(time.now / MINUTE) * MINUTE; at < end; at += MINUTE) {
    await time.sleep(at - time.now)
    const starts = (at / MINUTE) % 7 === 0 ? 2 : 1
    for (let n = 0; n < starts; n++) running.push(startDue(timers, at, ports, isFirst))
  }
  await Promise.all(running)
}

/** The result of every startRun by its due time, and the time of the result. */
async function kept(keep: Keep, text: string, from: string, to: string, github = () => noError) {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const time = new FakeTime(start)
  const told: { due: number; outcome: string; at: number }[] = []
  const answer = github()
  const ports: SchedulerPorts = {
    ...world(from).ports,
    ...{ now: () => time.now, sleep: (duration: number) => time.sleep(duration) },
    log: ({ due, schedule: outcome }) =>
      void told.push({ due: Date.parse(due), outcome, at: time.now }),
    dispatch: async () => {
      await time.sleep(300)
      const error = answer(time.now)
      if (error) throw error
      return { tries: 1 }
    },
  }
  await time.run(keep(readTimers(text), time, ports, end))
  const ended = told.filter(({ outcome, due }) => outcome !== 'repeated' && due < end)
  return { ended, started: ended.filter(({ outcome }) => outcome === 'started'), told }
}

const noError = (_now: number): RelayError | undefined => undefined

const QUARTERS = ['00', '15', '30', '45']

/** A GitHub that is down for an hour, then rate limits, then fails sometimes. */
function outages(): (now: number) => RelayError | undefined {
  let calls = 0
  return (now) => {
    const hour = new Date(now).getUTCHours()
    if (hour === 6) return githubUnreachable(new Error('gone'))
    if (hour === 9) return rateLimited(40)
    return hour === 13 && ++calls % 3 > 0 ? githubUnreachable(new Error('gone')) : undefined
  }
}

describe.each([
  ['Node', keptByNode],
  ['Workers', startedByCloudflare],
])('over hours, on %s', (runtime, keep) => {
  test('every run of two schedules starts once, in its minute, for 5 hours', async () => {
    const text = '*/5 * * * * octo/shop poll\n7 * * * * octo/shop report'
    const hours = 5
    const from = '2026-11-23T00:00:10Z'
    const to = new Date(Date.parse(from) + hours * HOUR).toISOString()
    const { ended, started, told } = await kept(keep, text, from, to)
    const ticks = hours * (12 + 1)
    expect([ended.length, started.length]).toEqual([ticks, ticks])
    expect(new Set(started.map(({ due }) => due)).size).toBe(ticks)
    expect(started.every(({ due, at }) => at - due < MINUTE)).toBe(true)
    expect(told.some(({ outcome }) => outcome === 'repeated')).toBe(runtime === 'Workers')
  })

  test('9 hours with outages: each run starts at most once, and before the next one is due', async () => {
    // From an hour before the first outage to the end of the last one.
    const [first, last] = [5, 14]
    const midnight = Date.parse('2026-11-23T00:00:00Z')
    const [from, to] = [first, last].map((hour) => new Date(midnight + hour * HOUR).toISOString())
    const text = '*/15 * * * * octo/shop poll'
    const { ended, started } = await kept(keep, text, from ?? '', to ?? '', outages)
    const dues = ended.map(({ due }) => due)
    expect(new Set(dues).size).toBe(dues.length)
    // The first one is that of the start itself, which is over on Node.
    expect(dues.length).toBeGreaterThanOrEqual((last - first) * QUARTERS.length - 1)
    expect(started.every(({ due, at }) => at - due < 15 * MINUTE)).toBe(true)
    const lost = ended.filter(({ outcome }) => outcome === 'given_up').map(({ due }) => due)
    expect(iso(lost)).toEqual(
      ['06', '09'].flatMap((hour) => QUARTERS.map((minute) => `11-23T${hour}:${minute}`)),
    )
    expect(started.length + lost.length).toBe(ended.length)
  })

  const SPRING = '2026-03-28T22:30:00Z'
  const AUTUMN = '2026-10-24T22:30:00Z'
  test.each([
    ['in the hour that is not there', SPRING, '30 2 * * *', ['29T01:30']],
    ['in the hour that is there twice', AUTUMN, '30 2 * * *', ['25T00:30']],
    ['by the hour', SPRING, '0 1-4 * * *', ['29T00:00', '29T01:00', '29T02:00']],
    ['by the hour, back', AUTUMN, '0 1-4 * * *', ['24T23:00', '25T00:00', '25T02:00', '25T03:00']],
  ])('a change %s: what the zone says, each once', async (_, from, cron, dues) => {
    const to = new Date(Date.parse(from) + 5.5 * HOUR).toISOString()
    const { started } = await kept(keep, `${cron} TZ=Europe/Berlin octo/shop report`, from, to)
    expect(started.map(({ due }) => new Date(due).toISOString().slice(8, 16))).toEqual(dues)
  })
})

describe('a clock that jumps', () => {
  test('a run that it slept past is missed, and none starts twice when the clock goes back', async () => {
    const { ports, starts, counted, jump, until } = world('2026-11-23T00:00:10Z')
    let jumps = 0
    const sleep = async (milliseconds: number) => {
      if (starts.length === 3 && jumps === 0) jump(++jumps * 2 * HOUR)
      if (starts.length === 6 && jumps === 1) jump(-HOUR * jumps++)
      await ports.sleep(milliseconds)
    }
    await runTimer(
      timer('*/10 * * * * octo/shop poll'),
      { ...ports, sleep },
      until('2026-11-23T05:00:00Z'),
    )
    expect(new Set(starts.map((time) => Math.floor(time / 60_000))).size).toBe(starts.length)
    expect(counted).toContain('missed')
    expect(counted).toContain('repeated')
  })
})

describe('responses of GitHub', () => {
  const refused = new Fault(403, 'repository_not_accessible', 'no', { hint: 'none' })
  const gateway = new Fault(502, 'github_unavailable', 'no', {
    hint: 'none',
    attempts: { tries: 1, githubStatus: 502 },
  })
  test.each<[string, RelayError, string, number]>([
    ['a refusal is logged, and not tried again', refused, 'refused', 1],
    [
      'without a response the run may have started: no other try',
      githubTimeout(undefined),
      'unclear',
      1,
    ],
    ["a gateway's 502: no other try", gateway, 'unclear', 1],
  ])('%s', async (_, error, outcome, calls) => {
    let asked = 0
    const { ports, lines } = world('2026-11-23T00:05:00Z', () => {
      asked++
      return error
    })
    expect(await startRun(timer('*/5 * * * * octo/shop poll'), ports.now(), ports)).toBe(outcome)
    expect(asked).toBe(calls)
    expect(lines).toEqual([
      expect.objectContaining({
        schedule: outcome,
        repository: 'octo/shop',
        workflow: 'poll',
        reason: error.code,
        due: '2026-11-23T00:05:00.000Z',
      }),
    ])
    expect(lines[0]?.level).toBe(outcome === 'refused' ? 'error' : undefined)
  })

  test('after a rate limit the run starts when GitHub allows it', async () => {
    let asked = 0
    const { ports, starts } = world('2026-11-23T00:05:00Z', () =>
      ++asked === 1 ? rateLimited(20) : undefined,
    )
    expect(await startRun(timer('*/5 * * * * octo/shop poll'), ports.now(), ports)).toBe('started')
    expect(iso(starts)).toEqual(['11-23T00:05'])
    expect(ports.now() - Date.parse('2026-11-23T00:05:00Z')).toBe(20_000)
  })
})

test('whether a timer is due in the minute of a time', async () => {
  const nine = timer('0 9 * * * TZ=Europe/Berlin octo/shop report')
  expect(isDue(nine, Date.parse('2026-07-01T07:00:59Z'))).toBe(true)
  expect(isDue(nine, Date.parse('2026-07-01T07:01:00Z'))).toBe(false)
  expect(isDue(nine, Date.parse('2026-12-01T08:00:00Z'))).toBe(true)
})

describe('on Workers, started each minute', () => {
  /** Calls the worker's own handler at the time in a request. */
  const WRAPPER = `import worker, { Outbox } from './relay.js'
export { Outbox }
export default {
  async fetch(request, env, context) {
    const scheduledTime = Number(new URL(request.url).searchParams.get('at'))
    await worker.scheduled({ scheduledTime }, env, context)
    return new Response('ticked')
  },
}
`
  const TOKEN = `github_pat_${'a'.repeat(40)}`

  async function started(times: readonly string[], withObject: boolean, refusal?: number) {
    const github = await startGitHub()
    github.always(({ method }) =>
      method === 'POST'
        ? { status: refusal ?? 204 }
        : { status: 200, body: JSON.stringify({ default_branch: 'main' }) },
    )
    const folder = await mkdtemp(join(tmpdir(), 'hookline-scheduler-'))
    await writeFile(join(folder, 'wrapper.js'), WRAPPER)
    const [script, scheduler, outbox] = await Promise.all(
      ['worker', 'scheduler', 'durable-outbox'].map((name) =>
        readFile(bundle(`relay/${name}.js`), 'utf8'),
      ),
    )
    const worker = await startWorkerd(
      join(folder, 'wrapper.js'),
      {
        ...{
          HOOKLINE_GITHUB_TOKEN: TOKEN,
          HOOKLINE_ACCESS_KEYS: 'hlk_0123456789012345678901234567',
        },
        ...{ HOOKLINE_API_URL: github.url, HOOKLINE_SEALING_KEYS: await sealingKeys() },
        HOOKLINE_SCHEDULE:
          '*/5 * * * * octo/shop poll@v1\n0 9 * * * TZ=Europe/Berlin octo/shop report',
      },
      {
        modules: new Map([
          ['relay.js', script ?? ''],
          ['scheduler.js', scheduler ?? ''],
          ['durable-outbox.js', outbox ?? ''],
        ]),
        ...(withObject && { disk: folder }),
      },
    )
    try {
      for (const time of times) {
        const answer = await fetch(`${worker.url}/?at=${Date.parse(time)}`)
        expect(await answer.text()).toBe('ticked')
      }
      if (refusal !== undefined) return worker.log.map((line) => JSON.parse(line))
      const posts = github.calls.filter(({ method }) => method === 'POST')
      return posts.map(({ url, body }) => ({ url, body: JSON.parse(body) }))
    } finally {
      await worker.close()
      await github.close()
      await rm(folder, { recursive: true })
    }
  }

  const POLL = {
    url: '/repos/octo/shop/actions/workflows/poll.yml/dispatches',
    body: { ref: 'v1', inputs: {}, return_run_details: true },
  }
  const REPORT = {
    url: '/repos/octo/shop/actions/workflows/report.yml/dispatches',
    body: { ref: 'main', inputs: {}, return_run_details: true },
  }

  test('a scheduled run starts without inputs, and once when its minute comes twice', async () => {
    const times = ['07:59', '08:00', '08:00', '08:05'].map((time) => `2026-11-23T${time}:00Z`)
    const calls = await started(times, true)
    expect(calls).toHaveLength(3)
    expect(calls).toEqual(expect.arrayContaining([POLL, REPORT]))
  })

  test('a refusal is logged, though scheduler.js has its own copy of the error class', async () => {
    const lines = await started(['2026-11-23T08:05:00Z'], false, 404)
    const told = lines.map(({ schedule, workflow, reason }) => [schedule, workflow, reason])
    expect(told).toContainEqual(['refused', 'poll', 'workflow_not_accessible'])
  })

  test('without the binding the worker cannot remember a minute that comes twice', async () => {
    const time = '2026-11-23T08:05:00Z'
    expect(await started([time, time], false)).toEqual([POLL, POLL])
  })
})

describe('the time of the next run', () => {
  const ZONES = [
    'Europe/Berlin',
    'Europe/Lisbon',
    'America/New_York',
    'America/St_Johns',
    'America/Santiago',
    'Australia/Sydney',
    'Australia/Lord_Howe',
    'Pacific/Auckland',
    'Asia/Kolkata',
    'Africa/Casablanca',
  ]
  /** An ordinary midnight, and the minutes in which a zone's clock jumps. */
  const changes = (zone: string, years = 3) => {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    const offset = (time: number) =>
      format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value
    const found = [Date.UTC(2026, 0, 15)]
    for (let day = Date.UTC(2026, 0, 1); day < Date.UTC(2026 + years, 0, 1); day += 24 * HOUR) {
      if (offset(day) === offset(day + 24 * HOUR)) continue
      let [low, high] = [day, day + 24 * HOUR]
      while (high - low > MINUTE) {
        const middle = Math.floor((low + high) / 2 / MINUTE) * MINUTE
        if (offset(middle) === offset(day)) low = middle
        else high = middle
      }
      found.push(high)
    }
    return found
  }

  test.each(ZONES)('*/5 is 5 minutes later, across every change of %s in three years', (zone) => {
    const five = timer(`*/5 * * * * TZ=${zone} octo/shop poll`)
    for (const change of changes(zone)) {
      for (let time = change - HOUR; time < change + 1.25 * HOUR; time += 5 * MINUTE) {
        const next = nextAfter(five, time)
        expect([zone, new Date(time).toISOString(), (next ?? 0) - time]).toEqual([
          zone,
          new Date(time).toISOString(),
          5 * MINUTE,
        ])
      }
    }
  })

  const FIXED = ['30 2 * * *', '45 3 * * *', '0 9 * * 1-5']

  test.each(ZONES)('is that of cron-parser, across every change of %s in ten years', (zone) => {
    const found: unknown[] = []
    const compare = (fields: string, from: number, runs: number) => {
      const one = timer(`${fields} TZ=${zone} octo/shop poll`)
      const other = CronExpressionParser.parse(fields, { tz: zone, currentDate: new Date(from) })
      for (let time: number | undefined = from, n = 0; n < runs && time !== undefined; n++) {
        const expected = other.next().getTime()
        time = nextAfter(one, time)
        if (time !== expected) found.push({ fields, from: new Date(from), time, expected })
      }
    }
    for (const change of changes(zone, 10)) {
      for (const fields of FIXED) compare(fields, change - 28 * HOUR - 1, 3)
      // Of a change by half an hour, cron-parser does not know the second half hour.
      if (zone === 'Australia/Lord_Howe') continue
      for (const minutes of [-1, 59]) compare('*/5 * * * *', change + minutes * MINUTE, 1)
    }
    expect(found).toEqual([])
  })

  test.each(ZONES)('a daily run comes once a day, across every change of %s', (zone) => {
    for (const hour of [1, 2, 3]) {
      const daily = timer(`30 ${hour} * * * TZ=${zone} octo/shop report`)
      for (const change of changes(zone)) {
        let time = change - 60 * HOUR
        for (let n = 0; n < 5; n++) {
          const next = nextAfter(daily, time) ?? 0
          if (n > 0) expect(next - time).toBeGreaterThanOrEqual(22.5 * HOUR)
          if (n > 0) expect(next - time).toBeLessThanOrEqual(25.5 * HOUR)
          time = next
        }
      }
    }
  })
})

test('a clock that was ahead at the start and is corrected: a log line, and runs at the new time', async () => {
  const { ports, jump, starts, lines } = world('2026-01-02T00:00:30Z')
  let sleeps = 0
  const sleep = async (milliseconds: number) => {
    jump(milliseconds)
    // After a minute the clock is set back by a day.
    if (++sleeps === 3) jump(-24 * HOUR)
  }
  const end = Date.parse('2026-01-01T00:10:00Z')
  const isStopped = () => sleeps > 3 && ports.now() >= end
  await runTimer(timer('*/5 * * * * octo/shop poll'), { ...ports, sleep }, isStopped)
  expect(lines.map(({ schedule }) => schedule)).toContain('clock_changed')
  expect(iso(starts)).toEqual(['01-01T00:05', '01-01T00:10'].slice(0, starts.length))
  expect(starts.length).toBeGreaterThan(0)
})
