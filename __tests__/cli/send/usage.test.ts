import { expect, test } from '@jest/globals'
import { FIXTURES } from '../../../src/cli/send/fixtures.ts'
import { CLI_BUNDLE, runShared } from '../../support/cli.ts'

const send = (args: readonly string[]) => runShared(['send', ...args])

test('--list names every fixture, and how it is signed', async () => {
  const { exitCode, stdout } = await send(['--list'])
  expect(exitCode).toBe(0)
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/)[0]),
  ).toEqual([...FIXTURES.keys()])
  const { stdout: json } = await send(['--list', '--json'])
  expect(JSON.parse(json)).toContainEqual({ name: 'slack.message', sign: 'slack' })
})

const URL_NOBODY = 'http://127.0.0.1:9/x'
const WRONG = [
  ['no URL', [], 2, /missing required argument 'url'/],
  [
    'fixture and file together',
    [URL_NOBODY, '--fixture', 'github.push', '--file', 'x'],
    2,
    /exclude each other/,
  ],
  [
    'an unknown fixture',
    [URL_NOBODY, '--fixture', 'github.psh'],
    1,
    /did you mean "github\.push"\?/,
  ],
  ['an address that is none', ['localhost'], 1, /the URL is not the address of a webhook/],
  [
    'a file that is not there',
    [URL_NOBODY, '--file', 'no.json'],
    1,
    /--file: no\.json cannot be read/,
  ],
  ['a file that is no request', [URL_NOBODY, '--file', CLI_BUNDLE], 1, /is not a saved request/],
  ['a header that is none', [URL_NOBODY, '--header', 'x'], 1, /name: value/],
  ['--sign without a secret', [URL_NOBODY, '--sign', 'github'], 1, /HOOKLINE_SECRET/],
  ['--as without a secret', [URL_NOBODY, '--as', 'stripe'], 1, /--as needs the secret/],
  ['an unknown sender', [URL_NOBODY, '--as', 'strip'], 1, /did you mean "stripe"\?/],
  ['an empty secret', [URL_NOBODY, '--sign', 'github', '--secret-stdin'], 1, /no secret/],
] as const
test.each(WRONG)('%s is refused before anything is sent', async (_, args, code, message) => {
  const { exitCode, stderr } = await send(args)
  expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: expect.stringMatching(message) })
})
