import { expect, test } from '@jest/globals'
import { withKeyHints } from '../../src/compiler/key-hints.ts'
import { UserError } from '../../src/wire/errors.ts'
import { compileText, sourceFile, withStep } from './support/compiled.ts'

const BACKGROUND = `on: webhook
jobs:
  a:
    runs-on: x
    steps:
      - id: server
        run: serve '\${{ on.webhook.outputs.method }}'
        background: true
      - wait: server
      - wait-all: true
      - cancel: server
`

test('steps in the background are compiled, and read the context on', async () => {
  const { main, notices } = await compileText(BACKGROUND)
  expect(main).toContain("run: serve '${{ fromJSON(needs.on.outputs.on).webhook.outputs.method }}'")
  expect(main).toContain('        background: true\n      - wait: server\n      - wait-all: true\n')
  expect(notices).toEqual([])
})

test.each([
  ['of the workflow', 'cache-mode: read\n', '', 'cache-mode'],
  ['of a job', '', '    cache-mode: read\n', 'cache-mode'],
  ['that nobody knows', '', '    zebra-crossing: 1\n', 'zebra-crossing'],
])('a key %s that only the parser lacks is a warning, and copied', async (_, top, job, key) => {
  const text = `on: webhook\n${top}jobs:\n  a:\n    runs-on: x\n${job}    steps: [{run: x}]\n`
  const { main, notices } = await compileText(text)
  expect(main).toContain(`${key}: `)
  expect(notices).toEqual([
    `"${key}" is not a key that the compiler's version of GitHub's parser knows: it is copied`,
  ])
})

test.each([
  ['merge_group', 'paths'],
  ['pull_request', 'tags-ignore'],
])('a filter that "%s" does not have is a warning, and copied: %s', async (event, filter) => {
  const on = `on:\n  webhook:\n  ${event}:\n    ${filter}: ['**']\n`
  const { main, notices } = await compileText(`${on}jobs: {a: {runs-on: x, steps: [{run: x}]}}\n`)
  expect(main).toContain(`${filter}: ['**']`)
  expect(notices).toEqual([`GitHub ignores "${filter}" here: this event has no such filter`])
})

test('a misspelled filter of an event stays an error', async () => {
  const text =
    'on: {webhook: , push: {branchs: [main]}}\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n'
  await expect(compileText(text)).rejects.toThrow("Unexpected value 'branchs'")
})

const INDENT = 'indent what belongs to it'

test.each([
  ['      - run: x\n        contineu-on-error: true', 'did you mean "continue-on-error"?'],
  ['      - backgroud: true\n        run: x', 'did you mean "background"?'],
  [
    '      - run: x\n    strategy: {fail-fats: false, matrix: {a: [1]}}',
    'did you mean "fail-fast"?',
  ],
  ['      - run: x\n    permissions: {content: read}', 'did you mean "contents"?'],
  ['      - run: x\n    concurrency: {grup: a}', 'did you mean "group"?'],
  ['      - run: x\n    environment: {nmae: a}', 'did you mean "name"?'],
  ['      - run: x\n    defaults: {rnu: {shell: bash}}', 'did you mean "run"?'],
  ['      - run: x\n    defaults: {run: {shel: bash}}', 'did you mean "shell"?'],
  ['      - run: x\n    container: {imgae: a}', 'did you mean "image"?'],
  ['      - run: x\n    services: {db: {imgae: a}}', 'did you mean "image"?'],
  ['      - parallel: [{run: x, shel: bash}]', 'did you mean "shell"?'],
  ['      - run: x\n        uses: a/b@v1', 'a step has either "uses" or "run"'],
  ['      - uses: a/b@v1\n        run: x', 'a step has either "uses" or "run"'],
  ['      -run: x', 'write each step as an item of the list: "- run: …"'],
  ['      - run: x\n        timeout-minutes: vars.LIMIT', 'write ${{ vars.LIMIT }}'],
  [
    '      - run: x\n    strategy: {matrix: {a: fromJSON(vars.A)}}',
    'write ${{ fromJSON(vars.A) }}',
  ],
  ['      -', 'write a value, or remove the line'],
  ['      - run: x\n        env:', 'write a value, or remove the line'],
  ['      - with:\n        uses: a/b@v1', 'write a value, or remove the line'],
  ['      - uses: a/b@v1\n        with:\n\n        # b\n        node-version: 1', INDENT],
  ['      - run: x\n    permissions:\n    contents: read', INDENT],
  ['      - run: x\n    strategy:\n    matrix:\n      a: [1]', INDENT],
])('a slip stays an error, with what was meant: %s', async (step, hint) => {
  expect(await hintsOf(withStep(step))).toContain(hint)
})

test.each([
  ['permissions: inputs.a', 'write read-all, write-all, or a mapping such as {contents: read}'],
  ['permissions: all', 'write read-all, write-all, or a mapping such as {contents: read}'],
  ['permissions: {contents: inputs.a}', 'its values are: read, write, none'],
  ['permissions: {id-token: read}', 'its values are: write, none'],
  ['permissions: {models: write}', 'its values are: read, none'],
])('an expression is not suggested where GitHub evaluates none: %s', async (written, hint) => {
  expect(await hintsOf(withStep(`      - run: x\n    ${written}`))).toEqual([hint])
})

test.each([
  withStep('      - run: x\n        timeout-minutes: vars.T }}'),
  withStep('      - run: x\n        timeout-minutes: vars.T * 2'),
  withStep('      - uses: a/b@v1\n        with:\n        nam: x'),
  'on: webhook\njobs:\n  a:\n  runs-on: x\n',
])('a slip that can have several meanings has no cure: %j', async (text) => {
  const [first] = await hintsOf(text)
  expect(first).toBe('none')
})

async function hintsOf(text: string): Promise<string[]> {
  const told = await compileText(text).then(
    () => [],
    (error: unknown) => (error instanceof UserError ? error.problems : []),
  )
  return withKeyHints(sourceFile(text).document, told).map(({ hint = 'none' }) => hint)
}
