import { describe, expect, test } from '@jest/globals'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { UserError } from '../../src/wire/errors.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'

const CONTEXTS = {
  secrets: { SET: 'never-to-be-shown', EMPTY: '', LIST: '["a","b"]', OBJECT: '{"a":""}' },
  vars: { SET: 'a', EMPTY: '', NULL: 'null', NAME: 'NO' },
  env: { SET: 'a' },
  github: { event_name: 'repository_dispatch' },
}

/** The messages about an `on:` section; none if it is valid. */
function complaints(on: string): string[] {
  try {
    readOnSection(
      'hook',
      { name: 'input "on"', text: on, file: 'hook.yml' },
      { contexts: CONTEXTS, triggers: TRIGGERS },
    )
    return []
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.problems.map(({ message, position }) => {
      expect(position).toBeDefined()
      expect(message).not.toContain('never-to-be-shown')
      return message
    })
  }
}

const verify = (options: string) => `webhook:\n  verify: {${options}}`
const github = (secret: string) => verify(`scheme: github, secret: ${JSON.stringify(secret)}`)
const empty = (names: string, kind = 'secret', context = 'secrets') =>
  `${names}: is the ${kind} set, and given to the action under "${context}", or to dev in .env?`

describe('an expression that reads what is not set names it', () => {
  test.each([
    ['${{ secrets.NO }}', 'secrets.NO is empty'],
    ['${{ secrets.EMPTY }}', 'secrets.EMPTY is empty'],
    ['${{ secrets.NO }} ', 'secrets.NO is empty'],
    ['${{ secrets.NO }}\n', 'secrets.NO is empty'],
    ['v1-${{ secrets.NO }}', 'secrets.NO is empty'],
    ['${{ secrets.SET }}${{ secrets.NO }}', 'secrets.NO is empty'],
    ['${{ secrets.A }}-${{ secrets.B }}', 'secrets.A is empty'],
    ["${{ format('{0}:{1}', secrets.A, secrets.B) }}", 'secrets.A, secrets.B are empty'],
    ['${{ toJSON(secrets.NO) }}', 'secrets.NO is empty'],
    ["${{ secrets['NO'] }}", 'secrets.NO is empty'],
    ['${{ SECRETS.no }}', 'secrets.no is empty'],
    ['${{ secrets[vars.NAME] }}', 'secrets.NO is empty'],
    ['${{ secrets[vars.NO] || secrets.SET }}', undefined],
    [
      "${{ format('k-{0}', secrets[vars.SET == 'b' && 'A' || '']) }}",
      'secrets.<empty name> is empty',
    ],
    ["${{ secrets.NO == '' }}", 'secrets.NO is empty'],
    ['${{ !secrets.NO }}', 'secrets.NO is empty'],
    ["${{ secrets.SET && secrets.NO == '' }}", 'secrets.NO is empty'],
    ["${{ secrets.NO == '' && secrets.EMPTY }}", 'secrets.EMPTY is empty'],
    ['${{ secrets.NO || secrets.EMPTY }}', 'secrets.NO, secrets.EMPTY are empty'],
    ["${{ format('{0}', secrets.NO) || format('v1-{0}', secrets.NO) }}", 'secrets.NO is empty'],
    ["${{ format('v1-{0}', secrets.NO) || secrets.SET }}", 'secrets.NO is empty'],
    ['${{ secrets.SET && secrets.NO }}', 'secrets.NO is empty'],
    ['${{ secrets.NO && secrets.SET || secrets.EMPTY }}', 'secrets.NO, secrets.EMPTY are empty'],
    ["${{ vars.SET == 'a' && secrets.NO || '' }}", 'secrets.NO is empty'],
    ['${{ secrets.NO || secrets.SET }}', undefined],
    ['${{ (secrets.NO) || (secrets.SET) }}', undefined],
    ['v1-${{ secrets.NO || secrets.SET }}', undefined],
    ['${{ secrets.NO && secrets.EMPTY || secrets.SET }}', undefined],
    ["${{ vars.NO == 'x' && secrets.NO || secrets.SET }}", undefined],
    ["${{ vars.NO != 'x' && secrets.SET || secrets.NO }}", undefined],
    ['${{ secrets.SET }}', undefined],
    ['${{ fromJSON(secrets.LIST)[0] }}', undefined],
  ])('%j: %s', (secret, found) => {
    expect(complaints(github(secret))).toEqual(
      found === undefined ? [] : [`"verify.secret": ${empty(found)}`],
    )
  })

  test.each([
    '${{ fromJSON(secrets.OBJECT).a }}',
    'v1-${{ fromJSON(secrets.OBJECT).b }}',
    "${{ '' }}",
    'v1-${{ github.nothing }}',
    "x${{ ' ' }}",
  ])('or comes to nothing in another way: %s', (secret) => {
    expect(complaints(github(secret))).toEqual(['"verify.secret": the expression is empty'])
  })

  test.each([
    [verify('scheme: basic, secret: "${{ secrets.U }}:${{ secrets.P }}"'), 'secret', 'secrets.U'],
    [verify('scheme: basic, secret: "admin:${{ secrets.P }}"'), 'secret', 'secrets.P'],
    [
      verify('scheme: trello, secret: x, url: "https://e.example/?__token=${{ secrets.T }}"'),
      'url',
      'secrets.T',
    ],
    [verify('scheme: token, secret: x, header: "${{ secrets.H }}"'), 'header', 'secrets.H'],
    [verify('scheme: aws_sns, topic: ["${{ secrets.T }}"]'), 'topic', 'secrets.T'],
    [
      verify('scheme: hmac, header: a, secret: x, signedPayload: "{body}${{ secrets.T }}"'),
      'signedPayload',
      'secrets.T',
    ],
  ])('%s', (on, option, name) => {
    expect(complaints(on)).toEqual([`"verify.${option}": ${empty(`${name} is empty`)}`])
  })

  test('in a block of text, whose line break would be the whole key', () => {
    const on = 'webhook:\n  verify:\n    scheme: github\n    secret: |\n      ${{ secrets.NO }}\n'
    expect(complaints(on)).toEqual([`"verify.secret": ${empty('secrets.NO is empty')}`])
  })

  test.each([
    ['webhook: ${{ vars.HOOK }}', empty('vars.HOOK is empty', 'variable', 'vars')],
    [
      'webhook:\n  verify: ${{ vars.V }}',
      `"verify": ${empty('vars.V is empty', 'variable', 'vars')}`,
    ],
    ['webhook:\n  path: /${{ vars.P }}', `"path": ${empty('vars.P is empty', 'variable', 'vars')}`],
    [
      'webhook:\n  path: /${{ env.P }}',
      '"path": env.P is empty: is the variable set where the action runs?',
    ],
    [
      'messaging_bot:\n  token: 1:a\n  chats: ["${{ vars.C }}"]',
      `"chats": ${empty('vars.C is empty', 'variable', 'vars')}`,
    ],
    [
      'webhook:\n  config:\n    filter: {body.user: "${{ vars.U }}"}',
      `"config.filter.body.user": ${empty('vars.U is empty', 'variable', 'vars')}`,
    ],
    ['webhook: ${{ fromJSON(vars.NULL) }}', 'the expression is empty'],
  ])('%s', (on, message) => {
    expect(complaints(on)).toEqual([message])
  })
})

describe('outside of verification options, a comparison with an unset value is valid', () => {
  test.each([
    "webhook:\n  config:\n    active: ${{ vars.NO != 'false' }}",
    'webhook:\n  config:\n    active: ${{ !vars.NO }}',
    "webhook:\n  config:\n    active: ${{ contains(vars.NO, 'x') }}",
    "messaging_bot:\n  token: 1:a\n  webhook: ${{ vars.NO == 'true' }}",
    "webhook:\n  path: ${{ vars.NO == '' && '/a' || vars.NO }}",
    "webhook:\n  path: ${{ vars.NO || '/a' }}",
    "webhook:\n  config:\n    limit: ${{ fromJSON(vars.NO || '5') }}",
    'webhook:\n  path: ${{ vars.SET }}${{ github.nothing }}',
  ])('%s', (on) => {
    expect(complaints(on)).toEqual([])
  })
})
