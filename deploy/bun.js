// The relay on Bun, without outbox and clock: bun deploy/bun.js
import relay from '../dist/relay/worker.js'

const { HOST: hostname = '127.0.0.1', PORT: port = '3000' } = process.env
const server = Bun.serve({ hostname, port, fetch: (request) => relay.fetch(request, process.env) })
console.log(`hookline relay listening on ${server.url}`)
