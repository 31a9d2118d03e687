import { describe, expect, test } from '@jest/globals'
import {
  detailsReader,
  readRunDetails,
  runFinder,
  runReader,
} from '../../../src/relay/github/runs.ts'
import type { GitHubCallRequest } from '../../../src/wire/github-api.ts'
import type { WorkflowRun } from '../../../src/wire/run-lookup.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { tokenCredential } from '../../support/credentials.ts'
import { MINUTE, SECOND, START } from '../../support/fake-time.ts'

const ASKED = {
  repository: { owner: 'Octo', name: 'shop' },
  credential: tokenCredential(new Secret('token')),
}

const A = '0b8f6a3e-5d0c-4b3e-9d53-6a3f1f0f2a11'
const B = '1c8f6a3e-5d0c-4b3e-9d53-6a3f1f0f2a11'

/** A stand-in for GitHub's API that responds by path, and otherwise 404. */
function github(texts: Readonly<Record<string, object | string>>) {
  const requests: GitHubCallRequest[] = []
  const call = async (request: GitHubCallRequest) => {
    requests.push(request)
    const found = texts[request.path]
    const text = typeof found === 'string' ? found : JSON.stringify(found ?? {})
    return { status: found === undefined ? 404 : 200, header: () => undefined, text }
  }
  const clock = { now: () => new Date(START), sleep: async () => {}, random: () => 0 }
  const options = { call, apiUrl: new URL('https://api.test'), budget: 1000, clock }
  const paths = () => requests.map(({ method, path }) => `${method} ${path}`)
  return { options, paths, requests }
}

const RUN: WorkflowRun = {
  ...{ id: 7, delivery: null, workflow: 'hook', event: 'repository_dispatch' },
  ...{ state: 'completed', conclusion: 'success', started: '', url: 'https://github.com/x' },
}

interface Job {
  readonly id?: unknown
  readonly name: string
  readonly conclusion: string
  readonly steps?: readonly object[]
}

const JOBS = '/repos/Octo/shop/actions/runs/7/jobs?per_page=100'
const notesOf = (id: number) => `/repos/Octo/shop/check-runs/${id}/annotations?per_page=50`
const step = (name: string, conclusion: string) => ({ name, conclusion })
const note = (message: unknown, annotation_level = 'notice') => ({ message, annotation_level })
const wait = (id: number, name = 'on'): Job => ({
  ...{ id, name, conclusion: 'success' },
  steps: [step('Run', 'success'), step('Deploy', 'skipped')],
})

describe('the details of a run', () => {
  test.each<
    [
      name: string,
      conclusion: string,
      jobs: readonly Job[],
      notes: Readonly<Record<number, unknown>>,
      details: object | undefined,
      read: readonly number[],
    ]
  >([
    [
      'in which every step ran: no annotation is read',
      'success',
      [{ id: 1, name: 'on', conclusion: 'success', steps: [step('Run', 'success')] }],
      {},
      { jobs: 1, skipped: [] },
      [],
    ],
    [
      'with skipped jobs and steps: the jobs that ran may say why',
      'success',
      [{ id: 1, name: 'greet', conclusion: 'skipped' }, wait(2), wait(3, 'other')],
      {
        2: [note(5), note('other'), note('no trigger fired: filter: body.a is 1')],
        3: [note('no trigger fired: path: x')],
      },
      {
        jobs: 3,
        skipped: ['job greet', 'step Deploy', 'step Deploy'],
        nothingFired: 'filter: body.a is 1',
      },
      [2, 3],
    ],
    [
      'in which a trigger fired',
      'neutral',
      [wait(2)],
      { 2: [note('no trigger fired'), { annotation_level: 'notice' }] },
      { jobs: 1, skipped: ['step Deploy'] },
      [2],
    ],
    [
      'with a long reason',
      'success',
      [wait(2)],
      { 2: [note(`no trigger fired: ${'x'.repeat(501)}`)] },
      { jobs: 1, skipped: ['step Deploy'], nothingFired: 'x'.repeat(500) },
      [2],
    ],
    [
      'with four jobs: the first three are read, but none without a number',
      'success',
      [wait(1), { ...wait(2), id: '2' }, wait(3), wait(4)],
      { 1: [], 3: 'no list', 4: [note('no trigger fired: x')] },
      { jobs: 4, skipped: Array(4).fill('step Deploy') },
      [1, 3],
    ],
    ['whose annotations GitHub does not show', 'success', [wait(1), wait(2)], {}, undefined, [1]],
    [
      'that failed in a step, with the first error that says something',
      'failure',
      [
        { id: 1, name: 'on', conclusion: 'success', steps: [step('Run', 'failure')] },
        {
          ...{ id: 2, name: 'build', conclusion: 'failure' },
          steps: [step('Set up', 'success'), step('Test', 'failure'), step('Lint', 'timed_out')],
        },
        { id: 3, name: 'ship', conclusion: 'timed_out' },
      ],
      {
        2: [
          note('a notice'),
          note('Process completed with exit code 12.', 'failure'),
          note('a warning', 'warning'),
        ],
        3: [note('it broke', 'failure'), note('later', 'failure')],
      },
      { jobs: 3, skipped: [], failed: 'job build, step Test: it broke' },
      [2, 3],
    ],
    [
      'that failed without a step and without an error',
      'timed_out',
      [{ id: 3, name: 'ship', conclusion: 'timed_out', steps: [step('Run', 'cancelled')] }],
      { 3: [note('Process completed with exit code 1.', 'failure')] },
      { jobs: 1, skipped: [], failed: 'job ship' },
      [3],
    ],
    ...['exit: Process completed with exit code 1.', 'Process completed with exit code 1. Why'].map(
      (error) =>
        [
          `whose error is longer than GitHub's own: ${error}`,
          'failure',
          [{ id: 3, name: 'ship', conclusion: 'failure' }],
          { 3: [note(error, 'failure')] },
          { jobs: 1, skipped: [], failed: `job ship: ${error}` },
          [3],
        ] satisfies [string, string, Job[], object, object, number[]],
    ),
    [
      'with a long error',
      'failure',
      [{ id: 3, name: 'ship', conclusion: 'failure' }],
      { 3: [note('x'.repeat(600), 'failure')] },
      { jobs: 1, skipped: [], failed: `job ship: ${'x'.repeat(490)}` },
      [3],
    ],
    [
      'that was cancelled: no job failed',
      'cancelled',
      [{ id: 3, name: 'ship', conclusion: 'skipped' }],
      {},
      { jobs: 1, skipped: ['job ship'] },
      [],
    ],
  ])('%s', async (_name, conclusion, jobs, notes, details, read) => {
    const annotations = Object.entries(notes).map(([id, list]) => [notesOf(Number(id)), list])
    const { options, paths, requests } = github({
      [JOBS]: { total_count: jobs.length, jobs },
      ...Object.fromEntries(annotations),
    })
    expect(await detailsReader(options)(ASKED, { ...RUN, conclusion })).toEqual(details)
    expect(paths()).toEqual([JOBS, ...read.map(notesOf)].map((path) => `GET ${path}`))
    for (const request of requests) {
      expect(request).toMatchObject({ reads: true, responseBytes: 2 * 1024 * 1024 })
      expect(request.headers.authorization).toBe('Bearer token')
    }
  })

  test('are unknown if GitHub does not show the jobs', async () => {
    expect(await readRunDetails(RUN, async () => undefined)).toBeUndefined()
  })
})

const LIST = (page: number) => `/repos/Octo/shop/actions/runs?per_page=100&page=${page}`

function listed(delivery: string, created: number, id = 7) {
  return {
    ...{ id, display_title: `hook ${delivery}`, path: '.github/workflows/hook.yml' },
    ...{ event: 'repository_dispatch', status: 'completed', conclusion: 'success' },
    created_at: new Date(created).toISOString(),
    html_url: `https://github.com/octo/shop/actions/runs/${id}`,
  }
}

describe('the runs of a repository', () => {
  /** Full pages of runs that were created at a time. */
  const pages = (last: number) =>
    Object.fromEntries(
      Array.from({ length: 10 }, (_, at) => [
        LIST(at + 1),
        {
          workflow_runs: Array.from({ length: 100 }, (_, n) =>
            listed(A, at === 9 && n === 99 ? last : START),
          ),
        },
      ]),
    )

  test.each([
    ['that has none', { [LIST(1)]: { workflow_runs: [] } }, 0, true, 1],
    ['that has one', { [LIST(1)]: { workflow_runs: [listed(A, START)] } }, 1, true, 1],
    [
      'whose hundredth run is older than wanted',
      {
        [LIST(1)]: { workflow_runs: Array.from({ length: 100 }, () => listed(A, START - 5001)) },
      },
      100,
      true,
      1,
    ],
    ['whose thousandth run is older than wanted', pages(START - 5001), 1000, true, 10],
    ['whose thousandth run is as old as wanted', pages(START - 5000), 1000, false, 10],
  ])('of one %s', async (_name, texts, count, isComplete, calls) => {
    const { options, paths, requests } = github(texts)
    const { runs, ...others } = await runReader(options)(ASKED, START)
    expect([runs.length, others]).toEqual([count, { isComplete }])
    expect(paths()).toEqual(Array.from({ length: calls }, (_, at) => `GET ${LIST(at + 1)}`))
    expect(requests[0]).toMatchObject({ reads: true, responseBytes: 8 * 1024 * 1024 })
  })

  test('are incomplete if a page cannot be read', async () => {
    const full = { workflow_runs: Array.from({ length: 100 }, () => listed(A, START)) }
    const { options } = github({ [LIST(1)]: full })
    const { runs, isComplete, error } = await runReader(options)(ASKED, START)
    expect([runs.length, isComplete, error?.code]).toEqual([
      100,
      false,
      'repository_not_accessible',
    ])
    expect(error?.hint).toBe(
      'Check the name of the repository, and that the token has the permission `actions: read` on it (classic: `repo`).',
    )
  })

  test('are found by delivery, from a minute and 5 seconds before the event was stored', async () => {
    const at = START + 10 * MINUTE
    const [early, late] = [at - MINUTE - 5 * SECOND, at - MINUTE - 6 * SECOND]
    const runs = [listed(A.toUpperCase(), early, 1), listed(A, at - 9 * MINUTE, 2), listed(B, late)]
    const { options } = github({ [LIST(1)]: { workflow_runs: runs } })
    const found = await runFinder(options)(
      ASKED,
      new Map([
        [A, at],
        [B, at],
      ]),
    )
    expect(found).toEqual(
      new Map([[A, { run: 'https://github.com/octo/shop/actions/runs/1', started: early }]]),
    )
  })

  test('are read as far back as the first of the events was stored', async () => {
    const middle = START + 30 * MINUTE
    const { options, paths } = github({
      [LIST(1)]: { workflow_runs: Array.from({ length: 100 }, () => listed(B, middle, 1)) },
      [LIST(2)]: { workflow_runs: [listed(A, START, 2)] },
    })
    const stored = new Map([
      [B, START + 60 * MINUTE],
      [A, START],
    ])
    const found = await runFinder(options)(ASKED, stored)
    expect(found).toEqual(
      new Map([[A, { run: 'https://github.com/octo/shop/actions/runs/2', started: START }]]),
    )
    expect(paths()).toHaveLength(2)
  })

  test('are unknown if GitHub shows none', async () => {
    expect(await runFinder(github({}).options)(ASKED, new Map([[A, START]]))).toBeUndefined()
    const none = github({ [LIST(1)]: { workflow_runs: [] } })
    expect(await runFinder(none.options)(ASKED, new Map([[A, START]]))).toEqual(new Map())
    const full = { workflow_runs: Array.from({ length: 100 }, () => listed(A, START)) }
    const half = await runFinder(github({ [LIST(1)]: full }).options)(ASKED, new Map([[A, START]]))
    expect([...(half?.keys() ?? [])]).toEqual([A])
  })
})
