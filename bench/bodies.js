import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { memory } from './processes.js'
import { layWorkspace } from './workspace.js'

/** @typedef {import('./report.js').Row} Row */

const action = fileURLToPath(new URL('../dist/action/index.js', import.meta.url))

const MEGABYTE = 1024 * 1024

/** MB of the largest body that a relay stores by default. */
const SIZE = 25

/** MB that the action may take for it. */
const MOST_MEMORY = 400

/** Passes on a small part of the body, so that only the reading of the body takes memory. */
const ON = 'webhook:\n  config:\n    filter: {body.action: closed}\n'

/** Serves a file at every path, and prints its port. */
const SERVER = `const { createReadStream } = require('node:fs')
const server = require('node:http').createServer((_, response) => {
  createReadStream(process.argv[1]).pipe(response)
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))`

/**
 * @param {(index: number) => string} row
 * @param {string} [separator]
 */
function rows(row, separator = ',') {
  const parts = []
  for (let length = 0; length < SIZE * MEGABYTE - 1000; ) {
    const part = row(parts.length)
    parts.push(part)
    length += part.length + separator.length
  }
  return parts.join(separator)
}

const TEXT = 'lorem ipsum '.repeat(8)
const id = (/** @type {number} */ index) => `1089234567890${String(index).padStart(6, '0')}`
const PART = 'content-disposition: form-data; name=f; filename="a.bin"'

/** @type {readonly { what: string, type: string, body: () => string | Buffer }[]} */
const BODIES = [
  {
    what: 'JSON',
    type: 'application/json',
    body: () =>
      `[${rows((index) => `{"id":${index},"ok":true,"price":${index}.25,"text":"${TEXT}"}`)}]`,
  },
  {
    what: 'JSON with integers of 19 digits',
    type: 'application/json',
    body: () => `[${rows(id)}]`,
  },
  {
    what: 'JSON in ISO-8859-1',
    type: 'application/json',
    body: () => Buffer.from(`[${rows(() => `{"name":"J\u00fcrgen","text":"${TEXT}"}`)}]`, 'latin1'),
  },
  {
    what: 'JSON lines',
    type: 'application/x-ndjson',
    body: () => rows((index) => `{"id":${index},"name":"item"}`, '\n'),
  },
  {
    what: 'a multipart form with one file',
    type: 'multipart/form-data; boundary=B',
    body: () => `--B\r\n${PART}\r\n\r\n${'x'.repeat(SIZE * MEGABYTE - 1000)}\r\n--B--\r\n`,
  },
]

/**
 * The memory that the action takes for a body that a relay stored.
 *
 * @param {string} folder an empty folder
 * @returns {Promise<Row[]>}
 */
export async function measureBodies(folder) {
  if (!existsSync(action)) throw new Error('dist/action is missing: run "npm run build"')
  const measured = []
  for (const [index, body] of BODIES.entries()) {
    measured.push(await measureBody(`${folder}/body-${index}`, body))
  }
  return measured
}

/**
 * @param {string} folder
 * @param {typeof BODIES[number]} kind
 * @returns {Promise<Row>}
 */
async function measureBody(folder, { what, type, body }) {
  const workspace = await layWorkspace(folder, 1)
  await mkdir(folder, { recursive: true })
  const bytes = Buffer.from(body())
  await writeFile(`${folder}/body`, bytes)
  const server = spawn(process.execPath, ['-e', SERVER, `${folder}/body`])
  try {
    const [port] = await once(createInterface(server.stdout), 'line')
    const relay = `http://127.0.0.1:${port}`
    const headers = {
      'content-type': type,
      'x-hookline-body-encoding': 'url',
      'x-hookline-body-url': `${relay}/-/octo/bodies/${'a'.repeat(43)}`,
      'x-hookline-body-sha256': createHash('sha256').update(bytes).digest('hex'),
      'x-hookline-body-length': String(bytes.length),
    }
    const payload = { path: 'hook/webhook', method: 'POST', headers, body: null }
    const event = { action: 'webhook', client_payload: payload }
    await writeFile(`${folder}/event.json`, JSON.stringify(event))
    const used = memory({
      script: action,
      cwd: folder,
      env: { ...workspace.env, INPUT_ON: ON, 'INPUT_RELAY-URL': relay },
      output: workspace.output,
      expect: /^triggered<<(\S+)\nfalse\n\1$/m,
    })
    const row = `memory of the action, ${SIZE} MB of ${what}`
    return { what: row, measured: used, unit: 'MB', atMost: MOST_MEMORY }
  } finally {
    server.kill()
    await once(server, 'exit')
  }
}
