import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  greet,
  greetWithCondition,
  inEnv,
  plainWorkflow,
  workflow,
} from '../../src/lint/rules/example-workflows.ts'
import { RULES } from '../../src/lint/rules.ts'
import { Checked } from './support/checked.ts'

let checked: Checked
beforeAll(() => {
  checked = new Checked()
  checked.write(
    '.github/actions/tag/action.yml',
    'outputs: {tag: {value: a}}\nruns: {using: composite, steps: [{run: echo, shell: bash}]}\n',
  )
  checked.write(
    '.github/workflows/called.yml',
    'on: {workflow_call: {outputs: {url: {value: a}}}}\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: echo}]}}\n',
  )
})
afterAll(() => checked.remove())

const BODY = 'fromJSON(needs.on.outputs.body)'
/** A sender's input in an input of an action. */
const given = (uses: string, input: string, value = `\${{ ${BODY}.x }}`) =>
  greet(`- uses: ${uses}\n  with: {${input}: "${value}"}`)
/** A script that reads such input from a variable. */
const reading = (script: string) =>
  greet(`- env: {B: "\${{ ${BODY}.x }}"}\n  run: |\n${script.replaceAll(/^/gm, '    ')}`)
const calling = (job: string) =>
  workflow(`  call:\n    needs: on\n    if: needs.on.outputs.triggered == 'true'\n${job}\n`)
const native = (event: string, expression: string) =>
  plainWorkflow(`- run: echo "\${{ ${expression} }}"`).replace('on: push', `on: ${event}`)
const matrix = (use: string) =>
  `on: push\njobs:\n  a:\n    strategy: {matrix: {node: [20, 22], include: [{node: 24, next: true}]}}\n    runs-on: ubuntu-latest\n    steps: [{run: '${use}'}]\n`
const inputs = (use: string) =>
  `on: {workflow_dispatch: {inputs: {dry: {type: boolean}, to: {type: string}}}}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{if: "${use}", run: echo}]\n`
const jobCondition = (condition: string) =>
  workflow('').replace('    runs-on', `    if: ${condition}\n    runs-on`)

/** Common mistakes, and the rule that must report each; one finding is enough. */
const SLIPS: readonly (readonly [slip: string, text: string, id: string])[] = [
  // names
  ['an output misspelled', inEnv('NAME: ${{ needs.on.outputs.boody }}'), 'unknown-output'],
  ['outputs in the singular', inEnv('NAME: ${{ needs.on.output.body }}'), 'unknown-output'],
  ['outputs left out', inEnv('NAME: ${{ needs.on.body }}'), 'unknown-output'],
  ['a job misspelled', inEnv('NAME: ${{ needs.onn.outputs.body }}'), 'unknown-need'],
  ['jobs for needs', inEnv('NAME: ${{ needs.greet.outputs.body }}'), 'unknown-need'],
  ['the step of another job', inEnv('NAME: ${{ steps.hookline.outputs.body }}'), 'unknown-step'],
  [
    'a step that comes later',
    plainWorkflow('- run: echo ${{ steps.b.outputs.x }}\n- id: b\n  run: echo'),
    'unknown-step',
  ],
  [
    'a step by its name',
    plainWorkflow('- name: build\n  run: echo\n- run: echo ${{ steps.build.outcome }}'),
    'unknown-step',
  ],
  [
    'an output of an action in the repository',
    plainWorkflow(
      '- uses: actions/checkout@v6\n- id: tag\n  uses: ./.github/actions/tag\n- run: echo ${{ steps.tag.outputs.version }}',
    ),
    'unknown-output',
  ],
  [
    'an output of a called workflow',
    'on: push\njobs:\n  a: {uses: ./.github/workflows/called.yml}\n  b: {needs: a, runs-on: ubuntu-latest, steps: [{run: "echo ${{ needs.a.outputs.link }}"}]}\n',
    'unknown-output',
  ],
  ['a key of the matrix', matrix('echo ${{ matrix.version }}'), 'unknown-matrix-key'],
  [
    'a key of the matrix in capitals and plural',
    matrix('echo ${{ matrix.NODES }}'),
    'unknown-matrix-key',
  ],
  ['an input misspelled', inputs("inputs.too == 'live'"), 'unknown-input'],
  ['an input of the event', inputs("github.event.inputs.too == 'live'"), 'unknown-input'],
  [
    'the owner behind the repository',
    inEnv('NAME: ${{ github.repository.owner }}'),
    'string-as-object',
  ],
  // types of values
  [
    'a field of the body',
    inEnv('NAME: ${{ needs.on.outputs.body.user.name }}'),
    'string-as-object',
  ],
  ['an index into a text', inEnv("NAME: ${{ needs.on.outputs.body['user'] }}"), 'string-as-object'],
  ['a variable as an object', inEnv('NAME: ${{ vars.SETTINGS.name }}'), 'string-as-object'],
  ['all outputs as text', inEnv('NAME: ${{ needs.on.outputs }}'), 'object-as-string'],
  ['the whole event as text', inEnv('NAME: ${{ github.event }}'), 'object-as-string'],
  ['the matrix as text', matrix('echo ${{ matrix }}'), 'object-as-string'],
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
  ['a variable and true', greetWithCondition('if: vars.LIVE == true'), 'string-as-boolean'],
  ["a boolean input and 'true'", inputs("inputs.dry == 'true'"), 'string-as-boolean'],
  // conditions
  ['triggered alone', greetWithCondition('if: needs.on.outputs.triggered'), 'always-true'],
  ['not triggered', greetWithCondition('if: ${{ !needs.on.outputs.triggered }}'), 'always-true'],
  [
    'triggered and more',
    greetWithCondition("if: needs.on.outputs.triggered && vars.A == 'b'"),
    'always-true',
  ],
  ['a comparison behind the braces', greetWithCondition("if: ${{ vars.A }} == 'b'"), 'always-true'],
  ['a negation before the braces', greetWithCondition("if: '! ${{ vars.A }}'"), 'always-true'],
  ['two pairs of braces', greetWithCondition('if: ${{ vars.A }} && ${{ vars.B }}'), 'always-true'],
  [
    'a block with a line break',
    greetWithCondition("if: |\n      ${{ vars.A == 'b' }}"),
    'always-true',
  ],
  ['one side of a choice', greetWithCondition("if: vars.A == 'b' || 'c'"), 'always-true'],
  ['on a step', greet("- if: ${{ needs.on.outputs.body }} == 'alice'\n  run: echo"), 'always-true'],
  [
    'a secret in the condition of a job',
    greetWithCondition("if: secrets.TOKEN != ''"),
    'unknown-context',
  ],
  ['a variable of env there', greetWithCondition("if: env.LIVE == 'yes'"), 'unknown-context'],
  [
    'a secret in the condition of a step',
    greet("- if: secrets.TOKEN != ''\n  run: echo"),
    'unknown-context',
  ],
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
  ['a body in a program', reading('python3 - <<EOF\nprint("$B")\nEOF'), 'script-injection'],
  ['the registry of npm', given('actions/setup-node@v5', 'registry-url'), 'untrusted-input'],
  ['the registry of images', given('docker/login-action@v4', 'registry'), 'untrusted-input'],
  ['the host of a shell', given('appleboy/ssh-action@v1', 'host'), 'untrusted-input'],
  ['the secrets of a vault', given('hashicorp/vault-action@v3', 'secrets'), 'untrusted-input'],
  ['the route of a request', given('octokit/request-action@v2.x', 'route'), 'untrusted-input'],
  ['the path of an artifact', given('actions/upload-artifact@v6', 'path'), 'untrusted-input'],
  [
    'a called workflow that gets all secrets',
    calling(
      `    uses: o/r/.github/workflows/x.yml@v1\n    secrets: inherit\n    with: {target: "\${{ ${BODY}.x }}"}`,
    ),
    'untrusted-input',
  ],
  ['a prompt', given('anthropics/claude-code-action@v1', 'prompt'), 'untrusted-prompt'],
  ['a prompt of codex', given('openai/codex-action@v1', 'prompt'), 'untrusted-prompt'],
  [
    'a prompt of gemini',
    given('google-github-actions/run-gemini-cli@v0', 'prompt'),
    'untrusted-prompt',
  ],
  ['a prompt of ai-inference', given('actions/ai-inference@v1', 'prompt'), 'untrusted-prompt'],
  ['a prompt in a script', reading('claude -p "$B"'), 'untrusted-prompt'],
  // writes for later steps
  ['echo', reading('echo "X=$B" >> "$GITHUB_ENV"'), 'script-injection'],
  // strings of GitHub's own events
  ...[
    'workflow_run.head_commit.committer.name',
    'check_suite.head_commit.message',
    'check_suite.head_branch',
    'check_suite.head_commit.author.name',
    'check_suite.head_commit.committer.name',
  ].map(
    (name) =>
      [
        name,
        native(name.split('.', 1)[0] ?? '', `github.event.${name}`),
        'script-injection',
      ] as const,
  ),
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
