// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are GitHub's expressions
import { describe, expect, test } from '@jest/globals'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { UserError } from '../../src/wire/errors.ts'
import { renderProblem } from '../../src/workflow/code-frame.ts'
import { readOnSection, readWorkflowFile, type Workflow } from '../../src/workflow/workflow.ts'

const CONTEXTS = { secrets: { TEXT: 's3cret' }, vars: {}, github: {}, env: {} }
const FILE = 'workflows/hook.yml'

// To record an intended change of the printed problems, run: npm run jest -- workflow/workflow -u

/** The result of reading: the names of the triggers, or the printed problems. */
function outcome(read: () => Workflow): readonly string[] {
  try {
    return read().triggers.map(({ name }) => name)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.problems.map((problem) => renderProblem(problem))
  }
}

const file = (text: string) =>
  outcome(() =>
    readWorkflowFile(
      'hook',
      { name: FILE, file: FILE, text },
      { contexts: CONTEXTS, triggers: TRIGGERS },
    ),
  )
const section = (text: string) =>
  outcome(() =>
    readOnSection(
      'hook',
      { name: 'input "on"', file: '', text },
      { contexts: CONTEXTS, triggers: TRIGGERS },
    ),
  )

describe('a workflow file', () => {
  test.each([
    ['a word', 'on: webhook', ['webhook']],
    ['a list', 'on: [push, webhook]', ['webhook']],
    ['a mapping', 'name: x\non:\n  push:\n  webhook: {method: get}\njobs: {}', ['webhook']],
    ['a quoted key', '"on": webhook', ['webhook']],
    ['events of GitHub alone', 'on: [push, pull_request]', []],
    ['an alias among the options', 'x: &m post\non: {webhook: {method: [get, *m]}}', ['webhook']],
    ['an alias as the options', 'x: &o {path: /a}\non: {webhook: *o}', ['webhook']],
  ])('with %s', (_, text, names) => {
    expect(file(text)).toEqual(names)
  })

  test('has the variables of its own "env" in its "on:" section', () => {
    const text = `on: {webhook: {path: '/\${{ env.P }}', method: '\${{ env.M }}'}}
env: {P: 'a-\${{ secrets.TEXT }}', M: post, Q: '\${{ on.webhook.outputs.body }}'}
jobs: {}`
    const contexts = { ...CONTEXTS, env: { M: 'get' } }
    const { triggers } = readWorkflowFile(
      'hook',
      { name: FILE, file: FILE, text },
      { contexts, triggers: TRIGGERS },
    )
    expect(triggers[0]?.example).toMatchObject({ path: '/a-s3cret', method: 'POST' })
  })

  test.each(['rss', 'poll', 'script', 'reddit'])('with %s says where to read on', (name) => {
    expect(file(`on: ${name}`).join()).toContain(
      'docs/guides/from-actionsflow.md#triggers-that-poll-a-service',
    )
  })

  test('takes methods in capitals', () => {
    expect(file('on: {webhook: {method: [POST, Get]}}')).toEqual(['webhook'])
  })

  test.each([
    ['without on', 'jobs: {}', `error: ${FILE} has no "on:" section`],
    ['that is a list', '- on: webhook', `error: ${FILE} has no "on:" section`],
    ['that is empty', '', `error: ${FILE} has no "on:" section`],
  ])('%s', (_, text, message) => {
    expect(file(text)).toEqual([message])
  })

  const triggers = `triggers: ${[...TRIGGERS.keys()].join(', ')}`
  test.each(['on:', 'on: []', 'on: {}', 'on: ~'])('with nothing under it: %s', (text) => {
    const [problem = ''] = file(text)
    if (text === 'on: {}') expect(file(text)).toEqual([])
    else {
      expect(problem).toContain(`error: ${FILE} names no trigger under "on:"\n  --> ${FILE}:1:1\n`)
      expect(problem).toContain(`\n   = ${triggers}`)
    }
  })
})

const PATH = 'on:\n  webhook:\n    path: /a\n'

describe('a mistake in the YAML says what most often lies behind it', () => {
  test.each([
    ['a missing colon', 'on:\n  webhook\n    method: post', '2:3', 'is a ":" missing after it?'],
    ['a tab', 'on:\n\twebhook:', '2:1', 'indent with spaces'],
    ['a colon in a text', 'on:\n  webhook:\n    path: /user/:', '3:11', 'quote'],
    ['a trigger at the margin', 'on:\nwebhook:\n  method: post', '2:1', 'under "on:"'],
    ['a column too many', `${PATH}     method: post`, '4:6', 'check the indentation'],
    ['a column too few', `${PATH}   method: post`, '4:4', 'check the indentation'],
    ['an item aside', 'on:\n  - push\n   - webhook\n - x', '4:2', 'check the indentation'],
    ['a no-break space', `${PATH}     \u00a0method: post`, '4:6', 'indent with spaces'],
    ['no-break spaces alone', 'on:\n\u00a0\u00a0webhook:', '2:1', 'indent with spaces'],
    ['tabs in a block', `x: |\n${'\t\ta: b\n\t\tc:\n'.repeat(4)}on: webhook`, '2:1', 'with spaces'],
  ])('%s', (_, text, place, hint) => {
    const [problem = '', ...others] = file(text)
    expect(others).toEqual([])
    expect(problem).toContain(`--> ${FILE}:${place}`)
    expect(problem).toMatch(new RegExp(`\\^ .*${hint.replace('?', '\\?')}`))
    expect(problem).toMatchSnapshot()
  })
})

test('errors that follow from wrong indentation are not reported, other errors are', () => {
  const places = file(`${PATH}     method: post\n     a: b\n\n\njobs:\n  a:\n   b: [c\ne: f`).map(
    (problem) => /:(\d+):/.exec(problem)?.[1],
  )
  expect(places).toEqual(['4', '11'])
})

describe('a mistake is shown at its place', () => {
  const lines = (count: number) => '# a line\n'.repeat(count)

  test.each([
    ['beyond line 9', `${lines(9)}on:\n  webhook:\n    method: psot`, '12:13', 'psot'],
    ['after tabs in a comment', 'on: {webhook: {method: psot}} #\tx', '1:24', 'psot'],
    ['with Windows line ends', 'on:\r\n  webhook:\r\n    method: psot\r\n', '3:13', 'psot'],
    ['in a list', 'on:\n  webhook:\n    method:\n      - get\n      - psot', '5:9', 'psot'],
    ['at an alias', 'x: &m psot\non: {webhook: {method: *m}}', '1:7', 'psot'],
    ['quote', "on: {webhook: {method: 'psot'}}", '1:24', "'psot'"],
    [
      'over several lines: at the first',
      'on:\n  webhook:\n    method: >\n      psot\n',
      '3:13',
      '>',
    ],
    ['of an alias of nothing', 'on:\n  webhook: *none', '2:12', '*none'],
  ])('%s', (_, text, place, marked) => {
    const [problem = ''] = file(text)
    const [, arrow = '', , line = '', carets = ''] = problem.split('\n')
    expect(arrow.trim()).toBe(`--> ${FILE}:${place}`)
    const start = carets.indexOf('^')
    expect(line.slice(start, carets.lastIndexOf('^') + 1)).toBe(marked)
    expect(problem).not.toMatch(/[\r\t]/)
    expect(problem).toMatchSnapshot()
  })
})

test.each([
  ['line ends', '"a\\nb\\r\\u0000":', 'unknown trigger "a\\nb\\r\\u0000"'],
  ['quotes', `'a"b':`, 'unknown trigger "a\\"b"'],
  ['much text', `${'x'.repeat(900)}:`, `unknown trigger "${'x'.repeat(60)}…"`],
  ['an option of it', `webhook: {${'x'.repeat(900)}: 1}`, `unknown option "${'x'.repeat(60)}…"`],
])('a name with %s is shown on one line, and cut', (_, text, message) => {
  const [problem = ''] = section(text)
  expect(problem.split('\n')[0]).toBe(`error: ${message}`)
})

describe('options that are wrong', () => {
  test.each([
    ['{method: {a: b}}', 'HTTP method is a mapping, not a name'],
    ['{method: }', 'HTTP method is empty, not a name'],
    ['{method: [[get]]}', 'HTTP method is a list, not a name'],
    ['{method: []}', '"method" is an empty list'],
    ['{path: 5}', '"path" is a number, not a string'],
    ['{path: true}', '"path" is a boolean, not a string'],
    ['{path: }', '"path" is empty, not a string'],
    ['{deduplicationKey: ""}', '"deduplicationKey" is empty'],
    ['{deduplicationKey: [a]}', '"deduplicationKey" is a list, not a string'],
    ['5', 'options are a number, not a mapping of options'],
    ['text', 'options are a string, not a mapping of options'],
    ['[]', 'options are a list, not a mapping of options'],
    ['true', 'options are a boolean, not a mapping of options'],
  ])('%s', (options, message) => {
    const [problem = '', ...more] = section(`webhook: ${options}`)
    expect(problem.split('\n')[0]).toBe(`error: ${message}`)
    expect(problem).toMatchSnapshot()
    expect(more).toEqual([])
  })
})

describe('the value of an expression is never quoted', () => {
  const TEXT = '${{ secrets.TEXT }}'
  test.each([
    [`{method: "${TEXT}"}`, 'the expression gives no valid "method"'],
    [`{method: [get, "${TEXT}"]}`, 'the expression gives no valid "method"'],
    [`{method: "x${TEXT}"}`, 'the expression gives no valid "method"'],
    [`{path: "/${TEXT}("}`, 'the expression gives no valid "path"'],
    [`{path: "/:a:${TEXT}"}`, 'the expression gives no valid "path"'],
    [`"${TEXT}"`, 'options are a string, not a mapping of options'],
    ['"${{ fromJSON(\'{}\') }}"', undefined],
    ['{path: "${{ fromJSON(\'[1]\') }}"}', '"path" is a list, not a string'],
  ])('%s', (options, message) => {
    const [problem = ''] = section(`webhook: ${options}`)
    if (message === undefined) expect(problem).toBe('webhook')
    else expect(problem.split('\n')[0]).toBe(`error: ${message}`)
    expect(problem).toMatchSnapshot()
    expect(problem).not.toContain('s3cret')
  })
})

describe('values of expressions, and long integers, are checked as they are recorded:', () => {
  const e = (expression: string) => JSON.stringify(`\${{ ${expression} }}`)
  test.each([
    `webhook: {config: {limit: ${e("'5'")}}}`,
    `webhook: {config: {active: ${e("'true'")}}}`,
    `webhook: {config: {limit: ${e("fromJSON('-1')")}}}`,
    `webhook: {config: {limit: ${e("fromJSON('5')")}, active: ${e("fromJSON('true')")}}}`,
    `webhook: {method: ${e("fromJSON('[]')")}}`,
    `webhook: {method: ${e('fromJSON(\'["get","psot"]\')')}}`,
    `webhook: {path: ${e("fromJSON('5')")}}`,
    `webhook: {path: ${e("fromJSON('{}')")}}`,
    `webhook: {config: ${e('fromJSON(\'{"limt":1,"limit":-1}\')')}}`,
    `webhook: ${e('fromJSON(\'{"metod":1,"path":5}\')')}`,
    `webhook: ${e("fromJSON('[1]')")}`,
    `webhook: {config: ${e("fromJSON('[1]')")}}`,
    `webhook: {config: {filter: ${e('fromJSON(\'{"a":{"$gtt":1}}\')')}}}`,
    `webhook: {config: {filter: {a: {$gtt: ${e("fromJSON('1')")}}}}}`,
    `webhook: {config: {sort: ${e('fromJSON(\'{"a":2}\')')}}}`,
    `webhook: {config: {outputsMode: ${e("'x'")}}}`,
    `webhook: {config: {every: ${e("'x'")}}}`,
    `webhook: {config: {timeZone: ${e("'x'")}}}`,
    `webhook: {verify: ${e("fromJSON('[]')")}}`,
    `webhook: {verify: ${e("fromJSON('[[1]]')")}}`,
    `webhook: {verify: {scheme: ${e("'githb'")}, secret: a}}`,
    `webhook: {verify: [{scheme: github, secret: ${e("'s'")}, tolerance: ${e("'5'")}}, {scheme: github}]}`,
    `webhook: {deduplicationKey: ${e("'a..b'")}}`,
    `messaging_bot: {token: ${e("'x'")}}`,
    `messaging_bot: {token: "1:a", chats: ${e("fromJSON('[1,{}]')")}}`,
    `messaging_bot: {token: "1:a", webhook: ${e("'true'")}}`,
    `webhook: {config: {filter: {a: ${e("fromJSON('1089234567890123456')")}, b: ${e("fromJSON('100000000000000')")}, c: {$in: [${e("fromJSON('-1000000000000000')")}]}}}}`,
    `webhook: {config: {filter: {a: 999999999999999, b: 1000000000000000, c: -1000000000000000, d: 1.5e15, e: 1000000000000000.0, f: 1E+15, g: +1000000000000000, h: {$gte: 1000000000000000}, i: {$not: {$lt: 0x7fffffffffffffff}}}}}`,
  ])('%s', (text) => {
    expect(section(text).join('\n')).toMatchSnapshot()
  })
})
