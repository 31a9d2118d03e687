import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { INSTALL_CLOUDFLARED, openTunnel } from '../../src/cli/tunnel.ts'
import { UserError } from '../../src/wire/errors.ts'

const PUBLIC = 'https://quiet-river-example.trycloudflare.com'
const LOCAL = 'http://127.0.0.1:3000'

let folder: string
let stopping: AbortController
const { env } = process
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-tunnel-'))
  stopping = new AbortController()
  process.env = { ...env, PATH: `${folder}:${env.PATH}` }
})
afterEach(async () => {
  stopping.abort()
  process.env = env
  await rm(folder, { recursive: true })
})

/** A `cloudflared` that prints an address, and then does what a test says. */
async function cloudflared(then: string, first = ''): Promise<void> {
  const script = `#!/bin/sh\n${first}\necho "INF |  ${PUBLIC}  |" >&2\n${then}\n`
  await writeFile(join(folder, 'cloudflared'), script, { mode: 0o755 })
}

test('cloudflared sees no token and no key', async () => {
  process.env.HOOKLINE_GITHUB_TOKEN = 'ghp_secret'
  await cloudflared('exec sleep 60', `env > '${folder}/env'`)
  await expect(openTunnel(LOCAL, () => {}, stopping.signal)).resolves.toMatchObject({ url: PUBLIC })
  expect(readFileSync(join(folder, 'env'), 'utf8')).toContain('PATH=')
  expect(readFileSync(join(folder, 'env'), 'utf8')).not.toContain('ghp_secret')
})

test.each([
  ['is not installed', undefined, INSTALL_CLOUDFLARED],
  ['ends without an address', 'exit 3', 'internet'],
])('without a tunnel if cloudflared %s', async (message, first, hint) => {
  if (first === undefined) process.env.PATH = folder
  else await cloudflared('', first)
  const error = await openTunnel(LOCAL, () => {}, stopping.signal).catch((caught) => caught)
  if (!(error instanceof UserError)) throw error
  expect(error.message).toContain(message.replace('ends', 'ended'))
  expect(error.problems[0]?.hint).toContain(hint)
})
