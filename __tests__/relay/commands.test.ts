import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { type CommandResult, runCommands, startCommand } from '../support/command.ts'
import { startGitHub } from '../support/github.ts'
import { send } from '../support/raw-http.ts'
import { TOKEN } from '../support/scene.ts'
import { until } from '../support/until.ts'

describe('hookline relay', () => {
  test('says where it listens, relays, and stops at SIGTERM', async () => {
    const github = await startGitHub()
    const env = { HOOKLINE_API_URL: github.url, PORT: '0' }
    const child = startCommand('relay', { env, arguments: ['--stateless', '--repository', 'o/r'] })
    if (!child.stdout) throw new Error('no output')
    const lines: string[] = []
    createInterface(child.stdout).on('line', (line) => lines.push(line))
    await until(() => lines.length > 0)
    const [line] = lines
    expect(line).toMatch(/^hookline relay listening on http:\/\/127\.0\.0\.1:\d+$/)
    const url = String(line).split(' ').at(-1) ?? ''
    const answer = await send(url, { target: `/webhook/hook/webhook?__token=${TOKEN}` })
    expect(answer.status).toBe(200)
    await until(() => lines.length > 1)
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ owner: 'o', repo: 'r', status: 200 })
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    await github.close()
  })

  const BAD: readonly (readonly [flag: string, value: string])[] = [
    ['--port', 'x'],
    ['--port', '65536'],
    ['--repository', 'o/..'],
    ['--repository', 'octo/repo.git'],
  ]
  let results: readonly CommandResult[]
  beforeAll(async () => {
    results = await runCommands(
      'relay',
      BAD.map((flags) => ({ arguments: ['--stateless', '--port', '0', ...flags] })),
    )
  })

  test.each(BAD.map((row, index) => [...row, index] as const))(
    '%s %s: an error that names the value',
    (_, value, index) => {
      expect(results[index]).toMatchObject({ code: 1, errors: expect.stringContaining(value) })
    },
  )
})
