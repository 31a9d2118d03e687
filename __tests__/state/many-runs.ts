import { expect, test } from '@jest/globals'
import { openBranch } from '../../src/state/branch.ts'
import { createStore } from '../../src/state/store.ts'
import type { GitHubCall } from '../../src/wire/github-api.ts'
import { githubAnswers } from '../support/contents-api.ts'
import { FakeTime, randomOf } from '../support/fake-time.ts'
import { memoryRepository } from '../support/repositories.ts'
import { named, storePlace } from '../support/stores.ts'

/** Many runs claim events at the same time. */
export function testManyRuns({
  events,
  concurrent,
}: {
  readonly events: number
  readonly concurrent: number
}): void {
  const ID = { workflow: 'hook', trigger: 'webhook' }

  /** Milliseconds of a response of GitHub, and of a job's other steps. */
  const LATENCY = { least: 120, most: 500 }
  const WORK = { least: 2_000, most: 12_000 }

  interface Outcome {
    /** How often each event was passed on. */
    readonly given: ReadonlyMap<string, number>
    readonly calls: number
  }

  /** Runs of events, of which each is sent twice, with this many concurrent runs. */
  async function runAll(events: number, atOnce: number, seed: number): Promise<Outcome> {
    const [time, random] = [new FakeTime(), randomOf(seed)]
    const between = ({ least, most }: typeof WORK) => least + random() * (most - least)
    const answer = githubAnswers(memoryRepository())
    let calls = 0
    const call: GitHubCall = async ({ method = 'POST', path, body = '{}' }) => {
      calls++
      const duration = between(LATENCY)
      await time.sleep(duration / 2)
      const reply = answer({ method, path, body: JSON.parse(body) })
      await time.sleep(duration / 2)
      const date = new Date(time.now).toUTCString()
      const header = (name: string) => (name === 'date' ? date : undefined)
      return { status: reply.status, header, text: JSON.stringify(reply.body) }
    }
    const github = { apiUrl: new URL('https://api.github.com'), call }
    const place = storePlace('', {
      github,
      random,
      sleep: (duration) => time.sleep(duration),
      now: () => time.now,
    })
    const keys = Array.from({ length: events }, (_, n) => `event${n}`)
    const waiting = [...keys, ...keys].map((key) => ({ key, order: random() }))
    waiting.sort((one, other) => one.order - other.order)
    const given = new Map(keys.map((key) => [key, 0]))
    let runs = 0
    const worker = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const run = { id: String(++runs), at: time.now }
        const known = new Map<string, string>()
        const texts = {
          read: async (name: string) => known.get(name),
          write: async (name: string, text: string) => void known.set(name, text),
        }
        const main = createStore(openBranch('state', { ...place, known: texts }))
        await main.read([ID])
        const wanted = { ...ID, keys: named([next.key]), lease: 3_600_000 }
        const [[state] = []] = await main.claim([wanted], run)
        if (state?.status !== 'new') continue
        given.set(next.key, (given.get(next.key) ?? 0) + 1)
        await time.sleep(between(WORK))
        await createStore(openBranch('state', { ...place, known: texts })).commit([ID], run.id)
      }
    }
    await time.run(Promise.all(Array.from({ length: atOnce }, worker)))
    return { given, calls }
  }

  /** docs/reference/limits.md states the figure of 200 events. */
  test.each([[events, concurrent]])(
    '%d events, each sent twice, %d concurrent runs: each is passed on once',
    async (events, atOnce) => {
      const { given, calls } = await runAll(events, atOnce, 7)
      expect([...given.values()].filter((times) => times !== 1)).toEqual([])
      expect(calls).toBeLessThan(events * 16)
    },
  )
}
