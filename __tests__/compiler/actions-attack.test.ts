// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are GitHub's expressions
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type Checked, checkWorkflows } from '../../src/cli/check.ts'
import { Repository } from './support/repository.ts'

let repository: Repository
beforeEach(() => {
  repository = new Repository()
})
afterEach(() => repository.remove())

const check = () => checkWorkflows({ root: repository.root, globs: [], strict: true })

const places = ({ errors }: Checked) =>
  errors.map(({ position }) => `${position?.source.file}:${position?.line}`)

const hook = (uses: string, given: string) => `on: webhook
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: ${uses}
        with: {title: "${given}", other: mine}
`

const BODY = '${{ on.webhook.outputs.body }}'

const action = (run: string, env = '{}') => `name: x
inputs: {title: {}, other: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env: ${env}
      run: ${run}
`

describe('an action of the same repository that gets text from outside', () => {
  test.each([
    ['.github/actions/one/action.yml', './.github/actions/one'],
    ['.github/actions/one/action.yaml', './.github/actions/one/'],
    ['tools/action.yml', './a/../tools'],
  ])('is looked into: %s', async (file, uses) => {
    repository.write('workflows/hook.yml', hook(uses, BODY))
    repository.write(file, action('echo "${{ inputs.title }}"'))
    expect(places(await check())).toEqual([`${file}:8`])
  })

  test('as far as it calls others, and no further', async () => {
    repository.write('workflows/hook.yml', hook('./one', BODY))
    const call =
      'runs:\n  using: composite\n  steps:\n    - uses: ./two\n      with: {t: "${{ inputs.title }}"}\n    - uses: ./one\n      with: {title: "${{ inputs.title }}"}\n'
    repository.write('one/action.yml', call)
    repository.write(
      'two/action.yml',
      'runs:\n  using: composite\n  steps:\n    - {shell: bash, run: "${{ inputs.t }}"}\n',
    )
    expect(places(await check())).toEqual(['two/action.yml:4'])
  })

  test.each([
    ['the other input', BODY, 'echo "${{ inputs.other }}"', '{}'],
    ['in env', BODY, 'echo "$TITLE"', '{TITLE: "${{ inputs.title }}"}'],
    ['a text of one’s own', 'mine', 'echo "${{ inputs.title }}"', '{}'],
  ])('is fine with %s', async (_, given, run, env) => {
    repository.write('workflows/hook.yml', hook('./one', given))
    repository.write('one/action.yml', action(run, env))
    expect(places(await check())).toEqual([])
  })

  test.each(['./../outside', './missing', './../../../../etc', './.'])(
    'is not looked for elsewhere: %s',
    async (uses) => {
      repository.write('workflows/hook.yml', hook(uses, BODY))
      expect(places(await check())).toEqual([])
    },
  )

  test('of its own by a program is not read as one of steps', async () => {
    repository.write('workflows/hook.yml', hook('./one', BODY))
    repository.write('one/action.yml', 'runs: {using: node24, main: index.js}\n')
    expect(places(await check())).toEqual([])
  })
})
