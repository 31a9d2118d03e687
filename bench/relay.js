// node bench/relay.js [rounds] [node|workflow|bodies|workerd|database …]
// Measures the relay's speed, compared with minimal forwarders, and the cost of its features.
import { fileURLToPath } from 'node:url'
import { bodyCosts } from './relay/bodies.js'
import { compare, compareSpeed } from './relay/compare.js'
import { databaseCosts } from './relay/database.js'
import { compile, start } from './relay/subjects.js'
import { bundledRelay, startWorker } from './relay/workerd.js'
import { report } from './report.js'

const [rounds = '7', ...parts] = process.argv.slice(2)
const ROUNDS = Number(rounds)
const wants = (/** @type {string} */ part) => parts.length === 0 || parts.includes(part)

compile()
const upstream = await start('upstream')
const env = { HOOKLINE_API_URL: upstream.url }

if (wants('node')) {
  const bare = await start('bare', env)
  const node = await start('node', env)
  report(await compare(['bare forwarder', bare], ['relay on Node', node], ROUNDS, 0.9, 1.15))
  await bare.stop()
  await node.stop()
}

if (wants('workflow')) {
  const repository = await start('node', env)
  // A token URL starts a workflow directly if the forge has no `repository_dispatch`.
  const workflow = await start('node', { ...env, HOOKLINE_FORGE: 'forgejo' })
  report(await compareSpeed(['repository', repository], ['workflow', workflow], ROUNDS, 0.95))
  await workflow.stop()
  await repository.stop()
}

if (wants('bodies')) report(await bodyCosts(env, ROUNDS))

if (wants('workerd')) {
  const forwardOnly = await startWorker(
    fileURLToPath(new URL('./relay/forward-only-worker.js', import.meta.url)),
    env,
  )
  const worker = await startWorker(await bundledRelay(), env)
  const goals = /** @type {const} */ ([0.8, 1.25])
  report(
    await compare(['forward-only', forwardOnly], ['relay on workerd', worker], ROUNDS, ...goals),
  )
  await worker.stop()
  const heard = await startWorker(await bundledRelay(), env, 'pipe')
  report(await compareSpeed(['forward-only', forwardOnly], ['its log read here', heard], ROUNDS))
  await forwardOnly.stop()
  await heard.stop()
}

if (wants('database')) report(await databaseCosts(env, ROUNDS))
await upstream.stop()
