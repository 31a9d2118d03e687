import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { environmentHelp } from '../../src/wire/settings-help.ts'
import { runShared } from '../support/cli.ts'

const REPOSITORY = ['--repository', 'octo/repo']

describe('an unknown HOOKLINE_ variable', () => {
  const MISSPELLED = { HOOKLINE_TELEGRAM_API_ULR: 'http://127.0.0.1:1' }

  test.each([
    ['send --list', ['send', '--list'], 0],
    ['check', ['check', 'nowhere/*.yml'], 1],
  ])('gets one warning with the nearest name from %s, which goes on', async (_, args, code) => {
    const end = await runShared(args, { env: MISSPELLED })
    expect(end.exitCode).toBe(code)
    const warnings = end.stderr.match(/warning: .*HOOKLINE_TELEGRAM_API_ULR/g)
    expect(warnings).toHaveLength(1)
    expect(end.stderr).toContain('did you mean "HOOKLINE_TELEGRAM_API_URL"')
    expect(end.stdout).not.toContain('API_ULR')
  })

  test('gets none from help and version', async () => {
    for (const args of [['--version'], ['check', '--help']])
      expect((await runShared(args, { env: MISSPELLED })).stderr).toBe('')
  })
})

describe('with a server on this machine', () => {
  let server: Server
  let answer: { status: number; body: string; location?: string }

  beforeAll(async () => {
    server = createServer((_, response) => {
      const { status, body, location } = answer
      response.writeHead(status, location === undefined ? {} : { location }).end(body)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(() => void server.close())

  const relay = () => `localhost:${(server.address() as AddressInfo).port}`
  test('every command takes the address of a relay without its scheme', async () => {
    answer = { status: 200, body: '{"deliveries":[],"endpoints":[],"next":null}' }
    const env = { HOOKLINE_RELAY_KEY: 'A'.repeat(43) }
    for (const command of ['deliveries', 'endpoint']) {
      const listed = await runShared([command, 'list', '--relay', relay()], { env })
      expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^no /) })
    }

    answer = { status: 200, body: 'ok\n' }
    const doctor = await runShared(['doctor', '--relay', relay(), ...REPOSITORY])
    expect(doctor.stdout).toContain(`http://${relay()}`)
  })
})

test('help shows the names and descriptions of settings in two columns', () => {
  const help = environmentHelp('HOOKLINE_GITHUB_TOKEN', 'HOOKLINE_API_URL', ['X', 'y'])
  expect(help).toMatch(
    /^Environment:\n {2}HOOKLINE_GITHUB_TOKEN {2}\S.*\n {2}HOOKLINE_API_URL {7}.*\(default:\n {25}https:.*\)\n {2}X {22}y$/,
  )
})
