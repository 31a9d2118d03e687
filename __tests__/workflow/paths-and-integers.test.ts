// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are GitHub's expressions
import { describe, expect, test } from '@jest/globals'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { UserError } from '../../src/wire/errors.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'

/** The problems of an `on:` section, each with its line, column and length. */
function problemsOf(text: string): (string | undefined)[][] {
  try {
    const secrets = { ID: '1089234567890123456' }
    readOnSection(
      'hook',
      { name: 'hook.yml', file: '', text },
      { contexts: { secrets }, triggers: TRIGGERS },
    )
    return []
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.problems.map(({ message, hint, position }) => {
      const { line, column, length } = position ?? {}
      return [`${line}:${column}+${length}`, message, hint]
    })
  }
}

const filter = (condition: string) => `webhook:\n  config:\n    filter: {${condition}}`

describe('an integer of 16 or more digits in an option is a mistake:', () => {
  test.each([
    [filter('body.channel_id: 1089234567890123456'), '3:31+19', '"1089234567890123456"'],
    [filter('body.id: -1089234567890123'), '3:23+17', '"-1089234567890123"'],
    [filter('body.id: {$in: [1, 1089234567890123456]}'), '3:33+19', '"1089234567890123456"'],
    [filter('body.a: {$ne: 0x7fffffffffffffff}'), '3:28+18', '"9223372036854775807"'],
    [filter('body.id: +1089234567890123'), '3:23+17', '"1089234567890123"'],
    [
      'discord: {config: {filter: {channel_id: 1089234567890123456}}}',
      '1:41+19',
      '"1089234567890123456"',
    ],
  ])('%s', (text, place, digits) => {
    expect(problemsOf(text)).toEqual([
      [
        place,
        expect.stringMatching(/^"[\w.$]+" is an integer of 16 or more digits/),
        `write it in quotes: ${digits}`,
      ],
    ])
  })

  test('also from an expression, whose digits are not shown', () => {
    const text = filter('body.id: "${{ fromJSON(secrets.ID) }}"')
    const problems = problemsOf(text)
    expect(problems).toMatchObject([[expect.any(String), expect.any(String), 'write it in quotes']])
    expect(JSON.stringify(problems)).not.toContain('1089234567890123')
  })
})

describe('a comparison by order with such an integer is a mistake:', () => {
  test.each([
    [filter('body.id: {$gt: 1089234567890123456}'), '3:29+19'],
    [filter('body.id: {$lte: "1089234567890123456"}'), '3:30+21'],
    [filter('body.id: {$not: {$gt: "1089234567890123456"}}'), '3:36+21'],
    [filter('$or: [{body.id: {$lt: "1089234567890123456"}}]'), '3:36+21'],
    [filter('body.l: {$elemMatch: {id: {$gte: "1089234567890123456"}}}'), '3:47+21'],
    [
      'webhook:\n  config:\n    filterOutputs: {a: {$gt: [$body.id, "1089234567890123456"]}}',
      '3:30+33',
    ],
  ])('%s', (text, place) => {
    expect(problemsOf(text)).toEqual([
      [place, expect.stringMatching(/^"config\.filter.*\$\w+ cannot compare integers/), undefined],
    ])
  })
})

describe('these are no mistakes:', () => {
  test.each([
    [filter('body.id: "1089234567890123456"')],
    [filter('body.id: 999999999999999')],
    [filter('body.id: {$gt: 999999999999999}')],
    [filter('body.id: {$gt: "v1.2"}')],
    [filter('body.x: 1e16')],
    [filter('body.x: 1.5')],
    ['messaging_bot: {token: "1:a", chats: [-1001234567890123], users: 5000000000000001}'],
    ['webhook:\n  config:\n    filterScript: return BigInt(item.body.id) > 1089234567890123456n'],
  ])('%s', (text) => {
    expect(problemsOf(text)).toEqual([])
  })
})

describe('an option that is no number, or no string, names its cure:', () => {
  const config = (option: string) => `webhook: {config: {${option}}}`
  test.each([
    [config('skip: 99999999999999999999'), '"config.skip" is too large', undefined],
    [config('limit: 9007199254740992'), '"config.limit" is too large', undefined],
    [config('limit: .nan'), '"config.limit" is NaN, not a number', undefined],
    [
      config('limit: "${{ secrets.ID }}"'),
      '"config.limit" is a string, not a number',
      'convert the string: ${{ fromJSON(…) }}',
    ],
    [
      config('active: "${{ secrets.ID }}"'),
      '"config.active" is a string, not a boolean',
      'convert the string: ${{ fromJSON(…) }}',
    ],
    [config('active: yes'), '"config.active" is a string, not a boolean', 'write true or false'],
    ['webhook: {deduplicationKey: 5}', '"deduplicationKey" is a number', 'write it in quotes'],
    [
      'webhook: {verify: {scheme: bearer, secret: 1089234567890123456}}',
      '"verify.secret" is a number, not a string',
      'write it in quotes',
    ],
  ])('%s', (text, message, hint) => {
    expect(problemsOf(text)).toEqual([[expect.any(String), expect.stringContaining(message), hint]])
  })

  test('the largest exact integer is a limit', () => {
    expect(problemsOf(config('limit: 9007199254740991'))).toEqual([])
  })
})

describe('a path that is none is shown at its key:', () => {
  test.each([
    [filter('body..a: 1'), '3:14+7', '"config.filter.body..a": the path is not a path'],
    [filter('body.__proto__.a: 1'), '3:14+16', 'names __proto__'],
    [filter('"a[\'constructor\']": 1'), '3:14+18', 'names constructor'],
    [filter('$or: [{"a[0": 1}]'), '3:21+5', 'the path is not a path from "[0" on'],
    [filter('a: {$elemMatch: {b.prototype: 1}}'), '3:31+11', 'names prototype'],
    ['webhook: {config: {sort: {a..b: 1}}}', '1:27+4', 'the path is not a path'],
    ['webhook: {config: {filterOutputs: {a: $b.__proto__}}}', '1:39', 'names __proto__'],
    ['webhook: {config: {filterOutputs: {a..b: 1}}}', '1:36', 'the path is not a path'],
    ['webhook: {config: {deduplicateBy: a..b}}', '1:35+4', '"config.deduplicateBy" is not a path'],
    ['webhook: {deduplicationKey: a..b}', '1:29+4', '"deduplicationKey" is not a path'],
    ['webhook: {deduplicationKey: ""}', '1:29+2', '"deduplicationKey" is empty'],
    [
      'webhook: {verify: {scheme: token, secret: a, field: "a["}}',
      '1:53+4',
      '"verify.field" is not a path',
    ],
  ])('%s', (text, place, message) => {
    const [[found = '', said] = []] = problemsOf(text)
    expect(found).toContain(place)
    expect(said).toContain(message)
  })
})
