import { expect, test } from '@jest/globals'
import { runShared } from '../support/cli.ts'

const POWERSHELL = { PSModulePath: '/opt/microsoft/powershell/7/Modules' }
const RELAY = ['--relay', 'https://relay.example.com', '--repository', 'octo/repo']

/** What only one of the two shells understands. */
const OF_POSIX =
  /\bcurl\b|\bread -rs\b|\bexport \w|\benv -u\b|<<JSON|\$(?:HOOKLINE|BOT)_|\$\(|^\s*[A-Z_]+=/m
const OF_POWERSHELL = /Invoke-RestMethod|\$env:|Read-Host|Add-Content/

test.each([
  ['url', 'hook', ...RELAY],
  ['url', 'hook'],
  ['url', 'bot', '--bot', ...RELAY],
  ['init', '--dry-run', '--yes', '--json', ...RELAY],
  ['init', '--dry-run', '--yes', '--json', '--sender', 'stripe'],
  ['init', '--dry-run', '--yes', '--json', '--sender', 'discord'],
  ['init', '--dry-run', '--yes', '--json', '--kind', 'bot'],
  ['init', '--dry-run', '--yes', '--json', '--dispatch', 'workflow'],
])('%s %s %s %s %s %s: prints commands for the shell that it runs in', async (...args) => {
  const words = args.filter((word) => word !== undefined)
  const { stdout: posix } = await runShared(words, { env: { SHELL: '/bin/bash' } })
  const { stdout, stderr, exitCode } = await runShared(words, { env: POWERSHELL })
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  const pasted = (text: string) => (words.includes('--json') ? linesOf(text) : text)
  expect(pasted(posix)).toMatch(OF_POSIX)
  expect(pasted(posix)).not.toMatch(OF_POWERSHELL)
  expect(pasted(stdout)).toMatch(OF_POWERSHELL)
  expect(pasted(stdout)).not.toMatch(OF_POSIX)
})

/** What `init` says to do next, without the files that it would write. */
function linesOf(text: string): string {
  const { files: _, ...steps } = JSON.parse(text)
  return Object.values(steps).flat().join('\n')
}
