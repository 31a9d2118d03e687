import { describe, expect, test } from '@jest/globals'
import {
  credentialKind,
  githubOf,
  readRelayConfig,
  readStorageSettings,
  sharedGitHub,
  statelessRelay,
} from '../../src/relay/config.ts'
import { FIGURES, longestUpload } from '../../src/relay/figures.ts'
import { PACK } from '../../src/relay/github/payload.ts'
import { UsageError, UserError } from '../../src/wire/errors.ts'
import { APP_ID, PKCS1 } from '../support/github-app.ts'
import { TOKEN } from '../support/scene.ts'

const APP = { HOOKLINE_APP_ID: APP_ID, HOOKLINE_APP_KEY: PKCS1 }

/** The config of an environment, with its token and its App as text. */
async function configOf(env: Readonly<Record<string, string>>) {
  const config = await readRelayConfig(env)
  const { version: _, apiUrl, githubCredential: own, ...others } = config
  const credential = own && ('token' in own ? own.token.reveal() : own.app.id)
  return { ...others, apiUrl: apiUrl.href, credential, kind: credentialKind(config) }
}

const PLAIN = {
  apiUrl: 'https://api.github.com/',
  figures: FIGURES,
  dispatch: 'repository',
  forge: undefined,
  allowsTokens: false,
  credential: undefined,
  kind: 'none',
  repository: undefined,
  publicUrl: undefined,
}

test.each<[Readonly<Record<string, string>>, object]>([
  [{}, {}],
  [{ HOOKLINE_FORGE: 'github' }, { forge: 'github' }],
  [{ HOOKLINE_FORGE: 'forgejo' }, { forge: 'forgejo', dispatch: 'workflow' }],
  [{ HOOKLINE_FORGE: 'gitea' }, { forge: 'gitea', dispatch: 'workflow' }],
  [{ HOOKLINE_ALLOW_TOKENS: 'true' }, { allowsTokens: true }],
  [{ HOOKLINE_ALLOW_TOKENS: 'false' }, {}],
  [{ HOOKLINE_GITHUB_TOKEN: TOKEN }, { credential: TOKEN, kind: 'token' }],
  [APP, { credential: APP_ID, kind: 'app' }],
  [{ HOOKLINE_REPOSITORY: 'Octo/shop' }, { repository: { owner: 'Octo', name: 'shop' } }],
  [{ HOOKLINE_PUBLIC_URL: 'https://hooks.example' }, { publicUrl: 'https://hooks.example/' }],
  [{ HOOKLINE_API_URL: 'https://git.example/api/v1' }, { apiUrl: 'https://git.example/api/v1' }],
])('the config of %j', async (env, changes) => {
  expect(await configOf(env)).toEqual({ ...PLAIN, ...changes })
})

const HOUR = 3_600_000
const MB = 1024 * 1024
const WITH_DEFAULTS = {
  limits: { events: 100_000, bytes: 1024 * MB, ownerShare: 1 / 8, retention: 7 * 24 * HOUR },
  age: 72 * HOUR,
  responseTime: 2500,
  mostBodyBytes: 25 * MB,
  notify: undefined,
}

const SECRET = `whsec_${Buffer.from('x'.repeat(32)).toString('base64')}`
const NOTIFY = {
  HOOKLINE_NOTIFY_URL: 'https://notify.example/x',
  HOOKLINE_NOTIFY_SECRET: SECRET,
}

describe('the storage settings', () => {
  test.each([
    [{}, false, {}],
    [
      { HOOKLINE_MAX_STORAGE_MB: '300', HOOKLINE_RETENTION_DAYS: '0' },
      false,
      { limits: { ...WITH_DEFAULTS.limits, bytes: 300 * MB, retention: 0 } },
    ],
    [
      { HOOKLINE_MAX_AGE_HOURS: '2', HOOKLINE_MAX_BODY_MB: '3' },
      false,
      { age: 2 * HOUR, mostBodyBytes: 3 * MB },
    ],
    [{}, true, { limits: { ...WITH_DEFAULTS.limits, bytes: 256 * MB, ownerShare: 1 } }],
    [
      { HOOKLINE_MAX_STORAGE_MB: '300' },
      true,
      { limits: { ...WITH_DEFAULTS.limits, bytes: 300 * MB, ownerShare: 1 } },
    ],
  ])('of %j, on Workers %p', (env, isOnWorkers, changes) => {
    const settings = readStorageSettings(env, FIGURES, isOnWorkers)
    expect(settings).toEqual({ ...WITH_DEFAULTS, ...changes })
    if (!isOnWorkers) expect(readStorageSettings(env, FIGURES)).toEqual(settings)
  })

  test.each([
    [NOTIFY, false],
    [{ ...NOTIFY, HOOKLINE_NOTIFY: 'all' }, true],
  ])('have the notifications of %j', (env, all) => {
    const { notify } = readStorageSettings(env, FIGURES)
    expect([notify?.url.href, notify?.secret.reveal(), notify?.all]).toEqual([
      ...['https://notify.example/x', SECRET],
      all,
    ])
  })
})

/** The message and the hint of an error. */
function problemOf(error: unknown) {
  const [{ message, hint } = { message: String(error) }] =
    error instanceof UserError ? error.problems : []
  return { isUsage: error instanceof UsageError, message, hint }
}

describe('incomplete settings', () => {
  const BOTH = 'Set both: the id of the App, and the private key from its settings page.'
  test.each<[Readonly<Record<string, string>>, string, string, boolean]>([
    [
      { ...APP, HOOKLINE_GITHUB_TOKEN: TOKEN },
      'HOOKLINE_GITHUB_TOKEN cannot be combined with HOOKLINE_APP_ID',
      'Unset one of them. A GitHub App needs no token.',
      true,
    ],
    [
      { HOOKLINE_APP_ID: '1', HOOKLINE_GITHUB_TOKEN: TOKEN },
      'HOOKLINE_GITHUB_TOKEN cannot be combined with HOOKLINE_APP_ID',
      'Unset one of them. A GitHub App needs no token.',
      true,
    ],
    [{ HOOKLINE_APP_ID: '1' }, 'HOOKLINE_APP_KEY is missing', BOTH, false],
    [{ HOOKLINE_APP_KEY: PKCS1 }, 'HOOKLINE_APP_ID is missing', BOTH, false],
    [
      { ...APP, HOOKLINE_APP_KEY: 'x' },
      'HOOKLINE_APP_KEY is not a private key',
      'Set it to the content of the .pem file from the settings page of the App, from -----BEGIN to END-----.',
      false,
    ],
  ])('%#', async (env, message, hint, isUsage) => {
    const error = await readRelayConfig(env).catch((thrown: unknown) => thrown)
    expect(problemOf(error)).toEqual({ isUsage, message, hint })
    const hasCause = message.endsWith('not a private key')
    expect((error as Error).cause).toEqual(
      hasCause ? new TypeError('not a private key in PEM') : undefined,
    )
  })

  test.each([
    ['HOOKLINE_NOTIFY_URL', 'HOOKLINE_NOTIFY_SECRET'],
    ['HOOKLINE_NOTIFY_SECRET', 'HOOKLINE_NOTIFY_URL'],
  ] as const)('%s without %s', (given, missing) => {
    let error: unknown
    try {
      readStorageSettings({ [given]: NOTIFY[given] }, FIGURES)
    } catch (thrown) {
      error = thrown
    }
    expect(problemOf(error)).toEqual({
      isUsage: false,
      message: `${missing} is missing`,
      hint: 'Set both. Create a secret: echo "whsec_$(openssl rand -base64 32)"',
    })
  })
})

test('the parts of a stateless relay follow its config', async () => {
  const config = await readRelayConfig({ HOOKLINE_REPOSITORY: 'o/r', HOOKLINE_FORGE: 'gitea' })
  const lines: string[] = []
  const call = () => Promise.reject(new Error('unused'))
  const relay = statelessRelay(config, sharedGitHub(config, call), (line) => lines.push(line), {
    packers: [PACK],
    loadChecks: () => import('../../src/relay/webhook/verification.ts'),
    isStateless: true,
  })
  expect([...relay.pages.keys()]).toEqual(['/', '/healthz', '/.well-known/hookline'])
  expect(relay).toMatchObject({
    ...{ store: undefined, repository: { owner: 'o', name: 'r' }, dispatchMode: 'workflow' },
    packers: [PACK],
  })
  await relay.pause()
  expect(relay.newDelivery()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4/)
  relay.report(new TypeError('broken'))
  expect(lines).toEqual([expect.stringMatching(/^\{"error":\{"name":"TypeError",/)])
  const github = githubOf(config, call)
  expect(github).toMatchObject({ budget: 8000, forge: 'gitea', version: config.version })
  expect([github.call, github.apiUrl]).toEqual([call, config.apiUrl])
})

test.each([
  [0, 15_000],
  [64 * 1024, 16_000],
  [64 * 1024 * 100, 115_000],
])('a body of %i bytes may take %i ms', (bytes, time) => {
  expect(longestUpload(bytes)).toBe(time)
})
