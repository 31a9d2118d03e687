import { median, ratio } from './processes.js'

/** @typedef {import('./report.js').Row} Row */

const COUNT = 5_000
const built = (/** @type {string} */ file) =>
  import(new URL(`../build/${file}`, import.meta.url).href)

/**
 * What `config` costs, within one process: the work itself beside the least that it could be.
 *
 * @param {number} rounds
 * @returns {Promise<Row[]>}
 */
export async function measureConfig(rounds) {
  const pipeline = await openPipeline()
  return [await deduplication(pipeline, rounds), await filtering(pipeline, rounds)]
}

async function openPipeline() {
  const [{ prepare }, { configSchema }, { scripts }, { canonical }, { digest }, claims, v] =
    await Promise.all([
      built('engine/pipeline.js'),
      built('triggers/config.js'),
      built('engine/scripts.js'),
      built('engine/keys.js'),
      built('engine/keys.js'),
      built('state/index.js'),
      import('valibot'),
    ])
  const settings = (/** @type {unknown} */ config, /** @type {object} */ other) => ({
    config: v.parse(configSchema, config),
    keys: {},
    scripts,
    ...other,
  })
  return { prepare, settings, canonical, digest, ...claims }
}

/** @param {Awaited<ReturnType<typeof openPipeline>>} pipeline @param {number} rounds */
async function deduplication({ prepare, settings, canonical, digest, standings, claimed }, rounds) {
  const found = items(COUNT)
  const hash = () => Promise.all(found.map(({ identity }) => digest(`item ${canonical(identity)}`)))
  const keys = await hash()
  const run = { id: '1', at: 0 }
  const known = claimed({ lastSuccess: 0, claims: [] }, keys, run, false)
  const deduplicate = async () => {
    const ledger = { standing: standings(known, { id: '2', at: 1 }), isFirstRun: false }
    return prepare(found, settings({}, { deduplicate: true, ledger }))
  }
  const times = await alternate([hash, deduplicate], rounds)
  return row('deduplicate 5,000 items against 5,000 keys : hash them', times, 2)
}

/** @param {Awaited<ReturnType<typeof openPipeline>>} pipeline @param {number} rounds */
async function filtering({ prepare, settings }, rounds) {
  const found = items(100)
  const ledger = { standing: () => 'fresh', isFirstRun: false }
  const filtered = settings({ filter: { 'body.n': { $gte: 50 } } }, { ledger })
  const plain = async () => found.map((one) => JSON.stringify(one))
  const times = await alternate([plain, () => prepare(found, filtered)], rounds)
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
  return { what, measured: ratio(work, base), unit: '×', detail, ...goal }
}
