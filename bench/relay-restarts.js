// node bench/relay-restarts.js [requests] [restarts]   tests that restarts lose no request
// Restarts two relays alternately under load: every accepted request must be exactly one dispatch.
import { once } from 'node:events'
import { client } from './relay/load.js'
import { compile, start } from './relay/subjects.js'

const REQUESTS = Number(process.argv[2] ?? 100_000)
const RESTARTS = Number(process.argv[3] ?? 20)
const CONNECTIONS = 16
const STOP_LIMIT = 10_000

compile()
const upstream = await start('upstream')
const env = { HOOKLINE_API_URL: upstream.url }
// Two relays, of which the client uses one at a time, as behind a load balancer.
let serving = await start('node', env)
let spare = await start('node', env)
let current = serving.url

let sent = 0
let accepted = 0
let repeated = 0
let refused = 0
const senders = Array.from({ length: CONNECTIONS }, async () => {
  let url = current
  let send = client(url)
  while (sent < REQUESTS) {
    sent++
    for (let answered = false; !answered; ) {
      if (url !== current) {
        send.close()
        url = current
        send = client(url)
      }
      try {
        const status = await send()
        answered = true
        if (status === 200) accepted++
        else refused++
      } catch {
        // There was no response, so the client retries as a real sender does.
        repeated++
      }
    }
  }
  send.close()
})

const done = Promise.all(senders).then(() => true)
let longest = 0
for (let restart = 0; restart < RESTARTS; restart++) {
  const due = (REQUESTS * (restart + 0.5)) / RESTARTS
  while (sent < due) await new Promise((resolve) => setTimeout(resolve, 20))
  // SIGTERM is sent while this relay has all the load; only then do clients use the other one.
  current = serving.url
  await new Promise((resolve) => setTimeout(resolve, 200))
  const stopping = performance.now()
  const stopped = serving
  stopped.child.kill('SIGTERM')
  serving = spare
  current = serving.url
  await once(stopped.child, 'exit')
  longest = Math.max(longest, performance.now() - stopping)
  spare = await start('node', env)
}
await done
const { calls = 0 } = await upstream.usage()
console.log(`${sent} requests, ${RESTARTS} restarts under load`)
console.log(`  accepted ${accepted}, dispatches ${calls}, difference ${calls - accepted}`)
console.log(`  refused ${refused}, repeated because no answer came ${repeated}`)
console.log(`  the longest stop took ${longest.toFixed(0)} ms, the limit is ${STOP_LIMIT}`)
for (const relay of [serving, spare]) await relay.stop()
await upstream.stop()
process.exit(calls === accepted && longest <= STOP_LIMIT ? 0 : 1)
