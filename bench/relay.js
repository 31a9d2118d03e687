// node bench/relay.js [rounds]   R27: how fast the relay is, beside forwarders that do nothing else
import { compare } from './relay/compare.js'
import { credentialCosts } from './relay/credentials.js'
import { outboxCosts } from './relay/outbox.js'
import { compile, start } from './relay/subjects.js'
import { bundledRelay, startWorker } from './relay/workerd.js'
import { report } from './report.js'

const ROUNDS = Number(process.argv[2] ?? 7)

compile()
const upstream = await start('upstream')
const env = { HOOKLINE_API_URL: upstream.url }

const bare = await start('bare', env)
const node = await start('node', env)
report(await compare(['bare forwarder', bare], ['relay on Node', node], ROUNDS, 0.85))
await bare.stop()
await node.stop()

const forwardOnly = await startWorker(
  new URL('./relay/forward-only-worker.js', import.meta.url).pathname,
  env,
)
const worker = await startWorker(await bundledRelay(), env)
report(await compare(['forward-only', forwardOnly], ['relay on workerd', worker], ROUNDS, 0.65))
await worker.stop()
const heard = await startWorker(await bundledRelay(), env, 'pipe')
report(await compare(['forward-only', forwardOnly], ['its log read here', heard], ROUNDS))
await forwardOnly.stop()
await heard.stop()

report(await credentialCosts(env, ROUNDS))
report(await outboxCosts(env, ROUNDS))
await upstream.stop()
