import { describe, expect, test } from '@jest/globals'
import {
  isStartedBy,
  MOST_RUNS,
  readRun,
  recentRuns,
  runResult,
  runsOfEvent,
  runsPath,
  type WorkflowRun,
} from '../../src/wire/run-lookup.ts'

const DELIVERY = '0b6a1f4e-1111-4222-8333-0123456789ab'

const AT_GITHUB = {
  id: 7,
  path: '.github/workflows/hook.yml@main',
  event: 'repository_dispatch',
  status: 'completed',
  conclusion: 'success',
  created_at: '2026-01-01T00:00:00Z',
  html_url: 'https://github.com/octo/repo/actions/runs/7',
  display_title: `hook (${DELIVERY.toUpperCase()})`,
}

const RUN: WorkflowRun = {
  id: 7,
  delivery: DELIVERY.toUpperCase(),
  workflow: 'hook',
  event: 'repository_dispatch',
  state: 'completed',
  conclusion: 'success',
  started: '2026-01-01T00:00:00Z',
  url: 'https://github.com/octo/repo/actions/runs/7',
}

describe('a run of GitHub', () => {
  test.each<[object, Partial<WorkflowRun>]>([
    [{}, {}],
    [{ display_title: 'hook' }, { delivery: null }],
    [{ display_title: null }, { delivery: null }],
    [{ conclusion: null }, { conclusion: null }],
    [{ path: '.github/workflows/hook.yaml' }, { workflow: 'hook' }],
    [{ path: 'hook.yml.yml@refs/heads/a/b' }, { workflow: 'hook.yml' }],
    [{ path: 'dynamic/pages' }, { workflow: 'pages' }],
    [{ path: '' }, { workflow: '' }],
  ])('with %j has %j', (more, expected) => {
    expect(readRun({ ...AT_GITHUB, ...more })).toEqual({ ...RUN, ...expected })
  })

  test('is at the repository’s unfiltered list', () => {
    expect(runsPath('octo/repo', 3)).toBe('/repos/octo/repo/actions/runs?per_page=100&page=3')
  })
})

describe('the result of a run', () => {
  test.each([
    ['queued', null, 'running'],
    ['in_progress', null, 'running'],
    ['waiting', null, 'waiting_for_approval'],
    ['completed', 'action_required', 'waiting_for_approval'],
    ['completed', 'success', 'success'],
    ['completed', 'neutral', 'success'],
    ['completed', 'skipped', 'skipped'],
    ['completed', 'startup_failure', 'startup_failure'],
    ['completed', 'failure', 'failure'],
    ['completed', 'cancelled', 'failure'],
    ['completed', 'timed_out', 'failure'],
  ])('in the state %s with the conclusion %s is %s', (state, conclusion, result) => {
    expect(runResult({ state, conclusion })).toBe(result)
  })
})

describe('the recent runs', () => {
  /** Reads from pages of so many runs; the id of a run is its number, and each is a second older. */
  async function read(sizes: readonly number[], range?: Parameters<typeof recentRuns>[1]) {
    const pages: number[] = []
    const runs = await recentRuns(async (page) => {
      pages.push(page)
      const started = (index: number) => new Date((1000 - page * 100 - index) * 1000).toISOString()
      return Array.from({ length: sizes[page - 1] ?? 100 }, (_, index) => ({
        ...AT_GITHUB,
        id: page * 1000 + index,
        created_at: started(index),
      }))
    }, range)
    return { pages, count: runs.length, last: runs.at(-1)?.id }
  }

  test.each<[string, number[], Parameters<typeof recentRuns>[1], number[], number]>([
    ['end with a page that is not full', [100, 99], undefined, [1, 2], 199],
    ['end with an empty page', [100, 0], undefined, [1, 2], 100],
    ['end after ten pages', [], undefined, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 1000],
    ['end with the page that has an older one', [], { since: new Date(702_000) }, [1, 2], 200],
    ['go on at the time itself', [], { since: new Date(701_000) }, [1, 2, 3], 300],
    ['end when they are enough', [], { isEnough: (runs) => runs.length > 100 }, [1, 2], 200],
  ])('%s', async (_, sizes, range, pages, count) => {
    expect(await read(sizes, range)).toMatchObject({ pages, count })
  })

  test('are at most 1,000', () => expect(MOST_RUNS).toBe(1000))
})

describe('an event', () => {
  const since = Date.parse(RUN.started)

  test.each([
    ['its id', { delivery: DELIVERY }, true],
    ['another id', { delivery: DELIVERY.replace('a', 'b') }, false],
    ['its id and time', { delivery: DELIVERY, since }, true],
    ['its id, and a later time', { delivery: DELIVERY, since: since + 1 }, false],
    ['its address', { delivery: 'x', url: RUN.url }, true],
    ['its address, and a later time', { delivery: 'x', url: RUN.url, since: since + 1 }, true],
    ['another address', { delivery: 'x', url: `${RUN.url}1` }, false],
    ['no address', { delivery: 'x', url: null }, false],
  ])('with %s started the run: %s', (_, event, expected) => {
    expect(isStartedBy(RUN, event)).toBe(expected)
  })

  test('has the runs of its workflow, the one that counts first', () => {
    const results = [
      ...['skipped', 'success', 'action_required', 'startup_failure', 'failure'],
      ...[null],
    ]
    const runs = results.map((conclusion, id) => ({ ...RUN, id, conclusion }))
    const others = [
      { ...RUN, id: 8, workflow: 'other' },
      { ...RUN, id: 9, delivery: null },
    ]
    const found = (workflow?: string) =>
      runsOfEvent([...runs, ...others], { delivery: DELIVERY, workflow }).map(({ id }) => id)
    expect(found('hook')).toEqual([4, 3, 2, 5, 1, 0])
    expect(found()).toEqual([4, 3, 2, 5, 1, 8, 0])
  })
})
