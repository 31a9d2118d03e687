import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  greet,
  greetWithCondition,
  inEnv,
  inMatrix,
  oneJob,
  workflow,
} from '../../src/check/rules/example-workflows.ts'
import { RULES } from '../../src/check/rules.ts'
import { Checked } from './support/checked.ts'

let checked: Checked
beforeAll(() => {
  checked = new Checked()
})
afterAll(() => checked.remove())

const BODY = 'fromJSON(needs.on.outputs.body)'
/** A sender's input in an input of an action. */
const given = (uses: string, input: string, value = `\${{ ${BODY}.x }}`) =>
  greet(`- uses: ${uses}\n  with: {${input}: "${value}"}`)
const jobCondition = (condition: string) =>
  workflow('').replace('    runs-on', `    if: ${condition}\n    runs-on`)

const LATER = oneJob('').replace(
  '      - uses: hookline',
  '      - env: {NAME: "${{ steps.hookline.outputs.count }}"}\n        run: echo\n      - uses: hookline',
)
const dispatched = (input: string) =>
  inEnv(`NAME: \${{ fromJSON(${input} || '{}').path }}`).replace(
    'on:\n',
    'on:\n  workflow_dispatch:\n    inputs:\n      hookline: {type: string}\n',
  )

/** Common mistakes, and the rule that must report each; one finding is enough. */
const SLIPS: readonly (readonly [slip: string, text: string, id: string])[] = [
  // names
  ['an output misspelled', inEnv('NAME: ${{ needs.on.outputs.boody }}'), 'unknown-output'],
  ['outputs in the singular', inEnv('NAME: ${{ needs.on.output.body }}'), 'unknown-output'],
  ['outputs left out', inEnv('NAME: ${{ needs.on.body }}'), 'unknown-output'],
  ['a job misspelled', inEnv('NAME: ${{ needs.onn.outputs.body }}'), 'unknown-need'],
  ['the step of another job', inEnv('NAME: ${{ steps.hookline.outputs.body }}'), 'unknown-step'],
  ['a step behind this one', LATER, 'unknown-step'],
  [
    'a key of the matrix',
    inMatrix('NAME: ${{ matrix.onn.webhook.outcome }}'),
    'unknown-matrix-key',
  ],
  ['the input misspelled', dispatched('inputs.hooklin'), 'unknown-input'],
  ['the input of the event misspelled', dispatched('inputs.hook-line'), 'unknown-input'],
  [
    'the step in the condition of a job',
    greetWithCondition("if: steps.hookline.outputs.triggered == 'true'"),
    'unknown-context',
  ],
  [
    'the event of a source in a condition',
    greetWithCondition("if: on.webhook.outcome == 'success'"),
    'unknown-context',
  ],
  // types of values
  [
    'a field of the body',
    inEnv('NAME: ${{ needs.on.outputs.body.user.name }}'),
    'string-as-object',
  ],
  ['an index into a text', inEnv("NAME: ${{ needs.on.outputs.body['user'] }}"), 'string-as-object'],
  ['all outputs as text', inEnv('NAME: ${{ needs.on.outputs }}'), 'object-as-string'],
  [
    'an output and true',
    greetWithCondition('if: needs.on.outputs.triggered == true'),
    'string-as-boolean',
  ],
  [
    'true and an output',
    greetWithCondition('if: true == needs.on.outputs.triggered'),
    'string-as-boolean',
  ],
  // conditions
  ['triggered alone', greetWithCondition('if: needs.on.outputs.triggered'), 'always-true'],
  ['not triggered', greetWithCondition('if: ${{ !needs.on.outputs.triggered }}'), 'always-true'],
  [
    'triggered and more',
    greetWithCondition("if: needs.on.outputs.triggered && vars.A == 'b'"),
    'always-true',
  ],
  [
    'a comparison behind the braces',
    greetWithCondition("if: ${{ needs.on.outputs.triggered }} == 'true'"),
    'always-true',
  ],
  [
    'a negation before the braces',
    greetWithCondition("if: '! ${{ needs.on.outputs.triggered }}'"),
    'always-true',
  ],
  [
    'two pairs of braces',
    greetWithCondition('if: ${{ needs.on.outputs.triggered }} && ${{ needs.on.outputs.body }}'),
    'always-true',
  ],
  [
    'a block with a line break',
    greetWithCondition("if: |\n      ${{ needs.on.outputs.triggered == 'true' }}"),
    'always-true',
  ],
  [
    'one side of a choice',
    greetWithCondition("if: needs.on.outputs.triggered == 'true' || 'c'"),
    'always-true',
  ],
  ['on a step', greet("- if: ${{ needs.on.outputs.body }} == 'alice'\n  run: echo"), 'always-true'],
  // job conditions
  [
    'another workflow',
    jobCondition("startsWith(github.event.client_payload.path, 'order/webhook')"),
    'unreachable-webhook',
  ],
  [
    'a slash before it',
    jobCondition("startsWith(github.event.client_payload.path, '/hook/webhook')"),
    'unreachable-webhook',
  ],
  [
    'the file alone',
    jobCondition("github.event.client_payload.path == 'hook'"),
    'unreachable-webhook',
  ],
  ['another event', jobCondition("github.event_name == 'push'"), 'unreachable-webhook'],
  ['another type', workflow('').replace('[webhook]', '[webhooks]'), 'unreachable-webhook'],
  // names of actions
  ['an input of the action', workflow('').replace('on: |', 'trigger: |'), 'action-input'],
  [
    'a trigger as an event',
    'on: webhook\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: echo}]}}\n',
    'misplaced-trigger',
  ],
  // input that decides something
  ['a body in a script', greet(`- run: echo "\${{ ${BODY}.x }}"`), 'script-injection'],
  ['a prompt', given('anthropics/claude-code-action@v1', 'prompt'), 'untrusted-prompt'],
  ['a prompt of codex', given('openai/codex-action@v1', 'prompt'), 'untrusted-prompt'],
  [
    'a prompt of gemini',
    given('google-github-actions/run-gemini-cli@v0', 'prompt'),
    'untrusted-prompt',
  ],
  ['a prompt of ai-inference', given('actions/ai-inference@v1', 'prompt'), 'untrusted-prompt'],
  [
    'a token in clear',
    workflow('', 'messaging_bot: {token: "123456789:AAabcdefghijklmnopqrstuvwxyz0123456"}').replace(
      / +body: .*\n/,
      '',
    ),
    'hardcoded-secret',
  ],
]

describe('of a slip is told, and it fails the check under --strict:', () => {
  test.each(SLIPS)('%s', async (_, text, id) => {
    const rule = RULES.find((one) => one.id === id)
    const told = await checked.found(text)
    expect(told.map((one) => one.split(' ', 2).join(' '))).toContain(
      `${rule?.level === 'error' ? 'error' : 'warning'} ${id}`,
    )
    expect([...new Set(told.map((one) => one.split(' ')[1]))]).toEqual([id])
    const strict = await checked.found(text, true)
    expect(strict.map((one) => one.split(' ', 2).join(' '))).toContain(`error ${id}`)
  })
})

/** slips-of-hookline.test.ts and webhook-rules.test.ts test their mistakes. */
const OF_OTHER_TESTS = [
  'never-true',
  'empty-json',
  'missing-secret',
  'missing-checkout',
  'retired-version',
  'repeated-path-prefix',
  'header-name',
  'unverified-allowlist',
  'impossible-reply',
]

test('every rule that fails the check has a slip here', () => {
  const slips = new Set(SLIPS.map(([, , id]) => id))
  const failing = RULES.filter(({ level }) => level !== 'warning')
  expect(failing.map(({ id }) => id).filter((id) => !slips.has(id))).toEqual(OF_OTHER_TESTS)
})
