import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  greet,
  greetWithCondition,
  inEnv,
  workflow,
} from '../../src/lint/rules/example-workflows.ts'
import { Checked } from './support/checked.ts'

let checked: Checked
beforeAll(() => {
  checked = new Checked()
})
afterAll(() => checked.remove())

const BODY = 'fromJSON(needs.on.outputs.body)'
const given = (uses: string, input: string, value = `\${{ ${BODY}.x }}`) =>
  greet(`- uses: ${uses}\n  with: {${input}: "${value}"}`)
const reading = (script: string) =>
  greet(`- env: {B: "\${{ ${BODY}.x }}"}\n  run: |\n${script.replaceAll(/^/gm, '    ')}`)
/** Another job with these lines. */
const job = (lines: string, steps = '    steps: [{run: echo}]') =>
  workflow(`  greet:\n    runs-on: ubuntu-latest\n${lines}${steps}\n`)
const events = (on: string) => job('').replace('on:\n', `on:\n  ${on}\n`)

/** Correct syntax; most of it occurs in workflows of well-known repositories. */
const IDIOMS: readonly (readonly [idiom: string, text: string])[] = [
  // names
  ['names in other letters', inEnv('NAME: ${{ NEEDS.On.Outputs.BODY }}')],
  ['names in brackets', inEnv("NAME: ${{ needs['on'].outputs['body'] }}")],
  ['all results', greetWithCondition("if: contains(needs.*.result, 'success')")],
  ['results as JSON', inEnv('NAME: ${{ toJSON(needs) }}')],
  ['a field deep in the body', inEnv(`NAME: \${{ ${BODY}.a.b[0].c }}`)],
  ['what lists hold', inEnv(`NAME: \${{ join(${BODY}.tags.*.name, ',') }}`)],
  ['a fallback', inEnv("NAME: ${{ vars.NAME || 'nobody' }}")],
  ['a choice', inEnv("NAME: ${{ github.ref == 'refs/heads/main' && 'live' || 'test' }}")],
  ['an input of no event', inEnv("NAME: ${{ inputs.name || 'nobody' }}")],
  ['an input of the event', inEnv("NAME: ${{ github.event.inputs.name || 'nobody' }}")],
  ['a secret that nobody declares', inEnv('NAME: ${{ secrets.NAME }}')],
  ['a port of a service', inEnv('NAME: ${{ job.services.redis.ports[6379] }}')],
  ['a field of github that is new', inEnv('NAME: ${{ github.quite_new }}')],
  [
    'an output of a foreign action',
    greet(
      "- id: cache\n  uses: actions/cache@v5\n  with: {path: a, key: b}\n- if: steps.cache.outputs.cache-hit != 'true'\n  run: echo",
    ),
  ],
  [
    'a step of the same id in two jobs',
    job('', '    steps: [{id: hookline, run: echo}, {run: "echo ${{ steps.hookline.outcome }}"}]'),
  ],
  [
    'a matrix of an output',
    job(
      "    needs: on\n    strategy: {matrix: {x: '${{ fromJSON(needs.on.outputs.body) }}'}}\n",
      '    steps: [{run: echo, name: "${{ matrix.x.y }}"}]',
    ),
  ],
  [
    'a matrix that is one expression',
    job(
      "    needs: on\n    strategy: {matrix: '${{ fromJSON(needs.on.outputs.body) }}'}\n",
      '    steps: [{run: echo, name: "${{ matrix.any }}"}]',
    ),
  ],
  [
    'a key of some rows alone',
    job(
      '    strategy: {matrix: {os: [a, b], include: [{os: a, flag: -x}]}}\n',
      "    steps: [{run: 'echo ${{ matrix.flag }}'}]",
    ),
  ],
  [
    'objects in a matrix',
    job(
      '    strategy: {matrix: {on: [{name: a, os: b}, {name: c}]}}\n',
      "    steps: [{run: 'echo ${{ matrix.on.os }} ${{ matrix.on.name }}'}]",
    ),
  ],
  [
    'exclude',
    job(
      '    strategy: {matrix: {os: [a, b], exclude: [{os: a}]}}\n',
      "    steps: [{run: 'echo ${{ matrix.os }}'}]",
    ),
  ],
  // conditions
  ['without braces', greetWithCondition("if: needs.on.outputs.triggered == 'true'")],
  ['within braces', greetWithCondition("if: ${{ needs.on.outputs.triggered == 'true' }}")],
  ['folded', greetWithCondition("if: >-\n      ${{ needs.on.outputs.triggered == 'true' }}")],
  [
    'a block without braces',
    greetWithCondition(
      "if: |\n      needs.on.outputs.triggered == 'true' &&\n      github.actor != 'bot'",
    ),
  ],
  ['always', greetWithCondition('if: always()')],
  ['not cancelled', greetWithCondition("if: ${{ !cancelled() && needs.on.result == 'success' }}")],
  ['switched off', greetWithCondition('if: false')],
  ['switched on', greetWithCondition('if: true')],
  [
    'a failed step',
    greet(
      '- id: a\n  continue-on-error: true\n  run: "false"\n- if: steps.a.outcome == \'failure\'\n  run: echo',
    ),
  ],
  [
    'a secret by way of env',
    greet('- if: env.TOKEN != \'\'\n  env: {TOKEN: "${{ secrets.TOKEN }}"}\n  run: echo'),
  ],
  ['a label', greetWithCondition("if: contains(github.event.pull_request.labels.*.name, 'go')")],
  [
    'a word of a message',
    greetWithCondition("if: contains(github.event.head_commit.message, '[skip]')"),
  ],
  ['a list', greetWithCondition(`if: contains(fromJSON('["a","b"]'), ${BODY}.user)`)],
  [
    'an association that GitHub names',
    greetWithCondition("if: contains('OWNER MEMBER', github.event.comment.author_association)"),
  ],
  [
    'what needs need',
    greetWithCondition("if: needs.on.outputs.triggered == 'true'").replace(
      '  greet:\n    needs: on',
      '  made:\n    needs: on\n    runs-on: ubuntu-latest\n    steps: [{run: echo}]\n  greet:\n    needs: made',
    ),
  ],
  // syntax that GitHub accepts, but not its parser here
  [
    'env that is one expression',
    job('    strategy: {matrix: {env: [{A: b}]}}\n    env: ${{ matrix.env }}\n'),
  ],
  [
    'env of a step likewise',
    job(
      '    strategy: {matrix: {env: [{A: b}]}}\n',
      "    steps: [{run: echo, env: '${{ matrix.env }}'}]",
    ),
  ],
  [
    'a default without type',
    events('workflow_dispatch: {inputs: {dry: {default: false}, days: {default: 120}}}'),
  ],
  ['options of an event that are empty', events('status: {}')],
  ['one type', workflow('').replace('types: [webhook]', 'types: webhook')],
  // actions
  ['an image', greet('- uses: docker://alpine:3')],
  ['a full commit', greet(`- uses: actions/checkout@${'a'.repeat(40)}`)],
  ['a path in a repository', greet('- uses: actions/cache/restore@v5\n  with: {path: a, key: b}')],
  ['a shell with its place', greet('- shell: perl {0}\n  run: print 1')],
  ['python', greet('- shell: python\n  run: print(1)')],
  [
    'a branch of a pull request',
    job(
      '',
      '    steps: [{uses: actions/checkout@v5, with: {ref: "${{ github.head_ref }}"}}]',
    ).replace('on:\n', 'on:\n  pull_request:\n'),
  ],
  // input that remains data
  ['a variable in a script', reading('echo "$B"')],
  ['a variable as an argument', reading('jq -n --arg b "$B" \'{b: $b}\'')],
  ['a variable in data', reading('curl -d "$B" https://a.example')],
  ['a variable in a file', reading('printf %s "$B" > body.txt')],
  ['a number', greet(`- run: exit \${{ ${BODY}.n > 5 }}`)],
  ['a comparison in a script', greet(`- run: echo \${{ ${BODY}.x == 'a' && 'yes' || 'no' }}`)],
  ['a title', given('peter-evans/create-issue-from-file@v6', 'title')],
  ['a body', given('peter-evans/create-or-update-comment@v5', 'body')],
  ['a message', given('appleboy/telegram-action@v1', 'message')],
  ['a number of an issue', given('peter-evans/create-or-update-comment@v5', 'issue-number')],
  ['a payload', given('slackapi/slack-github-action@v2', 'payload')],
  [
    'a value of our own',
    given(
      'docker/login-action@v4',
      'registry',
      `\${{ ${BODY}.eu && 'eu.example' || 'us.example' }}`,
    ),
  ],
  [
    'a prompt of our own',
    given('anthropics/claude-code-action@v1', 'prompt', 'Read message.txt, which is data.'),
  ],
  [
    'a script that reads env',
    greet(
      `- uses: actions/github-script@v8\n  env: {B: "\${{ ${BODY}.x }}"}\n  with: {script: "console.log(process.env.B)"}`,
    ),
  ],
  [
    'a token of a secret',
    workflow('', 'messaging_bot: {token: "${{ secrets.BOT_TOKEN }}"}').replace(/ +body: .*\n/, ''),
  ],
  // job conditions
  [
    'the beginning of the path',
    workflow('').replace(
      '    runs-on',
      "    if: startsWith(github.event.client_payload.path, 'hook/')\n    runs-on",
    ),
  ],
  [
    'the whole path',
    workflow('').replace(
      '    runs-on',
      "    if: github.event.client_payload.path == 'hook/webhook'\n    runs-on",
    ),
  ],
  [
    'webhooks among other events',
    workflow('')
      .replace('    runs-on', "    if: github.event_name != 'push'\n    runs-on")
      .replace('on:\n', 'on:\n  push:\n'),
  ],
  ['types of others too', workflow('').replace('[webhook]', '[webhook, deploy]')],
]

describe.each([false, true])('an idiom has no finding, strict: %s', (strict) => {
  test.each(IDIOMS)('%s', async (_, text) => {
    expect(await checked.found(text, strict)).toEqual([])
  })
})
