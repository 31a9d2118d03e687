// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are GitHub's expressions
import { describe, expect, test } from '@jest/globals'
import { UserError } from '../../src/wire/errors.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'

const CONTEXTS = {
  secrets: { SET: 'x' },
  vars: { LIMIT: '3' },
  env: {},
  github: {
    repository: 'octo/repo',
    head_ref: 'b"; evil',
    event: { client_payload: { headers: { key: 'known to its sender' }, path: '../x' } },
  },
}

/** The messages about an `on:` section; none if it is valid. */
function complaints(options: string): string[] {
  try {
    const source = { name: 'input "on"', text: `webhook:\n  ${options}`, file: 'hook.yml' }
    readOnSection('hook', source, CONTEXTS)
    return []
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.problems.map(({ message }) => message)
  }
}

const OPTIONS: readonly ((expression: string) => string)[] = [
  (expression) => `verify: {scheme: bearer, secret: "${expression}"}`,
  (expression) => `verify: {scheme: [github, bearer], secret: ["x", "v1-${expression}"]}`,
  (expression) => `verify: "${expression}"`,
  (expression) => `config: {filterScript: "return item.body === '${expression}'"}`,
  (expression) => `config: {sortScript: "return ${expression}"}`,
  (expression) => `config: {format: "return '${expression}'"}`,
  (expression) => `config: {exportOutputs: true, outputsDir: "${expression}"}`,
  (expression) => `config: "${expression}"`,
]

describe('no sender words what decides who may fire, what is run, and where a file goes', () => {
  const WORDED = [
    '${{ github.event.client_payload.headers.key }}',
    "${{ github['event'].client_payload.path }}",
    "${{ GITHUB.Event['client_payload']['path'] }}",
    "${{ format('{0}', github.event.client_payload.path) }}",
    '${{ secrets.NO || github.event.client_payload.path }}',
    "${{ github[format('{0}', 'event')].client_payload.path }}",
    '${{ toJSON(github.event) }}',
    '${{ toJSON(github) }}',
    "${{ join(github.*, '') }}",
    '${{ github.head_ref }}',
    '${{ (github.event).client_payload.path }}',
  ]

  test.each(WORDED)('%s', (expression) => {
    const quoted = expression.replaceAll('"', '\\"')
    for (const option of OPTIONS) {
      expect(complaints(option(quoted))).toEqual([
        expect.stringContaining('the expression reads the event, which its sender words'),
      ])
    }
  })
})

test.each([
  ['a setting in a script', 'config: {filterScript: "return index < ${{ vars.LIMIT }}"}'],
  ['the repository', 'config: {format: "return {of: \'${{ github.repository }}\'}"}'],
  ['a comparison', 'config: {filterScript: "return ${{ github.event.action == \'webhook\' }}"}'],
  ['the event where nothing is decided', 'path: "/${{ github.event.client_payload.path }}"'],
  ['a secret', 'verify: {scheme: bearer, secret: "${{ secrets.SET }}"}'],
])('is no mistake: %s', (_, options) => {
  expect(complaints(options)).toEqual([])
})
