// node bench/relay-restarts.js [requests] [restarts]
// Restarts two relays in turn under load: every accepted request is one dispatch, no more, no less.
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
// Two behind one address that a client picks from, as behind a load balancer.
const relays = [await start('node', env), await start('node', env)]
let current = relays[0].url

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
        // No answer came: a real sender tries again too.
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
  const at = restart % 2
  // SIGTERM comes while this relay has all the load; only then do the clients go elsewhere.
  current = relays[at].url
  await new Promise((resolve) => setTimeout(resolve, 200))
  const stopping = performance.now()
  relays[at].child.kill('SIGTERM')
  current = relays[1 - at].url
  await once(relays[at].child, 'exit')
  longest = Math.max(longest, performance.now() - stopping)
  relays[at] = await start('node', env)
}
await done
const { calls } = await upstream.usage()
console.log(`${sent} requests, ${RESTARTS} restarts under load`)
console.log(`  accepted ${accepted}, dispatches ${calls}, difference ${calls - accepted}`)
console.log(`  refused ${refused}, repeated because no answer came ${repeated}`)
console.log(`  the longest stop took ${longest.toFixed(0)} ms, the limit is ${STOP_LIMIT}`)
for (const relay of relays) await relay.stop()
await upstream.stop()
process.exit(calls === accepted && longest <= STOP_LIMIT ? 0 : 1)
