// node bench/relay.js [rounds]   how fast the relay is, beside forwarders that do nothing else
import { compare } from './relay/compare.js'
import { sealedTokenCost } from './relay/sealed.js'
import { compile, start } from './relay/subjects.js'
import { bundledRelay, startWorker } from './relay/workerd.js'

const ROUNDS = Number(process.argv[2] ?? 7)

compile()
const upstream = await start('upstream')
const env = { HOOKLINE_API_URL: upstream.url }

const bare = await start('bare', env)
const node = await start('node', env)
await compare('Node, goal at least 0.85', ['bare forwarder', bare], ['relay', node], ROUNDS)
await bare.stop()
await node.stop()

const forwardOnly = await startWorker(
  new URL('./relay/forward-only-worker.js', import.meta.url).pathname,
  env,
)
const worker = await startWorker(await bundledRelay(), env)
const title = 'workerd, goal at least 0.65'
await compare(title, ['forward-only', forwardOnly], ['relay', worker], ROUNDS)
await forwardOnly.stop()
await worker.stop()

await sealedTokenCost()
await upstream.stop()
