import { describe, expect, test } from '@jest/globals'
import { callingWorkflow, expressionContexts } from '../../src/action/contexts.ts'
import { onSource, readInputs } from '../../src/action/inputs.ts'
import { maskedOutputs } from '../../src/action/masked-outputs.ts'
import { stepOutputs } from '../../src/action/outputs.ts'
import { NOTHING } from '../../src/engine/evaluation.ts'
import { UserError } from '../../src/protocol/errors.ts'

const inputs = (given: Record<string, string>) => readInputs((name) => given[name] ?? '')

describe('inputs', () => {
  test('left out', () => {
    const { on, workflow, secrets, vars } = inputs({})
    expect({ on, workflow, secrets, vars }).toEqual({
      on: '',
      workflow: ['workflows/**/*.{yml,yaml}'],
      secrets: {},
      vars: {},
    })
  })

  test('globs by line, secrets and vars as JSON', () => {
    const given = { workflow: ' a.yml\n\n !b.yml \n', secrets: ' {"A":"1"} ', vars: '{"B":2}' }
    expect(inputs(given)).toMatchObject({
      workflow: ['a.yml', '!b.yml'],
      secrets: { A: '1' },
      vars: { B: 2 },
    })
  })

  test.each(['[]', 'null', '"x"', '{', 'x'])('secrets %s', (secrets) => {
    expect(() => inputs({ secrets })).toThrow(UserError)
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
  const env = {
    HOME: '/h',
    INPUT_SECRETS: 'x',
    input_x: 'x',
    ACTIONS_RUNTIME_TOKEN: 'x',
    GITHUB_TOKEN: 'x',
    GITHUB_OUTPUT: 'x',
    GITHUB_STEP_SUMMARY: 'x',
    GITHUB_REF_NAME: 'main',
    GITHUB_ACTOR: undefined,
  }
  const contexts = expressionContexts(env, { action: 'a' }, { secrets: { S: 's' }, vars: {} })
  expect(contexts.secrets).toEqual({ S: 's' })
  expect({ ...contexts.github }).toEqual({ ref_name: 'main', actor: '', event: { action: 'a' } })
  expect(Object.keys(contexts.env ?? {}).filter((name) => !name.startsWith('GITHUB_'))).toEqual([
    'HOME',
  ])
})

test.each([
  ['o/r/.github/workflows/hook.yml@refs/heads/main', 'hook', '.github/workflows/hook.yml'],
  ['o/r/.github/workflows/a.b.yaml@refs/tags/v1@2', 'a.b', '.github/workflows/a.b.yaml'],
  ['', '', ''],
  [undefined, '', ''],
])('the calling workflow of %s', (GITHUB_WORKFLOW_REF, name, file) => {
  expect(callingWorkflow({ GITHUB_WORKFLOW_REF })).toEqual({ name, file })
})

describe('step outputs', () => {
  const skipped = { outcome: 'skipped', conclusion: 'skipped', outputs: {} } as const

  test('fixed names win, a missing field is null, text stays as it is', () => {
    const item = { text: 'a\n', list: [1], items: 'mine', extra: 1 }
    const fired = { outcome: 'success', conclusion: 'success', outputs: item } as const
    const outputs = stepOutputs({
      ...NOTHING,
      workflow: 'w',
      trigger: 't',
      items: [item],
      contexts: [{ t: fired }],
      fields: ['text', 'list', 'none', 'items', 'count'],
    })
    const items = JSON.stringify([{ t: fired }])
    expect(Object.fromEntries(outputs)).toMatchObject({
      text: 'a\n',
      list: '[1]',
      none: 'null',
      items,
      count: '1',
      triggered: 'true',
    })
    expect(outputs.has('extra')).toBe(false)
  })

  test('R40: items of 450,000 characters, and of one more', () => {
    const frame = JSON.stringify([{ t: { ...skipped, outputs: { x: '' } } }]).length
    const contexts = (size: number) => [
      { t: { ...skipped, outputs: { x: 'x'.repeat(size - frame) } } },
    ]
    expect(stepOutputs({ ...NOTHING, contexts: contexts(450_000) }).get('items')).toHaveLength(
      450_000,
    )
    expect(() => stepOutputs({ ...NOTHING, contexts: contexts(450_001) })).toThrow(
      'the output "items" would have 450001 characters',
    )
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
})
