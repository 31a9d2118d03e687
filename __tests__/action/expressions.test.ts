// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are GitHub's expressions
import { describe, expect, test } from '@jest/globals'
import { dispatchEvent, runInShared } from '../support/action.ts'
import { fire, itemOf, payload } from './step.ts'

const env = { MY_PATH: '/from-env', INPUT_HIDDEN: '/hidden', ACTIONS_RUNTIME_TOKEN: '/hidden' }
const inputs = {
  secrets: '{"PATH_PART": "s3cret-part", "METHODS": "[\\"post\\", \\"put\\"]", "ANY": "{}"}',
  vars: '{"METHOD": "post"}',
}

/** Runs an `on:` with secrets, vars and an environment, on a POST to `/hook/webhook` + path. */
function run(on: string, path: string) {
  const event = dispatchEvent(payload({ path: `hook/webhook${path}` }))
  return runInShared({ ...event, inputs: { ...inputs, on }, env })
}

describe('an expression in on:', () => {
  test.each([
    ['a secret in text', 'webhook: {path: "/x-${{ secrets.PATH_PART }}/:id"}', '/x-s3cret-part/1'],
    ['a secret by index', 'webhook: {path: "/${{ secrets[\'PATH_PART\'] }}"}', '/s3cret-part'],
    ['a variable', 'webhook: {method: "${{ vars.METHOD }}"}', ''],
    ['a variable in a list', 'webhook: {method: [get, "${{ vars.METHOD }}"]}', ''],
    ['the environment', 'webhook: {path: "${{ env.MY_PATH }}"}', '/from-env'],
    ['the github context', 'webhook: {path: "/${{ github.repository }}"}', '/octo/repo'],
    ['the event', 'webhook: {path: "/${{ github.event.action }}"}', '/webhook'],
    [
      'several in one text',
      'webhook: {path: "/${{ vars.METHOD }}-${{ vars.METHOD }}"}',
      '/post-post',
    ],
    ['braces in a string', "webhook: {path: \"/${{ 'a}}b' != '' && 'yes' }}\"}", '/yes'],
    ['a function', "webhook: {path: \"/${{ format('{0}-{1}', 'a', 1) }}\"}", '/a-1'],
    ['a comparison', "webhook: {path: \"/${{ vars.METHOD == 'POST' && 'yes' || 'no' }}\"}", '/yes'],
    ['a single one keeps its type', 'webhook: {method: "${{ fromJSON(secrets.METHODS) }}"}', ''],
    ['a single one for all options', 'webhook: ${{ fromJSON(secrets.ANY) }}', ''],
    ['a missing name with another one', 'webhook: {path: "/a${{ vars.NONE || \'b\' }}"}', '/ab'],
  ])('%s', async (_, on, path) => {
    expect((await run(on, path)).outputs).toMatchObject({ triggered: 'true', count: '1' })
  })

  test('a method from an expression narrows', async () => {
    const on = 'webhook: {method: "${{ fromJSON(secrets.METHODS) }}"}'
    const get = dispatchEvent(payload({ method: 'GET' }))
    const { outputs } = await runInShared({ ...get, inputs: { ...inputs, on } })
    expect(outputs.triggered).toBe('false')
  })

  test.each(['INPUT_HIDDEN', 'INPUT_SECRETS', 'ACTIONS_RUNTIME_TOKEN'])(
    'does not see %s in env',
    async (name) => {
      const on = `webhook: {path: "/:x/\${{ env.${name} || 'empty' }}"}`
      expect(itemOf(await run(on, '/seen/empty')).params).toEqual({ x: 'seen' })
    },
  )

  test.each([
    [
      'an unknown context',
      'webhook:\n  path: /${{ steps.x.outputs.y }}',
      'error: "path": expression: Unrecognized named-value: \'steps\' (contexts here: secrets, vars, github, env)',
      [
        ' --> input "on":2:14',
        '   |',
        ' 2 |   path: /${{ steps.x.outputs.y }}',
        '   |              ^^^^^^^^^^^^^^^^^',
      ],
    ],
    [
      'one that is not closed',
      'webhook:\n  path: /a${{ vars.A }',
      'error: "path": expression is not closed with }}',
      [
        ' --> input "on":2:11',
        '   |',
        ' 2 |   path: /a${{ vars.A }',
        '   |           ^^^^^^^^^^^^',
      ],
    ],
    [
      'one in a list that does not parse',
      'webhook:\n  method:\n    - get\n    - ${{ vars.A + 1 }}',
      'error: "method": expression: Unexpected symbol: \'+\'. Located at position 9 within expression:  vars.A + 1  (contexts here: secrets, vars, github, env)',
      [' --> input "on":4:11'],
    ],
    [
      'an empty one',
      'webhook: {path: "${{ }}"}',
      'error: "path": expression cannot be evaluated',
      [' --> input "on":1:17'],
    ],
    [
      'one whose value is no method, without the value',
      'webhook: {method: "${{ secrets.PATH_PART }}"}',
      'error: the expression gives no valid "method"',
      [' --> input "on":1:19'],
    ],
    [
      'one whose value is no pattern, without the value',
      'webhook: {path: "/${{ secrets.METHODS }}"}',
      'error: the expression gives no valid "path"',
      [' --> input "on":1:17'],
    ],
    [
      'one whose value has unknown options, without their names',
      'webhook: "${{ fromJSON(format(\'{{\\"{0}\\":1}}\', secrets.PATH_PART)) }}"',
      'error: the expression gives no valid options',
      [' --> input "on":1:1'],
    ],
    [
      'one that reads a secret as JSON, without its text',
      'webhook: {path: "${{ fromJSON(secrets.PATH_PART) }}"}',
      'error: "path": expression cannot be evaluated',
      [' --> input "on":1:22'],
    ],
  ])('with a mistake: %s', async (_, on, message, frame) => {
    const { exitCode, stdout, stderr, outputs } = await run(on, '')
    expect(stdout).toContain(`${message}\n `)
    expect(stdout).toContain(frame.join('\n'))
    const nothing = { triggered: 'false', items: '[]' }
    expect({ exitCode, outputs }).toMatchObject({ exitCode: 1, outputs: nothing })
    expect(stdout + stderr).not.toContain('s3cret')
  })
})

test('a text without an expression keeps its dollars and braces', async () => {
  const { outputs } = await fire('webhook: {deduplicationKey: "$ { }} $x"}')
  expect(outputs.triggered).toBe('true')
})
