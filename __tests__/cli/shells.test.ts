import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runShared } from '../support/cli.ts'
import { type RelayUnderTest, startOnNode } from '../support/relays.ts'

const POWERSHELL = { PSModulePath: '/opt/microsoft/powershell/7/Modules' }
const RELAY = ['--relay', 'a relay', '--repository', 'octo/repo']

let relay: RelayUnderTest
beforeAll(async () => {
  relay = await startOnNode({ env: {} })
})
afterAll(() => relay.close())

/** A relay without a token needs a credential; `url` warns about that once. */
const NO_CREDENTIAL = /^warning: the URL contains no credential.*\n {2}= .*\n$/

/** Syntax that only one of the two shells understands. */
const OF_POSIX =
  /\bcurl\b|\bread -rs\b|\bexport \w|\benv -u\b|<<JSON|\$(?:HOOKLINE|BOT)_|\$\(|^\s*[A-Z_]+=/m
const OF_POWERSHELL = /Invoke-RestMethod|\$env:|Read-Host|Add-Content/

test.each([
  ['init', '--dry-run', '--yes', '--json', ...RELAY],
  ['init', '--dry-run', '--yes', '--json', '--sender', 'stripe'],
  ['init', '--dry-run', '--yes', '--json', '--sender', 'discord'],
  ['init', '--dry-run', '--yes', '--json', '--kind', 'bot'],
  ['init', '--dry-run', '--yes', '--json', '--dispatch', 'workflow'],
])('%s %s %s %s %s %s: prints commands for the shell that it runs in', async (...args) => {
  // The address of the relay is known after it listens.
  const words = args.map((word) => (word === 'a relay' ? relay.url : word))
  const { stdout: posix } = await runShared(words, { env: { SHELL: '/bin/bash' } })
  const { stdout, stderr, exitCode } = await runShared(words, { env: POWERSHELL })
  const said = args[1] === 'hook' && words.includes('--relay') ? NO_CREDENTIAL : /^$/
  expect({ stderr, exitCode }).toEqual({ stderr: expect.stringMatching(said), exitCode: 0 })
  const pasted = (text: string) => (words.includes('--json') ? linesOf(text) : text)
  expect(pasted(posix)).toMatch(OF_POSIX)
  expect(pasted(posix)).not.toMatch(OF_POWERSHELL)
  expect(pasted(stdout)).toMatch(OF_POWERSHELL)
  expect(pasted(stdout)).not.toMatch(OF_POSIX)
})

/** The next steps of `init`, without the contents of the files. */
function linesOf(text: string): string {
  const { files: _, ...steps } = JSON.parse(text)
  return Object.values(steps).flat().join('\n')
}
