import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { checkApp } from '../../../src/cli/doctor/app-checks.ts'
import { doctorPorts, runChecks } from '../../../src/cli/doctor.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import {
  APP_ID,
  type AppPlatform,
  INSTALLED,
  PKCS1,
  startAppPlatform,
} from '../../support/github-app.ts'
import { forgeAt } from './examination.ts'
import { github } from './stand-in.ts'

let platform: AppPlatform
beforeAll(async () => {
  platform = await startAppPlatform()
})
afterEach(() => platform.reset())
afterAll(() => platform.close())

const check = (options: Partial<Parameters<typeof checkApp>[0]> = {}) =>
  checkApp({
    id: APP_ID,
    pem: PKCS1,
    repository: 'owner/repo',
    dispatch: 'repository',
    apiUrl: new URL(platform.url),
    ...options,
  })

const told = async (options?: Parameters<typeof check>[0]) =>
  (await check(options)).findings.map(({ check: name, code }) => [name, code])

test('without a fault the App is ok, and there is a token', async () => {
  const { findings, token } = await check()
  expect(findings).toMatchObject([
    { check: 'app', status: 'ok', message: expect.stringContaining('"contents: write"') },
  ])
  expect(token?.reveal()).toMatch(/^ghs_/)
})

test.each([
  ['an invalid key', { pem: 'nonsense' }, 'app_key_invalid'],
  ['the key of another App', { id: '1' }, 'app_key_rejected'],
])('%s', async (_, options, code) => {
  expect(await told(options)).toEqual([['app', code]])
})

test('a clock that is an hour off', async () => {
  platform.skew = -3_600_000
  expect(await told()).toEqual([['app', 'app_clock_skew']])
})

test('not installed: where to install it', async () => {
  const { findings } = await check({ repository: 'owner/new' })
  expect(findings.map(({ code }) => code)).toEqual(['app_not_installed'])
  expect(findings[0]?.hint).toContain('/apps/hooks/installations/new')
})

test('suspended', async () => {
  platform.installations = [{ ...INSTALLED, suspended: true }]
  expect(await told()).toEqual([['app', 'app_not_installed']])
})

test('a permission missing', async () => {
  expect(await told({ dispatch: 'workflow' })).toEqual([['app', 'app_permission_missing']])
})

test('the token of the App serves the other checks, which do not ask for its permissions', async () => {
  const other: GitHub = await startGitHub()
  other.always(github({}))
  const { findings: app, token } = await check()
  const target = { workflow: undefined, relay: undefined }
  const found = await runChecks(
    { ...target, repository: 'octo/repo', token, app },
    doctorPorts(forgeAt(other.url), token),
  )
  expect(found.map(({ check: name, status }) => [name, status])).toEqual([
    ['app', 'ok'],
    ['repository', 'ok'],
    ['workflow', 'ok'],
  ])
  await other.close()
})

test('without a token there are no other checks', async () => {
  const { findings: app } = await check({ repository: 'owner/new' })
  const target = { workflow: undefined, relay: undefined }
  const found = await runChecks(
    { ...target, repository: 'owner/new', token: undefined, app },
    doctorPorts(forgeAt(platform.url), undefined),
  )
  expect(found).toEqual(app)
})
