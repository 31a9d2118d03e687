import { expect, test } from '@jest/globals'
import { EXAMPLES } from '../../../src/cli/send/example-events.ts'
import { CLI_BUNDLE, runShared } from '../../support/cli.ts'

test('--list names every fixture and its signature scheme', async () => {
  const { exitCode, stdout } = await runShared(['send', '--list'])
  expect(exitCode).toBe(0)
  const names = [...stdout.matchAll(/^\S+/gm)].map(([name]) => name)
  expect(names).toEqual([...EXAMPLES.keys()])
  const { stdout: json } = await runShared(['send', '--list', '--json'])
  expect(JSON.parse(json)).toContainEqual({ name: 'slack.message', sign: 'slack' })
})

const URL = 'http://127.0.0.1:9/x'

test.each([
  ['no URL', [], 2, 'url'],
  ['--example with --file', [URL, '--example', 'github.push', '--file', 'x'], 2, '--file'],
  ['an unknown fixture', [URL, '--example', 'github.psh'], 1, '"github.push"'],
  ['an invalid URL', ['localhost'], 1, 'URL'],
  ['a missing file', [URL, '--file', 'no.json'], 1, '--file no.json'],
  ['a file without a request', [URL, '--file', CLI_BUNDLE], 1, 'saved request'],
  ['an invalid header', [URL, '--header', 'x'], 1, 'name: value'],
  ['--sender without a secret', [URL, '--sender', 'stripe'], 1, 'HOOKLINE_WEBHOOK_SECRET'],
  ['an unknown sender', [URL, '--sender', 'strip'], 1, '"stripe"'],
] as const)('%s is refused before anything is sent', async (_, args, exitCode, words) => {
  const ended = await runShared(['send', ...args])
  expect(ended).toMatchObject({ exitCode, stderr: expect.stringContaining(words) })
  expect(ended.stderr).not.toContain('ECONNREFUSED')
})

test('a secret without a scheme is an error, since the request would be unsigned', async () => {
  const args = ['send', URL, '--data', 'x']
  const { exitCode, stderr } = await runShared(args, { env: { HOOKLINE_WEBHOOK_SECRET: 'hush' } })
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('--sender') })
  expect(stderr).not.toContain('ECONNREFUSED')
})
