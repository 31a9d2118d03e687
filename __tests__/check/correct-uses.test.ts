import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  greet,
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

const BODY = 'fromJSON(needs.on.outputs.body)'
const given = (uses: string, input: string, value = `\${{ ${BODY}.x }}`) =>
  greet(`- uses: ${uses}\n  with: {${input}: "${value}"}`)
const reading = (script: string) =>
  greet(`- env: {B: "\${{ ${BODY}.x }}"}\n  run: |\n${script.replaceAll(/^/gm, '    ')}`)
/** Another job with these lines. */
const job = (lines: string, steps = '    steps: [{run: echo}]') =>
  workflow(`  greet:\n    runs-on: ubuntu-latest\n${lines}${steps}\n`)
const events = (on: string) => job('').replace('on:\n', `on:\n  ${on}\n`)

const FIRST = workflow('')
const STEP_BODY = 'fromJSON(steps.hookline.outputs.body).hello'
const fromFile = (secrets: string) =>
  FIRST.replace(/ +body: .*\n/, '').replace(
    / {10}on: \|\n.*\n/,
    () => `          workflow: triggers/hook.yml\n${secrets}`,
  )

/** Correct uses, most of them as well-known repositories write them. */
const CORRECT: readonly (readonly [idiom: string, text: string])[] = [
  // names
  ['names in other letters', inEnv('NAME: ${{ NEEDS.On.Outputs.BODY }}')],
  ['names in brackets', inEnv("NAME: ${{ needs['on'].outputs['body'] }}")],
  ['all results', greetWithCondition("if: contains(needs.*.result, 'success')")],
  ['results as JSON', inEnv('NAME: ${{ toJSON(needs) }}')],
  ['JSON as a condition', greetWithCondition(`if: toJSON(${BODY})`)],
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
  ['an argument of ssh, quoted', reading('ssh host "deploy $(printf %q "$B")"')],
  ['an argument of a script', reading('bash -c \'deploy "$1"\' _ "$B"')],
  ['an argument of docker', reading('docker exec app deploy "$B"')],
  ['a variable of psql', reading('psql -v name="$B" -f insert.sql')],
  ['a variable in Python', reading('python3 -c \'import os; print(os.environ["B"])\'')],
  [
    'a checked value as a variable of later steps',
    reading('[[ "$B" =~ ^[a-z0-9.-]+$ ]] || exit 1\necho "V=$B" >> "$GITHUB_ENV"'),
  ],
  ['only digits', reading('echo "V=${B//[^0-9]/}" >> "$GITHUB_ENV"')],
  [
    'a value between random marks',
    reading('E=$(uuidgen)\n{ echo "V<<$E"; echo "$B"; echo "$E"; } >> "$GITHUB_ENV"'),
  ],
  ['a fixed branch', reading('case "$B" in main|next) ssh host "deploy $B";; esac')],
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
  // corrections of slips
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
  ['an operating system', oneJob("- if: runner.os == 'Windows'\n  run: dir")],
  [
    'an output of another step',
    oneJob("- id: a\n  run: echo\n- if: steps.a.outputs.x == 'yes'\n  run: echo"),
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
    oneJob(`- if: steps.hookline.outputs.triggered == 'true' && ${STEP_BODY} == 'a'\n  run: echo`),
  ],
  [
    'a body in with, after a condition',
    oneJob(
      `- if: steps.hookline.outputs.triggered == 'true'\n  uses: peter-evans/create-issue-from-file@v6\n  with: {title: "\${{ ${STEP_BODY} }}"}`,
    ),
  ],
  [
    'a body in a job behind a condition',
    inEnv('NAME: ${{ fromJSON(needs.on.outputs.body).hello }}'),
  ],
  [
    'JSON of another step',
    oneJob(
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
  ['a checkout', oneJob('- uses: actions/checkout@v6\n- uses: ./.github/actions/greet')],
  ['another action that may check out', oneJob('- uses: acme/checkout@v1\n- uses: ./greet')],
  ['a clone', oneJob('- run: git clone "$URL" .\n- uses: ./greet')],
  ['the secret', fromFile(`          secrets: '{"SECRET": \${{ toJSON(secrets.SECRET) }}}'\n`)],
  ['all secrets', fromFile('          secrets: ${{ toJSON(secrets) }}\n')],
  ['a runner of your own', workflow('').replace('ubuntu-latest', '[self-hosted, linux]')],
  ['an action by commit', oneJob(`- uses: actions/cache@${'a'.repeat(40)}`)],
  ['an action of a branch', oneJob('- uses: actions/cache@main')],
  ['an action that is not in the table', oneJob('- uses: acme/tool@v1')],
]

describe('check reports nothing for a correct use', () => {
  // With --strict, some findings get another level, and there are no others.
  test.each(CORRECT)('%s', async (_, text) => {
    expect(await checked.found(text, true)).toEqual([])
  })
})
