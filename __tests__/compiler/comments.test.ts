import { expect, test } from '@jest/globals'
import { compileText } from './support/compiled.ts'
import { parserErrors } from './support/github.ts'
import { ownedComments } from './support/owners.ts'

/** Comments stay with the entry that they describe, and never become part of an earlier value. */

const job = (lines: string) => `on: [push, webhook]
jobs:
  a: {runs-on: x, steps: [{run: "true"}]}
  b:
${lines}    runs-on: x
    steps: [{run: "true"}]
`

test.each([
  [
    'in a list of needs',
    '    needs:\n      - a\n      # - old\n',
    /needs:\n {6}- a\n {6}# - old\n {4}if: >-\n {6}!cancelled/,
  ],
  ['below the needs', '    needs: a\n      # why\n', /needs: a\n {6}# why\n {4}if: >-\n/],
  ['below the name', '    name: b\n      # why\n', /name: b\n {6}# why\n {4}needs: on\n/],
  ['below the key of the job', '      # why\n', /b:\n {6}# why\n {4}needs: on\n/],
  [
    'below the condition',
    "    if: github.actor == 'a'\n      # why\n",
    /if: >-\n( {7}.*\n)+ {6}# why\n/,
  ],
  ['behind the condition', "    if: github.actor == 'a' # why\n", /if: >- # why\n/],
  ['above the first key', '    # why\n', /b:\n {4}needs: on\n(.*\n)+? {4}# why\n {4}runs-on/],
  [
    'above the condition',
    "    # why\n    if: github.actor == 'a'\n",
    /needs: on\n {4}# why\n {4}if: >-/,
  ],
])('a comment %s', async (_, lines, expected) => {
  const { main } = await compileText(job(lines))
  expect(await parserErrors('hook.yml', main)).toEqual([])
  expect(main).toMatch(expected)
})

test.each([
  ['a name', '  webhook\n'],
  ['a list in brackets', '  [push, webhook]\n'],
  ['a mapping in braces', '  {push: , webhook: }\n'],
  [
    'a bot in braces, in two files',
    '  {push: , messaging_bot: {token: "${' + '{ secrets.BOT }}"}}\n',
  ],
  ['a mapping', '  push:\n  webhook:\n'],
])('comments between `on:` and %s stay there', async (_, value) => {
  const comments = '  #schedule:\n  # - cron: "0/6 * * * *"\n'
  const text = job('').replace(/^on: .*\n/, () => `on:\n${comments}${value}`)
  const { main } = await compileText(text)
  expect(await parserErrors('hook.yml', main)).toEqual([])
  expect(main).toContain(`on:\n${comments}`)
})

test('a condition keeps its line breaks and how far they stand in', async () => {
  const condition =
    "(\n        contains(github.ref, 'a') ||\n          contains(github.ref, 'b')\n      )"
  const { main } = await compileText(
    job(`    if: >-\n      github.event_name == 'push' && ${condition}\n`),
  )
  expect(main).toContain(`      github.event_name == 'push' && ${condition}\n`)
})

test.each([
  ['in one file', 'on: # zizmor: ignore[dangerous-triggers]\n  push:\n  webhook:\n'],
  ['of a list, in one file', 'on: [push, webhook] # zizmor: ignore[dangerous-triggers]\n'],
  [
    'in two files',
    'on: # zizmor: ignore[dangerous-triggers]\n  messaging_bot: {token: "${' +
      '{ secrets.BOT }}"}\n',
  ],
])('a comment behind `on:` stays there, %s', async (_, on) => {
  const { main } = await compileText(`${on}jobs: {a: {runs-on: x, steps: [{run: x}]}}\n`)
  expect(main).toMatch(/^on: # zizmor: ignore\[dangerous-triggers\]$/m)
})

const READS_ON = '${' + '{ on.webhook.outputs.body.x }}'

test('settings that move into jobs keep their comments, quotes and lines', async () => {
  const { main } = await compileText(
    `on: webhook\nenv:\n  # of A\n  A: "${READS_ON}" # beside A\n  # of B\n  B: 1\ndefaults:\n  run:\n    # of the folder\n    working-directory: ${READS_ON}\njobs:\n  a:\n    runs-on: x\n    steps: [{run: x}]\n`,
  )
  expect(await parserErrors('hook.yml', main)).toEqual([])
  expect(main).toContain('env:\n  # of B\n  B: 1\njobs:\n')
  expect(main).toMatch(
    / {4}env:\n {6}# of A\n {6}A: "\$\{\{ fromJSON\(needs\.on\.outputs\.on\)\.webhook\.outputs\.body\.x \}\}" # beside A\n {4}defaults:\n {6}run:\n {8}# of the folder\n/,
  )
})

test('a section of ours goes with its comments, and with no other', async () => {
  const { main } = await compileText(
    'on: webhook\n\n# of ours\nhookline:\n  runs-on: y # why\n\n# of the jobs\njobs:\n  a: {runs-on: x, steps: [{run: x}]}\n',
  )
  expect(main).not.toContain('of ours')
  expect(main).toContain('# of the jobs\njobs:')
})

test('a group that is an alias leaves the one of the job as it is', async () => {
  const { main } = await compileText(
    'on: [push, webhook]\njobs:\n  a:\n    runs-on: x\n    concurrency: &c\n      group: deploy\n      queue: max\n    steps: [{run: x}]\nconcurrency: *c\n',
  )
  expect(main).toContain('    concurrency: &c\n      group: deploy\n')
  expect(main).toMatch(/\nconcurrency: \{"group":".*github\.run_id.*","queue":"max"\}\n/)
})

test.each([
  ['in one file', 'webhook: {}'],
  ['in two files', 'messaging_bot: {token: "${' + '{ secrets.BOT }}"}'],
])('comments within braces stay comments of `on:`, a line each, %s', async (_, trigger) => {
  const on = `on: { # one\n  ${trigger}, # two\n  # three\n  push: {}\n} # four\n  # five\n`
  const { main } = await compileText(`${on}jobs: {a: {runs-on: x, steps: [{run: x}]}}\n`)
  expect(main).toMatch(/^on: # one$/m)
  expect(main).toMatch(/^ {2}push: \{\}\n {2}# two\n {2}# three\n {2}# four\n {2}# five\n/m)
  const spoken = ownedComments(main).filter(({ text }) =>
    /^# (?:one|two|three|four|five)$/.test(text),
  )
  expect(spoken.map(({ owner }) => owner)).toEqual(Array(5).fill(['on']))
})

test('comments behind a trigger and behind needs keep their owner, a condition keeps its lines', async () => {
  const { main } = await compileText(`on:
  webhook: # about the hook
  push: # about push
jobs:
  a: {runs-on: x, steps: [{run: x}]}
  b:
    needs: a # about needs
    runs-on: x
    if: >
      on.webhook.outcome == 'success' &&
        (github.actor == 'x' ||
          github.ref == 'y')
    steps: [{run: x}]
`)
  const lines = main.split('\n').map((line) => line.trim())
  expect(lines).toContain('webhook: # about the hook')
  expect(lines).toContain('push: # about push')
  expect(lines).toContain('needs: [on, a] # about needs')
  expect(main).toContain(`
        (github.actor == 'x' ||
          github.ref == 'y')
`)
})

test.each([
  ['>-\n      always() &&\n      on.webhook.outcome', ['always() &&', ').webhook.outcome']],
  ['always() &&\n      on.webhook.outcome', ['always() &&', ').webhook.outcome']],
  ['${{ always() &&\n      on.webhook.outcome }}', ['always() &&', ').webhook.outcome']],
  ["always() && on.webhook.outputs.body == 'a\n      b'", ["body == 'a b'"]],
])('the lines of if: %j', async (condition, parts) => {
  const { main } = await compileText(`on: webhook
jobs:
  a:
    runs-on: x
    if: ${condition}
    steps: [{run: x}]
`)
  const lines = main.split('\n').map((line) => line.trim())
  const own = parts.map((part) => lines.findIndex((line) => line.endsWith(part)))
  expect(own.every((at) => at >= 0)).toBe(true)
  expect(own).toEqual(own.map((_, index) => (own[0] ?? 0) + index))
})
