// Stands in for the person who creates an App, and for the pages of GitHub that create it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'

const pem = process.env.APP_PEM
const made = { id: 123456, slug: 'hooks', pem, html_url: 'https://github.com/apps/hooks' }
const github = createServer((_, response) => response.writeHead(201).end(JSON.stringify(made)))
github.listen(0, '127.0.0.1')
await once(github, 'listening')
const { port } = /** @type {import('node:net').AddressInfo} */ (github.address())
const url = `http://127.0.0.1:${port}`
const child = spawn(process.execPath, process.argv.slice(2), {
  env: { ...process.env, HOOKLINE_API_URL: url, HOOKLINE_SERVER_URL: url },
  stdio: ['ignore', 'inherit', 'pipe'],
})
let told = ''
child.stderr.on('data', async (chunk) => {
  const before = told
  told += chunk
  const [page] = /http:\/\/127\.0\.0\.1:\d+\//.exec(told) ?? []
  if (!page || before.includes(page)) return
  const html = await (await fetch(page)).text()
  const [, state] = /state=([\w-]+)/.exec(html) ?? []
  await fetch(`${page}created?code=agreed&state=${state}`)
})
const [code] = await once(child, 'close')
github.closeAllConnections()
github.close()
if (code !== 0) process.stderr.write(told)
process.exitCode = code ?? 1
