import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { generateSealingKey } from '../../src/relay/credentials/sealing-key.ts'
import { environmentHelp } from '../../src/wire/settings-help.ts'
import { runShared } from '../support/cli.ts'
import { DescribedRelay } from '../support/described-relay.ts'
import { BOT_TOKEN, TelegramStandIn } from '../support/telegram.ts'

const RELAY = ['--relay', 'https://relay.example.com']
const REPOSITORY = ['--repository', 'octo/repo']

describe('an invalid HOOKLINE_DISPATCH is wrong usage of', () => {
  test.each([
    ['relay', ['relay', '--port', '0']],
    ['doctor', ['doctor', ...REPOSITORY]],
    ['app create', ['app', 'create', ...RELAY, '--no-open']],
    ['url', ['url', 'hook']],
    ['seal', ['seal', ...RELAY, ...REPOSITORY]],
    ['grant', ['grant', ...REPOSITORY]],
    ['runs', ['runs', ...REPOSITORY]],
    ['connect', ['connect']],
  ])('%s', async (_, args) => {
    const end = await runShared(args, { env: { HOOKLINE_DISPATCH: 'Workflow' } })
    expect(end).toMatchObject({ exitCode: 2, stdout: '' })
    expect(end.stderr).toMatch(/HOOKLINE_DISPATCH: [\s\S]*workflow/)
  })
})

describe('an unknown HOOKLINE_ variable', () => {
  const MISSPELLED = { HOOKLINE_TELEGRAM_API_ULR: 'http://127.0.0.1:1' }

  test.each([
    ['keys create access', ['keys', 'create', 'access'], 0],
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
  const seal = (keys: unknown, status = 200) => {
    answer = { status, body: typeof keys === 'string' ? keys : JSON.stringify(keys) }
    const env = { HOOKLINE_GITHUB_TOKEN: `github_pat_${'a'.repeat(22)}` }
    return runShared(['seal', '--relay', relay(), ...REPOSITORY], { env })
  }

  test('every command takes the address of a relay without its scheme', async () => {
    const { publicJwk } = await generateSealingKey()
    const { exitCode, stdout, stderr } = await seal({ keys: [publicJwk] })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/^eyJ/)

    answer = { status: 200, body: '{"waiting":[],"dead":[]}' }
    const env = { HOOKLINE_ADMIN_KEY: 'a-key-of-more-than-twenty-characters' }
    const outbox = await runShared(['outbox', 'list', '--relay', relay()], { env })
    expect(outbox).toMatchObject({ exitCode: 0, stdout: '0 waiting, 0 dead\n' })

    answer = { status: 200, body: JSON.stringify({ version: '1.0.0', seal: null }) }
    const url = await runShared(['url', 'hook', '--relay', relay(), ...REPOSITORY])
    expect(url.stdout).toContain(`http://${relay()}/octo/repo/hook/webhook`)

    answer = { status: 200, body: 'ok\n' }
    const doctor = await runShared(['doctor', '--relay', relay(), ...REPOSITORY])
    expect(doctor.stdout).toContain(`http://${relay()}`)
  })

  test.each([301, 302, 401, 404, 500])(
    'no key is taken from a response with %i',
    async (status) => {
      const { publicJwk } = await generateSealingKey()
      expect(await seal({ keys: [publicJwk] }, status)).toMatchObject({
        exitCode: 1,
        stdout: '',
        stderr: expect.stringContaining(String(status)),
      })
    },
  )

  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
    format: 'jwk',
  })
  const EC = { kty: 'EC', crv: 'P-256', x, y }
  test.each([
    ['a login page', '<html>Sign in</html>'],
    ['no key', { keys: [] }],
    ['a key of another kind', { keys: [{ kty: 'RSA' }] }],
    ['a key without a part', { keys: [{ ...EC, y: undefined }] }],
    ['a broken part', { keys: [{ ...EC, y: 'AA' }] }],
    ['a point off the curve', { keys: [{ ...EC, y: x }] }],
    ['another curve', { keys: [{ ...EC, crv: 'P-384' }] }],
  ])('%s seals no token', async (_, keys) => {
    const { exitCode, stdout, stderr } = await seal(keys)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toMatch(/^error: .*key[\s\S]*\n {2}= /)
  })
})

test('a bot API on this machine is called without the proxy', async () => {
  const telegram = await new TelegramStandIn().start()
  const relay = await new DescribedRelay().start()
  const env = {
    HTTP_PROXY: 'http://127.0.0.1:1',
    HOOKLINE_TELEGRAM_API_URL: telegram.url,
    BOT_TOKEN,
  }
  const args = ['url', 'bot', '--bot', '--relay', relay.url, ...REPOSITORY]
  const { exitCode, stderr } = await runShared(args, { env })
  await telegram.stop()
  relay.stop()
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
})

test('help shows the names and descriptions of settings in two columns', () => {
  const help = environmentHelp('HOOKLINE_GITHUB_TOKEN', 'HOOKLINE_API_URL', ['X', 'y'])
  expect(help).toMatch(
    /^Environment:\n {2}HOOKLINE_GITHUB_TOKEN {2}\S.*\n {2}HOOKLINE_API_URL {7}.*\(default:\n {25}https:.*\)\n {2}X {22}y$/,
  )
})
