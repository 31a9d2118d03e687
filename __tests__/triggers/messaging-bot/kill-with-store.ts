import { mkdtemp, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import {
  type ActionRun,
  runAction,
  runInShared,
  runPost,
  runPostInShared,
} from '../../support/action.ts'
import { type ContentsApi, startContentsApi } from '../../support/contents-api.ts'
import { textMessage } from '../../support/messages.ts'
import { gitRepository } from '../../support/repositories.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'

/** Kills a bot with a store at its awaits. */
export function testKilledBot({
  mainStride,
  postStride,
}: {
  readonly mainStride: number
  readonly postStride: number
}): void {
  const KILLER = fileURLToPath(new URL('../../support/kill-at-await.mjs', import.meta.url))

  /** Each `stride`-th await is a kill point. */
  const STRIDES = { main: mainStride, post: postStride }

  /** Claims of a killed run expire immediately, so that the next run can see its result. */
  const ON = `messaging_bot:
  token: \${{ secrets.BOT }}
  config: { lease: 0.0005 }
`

  /** The same with claims that last an hour. */
  const LEASED = ON.replace(/ {2}config.*\n/, '')

  let telegram: TelegramStandIn
  let github: ContentsApi
  let folder: string
  let runs: number

  beforeEach(async () => {
    telegram = await new TelegramStandIn().start()
    github = await startContentsApi()
    folder = await mkdtemp(join(tmpdir(), 'hookline-bot-'))
    runs = 0
  })
  afterEach(async () => {
    await telegram.stop()
    await github.close()
    await rm(folder, { recursive: true })
  })

  function bot(state: string, killAt?: number, on = ON): ActionRun {
    const kill = { NODE_OPTIONS: `--import=${KILLER}`, KILL_AT_AWAIT: String(killAt) }
    return {
      event: 'schedule',
      payload: {},
      calling: 'bot',
      workspace: folder,
      inputs: {
        on,
        state,
        secrets: JSON.stringify({ BOT: BOT_TOKEN }),
        'github-token': 'ghs_token',
        'telegram-api-url': telegram.url,
      },
      env: {
        GITHUB_API_URL: github.url,
        GITHUB_RUN_ID: String(runs),
        RUNNER_TEMP: folder,
        ...(killAt !== undefined && kill),
      },
    }
  }

  interface Job {
    /** Ids of the messages that later steps of the job could see. */
    readonly seen: number[]
    readonly succeeded: boolean
  }

  /** A run: the step, and its post if the step succeeded. A killed part runs in its own process. */
  async function runJob(
    state: string,
    kill: { main?: number; post?: number } = {},
    beforePost = () => {},
  ): Promise<Job> {
    runs++
    const step = kill.main === undefined ? runInShared : runAction
    const main = await step(bot(state, kill.main))
    if (main.exitCode !== 0) return { seen: [], succeeded: false }
    beforePost()
    const end = kill.post === undefined ? runPostInShared : runPost
    const post = await end(bot(state, kill.post), main.state)
    const items = JSON.parse(main.outputs.items ?? '[]') as {
      messaging_bot: { outputs: { update_id: number } }
    }[]
    const seen = items.map(({ messaging_bot }) => messaging_bot.outputs.update_id)
    return { seen, succeeded: post.exitCode === 0 }
  }

  function send(): number[] {
    return ['one', 'two'].map((words) => telegram.enqueue('message', textMessage(words)))
  }

  /** Simulates the end of a killed process's leases: of the claim, and of the lock of the file. */
  async function letLeasesEnd(): Promise<void> {
    await sleep(60)
    github.clock.ahead += 2_000 // its clock counts whole seconds
    const past = new Date(Date.now() - 60_000)
    await utimes(join(folder, 'state.json.lock'), past, past).catch(() => {})
  }

  /** Runs until the bot has no more updates; every run must succeed. */
  async function drain(state: string): Promise<number[]> {
    const seen: number[] = []
    for (let left = 5; telegram.kept.length > 0 && left > 0; left--) {
      await letLeasesEnd()
      const job = await runJob(state)
      expect(job.succeeded).toBe(true)
      seen.push(...job.seen)
    }
    return seen
  }

  const STATES = [
    ['file:state.json', 'in memory'],
    ['branch:hookline-state', 'in memory'],
    ['branch:hookline-state', 'in git'],
  ] as const

  describe.each(STATES)('a bot with state %s, GitHub %s', (state, where) => {
    const isGit = where === 'in git'

    beforeEach(async () => {
      if (!isGit) return
      await github.close()
      github = await startContentsApi(gitRepository(join(folder, 'repository.git')))
    })

    // Post writes to git in the same way as main.
    test.each(isGit && mainStride > 1 ? (['main'] as const) : (['main', 'post'] as const))(
      `killed at awaits of %s, ${mainStride} and ${postStride} apart, loses no message, and repeats only uncommitted ones`,
      async (process) => {
        let number = 0
        for (; ; number += STRIDES[process] * (isGit && mainStride > 1 ? 2 : 1)) {
          const sent = send()
          const job = await runJob(state, { [process]: number })
          const rest = await drain(state)
          expect(new Set([...job.seen, ...rest])).toEqual(new Set(sent))
          expect(telegram.kept).toEqual([])
          expect(new Set(rest).size).toBe(rest.length)
          if (job.succeeded) break
        }
        expect(number).toBeGreaterThan(8)
      },
      600_000,
    )

    test.each([502, 409])(
      'post calls nobody: a Bot API that answers %d there costs nothing',
      async (status) => {
        const rounds = 1
        for (let round = 0; round < rounds; round++) {
          const sent = send()
          let calls = 0
          const { seen, succeeded } = await runJob(state, {}, () => {
            calls = telegram.calls.length
            telegram.faults.push(
              ...Array.from({ length: 9 }, () => ({ status, body: '{"ok":false}' })),
            )
          })
          expect([seen, succeeded, telegram.calls.length - calls]).toEqual([sent, true, 0])
          telegram.faults.length = 0
          expect(await drain(state)).toEqual([])
        }
      },
      120_000,
    )
  })

  test('without a store, a Bot API that fails in post fails the job, and the messages come again', async () => {
    const sent = send()
    const failing = await runJob('none', {}, () => {
      telegram.faults.push(...Array.from({ length: 9 }, () => ({ status: 502, body: '' })))
    })
    expect(failing).toEqual({ seen: sent, succeeded: false })
    telegram.faults.length = 0
    expect(await drain('none')).toEqual(sent)
  })

  test('a failed run keeps no claim: the next poll passes on the same messages', async () => {
    await runJob('branch:state') // creates the branch
    const sent = send()
    runs++
    const failing = await runInShared(bot('branch:state', undefined, LEASED))
    expect(JSON.parse(failing.outputs.items ?? '')).toHaveLength(2)
    const next = async () => {
      runs++
      const main = await runInShared(bot('branch:state', undefined, LEASED))
      const items = JSON.parse(main.outputs.items ?? '[]') as {
        messaging_bot: { outputs: { update_id: number } }
      }[]
      return items.map(({ messaging_bot }) => messaging_bot.outputs.update_id)
    }
    github.runs.set('2', null)
    expect(await next()).toEqual([])
    github.runs.set('2', 'failure')
    expect(await next()).toEqual(sent)
  })

  test('with a store on a branch a run costs GitHub one read and two writes', async () => {
    send()
    await runJob('branch:state') // creates the branch
    send()
    const before = github.calls.length
    await runJob('branch:state')
    const kinds = github.calls.slice(before).map(({ body }) => String(body.query).split('(', 1)[0])
    expect(kinds).toEqual(['query', 'mutation', 'mutation'])
    const quiet = github.calls.length
    await runJob('branch:state')
    await runJob('branch:state')
    expect(github.calls.slice(quiet).map(({ path }) => path)).toEqual(['/graphql', '/graphql'])
  })
}
