import { expect, test } from '@jest/globals'
import { RunningCommand, runShared } from '../support/cli.ts'

test('warns of a proxy and of http in the environment', async () => {
  const env = {
    HOOKLINE_API_URL: 'http://github.example.com/api/v3',
    HTTPS_PROXY: 'http://127.0.0.1:1',
  }
  const command = new RunningCommand(['relay', '--stateless', '--port', '0'], { env })
  try {
    await command.printed(/listening on/)
    expect(command.stderr).toMatch(/^warning: .*proxy/m)
    expect(command.stderr).toMatch(/^warning: tokens travel to github.example.com over http/m)
  } finally {
    await command.stop()
  }
})

test('a misspelled subcommand is suggested', async () => {
  const { exitCode, stderr } = await runShared(['relay', 'rotatekey'])
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('did you mean "rotate-key"?')])
})
