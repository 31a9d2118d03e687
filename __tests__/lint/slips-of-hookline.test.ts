import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  greetWithCondition,
  inEnv,
  oneJob,
  plainWorkflow,
  workflow,
} from '../../src/lint/rules/example-workflows.ts'
import { Checked } from './support/checked.ts'

let checked: Checked
beforeAll(() => {
  checked = new Checked()
  checked.write(
    'triggers/hook.yml',
    'on: {webhook: {verify: {scheme: github, secret: "${{ secrets.SECRET }}"}}}\n',
  )
})
afterAll(() => checked.remove())

const FIRST = workflow('')
const BODY = 'fromJSON(steps.hookline.outputs.body).hello'
const fromFile = (secrets: string) =>
  FIRST.replace(/ +body: .*\n/, '').replace(
    / {10}on: \|\n.*\n/,
    () => `          workflow: triggers/hook.yml\n${secrets}`,
  )

/** A mistake, the workflow with it, the rule that reports it, and the marked line. */
const SLIPS: readonly (readonly [string, string, string, RegExp])[] = [
  [
    'no event for the webhook',
    FIRST.replace(/repository_dispatch:\n.*/, 'schedule: [{cron: "5 4 * * *"}]'),
    'unreachable-webhook',
    /schedule/,
  ],
  [
    'the action in a workflow for push',
    FIRST.replace(/on:\n {2}repository_dispatch:\n.*/, 'on: push'),
    'unreachable-webhook',
    /on: push/,
  ],
  ['a result', greetWithCondition("if: needs.on.result == 'succes'"), 'never-true', /succes'/],
  [
    'an event name',
    greetWithCondition("if: github.event_name == 'repository-dispatch'"),
    'never-true',
    /repository-dispatch/,
  ],
  [
    'triggered',
    greetWithCondition("if: needs.on.outputs.triggered == 'yes'"),
    'never-true',
    /'yes'/,
  ],
  [
    'an outcome',
    oneJob("- if: steps.hookline.outcome == 'failed'\n  run: echo"),
    'never-true',
    /failed/,
  ],
  [
    'an operating system',
    plainWorkflow("- if: runner.os == 'windws'\n  run: dir"),
    'never-true',
    /windws/,
  ],
  [
    'a body in env',
    oneJob(
      `- if: steps.hookline.outputs.triggered == 'true'\n  env: {A: "\${{ ${BODY} }}"}\n  run: echo "$A"`,
    ),
    'empty-json',
    /env: \{A/,
  ],
  ['a body in name', oneJob(`- name: "\${{ ${BODY} }}"\n  run: echo`), 'empty-json', /name:/],
  ['a body in if', oneJob(`- if: ${BODY} == 'a'\n  run: echo`), 'empty-json', /if: fromJSON/],
  [
    'a body in with',
    oneJob(`- uses: peter-evans/create-issue-from-file@v6\n  with: {title: "\${{ ${BODY} }}"}`),
    'empty-json',
    /title/,
  ],
  [
    'a job that also runs after a failure',
    inEnv('NAME: ${{ fromJSON(needs.on.outputs.body).hello }}').replace(
      "if: needs.on.outputs.triggered == 'true'",
      'if: always()',
    ),
    'empty-json',
    /NAME:/,
  ],
  [
    'a JSON output as a condition',
    greetWithCondition('if: needs.on.outputs.body'),
    'json-condition',
    /if:/,
  ],
  [
    'a JSON output that is not empty',
    oneJob("- if: steps.hookline.outputs.items != ''\n  run: echo"),
    'json-condition',
    /if:/,
  ],
  ['no checkout', plainWorkflow('- uses: ./.github/actions/greet'), 'missing-checkout', /greet$/],
  ['a secret that is not passed', fromFile(''), 'missing-secret', /uses: hookline/],
  [
    'another secret',
    fromFile(`          secrets: '{"TOKEN": \${{ toJSON(secrets.TOKEN) }}}'\n`),
    'missing-secret',
    /secrets:/,
  ],
  [
    'a runner image',
    plainWorkflow('- run: echo').replace('ubuntu-latest', 'ubuntu-20.04'),
    'retired-version',
    /ubuntu-20/,
  ],
  [
    'a runner image of a matrix',
    plainWorkflow('- run: echo').replace(
      'ubuntu-latest',
      '${{ matrix.os }}\n    strategy: {matrix: {os: [ubuntu-latest, macos-14]}}',
    ),
    'retired-version',
    /macos-14/,
  ],
  [
    'an artifact service',
    plainWorkflow('- uses: actions/upload-artifact@v3'),
    'retired-version',
    /@v3/,
  ],
  [
    'an action on Node 20',
    plainWorkflow('- uses: actions/cache@v4'),
    'retired-version',
    /cache@v4/,
  ],
]

describe('check reports', () => {
  test.each(SLIPS)('%s', async (_, text, id, line) => {
    const found = await checked.found(text)
    const at = text.split('\n').findIndex((one) => line.test(one)) + 1
    expect(found).toContain(`warning ${id} ${at}`)
    expect([...new Set(found.map((one) => one.split(' ')[1]))]).toEqual([id])
    const strict = await checked.found(text, true)
    expect(strict).toContain(`error ${id} ${at}`)
  })

  test.each(['on', 'jobs'])('a file without "%s" with --all', async (section) => {
    const text = plainWorkflow('- run: echo').replace(
      new RegExp(`^${section}:`, 'm'),
      `${section}x:`,
    )
    expect(await checked.found(text)).toEqual(['error not-a-workflow 1'])
  })
})

/** Correct workflows: most of them are the correction of a mistake above. */
const CORRECT: readonly (readonly [string, string])[] = [
  [
    'workflow_dispatch of the relay',
    FIRST.replace(
      /repository_dispatch:\n.*/,
      'workflow_dispatch: {inputs: {hookline: {type: string}}}',
    ),
  ],
  ['webhooks and pushes', FIRST.replace('on:\n', 'on:\n  push:\n')],
  [
    'a poll',
    FIRST.replace(/repository_dispatch:\n.*/, 'schedule: [{cron: "5 4 * * *"}]')
      .replace('webhook: {method: post}', 'messaging_bot: {token: "${{ secrets.BOT }}"}')
      .replace(/ +body: .*\n/, ''),
  ],
  ['a result', greetWithCondition("if: needs.on.result == 'success'")],
  ['a result in other letters', greetWithCondition("if: needs.on.result == 'Success'")],
  ['no result of others', greetWithCondition("if: always() && needs.on.result != 'skipped'")],
  ['an event name', greetWithCondition("if: github.event_name == 'repository_dispatch'")],
  [
    'an event name of another workflow',
    greetWithCondition("if: github.event_name != 'pull_request'"),
  ],
  ['triggered', greetWithCondition("if: needs.on.outputs.triggered != 'true'")],
  [
    'triggered of a skipped job',
    greetWithCondition("if: always() && needs.on.outputs.triggered == ''"),
  ],
  ['an outcome', oneJob("- if: steps.hookline.outcome == 'failure'\n  run: echo")],
  ['an operating system', plainWorkflow("- if: runner.os == 'Windows'\n  run: dir")],
  [
    'an output of another step',
    plainWorkflow("- id: a\n  run: echo\n- if: steps.a.outputs.x == 'yes'\n  run: echo"),
  ],
  [
    'the safe form',
    oneJob(
      '- env: {A: "${{ fromJSON(steps.hookline.outputs.on || \'{}\').webhook.outputs.body.hello }}"}\n  run: echo "$A"',
    ),
  ],
  [
    'headers, which always are JSON',
    oneJob('- env: {A: "${{ fromJSON(steps.hookline.outputs.headers).x-a }}"}\n  run: echo "$A"'),
  ],
  [
    'a body with a fallback',
    oneJob(
      '- env: {A: "${{ fromJSON(steps.hookline.outputs.body || \'null\').hello }}"}\n  run: echo "$A"',
    ),
  ],
  [
    'a body after a test of the same step',
    oneJob(`- if: steps.hookline.outputs.triggered == 'true' && ${BODY} == 'a'\n  run: echo`),
  ],
  [
    'a body in with, after a condition',
    oneJob(
      `- if: steps.hookline.outputs.triggered == 'true'\n  uses: peter-evans/create-issue-from-file@v6\n  with: {title: "\${{ ${BODY} }}"}`,
    ),
  ],
  [
    'a body in a job behind a condition',
    inEnv('NAME: ${{ fromJSON(needs.on.outputs.body).hello }}'),
  ],
  [
    'JSON of another step',
    plainWorkflow(
      '- id: a\n  run: echo\n- env: {A: "${{ fromJSON(steps.a.outputs.body).x }}"}\n  run: echo',
    ),
  ],
  ['an output as a string', oneJob("- if: steps.hookline.outputs.delivery != ''\n  run: echo")],
  [
    'a JSON output and its empty value',
    oneJob("- if: (steps.hookline.outputs.items || '[]') != '[]'\n  run: echo"),
  ],
  [
    'a condition on a field',
    oneJob(
      "- if: fromJSON(steps.hookline.outputs.on || '{}').webhook.outputs.body.hello\n  run: echo",
    ),
  ],
  ['a checkout', plainWorkflow('- uses: actions/checkout@v6\n- uses: ./.github/actions/greet')],
  ['another action that may check out', plainWorkflow('- uses: acme/checkout@v1\n- uses: ./greet')],
  ['a clone', plainWorkflow('- run: git clone "$URL" .\n- uses: ./greet')],
  ['the secret', fromFile(`          secrets: '{"SECRET": \${{ toJSON(secrets.SECRET) }}}'\n`)],
  ['all secrets', fromFile('          secrets: ${{ toJSON(secrets) }}\n')],
  [
    'a runner of your own',
    plainWorkflow('- run: echo').replace('ubuntu-latest', '[self-hosted, linux]'),
  ],
  ['an action by commit', plainWorkflow(`- uses: actions/cache@${'a'.repeat(40)}`)],
  ['an action of a branch', plainWorkflow('- uses: actions/cache@main')],
  ['an action that is not in the table', plainWorkflow('- uses: acme/tool@v1')],
]

describe.each([false, true])('check reports nothing for a correct use, strict: %s', (strict) => {
  test.each(CORRECT)('%s', async (_, text) => {
    expect(await checked.found(text, strict)).toEqual([])
  })
})
