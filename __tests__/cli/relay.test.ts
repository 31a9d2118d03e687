import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { INSTALL_CLOUDFLARED } from '../../src/cli/tunnel.ts'
import { RunningCommand } from '../support/cli.ts'
import { until } from '../support/until.ts'

const PUBLIC = 'https://quiet-river-example.trycloudflare.com'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-tunnel-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** A `cloudflared` that prints an address, and then does what a test says. */
async function cloudflared(then: string, first = ''): Promise<void> {
  const file = join(folder, 'cloudflared')
  const script = `#!/bin/sh\necho "$@" > '${folder}/arguments'\n${first}\necho "INF |  ${PUBLIC}  |" >&2\n${then}\n`
  await writeFile(file, script)
  await chmod(file, 0o755)
}

function relay(path: string, env: Record<string, string> = {}) {
  const args = ['relay', '--stateless', '--port', '0', '--tunnel']
  return new RunningCommand(args, { cwd: folder, env: { PATH: path, ...env } })
}

const withFake = () => `${folder}:${process.env.PATH}`

test('prints the public webhook URL and a curl command for it', async () => {
  await cloudflared('exec sleep 60')
  const command = relay(withFake())
  try {
    await command.printed(/try it:/)
    expect(command.stdout).toContain(`webhook URL:    ${PUBLIC}/owner/name/hook/webhook\n`)
    const token = '-H "X-Platform-Authorization: Bearer $HOOKLINE_GITHUB_TOKEN"'
    expect(command.stdout).toContain(`try it:         curl -X POST ${token}`)
    expect(command.stdout).toContain(`'${PUBLIC}/owner/name/hook/webhook'\n`)
  } finally {
    await command.stop()
  }
})

test('the URL is shorter with HOOKLINE_REPOSITORY, and has the path of the first trigger', async () => {
  await cloudflared('exec sleep 60')
  await mkdir(join(folder, 'workflows'))
  const on = 'on: {webhook: {path: "/users/:userId"}}'
  await writeFile(join(folder, 'workflows/user.yml'), `${on}\njobs: {}\n`)
  const command = relay(withFake(), { HOOKLINE_REPOSITORY: 'octo/repo' })
  try {
    await command.printed(/try it:.*\n/)
    const url = `${PUBLIC}/webhook/user/webhook/users/userId`
    expect(command.stdout).toContain(`webhook URL:    ${url}\n`)
    expect(command.stdout).toContain(`'${url}'\n`)
  } finally {
    await command.stop()
  }
})

test('prints how to install cloudflared, and warns of a proxy and of http in the environment', async () => {
  const HOOKLINE_API_URL = 'http://github.example.com/api/v3'
  const command = relay(folder, { HTTPS_PROXY: 'http://127.0.0.1:1', HOOKLINE_API_URL })
  expect(await command.ended()).toBe(1)
  expect(command.stderr).toMatch(/^error: .*cloudflared/m)
  expect(command.stderr).toContain(INSTALL_CLOUDFLARED)
  expect(command.stderr).toMatch(/^warning: .*proxy/m)
  expect(command.stderr).toMatch(/^warning: tokens travel to github.example.com over http/m)
})

test('a tunnel that ends is opened again after 1 s, and the new URL is printed', async () => {
  const other = 'https://loud-river-example.trycloudflare.com'
  const again = `if [ -e '${folder}/first' ]; then echo "INF | ${other} |" >&2; exec sleep 60; fi`
  await cloudflared(`touch '${folder}/first'`, again)
  const command = relay(withFake())
  try {
    await command.printed(/the tunnel ended; opening another one in 1 s\n/)
    await command.printed(/webhook URL: +https:\/\/loud-river-example\.trycloudflare\.com\/owner/)
  } finally {
    await command.stop()
  }
})

test('the relay ends if its first tunnel has no address', async () => {
  await cloudflared('', 'exit 3')
  const command = relay(withFake())
  expect(await command.ended()).toBe(1)
  expect(command.stderr).toMatch(/^error: .*(tunnel|cloudflared)/m)
})

test('a signal before the tunnel has an address is no error, and leaves no cloudflared', async () => {
  await cloudflared(
    '',
    `echo $$ > '${folder}/pid.new'; mv '${folder}/pid.new' '${folder}/pid'; exec sleep 60`,
  )
  const command = relay(withFake())
  await until(() => existsSync(join(folder, 'pid')))
  const pid = Number(await readFile(join(folder, 'pid'), 'utf8'))
  process.kill(pid)
  // The relay notices its end after this process has.
  await until(() => {
    try {
      return !process.kill(pid, 0)
    } catch {
      return true
    }
  })
  expect(await command.stop()).toBe(0)
  expect(command.stderr).toBe('')
})
