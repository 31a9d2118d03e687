// Starts the local engine on examples/workflows, sends it two real requests and shows the outputs.
// Needs a clone and Node, nothing else: `node examples/demo.js`
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../dist/cli/index.js', import.meta.url))
const examples = fileURLToPath(new URL('.', import.meta.url))

// Two of them, and no line longer than the screen is wide, so that all of it fits on one.
const workflows = ['--workflow', 'workflows/webhook.yml', 'workflows/user.yml']
const WIDEST = 80

const dev = spawn(process.execPath, [cli, 'dev', '--port', '0', ...workflows], {
  cwd: examples,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const lines = createInterface({ input: dev.stdout })

const address = await listening()
let isAsked = false
lines.on('line', (line) => {
  // What it serves comes first; the requests below say that too.
  isAsked ||= /^[A-Z]+ \//.test(line)
  if (isAsked) console.log(line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line)
})
await send('POST', `${address}/webhook/webhook/webhook?from=demo`, { title: 'Hello, Hookline' })
await send('PATCH', `${address}/webhook/user/webhook/users/42`, { email: 'ada@example.com' })
dev.kill('SIGTERM')
await once(dev, 'close')
console.log(`
These are the outputs that the same workflows get on GitHub. Next:
  1. cd examples && node ../dist/cli/index.js dev   then paste its curl line
  2. change examples/workflows/user.yml             the next request sees it
  3. README.md, "In your repository"                for your own repository`)

/** The address that the local engine prints once it accepts requests. */
function listening() {
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const [, address] = /listening on (http:\S+)$/.exec(line) ?? []
      if (address) resolve(address)
    })
    dev.on('close', () => reject(new Error('the local engine ended before it listened')))
  })
}

async function send(method, url, body) {
  const text = JSON.stringify(body)
  console.log(`\n$ curl -X ${method} ${url} \\`)
  console.log(`    -H 'content-type: application/json' -d '${text}'`)
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method, headers, body: text })
  console.log(await response.text())
}
