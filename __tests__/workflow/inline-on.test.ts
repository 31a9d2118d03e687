import { describe, expect, test } from '@jest/globals'
import { readInlineOn } from '../../src/workflow/workflow.ts'

const FILE = '.github/workflows/hook.yml'

function read(text: string, contexts = {}) {
  return readInlineOn('hook', { name: FILE, file: FILE, text }, contexts)
}

function withStep(step: string): string {
  return `on: repository_dispatch\njobs: { on: { steps: [${step}] } }`
}

function triggersOf(step: string): string[] | undefined {
  return read(withStep(step))?.triggers.map(({ name }) => name)
}

describe('the input "on" of a step is read', () => {
  test.each([
    'hookline/hookline@v1',
    'acme/hookline@0123456789abcdef0123456789abcdef01234567',
    './',
  ])('that uses %s', (uses) => {
    expect(triggersOf(`{ uses: ${uses}, with: { on: webhook } }`)).toEqual(['webhook'])
  })

  test.each([
    ['another action', '{ uses: acme/hooklines@v1, with: { on: webhook } }'],
    ['a step without the input', '{ uses: hookline/hookline@v1, with: { workflow: x } }'],
    ['a step without inputs', '{ uses: hookline/hookline@v1 }'],
    ['a script', '{ run: echo }'],
  ])('but not that of %s', (_, step) => {
    expect(triggersOf(step)).toBeUndefined()
  })

  test.each(['', 'text', 'jobs: []', 'jobs: { a: { steps: text } }'])('and %j has none', (text) => {
    expect(read(text)).toBeUndefined()
  })
})

test('expressions are filled in as GitHub would, and then as the action does', () => {
  const on = `'{webhook: {path: "/\${{ vars.PLACE }}/\${{ ''\${{ secrets.NAME }}'' }}"}}'`
  const text = withStep(`{ uses: hookline/hookline@v1, with: { on: ${on} } }`)
  const workflow = read(text, { vars: { PLACE: 'here' }, secrets: { NAME: 'there' } })
  expect(workflow?.triggers[0]?.example?.path).toBe('/here/there')
})

test.each([
  ['a mistake in the input', '{method: psot}', 'unknown HTTP method "psot"'],
  ['an unknown context', `{path: '\${{ inputs.x }}'}`, 'Unrecognized named-value'],
])('%s is told with the file', (_, options, message) => {
  const on = JSON.stringify(`{webhook: ${options}}`)
  const wrong = () => read(withStep(`{ uses: hookline/hookline@v1, with: { on: ${on} } }`))
  expect(wrong).toThrow(message)
})
