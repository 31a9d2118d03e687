import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { logWriter } from '../../src/relay/node/start.ts'
import { startCommand } from '../support/command.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { send } from '../support/raw-http.ts'
import { withToken } from '../support/scene.ts'

/** A device whose every write fails as a full disk does. */
const FULL = '/dev/full'
const REQUEST = withToken({ method: 'POST', target: '/o/r/hook/webhook', body: '{}' })

describe('a log', () => {
  test('is written in order, all of it before it is closed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'log-'))
    const path = join(folder, 'log')
    const file = openSync(path, 'w')
    const write = logWriter(file, () => {})
    const lines = Array.from({ length: 500 }, (_, n) => `line ${n}`)
    for (const line of lines) write(line)
    await write.close()
    expect(await readFile(path, 'utf8')).toBe(`${lines.join('\n')}\n`)
    closeSync(file)
    await rm(folder, { recursive: true })
  })

  const onLinux = existsSync(FULL) ? test : test.skip
  onLinux('on a full disk is dropped, and told once', async () => {
    const told: string[] = []
    const file = openSync(FULL, 'w')
    const write = logWriter(file, (text) => told.push(text))
    for (let n = 0; n < 5; n++) {
      write('lost')
      await sleep(30)
    }
    await write.close()
    expect(told).toEqual(['the log cannot be written (ENOSPC): its lines are dropped'])
    closeSync(file)
  })

  test('that is back says how much is missing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'log-'))
    const path = join(folder, 'log')
    const told: string[] = []
    // A descriptor number that no file has yet: the next one to be opened.
    const next = openSync(path, 'w')
    closeSync(next)
    const write = logWriter(next, (text) => told.push(text))
    write('lost')
    while (told.length < 1) await sleep(20)
    expect(told).toEqual(['the log cannot be written (EBADF): its lines are dropped'])
    const file = openSync(path, 'w')
    expect(file).toBe(next)
    write('kept')
    while (told.length < 2) await sleep(50)
    expect(told[1]).toBe('the log is written again: 1 lines were dropped')
    expect(await readFile(path, 'utf8')).toBe('kept\n')
    closeSync(file)
    await rm(folder, { recursive: true })
  })
})

describe('a relay whose log has no reader', () => {
  let github: GitHub
  beforeAll(async () => {
    github = await startGitHub()
  })
  afterAll(() => github.close())

  test('answers on, and says so once', async () => {
    const env = { PORT: '0', HOOKLINE_API_URL: github.url }
    const child = startCommand('relay', { env, arguments: ['--stateless'] })
    let errors = ''
    child.stderr?.on('data', (chunk) => {
      errors += chunk
    })
    if (!child.stdout) throw new Error('no output')
    const [line] = await once(createInterface(child.stdout), 'line')
    child.stdout.destroy()
    const url = String(line).split(' ').at(-1) ?? ''
    for (let n = 0; n < 5; n++) {
      expect((await send(url, REQUEST)).status).toBe(200)
      await sleep(40)
    }
    while (!errors.includes('\n')) await sleep(20)
    expect(errors).toBe(
      'hookline relay: the log cannot be written (EPIPE): its lines are dropped\n',
    )
    expect(child.exitCode).toBeNull()
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  test('and a slow reader does not block it', async () => {
    const env = { PORT: '0', HOOKLINE_API_URL: github.url }
    const child = startCommand('relay', { env, arguments: ['--stateless'] })
    if (!child.stdout) throw new Error('no output')
    const [line] = await once(createInterface(child.stdout), 'line')
    child.stdout.pause()
    const url = String(line).split(' ').at(-1) ?? ''
    // 600 lines of 400 characters: a pipe buffers 64 KB, and Node's replacement 208 KB.
    const target = `/${'o'.repeat(39)}/${'r'.repeat(100)}/${'w'.repeat(100)}/webhook`
    for (let n = 0; n < 60; n++) {
      const some = Array.from({ length: 10 }, () => send(url, { ...REQUEST, target }))
      const answers = await Promise.all(some)
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    }
    const stopped = once(child, 'exit')
    child.kill('SIGTERM')
    // The relay may take ten seconds to stop; the test ends a relay that hangs.
    const hanging = setTimeout(() => child.kill('SIGKILL'), 30_000)
    expect(await stopped).toEqual([0, null])
    clearTimeout(hanging)
  })
})
