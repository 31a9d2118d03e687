import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runShared } from '../../support/cli.ts'
import { type Dev, startDev } from '../../support/dev.ts'
import { ask } from '../../support/inspector.ts'

const KEY = 'key-of-this-test-alone'

const FILES = {
  'workflows/hook.yml':
    'on: {webhook: {method: post}}\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n',
  '.github/workflows/hook.yml': 'on: push\njobs: {}\n',
}

/** Stands in for act: it prints its arguments and event. */
const ACT = `#!/bin/sh
echo "args $1 $2 $3"
while [ $# -gt 0 ]; do
  if [ "$1" = --eventpath ]; then echo "event $(cat "$2")"; ls -l "$2" | cut -c1-10; fi
  shift
done
echo "keys \${HOOKLINE_DEV_KEY-none} \${HOOKLINE_GITHUB_TOKEN-none}"
exit 3
`

let folder: string
let dev: Dev
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-act-test-'))
  const act = join(folder, 'act')
  writeFileSync(act, ACT)
  chmodSync(act, 0o755)
  const env = {
    HOOKLINE_ACT: act,
    HOOKLINE_DEV_KEY: KEY,
    HOOKLINE_GITHUB_TOKEN: 'a-token-of-github',
  }
  dev = await startDev({ files: FILES, args: ['--run'], env })
})
afterAll(async () => {
  await dev.stop()
  rmSync(folder, { recursive: true, force: true })
})

const send = (headers: Record<string, string>, body = 'first') =>
  fetch(dev.hook('hook/webhook'), { method: 'POST', headers, body })

test('a request with the key starts act, with the event and without our secrets', async () => {
  expect((await send({ 'x-hookline-dev-key': KEY })).status).toBe(200)
  await dev.command.told(/act: failed \(exit 3\)/)
  const { stderr } = dev.command
  expect(stderr).toContain('  args repository_dispatch --workflows .github/workflows/hook.yml\n')
  expect(stderr).toContain('"path":"hook/webhook"')
  expect(stderr).toContain('  -rw-------\n')
  expect(stderr).toContain('  keys none none\n')
})

test.each([
  ['no key', {}, 200],
  ['another key', { 'x-hookline-dev-key': 'guessed' }, 401],
  ['another page', { 'x-hookline-dev-key': KEY, origin: 'https://evil.example' }, 401],
  ['a proxy', { 'x-hookline-dev-key': KEY, 'x-forwarded-for': '203.0.113.7' }, 401],
])('nothing runs for %s', async (name, headers, status) => {
  const answer = await send(headers, `refused: ${name}`)
  expect(answer.status).toBe(status)
  expect(await answer.text()).not.toContain(KEY)
  // Runs are sequential, so an earlier request would have run before this one.
  await send({ 'x-hookline-dev-key': KEY }, `behind: ${name}`)
  await dev.command.told(new RegExp(`behind: ${name}`))
  expect(dev.command.stderr).not.toContain(`refused: ${name}`)
})

test('send adds the key for this machine', async () => {
  const args = ['send', dev.hook('hook/webhook'), '--data', 'by send']
  expect((await runShared(args, { env: { HOOKLINE_DEV_KEY: KEY } })).exitCode).toBe(0)
  await dev.command.told(/by send/)
})

test('a missing act is reported at the start, with its page', async () => {
  const env = { HOOKLINE_ACT: join(folder, 'no-act') }
  const without = await startDev({ files: FILES, args: ['--run'], env })
  await without.command.told(/^warning: .*"act" is not on the PATH.*https:\/\/nektosact\.com/m)
  await without.stop()
})

test('an open server runs nothing', async () => {
  const { exitCode, stderr } = await runShared(['dev', '--run', '--host', '0.0.0.0'])
  expect(exitCode).toBe(2)
  expect(stderr).toMatch(/--run cannot be combined with --host/)
})

test('an open server does not start without a key', async () => {
  const { exitCode, stderr } = await runShared(['dev', '--port', '0', '--host', '0.0.0.0'])
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(/^error: .*HOOKLINE_DEV_KEY/)
})

test('the jobs of a request of the page run too', async () => {
  const request = {
    method: 'POST',
    path: 'hook/webhook',
    headers: {},
    body: 'by the page',
    encoding: 'text',
  }
  await ask(dev.url, '/inspector/replay', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ of: null, sign: false, ...request }),
  })
  await dev.command.told(/by the page/)
})
