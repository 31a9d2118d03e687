import { describe, expect, test } from '@jest/globals'
import { durationSeconds } from '../../src/wire/duration.ts'
import { bugOf, errorCode, ofLevel, readOrUndefined, UserError } from '../../src/wire/errors.ts'
import { HttpFailure, jitter, jsonResponse } from '../../src/wire/http.ts'
import { notice, textsAtLevel, warning } from '../../src/wire/messages.ts'
import { counted, printable, printableJson } from '../../src/wire/printable.ts'
import {
  cureOfFailure,
  cureOfNothingFired,
  nothingFiredReason,
  nothingFiredText,
  VALUE_NOT_SET,
} from '../../src/wire/run-reasons.ts'
import { environmentHelp, wrap } from '../../src/wire/settings-help.ts'
import { isUuid } from '../../src/wire/uuid.ts'
import { wordSet, words } from '../../src/wire/words.ts'

describe('a duration', () => {
  test.each([
    ['90d', 7_776_000],
    ['12h', 43_200],
    ['30m', 1800],
    ['99999m', 5_999_940],
    ['100000m', undefined],
    ['0m', undefined],
    ['05m', undefined],
    ['1.5h', undefined],
    ['30s', undefined],
    ['30', undefined],
    ['x30m', undefined],
    ['30mx', undefined],
    ['', undefined],
  ])('of %j is %s seconds', (text, seconds) => {
    expect(durationSeconds(text)).toBe(seconds)
  })
})

describe('why no trigger fired', () => {
  test.each([
    ['verify: x', "Store the sender's secret in the repository: gh secret set <NAME>"],
    ['secretToken: x', "Store the bot's secret token in the repository: gh secret set <NAME>"],
    ['method: x', 'Correct "method" of the trigger in the workflow, and push it'],
    ['path: x', 'Correct "path" of the trigger in the workflow, and push it'],
    ['filter: x: y', 'Correct "filter" of the trigger in the workflow, and push it'],
    ['deduplicate', 'An earlier run received the event'],
    [
      'workflow: x',
      'Correct the workflow of the endpoint: hookline endpoint update <name> --workflow <name>',
    ],
    [
      'trigger: x',
      'Correct the trigger of the endpoint: hookline endpoint update <name> --trigger <name>',
    ],
    ['payload: x', 'Correct the request at the sender'],
    ['limit: x', 'Correct the trigger in the workflow, and push it'],
    ['toString: x', 'Correct the trigger in the workflow, and push it'],
    ['', 'Correct the trigger in the workflow, and push it'],
  ])('%s', (reason, cure) => {
    expect(cureOfNothingFired(reason)).toBe(cure)
    expect(nothingFiredReason(nothingFiredText(reason))).toBe(reason)
  })

  test('is in no other annotation', () => {
    expect(nothingFiredReason('x no trigger fired: y')).toBeUndefined()
    expect(nothingFiredReason('no trigger fired')).toBeUndefined()
  })

  test('is another thing than a secret that is not set', () => {
    expect(cureOfFailure(`"token" ${VALUE_NOT_SET}`)).toBe(
      'Store the secret in the repository, and pass it in the input "secrets" of the action: gh secret set <NAME>',
    )
    expect(cureOfFailure('filter: x')).toBeUndefined()
  })
})

describe('a help text', () => {
  test('wraps words, and has a long one on its own line', () => {
    expect(wrap('a bb ccc dddddddd e', 6)).toEqual(['a bb', 'ccc', 'dddddddd', 'e'])
    expect(wrap('ab cd ef', 5)).toEqual(['ab cd', 'ef'])
    expect(wrap('', 5)).toEqual([''])
  })

  test('lists variables with their defaults', () => {
    const own = ['A', `${'word '.repeat(13)}end`] as const
    expect(environmentHelp('PORT', 'HOOKLINE_DATA', own)).toBe(
      [
        'Environment:',
        '  PORT           port to listen on; 0 selects a free port (default: 3000)',
        '  HOOKLINE_DATA  folder of the database and the relay key',
        `  A              ${'word '.repeat(11)}word`,
        '                 word end',
      ].join('\n'),
    )
  })
})

describe('an error', () => {
  test('of HTTP names its reason and its proxy', () => {
    expect(new HttpFailure('timeout', 'aborted').message).toBe('no answer in time (aborted)')
    expect(new HttpFailure('connection', 'ECONNRESET', 'proxy:1')).toMatchObject({
      message: 'no connection through the proxy proxy:1 (ECONNRESET)',
      reason: 'connection',
      proxy: 'proxy:1',
    })
  })

  test('of a user has all messages', () => {
    expect(new UserError([{ message: 'a' }, { message: 'b' }]).message).toBe('a\nb')
    expect(new UserError({ message: 'a' }).problems).toEqual([{ message: 'a' }])
    expect(
      readOrUndefined(() => {
        throw new UserError({ message: 'a' })
      }),
    ).toBeUndefined()
    const bug = new TypeError('a bug')
    expect(() =>
      readOrUndefined(() => {
        throw bug
      }),
    ).toThrow(bug)
    expect(readOrUndefined(() => 5)).toBe(5)
  })

  test('that is a bug has a stack without its message', () => {
    const bug = new RangeError('line\n    at the end')
    const { name, frames } = bugOf(bug)
    expect(name).toBe('RangeError')
    expect(frames[0]).toMatch(/^ {4}at .*texts\.test/)
    expect(frames.join()).not.toContain('at the end')
    bug.stack = `RangeError: ${bug.message}\nx    at a\n\tat b\nat c`
    expect(bugOf(bug).frames).toEqual(['\tat b'])
    const none = new Error('no stack')
    delete none.stack
    expect(bugOf(none)).toEqual({ name: 'Error', frames: [] })
  })

  test.each<[unknown, string | undefined]>([
    [{ code: 'ENOENT' }, 'ENOENT'],
    [{ code: 5 }, undefined],
    [{}, undefined],
    [null, undefined],
    ['ENOENT', undefined],
  ])('%j has the code %s', (error, code) => {
    expect(errorCode(error)).toBe(code)
  })
})

test('messages and findings are selected by level', () => {
  const messages = [warning('a', 'one'), notice('b', 'two'), warning('c', 'three')]
  expect(textsAtLevel(messages, 'warning')).toEqual(['one', 'three'])
  const findings = messages.map(({ code, text }) => ({
    ...{ code, message: text },
    level: code === 'b' ? ('error' as const) : ('warning' as const),
  }))
  expect(ofLevel(findings, 'error').map(({ code }) => code)).toEqual(['b'])
})

test('a pause doubles up to the longest', () => {
  const pause = { first: 100, longest: 300 }
  expect([0, 1, 2, 3].map((retry) => jitter(retry, 0.5, pause))).toEqual([50, 100, 150, 150])
})

test('a value is a response as JSON', () => {
  expect(jsonResponse({ a: 1 })).toEqual({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
  })
})

describe('text for a terminal', () => {
  test.each([
    ['a\r\nb\rc\u2028d\u2029e\nf', 'a\nb\nc\nd\ne\nf'],
    ['::error::a\n \u0085::b\nc::d\n:e', ': :error::a\n \ufffd: :b\nc::d\n:e'],
    ['##[a]##[b]', '## [a]## [b]'],
    ['a\tb\u0000\u0008\u000b\u001f\u007f\u009f', 'a\tb\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd'],
    ['\u202a\u202e\u2066\u2069\u2065', '\ufffd\ufffd\ufffd\ufffd\u2065'],
  ])('%j is printed as %j', (text, expected) => {
    expect(printable(text)).toBe(expected)
  })

  test('as JSON has escapes', () => {
    expect(printableJson('"##[\u007f\u2028\u2029\u202a\u202e\u2066\u2069\u00e9"')).toBe(
      '"##\\u005b\\u007f\\u2028\\u2029\\u202a\\u202e\\u2066\\u2069\u00e9"',
    )
  })

  test('counts in words', () => {
    expect([counted(1, 'item'), counted(0, 'item')]).toEqual(['1 item', '0 items'])
  })
})

test('words are between any white space', () => {
  expect(words(' a\n  b c ')).toEqual(['a', 'b', 'c'])
  expect(wordSet('a a b')).toEqual(new Set(['a', 'b']))
})

test.each([
  ['0b6a1f4e-1111-4222-8333-0123456789ab', true],
  ['0B6A1F4E-1111-4222-8333-0123456789AB', true],
  ['x0b6a1f4e-1111-4222-8333-0123456789ab', false],
  ['0b6a1f4e-1111-4222-8333-0123456789abx', false],
  ['0b6a1f4e11114222833301234567890ab', false],
])('%s is a UUID: %s', (text, expected) => {
  expect(isUuid(text)).toBe(expected)
})
