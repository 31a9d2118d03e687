import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { RunningCommand } from '../support/cli.ts'

const PUBLIC = 'https://quiet-river-example.trycloudflare.com'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-tunnel-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** A `cloudflared` that tells an address, and does what comes after. */
async function cloudflared(then: string): Promise<void> {
  const file = join(folder, 'cloudflared')
  const script = `#!/bin/sh\necho "$@" > '${folder}/arguments'\necho "INF |  ${PUBLIC}  |" >&2\n${then}\n`
  await writeFile(file, script)
  await chmod(file, 0o755)
}

function relay(path: string, env: Record<string, string> = {}) {
  const args = ['relay', '--port', '0', '--tunnel']
  return new RunningCommand(args, { cwd: folder, env: { PATH: path, ...env } })
}

const withFake = () => `${folder}:${process.env.PATH}`

test('prints the public webhook URL and a curl command for it', async () => {
  await cloudflared('exec sleep 60')
  const command = relay(withFake())
  try {
    await command.printed(/try it:/)
    expect(command.stdout).toContain(`webhook URL:    ${PUBLIC}/owner/name/hook/webhook\n`)
    const token = '-H "X-Platform-Authorization: Bearer $HOOKLINE_CREDENTIAL"'
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

test('prints how to install cloudflared, and warns of a proxy in the environment', async () => {
  const command = relay(folder, { HTTPS_PROXY: 'http://127.0.0.1:1' })
  expect(await command.ended()).toBe(1)
  expect(command.stderr).toMatch(/error: .*cloudflared[\s\S]*brew install cloudflared/)
  expect(command.stderr).toMatch(/^warning: .*proxy/m)
})

test('the relay ends with its tunnel', async () => {
  await cloudflared('exit 3')
  const command = relay(withFake())
  expect(await command.ended()).toBe(1)
  expect(command.stderr).toMatch(/^error: .*(tunnel|cloudflared)/m)
})
