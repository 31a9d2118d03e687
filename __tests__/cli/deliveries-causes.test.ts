import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import {
  CAUSES,
  type CausesScene,
  causeText,
  recordedCauses,
  startCauses,
} from '../../scripts/docs/causes.js'
import { describeOnNode24 } from '../support/node24.ts'
import { fc } from '../support/properties.ts'
import { until } from '../support/until.ts'

/** Words a minute of a reader, and seconds until the cause and its cure are found; the command takes one. */
const READER = { words: 200, seconds: 20 }

/** The names of the causes in random order. */
const [order = []] = fc.sample(
  fc.shuffledSubarray(Object.keys(CAUSES), { minLength: Object.keys(CAUSES).length }),
  { seed: jest.getSeed(), numRuns: 1 },
)

describeOnNode24('six causes, planted in random order', () => {
  let scene: CausesScene
  const deliveries = new Map<string, string>()
  beforeAll(async () => {
    scene = await startCauses()
    for (const name of order) {
      const cause = CAUSES[name]
      if (cause) deliveries.set(name, await cause.plant(scene))
    }
  })
  afterAll(() => scene?.close())

  test.each(order)(
    '%s is told by "deliveries show" within 20 seconds, and its command cures it',
    async (name) => {
      const cause = CAUSES[name]
      const delivery = deliveries.get(name) ?? ''
      if (!cause) throw new Error(name)
      await scene.shows(delivery, cause.seen)
      const started = performance.now()
      const shown = await scene.run(`hookline deliveries show ${delivery}`)
      const seconds = (performance.now() - started) / 1000
      // npm run docs
      expect(causeText(cause, shown)).toBe(recordedCauses()[name])
      const [told = ''] = new RegExp(`[^]*?${cause.cure.source}`).exec(shown) ?? []
      const [command = ''] = cause.cure.exec(told) ?? []
      expect(command).not.toBe('')
      const reading = (told.split(/\s+/).length / READER.words) * 60
      console.log(
        `${name}: ${reading.toFixed(1)} s of reading, ${seconds.toFixed(1)} s of the command`,
      )
      expect(reading).toBeLessThanOrEqual(READER.seconds - 1)

      cause.before?.(scene)
      const filled = (cause.values ?? []).reduce(
        (line, [place, value]) => line.replace(place, value),
        command.replaceAll(', then: ', ' && '),
      )
      const printed = await scene.run(filled)
      const [, next] = /Run: (gh .*)/.exec(printed) ?? []
      if (next) await scene.run(next)
      const [, replay] = /^1 delivery replayed as (\S+)/m.exec(printed) ?? []
      if (replay) return void (await scene.shows(replay, /^run ended +ok/m))
      const [endpoint = ''] = /^starts .* (\w+)\/webhook/m.exec(shown)?.slice(1) ?? []
      if (name === 'two workflows') {
        await scene.post(endpoint)
        return until(async () =>
          ['signup.yml', 'welcome.yml'].every((file) =>
            scene.github.runs.some((run) => run.file === file && run.steps[1] === 'success'),
          ),
        )
      }
      await scene.shows(await scene.post(endpoint), /^run ended +ok/m)
    },
  )
})
