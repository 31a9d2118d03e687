import { describe, expect, test } from '@jest/globals'
import { http } from '../../../src/action/http-client.ts'
import { botPorts, botWorkflow, POLL, runMain, runPost, updateIds } from '../../support/bot-run.ts'
import { textMessage } from '../../support/messages.ts'
import { fc } from '../../support/properties.ts'
import { TelegramStandIn } from '../../support/telegram.ts'

/** The process was killed; nothing after this happens. */
class Killed extends Error {}

/** The end of a run: killed before its n-th step, a failed job, or success. */
type Ending = { readonly killedAt: number } | 'job fails' | 'well'

interface Round {
  /** The updates before the run: true is a message, false an update that is no item. */
  readonly arrivals: readonly boolean[]
  readonly ending: Ending
}

const round: fc.Arbitrary<Round> = fc.record({
  arrivals: fc.array(fc.boolean(), { maxLength: 4 }),
  ending: fc.oneof(
    { weight: 4, arbitrary: fc.record({ killedAt: fc.nat({ max: 40 }) }) },
    { weight: 1, arbitrary: fc.constantFrom<Ending>('job fails', 'well') },
  ),
})

/**
 * One run of the job in the order of the action: every call before and after its effect, every
 * output, the saved state for post, the end of the job, the acknowledgement.
 */
async function runJob(telegram: TelegramStandIn, ending: Ending): Promise<Outcome> {
  const step = stepper(ending)
  const ports = botPorts(telegram.url, {
    http: async (request) => {
      step('before a call')
      const reply = await http(request)
      step('after a call')
      return reply
    },
  })
  const workflow = botWorkflow(POLL)
  const done = { passedOn: [] as unknown[], steps: step.names }
  try {
    const run = await runMain(workflow, ports)
    for (const name of run.outputs.keys()) step(`before the output ${name}`)
    step('before it is left for post')
    done.passedOn = updateIds(run.items)
    step('before the job ends')
    if (ending === 'job fails') return done
    await runPost(run.effects, workflow, ports)
    step('after post')
  } catch (error) {
    if (!(error instanceof Killed)) throw error
  }
  return done
}

interface Outcome {
  /** Ids of the messages that later steps of the job could see. */
  passedOn: unknown[]
  readonly steps: readonly string[]
}

function stepper(ending: Ending) {
  const names: string[] = []
  const step = (name: string) => {
    if (typeof ending === 'object' && names.length === ending.killedAt) throw new Killed()
    names.push(name)
  }
  return Object.assign(step, { names })
}

async function withTelegram<Result>(use: (telegram: TelegramStandIn) => Promise<Result>) {
  const telegram = await new TelegramStandIn().start()
  try {
    return await use(telegram)
  } finally {
    await telegram.stop()
  }
}

/** Adds updates; returns the ids of those that must become items. */
function arrive(telegram: TelegramStandIn, arrivals: readonly boolean[]): number[] {
  return arrivals.flatMap((isMessage) => {
    const id = telegram.enqueue(isMessage ? 'message' : 'edited_message', textMessage('hi'))
    return isMessage ? [id] : []
  })
}

async function drain(telegram: TelegramStandIn): Promise<unknown[]> {
  const seen: unknown[] = []
  for (let runs = 0; telegram.kept.length > 0 && runs < 10; runs++) {
    seen.push(...(await runJob(telegram, 'well')).passedOn)
  }
  return seen
}

describe('an action that is killed', () => {
  test('at random steps of random runs loses no message: 200 schedules', async () => {
    const killedBefore = new Set<string>()
    const schedule = fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 6 }), (rounds) =>
      withTelegram(async (telegram) => {
        const sent: number[] = []
        const seen: unknown[] = []
        for (const { arrivals, ending } of rounds) {
          sent.push(...arrive(telegram, arrivals))
          const { passedOn, steps } = await runJob(telegram, ending)
          seen.push(...passedOn)
          killedBefore.add(steps.at(-1) ?? 'the first step')
        }
        seen.push(...(await drain(telegram)))
        expect(sent.filter((id) => !seen.includes(id))).toEqual([])
        expect(telegram.kept).toEqual([])
      }),
    )
    await fc.assert(schedule, { numRuns: 200 })
    expect(killedBefore.size).toBeGreaterThan(15)
  })

  test('at each of its steps loses no message, and repeats one only after it was passed on', async () => {
    const { steps } = await withTelegram(async (telegram) => {
      arrive(telegram, [true, false, true])
      return runJob(telegram, 'well')
    })
    for (let killedAt = 0; killedAt <= steps.length; killedAt++) {
      await withTelegram(async (telegram) => {
        const sent = arrive(telegram, [true, false, true])
        const first = await runJob(telegram, { killedAt })
        const rest = await drain(telegram)
        expect(new Set([...first.passedOn, ...rest])).toEqual(new Set(sent))
        const acknowledged = steps.indexOf('after a call', steps.indexOf('before the job ends'))
        const repeats = killedAt >= acknowledged ? [] : sent
        expect(rest).toEqual(repeats)
      })
    }
    expect(steps.filter((name) => name === 'before a call')).toHaveLength(2)
  })

  test('without a kill gives every message exactly once', async () => {
    const calm = fc.asyncProperty(fc.array(fc.array(fc.boolean()), { maxLength: 5 }), (batches) =>
      withTelegram(async (telegram) => {
        const sent: number[] = []
        const seen: unknown[] = []
        for (const arrivals of batches) {
          sent.push(...arrive(telegram, arrivals))
          seen.push(...(await runJob(telegram, 'well')).passedOn)
        }
        expect(seen).toEqual(sent)
      }),
    )
    await fc.assert(calm, { numRuns: 100 })
  })
})
