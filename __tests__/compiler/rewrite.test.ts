import { describe, expect, test } from '@jest/globals'
import {
  nativeTarget,
  rewriteExpression,
  rewriteText,
  spelled,
} from '../../src/compiler/rewrite.ts'
import { UserError } from '../../src/wire/errors.ts'
import { compileText, sourceFile, withStep } from './support/compiled.ts'
import { rewritten } from './support/rewritten.ts'

describe('rewrites', () => {
  test.each([
    ['on.webhook.outputs.body', 'fromJSON(inputs.on).webhook.outputs.body'],
    ["on['webhook'].outputs", "fromJSON(inputs.on)['webhook'].outputs"],
    ['ON.Webhook.outputs.Body', 'fromJSON(inputs.on).Webhook.outputs.Body'],
    ['toJson(on)', 'toJson(fromJSON(inputs.on))'],
    ['on.*.outcome', 'fromJSON(inputs.on).*.outcome'],
    ['!on.webhook.outputs.body', '!fromJSON(inputs.on).webhook.outputs.body'],
    ['(on).webhook', '(fromJSON(inputs.on)).webhook'],
    ['github.event.on', 'github.event.on'],
    ["github['on']", "github['on']"],
    ["'on.webhook.outputs'", "'on.webhook.outputs'"],
    [
      "format('on {0} it''s on', on.webhook.outputs.method)",
      "format('on {0} it''s on', fromJSON(inputs.on).webhook.outputs.method)",
    ],
    ['matrix.on && needs.on.outputs.on', 'matrix.on && needs.on.outputs.on'],
    ['inputs.on-push || one || on-x', 'inputs.on-push || one || on-x'],
    ["'a\nb' == on.webhook.outputs.method", "'a\nb' == fromJSON(inputs.on).webhook.outputs.method"],
  ])('%s', (expression, expected) => {
    expect(rewritten(expression)).toBe(expected)
  })

  test('a whole condition as well as what stands in braces, and keys not at all', async () => {
    const { jobs } = await compileText(`on: {messaging_bot: {token: "1:a"}}
jobs:
  on:
    if: on.messaging_bot.outputs.text
    runs-on: ubuntu-latest
    env:
      on: \${{ on.messaging_bot.outcome }} on.messaging_bot
    steps:
      - if: on.messaging_bot.outputs.text == 'post' # on.messaging_bot
        run: on
`)
    expect(jobs).toContain('  on:\n    if: fromJSON(inputs.on).messaging_bot.outputs.text\n')
    expect(jobs).toContain(
      `      on: \${{ fromJSON(inputs.on).messaging_bot.outcome }} on.messaging_bot\n`,
    )
    expect(jobs).toContain(
      "- if: fromJSON(inputs.on).messaging_bot.outputs.text == 'post' # on.messaging_bot\n        run: on\n",
    )
  })

  test.each([
    // In a quoted value, quotes are escaped; in a flow mapping, quotes are added.
    [`- run: 'a \${{ on.webhook.outputs.body }}'`, `(needs.on.outputs.on || ''{}'')`],
    [`- run: "a \${{ toJSON(on) }}"`, String.raw`|| '{\"webhook\":{\"outcome\":\"skipped\"`],
    [`- {if: on.webhook.outputs.body, run: x}`, `{if: "fromJSON(needs.on.outputs.on || '{}').w`],
    [`- run: a \${{ on.webhook.outputs.body }}`, `a \${{ fromJSON(needs.on.outputs.on || '{}').w`],
  ])('beside an event of GitHub, in %s', async (step, expected) => {
    const { main } = await compileText(withStep(`      ${step}`, '[push, webhook]'))
    expect(main).toContain(expected)
  })
})

test('a step in "parallel:" reads the context on', async () => {
  const step = `      - parallel:\n          - if: on.webhook.outputs.method == 'post'\n            run: x`
  const { main } = await compileText(withStep(step))
  expect(main).toContain("- if: fromJSON(needs.on.outputs.on).webhook.outputs.method == 'post'")
})

describe('refuses, at its place,', () => {
  test.each([
    ['an unknown trigger', 'on.webhok.outputs.body', '"on" has no trigger "webhok"', 'webhok'],
    ['a trigger that is not declared', 'on.slack.outputs', '"on" has no trigger "slack"', 'slack'],
    [
      'an output that the trigger does not have',
      "on.webhook.outputs['boddy']",
      'trigger "webhook" has no output "boddy"',
      "'boddy'",
    ],
    ['a field beside the outputs', 'on.webhook.body', '"on.webhook" has no "body"', 'body'],
    [
      'what does not parse',
      'on.webhook.outputs.body ==',
      'expression: Unexpected end of expression',
      '==',
    ],
    ['what has no tokens', 'on.webhook.outputs.body ? 1', 'expression: Unexpected symbol', '?'],
    ['a text in double quotes', 'on.webhook.outputs.body == "x"', 'text in double quotes', '"x"'],
    ['an operator of JavaScript', "on.webhook.outcome === 'a'", '"===" is not an operator', '==='],
    ['an operator of SQL', "on.webhook.outcome = 'a'", '"=" is not an operator', '='],
    [
      'an event that GitHub does not know',
      "github.event_name == 'webhook'",
      'github.event_name is never "webhook"',
      'github',
    ],
    ['a context that is none', 'nosuch.foo', "Unrecognized named-value: 'nosuch'", 'nosuch'],
    ['a function that is none', 'toJsn(on)', "Unrecognized function: 'toJsn'", 'toJsn'],
  ])('%s', async (_, expression, message, found) => {
    const text = withStep(`      - if: \${{ ${expression} }}\n        run: x`)
    const failed = compileText(text)
    await expect(failed).rejects.toThrow(message)
    const { problems } = await failed.catch((error) => error)
    const { line, column } = problems[0].position
    expect(text.split('\n')[line - 1]?.slice(column - 1)).toMatch(
      new RegExp(`^${found.replace(/[=?]/g, '\\$&')}`),
    )
  })

  test.each([
    ['webhook', 'on.webhook.triggered', "compare the outcome: on.webhook.outcome == 'success'"],
    ['webhook', 'on.webhook.body', 'on.webhook.outputs.body?'],
    ['webhook', 'on.webhook.order', 'on.webhook.outputs.body.order?'],
    ['webhook', 'on.webhook.output', 'did you mean "outputs"?'],
    ['{messaging_bot: {webhook: true}}', 'on.messaging_bot.order', undefined],
    [
      '{webhook: {config: {format: "return {order: 1}"}}}',
      'on.webhook.order',
      'on.webhook.outputs.order?',
    ],
  ])('of %s: %s, with a cure', async (on, expression, cure) => {
    const text = withStep(`      - if: \${{ ${expression} }}\n        run: x`, on)
    const { problems } = await compileText(text).catch((error) => error)
    expect(problems[0].hint).toBe(cure)
  })

  test.each([
    [`run-name: \${{ on.webhook.outputs.body }}\n`, '"run-name"'],
    [`name: \${{ on.webhook.outputs.body }}\n`, '"name"'],
    [`permissions:\n  contents: \${{ on.webhook.outputs.body }}\n`, '"permissions.contents"'],
    [`concurrency: \${{ on.webhook.outputs.body }}\n`, '"concurrency"'],
    [`env:\n  A: \${{ on.webhook.outputs.body }}\nrun-name: \${{ on }}\n`, '"run-name"'],
  ])('a place that has no context on: %j', async (head, place) => {
    const failed = compileText(`${head}${withStep('      - run: x')}`)
    await expect(failed).rejects.toThrow(`the context "on" is not available in ${place}`)
  })

  test.each([
    [`webhook:\n    path: \${{ on.webhook.outputs.body }}`, "Unrecognized named-value: 'on'"],
    [`webhook:\n  push:\n    tags: ["\${{ on.webhook.outputs.x }}"]`, 'not available under "on:"'],
    [`webhook:\n    path: \${{ secrets[github.actor] }}`, '"secrets" is read without a name'],
    [`webhook:\n    path: \${{ toJSON(vars) }}`, '"vars" is read without a name'],
    [`webhook:\n    path: \${{ needs.x }}`, 'named-value'],
    [`webhook:\n  push:\n    tags: ["\${{ a b }}"]`, 'expression: Unexpected symbol'],
    [`webhook:\n  push:\n    tags: ["\${{"]`, 'expression is not closed with }}'],
    [`webhook:\n  push:\n    tags: "v\${{ on "`, 'expression is not closed with }}'],
    ['webhook:\n    metod: post', 'unknown option "metod"'],
    ['webhok:', 'unknown trigger "webhok"'],
  ])('in the section itself: %j', async (on, message) => {
    await expect(compileText(withStep('      - run: x', `\n  ${on}`)).then(String)).rejects.toThrow(
      message,
    )
  })

  test('an alias whose anchor moves to another file', async () => {
    const text =
      'on:\n  webhook:\n    path: &path /a\njobs:\n  a: {runs-on: x, steps: [{run: *path}]}\n'
    await expect(compileText(text)).rejects.toThrow('would be in two files')
  })

  test('an input that is named on', async () => {
    const text = withStep(
      '      - run: x',
      '\n  messaging_bot:\n    token: "1:a"\n  workflow_dispatch:\n    inputs:\n      On: {}',
    )
    await expect(compileText(text)).rejects.toThrow('cannot be named "on"')
  })

  test.each([
    [
      'files that no other job sees',
      withStep('      - run: x', '{webhook: {config: {exportOutputs: true}}}'),
      '"exportOutputs" has no effect: no other job can read the file',
    ],
    ['a file in braces', '{on: webhook, jobs: {}}', 'does not support braces'],
    ['a list', '- webhook', 'is not a workflow file'],
    ['a file without jobs', 'on: webhook', 'has no "jobs:" section'],
    [
      'a script for MongoDB',
      withStep('      - run: x', '{webhook: {config: {filter: {$where: "1"}}}}'),
      'operator $where runs a script; use filterScript or format',
    ],
    [
      'an operator that is not known, in a list',
      withStep('      - run: x', '{webhook: {config: {filter: {$or: [{a: {$nope: 1}}]}}}}'),
      'operator $nope is unknown',
    ],
    [
      'an every that is neither minutes nor cron',
      withStep('      - run: x', '{messaging_bot: {token: "1:a", config: {every: often}}}'),
      'is neither a number of minutes nor a cron expression',
    ],
    [
      'a time zone that is none',
      withStep('      - run: x', '{messaging_bot: {token: "1:a", config: {timeZone: Mars/Base}}}'),
      'config.timeZone',
    ],
  ])('%s', async (_, text, message) => {
    const error = await compileText(text).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(UserError)
    expect(JSON.stringify(error)).toContain(JSON.stringify(message).slice(1, -1))
  })
})

describe('in one file, with the jobs that the compiler adds to needs', () => {
  const file = sourceFile('on: [webhook, trello]\njobs: {a: {runs-on: x, steps: []}}\n')
  const skipped = JSON.stringify({
    webhook: { outcome: 'skipped', conclusion: 'skipped', outputs: {} },
    trello: { outcome: 'skipped', conclusion: 'skipped', outputs: {} },
  })
  const ON = 'fromJSON(needs.on.outputs.on)'
  const [NATIVE, WHOLE] = [
    "fromJSON(needs.on.outputs.on || '{}')",
    `fromJSON(needs.on.outputs.on || '${skipped}')`,
  ]
  const A = `fromJSON(format('["{0}"]', needs.a.result))`
  const OBJECT = `fromJSON(format('{{"a":{0}}}', toJSON(needs.a)))`
  const [own, on, more] = [['a'], ['on', 'a'], ['on', 'a', 'b']]

  test.each<[string, string | undefined, readonly string[], readonly string[], string]>([
    ['on.webhook.outputs.a', undefined, own, on, `${ON}.webhook.outputs.a`],
    ['on.webhook.outputs.a', 'NATIVE', own, on, `${NATIVE}.webhook.outputs.a`],
    ["on['webhook'].Outputs['a b']", 'NATIVE', own, on, `${NATIVE}['webhook'].Outputs['a b']`],
    ['on.webhook.outputs', 'NATIVE', own, on, `${WHOLE}.webhook.outputs`],
    ['on.webhook.outcome', 'NATIVE', own, on, `${WHOLE}.webhook.outcome`],
    ['on.webhook.outputs.*', 'NATIVE', own, on, `${WHOLE}.webhook.outputs.*`],
    ['on.*.outputs.a', 'NATIVE', own, on, `${WHOLE}.*.outputs.a`],
    ['on.webhook.other.a', 'NATIVE', own, on, `${WHOLE}.webhook.other.a`],
    ['on', 'NATIVE', own, on, WHOLE],
    ['needs.a.result', undefined, own, on, 'needs.a.result'],
    ['needs', undefined, own, own, 'needs'],
    ['toJSON(needs)', undefined, own, on, `toJSON(${OBJECT})`],
    ['needs[x]', undefined, own, on, `${OBJECT}[x]`],
    ['needs.*.outputs', undefined, own, on, `${OBJECT}.*.outputs`],
    ['needs.*.results', undefined, own, on, `${OBJECT}.*.results`],
    ['needs.*.result', undefined, own, on, A],
    ['Needs . * . Result', undefined, own, on, A],
    [
      "contains(needs.*.result, 'failure')",
      undefined,
      own,
      on,
      "contains(needs.*.result, 'failure')",
    ],
    [
      "CONTAINS( needs.*.result , 'cancelled' )",
      undefined,
      own,
      on,
      "CONTAINS( needs.*.result , 'cancelled' )",
    ],
    ["contains(needs.*.result, 'success')", undefined, own, on, `contains(${A}, 'success')`],
    ["contains(needs.*.result, 'failure')", undefined, own, more, `contains(${A}, 'failure')`],
    ["contains(needs.*.result, 'failures')", undefined, own, on, `contains(${A}, 'failures')`],
    [
      "contains(needs.*.result, 'failure' && x)",
      undefined,
      own,
      on,
      `contains(${A}, 'failure' && x)`,
    ],
    ["join(needs.*.result, 'failure')", undefined, own, on, `join(${A}, 'failure')`],
    ["contains('failure', needs.*.result)", undefined, own, on, `contains('failure', ${A})`],
    ['needs.*.result', undefined, [], ['on'], "fromJSON('[]')"],
    ['needs', undefined, [], ['on'], "fromJSON('{}')"],
    [
      'needs',
      undefined,
      ['a', 'b'],
      ['on', 'a', 'b'],
      `fromJSON(format('{{"a":{0},"b":{1}}}', toJSON(needs.a), toJSON(needs.b)))`,
    ],
    [
      'needs.*.result',
      undefined,
      ['a', 'b'],
      ['on', 'a', 'b'],
      `fromJSON(format('["{0}", "{1}"]', needs.a.result, needs.b.result))`,
    ],
  ])('%s, native %s, needs %j then %j', (expression, native, before, after, expected) => {
    const target = nativeTarget(file, native, before, after)
    expect(rewriteExpression(expression, target)).toBe(expected)
    const open = '$' + '{{'
    expect(rewriteText(`on ${open}${expression}}} ${open} on`, target)).toBe(
      `on ${open}${expected}}} ${open} ${rewriteExpression('on', target)}`,
    )
  })
})

describe('the spelling that check --fix corrects', () => {
  const open = '$' + '{{'
  const corrected = (text: string) => {
    const source = { name: 'a', file: 'a', text }
    const found = spelled(source)
    expect(found.source).toEqual({ ...source, text: found.source.text })
    return [found.source.text, found.count]
  }

  test('is of operators, of strings and of patterns', () => {
    const text = `name: ${open} a === "b" }}
on:
  webhook: {path: /a/:b?, config: {filter: {a: '${open} x === "y" }}'}}}
  trello: {path: 5}
  slack:
    path: "/x/:y?"
  discord: {path: '/it''s/:z?/*'}
jobs:
  a:
    if: a !== 'it"s' && b = "c'd" && e == f && g >= h || 'x === "y"' == i
    steps:
      - run: echo "a" === ${open} a ==="" }} = ${open} b != "c" && d<=e }}
      - if: 'a = "b"'
`
    expect(corrected(text)).toEqual([
      `name: ${open} a == 'b' }}
on:
  webhook: {path: "/a{/:b}", config: {filter: {a: '${open} x === "y" }}'}}}
  trello: {path: 5}
  slack:
    path: '/x{/:y}'
  discord: {path: '/it''s{/:z}/*rest'}
jobs:
  a:
    if: a != 'it"s' && b == 'c''d' && e == f && g >= h || 'x === "y"' == i
    steps:
      - run: echo "a" === ${open} a =='' }} = ${open} b != 'c' && d<=e }}
      - if: 'a == ''b'''
`,
      13,
    ])
  })

  test.each(['a: [', '- a', 'jobs: {a: {if: a == b}}\n', 'on: [webhook]\n', ''])(
    'is nothing in %j',
    (text) => {
      expect(corrected(text)).toEqual([text, 0])
    },
  )
})
