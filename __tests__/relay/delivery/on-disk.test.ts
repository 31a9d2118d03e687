import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { DATABASE_RUNTIMES, type DatabaseRelay } from '../../support/database-relays.ts'
import { listed } from '../../support/deliveries.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { createEndpoint } from '../../support/large-bodies.ts'
import { testOnNode24 } from '../../support/node24.ts'

/** An event that is answered with 202 is on disk before the response. */

const LONG = 60

const KINDS: [name: string, settings: object, isSilent: boolean, events: number][] = [
  ['an event that GitHub cannot take now', {}, false, 1],
  ['an event whose call is open', {}, true, 1],
  ['an event with respond: stored', { respond: 'stored' }, false, 1],
  ['a member of a batch', { batch: LONG }, false, 1],
  ['an event for two targets', { targets: ['o/crm:hook/webhook'] }, false, 2],
]

let github: GitHub
let relay: DatabaseRelay | undefined
beforeEach(async () => {
  github = await startGitHub()
})
afterEach(async () => {
  await relay?.close()
  relay = undefined
  await github.close()
})

const settings = () => ({
  HOOKLINE_API_URL: github.url,
  HOOKLINE_GITHUB_TOKEN: 'ghp_the-token-of-the-relay-0000000000',
  HOOKLINE_TEST_RESPONSE_TIMEOUT_MS: '1500',
})

/** GitHub does not take events: it responds with 503, or not at all. */
function fail(isSilent: boolean): void {
  github.always(isSilent ? () => undefined : { status: 503 })
}

const post = ({ url }: DatabaseRelay, path: string) =>
  fetch(url + path, { method: 'POST', body: '{}' })

const idOf = ({ headers }: Response) => headers.get('x-hookline-delivery') ?? ''

describe.each(DATABASE_RUNTIMES)(
  'a relay on $name that is killed at its response has',
  (runtime) => {
    const run = runtime.isThere ? test : test.skip
    run.each(KINDS)('%s', async (_name, endpoint, isSilent, events) => {
      const made = await runtime.start(settings())
      relay = made
      const path = await createEndpoint(made, { repository: 'o/r', ...endpoint })
      fail(isSilent)
      const answer = await post(made, path)
      await made.restart('kill')
      expect(answer.status).toBe(202)
      const { waiting, imbalance } = await listed(made)
      expect(waiting).toHaveLength(events)
      expect(waiting.map(({ request }) => request)).toEqual(waiting.map(() => idOf(answer)))
      expect(imbalance).toBe(0)
    })
  },
)

/** A relay on Node whose statements pass a module of `support/`. */
async function startBehind(module: string, own: Record<string, string>): Promise<DatabaseRelay> {
  const [node] = DATABASE_RUNTIMES
  const path = join(import.meta.dirname, '../../support', module)
  const made = await node?.start({ ...settings(), ...own, NODE_OPTIONS: `--require=${path}` })
  if (!made) throw new Error('Node is the first runtime')
  relay = made
  return made
}

/** The path of an endpoint of each kind. */
async function createEndpoints(made: DatabaseRelay): Promise<string[]> {
  const paths: string[] = []
  for (const [, endpoint] of KINDS) {
    paths.push(await createEndpoint(made, { repository: 'o/r', ...endpoint }))
  }
  return paths
}

/** A path that does not exist yet, in the folder of the present test. */
const mark = () => join(tmpdir(), `on-disk-${process.pid}`)
afterEach(() => rm(mark(), { force: true }))

testOnNode24('no response comes before the transaction ends', async () => {
  const made = await startBehind('held-disk.cjs', { HELD_DISK: mark() })
  const paths = await createEndpoints(made)
  fail(true)
  await writeFile(mark(), '')
  let responses = 0
  const sent = paths.map(async (path) => {
    const answer = await post(made, path)
    responses++
    return answer.status
  })
  // Without the hold, all would have responses by now, also the one of the open call.
  await new Promise((resolve) => setTimeout(resolve, 2500))
  expect(responses).toBe(0)
  await rm(mark())
  expect(await Promise.all(sent)).toEqual(KINDS.map(() => 202))
})

testOnNode24(
  'no event whose transaction fails to reach the disk is answered with 202',
  async () => {
    const made = await startBehind('held-disk.cjs', { HELD_DISK: mark() })
    const paths = await createEndpoints(made)
    await writeFile(mark(), 'fails')
    const statuses: number[] = []
    for (const [index, [, , isSilent]] of KINDS.entries()) {
      fail(isSilent)
      statuses.push((await post(made, paths[index] ?? '')).status)
    }
    expect(statuses).toEqual(KINDS.map(() => 503))
    await rm(mark())
    await made.restart('kill')
    expect(await listed(made)).toMatchObject({ waiting: [], imbalance: 0 })
  },
)

testOnNode24(
  'a relay killed before or behind each statement has both events or none, and both if it has responded',
  async () => {
    const made = await startBehind('kill-at-statement.cjs', {
      MOMENTS: mark(),
      FROM: 'INTO delivery',
    })
    const path = await createEndpoint(made, { repository: 'o/r', targets: ['o/crm:hook/webhook'] })
    fail(false)
    const status = () =>
      post(made, path).then(
        (answer) => answer.status,
        () => 'killed',
      )
    const outcomes: string[] = []
    let before = 0
    const note = async (answer: number | string) => {
      const { waiting, imbalance } = await listed(made)
      expect(imbalance).toBe(0)
      outcomes.push(`${answer}, ${waiting.length - before} stored`)
      before = waiting.length
    }
    let answer = await status()
    const moments = (await readFile(mark(), 'utf8')).length
    for (let moment = 1; moment <= moments + 1; moment++) {
      await made.restart('kill', { settings: { KILL_AT: `${moment}` } })
      await note(answer)
      answer = await status()
    }
    expect(new Set(outcomes)).toEqual(
      new Set(['202, 2 stored', 'killed, 0 stored', 'killed, 2 stored']),
    )
  },
)
