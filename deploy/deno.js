// The relay on Deno, without outbox and clock: deno run --allow-net --allow-env deploy/deno.js
import relay from '../dist/relay/worker.js'

const { env } = Deno
const hostname = env.get('HOST') || '127.0.0.1'
const port = Number(env.get('PORT') || 3000)
Deno.serve({ hostname, port }, (request) => relay.fetch(request, env.toObject()))
