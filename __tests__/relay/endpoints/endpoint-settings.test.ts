import { describe, expect, test } from '@jest/globals'
import { RelayError } from '../../../src/relay/errors.ts'
import {
  ENDPOINT_NAME_FORM,
  givenSettings,
  isEndpointOwner,
  readEndpointSettings,
  type SettingsRules,
} from '../../../src/relay/store/endpoint-settings.ts'
import { destinationsOf, endpointPath, readEndpointUrl } from '../../../src/relay/webhook/url.ts'
import { LIMITS } from '../../../src/wire/limits.ts'
import { Secret } from '../../../src/wire/secret.ts'

const TOKEN = `ghp_${'a'.repeat(36)}`
const RULES: SettingsRules = {
  isAdmin: true,
  hasCredential: true,
  publicUrl: undefined,
  loadChecks: () => import('../../../src/relay/webhook/verification.ts'),
}
const PLAIN = { repository: 'Octo/shop', workflow: 'orders', trigger: 'webhook' }

const read = (given: object, rules: Partial<SettingsRules> = {}) =>
  readEndpointSettings({ ...PLAIN, ...given }, { ...RULES, ...rules })

async function refusal(given: object, rules: Partial<SettingsRules> = {}) {
  const error = await read(given, rules).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(RelayError)
  const { status, code, message, hint } = error as RelayError
  return `${status} ${code}: ${message}: ${hint}`
}

test('the smallest settings have defaults, and need no module of checks', async () => {
  const loadChecks = () => Promise.reject(new Error('not needed'))
  expect(await read({}, { loadChecks })).toEqual({
    ...{ ...PLAIN, dispatch: 'repository', respond: 'github' },
  })
})

test('all settings are read, and written as they were given', async () => {
  const given = {
    ...PLAIN,
    dispatch: 'workflow',
    ref: 'release/v1',
    targets: ['octo/a:deploy/webhook', 'OCTO/b.c:x_y-z/slack'],
    verify: [{ scheme: 'stripe', secret: 'whsec_abc' }],
    if: "body.id == '1234567890123456789'",
    ifError: 'allow',
    respond: 'stored',
    batch: 3600,
    debounce: 3599,
    expect: '2h',
    token: TOKEN,
  }
  const settings = await read(given)
  expect(settings.targets).toEqual([
    { repository: 'octo/a', workflow: 'deploy', trigger: 'webhook' },
    { repository: 'OCTO/b.c', workflow: 'x_y-z', trigger: 'slack' },
  ])
  expect(settings.token).toBeInstanceOf(Secret)
  expect(JSON.stringify(settings)).not.toContain(TOKEN)
  expect(givenSettings(settings)).toEqual(given)
  const any = await read({ workflow: null, trigger: null, anyWorkflow: true })
  expect(any.workflow).toBeUndefined()
  expect(givenSettings(any)).toMatchObject({ anyWorkflow: true })
})

const HMAC = { scheme: ['hmac'], secret: ['s'], header: 'x-signature' }

test.each([
  { ...HMAC, signedPayload: '{url}.{body}' },
  { ...HMAC, header: 'X-Signature', algorithm: 'sha512', signatureEncoding: 'base64' },
  { scheme: 'square', secret: 's' },
  { scheme: 'stripe', secret: ['s', 't'], tolerance: 1 },
  { scheme: 'token', secret: 's', field: 'data.token' },
])('the relay can verify %j', async (entry) => {
  const { verify } = await read({ verify: [entry] }, { publicUrl: 'https://relay.example' })
  expect(verify).toEqual([entry])
})

describe('a mistake is named', () => {
  const id = '1234567890123456'
  const cases: readonly [given: object, words: string][] = [
    [{ repository: undefined }, '"repository" is missing.'],
    [{ repository: null }, '"repository" is missing.'],
    [{ repository: 'shop' }, '"repository" must be owner/name.'],
    [{ repository: 'octo/..' }, '"repository" must be owner/name.'],
    [{ repository: 'octo/shop/x' }, '"repository" must be owner/name.'],
    [{ repository: ['octo/shop'] }, '"repository" must be owner/name.'],
    [{ workflow: undefined }, '"workflow" is missing.'],
    [{ workflow: 'orders.yml' }, '"workflow" must be a file name without its extension.'],
    [{ workflow: '..' }, '"workflow" must be a file name without its extension.'],
    [{ workflow: 'a/b' }, '"workflow" must be a file name without its extension.'],
    [{ trigger: null }, '"trigger" is missing.'],
    [{ trigger: 'web hook' }, '"trigger" must be the name of a trigger, such as webhook.'],
    [{ dispatch: 'both' }, '"dispatch" must be repository or workflow.'],
    [{ ref: 'main' }, '"ref" needs "dispatch": "workflow".'],
    [{ dispatch: 'workflow', ref: '' }, '"ref" must be the name of a branch or tag.'],
    [{ dispatch: 'workflow', ref: '../main' }, '"ref" must be the name of a branch or tag.'],
    [{ dispatch: 'workflow', ref: 'a b' }, '"ref" must be the name of a branch or tag.'],
    [{ dispatch: 'workflow', ref: 'a\nb' }, '"ref" must be the name of a branch or tag.'],
    [{ dispatch: 'workflow', ref: 'a..b' }, '"ref" must be the name of a branch or tag.'],
    [
      { targets: ['evil/shop:orders/webhook'] },
      'the target evil/shop:orders/webhook has another owner than the endpoint.',
    ],
    [
      { targets: ['octo/a:orders'] },
      '"targets" must be a list of at most 10 targets, such as "octo/shop:orders/webhook".',
    ],
    [
      { targets: 'octo/a:orders/webhook' },
      '"targets" must be a list of at most 10 targets, such as "octo/shop:orders/webhook".',
    ],
    [
      { targets: Array.from({ length: 11 }, (_, n) => `octo/a${n}:x/y`) },
      '"targets" must be a list of at most 10 targets, such as "octo/shop:orders/webhook".',
    ],
    [{ targets: ['octo/SHOP:orders/webhook'] }, '"targets" must name each workflow once.'],
    [{ targets: ['octo/a:x/y', 'Octo/a:x/y'] }, '"targets" must name each workflow once.'],
    [
      { anyWorkflow: true },
      '"workflow" cannot be combined with "anyWorkflow". "trigger" cannot be combined with "anyWorkflow".',
    ],
    [{ anyWorkflow: 'yes' }, '"anyWorkflow" must be true or false.'],
    [
      { workflow: null, trigger: null, anyWorkflow: true, batch: 9 },
      '"batch" cannot be combined with "anyWorkflow".',
    ],
    [{ respond: 'later' }, '"respond" must be github or stored.'],
    [{ batch: 3601 }, '"batch" must be a whole number of seconds from 1 to 3600.'],
    [{ batch: 0 }, '"batch" must be a whole number of seconds from 1 to 3600.'],
    [{ batch: 1.5 }, '"batch" must be a whole number of seconds from 1 to 3600.'],
    [{ batch: '60' }, '"batch" must be a whole number of seconds from 1 to 3600.'],
    [{ debounce: 5 }, '"debounce" needs "batch".'],
    [{ batch: 5, debounce: 5 }, '"debounce" must be less than "batch".'],
    [
      { batch: 5, debounce: -1 },
      '"debounce" must be a whole number of seconds, less than "batch".',
    ],
    [{ expect: '2 hours' }, '"expect" must be days, hours or minutes: 2d, 12h or 30m.'],
    [{ credential: 'token' }, '"token" is missing. A command takes it from HOOKLINE_GITHUB_TOKEN.'],
    [
      { credential: 'relay', token: TOKEN },
      '"token" cannot be combined with "credential": "relay".',
    ],
    [
      { token: `ghs_${'a'.repeat(36)}` },
      '"token" ends by itself. Use a personal access token (ghp_ or github_pat_).',
    ],
    [
      { token: `ghu_${'a'.repeat(36)}` },
      '"token" ends by itself. Use a personal access token (ghp_ or github_pat_).',
    ],
    [{ token: 'ghp_short' }, '"token" must be a GitHub token.'],
    [{ token: `${TOKEN}\n` }, '"token" must be a GitHub token.'],
    [{ token: 'a'.repeat(5000) }, '"token" must be a GitHub token.'],
    [{ if: '' }, '"if" is not a valid expression: it is empty.'],
    [{ if: ' \n' }, '"if" is not a valid expression: it is empty.'],
    [{ if: 'body.a ==' }, `"if" is not a valid expression: Unexpected end of expression: '=='.`],
    [{ if: 'secrets.a' }, `"if" is not a valid expression: Unrecognized named-value: 'secrets'.`],
    [
      { if: `body.id == ${id}` },
      `"if" is not a valid expression: ${id} has 16 or more digits: write it in quotes, '${id}'.`,
    ],
    [
      { if: `!(headers.x != -${id}.0 || true)` },
      `"if" is not a valid expression: -${id}.0 has 16 or more digits: write it in quotes, '-${id}.0'.`,
    ],
    [{ if: 7 }, '"if" must be an expression.'],
    [{ ifError: 'allow' }, '"ifError" needs "if".'],
    [{ if: 'true', ifError: 'drop' }, '"ifError" must be "allow".'],
    [{ verify: 'stripe' }, '"verify" is not a list of objects.'],
    [{ verify: [{ scheme: 'no-such' }] }, '"verify" names an unknown scheme: no-such.'],
    [{ verify: [{ scheme: 'stripe' }] }, '"verify" has no secret for stripe.'],
    [{ verify: [] }, '"verify" has no scheme with a secret.'],
    [
      { verify: [{ scheme: 'token', secret: 's' }] },
      '"verify": set exactly one of "header", "query" and "field": the location of the token.',
    ],
    [{ verify: [{ scheme: 'hmac', secret: 's' }] }, '"verify": the scheme hmac needs "header".'],
    [{ verify: [{ ...HMAC, header: 5 }] }, '"header" of "verify" must be a string.'],
    [{ verify: [{ ...HMAC, signedPayload: 5 }] }, '"signedPayload" of "verify" must be a string.'],
    ...['x', null, ['x']].map((field): [object, string] => [
      { verify: [{ ...HMAC, field }] },
      '"verify": the scheme hmac does not use "field".',
    ]),
    [
      { verify: [{ ...HMAC, toString: 'x' }] },
      '"verify": the scheme hmac does not use "toString".',
    ],
    [
      { verify: [{ ...HMAC, timestampHeader: ['x'] }] },
      '"timestampHeader" of "verify" must be a string.',
    ],
    [
      { verify: [{ ...HMAC, signatureEncoding: 'b32' }] },
      '"signatureEncoding" of "verify" must be one of hex, base64, base64url.',
    ],
    [
      { verify: [{ ...HMAC, algorithm: 'md5' }] },
      '"algorithm" of "verify" must be one of sha1, sha256, sha384, sha512.',
    ],
    [
      { verify: [{ ...HMAC, secretEncoding: 'hex', secret: 'zz' }] },
      '"verify": "secret" is not hex: pairs of 0-9 and a-f.',
    ],
    [
      { verify: [{ ...HMAC, secretEncoding: 'hex', secret: 'ab\n' }] },
      '"verify": "secret" contains white space or a line break: store it again without.',
    ],
    [
      { verify: [{ ...HMAC, signedPayload: 'constant' }] },
      '"verify": "signedPayload" lacks {body}, so any body would be accepted.',
    ],
    [{ verify: [{ ...HMAC, heder: 'x' }] }, '"verify": the scheme hmac does not use "heder".'],
    [
      { verify: [{ scheme: 'stripe', secret: 's', tolerance: '9' }] },
      '"tolerance" of "verify" must be a whole number of seconds.',
    ],
    [
      { verify: [{ scheme: 'basic', secret: 'hunter2' }] },
      '"verify": "secret" has no colon: it is user:password for basic.',
    ],
    [
      { verify: [{ scheme: 'github', secret: { a: 1 } }] },
      '"secret" of "verify" must be a string, or a list of strings.',
    ],
    [{ path: 'hook/webhook' }, '"path" is not a setting.'],
    [{ ['x'.repeat(50)]: 1, y: 2 }, `"${'x'.repeat(40)}" is not a setting. "y" is not a setting.`],
    [JSON.parse('{"__proto__":{"token":"x"}}'), '"__proto__" is not a setting.'],
    [{ targets: [], batch: '1' }, '"batch" must be a whole number of seconds from 1 to 3600.'],
    [
      { verify: [{ scheme: ['stripe', 'no-such'], secret: 's' }, { scheme: 'neither' }] },
      '"verify" names an unknown scheme: no-such.',
    ],
    [
      { verify: [{ scheme: 'aws-sns' }] },
      '"verify" names aws-sns, which needs a certificate that the relay does not download.',
    ],
    [{ verify: { scheme: 'stripe' } }, '"verify" is not a list of objects.'],
    [{ verify: [{ scheme: 'stripe', secret: 's' }, 'x'] }, '"verify" is not a list of objects.'],
    [{ verify: [{ scheme: 'stripe', secret: '' }] }, '"verify" has no scheme with a secret.'],
    [{ verify: [{ secret: 's' }] }, '"verify" has no scheme with a secret.'],
    [
      { verify: [{ scheme: 'stripe', secret: 's' }, { scheme: 'slack' }] },
      '"verify" has no secret for slack.',
    ],
    [
      { verify: [{ scheme: 'github', secret: ['s', 7] }] },
      '"secret" of "verify" must be a string, or a list of strings.',
    ],
    [
      { verify: [{ scheme: 'token', secret: 's', field: 'a..b' }] },
      `"field" of "verify" is not a path from "..b" on; write a key with dots as a['b.c'].`,
    ],
    [
      { verify: [{ scheme: 'square', secret: 's' }] },
      'square signs the URL, so the relay needs HOOKLINE_PUBLIC_URL.',
    ],
    [
      { verify: [{ ...HMAC, signedPayload: '{url}.{body}' }] },
      'hmac signs the URL, so the relay needs HOOKLINE_PUBLIC_URL.',
    ],
    ...[0, -1, 1.5, null].map((tolerance): [object, string] => [
      { verify: [{ scheme: 'stripe', secret: 's', tolerance }] },
      '"tolerance" of "verify" must be a whole number of seconds.',
    ]),
    [
      { verify: [{ ...HMAC, secretEncoding: 'utf8' }] },
      '"secretEncoding" of "verify" must be one of text, base64, hex.',
    ],
    [
      { verify: [{ ...HMAC, timestampHeader: 'x-time', timestampFormat: 'us' }] },
      '"timestampFormat" of "verify" must be one of seconds, milliseconds, rfc3339.',
    ],
  ]
  test.each(cases)('%j', async (given, hint) => {
    expect(await refusal(given)).toBe(
      `400 invalid_endpoint: the settings of the endpoint are invalid: ${hint}`,
    )
  })

  test('all of them in one response, and no token in it', async () => {
    const given = {
      ...{ repository: null, workflow: null, trigger: 7, dispatch: 'both', ref: 'x', a: 1 },
      ...{ targets: ['octo/a'], respond: 'later', batch: 0, debounce: 5, expect: 'x' },
      ...{ ifError: 'allow', credential: 'x', token: `ghs_${'s3cret'.repeat(8)}` },
    }
    expect((await refusal(given)).split('invalid: ')[1]?.split(/(?<=\.) /)).toEqual([
      '"a" is not a setting.',
      '"repository" is missing.',
      '"trigger" must be the name of a trigger, such as webhook.',
      '"dispatch" must be repository or workflow.',
      '"targets" must be a list of at most 10 targets, such as "octo/shop:orders/webhook".',
      '"respond" must be github or stored.',
      '"batch" must be a whole number of seconds from 1 to 3600.',
      '"expect" must be days, hours or minutes: 2d, 12h or 30m.',
      '"credential" must be relay or token.',
      '"workflow" is missing.',
      '"ref" needs "dispatch": "workflow".',
      '"ifError" needs "if".',
      '"debounce" needs "batch".',
      '"token" ends by itself.',
      'Use a personal access token (ghp_ or github_pat_).',
    ])
    const any = { anyWorkflow: true, targets: ['octo/a:x/y'], batch: 5 }
    expect((await refusal(any)).split('invalid: ')[1]?.split(/(?<=\.) /)).toEqual(
      ['workflow', 'trigger', 'targets', 'batch'].map(
        (name) => `"${name}" cannot be combined with "anyWorkflow".`,
      ),
    )
    const verify = [{ scheme: 'basic', secret: 's3cret' }]
    expect(await refusal({ verify })).not.toContain('s3cret')
  })

  test('but not for a position in a list as a number', async () => {
    const places = { signatureField: 2, timestampField: 1, signedPayload: '{timestamp}.{body}' }
    const verify = [{ ...HMAC, ...places, separator: ',' }]
    expect((await read({ verify })).verify).toMatchObject([{ signatureField: 2 }])
  })

  test('but not for 15 digits, digits in quotes, or an exact power of ten', async () => {
    const conditions = ['body.id == 123456789012345', `body.id == '${id}'`, 'body.id < 1e20']
    for (const condition of conditions) expect((await read({ if: condition })).if).toBe(condition)
  })
})

describe('the bounds of a setting', () => {
  const workflow = { dispatch: 'workflow' }
  test.each<[name: string, valid: readonly object[], invalid: readonly object[]]>([
    [
      'token',
      [TOKEN.slice(0, 20), `ghp_ghs_${'a'.repeat(36)}`, 'a'.repeat(LIMITS.tokenLength)].map(
        (token) => ({ token, credential: 'token' }),
      ),
      [TOKEN.slice(0, 19), 'a'.repeat(LIMITS.tokenLength + 1)].map((token) => ({ token })),
    ],
    [
      'ref',
      ['m', 'ü', '@', 'a@b', 'a.b', 'a/b.c', 'v1-2', 'a'.repeat(255)].map((ref) => ({
        ...workflow,
        ref,
      })),
      ['-a', '/a', '.a', 'a/', 'a.', 'a//b', 'a..b', 'a@{b', 'a'.repeat(256)]
        .concat([...' ~^:?*[\\\u0001\u0085\u2028'].map((char) => `a${char}b`))
        .map((ref) => ({ ...workflow, ref })),
    ],
    [
      'workflow',
      ['a', 'orders.yml.x', 'yml', 'x-yaml'].map((name) => ({ workflow: name })),
      ['a.yml', 'a.YAML', 'a.yaml', '.yml', ''].map((name) => ({ workflow: name })),
    ],
    [
      'trigger',
      ['a', '_1', 'a'.repeat(100)].map((trigger) => ({ trigger })),
      ['', 'a'.repeat(101), 'a.b', 'a-b', ' a', 'a '].map((trigger) => ({ trigger })),
    ],
    [
      'batch',
      [{ batch: 1 }, { batch: 3600, debounce: 1 }, { batch: null, debounce: null }],
      [{ batch: -1 }, { batch: Number.NaN }],
    ],
    [
      'targets',
      [
        { targets: [] },
        { targets: Array.from({ length: 10 }, (_, n) => `octo/a${n}:x/y`) },
        { targets: ['octo/shop:orders/slack', 'octo/shop:other/webhook'] },
      ],
      [
        { targets: ['octo:orders/webhook'] },
        { targets: ['octo/a:orders.yml/webhook'] },
        { targets: ['octo/a:orders/web hook'] },
        { targets: ['octo/a:orders/webhook', 7] },
        { targets: {} },
      ],
    ],
  ])('%s', async (name, valid, invalid) => {
    for (const given of valid) {
      // `null` is an absent setting.
      expect(await read(given)).toMatchObject({ repository: 'Octo/shop' })
    }
    for (const given of invalid) {
      expect([given, await refusal(given)]).toEqual([
        given,
        expect.stringContaining(`invalid: "${name}" must be `),
      ])
    }
  })
})

test.each([
  [{ targets: ['octo/a:x/y'], token: TOKEN }, 'the setting "targets"'],
  [{ workflow: null, trigger: null, anyWorkflow: true, token: TOKEN }, 'the setting "anyWorkflow"'],
  [{}, "the relay's own GitHub credential"],
  [{ credential: 'relay' }, "the relay's own GitHub credential"],
])('%j needs the relay key', async (given, what) => {
  expect(await refusal(given, { isAdmin: false })).toBe(
    `403 not_allowed: ${what} needs the relay key: Run the command on the relay's machine, or set HOOKLINE_RELAY_KEY.`,
  )
})

test('a caller without the relay key gives a token', async () => {
  for (const hasCredential of [true, false]) {
    const { token } = await read({ token: TOKEN }, { isAdmin: false, hasCredential })
    expect(token?.reveal()).toBe(TOKEN)
  }
})

test('a relay without a credential of its own needs a token', async () => {
  for (const given of [{}, { credential: 'relay' }]) {
    expect(await refusal(given, { hasCredential: false })).toMatch(/^400 credential_required: /)
  }
  expect((await read({ token: TOKEN }, { hasCredential: false })).token?.reveal()).toBe(TOKEN)
})

describe('the URL of an endpoint', () => {
  const ID = 'A-_4567890123456789012'
  const endpoint = async (given: object = {}) => ({
    ...(await read(given)),
    owner: 'octo',
    name: 'orders',
    id: new Secret(ID),
    created: 0,
  })

  test.each([
    [`/-/octo/${ID}`, { owner: 'octo', id: ID, rest: '' }],
    [`//-/octo/${ID}`, { rest: '' }],
    [`https://evil.example/-/octo/${ID}/a`, { owner: 'octo', rest: '/a' }],
    [`/-/octo/${ID}//a%2Fb/?x=1&__response_code=201`, { rest: '//a%2Fb/?x=1' }],
    [`/-/octo/${ID}?x`, { rest: '?x' }],
    [`/-/OCTO/${ID}`, { owner: 'OCTO' }],
    [`/-/octo/${ID}x`, undefined],
    [`/-/octo/${ID.slice(1)}`, undefined],
    [`/-/octo/bodies/${ID}`, undefined],
    [`/-/${ID}`, undefined],
    [`/-admin/octo/${ID}`, undefined],
    [`/octo/shop/-/octo/${ID}`, undefined],
  ])('%s', (target, url) => {
    if (url === undefined) expect(readEndpointUrl(target)).toBeUndefined()
    else expect(readEndpointUrl(target)).toMatchObject(url)
  })

  test.each(['/..', '/./x', '/%2e%2E/o', '/a%2f..%2fb', '/..%5cx', '/.%2e', '/a/%2e', '/..?x'])(
    'the rest %s is refused',
    (rest) => {
      expect(() => readEndpointUrl(`/-/octo/${ID}${rest}`)).toThrow(
        expect.objectContaining({
          ...{ code: 'invalid_path', message: 'the path contains "." or ".." segments' },
          hint: 'Remove them: the path after an endpoint is added to the path of its trigger.',
        }),
      )
    },
  )

  test('the rest follows the path of the workflow, and of each target', async () => {
    const single = await endpoint()
    expect(endpointPath(single)).toBe(`/-/octo/${ID}`)
    expect(destinationsOf(single, { rest: '/7?x=1' })).toEqual([
      { repository: { owner: 'Octo', name: 'shop' }, path: 'orders/webhook/7?x=1' },
    ])
    const several = await endpoint({ targets: ['octo/a:x/y'] })
    expect(destinationsOf(several, { rest: '' })).toEqual([
      { repository: { owner: 'Octo', name: 'shop' }, path: 'orders/webhook' },
      { repository: { owner: 'octo', name: 'a' }, path: 'x/y' },
    ])
  })

  test('with anyWorkflow, the rest names workflow and trigger', async () => {
    const any = await endpoint({ workflow: null, trigger: null, anyWorkflow: true })
    for (const rest of ['/deploy/webhook/1?a', '///deploy/webhook/1?a']) {
      expect(destinationsOf(any, { rest })).toEqual([
        { repository: { owner: 'Octo', name: 'shop' }, path: 'deploy/webhook/1?a' },
      ])
    }
    for (const rest of [
      '',
      '/',
      '/deploy',
      '/deploy/',
      '?x=/a',
      '/deploy.yml/webhook',
      '/.github/x',
    ]) {
      expect(() => destinationsOf(any, { rest })).toThrow('no workflow and trigger')
    }
  })
})

test.each([
  ['octo', true],
  ['octo-9', true],
  ['Octo', false],
  ['-octo', false],
  ['..', false],
  ['', false],
])('an endpoint has the owner %j: %p', (owner, isOne) => {
  expect(isEndpointOwner(owner)).toBe(isOne)
})

test.each([
  ['a', true],
  ['9', true],
  ['a.b_c-9', true],
  ['a'.repeat(63), true],
  ['a'.repeat(64), false],
  ['', false],
  ['A', false],
  ['aB', false],
  ['.a', false],
  ['_a', false],
  ['-a', false],
  ['a b', false],
  ['a\n', false],
  ['ä', false],
])('an endpoint has the name %j: %p', (name, isOne) => {
  expect(ENDPOINT_NAME_FORM.test(name)).toBe(isOne)
})
