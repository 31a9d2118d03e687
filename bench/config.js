import * as v from 'valibot'
import { compared, median } from './processes.js'
import { compiled } from './relay/compiled.js'

/** @typedef {import('./report.js').Row} Row */

const COUNT = 5_000
/**
 * The cost of `config` within one process, compared with the least possible work.
 *
 * @param {number} rounds
 * @returns {Promise<Row[]>}
 */
export async function measureConfig(rounds) {
  const pipeline = await openPipeline()
  return [await deduplication(pipeline, rounds), await filtering(pipeline, rounds)]
}

async function openPipeline() {
  /** @type {import('../src/engine/pipeline.ts')} */
  const { runPipeline } = await compiled('engine/pipeline.js')
  /** @type {import('../src/triggers/config-options.ts')} */
  const { configSchema } = await compiled('triggers/config-options.js')
  /** @type {import('../src/engine/scripts.ts')} */
  const { scripts } = await compiled('engine/scripts.js')
  /** @type {import('../src/engine/deduplication-keys.ts')} */
  const { canonical, digest } = await compiled('engine/deduplication-keys.js')
  const run = (
    /** @type {import('../src/engine/deduplication-keys.ts').Found[]} */ found,
    /** @type {unknown} */ config,
    deduplicate = false,
    seen = new Set(),
  ) =>
    runPipeline(found, {
      config: v.parse(configSchema, config),
      keys: {},
      scripts,
      deduplicate,
      isPolled: true,
      seen: {
        keyState: (key) => ({ status: seen.has(key) ? 'done' : 'new' }),
        isFirstRun: false,
      },
    })
  return { run, canonical, digest }
}

/** @param {Awaited<ReturnType<typeof openPipeline>>} pipeline @param {number} rounds */
async function deduplication({ run, canonical, digest }, rounds) {
  const found = items(COUNT)
  const hash = () => Promise.all(found.map(({ identity }) => digest(`item ${canonical(identity)}`)))
  const seen = new Set(await hash())
  const times = await alternate([hash, () => run(found, {}, true, seen)], rounds)
  return row('deduplicate 5,000 items against 5,000 keys : hash them', times, 2)
}

/** @param {Awaited<ReturnType<typeof openPipeline>>} pipeline @param {number} rounds */
async function filtering({ run }, rounds) {
  const found = items(100)
  const config = { filter: { 'body.n': { $gte: 50 } } }
  const plain = async () => found.map((one) => JSON.stringify(one))
  const times = await alternate([plain, () => run(found, config)], rounds)
  return row('filter 100 items : write them as JSON', times)
}

/** @param {number} count */
function items(count) {
  return Array.from({ length: count }, (_, n) => {
    const item = {
      method: 'post',
      query: {},
      body: { n, title: `Item ${n}`, labels: ['a', 'b'], user: { login: 'octocat', site: false } },
    }
    return { item, identity: { ...item, path: '/' } }
  })
}

/**
 * @param {readonly (() => Promise<unknown>)[]} works
 * @param {number} rounds
 */
async function alternate(works, rounds) {
  const times = works.map(() => /** @type {number[]} */ ([]))
  for (let round = -1; round < rounds; round++) {
    for (const [index, work] of works.entries()) {
      const start = performance.now()
      await work()
      if (round >= 0) times[index]?.push(performance.now() - start)
    }
  }
  return times
}

/**
 * @param {string} what
 * @param {number[][]} times
 * @param {number} [atMost]
 * @returns {Row}
 */
function row(what, [base = [], work = []], atMost) {
  const detail = `${median(work).toFixed(1)} ms : ${median(base).toFixed(1)} ms`
  const goal = atMost === undefined ? {} : { atMost }
  return { what, ...compared(work, base), detail, ...goal }
}
