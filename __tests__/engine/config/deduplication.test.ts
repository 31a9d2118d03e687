import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type ActionRun, dispatchEvent, runInShared } from '../../support/action.ts'
import { type ContentsApi, startContentsApi } from '../../support/contents-api.ts'
import { runJob } from './scene.ts'

let folder: string
let api: ContentsApi
let runs = 0

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-dedupe-'))
  api = await startContentsApi()
})
afterEach(async () => {
  await api.close()
  await rm(folder, { recursive: true })
})

interface Delivery {
  readonly config?: object
  readonly options?: object
  readonly body?: unknown
  readonly headers?: object
  readonly path?: string
  readonly run?: string
}

function delivery(state: string, given: Delivery): ActionRun {
  const { config, options, body = {}, headers = {}, path = '', run = `run${runs++}` } = given
  const on = JSON.stringify({
    webhook: { ...options, config: { shouldDeduplicate: true, ...config } },
  })
  const payload = {
    path: `hook/webhook${path}`,
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  }
  return {
    ...dispatchEvent(payload),
    workspace: folder,
    inputs: { on, state, 'github-token': 'ghs_token' },
    env: { GITHUB_RUN_ID: run, GITHUB_API_URL: api.url },
  }
}

/** The number of items of each delivery, each in a successful run of its own. */
async function counts(state: string, ...deliveries: Delivery[]): Promise<number[]> {
  const counted: number[] = []
  for (const one of deliveries) {
    const { exitCode, outputs, stdout } = await runJob(delivery(state, one))
    if (exitCode !== 0) throw new Error(stdout)
    counted.push(Number(outputs.count))
  }
  return counted
}

describe.each(['file:state/deep.json', 'branch:hookline-state'])('with state %s', (state) => {
  test('an item comes once, and again only to a re-run of its run', async () => {
    const same = { body: { id: 1 } }
    expect(await counts(state, { ...same, run: 'a' }, same, { ...same, run: 'a' }, same)).toEqual([
      1, 0, 1, 0,
    ])
    if (state.startsWith('branch')) {
      expect(api.history('hookline-state').roots).toBe(1)
      expect(api.calls.flatMap(({ violations }) => violations)).toEqual([])
    }
  })
})

describe('a replay', () => {
  const headersOf = (id: number, replayOf?: number) => ({
    'x-hookline-delivery': uuid(id),
    'x-hookline-received-at': '2026-01-01T00:00:00.000Z',
    ...(replayOf !== undefined && { 'x-hookline-replay-of': uuid(replayOf) }),
  })
  const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

  test.each(['file:state.json', 'branch:hookline-state'])(
    'is not dropped as a duplicate of the event that it replays, but of itself: %s',
    async (state) => {
      const body = { id: 1 }
      const original = { body, headers: headersOf(1) }
      const replay = { body, headers: headersOf(2, 1) }
      // The relay may send a replay twice, if GitHub's response was lost.
      const all = [original, original, replay, replay, { body, headers: headersOf(3, 2) }, original]
      expect(await counts(state, ...all)).toEqual([1, 0, 1, 0, 1, 0])
    },
  )

  test('runs although another run is at work on the item, and later events are duplicates', async () => {
    const body = { id: 1 }
    const open = delivery('file:state.json', { body, headers: headersOf(1), run: 'open' })
    const { outputs } = await runInShared(open)
    expect(outputs.count).toBe('1')
    const others = [{ body, headers: headersOf(2, 1) }, { body }]
    expect(await counts('file:state.json', ...others)).toEqual([1, 0])
  })
})

describe('the key of an item', () => {
  const state = 'file:state.json'

  test.each<[string, Delivery[], number[]]>([
    [
      'its id, 0 too',
      [{ body: { id: 0, n: 1 } }, { body: { id: 0, n: 2 } }, { body: { id: 1 } }],
      [1, 0, 1],
    ],
    [
      'a chosen path',
      [1, 1, 2].map((n) => ({
        options: { deduplicationKey: 'data.id' },
        body: { data: { id: n }, at: runs++ },
      })),
      [1, 0, 1],
    ],
    [
      'a header',
      ['a', 'a', 'b'].map((id) => ({
        options: { deduplicationKey: 'headers.X-GitHub-Delivery' },
        headers: { 'X-GitHub-Delivery': id },
        body: { at: runs++ },
      })),
      [1, 0, 1],
    ],
    [
      'all but the headers',
      [
        { body: { a: 1, b: 2 }, headers: { date: 'x' } },
        { body: { b: 2, a: 1 }, headers: { date: 'y' } },
        { body: { a: 2, b: 1 } },
      ],
      [1, 0, 1],
    ],
    [
      'the path as well',
      [{ path: '/a' }, { path: '/a' }, { path: '/b' }, { path: '/a?x=1' }],
      [1, 0, 1, 1],
    ],
  ])('is %s', async (_, deliveries, expected) => {
    expect(await counts(state, ...deliveries)).toEqual(expected)
  })

  test('is deduplicateBy before the id, so that two Shopify events of one product are two', async () => {
    const of = (event: string): Delivery => ({
      config: { deduplicateBy: 'headers.X-Shopify-Event-Id' },
      headers: { 'X-Shopify-Event-Id': event },
      body: { id: 788032119674, title: 'Example T-Shirt' },
    })
    expect(await counts(state, of('a'), of('a'), of('b'))).toEqual([1, 0, 1])
  })

  test('is a hash if the chosen path names nothing, with a notice', async () => {
    const one = delivery(state, { options: { deduplicationKey: 'data.id' }, body: { n: runs++ } })
    const { stdout, summary } = await runJob(one)
    expect(stdout).toMatch(/^::notice::deduplicationKey \(data\.id\) names no string or number/m)
    expect(summary).toContain('told apart by a hash')
  })

  test('is the id though a path is chosen, with a notice', async () => {
    const one = delivery(state, { options: { deduplicationKey: 'n' }, body: { id: 1, n: 1 } })
    const { stdout, summary } = await runJob(one)
    expect(stdout).toMatch(
      /^::notice::items are told apart by their id, which comes before deduplicationKey \(n\); write config\.deduplicateBy: n /m,
    )
    expect(summary).toContain('told apart by their id')
  })
})

describe('an event whose delivery was seen', () => {
  const uuid = '0b8f6a3e-5d0c-4b3e-9d53-6a3f1f0f2a11'
  const received = '2026-11-20T10:00:00.000Z'
  const other = '2026-11-20T10:00:00.001Z'
  const sent = (id: number, delivery?: string, at?: string) => ({
    body: { id },
    headers: {
      ...(delivery && { 'x-hookline-delivery': delivery }),
      ...(at && { 'x-hookline-received-at': at }),
    },
  })

  test.each<[string, Delivery[], number[]]>([
    [
      'is a duplicate, whatever its other keys',
      [sent(1, uuid, received), sent(2, uuid, received)],
      [1, 0],
    ],
    [
      'in the other case of letters too',
      [sent(1, uuid, received), sent(2, uuid.toUpperCase(), received)],
      [1, 0],
    ],
    [
      'counts only with the same time of receipt',
      [sent(1, uuid, received), sent(2, uuid, other)],
      [1, 1],
    ],
    ['counts only with a time of receipt', [sent(1, uuid), sent(2, uuid)], [1, 1]],
    ['counts only with a UUID', [sent(1, 'd', received), sent(2, 'd', received)], [1, 1]],
    [
      'is its own run’s',
      [
        { ...sent(1, uuid, received), run: 'r' },
        { ...sent(2, uuid, received), run: 'r' },
      ],
      [1, 1],
    ],
  ])('%s', async (_, deliveries, expected) => {
    expect(await counts('file:state.json', ...deliveries)).toEqual(expected)
  })
})

describe('items that are not passed on', () => {
  const state = 'file:state.json'

  test('items that filter dropped are not marked as seen', async () => {
    const body = { id: 1, action: 'opened' }
    const config = { filter: { 'body.action': 'closed' } }
    expect(await counts(state, { body, config }, { body })).toEqual([0, 1])
  })

  test('skipFirst records the first, and force ignores what is recorded', async () => {
    const first = { body: { id: 1 }, config: { skipFirst: true } }
    const second = { body: { id: 2 }, config: { skipFirst: true } }
    const forced = { body: { id: 1 }, config: { skipFirst: true, force: true } }
    expect(await counts(state, first, first, second, forced)).toEqual([0, 0, 1, 1])
  })

  test('a repeat that comes while a run is at work is a duplicate, and names that run', async () => {
    const body = { id: 1 }
    expect((await runInShared(delivery(state, { body, run: '4711' }))).outputs.count).toBe('1')
    const { outputs, stdout, summary } = await runJob(delivery(state, { body }))
    expect(outputs.count).toBe('0')
    expect(summary).toContain('deduplicate dropped 1; run 4711 is processing 1')
    expect(stdout).toContain('::notice::duplicate of an item that run 4711 is processing')
    const again = await runJob(delivery(state, { body, run: '4711' }))
    expect(again.outputs.count).toBe('1')
  })
})

describe('a store that cannot be used fails the step, and is not touched', () => {
  test('a foreign file', async () => {
    await writeFile(join(folder, 'notes.json'), '{"mine":true}')
    const { exitCode, stdout } = await runJob(delivery('file:notes.json', {}))
    expect(exitCode).toBe(1)
    expect(stdout).toContain('error: notes.json is not a state of Hookline, or broken')
    expect(stdout).toContain('to start over, delete notes.json')
    expect(await readFile(join(folder, 'notes.json'), 'utf8')).toBe('{"mine":true}')
  })

  test('a branch without the permission, and the token is nowhere', async () => {
    api.intervene(({ method }) =>
      method === 'GET'
        ? undefined
        : { status: 403, body: { message: 'Resource not accessible by integration' } },
    )
    const { exitCode, stdout, stderr, summary } = await runJob(delivery('branch:state', {}))
    expect(exitCode).toBe(1)
    expect(stdout).toContain('`permissions: contents: write`')
    expect(stdout + stderr + summary).not.toContain('ghs_token')
  })
})
