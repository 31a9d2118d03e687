import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Finding } from '../../src/wire/errors.ts'
import { Checked } from './support/checked.ts'

let checked: Checked
beforeEach(() => {
  checked = new Checked()
})
afterEach(() => checked.remove())

/** A native workflow: the job `on` with the action, and two jobs that read its outputs. */
function native(parts: { readonly [part in Part]?: string }): string {
  return `on:
  repository_dispatch:
    types: [webhook]
  workflow_dispatch:
    inputs:
      hookline: {type: string}
jobs:
  on:
    runs-on: ubuntu-latest
    outputs:
      triggered: \${{ steps.hookline.outputs.triggered }}
      event: \${{ steps.hookline.outputs.on }}
      items: \${{ steps.hookline.outputs.items }}
      body: \${{ steps.hookline.outputs.body }}
      headers: \${{ toJSON(fromJSON(steps.hookline.outputs.on || '{}').webhook.outputs.headers) }}
      title: \${{ ${parts.output ?? "fromJSON(steps.hookline.outputs.on || '{}').webhook.outputs.body.title"} }}
    steps:
      - uses: hookline/hookline@v1
        id: hookline
        with:
          on: |
            webhook: {method: post}
      - env:
          NAME: \${{ ${parts.step ?? 'steps.hookline.outputs.trigger'} }}
        run: echo "$NAME" >> "$GITHUB_STEP_SUMMARY"
  greet:
    needs: on
    if: ${parts.condition ?? "needs.on.outputs.triggered == 'true'"}
    runs-on: ubuntu-latest
    env:
      EVENT: \${{ needs.on.outputs.event }}
    steps:
      - env:
          NAME: \${{ ${parts.job ?? 'needs.on.outputs.title'} }}
        run: echo "$NAME" >> "$GITHUB_STEP_SUMMARY"
  each:
    needs: on
    if: needs.on.outputs.triggered == 'true'
    strategy:
      matrix:
        on: \${{ fromJSON(needs.on.outputs.items) }}
    runs-on: ubuntu-latest
    steps:
      - env:
          NAME: \${{ ${parts.item ?? 'matrix.on.webhook.outputs.method'} }}
        run: echo "$NAME" >> "$GITHUB_STEP_SUMMARY"
`
}

type Part = 'output' | 'step' | 'condition' | 'job' | 'item'

/** A source with this expression in a variable, or as the condition of a job. */
function source(expression: string, condition = "on.webhook.outcome == 'success'"): string {
  return `on:
  webhook: {verify: {scheme: github, secret: "\${{ secrets.SECRET }}"}}
jobs:
  first:
    runs-on: ubuntu-latest
    outputs:
      title: \${{ on.webhook.outputs.body.title }}
      event: \${{ toJSON(on) }}
    steps:
      - run: echo hi
  greet:
    needs: first
    if: ${condition}
    runs-on: ubuntu-latest
    steps:
      - env:
          NAME: \${{ ${expression} }}
        run: echo "$NAME" >> "$GITHUB_STEP_SUMMARY"
`
}

const ON = "fromJSON(steps.hookline.outputs.on || '{}')"
const EVENT = "fromJSON(needs.on.outputs.event || '{}')"
const ITEMS = "fromJSON(needs.on.outputs.items || '[]')"

/** A slip, the part of the workflow that contains it, the rule, and the expression after the edit of the hint. */
const SLIPS: readonly (readonly [slip: string, part: Part, id: string, edited: string])[] = [
  // names in the event
  [`${ON}.webhok.outputs.body`, 'step', 'unknown-output', `${ON}.webhook.outputs.body`],
  [`${EVENT}.webhook.output.body.a`, 'job', 'unknown-output', `${EVENT}.webhook.outputs.body.a`],
  [`${EVENT}.webhook.outputs.bdoy.a`, 'job', 'unknown-output', `${EVENT}.webhook.outputs.body.a`],
  [`${EVENT}.webhook.body.a`, 'job', 'unknown-output', `${EVENT}.webhook.outputs.body.a`],
  [`${EVENT}.body.a`, 'job', 'unknown-output', `${EVENT}.webhook.outputs.body.a`],
  [`${EVENT}.outputs.body.a`, 'job', 'unknown-output', `${EVENT}.webhook.outputs.body.a`],
  [
    `${EVENT}.webhook.outputs.title`,
    'job',
    'unknown-output',
    `${EVENT}.webhook.outputs.body.title`,
  ],
  [
    `format('{0}', ${ON}.webhok.outcome)`,
    'step',
    'unknown-output',
    `format('{0}', ${ON}.webhook.outcome)`,
  ],
  // values that are no objects
  [
    'steps.hookline.outputs.body.type',
    'step',
    'string-as-object',
    `${ON}.webhook.outputs.body.type`,
  ],
  [
    "steps.hookline.outputs.body['a b'][0]",
    'step',
    'string-as-object',
    `${ON}.webhook.outputs.body['a b'][0]`,
  ],
  ['needs.on.outputs.body.type', 'job', 'string-as-object', `${EVENT}.webhook.outputs.body.type`],
  [
    "case(needs.on.result == 'success', needs.on.outputs.body, needs.on.outputs.headers).type",
    'job',
    'string-as-object',
    '',
  ],
  [
    'needs.on.outputs.event.webhook.outputs.body',
    'job',
    'string-as-object',
    `${EVENT}.webhook.outputs.body`,
  ],
  [
    'toJSON(needs.on.outputs.body).type',
    'job',
    'string-as-object',
    `${EVENT}.webhook.outputs.body.type`,
  ],
  [`${EVENT}.webhook.outputs.method.name`, 'job', 'string-as-object', ''],
  [
    "fromJSON(steps.hookline.outputs.items || '[]').webhook.outcome",
    'step',
    'string-as-object',
    "fromJSON(steps.hookline.outputs.items || '[]')[0].webhook.outcome",
  ],
  [
    'fromJSON(toJSON(needs.on.outputs.event)).webhook.outcome',
    'job',
    'string-as-object',
    `${EVENT}.webhook.outcome`,
  ],
  [
    'needs.on.outputs.headers.x-a',
    'job',
    'string-as-object',
    "fromJSON(needs.on.outputs.headers || '{}').x-a",
  ],
  // values that are no strings
  [`${EVENT}.webhook.outputs`, 'job', 'object-as-string', `toJSON(${EVENT}.webhook.outputs)`],
  [
    `${EVENT}.webhook.outputs.headers`,
    'job',
    'object-as-string',
    `toJSON(${EVENT}.webhook.outputs.headers)`,
  ],
  [EVENT, 'job', 'object-as-string', `toJSON(${EVENT})`],
  [
    `format('{0}', ${EVENT}.webhook.outputs.query)`,
    'job',
    'object-as-string',
    `format('{0}', toJSON(${EVENT}.webhook.outputs.query))`,
  ],
  ['matrix.on', 'item', 'object-as-string', 'toJSON(matrix.on)'],
  [
    `contains(${EVENT}.webhook.outputs.headers, 'x-a')`,
    'condition',
    'object-as-string',
    `contains(toJSON(${EVENT}.webhook.outputs.headers), 'x-a')`,
  ],
  [
    `startsWith(${ON}.webhook.outputs.query, 'a')`,
    'step',
    'object-as-string',
    `startsWith(toJSON(${ON}.webhook.outputs.query), 'a')`,
  ],
  [
    `join(${EVENT}.webhook.outputs.headers)`,
    'job',
    'object-as-string',
    `join(toJSON(${EVENT}.webhook.outputs.headers))`,
  ],
  // outputs of steps and jobs
  ['steps.hookline.outputs.webhook.outcome', 'step', 'unknown-output', `${ON}.webhook.outcome`],
  ['steps.hookline.body', 'step', 'unknown-output', 'steps.hookline.outputs.body'],
  ['steps.hook.outputs.body', 'step', 'unknown-step', 'steps.hookline.outputs.body'],
  ['needs.on.outputs.evnt', 'job', 'unknown-output', 'needs.on.outputs.event'],
  ['needs.no.outputs.body', 'job', 'unknown-need', 'needs.on.outputs.body'],
  [
    'fromJSON(steps.hookline.outputs.body).type',
    'step',
    'empty-json',
    `${ON}.webhook.outputs.body.type`,
  ],
  // the matrix
  [
    'matrix.item.webhook.outputs.body',
    'item',
    'unknown-matrix-key',
    'matrix.on.webhook.outputs.body',
  ],
  ['matrix.on.outputs.body', 'item', 'unknown-output', 'matrix.on.webhook.outputs.body'],
  ['matrix.on.webhook.outputs.boddy', 'item', 'unknown-output', 'matrix.on.webhook.outputs.body'],
  // comparisons
  [
    `${EVENT}.webhook.outcome == 'sucess'`,
    'condition',
    'never-true',
    `${EVENT}.webhook.outcome == 'success'`,
  ],
  [
    `${EVENT}.webhook.outputs.method == 'psot'`,
    'condition',
    'never-true',
    `${EVENT}.webhook.outputs.method == 'post'`,
  ],
  [
    'needs.on.outputs.triggered == true',
    'condition',
    'string-as-boolean',
    "needs.on.outputs.triggered == 'true'",
  ],
  [
    'needs.on.outputs.triggered',
    'condition',
    'always-true',
    "needs.on.outputs.triggered == 'true'",
  ],
  // outputs of the job
  [
    "fromJSON(steps.hookline.outputs.on || '{}').webhook.outputs.bod",
    'output',
    'unknown-output',
    "fromJSON(steps.hookline.outputs.on || '{}').webhook.outputs.body",
  ],
  [
    'steps.hookline.outputs.on.webhook.outputs.body',
    'output',
    'string-as-object',
    `${ON}.webhook.outputs.body`,
  ],
  [
    "fromJSON(steps.hookline.outputs.on || '{}').webhook.outputs.headers",
    'output',
    'object-as-string',
    `toJSON(${ON}.webhook.outputs.headers)`,
  ],
  // written in another way
  [
    "fromJSON(needs.on.outputs['evnt'] || '{}').webhook.outcome",
    'job',
    'unknown-output',
    "fromJSON(needs.on.outputs['event'] || '{}').webhook.outcome",
  ],
  [
    "fromJSON(needs['on'].outputs.event || '{}')['webhok'].outcome",
    'job',
    'unknown-output',
    "fromJSON(needs['on'].outputs.event || '{}')['webhook'].outcome",
  ],
  [
    "fromJSON(NEEDS.ON.OUTPUTS.EVENT || '{}').Webhook.Outputs.Boddy",
    'job',
    'unknown-output',
    "fromJSON(NEEDS.ON.OUTPUTS.EVENT || '{}').Webhook.Outputs.body",
  ],
  [
    `${EVENT}.webhook.outputs.headers['Content_Type']`,
    'job',
    'header-name',
    `${EVENT}.webhook.outputs.headers['content-type']`,
  ],
  [
    "(needs.on.outputs.event || '{}').webhook.outcome",
    'job',
    'string-as-object',
    `${EVENT}.webhook.outcome`,
  ],
  [
    "fromJSON('needs.on.outputs.event').webhook.outcome",
    'job',
    'string-as-object',
    `${EVENT}.webhook.outcome`,
  ],
  [
    `fromJSON(fromJSON(toJSON(${EVENT}))).webhook.outcome`,
    'job',
    'object-as-string',
    `fromJSON(toJSON(${EVENT})).webhook.outcome`,
  ],
  // by way of other values
  [
    "fromJSON(format('{0}', needs.on.outputs.event)).webhok.outcome",
    'job',
    'unknown-output',
    "fromJSON(format('{0}', needs.on.outputs.event)).webhook.outcome",
  ],
  [
    `fromJSON(needs.on.outputs.event || '{"webhook":{}}').webhok.outcome`,
    'job',
    'unknown-output',
    `fromJSON(needs.on.outputs.event || '{"webhook":{}}').webhook.outcome`,
  ],
  [
    "fromJSON(env.EVENT || '{}').webhok.outcome",
    'job',
    'unknown-output',
    "fromJSON(env.EVENT || '{}').webhook.outcome",
  ],
  ['env.EVENT.webhook.outcome', 'job', 'string-as-object', `${EVENT}.webhook.outcome`],
  [
    `join(${ITEMS}.*.webhok.outputs.body.title, ', ')`,
    'job',
    'unknown-output',
    `join(${ITEMS}.*.webhook.outputs.body.title, ', ')`,
  ],
  [
    `join(${ITEMS}.*.webhook.outputs.boddy, ', ')`,
    'job',
    'unknown-output',
    `join(${ITEMS}.*.webhook.outputs.body, ', ')`,
  ],
  [
    `join(${EVENT}.*.outputs.boddy, ', ')`,
    'job',
    'unknown-output',
    `join(${EVENT}.*.outputs.body, ', ')`,
  ],
  [
    `${ITEMS}[strategy.job-index].webhok.outcome`,
    'job',
    'unknown-output',
    `${ITEMS}[strategy.job-index].webhook.outcome`,
  ],
  // items of objects, and lists of objects
  [
    `${EVENT}.webhook[0].outputs.method`,
    'job',
    'string-as-object',
    `${EVENT}.webhook.outputs.method`,
  ],
  [`${EVENT}[0].webhook.outcome`, 'job', 'string-as-object', `${EVENT}.webhook.outcome`],
  ['matrix.on[0].webhook.outcome', 'item', 'string-as-object', 'matrix.on.webhook.outcome'],
  [`join(${ITEMS}, ', ')`, 'job', 'object-as-string', `join(toJSON(${ITEMS}), ', ')`],
  [`${ITEMS}.length > 1`, 'condition', 'string-as-object', ''],
  // comparisons that are the same in every run
  [`${EVENT}.webhook`, 'condition', 'always-true', `${EVENT}.webhook.outcome == 'success'`],
  [`${EVENT}.webhook.outputs`, 'condition', 'always-true', `${EVENT}.webhook.outcome == 'success'`],
  [
    `github.ref != 'a' && ${EVENT}.webhook.outcome`,
    'condition',
    'always-true',
    `github.ref != 'a' && ${EVENT}.webhook.outcome == 'success'`,
  ],
  [
    'needs.on.outputs.items != null',
    'condition',
    'always-true',
    "(needs.on.outputs.items || '[]') != '[]'",
  ],
  [
    'needs.on.outputs.body',
    'condition',
    'always-true',
    "(needs.on.outputs.body || 'null') != 'null'",
  ],
  ['needs.on.outputs.event', 'condition', 'always-true', "needs.on.outputs.triggered == 'true'"],
  [
    "needs.on.outputs.event == ''",
    'condition',
    'always-true',
    "needs.on.outputs.triggered != 'true'",
  ],
  [EVENT, 'condition', 'always-true', "needs.on.outputs.triggered == 'true'"],
  [ITEMS, 'condition', 'always-true', `${ITEMS}[0]`],
  ['needs.on', 'condition', 'always-true', "needs.on.outputs.triggered == 'true'"],
  ['needs.on.result', 'condition', 'always-true', ''],
  [
    `${EVENT}.webhook.outcome == true`,
    'condition',
    'string-as-boolean',
    `${EVENT}.webhook.outcome == 'success'`,
  ],
  [
    `${EVENT}.webhook.outcome == false`,
    'condition',
    'string-as-boolean',
    `${EVENT}.webhook.outcome == 'failure'`,
  ],
  [
    "fromJSON(needs.on.outputs.triggered) == 'true'",
    'condition',
    'string-as-boolean',
    'fromJSON(needs.on.outputs.triggered) == true',
  ],
  ['needs.on.outputs.triggered == 1', 'condition', 'never-true', ''],
  [
    `${EVENT}.webhook == 'success'`,
    'condition',
    'object-as-string',
    `toJSON(${EVENT}.webhook) == 'success'`,
  ],
  [`${ITEMS} != '[]'`, 'condition', 'object-as-string', `toJSON(${ITEMS}) != '[]'`],
  // other accesses to a string
  ['steps.hookline.outputs.body.*', 'step', 'string-as-object', `${ON}.webhook.outputs.body.*`],
  [
    "join(needs.on.outputs.event.*.outcome, ' ')",
    'job',
    'string-as-object',
    `join(${EVENT}.*.outcome, ' ')`,
  ],
  [
    'needs.on.outputs.event[github.event.action].outcome',
    'job',
    'string-as-object',
    `${EVENT}[github.event.action].outcome`,
  ],
  [
    "steps.hookline.outputs.on[format('{0}', 'webhook')].outcome",
    'step',
    'string-as-object',
    `${ON}[format('{0}', 'webhook')].outcome`,
  ],
  [
    'steps.hookline.outputs.deliveries[0]',
    'step',
    'string-as-object',
    "fromJSON(steps.hookline.outputs.deliveries || '[]')[0]",
  ],
  ["fromJSON(steps.hookline.outputs.deliveries || '[]')[0].id", 'step', 'string-as-object', ''],
  [
    "fromJSON(steps.hookline.outputs.failed || '[]').on",
    'step',
    'string-as-object',
    "fromJSON(steps.hookline.outputs.failed || '[]')[0].on",
  ],
  [
    'steps.hookline.outputs.count.value',
    'step',
    'string-as-object',
    'steps.hookline.outputs.count',
  ],
  [
    `fromJSON(${EVENT}.webhook.outputs.method)`,
    'job',
    'string-as-object',
    `${EVENT}.webhook.outputs.method`,
  ],
  [
    'toJSON(matrix).on.webhook.outcome',
    'item',
    'string-as-object',
    "fromJSON(toJSON(matrix) || '{}').on.webhook.outcome",
  ],
  // the event as the relay sends it
  [
    'fromJSON(github.event.client_payload).path',
    'job',
    'object-as-string',
    'github.event.client_payload.path',
  ],
  [
    "fromJSON(github.event.client_payload || '{}').path",
    'job',
    'object-as-string',
    'github.event.client_payload.path',
  ],
  [
    "github.event.client_payload.heders['x-a']",
    'job',
    'unknown-output',
    "github.event.client_payload.headers['x-a']",
  ],
  ['github.event.client_payload.bodi', 'job', 'unknown-output', 'github.event.client_payload.body'],
  [
    "fromJSON(inputs.hookline || '{}').metod",
    'job',
    'unknown-output',
    "fromJSON(inputs.hookline || '{}').method",
  ],
  [
    "fromJSON(github.event.inputs.hooklin || '{}').path",
    'job',
    'unknown-input',
    "fromJSON(github.event.inputs.hookline || '{}').path",
  ],
  // whole jobs
  ['needs.on', 'job', 'object-as-string', 'toJSON(needs.on)'],
  ['fromJSON(needs.on).result', 'job', 'object-as-string', 'needs.on.result'],
  // choices between two values
  [
    "needs.on.outputs.triggered && 'a' || 'b'",
    'job',
    'always-true',
    "needs.on.outputs.triggered == 'true' && 'a' || 'b'",
  ],
  [
    "case(needs.on.outputs.triggered, 'a', 'b')",
    'job',
    'always-true',
    "case(needs.on.outputs.triggered == 'true', 'a', 'b')",
  ],
  [
    `${EVENT}.webhook.outcome && 'a' || 'b'`,
    'job',
    'always-true',
    `${EVENT}.webhook.outcome == 'success' && 'a' || 'b'`,
  ],
]

/** The text after the edit that a hint describes: the marked part is replaced, or a line is added. */
function edited(text: string, { position, hint = '' }: Finding): string {
  const [, replacement = ''] =
    /^write (.*)$/.exec(hint) ?? /^did you mean "(.*)"\?$/.exec(hint) ?? []
  if (!position || replacement === '') return text
  const lines = text.split('\n')
  const { line, column, length } = position
  const old = lines[line - 1] ?? ''
  lines[line - 1] = old.slice(0, column - 1) + replacement + old.slice(column - 1 + length)
  return lines.join('\n')
}

describe('check --strict reports a slip, and nothing after the edit of its hint:', () => {
  test.each(SLIPS)('%s', async (slip, part, id, expected) => {
    const text = native({ [part]: slip })
    const [finding, ...others] = await checked.findings(text, true)
    expect([finding?.code, others.map(({ message }) => message)]).toEqual([id, []])
    if (!finding || expected === '') return
    const after = edited(text, finding)
    expect(after).toBe(native({ [part]: expected }))
    expect(await checked.found(after, true)).toEqual([])
  })
})

describe('a job that does not pass the output "on":', () => {
  test('the note has the line that is missing, and then the hint passes', async () => {
    const without = (text: string) =>
      text.replace(/ +(?:event|EVENT): .*\n/g, '').replace('    env:\n    steps', '    steps')
    const text = without(native({ job: 'needs.on.outputs.body.type' }))
    const [finding] = await checked.findings(text, true)
    expect(finding?.hint).toBe(
      "write fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.type",
    )
    const [note = ''] = finding?.notes ?? []
    const [, line = ''] = /^add to the outputs of "on": (.*)$/.exec(note) ?? []
    if (!finding) throw new Error('no finding')
    const after = edited(text, finding).replace('      items:', `      ${line}\n      items:`)
    expect(await checked.found(after, true)).toEqual([])
  })
})

const IN_SOURCES: readonly (readonly [slip: string, id: string])[] = [
  ['on.webhook.outputs.headers.x-a.b', 'string-as-object'],
  ['on.webhook.outputs.method.x', 'string-as-object'],
  ['on.webhook.outputs', 'object-as-string'],
  ['on.webhook.outputs.params', 'object-as-string'],
  ['fromJSON(on.webhook.outputs.headers).x', 'object-as-string'],
  ["on.webhook.outputs.method == 'psot'", 'never-true'],
  ["on.webhook.outcome == 'ok'", 'never-true'],
  ['on.webhook.outputs.bdoy', 'unknown-output'],
  ['on.webhok.outputs.body', 'unknown-trigger'],
  ['needs.first.outputs.titel', 'unknown-output'],
  ['needs.first.outputs.title.x', 'string-as-object'],
]

test.each(IN_SOURCES)('in a source, check reports %s', async (slip, id) => {
  checked.write('workflows/made.yml', source(slip))
  const findings = await checked.findings('on: push\njobs: {}\n', true)
  expect(findings.map(({ code }) => code)).toEqual([id])
})

test('in a source, check reports the whole event as a condition', async () => {
  checked.write('workflows/made.yml', source('on.webhook.outcome', 'on'))
  const findings = await checked.findings('on: push\njobs: {}\n', true)
  expect(findings.map(({ code, hint }) => [code, hint])).toEqual([
    ['always-true', 'test the outcome of a trigger instead'],
  ])
})

const PASSED = "fromJSON(needs.first.outputs.event || '{}')"

/** A slip in a source, whether it is a condition, the rule, and the expression after the edit of the hint. */
const EDITED_IN_SOURCES: readonly (readonly [
  slip: string,
  place: 'env' | 'if',
  id: string,
  edited: string,
])[] = [
  [`${PASSED}.webhok.outcome`, 'env', 'unknown-output', `${PASSED}.webhook.outcome`],
  [`${PASSED}.webhook.outputs.boddy`, 'env', 'unknown-output', `${PASSED}.webhook.outputs.body`],
  [
    'needs.first.outputs.event.webhook.outcome',
    'env',
    'string-as-object',
    `${PASSED}.webhook.outcome`,
  ],
  ['steps.hookline.outputs.body.title', 'env', 'unknown-step', 'on.webhook.outputs.body.title'],
  ['steps.on.outputs.triggered', 'env', 'unknown-step', 'on.webhook.outcome'],
  ['needs.on.outputs.body', 'env', 'unknown-need', 'on.webhook.outputs.body'],
  [
    "fromJSON(needs.on.outputs.on || '{}').webhook.outcome",
    'env',
    'unknown-need',
    "fromJSON(toJSON(on) || '{}').webhook.outcome",
  ],
  ['matrix.on.webhook.outputs.method', 'env', 'unknown-matrix-key', 'on.webhook.outputs.method'],
  ['fromJSON(on).webhook.outcome', 'env', 'object-as-string', 'on.webhook.outcome'],
  ['on[0].webhook.outcome', 'env', 'string-as-object', 'on.webhook.outcome'],
  ['inputs.hooklin', 'env', 'unknown-input', 'toJSON(on)'],
  [
    'fromJSON(github.event.client_payload).path',
    'env',
    'object-as-string',
    'github.event.client_payload.path',
  ],
  ['on[github.job].outptus.method', 'env', 'unknown-output', 'on[github.job].outputs.method'],
  ["join(on.*.outputs.boddy, ', ')", 'env', 'unknown-output', "join(on.*.outputs.body, ', ')"],
  [
    "on.webhook.outputs.body.pull_request.draft == 'false'",
    'if',
    'string-as-boolean',
    'on.webhook.outputs.body.pull_request.draft == false',
  ],
  ['on.webhook', 'if', 'always-true', "on.webhook.outcome == 'success'"],
  ['on.webhook.outcome', 'if', 'always-true', "on.webhook.outcome == 'success'"],
]

test.each(EDITED_IN_SOURCES)(
  'in a source, check reports %s in %s, and nothing after the edit',
  async (slip, place, id, expected) => {
    const made = (expression: string) =>
      place === 'env' ? source(expression) : source('on.webhook.outcome', expression)
    checked.write('workflows/made.yml', made(slip))
    const [finding, ...others] = await checked.findings('on: push\njobs: {}\n', true)
    expect([finding?.code, others.map(({ message }) => message)]).toEqual([id, []])
    if (!finding) return
    const after = edited(made(slip), finding)
    expect(after).toBe(made(expected))
    checked.write('workflows/made.yml', after)
    expect(await checked.found('on: push\njobs: {}\n', true)).toEqual([])
  },
)
