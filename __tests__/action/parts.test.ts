import { describe, expect, test } from '@jest/globals'
import { Minimatch } from 'minimatch'
import { callingWorkflow, fromReference, requireName } from '../../src/action/calling-workflow.ts'
import {
  DEFAULT_FILES,
  DEFAULT_GLOB,
  expressionContexts,
  onSource,
  readInputs,
} from '../../src/action/inputs.ts'
import {
  failedOutputs,
  maskedOutputs,
  sizeWarning,
  writtenOutputs,
} from '../../src/action/outputs.ts'
import { nextStep } from '../../src/action/summary.ts'
import { arrivalOf, typeAndSize } from '../../src/action/summary-tables.ts'
import { type Decision, FailedRun } from '../../src/engine/evaluation.ts'
import type { Json } from '../../src/wire/json.ts'
import { LIMITS } from '../../src/wire/limits.ts'
import { warning } from '../../src/wire/messages.ts'
import type { GitHubEvent } from '../../src/wire/payload.ts'
import { evaluationOf } from '../support/evaluations.ts'
import { problemsOf } from '../support/problems.ts'
import { fc } from '../support/properties.ts'

const inputs = (given: Record<string, string>) => readInputs((name) => given[name] ?? '')

const mistakesOf = (given: Record<string, string>) =>
  problemsOf(Promise.resolve(given).then(inputs))

describe('inputs', () => {
  test('left out', () => {
    expect(inputs({})).toEqual({
      on: '',
      workflow: ['workflows/**/*.{yml,yaml}'],
      secrets: {},
      vars: {},
      state: { kind: 'none', value: '' },
      githubToken: '',
      relayUrl: '',
      messagingApiUrl: 'https://api.telegram.org',
    })
  })

  test('spaces around inputs do not count', () => {
    const given = {
      ...{ 'github-token': ' t\n', 'relay-url': ' https://relay.example.com\n', vars: ' \n' },
      ...{ 'telegram-api-url': ' https://bot.example/ ', on: ' webhook ', state: ' none ' },
    }
    expect(inputs(given)).toEqual({
      ...{ on: ' webhook ', workflow: ['workflows/**/*.{yml,yaml}'], secrets: {}, vars: {} },
      ...{ state: { kind: 'none', value: '' }, githubToken: 't' },
      ...{ relayUrl: 'https://relay.example.com', messagingApiUrl: 'https://bot.example' },
    })
  })

  test('the default files are those of the default glob', () => {
    const glob = new Minimatch(DEFAULT_GLOB)
    const part = fc.constantFrom('workflows', '/', '.', 'a', ' ', '.yml', '.yaml', '\n', '{', 'yml')
    const path = fc.array(part, { maxLength: 6 }).map((parts) => `workflows/${parts.join('')}`)
    const property = fc.property(path, (file) => {
      fc.pre(!/\/\.{0,2}(?:\/|$)/.test(file)) // no path of a listed file
      expect([file, DEFAULT_FILES.match(file)]).toEqual([file, glob.match(file)])
    })
    fc.assert(property, { numRuns: 2_000 })
    expect(DEFAULT_FILES.match('workflows/a/b.yaml')).toBe(true)
  })

  test('globs by line, secrets and vars as JSON', () => {
    const given = { workflow: ' a.yml\n\n !b.yml \n', secrets: ' {"A":"1"} ', vars: '{"B":2}' }
    const { workflow, secrets, vars } = inputs(given)
    expect([workflow, secrets, vars]).toEqual([['a.yml', '!b.yml'], { A: '1' }, { B: 2 }])
  })

  test.each([
    ['[]', 'JSON, but not an object'],
    ['null', 'JSON, but not an object'],
    ['"x"', 'JSON, but not an object'],
    ['{', 'not JSON'],
    ['x', 'not JSON'],
  ])('secrets and vars %s', async (text, what) => {
    for (const name of ['secrets', 'vars']) {
      expect(await mistakesOf({ [name]: text })).toEqual([
        {
          message: `input "${name}" is ${what}`,
          notes: [`example: ${name}: '{"NAME": \${{ toJSON(${name}.NAME) }}}'`],
        },
      ])
    }
  })

  test('the input on is a source whose file is the calling workflow', () => {
    expect(onSource('webhook', 'f.yml')).toEqual({
      name: 'input "on"',
      text: 'webhook',
      file: 'f.yml',
    })
  })
})

test('the contexts hold no inputs, no tokens of the runner, and no files of it', () => {
  const files = {
    ...{ GITHUB_TOKEN: 'x', GITHUB_OUTPUT: 'x', GITHUB_ENV: 'x', GITHUB_PATH: 'x' },
    ...{ GITHUB_STATE: 'x', GITHUB_STEP_SUMMARY: 'x', GITHUB_EVENT_PATH: 'x' },
  }
  const seen = {
    ...{ HOME: '/h', MY_INPUT_X: '1', MY_ACTIONS_X: '2', MY_GITHUB_TOKEN: '3' },
    ...{ GITHUB_REF_NAME: 'main', GITHUB_TOKENS: '4' },
  }
  const hidden = { INPUT_SECRETS: 'x', input_x: 'x', ACTIONS_RUNTIME_TOKEN: 'x' }
  const env = { ...files, ...hidden, ...seen, GITHUB_ACTOR: undefined, NONE: undefined }
  const given = { secrets: { S: 's' }, vars: { V: 'v' } }
  const { github, env: own, ...others } = expressionContexts(env, { action: 'a' }, given)
  expect(others).toEqual(given)
  expect({ ...github }).toEqual({
    ...{ ref_name: 'main', tokens: '4', actor: '', event: { action: 'a' } },
  })
  expect({ ...own }).toEqual({ ...files, ...seen, GITHUB_ACTOR: '', NONE: '' })
})

test.each([
  ['o/r/.github/workflows/hook.yml@refs/heads/main', 'hook', '.github/workflows/hook.yml'],
  ['o/r/.github/workflows/a.b.yaml@refs/tags/v1@2', 'a.b', '.github/workflows/a.b.yaml'],
  ['octo/shop/.github/workflows/a.yml.yaml@x', 'a.yml', '.github/workflows/a.yml.yaml'],
  ['octo/shop/.github/workflows/a.ymls@x', 'a.ymls', '.github/workflows/a.ymls'],
  ['octo/shop/.github/workflows/a.yml', '', ''],
  ['/octo/shop/a.yml@x', '', ''],
  ['octo/a.yml@x', '', ''],
  ['', '', ''],
  [undefined, '', ''],
])('the calling workflow of %s', (GITHUB_WORKFLOW_REF, name, file) => {
  expect(fromReference({ GITHUB_WORKFLOW_REF })).toEqual({ name, file })
})

const path = 'hook/webhook/a'
const dispatched = { name: 'repository_dispatch', payload: payloadOf({ path }) }
const direct = {
  name: 'workflow_dispatch',
  payload: { inputs: { hookline: JSON.stringify(payloadOf({ path }).client_payload) } },
}
const polled = { name: 'schedule', payload: {} }

function payloadOf({ path }: { readonly path: string }) {
  return { action: 'webhook', client_payload: { path, method: 'POST', headers: {}, body: null } }
}

describe('where a runner sets no GITHUB_WORKFLOW_REF, the calling workflow', () => {
  const FILES = { Hook: ['hook'], Two: ['one', 'two'], 'a.yml': ['other'] }
  const filesNamed = async (name: string) => FILES[name as keyof typeof FILES] ?? []

  test.each([
    ['in direct mode is the one that the URL names', direct, 'anything', 'hook'],
    ['is that of a name that is a file', polled, '.github/workflows/a.yml', 'a'],
    ['is the one file that has the name', dispatched, 'Hook', 'hook'],
    ['is not one of two that have it', dispatched, 'Two', ''],
    ['is the name, where the URL says it', dispatched, 'hook', 'hook'],
    ['is not known where nothing says it', dispatched, 'Other', ''],
    ['is not known of a schedule either', polled, 'Other', ''],
    ['is not known of a name that begins like a file', polled, 'a.yml (2)', ''],
    ['is not known of an empty name', polled, '', ''],
    ['is not known without a name', dispatched, undefined, ''],
  ])('%s', async (_, event, GITHUB_WORKFLOW, name) => {
    const calling = await callingWorkflow({ env: { GITHUB_WORKFLOW }, event, filesNamed })
    expect(calling).toEqual({ name, file: '' })
  })

  const unnamed = { name: '', file: '' }
  test.each([
    ['a webhook', { event: dispatched, hasStore: false }],
    ['a store', { event: polled, hasStore: true }],
  ])('fails for want of its name with %s', async (_, circumstances) => {
    const failing = requireName(unnamed, circumstances)
    await expect(failing).rejects.toMatchObject({
      problems: [
        {
          message: 'GITHUB_WORKFLOW_REF is not set: this workflow cannot tell its own name',
          notes: [
            'set it in the runner: owner/name/.github/workflows/hook.yml@refs/heads/main',
            'or check out the repository first, where one file in .github/workflows has the name of GITHUB_WORKFLOW',
          ],
        },
      ],
    })
    await requireName({ name: 'hook', file: '' }, circumstances)
  })

  test('polls without a store and without a name', async () => {
    await requireName(unnamed, { event: polled, hasStore: false })
  })
})

describe('step outputs', () => {
  test('fixed names win, a missing field is null, text stays as it is', () => {
    const item = { text: 'a\n', list: [1], items: 'mine', extra: 1 }
    const fired = { outcome: 'success', conclusion: 'success', outputs: item } as const
    const fields = ['text', 'list', 'none', 'items', 'count']
    const outputs = writtenOutputs(
      evaluationOf({ items: [item], contexts: [{ t: fired }], fields }),
    )
    const items = JSON.stringify([{ t: fired }])
    expect(Object.fromEntries(outputs)).toEqual({
      ...{ text: 'a\n', list: '[1]', none: 'null' },
      ...{ items, on: JSON.stringify({ t: fired }), count: '1', triggered: 'true' },
      ...{ trigger: 't', workflow: 'w', delivery: '', 'received-at': '' },
      ...{ deliveries: '[]', failed: '[]' },
    })
  })

  const UNFIRED = {
    ...{ items: '[]', on: '{}', count: '0', triggered: 'false', trigger: '', workflow: '' },
    ...{ delivery: '', 'received-at': '', deliveries: '[]', failed: '[]' },
  }

  test.each([
    ['webhook: {method: psot}', ['headers', 'query', 'body', 'params']],
    ['slak', []],
  ])('of a failed step whose input "on" is %j', async (on, fields) => {
    const nulls = Object.fromEntries(fields.map((field) => [field, 'null']))
    expect(Object.fromEntries(await failedOutputs(on, new Error('x')))).toEqual({
      ...UNFIRED,
      ...nulls,
    })
  })

  test('of a failed step that reads files, or whose items failed', async () => {
    const report = { item: 1, step: 'format', reason: 'x' }
    const outputs = await failedOutputs(' \n', new FailedRun({ message: 'x' }, [report]))
    const { failed, body, actions, triggered } = Object.fromEntries(outputs)
    expect([failed, body, actions, triggered]).toEqual([
      ...[JSON.stringify([report]), 'null', 'null', 'false'],
    ])
  })
})

describe('outputs that hold a secret', () => {
  const found = (secret: unknown, text: string) =>
    maskedOutputs(new Map([['out', text]]), { S: secret as string }).length > 0

  test.each([
    ['hunter2', 'x hunter2 y', true],
    ['hunter2', 'x hunter3 y', false],
    ['a\nb2', 'x b2', true],
    ['a\r\nb2', 'x b2', true],
    ['"q"', JSON.stringify({ x: 'a "q" b' }), true],
    ['é/ü', `?x=${encodeURIComponent('é/ü')}`, true],
    ['hunter2', btoa('hunter2'), true],
    ['hunter2', btoa('xhunter2x'), true],
    ['hunter2', btoa('xxhunter2xx'), true],
    ['z', 'xyz', true],
    ['', 'anything', false],
    [' \n ', 'any thing', false],
    ['\ud800', 'x\ud800', true],
    [5, '5', false],
  ])('%j in %j: %s', (secret, text, expected) => {
    expect(found(secret, text)).toBe(expected)
  })

  test('are named with each secret', () => {
    const outputs = new Map([
      ['a', 'one two'],
      ['b', 'two'],
      ['c', 'three'],
    ])
    expect(maskedOutputs(outputs, { ONE: 'one', TWO: 'two', NONE: 'four' })).toEqual([
      { secret: 'ONE', names: ['a'] },
      { secret: 'TWO', names: ['a', 'b'] },
    ])
  })
})

describe('the webhook that an event carries', () => {
  const carried = (clientPayload: Json, action: Json = 'webhook') =>
    arrivalOf({ name: 'repository_dispatch', payload: { action, client_payload: clientPayload } })

  test('is told without its body', async () => {
    const headers = { 'content-type': 'text/plain', 'x-hookline-delivery': 'd' }
    expect(await carried({ path: 'a/b?c', method: 'PUT', headers, body: 'é' })).toEqual({
      ...{ path: 'a/b?c', method: 'PUT', contentType: 'text/plain', size: 2, isBatch: false },
      ...{ delivery: 'd', receivedAt: undefined },
    })
  })

  test.each<[string, Json, string | undefined, number | undefined]>([
    ['none', null, undefined, 0],
    ['an object', { a: 1 }, undefined, 7],
    ['an object, whatever encoding is named', { a: 1 }, 'base64', 7],
    ['base64', 'AAEC', 'base64', 3],
    ['text, for all that an unknown encoding is named', 'x', 'br', 1],
    ['broken', '?', 'gzip', undefined],
  ])('has the size of a body that is %s', async (_, body, encoding, size) => {
    const headers = encoding === undefined ? {} : { 'x-hookline-body-encoding': encoding }
    expect((await carried({ path: 'a/b', method: 'POST', headers, body }))?.size).toBe(size)
  })

  test.each([
    ['25000000', 25_000_000],
    ['0', undefined],
    ['x', undefined],
    [undefined, undefined],
  ])('has the length that the relay names for a stored body: %s', async (length, size) => {
    const headers = {
      'x-hookline-body-encoding': 'url',
      ...(length !== undefined && { 'x-hookline-body-length': length }),
    }
    expect((await carried({ path: 'a/b', method: 'POST', headers, body: null }))?.size).toBe(size)
  })

  test.each<[string, GitHubEvent]>([
    ['a push', { name: 'push', payload: {} }],
    ['a dispatch without a payload', { name: 'repository_dispatch', payload: null }],
    [
      'a dispatch of another type',
      {
        name: 'repository_dispatch',
        payload: { action: 'deploy', client_payload: { path: 'a/b' } },
      },
    ],
    [
      'a dispatch that the relay did not write',
      { name: 'repository_dispatch', payload: { action: 'webhook', client_payload: { path: 5 } } },
    ],
  ])('is none in %s', async (_, event) => {
    expect(await arrivalOf(event)).toBeUndefined()
  })
})

describe('the next step', () => {
  const decision = (trigger: string, option?: string, isAbsent = false): Decision => ({
    ...{ trigger, fired: false, reason: '' },
    checks: option === undefined ? [] : [{ option, held: false, found: '', isAbsent }],
  })
  const method = decision('webhook', 'method')
  const tally = { found: 1, passedOn: 0, steps: [] }

  test.each<[string, Parameters<typeof evaluationOf>[0], string]>([
    ['nothing', {}, ''],
    ['an event of GitHub', { miss: 'event' }, ''],
    ['a payload of another form', { miss: 'payload' }, 'hookline send'],
    ['another workflow', { miss: 'workflow' }, 'the path ends in <code>hook/<trigger>'],
    [
      'another trigger',
      { miss: 'trigger', decisions: [decision('slack')] },
      'Change the URL at the sender',
    ],
    ['another type', { miss: 'type' }, 'repository_dispatch: types: [webhook]'],
    ['a poll without news', { miss: 'poll' }, 'hookline dev --poll'],
    ['active: false', { miss: 'condition' }, 'config.active'],
    [
      'an error that was excused',
      { miss: 'condition', messages: [warning('failed', 'w')] },
      'hookline dev',
    ],
    [
      'an option',
      { miss: 'condition', trigger: 'webhook', decision: method, decisions: [method] },
      'change <code>method',
    ],
    ['a signature', { miss: 'condition', decisions: [decision('webhook', 'verify')] }, '--sender'],
    [
      'a bot’s secret',
      { miss: 'condition', decisions: [decision('messaging_bot', 'secretToken')] },
      'Compare the secret',
    ],
    [
      'no signature',
      { miss: 'condition', decisions: [decision('webhook', 'verify', true)] },
      'has no signature or token',
    ],
    ['a wrong one', { miss: 'condition', decisions: [decision('webhook', 'verify')] }, 'Compare'],
    [
      'a confirmation',
      { miss: 'condition', decisions: [decision('aws_sns', 'handshake')] },
      'only tried or confirmed the URL',
    ],
    [
      'config',
      { miss: 'condition', decisions: [{ ...decision('webhook'), tally }] },
      'change <code>config</code> of <code>webhook</code>',
    ],
  ])('against %s', (_, more, text) => {
    const step = nextStep(evaluationOf(more), 'hook')
    if (text === '') expect(step).toBe('')
    else expect(plain(step)).toContain(text)
  })

  test.each(['workflow', 'condition'] as const)(
    'against %s, where the runner does not tell the name of the workflow',
    (miss) => {
      const decisions = [{ ...decision('webhook'), tally }]
      const step = plain(nextStep(evaluationOf({ miss, decisions }), ''))
      expect(step).not.toMatch(/<code>\/|webhook\/\//)
      expect(step).toContain('<workflow>')
    },
  )

  /** Decodes character references, as a browser does. */
  function plain(html: string): string {
    const read = html.replaceAll('&lt;', '<').replaceAll('&gt;', '>')
    return read.replace(/&#(\d+);/g, (_, number) => String.fromCharCode(Number(number)))
  }
})

test.each<[Json, string]>([
  [null, 'nothing'],
  ['abc', 'text of 3 characters'],
  [[1, 2], 'list of 2'],
  [{ a: 1 }, 'object of 1 fields'],
  [5, 'number'],
  [true, 'boolean'],
])('%j in words, where the value is not to be read', (value, words) => {
  expect(typeAndSize(value)).toBe(words)
})

test.each([
  ['none', { kind: 'none', value: '' }],
  ['', { kind: 'none', value: '' }],
  ['file:a/b.json', { kind: 'file', value: 'a/b.json' }],
  [' file: C:/a b.json ', { kind: 'file', value: 'C:/a b.json' }],
  ['branch:hookline-state', { kind: 'branch', value: 'hookline-state' }],
])('the input state %s', (state, choice) => {
  expect(inputs({ state }).state).toEqual(choice)
})

test.each([
  'file',
  'file:',
  'branch:',
  'branch:a..b',
  'branch:-a',
  'branch:a b',
  'branch:a/.b',
  'branch:a.lock/b',
  'redis:x',
  'None',
])('the input state %s is a mistake that names the choices', async (state) => {
  expect(await mistakesOf({ state })).toEqual([
    {
      message: 'input "state" is none of: none, file:<path>, branch:<name>',
      notes: ['example: state: branch:hookline-state'],
    },
  ])
})

describe('the size of all outputs together', () => {
  const outputs = (sizes: Record<string, number>) =>
    new Map(Object.entries(sizes).map(([name, size]) => [name, 'x'.repeat(size)]))

  const LIMIT = LIMITS.jobOutputsUnits

  test.each<[Record<string, number>, string | undefined]>([
    [{ items: 400_000, on: 60_000, body: 60_000 }, undefined],
    [{ items: 450_000, on: LIMIT - 450_007 }, undefined],
    [{ items: 450_000, on: LIMIT - 450_006 }, 'on'],
    [{ items: 450_000, on: 80_000 }, 'on'],
    [{ items: 300_000, on: 200_000, body: 210_000, method: 4 }, 'body'],
    [{ items: 440_000, on: 200_000, body: 210_000, method: 4 }, 'body, on'],
    // Without the largest one, the others have just as much as GitHub allows.
    [{ items: LIMIT - 100_007, on: 100_000, body: 150_000 }, 'body'],
    [{ items: LIMIT - 100_006, on: 100_000, body: 150_000 }, 'body, on'],
  ])('%j', (sizes, names) => {
    const total = Object.entries(sizes).reduce((sum, [name, size]) => sum + name.length + size, 0)
    const told = `all outputs together have ${total} characters, and GitHub limits those of a job to ${LIMIT}: remove ${names} from the job's "outputs", because items contains their values too`
    expect(sizeWarning(outputs(sizes))).toBe(names === undefined ? undefined : told)
  })
})
