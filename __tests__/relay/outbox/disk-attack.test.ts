import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from '@jest/globals'
import { newSealKey } from '../../../src/relay/seal.ts'
import { startGitHub } from '../../support/github.ts'
import { NODE24 } from '../../support/node24.ts'
import { send } from '../../support/raw-http.ts'

const COMMAND = new URL('../../../src/cli/index.ts', import.meta.url).pathname
const TOKEN = 'ghp_0123456789abcdefghijABCDEFGHIJ'
const PAYLOAD = 'what nobody but the workflow is to read'

const testOnNode24 = NODE24 === null ? test.skip : test

testOnNode24(
  'nothing of payload and token is readable on the disk of an outbox',
  async () => {
    const github = await startGitHub()
    github.always({ status: 503 })
    const folder = await mkdtemp(join(tmpdir(), 'disk-'))
    const { privateJwk } = await newSealKey()
    const args = ['relay', '--port', '0', '--outbox', join(folder, 'outbox.db')]
    const child = spawn(NODE24 ?? '', ['--disable-warning=ExperimentalWarning', COMMAND, ...args], {
      env: {
        PATH: process.env.PATH,
        HOOKLINE_API_URL: github.url,
        HOOKLINE_ACCEPT_MS: '300',
        HOOKLINE_SEAL_KEYS: JSON.stringify({ keys: [privateJwk] }),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(createInterface(child.stdout), 'line')
    const url = String(line).slice(String(line).indexOf('http://'))
    const headers = [['X-Platform-Authorization', TOKEN]] as const
    const request = { method: 'POST', target: '/o/r/hook/webhook?a=secret-query', body: PAYLOAD }
    expect((await send(url, { ...request, headers })).status).toBe(202)
    const files = await readdir(folder)
    const disk = await Promise.all(files.map((file) => readFile(join(folder, file), 'latin1')))
    expect(disk.join('')).toContain('o/r#')
    for (const text of [TOKEN, PAYLOAD, 'secret-query', 'client_payload']) {
      for (const form of [text, Buffer.from(text).toString('base64').slice(0, -4)]) {
        expect(disk.join('').includes(form)).toBe(false)
      }
    }
    child.kill()
    await once(child, 'exit')
    await github.close()
    await rm(folder, { recursive: true })
  },
  60_000,
)
