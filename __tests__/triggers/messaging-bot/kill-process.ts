import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  type ActionResult,
  runAction,
  runInShared,
  runPost,
  runPostInShared,
} from '../../support/action.ts'
import { POLL } from '../../support/bot-run.ts'
import { textMessage } from '../../support/messages.ts'
import { fc } from '../../support/properties.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'

/** Processes that are killed at random moments lose no message. */
export function testKilledProcesses({ schedules }: { readonly schedules: number }): void {
  /**
   * The process to kill, and the delay after its call of the Bot API took effect, or after its
   * start.
   */
  interface Kill {
    readonly process: 'main' | 'post'
    readonly after: 'start' | 'call'
    readonly milliseconds: number
  }

  const kill: fc.Arbitrary<Kill> = fc.oneof(
    fc.record({
      process: fc.constantFrom<Kill['process']>('main', 'post'),
      after: fc.constant<Kill['after']>('start'),
      milliseconds: fc.nat({ max: 150 }),
    }),
    fc.record({
      process: fc.constantFrom<Kill['process']>('main', 'post'),
      after: fc.constant<Kill['after']>('call'),
      milliseconds: fc.constantFrom(0, 1, 3, 8, 15, 25),
    }),
  )

  let telegram: TelegramStandIn
  beforeAll(async () => {
    telegram = await new TelegramStandIn().start()
  })
  afterAll(() => telegram.stop())

  function bot() {
    const secrets = JSON.stringify({ BOT: BOT_TOKEN })
    const inputs = { on: POLL, secrets, 'telegram-api-url': telegram.url }
    return { event: 'schedule', payload: {}, inputs, calling: 'bot' }
  }

  /** Runs and kills one process of the action; `undefined` if it did not end by itself. */
  async function runUntil(
    { after, milliseconds }: Kill,
    start: (signal: AbortSignal) => Promise<ActionResult>,
  ): Promise<ActionResult | undefined> {
    const stop = new AbortController()
    const later = async () => {
      await sleep(milliseconds)
      stop.abort()
    }
    telegram.onCall = () => void (after === 'call' && later())
    if (after === 'start') void later()
    const ended = await start(stop.signal).catch(() => undefined)
    telegram.onCall = () => {}
    return ended
  }

  /**
   * A job: the step, and its post if the step succeeded. Returns the items that later steps could
   * see.
   */
  async function runJob(killed?: Kill): Promise<number[]> {
    const main =
      killed?.process === 'main'
        ? await runUntil(killed, (kill) => runAction({ ...bot(), kill }))
        : await runInShared(bot())
    if (main?.exitCode !== 0) return []
    if (killed?.process === 'post') {
      await runUntil(killed, (kill) => runPost({ ...bot(), kill }, main.state))
    } else {
      await runPostInShared(bot(), main.state)
    }
    const items = JSON.parse(main.outputs.items ?? '[]') as {
      messaging_bot: { outputs: { update_id: number } }
    }[]
    return items.map(({ messaging_bot }) => messaging_bot.outputs.update_id)
  }

  test(`processes killed at random moments lose no message: ${schedules} schedules`, async () => {
    const schedule = fc.asyncProperty(
      fc.array(kill, { minLength: 1, maxLength: 2 }),
      async (kills) => {
        const sent = ['one', 'two'].map((words) => telegram.enqueue('message', textMessage(words)))
        const seen: number[] = []
        for (const killed of kills) seen.push(...(await runJob(killed)))
        for (let runs = 0; telegram.kept.length > 0 && runs < 5; runs++)
          seen.push(...(await runJob()))
        expect(sent.filter((id) => !seen.includes(id))).toEqual([])
        expect(telegram.kept).toEqual([])
      },
    )
    await fc.assert(schedule, { numRuns: schedules, endOnFailure: true })
  }, 600_000)
}
