import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  greet,
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

/** A script that reads the body from a variable. */
const reading = (script: string) =>
  greet(
    `- env: {B: "\${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.x }}"}\n  run: ${JSON.stringify(script)}`,
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
    'always-true',
    /if:/,
  ],
  [
    'a JSON output that is not empty',
    oneJob("- if: steps.hookline.outputs.items != ''\n  run: echo"),
    'always-true',
    /if:/,
  ],
  ['a remote shell', reading('ssh host "deploy $B"'), 'script-injection', /run:/],
  ['xargs', reading('echo "$B" | xargs -I{} sh -c "deploy {}"'), 'script-injection', /run:/],
  ['a statement of psql', reading('psql -c "select \'$B\'"'), 'script-injection', /run:/],
  [
    'a shell of Python',
    reading('python3 -c \'import os; os.system(os.environ["B"])\''),
    'script-injection',
    /run:/,
  ],
  [
    'a shell of Node',
    reading('node -e \'require("child_process").execSync(process.env.B)\''),
    'script-injection',
    /run:/,
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

/** Keys that GitHub does not know, and the intended ones. */
const KEYS: readonly (readonly [key: string, text: string, intended: string])[] = [
  ['contineu-on-error', oneJob('- run: echo\n  contineu-on-error: true'), 'continue-on-error'],
  ['backgroud', oneJob('- run: echo\n  backgroud: true'), 'background'],
  [
    'fail-fats',
    workflow('').replace('    runs-on', '    strategy: {fail-fats: false}\n    runs-on'),
    'fail-fast',
  ],
]

describe('check reports', () => {
  test.each(KEYS)('the key %s', async (key, text, intended) => {
    const at = text.split('\n').findIndex((line) => line.includes(key)) + 1
    const found = await checked.findings(text)
    expect(found.map(({ level, position, hint }) => [level, position?.line, hint])).toEqual([
      ['error', at, `did you mean "${intended}"?`],
    ])
  })

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
