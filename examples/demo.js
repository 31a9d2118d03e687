// Starts the local engine on examples/workflows, sends it two real requests and shows the outputs.
// Needs a clone and Node, nothing else: `node examples/demo.js`
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../dist/cli/index.js', import.meta.url))
const examples = fileURLToPath(new URL('.', import.meta.url))

// Two of them, so that all of it fits on a screen.
const workflows = ['--workflow', 'workflows/webhook.yml', 'workflows/user.yml']
const dev = spawn(process.execPath, [cli, 'dev', '--port', '0', ...workflows], {
  cwd: examples,
  stdio: ['ignore', 'pipe', 'inherit'],
})
dev.stdout.setEncoding('utf8').on('data', (text) => process.stdout.write(text))

const address = await listening()
await send('POST', `${address}/webhook/webhook/webhook?from=demo`, { title: 'Hello, Hookline' })
await send('PATCH', `${address}/webhook/user/webhook/users/42`, { email: 'ada@example.com' })
dev.kill('SIGTERM')
await once(dev, 'close')
console.log(`
These are the step outputs that the same workflow gets on GitHub. Next:
  1. cd examples && node ../dist/cli/index.js dev    then paste the curl line that it prints
  2. change examples/workflows/user.yml              the next request sees the change
  3. read README.md, "From nothing"                  for your own repository`)

/** The address that the local engine prints once it accepts requests. */
function listening() {
  return new Promise((resolve, reject) => {
    let text = ''
    dev.stdout.on('data', (more) => {
      text += more
      const address = /listening on (http:\S+)\n/.exec(text)?.[1]
      if (address) resolve(address)
    })
    dev.on('close', () => reject(new Error('the local engine ended before it listened')))
  })
}

async function send(method, url, body) {
  const text = JSON.stringify(body)
  console.log(`\n$ curl -X ${method} ${url} -H 'content-type: application/json' -d '${text}'`)
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method, headers, body: text })
  console.log(await response.text())
}
