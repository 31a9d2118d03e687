import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  greetWithCondition,
  inEnv,
  oneJob,
  workflow,
} from '../../src/check/rules/example-workflows.ts'
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
  [
    'a version that does not exist',
    FIRST.replace('hookline@v1', 'hookline@v2'),
    'retired-version',
    /@v2/,
  ],
  ['no checkout', oneJob('- uses: ./.github/actions/greet'), 'missing-checkout', /greet$/],
  ['a secret that is not passed', fromFile(''), 'missing-secret', /uses: hookline/],
  [
    'another secret',
    fromFile(`          secrets: '{"TOKEN": \${{ toJSON(secrets.TOKEN) }}}'\n`),
    'missing-secret',
    /secrets:/,
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
})
